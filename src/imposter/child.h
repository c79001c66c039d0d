/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * child.h - an imposter in a process of its own, for the self test and for tests: started from a script's text, found
 * by its servers' names, stopped; it ends when its parent does, however that ends. */
#ifndef XRO_IMPOSTER_CHILD_H
#define XRO_IMPOSTER_CHILD_H

#include "imposter/script.h"

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_child_place {
    char name[64];
    char host[48];              /* a numeric address, without brackets */
    uint16_t port;
};

struct xro_imposter_child {
    pid_t pid;                  /* 0: none */
    int life;                   /* the child ends when this is closed */
    struct xro_child_place *places;     /* each address of each server */
    size_t place_count;
    struct xro_script_error error;      /* why it could not be started */
};

/* Start SCRIPT and wait until all its servers listen. On failure CHILD->error says why, and nothing is left to
 * stop. */
enum xro_status xro_imposter_spawn(const char *script, struct xro_imposter_child *child);

/* The first address of the server NAME; false when there is none of that name. HOST is CHILD's. */
bool xro_imposter_address(const struct xro_imposter_child *child, const char *name, const char **host, uint16_t *port);

/* The port of the server NAME, 0 when there is none of that name. */
uint16_t xro_imposter_port(const struct xro_imposter_child *child, const char *name);

/* End it and wait for its end. Nothing happens when it does not run. */
void xro_imposter_stop(struct xro_imposter_child *child);

#ifdef __cplusplus
}
#endif
#endif
