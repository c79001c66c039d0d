/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client_tls.c - when TLS begins, when it must, and when the client rather ends: the rules for what a server announces,
 * against what the client can and what the URL demands. No TLS passes here: the bench says that it was done. */
#include "client_bench.h"

#include <errno.h>

enum then { LOGS_IN, SECURES, ASKS, FAILS, STEPS };

enum {
    PLAIN = XRO_KXR_SECREQS, ABLE = XRO_KXR_SECREQS | XRO_KXR_ABLETLS,
    WANT = XRO_KXR_SECREQS | XRO_KXR_ABLETLS | XRO_KXR_WANTTLS
};

static uint8_t flags_of(const struct bench *bench)
{
    return bench->request.body[4];
}

/* An open that waits for the answer to kXR_protocol, which is taken. */
static struct bench *at_protocol(bool able, bool must, bool pipeline)
{
    struct bench *bench = bench_new();

    bench->config.able_tls = able;
    bench->config.tls = must;
    bench->config.pipeline = pipeline;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    if (pipeline) {
        uint8_t flags = flags_of(bench);
        take(bench, XRO_KXR_LOGIN);
        take(bench, XRO_KXR_OPEN);
        bench->request.body[4] = flags;
    }
    answer_handshake(bench);
    return bench;
}

static enum then what_comes(struct bench *bench)
{
    if (bench->client.state == XRO_CALL_DONE) {
        assert_ended(bench, XRO_TLS);
        assert_int_equal(output_length(bench), 0);      /* nothing more goes out in the clear */
        assert_false(link_of(bench)->up);
        return FAILS;
    }
    if (bench->client.state == XRO_CALL_SECURE)
        return SECURES;
    if (bench->client.state == XRO_CALL_PROTOCOL)
        return ASKS;
    if (bench->client.state == XRO_CALL_RESOLVE)
        return STEPS;
    assert_state(bench, XRO_CALL_LOGIN);
    return LOGS_IN;
}

static void rules(void **state)
{
    static const uint32_t have = XRO_KXR_HAVETLS, login = XRO_KXR_HAVETLS | XRO_KXR_TLSLOGIN,
        session = XRO_KXR_HAVETLS | XRO_KXR_TLSSESS, data = XRO_KXR_HAVETLS | XRO_KXR_TLSDATA;
    const struct { bool able, must, pipeline; uint8_t says; uint32_t flags; enum then then; } cases[] = {
        { false, false, false, PLAIN, 0, LOGS_IN },         { true, false, false, ABLE, 0, LOGS_IN },
        { false, false, false, PLAIN, have, LOGS_IN },      { true, false, false, ABLE, have, LOGS_IN },
        { false, false, false, PLAIN, data, LOGS_IN },      { true, false, false, ABLE, data, LOGS_IN },
        { false, false, false, PLAIN, login, FAILS },       { true, false, false, ABLE, login, ASKS },
        { false, false, false, PLAIN, session, FAILS },     { true, false, false, ABLE, session, ASKS },
        { true, false, false, ABLE, login | XRO_KXR_GOTOTLS, SECURES },
        { true, false, false, ABLE, XRO_KXR_GOTOTLS, SECURES },
        { false, false, false, PLAIN, login | XRO_KXR_GOTOTLS, FAILS },     /* though it was not asked for */
        { false, true, false, PLAIN, 0, FAILS },            { true, true, false, WANT, 0, FAILS },
        { false, true, false, PLAIN, have, FAILS },         { true, true, false, WANT, have, FAILS },
        { true, true, false, WANT, session, FAILS },        /* asked to begin, it does not: never on in the clear */
        { true, true, false, WANT, have | XRO_KXR_GOTOTLS, SECURES },
        { true, false, true, PLAIN, 0, LOGS_IN },           { true, false, true, PLAIN, have, LOGS_IN },
        { true, false, true, PLAIN, login, STEPS },         { true, false, true, PLAIN, login | XRO_KXR_GOTOTLS, STEPS },
        { false, false, true, PLAIN, login, STEPS },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = at_protocol(cases[i].able, cases[i].must, cases[i].pipeline);
        enum then then;
        assert_int_equal(flags_of(bench), cases[i].says);
        answer_protocol(bench, XRO_KXR_ISSERVER | cases[i].flags);
        then = what_comes(bench);
        if (then != cases[i].then)
            fail_msg("rule %zu: %d", i, (int)then);
        if (then == FAILS && cases[i].able && !(cases[i].flags & have))
            assert_string_equal(bench->op->error.detail, "TLS is a must here, and the server has none");
        bench_free(bench);
    }
}

/* roots:// at once with login and open behind it would say the user's name in the clear: never in one flight. */
static void roots_takes_no_flight_in_the_clear(void **state)
{
    struct bench *bench = bench_new();
    size_t length;

    (void)state;
    bench->config.able_tls = bench->config.tls = bench->config.pipeline = true;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    xro_link_output(link_of(bench), &length);
    assert_int_equal(length, 0);
    assert_int_equal(flags_of(bench), WANT);
    bench_free(bench);
}

static void phases(void **state)
{
    static const struct xro_tls_facts facts = { .version = "TLSv1.3" };
    struct bench *bench = at_protocol(true, false, false);

    (void)state;
    pass(bench, 10);
    answer_protocol(bench, XRO_KXR_ISSERVER | XRO_KXR_HAVETLS | XRO_KXR_GOTOTLS);
    assert_wants(bench, XRO_WANT_TLS);
    pass(bench, 200);
    xro_client_securing(&bench->client);
    assert_state(bench, XRO_CALL_TLS);
    pass(bench, 3000);
    xro_client_secured(&bench->client, &facts);
    take_path(bench, XRO_KXR_LOGIN, "?xrd.appname=xrdopen");
    pass(bench, 40);
    answer_login(bench);
    take(bench, XRO_KXR_OPEN);
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    assert_phase(bench, XRO_PHASE_HANDSHAKE, 10);
    assert_phase(bench, XRO_PHASE_OTHER, 200);          /* loading a library is no handshake */
    assert_phase(bench, XRO_PHASE_TLS, 3000);
    assert_phase(bench, XRO_PHASE_LOGIN, 40);
    assert_string_equal(bench->op->hops[0].tls.version, "TLSv1.3");
    bench_free(bench);
}

/* A server that announces TLS and does not begin it is asked once more; if that does not help, it ends. */
static void asked_twice(void **state)
{
    (void)state;
    for (unsigned good = 0; good < 2; good++) {
        struct bench *bench = at_protocol(true, false, false);
        answer_protocol(bench, XRO_KXR_ISSERVER | XRO_KXR_HAVETLS | XRO_KXR_TLSSESS);
        take(bench, XRO_KXR_PROTOCOL);
        assert_int_equal(flags_of(bench), WANT);
        assert_int_equal(output_length(bench), 0);
        answer_protocol(bench, XRO_KXR_ISSERVER | XRO_KXR_HAVETLS | (good ? XRO_KXR_GOTOTLS : XRO_KXR_TLSSESS));
        assert_int_equal(what_comes(bench), good ? SECURES : FAILS);
        bench_free(bench);
    }
}

static void not_secured(void **state)
{
    struct bench *bench = at_protocol(true, true, false);

    (void)state;
    answer_protocol(bench, XRO_KXR_ISSERVER | XRO_KXR_HAVETLS | XRO_KXR_GOTOTLS);
    xro_client_securing(&bench->client);
    pass(bench, 70);
    xro_client_not_secured(&bench->client, "certificate has expired\n");
    assert_ended(bench, XRO_TLS);
    assert_int_equal(bench->op->error.phase, XRO_PHASE_TLS);
    assert_string_equal(bench->op->error.text, "certificate has expired\\x0a");
    assert_phase(bench, XRO_PHASE_TLS, 70);
    assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_BROKEN);
    bench_free(bench);
}

static void limits_and_losses(void **state)
{
    (void)state;
    for (unsigned securing = 0; securing < 2; securing++)
        for (unsigned lost = 0; lost < 2; lost++) {
            struct bench *bench = at_protocol(true, false, false);
            answer_protocol(bench, XRO_KXR_ISSERVER | XRO_KXR_HAVETLS | XRO_KXR_GOTOTLS);
            if (securing)
                xro_client_securing(&bench->client);
            bench->now = BENCH_START + 30 * SECOND;
            if (lost)
                xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, ECONNRESET);
            else
                xro_client_expired(&bench->client);
            assert_ended(bench, lost ? XRO_CLOSED : XRO_TIMEOUT);
            assert_int_equal(bench->op->error.phase, securing ? XRO_PHASE_TLS : XRO_PHASE_OTHER);
            bench_free(bench);
        }
}

/* Plain bytes where TLS has to begin, or in its handshake, are never taken for answers. */
static void bytes_in_the_clear(void **state)
{
    (void)state;
    for (unsigned securing = 0; securing < 2; securing++) {
        struct bench *bench = at_protocol(true, false, false);
        answer_protocol(bench, XRO_KXR_ISSERVER | XRO_KXR_HAVETLS | XRO_KXR_GOTOTLS);
        if (securing)
            xro_client_securing(&bench->client);
        answer_raw(bench, XRO_STREAM_PROTOCOL, XRO_KXR_OK, 16, "HNDL89abcdef0123", 16);
        assert_ended(bench, XRO_PROTOCOL);
        assert_null(bench->client.file_link);
        bench_free(bench);
    }
}

/* A redirect to roots:// makes TLS a must there, also where a session in the clear is at hand; from roots:// nothing leads
 * back to the clear. */
static void redirects(void **state)
{
    static const struct xro_tls_facts facts;
    struct bench *bench = bench_new();

    (void)state;
    bench->config.able_tls = true;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    take(bench, XRO_KXR_OPEN);
    answer_coded(bench, XRO_KXR_REDIRECT, -1, "roots://first:1094//g");
    resolved(bench);                                    /* the session in the clear will not do */
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    assert_int_equal(flags_of(bench), WANT);
    answer_handshake(bench);
    answer_protocol(bench, XRO_KXR_ISSERVER | XRO_KXR_HAVETLS | XRO_KXR_GOTOTLS);
    xro_client_securing(&bench->client);
    xro_client_secured(&bench->client, &facts);
    take(bench, XRO_KXR_LOGIN);
    answer_login(bench);
    take_path(bench, XRO_KXR_OPEN, "/g");
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    bench_free(bench);
    bench = at_protocol(true, true, false);
    answer_protocol(bench, XRO_KXR_ISMANAGER | XRO_KXR_HAVETLS | XRO_KXR_GOTOTLS);
    xro_client_securing(&bench->client);
    xro_client_secured(&bench->client, &facts);
    take(bench, XRO_KXR_LOGIN);
    answer_login(bench);
    take(bench, XRO_KXR_OPEN);
    answer_coded(bench, XRO_KXR_REDIRECT, 1, "data1");
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    assert_int_equal(flags_of(bench), WANT);
    answer_handshake(bench);
    answer_protocol(bench, XRO_KXR_ISSERVER);           /* which has no TLS */
    assert_ended(bench, XRO_TLS);
    assert_int_equal(bench->op->error.hop, 1);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),       cmocka_unit_test(roots_takes_no_flight_in_the_clear),
        cmocka_unit_test(phases),      cmocka_unit_test(asked_twice),
        cmocka_unit_test(not_secured), cmocka_unit_test(limits_and_losses),
        cmocka_unit_test(bytes_in_the_clear), cmocka_unit_test(redirects),
    };

    return run_in_pieces(tests, LENGTH(tests));
}
