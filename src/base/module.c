/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef XRO_MODULE_DIR
#define XRO_MODULE_DIR "/usr/lib/xrdopen"
#endif

const char *xro_own_path(void)
{
    static char path[4096];
    ssize_t length;

    if (path[0] != '\0')
        return path;
    length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return path;
}

static bool is_there(const char *folder, size_t length, const char *below, const char *file, char *to, size_t size)
{
    int n = snprintf(to, size, "%.*s/%s%s", (int)length, folder, below, file);

    return n > 0 && (size_t)n < size && access(to, F_OK) == 0;
}

bool xro_module_path(const char *file, char *to, size_t size)
{
    const char *folder = getenv("XRDOPEN_MODULE_DIR"), *own = xro_own_path(), *slash = own ? strrchr(own, '/') : NULL;

    if (folder != NULL && folder[0] != '\0')
        return is_there(folder, strlen(folder), "", file, to, size);
    if (slash != NULL && is_there(own, (size_t)(slash - own), "", file, to, size))
        return true;
    if (slash != NULL && is_there(own, (size_t)(slash - own), "../lib/xrdopen/", file, to, size))
        return true;
    return is_there(XRO_MODULE_DIR, strlen(XRO_MODULE_DIR), "", file, to, size);
}
