/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *xro_address_format(const struct xro_address *address, char *to, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "?", zone[24] = "";

    if (address->as.any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->as.v6.sin6_addr, host, sizeof host);
        if (address->as.v6.sin6_scope_id != 0)
            snprintf(zone, sizeof zone, "%%%u", (unsigned)address->as.v6.sin6_scope_id);
        snprintf(to, size, "[%s%s]:%u", host, zone, (unsigned)ntohs(address->as.v6.sin6_port));
    } else {
        inet_ntop(AF_INET, &address->as.v4.sin_addr, host, sizeof host);
        snprintf(to, size, "%s:%u", host, (unsigned)ntohs(address->as.v4.sin_port));
    }
    return to;
}

static void set_v4(struct xro_address *address, const void *bytes, uint16_t port)
{
    memset(address, 0, sizeof *address);
    address->as.v4.sin_family = AF_INET;
    address->as.v4.sin_port = htons(port);
    memcpy(&address->as.v4.sin_addr, bytes, sizeof address->as.v4.sin_addr);
    address->length = sizeof address->as.v4;
}

/* ::a.b.c.d (all zero before, and not :: or ::1) or ::ffff:a.b.c.d */
static bool is_v4_in_v6(const unsigned char bytes[16])
{
    static const unsigned char zero[10];
    bool mapped = bytes[10] == 0xff && bytes[11] == 0xff, compatible = bytes[10] == 0 && bytes[11] == 0 && bytes[12] != 0;

    return memcmp(bytes, zero, sizeof zero) == 0 && (mapped || compatible);
}

static bool set_v6(struct xro_address *address, const char *host, uint16_t port)
{
    char bare[INET6_ADDRSTRLEN];
    size_t length = strcspn(host, "%");
    unsigned char bytes[16];

    if (length >= sizeof bare)
        return false;
    memcpy(bare, host, length);
    bare[length] = '\0';
    if (inet_pton(AF_INET6, bare, bytes) != 1)
        return false;
    if (is_v4_in_v6(bytes)) {
        set_v4(address, bytes + 12, port);
        return true;
    }
    memset(address, 0, sizeof *address);
    address->as.v6.sin6_family = AF_INET6;
    address->as.v6.sin6_port = htons(port);
    memcpy(&address->as.v6.sin6_addr, bytes, sizeof bytes);
    if (host[length] == '%') {
        unsigned zone = if_nametoindex(host + length + 1);
        address->as.v6.sin6_scope_id = zone ? zone : (uint32_t)strtoul(host + length + 1, NULL, 10);
    }
    address->length = sizeof address->as.v6;
    return true;
}

bool xro_address_from_literal(const char *host, uint16_t port, struct xro_address *address)
{
    unsigned char bytes[4];

    if (inet_pton(AF_INET, host, bytes) == 1) {
        set_v4(address, bytes, port);
        return true;
    }
    return set_v6(address, host, port);
}

void xro_addresses_interleave(struct xro_addresses *addresses, bool prefer_v4)
{
    struct xro_addresses sorted = { .left_out = addresses->left_out };
    int first = addresses->count == 0 ? AF_UNSPEC : addresses->items[0].as.any.sa_family, turn = prefer_v4 ? AF_INET : first;
    bool taken[XRO_ADDRESSES_MAX] = { false };

    while (sorted.count < addresses->count) {
        size_t i = 0;
        while (i < addresses->count && (taken[i] || addresses->items[i].as.any.sa_family != turn))
            i++;
        if (i < addresses->count) {
            taken[i] = true;
            sorted.items[sorted.count++] = addresses->items[i];
        }
        turn = turn == AF_INET ? AF_INET6 : AF_INET;
    }
    *addresses = sorted;
}
