/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * resolve.h - name look-up that ends at its deadline. getaddrinfo() cannot be stopped, so it runs in a thread of its own,
 * which is left behind when the time is up; an address written out in digits needs neither. */
#ifndef XRO_WIRE_RESOLVE_H
#define XRO_WIRE_RESOLVE_H

#include "wire/address.h"

#include <netdb.h>

/* The answer when the deadline came first; no EAI_ code has this value. */
enum { XRO_RESOLVE_TIMEOUT = 1000000 };

struct xro_resolver;            /* a look-up under way */

/* What looks up: getaddrinfo(), or what stands for it in a test. */
typedef int xro_look_up_fn(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found);

/* Begin to look up HOST for PORT, in FAMILY (AF_UNSPEC, AF_INET, AF_INET6). NULL when memory or threads are short. */
struct xro_resolver *xro_resolve_begin(const char *host, uint16_t port, int family);

/* The same by LOOK_UP, whose results are freed with freeaddrinfo(). */
struct xro_resolver *xro_resolve_begin_by(xro_look_up_fn *look_up, const char *host, uint16_t port, int family);

/* Wait until it is done or UNTIL has come. 0: ADDRESSES are there (at least one); XRO_RESOLVE_TIMEOUT: call again, or
 * leave it; else the EAI_ code. */
int xro_resolve_wait(struct xro_resolver *resolver, xro_ns until, struct xro_addresses *addresses);

/* Done with it, or leaving it: its memory goes when its thread, too, is done. NULL is allowed. */
void xro_resolve_leave(struct xro_resolver *resolver);

#endif
