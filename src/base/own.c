/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/own.h"

#include <unistd.h>

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
