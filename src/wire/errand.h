/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * errand.h - a call that may take as long as it likes (a name look-up, a plug-in that asks its KDC), made by a thread of its
 * own, so that the caller can leave it behind at a deadline. */
#ifndef XRO_WIRE_ERRAND_H
#define XRO_WIRE_ERRAND_H

#include "base/clock.h"

#include <stdbool.h>

struct xro_errand;

/* Begin RUN(ARG) in a thread. ARG is the thread's until the errand is done. When it is left behind, DROP(ARG) is called
 * once it is done. NULL when memory or threads are short: then ARG is still the caller's. */
struct xro_errand *xro_errand_begin(void (*run)(void *arg), void (*drop)(void *arg), void *arg);

/* Wait until it is done or UNTIL has come: is it done? */
bool xro_errand_wait(struct xro_errand *errand, xro_ns until);

/* Done with it: true, and ARG is the caller's again; or leave it behind: false, and ARG is gone. */
bool xro_errand_end(struct xro_errand *errand);

#endif
