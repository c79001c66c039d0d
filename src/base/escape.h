/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * escape.h - untrusted text made safe to show: everything that is not printable ASCII becomes \xNN, a backslash \\. */
#ifndef XRO_BASE_ESCAPE_H
#define XRO_BASE_ESCAPE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write at most SIZE - 1 characters and a NUL to TO; an escape that does not fit whole is left out, and what follows
 * too. SIZE must not be 0. Returns TO. */
char *xro_escape(const void *bytes, size_t length, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif
