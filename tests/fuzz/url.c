/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * url.c - fuzz what users type: URLs, units, --resolve, and the paths that redirects make. */
#include "base/units.h"
#include "base/url.h"
#include "wire/hosts.h"
#include "wire/path.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = (char *)malloc(size + 1);
    struct xro_url url;
    struct xro_addresses addresses;
    struct xro_buf path = xro_buf(XRO_WIRE_PATH_MAX);
    size_t half = size / 2;
    uint64_t number;
    double share;

    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    if (xro_url_parse(text, &url) == NULL && strlen(url.path) >= sizeof url.path)
        abort();
    xro_parse_duration(text, &number);
    xro_parse_size(text, &number);
    xro_parse_count(text, &number);
    xro_parse_share(text, &share);
    if (xro_hosts_check(text) == NULL)
        xro_hosts_find(text, "a", 1, AF_UNSPEC, &addresses);
    if (xro_path_merge(&path, (struct xro_span_text){ text, half }, (struct xro_span_text){ text + half, size - half }) == XRO_OK)
        xro_path_add(&path, "tried", "host");
    xro_buf_free(&path);
    free(text);
    return 0;
}
