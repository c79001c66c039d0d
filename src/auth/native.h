/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * native.h - the methods that need no library: host and unix, which claim a name, and ztn, which shows a token. */
#ifndef XRO_AUTH_NATIVE_H
#define XRO_AUTH_NATIVE_H

#include "auth/method.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct xro_auth_method xro_auth_host, xro_auth_unix, xro_auth_ztn;

/* The table of a native METHOD; NULL when it is none. */
const struct xro_auth_method *xro_auth_native(const char *method);

#ifdef __cplusplus
}
#endif
#endif
