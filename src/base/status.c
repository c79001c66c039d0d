/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/status.h"

#include <stddef.h>
#include <string.h>

static const struct { enum xro_status status; const char *key, *text; } statuses[] = {
#define S(id, value, key, text) { XRO_##id, key, text },
    XRO_STATUSES(S)
#undef S
};

enum { STATUS_COUNT = sizeof statuses / sizeof *statuses };

const char *xro_status_text(enum xro_status status)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

const char *xro_status_key(enum xro_status status)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].status == status)
            return statuses[i].key;
    return "invalid";
}

enum xro_status xro_status_from_key(const char *key)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (strcmp(statuses[i].key, key) == 0)
            return statuses[i].status;
    return XRO_INVALID;
}
