/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * address.h - a socket address: family, bytes, port. */
#ifndef XRO_WIRE_ADDRESS_H
#define XRO_WIRE_ADDRESS_H

#include "record/sample.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { XRO_ADDRESSES_MAX = 32 };        /* of one name; what a look-up gives beyond is left out */

struct xro_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } as;
    socklen_t length;
};

struct xro_addresses {
    struct xro_address items[XRO_ADDRESSES_MAX];
    size_t count;
    size_t left_out;            /* addresses of the name that did not fit */
};

/* "1.2.3.4:1094" or "[fe80::1%2]:1094", cut at SIZE. Returns TO. */
char *xro_address_format(const struct xro_address *address, char *to, size_t size);

/* HOST as an address, when it is a literal. "::1.2.3.4" and "::ffff:1.2.3.4" become IPv4: that is how xrootd writes IPv4
 * addresses in the answer to kXR_locate and in some redirects. */
bool xro_address_from_literal(const char *host, uint16_t port, struct xro_address *address);

/* Put the families in turns, the first one's first address first (RFC 8305, 4), v4 before v6 when PREFER_V4. */
void xro_addresses_interleave(struct xro_addresses *addresses, bool prefer_v4);

#endif
