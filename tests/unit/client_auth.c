/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client_auth.c - the machine's states of authentication with a clock turned by hand: each way that a method can end, what
 * the record says of it, to which phase its time goes, and what is signed afterwards. The test is the driver: it chooses
 * the methods and makes their credentials. */
#include "client_bench.h"

#include "auth/sha256.h"

#include <errno.h>

#define SECRET "c2VjcmV0-of-the-client"

enum { SIGVER_SIZE = XRO_REQUEST_HEADER_SIZE + XRO_SHA256_SIZE };

static struct bench *new_bench(void)
{
    struct bench *bench = bench_new();

    bench->config.can_authenticate = true;
    return bench_create(bench);
}

/* The answer to kXR_protocol with a block that demands signatures; LEVEL 0: without one. */
static void answer_protocol_signed(struct bench *bench, uint32_t flags, uint8_t options, uint8_t level)
{
    uint8_t body[14];
    struct xro_out out = xro_out(body, sizeof body);

    xro_out_u32(&out, 0x511);
    xro_out_u32(&out, flags);
    xro_out_bytes(&out, (const uint8_t[]){ 'S', 0, 0, options, level, 0 }, 6);
    assert_false(out.bad);
    answer_raw(bench, XRO_STREAM_PROTOCOL, XRO_KXR_OK, level ? 14 : 8, body, level ? 14 : 8);
}

/* A session, and TOKEN. */
static void answer_login_with(struct bench *bench, const char *token)
{
    uint8_t body[512];
    size_t length = strlen(token);

    assert_true(length + 16 <= sizeof body);
    memcpy(body, "0123456789abcdef", 16);
    memcpy(body + 16, token, length);
    answer_raw(bench, XRO_STREAM_LOGIN, XRO_KXR_OK, (uint32_t)(16 + length), body, 16 + length);
}

/* From the beginning of a hop to where the first method is to be chosen. */
static void arrive_at_choice(struct bench *bench, const char *token, uint8_t options, uint8_t level)
{
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    answer_handshake(bench);
    answer_protocol_signed(bench, XRO_KXR_ISSERVER, options, level);
    take(bench, XRO_KXR_LOGIN);
    answer_login_with(bench, token);
    assert_state(bench, XRO_CALL_CHOOSE);
    assert_wants(bench, XRO_WANT_CREDENTIALS);
}

static struct bench *at_choice(const char *token)
{
    struct bench *bench = new_bench();

    begin(bench, XRO_OP_OPEN);
    arrive_at_choice(bench, token, 0, 0);
    return bench;
}

/* As the driver does: the link's next method, which is one of those without secrets. */
static void choose(struct bench *bench, xro_ns loading)
{
    struct xro_link *link = link_of(bench);
    const struct xro_auth_peer peer = { .host = "first", .user = "alice", .fd = -1 };
    struct xro_auth_choice choice;

    if (link->auth == NULL)
        link->auth = xro_auth_create(&peer, bench->client.token);
    assert_non_null(link->auth);
    assert_int_equal(xro_auth_next(link->auth, &choice), XRO_OK);
    assert_true(choice.usable);
    xro_client_making(&bench->client, choice.method, loading);
    assert_state(bench, XRO_CALL_MAKE);
    assert_wants(bench, XRO_WANT_CREDENTIALS);
}

/* Credentials go out, and are those of METHOD. */
static void give(struct bench *bench, const char *method, const char *secret)
{
    char name[4] = "";

    xro_client_credentials(&bench->client, (const uint8_t *)secret, strlen(secret), 5);
    assert_state(bench, XRO_CALL_AUTH);
    take(bench, XRO_KXR_AUTH);
    memcpy(name, method, strnlen(method, sizeof name));
    assert_memory_equal(bench->request.body + 12, name, 4);
    assert_string_equal(bench->path, secret);
    assert_int_equal(output_length(bench), 0);
}

static const struct xro_attempt *attempt(const struct bench *bench, uint32_t index)
{
    assert_true(index < bench->op->attempt_count);
    return &bench->op->attempts[index];
}

static void assert_attempt(const struct bench *bench, uint32_t index, const char *method, enum xro_auth_outcome outcome,
                           uint32_t rounds, const char *reason)
{
    const struct xro_attempt *one = attempt(bench, index);

    assert_string_equal(one->method, method);
    assert_string_equal(one->reason, reason);
    assert_string_equal(xro_auth_outcome_name(one->outcome), xro_auth_outcome_name(outcome));
    assert_int_equal(one->rounds, rounds);
}

static void finish_open(struct bench *bench)
{
    assert_state(bench, XRO_CALL_REQUEST);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
}

/* --- ways that a method ends ---------------------------------------------------------------------------------------- */

/* Loading and choosing are `other`, making and waiting are `auth`. */
static void accepted(void **state)
{
    struct bench *bench = at_choice("&P=unix");

    (void)state;
    pass(bench, 7);
    choose(bench, 6);
    pass(bench, 20);
    give(bench, "unix", SECRET);
    pass(bench, 50);
    answer(bench, XRO_KXR_OK, "", 0);
    pass(bench, 3);
    finish_open(bench);
    assert_phase(bench, XRO_PHASE_OTHER, 7);
    assert_phase(bench, XRO_PHASE_AUTH, 70);
    assert_phase(bench, XRO_PHASE_LOGIN, 0);
    assert_phase(bench, XRO_PHASE_REQUEST, 3);
    assert_int_equal(bench->op->attempt_count, 1);
    assert_attempt(bench, 0, "unix", XRO_AUTH_OUTCOME_GOOD, 1, "");
    assert_int_equal(attempt(bench, 0)->making, 20);
    assert_int_equal(attempt(bench, 0)->cpu, 5);
    assert_int_equal(attempt(bench, 0)->server, 50);
    assert_int_equal(attempt(bench, 0)->loading, 6);
    assert_int_equal(attempt(bench, 0)->hop, 0);
    assert_null(link_of(bench)->auth);          /* it is of no more use: nothing is to be signed with its key */
    bench_free(bench);
}

static void refused_then_the_next(void **state)
{
    struct bench *bench = at_choice("&P=host&P=unix");

    (void)state;
    choose(bench, 0);
    pass(bench, 10);
    give(bench, "host", "host");
    pass(bench, 100);
    answer_error(bench, 3030, "not you\n");
    assert_state(bench, XRO_CALL_CHOOSE);
    assert_true(link_of(bench)->up);            /* the same connection goes on */
    pass(bench, 4);
    choose(bench, 0);
    pass(bench, 20);
    give(bench, "unix", SECRET);
    pass(bench, 200);
    answer(bench, XRO_KXR_OK, "", 0);
    finish_open(bench);
    assert_int_equal(bench->op->attempt_count, 2);
    assert_attempt(bench, 0, "host", XRO_AUTH_OUTCOME_REFUSED, 1, "not you\\x0a");
    assert_attempt(bench, 1, "unix", XRO_AUTH_OUTCOME_GOOD, 1, "");
    assert_int_equal(attempt(bench, 0)->server, 100);
    assert_int_equal(attempt(bench, 1)->server, 200);
    assert_phase(bench, XRO_PHASE_AUTH, 330);
    assert_phase(bench, XRO_PHASE_OTHER, 4);
    assert_int_equal(bench->op->hop_count, 1);
    bench_free(bench);
}

static void passed_over_and_failed(void **state)
{
    struct bench *bench = at_choice("&P=ztn,0:4096:&P=gsi,v:1&P=unix");

    (void)state;
    xro_client_passed_over(&bench->client, "ztn", XRO_AUTH_OUTCOME_SKIPPED, "needs TLS\t", 9);
    assert_state(bench, XRO_CALL_CHOOSE);
    pass(bench, 30);
    xro_client_making(&bench->client, "gsi", 30);
    pass(bench, 40);
    xro_client_no_credentials(&bench->client, "no proxy", 8);
    assert_state(bench, XRO_CALL_CHOOSE);
    assert_int_equal(output_length(bench), 0);  /* nothing went out for either */
    xro_client_making(&bench->client, "unix", 0);
    give(bench, "", "x");
    answer(bench, XRO_KXR_OK, "", 0);
    finish_open(bench);
    assert_attempt(bench, 0, "ztn", XRO_AUTH_OUTCOME_SKIPPED, 0, "needs TLS\\x09");
    assert_int_equal(attempt(bench, 0)->loading, 9);
    assert_attempt(bench, 1, "gsi", XRO_AUTH_OUTCOME_FAILED, 0, "no proxy");
    assert_int_equal(attempt(bench, 1)->making, 40);
    assert_int_equal(attempt(bench, 1)->cpu, 8);
    assert_attempt(bench, 2, "unix", XRO_AUTH_OUTCOME_GOOD, 1, "");
    assert_phase(bench, XRO_PHASE_OTHER, 30);
    assert_phase(bench, XRO_PHASE_AUTH, 40);
    bench_free(bench);
}

static void rounds(void **state)
{
    struct bench *bench = at_choice("&P=unix");

    (void)state;
    choose(bench, 0);
    assert_null(bench->client.more.bytes);
    for (unsigned i = 0; i < 3; i++) {
        pass(bench, 10);
        give(bench, "unix", SECRET);
        pass(bench, 100);
        if (i == 2)
            break;
        answer(bench, XRO_KXR_AUTHMORE, i ? "more" : "", i ? 4 : 0);
        assert_state(bench, XRO_CALL_MAKE);
        assert_non_null(bench->client.more.bytes);      /* also where it is empty: it is no first round */
        assert_int_equal(bench->client.more.length, i ? 4 : 0);
        assert_memory_equal(bench->client.more.bytes, "more", bench->client.more.length);
    }
    answer(bench, XRO_KXR_OK, "", 0);
    finish_open(bench);
    assert_int_equal(bench->op->attempt_count, 1);
    assert_attempt(bench, 0, "unix", XRO_AUTH_OUTCOME_GOOD, 3, "");
    assert_int_equal(attempt(bench, 0)->making, 30);
    assert_int_equal(attempt(bench, 0)->cpu, 15);
    assert_int_equal(attempt(bench, 0)->server, 300);
    assert_phase(bench, XRO_PHASE_AUTH, 330);
    bench_free(bench);
}

static void round_limit(void **state)
{
    struct bench *bench = at_choice("&P=unix");
    unsigned given = 0;

    (void)state;
    choose(bench, 0);
    while (bench->client.state == XRO_CALL_MAKE && given < 50) {
        give(bench, "unix", SECRET);
        given++;
        answer(bench, XRO_KXR_AUTHMORE, "again", 5);
    }
    assert_ended(bench, XRO_PROTOCOL);
    assert_int_equal(given, XRO_AUTH_ROUNDS_MOST);
    assert_int_equal(attempt(bench, 0)->rounds, XRO_AUTH_ROUNDS_MOST);
    assert_int_equal(bench->op->error.phase, XRO_PHASE_AUTH);
    assert_non_null(strstr(bench->op->error.detail, "on and on"));
    assert_false(link_of(bench)->up);
    bench_free(bench);
}

static void list_exhausted(void **state)
{
    struct bench *bench = at_choice("&P=ztn,0:4096:&P=unix");

    (void)state;
    xro_client_passed_over(&bench->client, "ztn", XRO_AUTH_OUTCOME_SKIPPED, "needs TLS", 0);
    xro_client_making(&bench->client, "unix", 0);
    give(bench, "", "x");
    answer_error(bench, 3030, "who is that?\n");
    pass(bench, 2);
    xro_client_no_more_methods(&bench->client);
    assert_ended(bench, XRO_AUTH);
    assert_int_equal(bench->op->error.phase, XRO_PHASE_AUTH);
    assert_string_equal(bench->op->error.text, "ztn (skipped: needs TLS), unix (refused: who is that?\\x0a)");
    assert_false(link_of(bench)->up);
    assert_int_equal(output_length(bench), 0);
    bench_free(bench);
}

/* Nothing could be made of what the server offers: then that is shown. */
static void nothing_to_try(void **state)
{
    struct bench *bench = at_choice("no list at all \x1b[5m");

    (void)state;
    xro_client_no_more_methods(&bench->client);
    assert_ended(bench, XRO_AUTH);
    assert_string_equal(bench->op->error.text, "no list at all \\x1b[5m");
    bench_free(bench);
}

/* --- limits, losses, and answers that cannot be ------------------------------------------------------------------------ */

/* 0: a method is being chosen, 1: its credentials made, 2: the answer waited for */
static struct bench *at_step(unsigned step)
{
    struct bench *bench = at_choice("&P=unix");

    if (step > 0)
        choose(bench, 0);
    if (step > 1)
        give(bench, "unix", SECRET);
    return bench;
}

static void limits_and_losses(void **state)
{
    (void)state;
    for (unsigned step = 0; step < 3; step++)
        for (unsigned lost = 0; lost < 2; lost++) {
            struct bench *bench = at_step(step);
            assert_int_equal(until_of(bench), BENCH_START + 30 * SECOND);
            bench->now = BENCH_START + 30 * SECOND;
            if (lost)
                xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, ECONNRESET);
            else
                xro_client_expired(&bench->client);
            assert_ended(bench, lost ? XRO_CLOSED : XRO_TIMEOUT);
            assert_int_equal(bench->op->error.phase, step ? XRO_PHASE_AUTH : XRO_PHASE_OTHER);
            assert_phase(bench, step ? XRO_PHASE_AUTH : XRO_PHASE_OTHER, 30 * SECOND);
            if (step)
                assert_attempt(bench, 0, "unix", XRO_AUTH_OUTCOME_PENDING, 0, "");
            assert_false(link_of(bench)->up);
            assert_null(link_of(bench)->auth);
            bench_free(bench);
        }
}

/* The limit of a hop's connecting holds until the login is done, and not behind it. */
static void connect_limit(void **state)
{
    struct bench *bench = bench_new();

    (void)state;
    bench->config.can_authenticate = true;
    bench->config.connect_timeout = SECOND;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    arrive_at_choice(bench, "&P=unix", 0, 0);
    assert_int_equal(until_of(bench), BENCH_START + SECOND);
    choose(bench, 0);
    give(bench, "unix", SECRET);
    assert_int_equal(until_of(bench), BENCH_START + SECOND);
    answer(bench, XRO_KXR_OK, "", 0);
    assert_int_equal(until_of(bench), BENCH_START + 30 * SECOND);
    finish_open(bench);
    bench_free(bench);
}

static void answers_that_cannot_be(void **state)
{
    static const struct { uint16_t status; const char *body; size_t length; } cases[] = {
        { XRO_KXR_REDIRECT, "\0\0\4\106other", 9 }, { XRO_KXR_WAIT, "\0\0\0\1", 4 }, { XRO_KXR_WAITRESP, "\0\0\0\1", 4 },
        { XRO_KXR_OKSOFAR, "more", 4 }, { 4999, "", 0 }, { XRO_KXR_ERROR, "", 0 }, { XRO_KXR_ERROR, "\0\0\v", 3 },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = at_step(2);
        answer(bench, cases[i].status, cases[i].body, cases[i].length);
        assert_ended(bench, XRO_PROTOCOL);
        assert_int_equal(bench->op->error.phase, XRO_PHASE_AUTH);
        assert_int_equal(bench->op->hop_count, 1);
        assert_int_equal(bench->op->wait_count, 0);
        bench_free(bench);
    }
}

/* What nobody asked for while credentials are being made is an answer to nobody. */
static void answers_that_come_early(void **state)
{
    (void)state;
    for (unsigned step = 0; step < 2; step++) {
        struct bench *bench = at_step(step);
        answer_raw(bench, XRO_STREAM_LOGIN, XRO_KXR_OK, 0, "", 0);
        assert_state(bench, step ? XRO_CALL_MAKE : XRO_CALL_CHOOSE);
        assert_int_equal(bench->op->stray_count, 1);
        if (step == 0)
            choose(bench, 0);
        give(bench, "unix", SECRET);
        answer(bench, XRO_KXR_OK, "", 0);
        finish_open(bench);
        bench_free(bench);
    }
}

/* A message of the server's in the same packet, behind the list of methods or behind a kXR_authmore, must not take their
 * memory: it is longer than the room that answers have at first. (Its length alone was enough.) */
static void messages_do_not_take_the_memory(void **state)
{
    (void)state;
    for (unsigned step = 0; step < 2; step++) {
        struct bench *bench = at_step(step ? 2 : 0);
        char list[8000] = "";
        if (step)
            answer(bench, XRO_KXR_AUTHMORE, "continue", 8);
        memset(list, 'x', sizeof list - 1);
        answer_raw(bench, XRO_STREAM_SERVER, XRO_KXR_ATTN, sizeof list, list, step ? sizeof list : 1);
        if (step) {
            assert_int_equal(bench->client.more.length, 8);
            assert_int_equal(memcmp(bench->client.more.bytes, "continue", 8), 0);      /* which a sanitizer sees */
        } else {
            assert_int_equal(bench->client.token.length, 7);
            assert_int_equal(memcmp(bench->client.token.bytes, "&P=unix", 7), 0);
        }
        bench_free(bench);
    }
}

/* --- secrets ---------------------------------------------------------------------------------------------------------- */

static void assert_no_secret(const struct xro_buf *buf)
{
    const size_t length = strlen(SECRET);

    for (size_t i = 0; i + length <= buf->room; i++)
        assert_memory_not_equal(buf->bytes + i, SECRET, length);
}

/* Credentials that have been answered are nowhere in the buffer that they went out from. */
static void credentials_are_wiped(void **state)
{
    static const uint16_t ways[] = { XRO_KXR_OK, XRO_KXR_AUTHMORE, XRO_KXR_ERROR, XRO_KXR_REDIRECT };

    (void)state;
    for (size_t i = 0; i < LENGTH(ways); i++) {
        struct bench *bench = at_step(2);
        struct xro_link *link = link_of(bench);
        assert_memory_equal(link->out.bytes + XRO_REQUEST_HEADER_SIZE, SECRET, strlen(SECRET));
        answer(bench, ways[i], "\0\0\v\326no", ways[i] == XRO_KXR_OK ? 0 : 6);
        assert_no_secret(&link->out);
        bench_free(bench);
    }
}

/* The same where no answer came. */
static void credentials_are_wiped_without_an_answer(void **state)
{
    (void)state;
    for (unsigned lost = 0; lost < 2; lost++) {
        struct bench *bench = at_step(2);
        struct xro_link *link = link_of(bench);
        if (lost)
            xro_client_broke(&bench->client, link, XRO_CLOSED, 0);
        else
            xro_client_expired(&bench->client);
        assert_no_secret(&link->out);
        bench_free(bench);
    }
}

/* --- several hops ------------------------------------------------------------------------------------------------------ */

static void redirected(struct bench *bench, const char *host)
{
    take(bench, XRO_KXR_OPEN);
    answer_coded(bench, XRO_KXR_REDIRECT, 1094, host);
}

static void each_hop_authenticates(void **state)
{
    struct bench *bench = at_choice("&P=host");

    (void)state;
    choose(bench, 0);
    give(bench, "host", "host");
    answer(bench, XRO_KXR_OK, "", 0);
    redirected(bench, "second");
    arrive_at_choice(bench, "&P=unix", 0, 0);
    choose(bench, 0);
    pass(bench, 60);
    give(bench, "unix", SECRET);
    answer(bench, XRO_KXR_OK, "", 0);
    finish_open(bench);
    assert_int_equal(bench->op->hop_count, 2);
    assert_attempt(bench, 0, "host", XRO_AUTH_OUTCOME_GOOD, 1, "");
    assert_attempt(bench, 1, "unix", XRO_AUTH_OUTCOME_GOOD, 1, "");
    assert_int_equal(attempt(bench, 0)->hop, 0);
    assert_int_equal(attempt(bench, 1)->hop, 1);
    assert_int_equal(bench->op->hops[0].phase[XRO_PHASE_AUTH], 0);
    assert_int_equal(bench->op->hops[1].phase[XRO_PHASE_AUTH], 60);
    begin(bench, XRO_OP_CLOSE);
    take(bench, XRO_KXR_CLOSE);
    answer(bench, XRO_KXR_OK, "", 0);
    assert_ended(bench, XRO_OK);
    assert_int_equal(bench->op->attempt_count, 0);      /* the connection was kept, and the login with it */
    bench_free(bench);
}

/* A hop behind one that took up all the room for attempts: its methods are counted, take all the rounds that they need, and
 * when none is left, what the server offered is shown: not the memory that it lay in before its last answer came. */
static struct bench *without_room(void)
{
    struct bench *bench = at_choice("&P=host");

    for (unsigned i = 0; i < XRO_ATTEMPT_ROOM; i++)
        xro_client_passed_over(&bench->client, "foo", XRO_AUTH_OUTCOME_SKIPPED, "no", 0);
    choose(bench, 0);
    give(bench, "host", "host");
    answer(bench, XRO_KXR_OK, "", 0);
    redirected(bench, "second");
    arrive_at_choice(bench, "&P=unix", 0, 0);
    choose(bench, 0);
    give(bench, "unix", SECRET);
    return bench;
}

static void rounds_without_room(void **state)
{
    struct bench *bench = without_room();

    (void)state;
    answer(bench, XRO_KXR_AUTHMORE, "more", 4);
    assert_state(bench, XRO_CALL_MAKE);
    give(bench, "unix", SECRET);
    answer(bench, XRO_KXR_OK, "", 0);
    finish_open(bench);
    assert_int_equal(bench->op->attempt_count, XRO_ATTEMPT_ROOM + 2);
    bench_free(bench);
}

static void exhausted_without_room(void **state)
{
    struct bench *bench = without_room();
    char text[8000];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    answer_error(bench, 3030, text);            /* longer than the room that answers have at first: it moves */
    xro_client_no_more_methods(&bench->client);
    assert_ended(bench, XRO_AUTH);
    assert_null(strstr(bench->op->error.text, "xxx"));
    bench_free(bench);
}

/* --- signing ----------------------------------------------------------------------------------------------------------- */

/* The kXR_sigver of number SEQUENCE that is next to go out, and behind it the request that it signs. */
static void take_signed(struct bench *bench, uint16_t code, uint64_t sequence, size_t hashed)
{
    size_t length;
    const uint8_t *bytes = xro_link_output(link_of(bench), &length);
    uint8_t number[8], digest[XRO_SHA256_SIZE], body[16] = { 0 };
    struct xro_sha256 sum;
    uint16_t stream;

    for (unsigned i = 0; i < 8; i++)
        number[i] = (uint8_t)(sequence >> 8 * (7 - i));
    assert_true(length >= SIGVER_SIZE + XRO_REQUEST_HEADER_SIZE);
    xro_sha256_begin(&sum);
    xro_sha256_add(&sum, number, sizeof number);
    xro_sha256_add(&sum, bytes + SIGVER_SIZE, XRO_REQUEST_HEADER_SIZE + hashed);
    xro_sha256_end(&sum, digest);
    body[0] = (uint8_t)(code >> 8);
    body[1] = (uint8_t)code;
    body[3] = hashed == 0 ? XRO_KXR_NODATA : 0;
    memcpy(body + 4, number, sizeof number);
    body[12] = XRO_KXR_SHA256;
    take(bench, XRO_KXR_SIGVER);
    stream = bench->stream;
    assert_memory_equal(bench->request.body, body, sizeof body);
    assert_int_equal(bench->request.length, XRO_SHA256_SIZE);
    assert_memory_equal(bench->path, digest, sizeof digest);
    take(bench, code);
    assert_int_equal(bench->stream, stream);
    assert_int_equal(output_length(bench), 0);
}

static struct bench *logged_in(uint8_t options, uint8_t level)
{
    struct bench *bench = new_bench();

    begin(bench, XRO_OP_OPEN);
    arrive_at_choice(bench, "&P=unix", options, level);
    choose(bench, 0);
    give(bench, "unix", SECRET);
    answer(bench, XRO_KXR_OK, "", 0);
    assert_state(bench, XRO_CALL_REQUEST);
    return bench;
}

static void signed_when_forced(void **state)
{
    struct bench *bench = logged_in(XRO_KXR_SECOFRCE, 4);

    (void)state;
    take_signed(bench, XRO_KXR_OPEN, 1, strlen("/data/file"));
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
    begin_read(bench, 0, 4);
    take_signed(bench, XRO_KXR_READ, 2, 0);
    answer(bench, XRO_KXR_OK, "data", 4);
    assert_ended(bench, XRO_OK);
    begin(bench, XRO_OP_CLOSE);
    take_signed(bench, XRO_KXR_CLOSE, 3, 0);
    answer(bench, XRO_KXR_OK, "", 0);
    assert_ended(bench, XRO_OK);
    bench_free(bench);
}

/* Without a session key, and not forced: the server does not look. At a low level reading is not signed. */
static void not_signed(void **state)
{
    static const struct { uint8_t options, level; } cases[] = { { 0, 4 }, { 0, 0 }, { XRO_KXR_SECOFRCE, 1 } };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = logged_in(cases[i].options, cases[i].level);
        finish_open(bench);
        bench_free(bench);
    }
}

/* A new connection counts from 1 again, and a server that does not ask who we are gets no signature. */
static void signatures_begin_again(void **state)
{
    struct bench *bench = logged_in(XRO_KXR_SECOFRCE, 4);

    (void)state;
    take_signed(bench, XRO_KXR_OPEN, 1, strlen("/data/file"));
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, 0);
    assert_ended(bench, XRO_CLOSED);
    begin(bench, XRO_OP_OPEN);
    arrive_at_choice(bench, "&P=unix", XRO_KXR_SECOFRCE, 4);
    choose(bench, 0);
    give(bench, "unix", SECRET);
    answer(bench, XRO_KXR_OK, "", 0);
    take_signed(bench, XRO_KXR_OPEN, 1, strlen("/data/file"));
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, 0);
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    answer_handshake(bench);
    answer_protocol_signed(bench, XRO_KXR_ISSERVER, XRO_KXR_SECOFRCE, 4);
    take(bench, XRO_KXR_LOGIN);
    answer_login(bench);
    finish_open(bench);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),               cmocka_unit_test(refused_then_the_next),
        cmocka_unit_test(passed_over_and_failed), cmocka_unit_test(rounds),
        cmocka_unit_test(round_limit),            cmocka_unit_test(list_exhausted),
        cmocka_unit_test(nothing_to_try),         cmocka_unit_test(limits_and_losses),
        cmocka_unit_test(connect_limit),          cmocka_unit_test(answers_that_cannot_be),
        cmocka_unit_test(answers_that_come_early), cmocka_unit_test(messages_do_not_take_the_memory),
        cmocka_unit_test(credentials_are_wiped),
        cmocka_unit_test(credentials_are_wiped_without_an_answer),
        cmocka_unit_test(each_hop_authenticates), cmocka_unit_test(rounds_without_room),
        cmocka_unit_test(exhausted_without_room), cmocka_unit_test(signed_when_forced),
        cmocka_unit_test(not_signed),             cmocka_unit_test(signatures_begin_again),
    };

    return run_in_pieces(tests, LENGTH(tests));
}
