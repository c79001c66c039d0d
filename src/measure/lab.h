/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * lab.h - real servers on loopback, for those who measure them: lab/lab.sh, which is built into the executable, run as
 * a child. The answers of these functions are the script's exit codes: 0 good, 1 failed, 2 not understood, 4 something
 * is not installed, 130 interrupted. The script says on standard error what went wrong, so the caller need not. */
#ifndef XRO_MEASURE_LAB_H
#define XRO_MEASURE_LAB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_LAB_URLS = 32,          /* more than any lab has */
    XRO_LAB_ID_SIZE = 16,
    XRO_LAB_NAME_SIZE = 32,
    XRO_LAB_URL_SIZE = 256
};

struct xro_lab_url {
    char name[XRO_LAB_NAME_SIZE];       /* of the server: "manager", "data1" */
    char url[XRO_LAB_URL_SIZE];         /* of a file there: "root://127.0.0.1:20733//data/file" */
};

struct xro_lab {
    char id[XRO_LAB_ID_SIZE];
    size_t count;
    struct xro_lab_url urls[XRO_LAB_URLS];
};

/* Start a lab of MODE ("plain", "cluster", "all"): a second or two. It stays up until xro_lab_stop, even when this
 * process ends (`xrdopen lab list` then says that its creator is dead). A caller that is sent SIGINT or SIGTERM
 * meanwhile should catch it and wait: from a terminal the script gets it too, removes what it began, and this answers
 * 130. */
int xro_lab_start(const char *mode, struct xro_lab *lab);

/* A lab of MODE that this user has up, with all its servers; 1 when there is none. Its owner is whoever started it. */
int xro_lab_find(const char *mode, struct xro_lab *lab);

/* End the servers of lab ID and remove its folder. */
int xro_lab_stop(const char *id);

/* Set in this process, and so for its children, the variables that clients of lab ID need: certificates, tickets,
 * tokens. */
int xro_lab_enter(const char *id);

/* Become the script with ARGUMENTS (COUNT of them): no return, unless it could not be run; then errno. */
int xro_lab_exec(int count, char *const *arguments);

#ifdef __cplusplus
}
#endif
#endif
