/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * own.h - where this executable is. */
#ifndef XRO_BASE_OWN_H
#define XRO_BASE_OWN_H

/* Its absolute path, found once; NULL when it cannot be known. */
const char *xro_own_path(void);

#endif
