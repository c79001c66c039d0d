/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * load.h - the module that makes a method's credentials, loaded when first needed, and what that cost. */
#ifndef XRO_AUTH_LOAD_H
#define XRO_AUTH_LOAD_H

#include "auth/method.h"
#include "base/clock.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xro_auth_cost {          /* what was spent on loading, apart from authenticating */
    xro_ns load_ns;
    xro_ns load_cpu_ns;         /* of this thread */
};

/* The table for METHOD with the ARGUMENTS of a server's offer: native, libkrb5's, or that of XRootD's plug-ins, loaded
 * and prepared. NULL with status and reason when it cannot be had. COST is added to. May be called by any thread. */
const struct xro_auth_method *xro_auth_load(const char *method, const char *arguments, struct xro_auth_cost *cost,
                                            enum xro_status *status, char reason[XRO_AUTH_REASON_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
