/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * race.h - which of a name's addresses to try when, as RFC 8305 says: in turns of the families, each 250 ms after the one
 * before, or at once when that one has failed; the first to connect wins. No sockets and no clock: the driver says what
 * happened and asks what to do. */
#ifndef XRO_WIRE_RACE_H
#define XRO_WIRE_RACE_H

#include "wire/address.h"

/* RFC 8305, 5: recommended Connection Attempt Delay */
#define XRO_RACE_HEAD_START (250 * XRO_NS_PER_MS)

struct xro_lane {               /* one address */
    enum xro_outcome outcome;   /* PENDING: under way; UNTRIED: not yet */
    int system;                 /* errno of FAILED */
    xro_ns begin, end;
};

struct xro_race {
    struct xro_addresses addresses;
    struct xro_lane lanes[XRO_ADDRESSES_MAX];
    size_t started;             /* lanes begun, in order */
    size_t running;             /* of them, under way */
    xro_ns next;                /* when the next lane may begin */
};

void xro_race_begin(struct xro_race *race, const struct xro_addresses *addresses, xro_ns now);

/* The lane to begin now, or -1: none. The driver calls xro_race_started for it. */
int xro_race_due(const struct xro_race *race, xro_ns now);
void xro_race_started(struct xro_race *race, xro_ns now);

/* When xro_race_due has to be asked again, XRO_NEVER when no lane is left to begin. */
xro_ns xro_race_wake(const struct xro_race *race);

/* Lane failed with ERRNO; the next one may begin at once. */
void xro_race_failed(struct xro_race *race, size_t lane, int system, xro_ns now);

/* Lane connected: those still under way are abandoned. */
void xro_race_won(struct xro_race *race, size_t lane, xro_ns now);

/* The time is up: those still under way have timed out. */
void xro_race_expired(struct xro_race *race, xro_ns now);

/* True when every lane has failed. */
bool xro_race_lost(const struct xro_race *race);

/* Write what was tried to OP. */
void xro_race_record(const struct xro_race *race, struct xro_op *op);

#endif
