/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

/* A decimal fraction without sign, and what follows it. strtod alone would take "inf", "nan", "0x1p3" and " -1". */
static bool parse_number(const char *text, double *value, const char **rest)
{
    size_t digits = strspn(text, "0123456789."), dots = 0;
    char *end;

    for (size_t i = 0; i < digits; i++)
        dots += text[i] == '.';
    if (digits == 0 || digits == dots || dots > 1 || digits > 40)
        return false;
    *value = strtod(text, &end);
    if (end != text + digits)   /* "1e3", or a locale with another decimal point */
        return false;
    *rest = end;
    return true;
}

static enum xro_status parse_units(const char *text, const struct unit *units, size_t count, double most, double *value)
{
    const char *rest;

    if (!parse_number(text, value, &rest))
        return XRO_INVALID;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rest, units[i].name) != 0)
            continue;
        *value *= units[i].factor;
        return *value < most ? XRO_OK : XRO_INVALID;
    }
    return XRO_INVALID;
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum xro_status xro_parse_duration(const char *text, xro_ns *ns)
{
    static const struct unit units[] = {
        { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
    };
    double value;
    enum xro_status status = parse_units(text, units, LENGTH(units), 9.2e18, &value);

    if (status == XRO_OK)
        *ns = (xro_ns)(value + 0.5);
    return status;
}

enum xro_status xro_parse_size(const char *text, uint64_t *bytes)
{
    static const struct unit units[] = {
        { "", 1 }, { "k", 1024 }, { "K", 1024 }, { "m", 1048576 }, { "M", 1048576 }, { "g", 1073741824 },
        { "G", 1073741824 }, { "t", 1099511627776.0 }, { "T", 1099511627776.0 },
    };
    double value;
    enum xro_status status = parse_units(text, units, LENGTH(units), 9.2e18, &value);

    if (status == XRO_OK)
        *bytes = (uint64_t)(value + 0.5);
    return status;
}

enum xro_status xro_parse_count(const char *text, uint64_t *count)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return XRO_INVALID;
    errno = 0;
    uintmax_t value = strtoumax(text, &end, 10);
    if (errno != 0 || *end != '\0')
        return XRO_INVALID;
    *count = value;
    return XRO_OK;
}

enum xro_status xro_parse_share(const char *text, double *share)
{
    static const struct unit units[] = { { "", 1 }, { "%", 0.01 } };
    double value;
    enum xro_status status = parse_units(text, units, LENGTH(units), 1.0, &value);

    if (status == XRO_OK)
        *share = value;
    return status;
}

const char *xro_format_duration(xro_ns ns, char text[XRO_DURATION_SIZE])
{
    static const struct { double below, factor; const char *unit; } scales[] = {
        { 1e3, 1, "ns" }, { 1e6, 1e3, "us" }, { 1e9, 1e6, "ms" }, { 60e9, 1e9, "s" },
    };
    double value = (double)ns;

    for (size_t i = 0; i < LENGTH(scales); i++) {
        double scaled = value / scales[i].factor;
        /* The next unit is taken where rounding would print 1000 of this one. */
        if (value >= scales[i].below || (i < 3 && scaled >= 999.5))
            continue;
        int decimals = ns < 1000 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
        snprintf(text, XRO_DURATION_SIZE, "%.*f%s", decimals, scaled, scales[i].unit);
        return text;
    }
    uint64_t seconds = (ns + XRO_NS_PER_S / 2) / XRO_NS_PER_S;
    snprintf(text, XRO_DURATION_SIZE, "%" PRIu64 "m%02us", seconds / 60, (unsigned)(seconds % 60));
    return text;
}
