/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client.c - the client's state machine, op by op: each state's phase gets exactly the time that passed in it; data,
 * pieces, waits, deferred answers, messages. Ways from server to server are in client_route.c, limits and broken servers
 * in client_limits.c. */
#include "client_bench.h"

#include <errno.h>

/* --- phases --------------------------------------------------------------------------------------------------------- */

static void each_state_has_its_phase(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_OPEN);
    assert_state(bench, XRO_CALL_RESOLVE);
    pass(bench, 11);
    resolved(bench);
    assert_state(bench, XRO_CALL_CONNECT);
    pass(bench, 22);
    connected(bench);
    assert_state(bench, XRO_CALL_HANDSHAKE);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    assert_int_equal(output_length(bench), 0);          /* nothing but these two, in one write */
    pass(bench, 33);
    answer_handshake(bench);
    assert_state(bench, XRO_CALL_PROTOCOL);
    pass(bench, 44);
    answer_protocol(bench, XRO_KXR_ISSERVER);
    assert_state(bench, XRO_CALL_LOGIN);
    take_path(bench, XRO_KXR_LOGIN, "?xrd.appname=xrdopen");
    pass(bench, 55);
    answer_login(bench);
    assert_state(bench, XRO_CALL_REQUEST);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    pass(bench, 66);
    feed(bench, "", 1);                                 /* the stream id's first byte, which is 0 */
    assert_state(bench, XRO_CALL_REQUEST);
    pass(bench, 7);
    feed(bench, (const uint8_t[]){ (uint8_t)bench->stream, 0, 0, 0, 0, 0, 4 }, 7);
    assert_state(bench, XRO_CALL_TRANSFER);
    pass(bench, 8);
    feed(bench, "abcd", 4);
    assert_ended(bench, XRO_OK);
    assert_phase(bench, XRO_PHASE_RESOLVE, 11);
    assert_phase(bench, XRO_PHASE_CONNECT, 22);
    assert_phase(bench, XRO_PHASE_HANDSHAKE, 77);
    assert_phase(bench, XRO_PHASE_LOGIN, 55);
    assert_phase(bench, XRO_PHASE_REQUEST, 66);
    assert_phase(bench, XRO_PHASE_TRANSFER, 15);
    assert_phase(bench, XRO_PHASE_OTHER, 0);
    assert_true(bench->op->total == 246);
    bench_free(bench);
}

/* With a clock that moves at each look the sum still is the total: no time between two looks is lost. */
static void a_ticking_clock_loses_nothing(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    bench->tick = 13;
    open_well(bench);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    answer(bench, XRO_KXR_OKSOFAR, "01234", 5);
    answer(bench, XRO_KXR_OK, "56789", 5);
    assert_ended(bench, XRO_OK);
    begin(bench, XRO_OP_CLOSE);
    take(bench, XRO_KXR_CLOSE);
    answer(bench, XRO_KXR_OK, "", 0);
    assert_ended(bench, XRO_OK);
    bench_free(bench);
}

static void what_the_start_says_of_the_client(void **state)
{
    struct bench *bench = bench_create(bench_new());
    struct xro_in in;

    (void)state;
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    assert_int_equal(bench->stream, XRO_STREAM_PROTOCOL);
    assert_memory_equal(bench->request.body, ((const uint8_t[]){ 0, 0, 5, 0x11, 1, 3 }), 6);    /* secreqs, not ableTLS */
    answer_handshake(bench);
    answer_protocol(bench, 0x00300001);
    take(bench, XRO_KXR_LOGIN);
    assert_int_equal(bench->stream, XRO_STREAM_LOGIN);
    in = xro_in(bench->request.body, 16);
    assert_int_equal(xro_in_u32(&in), 4711);
    assert_memory_equal(xro_in_take(&in, 8), "alice\0\0\0", 8);
    assert_int_equal(xro_in_u8(&in), 0);
    assert_int_equal(xro_in_u8(&in), XRO_KXR_FULLURL | XRO_KXR_HASIPV64 | XRO_KXR_REDIRFLAGS);
    assert_int_equal(xro_in_u8(&in), 0x85);
    answer_login(bench);
    take(bench, XRO_KXR_OPEN);
    assert_true(bench->stream >= XRO_STREAM_FIRST_REQUEST);
    assert_int_equal(xro_request_open_options(&bench->request), XRO_KXR_OPEN_READ | XRO_KXR_RETSTAT);
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->size == 20);
    assert_true(bench->op->hops[0].flags == 0x00300001 && bench->op->hops[0].version == 0x511);
    assert_string_equal(bench->op->hops[0].host, "first");
    assert_int_equal(bench->op->hops[0].port, 1094);
    assert_string_equal(bench->op->hops[0].address, "10.0.0.1:1094");
    assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_ANSWERED);
    assert_false(bench->op->hops[0].reused || bench->op->hops[0].pipelined);
    bench_free(bench);
}

/* --- ops ------------------------------------------------------------------------------------------------------------ */

/* The sequence of 2005: after the first open all goes over the same session. */
static void the_sequence(void **state)
{
    struct bench *bench = bench_create(bench_new());
    uint16_t streams[4];

    (void)state;
    open_well(bench);
    streams[0] = bench->stream;
    begin(bench, XRO_OP_CLOSE);
    assert_state(bench, XRO_CALL_REQUEST);
    take_path(bench, XRO_KXR_CLOSE, "");
    streams[1] = bench->stream;
    assert_memory_equal(bench->request.body, "HNDL", 4);
    pass(bench, 10);
    answer(bench, XRO_KXR_OK, "", 0);
    assert_ended(bench, XRO_OK);
    assert_phase(bench, XRO_PHASE_REQUEST, 10);
    begin(bench, XRO_OP_OPEN);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    streams[2] = bench->stream;
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->hops[0].reused);
    assert_true(bench->op->hops[0].version == 0x511);
    assert_string_equal(bench->op->hops[0].address, "10.0.0.1:1094");
    begin(bench, XRO_OP_READ);
    take_path(bench, XRO_KXR_READ, "");
    streams[3] = bench->stream;
    assert_memory_equal(bench->request.body, "HNDL\0\0\0\0\0\0\0\0\0\0\0\x0a", 16);
    answer(bench, XRO_KXR_OK, "0123456789", 10);
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->bytes == 10);
    assert_int_equal(bench->op->piece_count, 1);
    assert_memory_equal(bench->data, "0123456789##", 12);
    for (size_t i = 1; i < 4; i++)
        assert_int_not_equal(streams[i], streams[i - 1]);
    bench_free(bench);
}

static void stat_and_ping(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_STAT);
    arrive(bench, XRO_KXR_ISSERVER);
    take_path(bench, XRO_KXR_STAT, "/data/file");
    answer(bench, XRO_KXR_OK, "1 77 16 1700000000\0", 20);
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->size == 77);
    begin(bench, XRO_OP_STAT);
    take(bench, XRO_KXR_STAT);
    answer(bench, XRO_KXR_OKSOFAR, "1 7", 3);           /* a text in pieces */
    answer(bench, XRO_KXR_OKSOFAR, "8 16 17", 7);
    answer(bench, XRO_KXR_OK, "0\0", 2);
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->size == 78);
    begin(bench, XRO_OP_PING);
    take_path(bench, XRO_KXR_PING, "");
    answer(bench, XRO_KXR_OK, "", 0);
    assert_ended(bench, XRO_OK);
    begin(bench, XRO_OP_STAT);
    take(bench, XRO_KXR_STAT);
    answer(bench, XRO_KXR_OK, "rubbish", 7);
    assert_ended(bench, XRO_PROTOCOL);
    bench_free(bench);
}

/* A handle of 4 bytes is all that an open has to give; what else there is may be missing or wrong. */
static void open_answers(void **state)
{
    static const struct { const char *body; size_t length; enum xro_status status; int64_t size; } cases[] = {
        { "HNDL", 4, XRO_OK, -1 },
        { "HNDL\0\0\0\0\0\0\0", 11, XRO_OK, -1 },
        { "HNDL\0\0\0\0\0\0\0\0", 12, XRO_OK, -1 },
        { "HNDL\0\0\0\0\0\0\0\0" "1 -5 16 17", 22, XRO_OK, -1 },
        { "HNDL\0\0\0\0\0\0\0\0" "1 5 16 17", 21, XRO_OK, 5 },
        { "HND", 3, XRO_PROTOCOL, -1 },
        { "", 0, XRO_PROTOCOL, -1 },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = bench_create(bench_new());
        begin(bench, XRO_OP_OPEN);
        arrive(bench, XRO_KXR_ISSERVER);
        take(bench, XRO_KXR_OPEN);
        answer(bench, XRO_KXR_OK, cases[i].body, cases[i].length);
        assert_ended(bench, cases[i].status);
        assert_true(bench->op->size == cases[i].size);
        begin(bench, XRO_OP_CLOSE);
        if (cases[i].status == XRO_OK)
            take(bench, XRO_KXR_CLOSE);
        else
            assert_ended(bench, XRO_CLOSED);
        bench_free(bench);
    }
}

static void nothing_is_open(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_READ);
    assert_ended(bench, XRO_CLOSED);
    begin(bench, XRO_OP_CLOSE);
    assert_ended(bench, XRO_CLOSED);
    open_well(bench);
    begin(bench, XRO_OP_CLOSE);
    take(bench, XRO_KXR_CLOSE);
    answer_error(bench, XRO_KXR_IOERROR, "no");         /* after any final answer the handle is gone */
    assert_ended(bench, XRO_SERVER);
    begin(bench, XRO_OP_OPEN);                          /* but the session is in order */
    assert_state(bench, XRO_CALL_REQUEST);
    take(bench, XRO_KXR_OPEN);
    answer_error(bench, XRO_KXR_NOTFOUND, "no");
    begin(bench, XRO_OP_READ);
    assert_ended(bench, XRO_CLOSED);
    bench_free(bench);
}

/* --- data ----------------------------------------------------------------------------------------------------------- */

static void pieces_and_gaps(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    pass(bench, 100);
    answer(bench, XRO_KXR_OKSOFAR, "0123", 4);
    pass(bench, 300);
    answer(bench, XRO_KXR_OKSOFAR, "4", 1);
    pass(bench, 2000);
    answer(bench, XRO_KXR_OKSOFAR, "56789", 5);
    pass(bench, 5000);
    answer(bench, XRO_KXR_OK, "", 0);                   /* a server's usual end: no data, so no gap before it */
    assert_ended(bench, XRO_OK);
    assert_int_equal(bench->op->piece_count, 3);
    assert_true(bench->op->bytes == 10);
    assert_memory_equal(bench->data, "0123456789##", 12);
    assert_true(bench->op->gap == 2000 && bench->op->gap_begin == 400);
    assert_phase(bench, XRO_PHASE_REQUEST, 100);
    assert_phase(bench, XRO_PHASE_TRANSFER, 7300);
    bench_free(bench);
}

/* A pause in the middle of a piece is a gap, too. */
static void a_gap_inside_a_piece(void **state)
{
    struct bench *bench = bench_create(bench_new());
    uint8_t message[18];

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    put_message(message, bench->stream, XRO_KXR_OK, 10, "0123456789", 10);
    pass(bench, 50);
    feed(bench, message, 11);
    pass(bench, 28 * SECOND);
    feed(bench, message + 11, 7);
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->gap == 28 * SECOND && bench->op->gap_begin == 50);
    assert_phase(bench, XRO_PHASE_TRANSFER, 28 * SECOND);
    bench_free(bench);
}

/* A read of 10 bytes at OFFSET of a file of 20 bytes, answered with GOT bytes in an ok. */
static void short_and_long_reads(void **state)
{
    static const struct { uint64_t offset; uint32_t got; enum xro_status status; } cases[] = {
        { 0, 10, XRO_OK },   { 0, 9, XRO_SHORT }, { 0, 0, XRO_SHORT }, { 10, 10, XRO_OK },  { 11, 9, XRO_OK },
        { 11, 8, XRO_SHORT }, { 19, 1, XRO_OK },  { 19, 0, XRO_SHORT }, { 20, 0, XRO_OK },  { UINT64_MAX, 0, XRO_OK },
        { 0, 11, XRO_PROTOCOL }, { 20, 11, XRO_PROTOCOL }, { 20, 5, XRO_OK },
    };
    static const char data[] = "0123456789abcdef";

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = bench_create(bench_new());
        open_well(bench);
        begin_read(bench, cases[i].offset, 10);
        take(bench, XRO_KXR_READ);
        answer(bench, XRO_KXR_OK, data, cases[i].got);
        assert_ended(bench, cases[i].status);
        if (cases[i].status != XRO_PROTOCOL)
            assert_true(bench->op->bytes == cases[i].got);
        assert_int_equal(bench->data[10], '#');         /* never past what was asked for */
        bench_free(bench);
    }
}

static void pieces_that_are_too_much(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    answer(bench, XRO_KXR_OKSOFAR, "0123456", 7);
    answer(bench, XRO_KXR_OKSOFAR, "789x", 4);
    assert_ended(bench, XRO_PROTOCOL);
    assert_string_equal(bench->op->error.detail, "more data than was asked for");
    assert_int_equal(bench->data[10], '#');
    assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_BROKEN);
    bench_free(bench);
}

/* The size of a file is not known from an open without stat: then fewer bytes are no fault. */
static void unknown_size(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_OPEN);
    answer(bench, XRO_KXR_OK, "HNDL", 4);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    answer(bench, XRO_KXR_OK, "012", 3);
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->bytes == 3);
    bench_free(bench);
}

/* --- waits ---------------------------------------------------------------------------------------------------------- */

static void a_wait_is_obeyed(void **state)
{
    struct bench *bench = bench_create(bench_new());
    uint16_t first;

    (void)state;
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    first = bench->stream;
    pass(bench, 40);
    answer_coded(bench, XRO_KXR_WAIT, 5, "looking\x1b");
    assert_state(bench, XRO_CALL_WAIT);
    assert_wants(bench, XRO_WANT_TIME);
    assert_true(until_of(bench) == bench->now + 5 * SECOND);
    assert_int_equal(output_length(bench), 0);
    pass(bench, 5 * SECOND + 70);                       /* the driver oversleeps a little */
    xro_client_woke(&bench->client);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    assert_int_not_equal(bench->stream, first);
    pass(bench, 60);
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
    assert_phase(bench, XRO_PHASE_WAIT, 5 * SECOND + 70);
    assert_phase(bench, XRO_PHASE_REQUEST, 100);
    assert_int_equal(bench->op->wait_count, 1);
    assert_int_equal(bench->op->waits[0].asked_s, 5);
    assert_false(bench->op->waits[0].deferred);
    assert_true(bench->op->waits[0].begin == 40 && bench->op->waits[0].spent == 5 * SECOND + 70);
    assert_string_equal(bench->op->waits[0].text, "looking\\x1b");
    assert_true(bench->op->hops[0].wait_count == 1 && bench->op->hops[0].wait_asked_s == 5);
    bench_free(bench);
}

static void a_wait_of_nothing_is_a_short_one(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    for (unsigned i = 0; i < 100; i++) {
        take(bench, XRO_KXR_OPEN);
        answer_coded(bench, XRO_KXR_WAIT, 0, "");
        assert_true(until_of(bench) == bench->now + XRO_SHORTEST_WAIT);
        pass(bench, XRO_SHORTEST_WAIT);
        xro_client_woke(&bench->client);
    }
    take(bench, XRO_KXR_OPEN);
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    assert_int_equal(bench->op->wait_count, 100);       /* all counted, the first 64 kept */
    assert_int_equal(bench->op->hops[0].wait_count, 100);
    assert_phase(bench, XRO_PHASE_WAIT, 100 * XRO_SHORTEST_WAIT);
    bench_free(bench);
}

/* SECONDS ordered when LEFT ns are left of the time limit. */
static void waits_that_cannot_be_obeyed(void **state)
{
    static const struct { int32_t seconds; bool again; enum xro_status status; } cases[] = {
        { 30, false, XRO_OK },      /* ends with the limit: just possible */
        { 31, false, XRO_TIMEOUT }, { INT32_MAX, false, XRO_TIMEOUT }, { -1, false, XRO_PROTOCOL },
        { INT32_MIN, false, XRO_PROTOCOL }, { 30, true, XRO_STALLED }, { -1, true, XRO_PROTOCOL },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = bench_create(bench_new());
        begin(bench, XRO_OP_OPEN);
        arrive(bench, XRO_KXR_ISMANAGER);
        take(bench, XRO_KXR_OPEN);
        if (cases[i].again) {
            answer_coded(bench, XRO_KXR_WAIT, 1, "");
            pass(bench, SECOND);
            xro_client_woke(&bench->client);
            take(bench, XRO_KXR_OPEN);
        }
        answer_coded(bench, XRO_KXR_WAIT, cases[i].seconds, "busy");
        if (cases[i].status == XRO_OK) {
            assert_state(bench, XRO_CALL_WAIT);
            bench_free(bench);
            continue;
        }
        assert_ended(bench, cases[i].status);           /* at once */
        assert_int_equal(bench->op->waits[bench->op->wait_count - 1].asked_s, cases[i].seconds);
        if (cases[i].status != XRO_PROTOCOL) {
            assert_int_equal(bench->op->error.limit, XRO_LIMIT_TOTAL);
            assert_string_equal(bench->op->error.text, "busy");
            assert_int_equal(bench->op->error.phase, XRO_PHASE_WAIT);
        }
        bench_free(bench);
    }
}

static void login_may_have_to_wait(void **state)
{
    struct bench *bench = bench_new();

    (void)state;
    bench->config.connect_timeout = 10 * SECOND;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    answer_handshake(bench);
    answer_protocol(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_LOGIN);
    answer_coded(bench, XRO_KXR_WAIT, 3, "later");
    assert_wants(bench, XRO_WANT_TIME);
    pass(bench, 3 * SECOND);
    xro_client_woke(&bench->client);
    assert_state(bench, XRO_CALL_LOGIN);
    take_path(bench, XRO_KXR_LOGIN, "?xrd.appname=xrdopen");
    answer_coded(bench, XRO_KXR_WAIT, 8, "later");      /* beyond the limit for connecting */
    assert_ended(bench, XRO_STALLED);
    assert_int_equal(bench->op->error.limit, XRO_LIMIT_CONNECT);
    assert_phase(bench, XRO_PHASE_WAIT, 3 * SECOND);
    bench_free(bench);
}

/* A server that goes away in the pause it ordered: the pause is kept with the time that it had. */
static void broke_while_waiting(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    take(bench, XRO_KXR_OPEN);
    answer_coded(bench, XRO_KXR_WAIT, 5, "");
    pass(bench, 2 * SECOND);
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, ECONNRESET);
    assert_ended(bench, XRO_CLOSED);
    assert_phase(bench, XRO_PHASE_WAIT, 2 * SECOND);
    assert_true(bench->op->waits[0].spent == 2 * SECOND);
    assert_int_equal(bench->op->error.phase, XRO_PHASE_WAIT);
    bench_free(bench);
}

/* --- deferred answers ------------------------------------------------------------------------------------------------ */

static struct bench *deferred_open(void)
{
    struct bench *bench = bench_create(bench_new());

    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    take(bench, XRO_KXR_OPEN);
    pass(bench, 30);
    answer_coded(bench, XRO_KXR_WAITRESP, 600, "Job scheduled.");
    assert_state(bench, XRO_CALL_DEFER);
    assert_wants(bench, XRO_WANT_BYTES);
    pass(bench, 7 * SECOND);
    return bench;
}

static void check_deferral(const struct bench *bench)
{
    assert_phase(bench, XRO_PHASE_REQUEST, 30);
    assert_phase(bench, XRO_PHASE_DEFER, 7 * SECOND);
    assert_true(bench->op->waits[0].deferred);
    assert_int_equal(bench->op->waits[0].asked_s, 600);
    assert_true(bench->op->waits[0].begin == 30 && bench->op->waits[0].spent == 7 * SECOND);
    assert_string_equal(bench->op->waits[0].text, "Job scheduled.");
}

static void deferred_then_good(void **state)
{
    struct bench *bench = deferred_open();

    (void)state;
    answer_attn(bench, XRO_KXR_OK, "HNDL", 4);
    assert_ended(bench, XRO_OK);
    check_deferral(bench);
    assert_int_equal(bench->op->stray_count, 0);
    bench_free(bench);
}

static void deferred_then_plain(void **state)
{
    struct bench *bench = deferred_open();

    (void)state;
    answer(bench, XRO_KXR_OK, "HNDL", 4);
    assert_ended(bench, XRO_OK);
    check_deferral(bench);
    bench_free(bench);
}

static void deferred_then_error(void **state)
{
    struct bench *bench = deferred_open();

    (void)state;
    answer_attn(bench, XRO_KXR_ERROR, "\0\0\x0b\xc2" "not you\0", 12);
    assert_ended(bench, XRO_SERVER);
    assert_int_equal(bench->op->error.server, XRO_KXR_NOTAUTHORIZED);
    assert_string_equal(bench->op->error.text, "not you");
    check_deferral(bench);
    bench_free(bench);
}

/* "Repeat the open now": what a server says whose file has become ready. */
static void deferred_then_wait(void **state)
{
    struct bench *bench = deferred_open();

    (void)state;
    answer_attn(bench, XRO_KXR_WAIT, "\0\0\0\0", 4);
    assert_state(bench, XRO_CALL_WAIT);
    pass(bench, XRO_SHORTEST_WAIT);
    xro_client_woke(&bench->client);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    answer(bench, XRO_KXR_OK, "HNDL", 4);
    assert_ended(bench, XRO_OK);
    check_deferral(bench);
    assert_int_equal(bench->op->wait_count, 2);
    assert_true(bench->op->waits[1].spent == XRO_SHORTEST_WAIT);
    bench_free(bench);
}

static void deferred_then_redirect(void **state)
{
    struct bench *bench = deferred_open();

    (void)state;
    answer_attn(bench, XRO_KXR_REDIRECT, "\0\0\x04\x47" "other", 9);
    arrive(bench, XRO_KXR_ISSERVER);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    answer(bench, XRO_KXR_OK, "HNDL", 4);
    assert_ended(bench, XRO_OK);
    check_deferral(bench);
    assert_string_equal(bench->op->hops[1].host, "other");
    assert_int_equal(bench->op->hops[1].port, 1095);
    bench_free(bench);
}

static void deferred_again_inside(void **state)
{
    struct bench *bench = deferred_open();

    (void)state;
    answer_attn(bench, XRO_KXR_WAITRESP, "\0\0\0\x05", 4);
    assert_ended(bench, XRO_PROTOCOL);
    bench_free(bench);
}

static void deferred_read_in_pieces(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    answer_coded(bench, XRO_KXR_WAITRESP, 10, "");
    pass(bench, SECOND);
    answer_attn(bench, XRO_KXR_OKSOFAR, "0123", 4);
    pass(bench, SECOND);
    answer_attn(bench, XRO_KXR_OK, "456789", 6);
    assert_ended(bench, XRO_OK);
    assert_memory_equal(bench->data, "0123456789##", 12);
    assert_int_equal(bench->op->piece_count, 2);
    assert_int_equal(bench->op->stray_count, 0);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    answer_attn(bench, XRO_KXR_OKSOFAR, "0123456789", 10);
    answer_attn(bench, XRO_KXR_OK, "x", 1);
    assert_ended(bench, XRO_PROTOCOL);
    assert_int_equal(bench->data[10], '#');
    bench_free(bench);
}

/* --- what nobody asked for ------------------------------------------------------------------------------------------ */

static void messages_and_strays(void **state)
{
    static const char message[] = "\0\0\x13\x8aserver goes down at noon";
    static const char big[5000];
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_OPEN);
    answer_raw(bench, 0, XRO_KXR_ATTN, sizeof message - 1, message, sizeof message - 1);
    assert_state(bench, XRO_CALL_REQUEST);
    answer_raw(bench, 0, XRO_KXR_ATTN, 4, "\0\0\x13\x8b", 4);         /* an obsolete action */
    answer_raw(bench, 777, XRO_KXR_OK, sizeof big, big, sizeof big);
    answer_raw(bench, 778, XRO_KXR_ERROR, 0, "", 0);
    answer_raw(bench, 779, 4711, 3, "abc", 3);
    assert_state(bench, XRO_CALL_REQUEST);
    pass(bench, 90);
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
    assert_int_equal(bench->op->message_count, 1);
    assert_int_equal(bench->op->stray_count, 3);
    assert_phase(bench, XRO_PHASE_REQUEST, 90);         /* strays are no answer */
    assert_phase(bench, XRO_PHASE_TRANSFER, 0);
    bench_free(bench);
}

/* A pause does not make us deaf. */
static void heard_while_waiting(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    take(bench, XRO_KXR_OPEN);
    answer_coded(bench, XRO_KXR_WAIT, 5, "");
    answer_raw(bench, 0, XRO_KXR_ATTN, 6, "\0\0\x13\x8ahi", 6);
    answer(bench, XRO_KXR_OK, "LATE", 4);               /* to the request that was put off: too late */
    answer_attn(bench, XRO_KXR_OK, "LATE", 4);
    assert_state(bench, XRO_CALL_WAIT);
    assert_int_equal(bench->op->message_count, 1);
    assert_int_equal(bench->op->stray_count, 2);
    pass(bench, 5 * SECOND);
    xro_client_woke(&bench->client);
    take(bench, XRO_KXR_OPEN);
    answer(bench, XRO_KXR_OK, "HNDL", 4);
    assert_ended(bench, XRO_OK);
    assert_memory_equal(bench->client.handle.bytes, "HNDL", 4);
    bench_free(bench);
}

/* A second answer to a request that is over is a stray of the next op. */
static void late_answers(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    answer(bench, XRO_KXR_OK, "AGAIN", 5);
    assert_int_equal(bench->op->stray_count, 1);
    assert_memory_equal(bench->client.handle.bytes, "HNDL", 4);
    begin(bench, XRO_OP_READ);
    answer(bench, XRO_KXR_OK, "AGAIN", 5);
    assert_int_equal(bench->op->stray_count, 1);
    take(bench, XRO_KXR_READ);
    answer(bench, XRO_KXR_OK, "0123456789", 10);
    assert_ended(bench, XRO_OK);
    bench_free(bench);
}

/* --- sending -------------------------------------------------------------------------------------------------------- */

/* However few bytes each send takes, the server gets the same. */
static void sent_in_pieces(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 50; piece++) {
        struct bench *bench = bench_create(bench_new());
        uint8_t sent[512];
        size_t total = 0, length;
        const uint8_t *bytes;
        begin(bench, XRO_OP_OPEN);
        resolved(bench);
        connected(bench);
        while ((bytes = xro_link_output(link_of(bench), &length)) != NULL) {
            size_t n = length < piece ? length : piece;
            memcpy(sent + total, bytes, n);
            total += n;
            xro_link_sent(link_of(bench), n);
        }
        assert_int_equal(total, XRO_HANDSHAKE_SIZE + XRO_REQUEST_HEADER_SIZE);
        assert_int_equal(sent[XRO_HANDSHAKE_SIZE + 3], XRO_KXR_PROTOCOL & 255);
        answer_handshake(bench);
        answer_protocol(bench, XRO_KXR_ISSERVER);
        take(bench, XRO_KXR_LOGIN);
        bench_free(bench);
    }
}

/* Answers that come while our request is still going out (a server that refuses early) are taken. */
static void answered_before_all_is_sent(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_OPEN);
    xro_link_sent(link_of(bench), 10);
    answer_raw(bench, (uint16_t)(bench->stream + 1), XRO_KXR_ERROR, 4, "\0\0\x0b\xc0", 4);
    assert_ended(bench, XRO_SERVER);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_has_its_phase),      cmocka_unit_test(a_ticking_clock_loses_nothing),
        cmocka_unit_test(what_the_start_says_of_the_client), cmocka_unit_test(the_sequence),
        cmocka_unit_test(stat_and_ping),                 cmocka_unit_test(open_answers),
        cmocka_unit_test(nothing_is_open),               cmocka_unit_test(pieces_and_gaps),
        cmocka_unit_test(a_gap_inside_a_piece),          cmocka_unit_test(short_and_long_reads),
        cmocka_unit_test(pieces_that_are_too_much),      cmocka_unit_test(unknown_size),
        cmocka_unit_test(a_wait_is_obeyed),              cmocka_unit_test(a_wait_of_nothing_is_a_short_one),
        cmocka_unit_test(waits_that_cannot_be_obeyed),   cmocka_unit_test(login_may_have_to_wait),
        cmocka_unit_test(broke_while_waiting),           cmocka_unit_test(deferred_then_good),
        cmocka_unit_test(deferred_then_plain),           cmocka_unit_test(deferred_then_error),
        cmocka_unit_test(deferred_then_wait),            cmocka_unit_test(deferred_then_redirect),
        cmocka_unit_test(deferred_again_inside),         cmocka_unit_test(deferred_read_in_pieces),
        cmocka_unit_test(messages_and_strays),           cmocka_unit_test(heard_while_waiting),
        cmocka_unit_test(late_answers),                  cmocka_unit_test(sent_in_pieces),
        cmocka_unit_test(answered_before_all_is_sent),
    };

    return run_in_pieces(tests, LENGTH(tests));
}
