/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * module.h - where this executable is, and where the modules are that it loads on demand. */
#ifndef XRO_BASE_MODULE_H
#define XRO_BASE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* The absolute path of this executable, found once; NULL when it cannot be known. */
const char *xro_own_path(void);

/* The path of the module FILE, in TO: in XRDOPEN_MODULE_DIR when that is set, and nowhere else; else beside the executable, in
 * ../lib/xrdopen from there, or where the build was told. False when it is in none. */
bool xro_module_path(const char *file, char *to, size_t size);

#endif
