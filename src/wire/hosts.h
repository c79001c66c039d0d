/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * hosts.h - addresses that the user gives for names (--resolve), in place of a look-up. */
#ifndef XRO_WIRE_HOSTS_H
#define XRO_WIRE_HOSTS_H

#include "wire/address.h"

/* TABLE is "NAME=ADDRESS,ADDRESS;NAME=..."; NULL is an empty one. NULL when it is good, else what is wrong with it. */
const char *xro_hosts_check(const char *table);

/* HOST's addresses by TABLE, those of FAMILY alone unless it is AF_UNSPEC; false when the table does not name it. */
bool xro_hosts_find(const char *table, const char *host, uint16_t port, int family, struct xro_addresses *addresses);

#endif
