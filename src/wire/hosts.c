/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/hosts.h"

#include <string.h>
#include <strings.h>

/* The address in the LENGTH bytes at TEXT, with or without brackets. */
static bool parse_address(const char *text, size_t length, uint16_t port, struct xro_address *address)
{
    char copy[XRO_ADDRESS_SIZE];

    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return xro_address_from_literal(copy, port, address);
}

/* The list of addresses that ends at END; false when one is none. */
static bool parse_list(const char *text, const char *end, uint16_t port, struct xro_addresses *addresses)
{
    addresses->count = addresses->left_out = 0;
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        if (comma == NULL)
            comma = end;
        if (addresses->count == XRO_ADDRESSES_MAX)
            addresses->left_out++;
        else if (!parse_address(text, (size_t)(comma - text), port, &addresses->items[addresses->count++]))
            return false;
        text = comma < end ? comma + 1 : end;
    }
    return addresses->count > 0;
}

const char *xro_hosts_check(const char *table)
{
    struct xro_addresses addresses;

    while (table != NULL && *table != '\0') {
        const char *end = table + strcspn(table, ";"), *equals = memchr(table, '=', (size_t)(end - table));
        if (equals == NULL || equals == table)
            return "it is not NAME=ADDRESS,ADDRESS";
        if (!parse_list(equals + 1, end, 1, &addresses))
            return "what follows the '=' is no list of IP addresses";
        table = *end == ';' ? end + 1 : end;
    }
    return NULL;
}

static void keep_family(struct xro_addresses *addresses, int family)
{
    size_t kept = 0;

    for (size_t i = 0; i < addresses->count; i++)
        if (family == AF_UNSPEC || addresses->items[i].as.any.sa_family == family)
            addresses->items[kept++] = addresses->items[i];
    addresses->count = kept;
}

bool xro_hosts_find(const char *table, const char *host, uint16_t port, int family, struct xro_addresses *addresses)
{
    size_t length = strlen(host);

    while (table != NULL && *table != '\0') {
        const char *end = table + strcspn(table, ";");
        if ((size_t)(end - table) > length && table[length] == '=' && strncasecmp(table, host, length) == 0) {
            parse_list(table + length + 1, end, port, addresses);
            keep_family(addresses, family);
            return true;
        }
        table = *end == ';' ? end + 1 : end;
    }
    return false;
}
