/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/module.h"

#include "base/own.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef XRO_MODULE_DIR
#define XRO_MODULE_DIR "/usr/lib/xrdopen"
#endif

enum { PATH_SIZE = 4096 };

/* FOLDER/FILE, when there is such a file. */
static bool in_folder(const char *folder, const char *file, char path[PATH_SIZE])
{
    const int length = snprintf(path, PATH_SIZE, "%s/%s", folder, file);

    return length > 0 && length < PATH_SIZE && access(path, F_OK) == 0;
}

/* The same, FOLDER being seen from the executable's. */
static bool beside(const char *folder, const char *file, char path[PATH_SIZE])
{
    char joined[PATH_SIZE];
    const char *own = xro_own_path(), *slash = own ? strrchr(own, '/') : NULL;
    int length = slash ? snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - own), own, folder) : -1;

    return length > 0 && length < PATH_SIZE && in_folder(joined, file, path);
}

static bool find(const char *file, char path[PATH_SIZE])
{
    const char *only = getenv("XRDOPEN_MODULE_DIR");

    if (only != NULL && *only != '\0')
        return in_folder(only, file, path);
    return beside(".", file, path) || beside("../lib/xrdopen", file, path) || in_folder(XRO_MODULE_DIR, file, path);
}

bool xro_module_is_there(const char *file)
{
    char path[PATH_SIZE];

    return find(file, path);
}

static void cut(const char *text, char why[XRO_MODULE_WHY_SIZE])
{
    const size_t length = strnlen(text, XRO_MODULE_WHY_SIZE - 1);

    memcpy(why, text, length);
    why[length] = '\0';
}

enum xro_module_found xro_module_load(const char *file, const char *symbol, uint32_t abi, const void **table,
                                      char why[XRO_MODULE_WHY_SIZE])
{
    char path[PATH_SIZE];
    void *handle;
    const char *words;

    *table = NULL;
    why[0] = '\0';
    if (!find(file, path))
        return XRO_MODULE_ABSENT;
    handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) {
        words = dlerror();
        cut(words != NULL ? words : path, why);
        return XRO_MODULE_BROKEN;
    }
    *table = dlsym(handle, symbol);
    if (*table != NULL && *(const uint32_t *)*table == abi)
        return XRO_MODULE_LOADED;
    *table = NULL;
    dlclose(handle);
    cut(path, why);
    return XRO_MODULE_OTHER;
}
