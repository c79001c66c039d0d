/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * dial.h - the sockets of a race for a connection. */
#ifndef XRO_WIRE_DIAL_H
#define XRO_WIRE_DIAL_H

#include "wire/race.h"

struct xro_dial {
    struct xro_race race;
    int fds[XRO_ADDRESSES_MAX]; /* of the lanes under way, -1 elsewhere */
};

void xro_dial_begin(struct xro_dial *dial, const struct xro_addresses *addresses);

/* Go on until a lane connects, all have failed, or UNTIL has come. The socket of the lane that connected, non-blocking
 * still, and *LANE; -1 with *SYSTEM 0 when it is UNTIL that came, else the last lane's errno. */
int xro_dial_wait(struct xro_dial *dial, xro_ns until, size_t *lane, int *system);

/* Close the sockets of the lanes that did not win. */
void xro_dial_end(struct xro_dial *dial);

/* A connected socket becomes one that blocks, as the driver wants it on the hot path, or one that does not. */
void xro_dial_block(int fd, bool blocks);

/* How long a recv on such a socket blocks before it comes back empty-handed. */
#define XRO_DIAL_RECV_SLICE (50 * XRO_NS_PER_MS)

#endif
