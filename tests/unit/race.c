/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * race.c - which address is tried when (RFC 8305), driven by a clock that the test turns, and what the record says of it. */
#include "wire/race.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { START = 1000, TRIES = 4 };

static void begin(struct xro_race *race, unsigned lanes)
{
    struct xro_addresses addresses = { .count = lanes };

    for (unsigned i = 0; i < lanes; i++) {
        char host[32];
        snprintf(host, sizeof host, i % 2 ? "10.0.0.%u" : "2001:db8::%u", i + 1);
        assert_true(xro_address_from_literal(host, 1094, &addresses.items[i]));
    }
    memset(race, 0xa5, sizeof *race);
    xro_race_begin(race, &addresses, START);
}

/* Begin all lanes that are due at NOW; how many. */
static unsigned run(struct xro_race *race, xro_ns now)
{
    unsigned count = 0;

    for (int lane; (lane = xro_race_due(race, now)) >= 0; count++) {
        assert_int_equal(lane, race->started);
        xro_race_started(race, now);
    }
    return count;
}

static void head_starts(void **state)
{
    struct xro_race race;

    (void)state;
    begin(&race, 3);
    assert_int_equal(run(&race, START), 1);
    assert_true(xro_race_wake(&race) == START + XRO_RACE_HEAD_START);
    assert_int_equal(run(&race, START + XRO_RACE_HEAD_START - 1), 0);
    assert_int_equal(run(&race, START + XRO_RACE_HEAD_START), 1);
    assert_true(xro_race_wake(&race) == START + 2 * XRO_RACE_HEAD_START);
    assert_int_equal(run(&race, START + 3 * XRO_RACE_HEAD_START), 1);
    assert_true(xro_race_wake(&race) == XRO_NEVER);
    assert_int_equal(race.running, 3);
    assert_false(xro_race_lost(&race));
}

static void a_failure_calls_the_next_at_once(void **state)
{
    struct xro_race race;

    (void)state;
    begin(&race, 3);
    run(&race, START);
    xro_race_failed(&race, 0, ECONNREFUSED, START + 5);
    assert_false(xro_race_lost(&race));
    assert_true(xro_race_wake(&race) == START + 5);
    assert_int_equal(run(&race, START + 5), 1);
    xro_race_failed(&race, 1, ENETUNREACH, START + 9);
    assert_int_equal(run(&race, START + 9), 1);
    assert_false(xro_race_lost(&race));
    xro_race_failed(&race, 2, EHOSTUNREACH, START + 10);
    assert_true(xro_race_lost(&race));
    assert_int_equal(xro_race_due(&race, XRO_NEVER), -1);
    assert_int_equal(race.lanes[1].system, ENETUNREACH);
}

/* A lane that is overtaken and fails does not hold up the one after. */
static void an_old_lane_may_fail_late(void **state)
{
    struct xro_race race;

    (void)state;
    begin(&race, 3);
    run(&race, START);
    run(&race, START + XRO_RACE_HEAD_START);
    xro_race_failed(&race, 0, ETIMEDOUT, START + XRO_RACE_HEAD_START + 7);
    assert_int_equal(run(&race, START + XRO_RACE_HEAD_START + 7), 1);
    xro_race_won(&race, 1, START + XRO_RACE_HEAD_START + 20);
    assert_int_equal(race.lanes[0].outcome, XRO_OUTCOME_FAILED);
    assert_int_equal(race.lanes[1].outcome, XRO_OUTCOME_CONNECTED);
    assert_int_equal(race.lanes[2].outcome, XRO_OUTCOME_ABANDONED);
    assert_int_equal(race.running, 0);
}

static void no_address_is_lost_at_once(void **state)
{
    struct xro_race race;

    (void)state;
    begin(&race, 0);
    assert_int_equal(xro_race_due(&race, XRO_NEVER), -1);
    assert_true(xro_race_lost(&race));
    assert_true(xro_race_wake(&race) == XRO_NEVER);
}

struct room {
    struct xro_op op;
    struct xro_try tries[TRIES];
};

static void make_room(struct room *room)
{
    memset(room, 0, sizeof *room);
    room->op.begin = START - 100;
    room->op.tries = room->tries;
    room->op.try_room = TRIES;
    room->op.now_hop = 2;
}

static void the_record_of_a_win(void **state)
{
    static const struct { const char *address; enum xro_outcome outcome; int system; xro_ns begin, spent; } expected[] = {
        { "[2001:db8::1]:1094", XRO_OUTCOME_FAILED, ECONNREFUSED, 100, 50 },
        { "10.0.0.2:1094", XRO_OUTCOME_ABANDONED, 0, 150, XRO_RACE_HEAD_START + 30 },
        { "[2001:db8::3]:1094", XRO_OUTCOME_CONNECTED, 0, 150 + XRO_RACE_HEAD_START, 30 },
        { "10.0.0.4:1094", XRO_OUTCOME_UNTRIED, 0, 0, 0 },
    };
    struct xro_race race;
    struct room room;

    (void)state;
    make_room(&room);
    begin(&race, 4);
    run(&race, START);
    xro_race_failed(&race, 0, ECONNREFUSED, START + 50);
    run(&race, START + 50);
    run(&race, START + 50 + XRO_RACE_HEAD_START);
    xro_race_won(&race, 2, START + 80 + XRO_RACE_HEAD_START);
    xro_race_record(&race, &room.op);
    assert_int_equal(room.op.try_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct xro_try *try = &room.tries[i];
        assert_string_equal(try->address, expected[i].address);
        assert_int_equal(try->outcome, expected[i].outcome);
        assert_int_equal(try->system, expected[i].system);
        assert_true(try->begin == expected[i].begin);
        assert_true(try->spent == expected[i].spent);
        assert_int_equal(try->hop, 2);
    }
}

static void the_record_of_an_expiry(void **state)
{
    struct xro_race race;
    struct room room;

    (void)state;
    make_room(&room);
    begin(&race, 3);
    run(&race, START);
    run(&race, START + XRO_RACE_HEAD_START);
    xro_race_expired(&race, START + 300 * XRO_NS_PER_MS);
    xro_race_record(&race, &room.op);
    assert_int_equal(room.tries[0].outcome, XRO_OUTCOME_TIMED_OUT);
    assert_true(room.tries[0].spent == 300 * XRO_NS_PER_MS);
    assert_int_equal(room.tries[1].outcome, XRO_OUTCOME_TIMED_OUT);
    assert_true(room.tries[1].spent == 50 * XRO_NS_PER_MS);
    assert_int_equal(room.tries[2].outcome, XRO_OUTCOME_UNTRIED);
}

/* More than there is room for: counted, not written. */
static void the_record_is_bounded(void **state)
{
    struct xro_race race;
    struct room room;

    (void)state;
    make_room(&room);
    for (unsigned i = 0; i < 3; i++) {
        begin(&race, 3);
        run(&race, START);
        xro_race_won(&race, 0, START + 1);
        xro_race_record(&race, &room.op);
    }
    assert_int_equal(room.op.try_count, 9);
    assert_string_equal(room.tries[TRIES - 1].address, "[2001:db8::1]:1094");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_starts), cmocka_unit_test(a_failure_calls_the_next_at_once),
        cmocka_unit_test(an_old_lane_may_fail_late), cmocka_unit_test(no_address_is_lost_at_once),
        cmocka_unit_test(the_record_of_a_win), cmocka_unit_test(the_record_of_an_expiry),
        cmocka_unit_test(the_record_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
