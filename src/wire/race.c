/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/race.h"

void xro_race_begin(struct xro_race *race, const struct xro_addresses *addresses, xro_ns now)
{
    race->addresses = *addresses;
    race->started = race->running = 0;
    race->next = now;
    for (size_t i = 0; i < addresses->count; i++)
        race->lanes[i] = (struct xro_lane){ .outcome = XRO_OUTCOME_UNTRIED };
}

int xro_race_due(const struct xro_race *race, xro_ns now)
{
    return race->started < race->addresses.count && now >= race->next ? (int)race->started : -1;
}

void xro_race_started(struct xro_race *race, xro_ns now)
{
    race->lanes[race->started++] = (struct xro_lane){ .outcome = XRO_OUTCOME_PENDING, .begin = now };
    race->running++;
    race->next = xro_ns_add(now, XRO_RACE_HEAD_START);
}

xro_ns xro_race_wake(const struct xro_race *race)
{
    return race->started < race->addresses.count ? race->next : XRO_NEVER;
}

static void end_lane(struct xro_race *race, size_t lane, enum xro_outcome outcome, int system, xro_ns now)
{
    race->lanes[lane].outcome = outcome;
    race->lanes[lane].system = system;
    race->lanes[lane].end = now;
    race->running--;
}

static void end_running(struct xro_race *race, enum xro_outcome outcome, xro_ns now)
{
    for (size_t i = 0; i < race->started; i++)
        if (race->lanes[i].outcome == XRO_OUTCOME_PENDING)
            end_lane(race, i, outcome, 0, now);
}

void xro_race_failed(struct xro_race *race, size_t lane, int system, xro_ns now)
{
    end_lane(race, lane, XRO_OUTCOME_FAILED, system, now);
    race->next = now;
}

void xro_race_won(struct xro_race *race, size_t lane, xro_ns now)
{
    end_lane(race, lane, XRO_OUTCOME_CONNECTED, 0, now);
    end_running(race, XRO_OUTCOME_ABANDONED, now);
}

void xro_race_expired(struct xro_race *race, xro_ns now)
{
    end_running(race, XRO_OUTCOME_TIMED_OUT, now);
}

bool xro_race_lost(const struct xro_race *race)
{
    return race->started == race->addresses.count && race->running == 0;
}

void xro_race_record(const struct xro_race *race, struct xro_op *op)
{
    for (size_t i = 0; i < race->addresses.count; i++, op->try_count++) {
        const struct xro_lane *lane = &race->lanes[i];
        struct xro_try *try;

        if (op->try_count >= op->try_room)
            continue;
        try = &op->tries[op->try_count];
        *try = (struct xro_try){ .outcome = lane->outcome, .system = lane->system, .hop = op->now_hop };
        if (lane->outcome != XRO_OUTCOME_UNTRIED) {
            try->begin = lane->begin - op->begin;
            try->spent = lane->end - lane->begin;
        }
        xro_address_format(&race->addresses.items[i], try->address, sizeof try->address);
    }
}
