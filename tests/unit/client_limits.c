/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client_limits.c - time limits, lost connections and interruptions in each state, and servers that break the protocol. */
#include "client_bench.h"

#include <errno.h>
#include <netdb.h>

/* --- each state ------------------------------------------------------------------------------------------------------ */

/* Drive an open until it is in STATE; 1 s passes before each step. */
static struct bench *drive_to(enum xro_call_state state, xro_ns timeout, xro_ns connect_timeout)
{
    struct bench *bench = bench_new();

    bench->config.timeout = timeout;
    bench->config.connect_timeout = connect_timeout;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    for (unsigned step = 0; bench->client.state != state; step++) {
        pass(bench, SECOND);
        switch (bench->client.state) {
        case XRO_CALL_RESOLVE:
            resolved(bench);
            break;
        case XRO_CALL_CONNECT:
            connected(bench);
            take_handshake(bench);
            take(bench, XRO_KXR_PROTOCOL);
            break;
        case XRO_CALL_HANDSHAKE:
            answer_handshake(bench);
            break;
        case XRO_CALL_PROTOCOL:
            answer_protocol(bench, XRO_KXR_ISMANAGER);
            break;
        case XRO_CALL_LOGIN:
            take(bench, XRO_KXR_LOGIN);
            answer_login(bench);
            take(bench, XRO_KXR_OPEN);
            break;
        case XRO_CALL_REQUEST:
            if (state == XRO_CALL_TRANSFER)
                answer_raw(bench, bench->stream, XRO_KXR_OK, 100, "HNDL", 4);
            else if (state == XRO_CALL_DEFER)
                answer_coded(bench, XRO_KXR_WAITRESP, 100, "soon");
            else
                answer_coded(bench, XRO_KXR_WAIT, 2, "soon");
            break;
        default:
            fail_msg("no way from %s", xro_call_state_name(bench->client.state));
        }
        assert_true(step < 10);
    }
    return bench;
}

static const enum xro_call_state all_states[] = {
    XRO_CALL_RESOLVE, XRO_CALL_CONNECT, XRO_CALL_HANDSHAKE, XRO_CALL_PROTOCOL, XRO_CALL_LOGIN, XRO_CALL_REQUEST,
    XRO_CALL_TRANSFER, XRO_CALL_WAIT, XRO_CALL_DEFER,
};

/* The total limit passes in each state: it is named, with the phase, and all time up to it is booked. */
static void timeout_in_each_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(all_states); i++) {
        struct bench *bench;
        if (all_states[i] == XRO_CALL_WAIT)
            continue;                   /* a pause never reaches past the limit */
        bench = drive_to(all_states[i], 20 * SECOND, 0);
        assert_true(until_of(bench) == BENCH_START + 20 * SECOND);
        bench->now = BENCH_START + 20 * SECOND;
        xro_client_expired(&bench->client);
        assert_ended(bench, XRO_TIMEOUT);
        assert_true(bench->op->total == 20 * SECOND);
        assert_int_equal(bench->op->error.limit, XRO_LIMIT_TOTAL);
        assert_int_equal(bench->op->error.phase, xro_call_state_phase(all_states[i]));
        assert_string_equal(bench->op->error.detail, xro_call_state_text(all_states[i]));
        assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_UNDER_WAY);
        assert_false(link_of(bench)->up);
        assert_int_equal(output_length(bench), 0);
        bench_free(bench);
    }
}

/* The limit for connecting counts from look-up to login. */
static void connect_timeout_in_each_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(all_states); i++) {
        struct bench *bench = drive_to(all_states[i], 60 * SECOND, 10 * SECOND);
        if (all_states[i] >= XRO_CALL_REQUEST) {
            if (all_states[i] != XRO_CALL_WAIT)
                assert_true(until_of(bench) == BENCH_START + 60 * SECOND);
            bench_free(bench);
            continue;
        }
        assert_true(until_of(bench) == BENCH_START + 10 * SECOND);
        bench->now = BENCH_START + 10 * SECOND;
        xro_client_expired(&bench->client);
        assert_ended(bench, XRO_TIMEOUT);
        assert_int_equal(bench->op->error.limit, XRO_LIMIT_CONNECT);
        assert_int_equal(bench->op->error.phase, xro_call_state_phase(all_states[i]));
        assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_BROKEN);
        assert_int_equal(bench->op->hops[0].system, ETIMEDOUT);
        bench_free(bench);
    }
}

static void lost_in_each_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(all_states); i++) {
        struct bench *bench = drive_to(all_states[i], 60 * SECOND, 0);
        pass(bench, 7);
        xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, ECONNRESET);
        assert_ended(bench, XRO_CLOSED);
        assert_int_equal(bench->op->error.phase, xro_call_state_phase(all_states[i]));
        assert_int_equal(bench->op->error.system, ECONNRESET);
        assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_BROKEN);
        begin(bench, XRO_OP_OPEN);      /* and the next op connects again */
        assert_state(bench, XRO_CALL_RESOLVE);
        arrive(bench, XRO_KXR_ISSERVER);
        take_path(bench, XRO_KXR_OPEN, "/data/file");
        bench_free(bench);
    }
}

static void interrupted_in_each_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(all_states); i++) {
        struct bench *bench = drive_to(all_states[i], 60 * SECOND, 0);
        xro_ns total;
        pass(bench, 7);
        xro_client_interrupt(&bench->client);
        assert_ended(bench, XRO_INTERRUPTED);
        total = bench->op->total;
        pass(bench, 1000);
        xro_client_interrupt(&bench->client);           /* again: the op is over already */
        assert_true(bench->op->total == total);
        assert_int_equal(bench->op->error.status, XRO_INTERRUPTED);
        assert_int_equal(bench->op->error.phase, xro_call_state_phase(all_states[i]));
        assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_UNDER_WAY);
        bench_free(bench);
    }
}

/* One limit for the whole sample, counted from the first op. */
static void the_limit_is_the_samples(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    pass(bench, 29 * SECOND);
    begin(bench, XRO_OP_READ);
    assert_true(until_of(bench) == BENCH_START + 30 * SECOND);
    take(bench, XRO_KXR_READ);
    pass(bench, SECOND);
    xro_client_expired(&bench->client);
    assert_ended(bench, XRO_TIMEOUT);
    assert_true(bench->op->total == SECOND);
    begin(bench, XRO_OP_CLOSE);         /* the link was given up: what was asked might still be answered */
    assert_ended(bench, XRO_CLOSED);
    bench_free(bench);
    bench = bench_new();
    bench->config.timeout = XRO_NEVER;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    assert_true(until_of(bench) == XRO_NEVER);
    bench_free(bench);
}

/* A data server that takes too long to connect to is a reason to ask the manager for another. */
static void connect_timeout_goes_back(void **state)
{
    struct bench *bench = bench_new();

    (void)state;
    bench->config.connect_timeout = 5 * SECOND;
    bench->config.path = "/f";
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    take(bench, XRO_KXR_OPEN);
    answer_coded(bench, XRO_KXR_REDIRECT, 1, "dead");
    resolved(bench);
    pass(bench, 5 * SECOND);
    xro_client_expired(&bench->client);
    take_path(bench, XRO_KXR_OPEN, "/f?tried=dead&triedrc=srverr");
    assert_true(until_of(bench) == BENCH_START + 30 * SECOND);
    assert_int_equal(bench->op->hops[1].ending, XRO_ENDING_BROKEN);
    assert_true(bench->op->hops[1].phase[XRO_PHASE_CONNECT] == 5 * SECOND);
    bench_free(bench);
}

static void name_not_found(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    begin(bench, XRO_OP_OPEN);
    pass(bench, 40);
    xro_client_resolved(&bench->client, EAI_NONAME);
    assert_ended(bench, XRO_RESOLVE);
    assert_int_equal(bench->op->error.resolver, EAI_NONAME);
    assert_phase(bench, XRO_PHASE_RESOLVE, 40);
    bench_free(bench);
}

/* --- links that break between ops ------------------------------------------------------------------------------------ */

static void lost_between_ops(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, 0);
    assert_int_equal(bench->op->error.status, XRO_OK);  /* what is over stays as it was */
    begin(bench, XRO_OP_READ);
    assert_ended(bench, XRO_CLOSED);
    begin(bench, XRO_OP_OPEN);
    assert_state(bench, XRO_CALL_RESOLVE);
    arrive(bench, XRO_KXR_ISSERVER);
    assert_false(bench->op->hops[0].reused);
    take(bench, XRO_KXR_OPEN);
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    bench_free(bench);
}

/* Found out only by the next request. */
static void lost_when_used(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_READ);
    xro_client_broke(&bench->client, link_of(bench), XRO_IO, EPIPE);
    assert_ended(bench, XRO_IO);
    assert_int_equal(bench->op->error.system, EPIPE);
    begin(bench, XRO_OP_CLOSE);
    assert_ended(bench, XRO_CLOSED);
    bench_free(bench);
}

/* A handle is the session's: a new session to the same server has it not. */
static void handles_do_not_outlive_their_session(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, 0);
    begin(bench, XRO_OP_STAT);
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_STAT);
    answer(bench, XRO_KXR_OK, "1 2 3 4", 7);
    assert_ended(bench, XRO_OK);
    begin(bench, XRO_OP_READ);
    assert_ended(bench, XRO_CLOSED);
    bench_free(bench);
}

/* --- servers that break the protocol --------------------------------------------------------------------------------- */

static void not_xroot(void **state)
{
    static const struct { const char *bytes; const char *text; } cases[] = {
        { "HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1.1 400 Bad" },
        { "SSH-2.0-OpenSSH_9.2p1\r\n", "SSH-2.0-OpenSSH_" },
        { "\x15\x03\x01\x02\x02\x50" "0123456789abcdef", "\\x15\\x03\\x01\\x02\\x02P0123456789" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = bench_create(bench_new());
        struct xro_link *link;
        begin(bench, XRO_OP_OPEN);
        resolved(bench);
        connected(bench);
        link = link_of(bench);
        feed_link(bench, link, cases[i].bytes, strlen(cases[i].bytes));
        assert_ended(bench, XRO_PROTOCOL);
        assert_int_equal(bench->op->error.phase, XRO_PHASE_HANDSHAKE);
        assert_string_equal(bench->op->error.text, cases[i].text);
        assert_false(link->up);
        bench_free(bench);
    }
}

static void credentials_are_demanded(void **state)
{
    static const struct { const char *token, *names; } cases[] = {
        { "&P=unix", "unix" },
        { "&P=sss,0.+13:/path/keytab&P=unix", "sss, unix" },
        { "&P=gsi,v:10600,c:ssl,ca:700cf84c.0&P=krb5,host/h@R&P=ztn,0:4096:", "gsi, krb5, ztn" },
        { "&P=a\x1b[31mred", "a\\x1b[31mred" },
        { "&P=averyveryverylongname", "averyveryverylon" },
        { "rubbish", "nothing that is understood" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = drive_to(XRO_CALL_LOGIN, 60 * SECOND, 0);
        char body[256] = "0123456789abcdef";
        strcat(body, cases[i].token);
        take(bench, XRO_KXR_LOGIN);
        answer(bench, XRO_KXR_OK, body, strlen(body));
        assert_ended(bench, XRO_AUTH);
        assert_string_equal(bench->op->error.text, cases[i].names);
        assert_int_equal(bench->op->error.phase, XRO_PHASE_LOGIN);
        assert_false(link_of(bench)->up);
        bench_free(bench);
    }
}

/* Thousands of offers are listed as far as there is room. */
static void endless_offers(void **state)
{
    struct bench *bench = drive_to(XRO_CALL_LOGIN, 60 * SECOND, 0);
    static char body[60001] = "0123456789abcdef";

    (void)state;
    while (strlen(body) + 10 < sizeof body)
        strcat(body, "&P=abcdefg");
    take(bench, XRO_KXR_LOGIN);
    answer(bench, XRO_KXR_OK, body, strlen(body));
    assert_ended(bench, XRO_AUTH);
    assert_in_range(strlen(bench->op->error.text), 100, 250);
    bench_free(bench);
}

/* What breaks the protocol in answer to an open, to a read: status, length in the header, bytes of the body. */
static void broken_answers(void **state)
{
    static const struct { uint16_t status; uint32_t length; const char *body; size_t n; const char *detail; } cases[] = {
        { XRO_KXR_OK, UINT32_MAX, "", 0, "negative length" },
        { XRO_KXR_OK, 0x80000000, "", 0, "negative length" },
        { XRO_KXR_ERROR, 0xfffffffc, "", 0, "negative length" },
        { XRO_KXR_ERROR, XRO_BODY_MAX + 1, "", 0, "longer than any" },
        { XRO_KXR_ERROR, INT32_MAX, "\0\0\x0b\xc3", 4, "longer than any" },
        { XRO_KXR_ERROR, 3, "\0\0\x0b", 3, "too short for its code" },
        { XRO_KXR_ERROR, 0, "", 0, "too short for its code" },
        { XRO_KXR_WAIT, 3, "\0\0\0", 3, "too short for its seconds" },
        { XRO_KXR_WAITRESP, 0, "", 0, "too short for its seconds" },
        { XRO_KXR_AUTHMORE, 4, "more", 4, "status that this request cannot have" },
        { XRO_KXR_STATUS, 24, "0123456789abcdef01234567", 24, "status that this request cannot have" },
        { 4711, 0, "", 0, "status that this request cannot have" },
        { 3999, 4, "abcd", 4, "status that this request cannot have" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (unsigned reading = 0; reading < 2; reading++) {
            struct bench *bench = bench_create(bench_new());
            open_well(bench);
            begin(bench, reading ? XRO_OP_READ : XRO_OP_OPEN);
            take(bench, reading ? XRO_KXR_READ : XRO_KXR_OPEN);
            answer_raw(bench, bench->stream, cases[i].status, cases[i].length, cases[i].body, cases[i].n);
            assert_ended(bench, XRO_PROTOCOL);
            if (strstr(bench->op->error.detail, cases[i].detail) == NULL)
                fail_msg("case %zu: %s", i, bench->op->error.detail);
            assert_false(link_of(bench)->up);
            assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_BROKEN);
            bench_free(bench);
        }
}

/* The longest body that an answer may have is taken. */
static void the_longest_answer(void **state)
{
    static char body[XRO_BODY_MAX] = "\0\0\x0b\xc3";
    struct bench *bench = bench_create(bench_new());

    (void)state;
    memset(body + 4, 'x', sizeof body - 4);
    open_well(bench);
    begin(bench, XRO_OP_OPEN);
    take(bench, XRO_KXR_OPEN);
    answer(bench, XRO_KXR_ERROR, body, sizeof body);
    assert_ended(bench, XRO_SERVER);
    assert_int_equal(strlen(bench->op->error.text), XRO_TEXT_SIZE - 1);     /* cut */
    bench_free(bench);
}

static void errors(void **state)
{
    static const struct { const char *body; size_t length; int code; const char *text; } cases[] = {
        { "\0\0\x0b\xc3no such file\0", 17, 3011, "no such file" }, { "\0\0\x0b\xc3", 4, 3011, "" },
        { "\0\0\0\0odd", 7, 0, "odd" },                            { "\xff\xff\xff\xffneg", 7, -1, "neg" },
        { "\0\0\x0b\xb8\x1b[2J\r\n", 10, 3000, "\\x1b[2J\\x0d\\x0a" }, { "\0\0\x0b\xb8" "a\0b", 7, 3000, "a\\x00b" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = bench_create(bench_new());
        open_well(bench);
        begin(bench, XRO_OP_OPEN);
        take(bench, XRO_KXR_OPEN);
        answer(bench, XRO_KXR_ERROR, cases[i].body, cases[i].length);
        assert_ended(bench, XRO_SERVER);
        assert_int_equal(bench->op->error.server, cases[i].code);
        assert_string_equal(bench->op->error.text, cases[i].text);
        assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_REFUSED);
        assert_true(link_of(bench)->up);                /* an error is an answer: the session goes on */
        begin(bench, XRO_OP_PING);
        take(bench, XRO_KXR_PING);
        bench_free(bench);
    }
}

/* Errors and short bodies in answer to what begins a connection. */
static void broken_starts(void **state)
{
    static const struct { enum xro_call_state at; uint16_t status; const char *body; size_t length; enum xro_status ends; } cases[] = {
        { XRO_CALL_PROTOCOL, XRO_KXR_OK, "\0\0\x05\x11\0\0\0", 7, XRO_PROTOCOL },
        { XRO_CALL_PROTOCOL, XRO_KXR_OK, "", 0, XRO_PROTOCOL },
        { XRO_CALL_PROTOCOL, XRO_KXR_ERROR, "\0\0\x0b\xbe" "go", 6, XRO_SERVER },
        { XRO_CALL_PROTOCOL, XRO_KXR_WAIT, "\0\0\0\1", 4, XRO_PROTOCOL },
        { XRO_CALL_PROTOCOL, XRO_KXR_OKSOFAR, "\0\0\x05\x11\0\0\0\1", 8, XRO_PROTOCOL },
        { XRO_CALL_LOGIN, XRO_KXR_OK, "0123456789abcde", 15, XRO_PROTOCOL },
        { XRO_CALL_LOGIN, XRO_KXR_OK, "0", 1, XRO_PROTOCOL },
        { XRO_CALL_LOGIN, XRO_KXR_ERROR, "\0\0\x0b\xc2" "go", 6, XRO_SERVER },
        { XRO_CALL_LOGIN, XRO_KXR_ERROR, "\0", 1, XRO_PROTOCOL },
        { XRO_CALL_LOGIN, XRO_KXR_AUTHMORE, "", 0, XRO_PROTOCOL },
        { XRO_CALL_LOGIN, XRO_KXR_WAITRESP, "\0\0\0\1", 4, XRO_PROTOCOL },
        { XRO_CALL_LOGIN, XRO_KXR_WAIT, "\0\0\0", 3, XRO_PROTOCOL },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = drive_to(cases[i].at, 60 * SECOND, 0);
        if (cases[i].at == XRO_CALL_LOGIN)
            take(bench, XRO_KXR_LOGIN);
        answer(bench, cases[i].status, cases[i].body, cases[i].length);
        assert_ended(bench, cases[i].ends);
        assert_int_equal(bench->op->error.phase, xro_call_state_phase(cases[i].at));
        assert_false(link_of(bench)->up);               /* what is half begun is not used */
        bench_free(bench);
    }
}

/* An empty login answer is that of old servers: good. */
static void an_old_server(void **state)
{
    struct bench *bench = drive_to(XRO_CALL_PROTOCOL, 60 * SECOND, 0);

    (void)state;
    answer_raw(bench, XRO_STREAM_PROTOCOL, XRO_KXR_OK, 8, "\0\0\x02\x89\0\0\0\0", 8);
    take(bench, XRO_KXR_LOGIN);
    answer(bench, XRO_KXR_OK, "", 0);
    take(bench, XRO_KXR_OPEN);
    assert_true(bench->op->hops[0].flags == XRO_KXR_ISMANAGER && bench->op->hops[0].version == 0x289);
    bench_free(bench);
}

/* Strays without end, empty pieces without end, pieces of a text without end: each has its bound. */
static void floods(void **state)
{
    static char piece[8192];
    struct bench *bench = drive_to(XRO_CALL_REQUEST, 60 * SECOND, 0);
    unsigned count;

    (void)state;
    for (count = 0; bench->client.state == XRO_CALL_REQUEST; count++)
        answer_raw(bench, 777, XRO_KXR_OK, 3, "abc", 3);
    assert_ended(bench, XRO_PROTOCOL);
    assert_int_equal(count, XRO_STRAY_MAX + 1);
    bench_free(bench);
    bench = bench_create(bench_new());
    open_well(bench);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    for (count = 0; bench->client.state != XRO_CALL_DONE; count++)
        answer(bench, XRO_KXR_OKSOFAR, "", 0);
    assert_ended(bench, XRO_PROTOCOL);
    assert_int_equal(count, XRO_EMPTY_PIECES_MAX + 1);
    bench_free(bench);
    bench = bench_create(bench_new());
    begin(bench, XRO_OP_STAT);
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_STAT);
    for (count = 0; bench->client.state != XRO_CALL_DONE; count++)
        answer(bench, XRO_KXR_OKSOFAR, piece, sizeof piece);
    assert_ended(bench, XRO_PROTOCOL);
    assert_in_range(count, 2, 2 * XRO_BODY_MAX / sizeof piece);
    bench_free(bench);
}

static void pieces_for_nothing(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_CLOSE);
    take(bench, XRO_KXR_CLOSE);
    answer(bench, XRO_KXR_OKSOFAR, "x", 1);
    assert_ended(bench, XRO_PROTOCOL);
    bench_free(bench);
}

/* An attn that is cut, or whose inner length lies. */
static void broken_attn(void **state)
{
    static const struct { const char *body; size_t length; } cases[] = {
        { "\0\0\x13", 3 }, { "\0\0\x13\x90\0\0\0", 7 }, { "\0\0\x13\x90\0\0\0\0\0\x03\0\0\0\0\0", 15 },
        { "\0\0\x13\x90\0\0\0\0\0\x03\0\0\0\0\0\x05" "HNDL", 20 }, { "\0\0\x13\x90\0\0\0\0\0\x03\0\0\xff\xff\xff\xff" "HNDL", 20 },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = drive_to(XRO_CALL_REQUEST, 60 * SECOND, 0);
        answer_raw(bench, XRO_STREAM_SERVER, XRO_KXR_ATTN, (uint32_t)cases[i].length, cases[i].body, cases[i].length);
        assert_ended(bench, XRO_PROTOCOL);
        bench_free(bench);
    }
}

/* Rubbish behind a good answer does not touch what has been measured; the next op finds a session that is gone. */
static void rubbish_behind_an_answer(void **state)
{
    struct bench *bench = drive_to(XRO_CALL_REQUEST, 60 * SECOND, 0);
    uint8_t bytes[64];
    size_t n = put_message(bytes, bench->stream, XRO_KXR_OK, 4, "HNDL", 4);

    (void)state;
    n += put_message(bytes + n, 9, XRO_KXR_OK, UINT32_MAX, "xxxx", 4);
    feed(bench, bytes, n);
    assert_ended(bench, XRO_OK);
    begin(bench, XRO_OP_OPEN);
    assert_state(bench, XRO_CALL_RESOLVE);
    bench_free(bench);
}

/* Streams of rubbish at every state: it ends or goes on, in order, and the time adds up. */
static void rubbish(void **state)
{
    uint32_t seed = 20050715;

    (void)state;
    for (unsigned round = 0; round < 1500; round++) {
        struct bench *bench = drive_to(all_states[round % LENGTH(all_states)], 60 * SECOND, 0);
        struct xro_link *link = link_of(bench);
        uint8_t bytes[96];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1664525 + 1013904223;
            bytes[i] = (uint8_t)(seed >> 29 ? i % 8 == 1 ? 3 : 0 : seed >> 16);
            if (i % 8 == 2 && seed & 0x10000)
                bytes[i] = 0x0f;
        }
        if (link->up)
            feed_link(bench, link, bytes, sizeof bytes);
        if (bench->client.state != XRO_CALL_DONE)
            xro_client_interrupt(&bench->client);
        assert_ended(bench, bench->op->error.status);
        bench_free(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeout_in_each_state),    cmocka_unit_test(connect_timeout_in_each_state),
        cmocka_unit_test(lost_in_each_state),       cmocka_unit_test(interrupted_in_each_state),
        cmocka_unit_test(the_limit_is_the_samples), cmocka_unit_test(connect_timeout_goes_back),
        cmocka_unit_test(name_not_found),           cmocka_unit_test(lost_between_ops),
        cmocka_unit_test(lost_when_used),           cmocka_unit_test(handles_do_not_outlive_their_session),
        cmocka_unit_test(not_xroot),
        cmocka_unit_test(credentials_are_demanded), cmocka_unit_test(endless_offers),
        cmocka_unit_test(broken_answers),           cmocka_unit_test(the_longest_answer),
        cmocka_unit_test(errors),                   cmocka_unit_test(broken_starts),
        cmocka_unit_test(an_old_server),            cmocka_unit_test(floods),
        cmocka_unit_test(pieces_for_nothing),       cmocka_unit_test(broken_attn),
        cmocka_unit_test(rubbish_behind_an_answer), cmocka_unit_test(rubbish),
    };

    return run_in_pieces(tests, LENGTH(tests));
}
