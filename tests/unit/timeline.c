/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * timeline.c - every nanosecond of an op is booked once: hops, phases and spans, also when there is no room for more. */
#include "base/random.h"
#include "record/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { HOPS = 3, SPANS = 8 };

struct room {
    struct xro_op op;
    struct xro_hop hops[HOPS];
    struct xro_span spans[SPANS];
};

/* An op with little room, full of rubbish from an earlier use. */
static struct xro_op *fresh(struct room *room)
{
    memset(room, 0xa5, sizeof *room);
    room->op.hops = room->hops;
    room->op.spans = room->spans;
    room->op.waits = NULL;
    room->op.tries = NULL;
    room->op.hop_room = HOPS;
    room->op.span_room = SPANS;
    room->op.wait_room = room->op.try_room = 0;
    return &room->op;
}

static void phases_get_their_time(void **state)
{
    struct room room;
    struct xro_op *op = fresh(&room);

    (void)state;
    xro_timeline_begin(op, XRO_OP_STAT, 1000);
    assert_int_equal(xro_timeline_hop(op, "one", 1094, 1003), 0);
    xro_timeline_enter(op, XRO_PHASE_RESOLVE, 1010);
    xro_timeline_enter(op, XRO_PHASE_CONNECT, 1100);
    xro_timeline_enter(op, XRO_PHASE_CONNECT, 1200);    /* no news */
    xro_timeline_enter(op, XRO_PHASE_LOGIN, 3100);
    assert_int_equal(xro_timeline_hop(op, "two", 2000, 3107), 1);
    xro_timeline_enter(op, XRO_PHASE_REQUEST, 3110);
    assert_false(op->done);
    xro_timeline_end(op, 3200);
    assert_true(op->done);
    assert_true(op->total == 2200 && xro_op_sum(op) == 2200);
    assert_true(op->hops[0].phase[XRO_PHASE_OTHER] == 10);      /* what passed before the first hop is its own */
    assert_true(op->hops[0].phase[XRO_PHASE_RESOLVE] == 90);
    assert_true(op->hops[0].phase[XRO_PHASE_CONNECT] == 2000);
    assert_true(op->hops[0].phase[XRO_PHASE_LOGIN] == 7);
    assert_true(op->hops[1].phase[XRO_PHASE_OTHER] == 3);
    assert_true(op->hops[1].phase[XRO_PHASE_REQUEST] == 90);
    assert_true(xro_op_phase(op, XRO_PHASE_OTHER) == 13);
    assert_true(xro_op_phase(op, XRO_PHASE_WAIT) == 0);
}

static void a_begun_op_is_empty(void **state)
{
    struct room room;
    struct xro_op *op = fresh(&room);

    (void)state;
    xro_timeline_begin(op, XRO_OP_READ, 5);
    assert_int_equal(op->kind, XRO_OP_READ);
    assert_int_equal(op->error.status, XRO_OK);
    assert_int_equal(op->error.hop, -1);
    assert_int_equal(op->error.system | op->error.resolver | op->error.server, 0);
    assert_null(op->error.detail);
    assert_string_equal(op->error.text, "");
    assert_true(op->begin == 5 && op->total == 0 && op->bytes == 0 && op->size == -1 && op->gap == 0 && op->gap_begin == 0);
    assert_int_equal(op->hop_count + op->span_count + op->wait_count + op->try_count + op->piece_count, 0);
    assert_int_equal(op->stray_count + op->message_count, 0);
    xro_timeline_hop(op, "host", 1, 6);
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        assert_true(op->hops[0].phase[phase] == 0);
    assert_string_equal(op->hops[0].host, "host");
    assert_string_equal(op->hops[0].address, "");
    assert_int_equal(op->hops[0].ending, XRO_ENDING_UNDER_WAY);
    assert_int_equal(op->hops[0].same_as, XRO_NO_HOP);
    assert_false(op->hops[0].reused || op->hops[0].pipelined);
    assert_true(op->hops[0].version == 0 && op->hops[0].flags == 0 && op->hops[0].wait_count == 0
                && op->hops[0].wait_asked_s == 0 && op->hops[0].server_code == 0 && op->hops[0].system == 0);
}

static void spans_lie_end_to_end(void **state)
{
    static const struct { xro_ns begin; uint16_t hop; enum xro_phase phase; } expected[] = {
        { 0, 0, XRO_PHASE_OTHER }, { 10, 0, XRO_PHASE_RESOLVE }, { 30, 1, XRO_PHASE_OTHER }, { 40, 1, XRO_PHASE_REQUEST },
    };
    struct room room;
    struct xro_op *op = fresh(&room);

    (void)state;
    xro_timeline_begin(op, XRO_OP_OPEN, 100);
    xro_timeline_hop(op, "a", 1, 105);
    xro_timeline_enter(op, XRO_PHASE_RESOLVE, 110);
    xro_timeline_hop(op, "b", 1, 130);
    xro_timeline_enter(op, XRO_PHASE_REQUEST, 140);
    xro_timeline_end(op, 150);
    assert_int_equal(op->span_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(op->spans[i].begin == expected[i].begin);
        assert_int_equal(op->spans[i].hop, expected[i].hop);
        assert_int_equal(op->spans[i].phase, expected[i].phase);
    }
}

/* What a reader of the record would compute from the spans alone. */
static xro_ns sum_of_spans(const struct xro_op *op, uint16_t hop, unsigned phase)
{
    xro_ns sum = 0;

    for (uint32_t i = 0; i < op->span_count; i++)
        if (op->spans[i].hop == hop && op->spans[i].phase == phase)
            sum += (i + 1 < op->span_count ? op->spans[i + 1].begin : op->total) - op->spans[i].begin;
    return sum;
}

/* Random walks: nothing is lost, also past all rooms; and where there was room, spans and phases say the same. */
static void nothing_is_lost(void **state)
{
    struct xro_random random = { 3 };

    (void)state;
    for (unsigned round = 0; round < 500; round++) {
        struct room room;
        struct xro_op *op = fresh(&room);
        unsigned steps = (unsigned)xro_random_below(&random, 20);
        xro_ns now = xro_random_below(&random, 1000), hops = 1;
        xro_timeline_begin(op, XRO_OP_OPEN, now);
        xro_timeline_hop(op, "host", 1, now += xro_random_below(&random, 3));
        for (unsigned i = 0; i < steps; i++) {
            now += xro_random_below(&random, 100);
            if (xro_random_below(&random, 4) == 0) {
                uint16_t hop = xro_timeline_hop(op, "host", 1, now);
                assert_int_equal(hop, hops < HOPS ? hops : HOPS - 1);
                hops++;
            } else {
                xro_timeline_enter(op, (enum xro_phase)xro_random_below(&random, XRO_PHASE_COUNT), now);
            }
        }
        xro_timeline_end(op, now += xro_random_below(&random, 100));
        assert_true(op->total == now - op->begin);
        assert_true(xro_op_sum(op) == op->total);
        assert_true(op->hop_count == (hops < HOPS ? hops : HOPS));
        if (op->span_count > SPANS)
            continue;
        for (uint16_t hop = 0; hop < op->hop_count; hop++)
            for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
                assert_true(sum_of_spans(op, hop, phase) == op->hops[hop].phase[phase]);
    }
}

static void the_last_hop_takes_what_has_no_room(void **state)
{
    struct room room;
    struct xro_op *op = fresh(&room);
    char host[2 * XRO_HOST_SIZE];

    (void)state;
    memset(host, 'h', sizeof host - 1);
    host[sizeof host - 1] = '\0';
    xro_timeline_begin(op, XRO_OP_OPEN, 0);
    for (xro_ns at = 10; at <= 50; at += 10)
        xro_timeline_hop(op, host, 7, at);
    xro_timeline_end(op, 60);
    assert_int_equal(op->hop_count, HOPS);
    assert_true(op->hops[0].phase[XRO_PHASE_OTHER] == 20 && op->hops[1].phase[XRO_PHASE_OTHER] == 10);
    assert_true(op->hops[2].phase[XRO_PHASE_OTHER] == 30);
    assert_int_equal(strlen(op->hops[2].host), XRO_HOST_SIZE - 1);      /* cut, not overrun */
    assert_int_equal(op->hops[2].port, 7);
}

static void names(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++) {
        assert_int_equal(xro_phase_from_name(xro_phase_name((enum xro_phase)phase)), phase);
        assert_true(strlen(xro_phase_text((enum xro_phase)phase)) > 0);
    }
    assert_int_equal(xro_phase_from_name("open"), XRO_PHASE_COUNT);
    assert_string_equal(xro_phase_name(XRO_PHASE_COUNT), "unknown");
    assert_string_equal(xro_phase_name(XRO_PHASE_WAIT), "wait");
    for (unsigned op = 0; op < XRO_OP_KINDS; op++)
        assert_int_equal(xro_op_from_name(xro_op_name((enum xro_op_kind)op)), op);
    assert_int_equal(xro_op_from_name("write"), XRO_OP_KINDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_get_their_time), cmocka_unit_test(a_begun_op_is_empty), cmocka_unit_test(spans_lie_end_to_end),
        cmocka_unit_test(nothing_is_lost), cmocka_unit_test(the_last_hop_takes_what_has_no_room), cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
