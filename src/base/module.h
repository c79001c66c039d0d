/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * module.h - modules loaded on demand: shared objects that link what xrdopen itself must not (XRootD's libraries,
 * libkrb5), each with one exported table. A table's first member is a uint32_t, the version of its layout.
 *
 * A module is looked for beside the executable, in ../lib/xrdopen from there, and where it was installed; the variable
 * XRDOPEN_MODULE_DIR, when set, names the only place. It stays loaded: libraries leave threads and handlers behind. */
#ifndef XRO_BASE_MODULE_H
#define XRO_BASE_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum xro_module_found {
    XRO_MODULE_LOADED,
    XRO_MODULE_ABSENT,          /* in none of the places */
    XRO_MODULE_BROKEN,          /* it does not load: WHY holds the loader's words */
    XRO_MODULE_OTHER            /* of another version of xrdopen: WHY holds its path */
};

enum { XRO_MODULE_WHY_SIZE = 256 };

/* Is there such a file in one of the places? Loads nothing. */
bool xro_module_is_there(const char *file);

/* Load FILE and set *TABLE to its SYMBOL, a table whose layout is ABI. Bound as the libraries ask for (RTLD_LAZY), which
 * is what a program linked against them gets; a module that is linked with -z now shows here what it lacks. WHY is ""
 * unless said otherwise; it is raw text. */
enum xro_module_found xro_module_load(const char *file, const char *symbol, uint32_t abi, const void **table,
                                      char why[XRO_MODULE_WHY_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
