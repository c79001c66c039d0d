/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * imposter.h - run a script: listen, serve, end. One thread, one event loop; delays are kept by sleeping to a little
 * before the time and spinning the rest (see loop.c). */
#ifndef XRO_IMPOSTER_IMPOSTER_H
#define XRO_IMPOSTER_IMPOSTER_H

#include "imposter/script.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_imposter;

struct xro_imposter_options {
    bool spin;                  /* spin for the last part of a delay: accurate, at the cost of a processor */
    bool trace;                 /* a line on standard error for each thing sent */
    xro_ns duration;            /* end after so long; 0: never */
    int stop[2];                /* end when one of these is readable or at its end; -1: none */
};

/* Listen on all addresses of SCRIPT, which has to outlive it. On failure a sentence is in ERROR. */
enum xro_status xro_imposter_open(const struct xro_script *script, const struct xro_imposter_options *options,
                                  struct xro_imposter **imposter, struct xro_script_error *error);

/* Each address of each server, in the script's order; false past the last. HOST is a numeric address. */
struct xro_place {
    const char *name;
    const char *host;
    uint16_t port;
};
bool xro_imposter_place(const struct xro_imposter *imposter, size_t index, struct xro_place *place);

/* Serve until stopped: by a descriptor of options.stop (its index is returned) or by the duration (-1). */
int xro_imposter_run(struct xro_imposter *imposter);

/* Close everything; NULL is allowed. */
void xro_imposter_close(struct xro_imposter *imposter);

#ifdef __cplusplus
}
#endif
#endif
