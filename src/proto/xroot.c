/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "proto/xroot.h"

#include <stddef.h>

const char *xro_kxr_request_name(unsigned request)
{
    static const char *const names[] = {
        "auth", "query", "chmod", "close", "dirlist", "gpfile", "protocol", "login", "mkdir", "mv", "open", "ping",
        "chkpoint", "read", "rm", "rmdir", "sync", "stat", "set", "write", "fattr", "prepare", "statx", "endsess", "bind",
        "readv", "pgwrite", "locate", "truncate", "sigver", "pgread", "writev",
    };

    if (request < XRO_KXR_AUTH || request - XRO_KXR_AUTH >= sizeof names / sizeof *names)
        return NULL;
    return names[request - XRO_KXR_AUTH];
}

const char *xro_kxr_error_name(int code)
{
    switch (code) {
#define E(id, value, name) case XRO_KXR_##id: return name;
        XRO_KXR_ERRORS(E)
#undef E
    }
    return NULL;
}
