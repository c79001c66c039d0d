/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client_bench.h - the client's state machine on a bench: no sockets, a clock that the test turns by hand, and a server of
 * single answers. Every op that ends here is held to the invariant: its phases add up to its total. */
#ifndef XRO_TESTS_CLIENT_BENCH_H
#define XRO_TESTS_CLIENT_BENCH_H

#include "record/timeline.h"
#include "wire/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define SECOND XRO_NS_PER_S

enum { BENCH_START = 5000, BENCH_DATA = 64 };

/* Answers are fed in pieces of so many bytes; 0: whole. main() runs the tests for several. */
static size_t bench_chunk;

struct bench {
    struct xro_client client;
    struct xro_client_config config;
    struct xro_sample *sample;
    struct xro_op *op;          /* the one under way, or the last */
    unsigned ops;
    xro_ns now;
    xro_ns tick;                /* each look at the clock costs this */
    uint16_t stream;            /* of the last request taken */
    struct xro_request request;
    char path[XRO_BODY_MAX + 1];        /* its payload */
    uint8_t data[BENCH_DATA];
};

static inline xro_ns bench_clock(void *arg)
{
    struct bench *bench = (struct bench *)arg;

    bench->now += bench->tick;
    return bench->now;
}

/* What most tests want; they may change the config before bench_create(). */
static inline struct bench *bench_new(void)
{
    struct bench *bench = (struct bench *)calloc(1, sizeof *bench);

    assert_non_null(bench);
    bench->now = BENCH_START;
    bench->config = (struct xro_client_config){
        .clock = bench_clock, .clock_arg = bench, .host = "first", .port = 1094, .user = "alice", .path = "/data/file",
        .pid = 4711, .timeout = 30 * SECOND,
    };
    bench->sample = xro_sample_create();
    assert_non_null(bench->sample);
    return bench;
}

static inline struct bench *bench_create(struct bench *bench)
{
    assert_int_equal(xro_client_create(&bench->client, &bench->config), XRO_OK);
    return bench;
}

static inline void bench_free(struct bench *bench)
{
    xro_client_close(&bench->client);
    xro_sample_close(bench->sample);
    free(bench);
}

static inline void pass(struct bench *bench, xro_ns time)
{
    bench->now += time;
}

/* A further op; the sample's places are used in turn. */
static inline void begin(struct bench *bench, enum xro_op_kind kind)
{
    bench->op = &bench->sample->ops[bench->ops++ % XRO_SLOT_COUNT];
    memset(bench->data, '#', sizeof bench->data);
    xro_client_begin(&bench->client, kind, bench->data, 0, 10, bench->op);
}

/* A read of SIZE bytes at OFFSET. */
static inline void begin_read(struct bench *bench, uint64_t offset, uint32_t size)
{
    bench->op = &bench->sample->ops[bench->ops++ % XRO_SLOT_COUNT];
    memset(bench->data, '#', sizeof bench->data);
    xro_client_begin(&bench->client, XRO_OP_READ, bench->data, offset, size, bench->op);
}

static inline struct xro_link *link_of(const struct bench *bench)
{
    struct xro_link *link;
    xro_ns until;

    xro_client_wants(&bench->client, &link, &until);
    return link;
}

static inline xro_ns until_of(const struct bench *bench)
{
    struct xro_link *link;
    xro_ns until;

    xro_client_wants(&bench->client, &link, &until);
    return until;
}

static inline void assert_wants(const struct bench *bench, enum xro_want want)
{
    struct xro_link *link;
    xro_ns until;

    assert_int_equal(xro_client_wants(&bench->client, &link, &until), want);
}

static inline void assert_state(const struct bench *bench, enum xro_call_state state)
{
    if (bench->client.state != state)
        fail_msg("in state %s, not %s", xro_call_state_name(bench->client.state), xro_call_state_name(state));
}

/* The op has ended with STATUS; what holds for every op holds for it. */
static inline void assert_ended(const struct bench *bench, enum xro_status status)
{
    const struct xro_op *op = bench->op;

    assert_state(bench, XRO_CALL_DONE);
    assert_wants(bench, XRO_WANT_NOTHING);
    if (op->error.status != status)
        fail_msg("ended with %s (%s, %s), not %s", xro_status_key(op->error.status), op->error.detail ? op->error.detail : "-",
                 op->error.text, xro_status_key(status));
    assert_true(op->done);
    assert_true(xro_op_sum(op) == op->total);
    assert_true(op->total == bench->now - op->begin);
    assert_in_range(op->hop_count, 1, XRO_HOP_ROOM);
    for (uint32_t i = 1; i < xro_kept(op->span_count, op->span_room); i++)
        assert_true(op->spans[i - 1].begin <= op->spans[i].begin && op->spans[i].begin <= op->total);
    if (status != XRO_OK)
        assert_in_range(op->error.hop, 0, op->hop_count - 1);
}

static inline void assert_phase(const struct bench *bench, enum xro_phase phase, xro_ns time)
{
    if (xro_op_phase(bench->op, phase) != time)
        fail_msg("phase %s has %llu ns, not %llu", xro_phase_name(phase),
                 (unsigned long long)xro_op_phase(bench->op, phase), (unsigned long long)time);
}

/* --- the way to a server ------------------------------------------------------------------------------------------ */

static inline void resolved(struct bench *bench)
{
    assert_wants(bench, XRO_WANT_ADDRESSES);
    xro_client_resolved(&bench->client, 0);
}

/* Connected to 10.0.0.LAST. */
static inline void connected_to(struct bench *bench, const char *literal)
{
    struct xro_link *link = link_of(bench);
    struct xro_address address;

    assert_wants(bench, XRO_WANT_CONNECTION);
    assert_true(xro_address_from_literal(literal, link->port, &address));
    xro_client_connected(&bench->client, link, &address);
}

static inline void connected(struct bench *bench)
{
    connected_to(bench, "10.0.0.1");
}

/* --- what the client sends ----------------------------------------------------------------------------------------- */

static inline size_t output_length(const struct bench *bench)
{
    size_t length;

    xro_link_output(link_of(bench), &length);
    return length;
}

static inline void take_handshake(struct bench *bench)
{
    static const uint8_t handshake[XRO_HANDSHAKE_SIZE] = { [15] = 4, [18] = 0x07, [19] = 0xdc };
    size_t length;
    const uint8_t *bytes = xro_link_output(link_of(bench), &length);

    assert_true(length >= sizeof handshake);
    assert_memory_equal(bytes, handshake, sizeof handshake);
    xro_link_sent(link_of(bench), sizeof handshake);
}

/* The next request, which is CODE. */
static inline void take(struct bench *bench, uint16_t code)
{
    size_t length;
    const uint8_t *bytes = xro_link_output(link_of(bench), &length);
    struct xro_in in = xro_in(bytes, length);

    assert_true(xro_get_request(&in, &bench->request));
    if (bench->request.code != code)
        fail_msg("sent %s, not %s", xro_kxr_request_name(bench->request.code), xro_kxr_request_name(code));
    assert_true(bench->request.length <= in.left && bench->request.length <= XRO_BODY_MAX);
    memcpy(bench->path, in.at, bench->request.length);
    bench->path[bench->request.length] = '\0';
    bench->stream = bench->request.stream;
    xro_link_sent(link_of(bench), XRO_REQUEST_HEADER_SIZE + bench->request.length);
}

/* The next request, which is CODE with PATH, and nothing after it. */
static inline void take_path(struct bench *bench, uint16_t code, const char *path)
{
    take(bench, code);
    assert_string_equal(bench->path, path);
    assert_int_equal(output_length(bench), 0);
}

/* --- what the server says ------------------------------------------------------------------------------------------ */

/* Bytes from the server at LINK, out of memory of exactly their size. */
static inline void feed_link(struct bench *bench, struct xro_link *link, const void *bytes, size_t n)
{
    size_t chunk = bench_chunk ? bench_chunk : n;

    for (size_t i = 0; i < n; i += chunk) {
        size_t part = n - i < chunk ? n - i : chunk;
        uint8_t *copy = (uint8_t *)malloc(part);
        assert_non_null(copy);
        memcpy(copy, (const uint8_t *)bytes + i, part);
        xro_client_received(&bench->client, link, copy, part);
        free(copy);
    }
}

static inline void feed(struct bench *bench, const void *bytes, size_t n)
{
    feed_link(bench, link_of(bench), bytes, n);
}

static inline size_t put_message(uint8_t *to, uint16_t stream, uint16_t status, uint32_t length, const void *body, size_t n)
{
    struct xro_out out = xro_out(to, XRO_ANSWER_HEADER_SIZE + n);

    xro_put_answer(&out, (struct xro_answer){ stream, status, length });
    xro_out_bytes(&out, body, n);
    assert_false(out.bad);
    return XRO_ANSWER_HEADER_SIZE + n;
}

/* An answer on STREAM whose header says LENGTH, with N bytes of BODY. */
static inline void answer_raw(struct bench *bench, uint16_t stream, uint16_t status, uint32_t length, const void *body, size_t n)
{
    uint8_t *message = (uint8_t *)malloc(XRO_ANSWER_HEADER_SIZE + n);

    assert_non_null(message);
    feed(bench, message, put_message(message, stream, status, length, body, n));
    free(message);
}

/* To the last request. */
static inline void answer(struct bench *bench, uint16_t status, const void *body, size_t n)
{
    answer_raw(bench, bench->stream, status, (uint32_t)n, body, n);
}

/* A number and a text: error, wait, waitresp, redirect. */
static inline size_t put_coded(uint8_t *to, int32_t code, const char *text)
{
    struct xro_out out = xro_out(to, 4 + strlen(text));

    xro_out_u32(&out, (uint32_t)code);
    xro_out_bytes(&out, text, strlen(text));
    return 4 + strlen(text);
}

static inline void answer_coded(struct bench *bench, uint16_t status, int32_t code, const char *text)
{
    uint8_t *body = (uint8_t *)malloc(4 + strlen(text));

    assert_non_null(body);
    answer(bench, status, body, put_coded(body, code, text));
    free(body);
}

static inline void answer_error(struct bench *bench, int code, const char *text)
{
    answer_coded(bench, XRO_KXR_ERROR, code, text);
}

static inline void answer_handshake(struct bench *bench)
{
    uint8_t bytes[XRO_HANDSHAKE_ANSWER_SIZE];
    struct xro_out out = xro_out(bytes, sizeof bytes);

    xro_put_handshake_answer(&out, (struct xro_handshake_answer){ 0x511, 1 });
    feed(bench, bytes, sizeof bytes);
}

static inline void answer_protocol(struct bench *bench, uint32_t flags)
{
    uint8_t body[8];
    struct xro_out out = xro_out(body, sizeof body);

    xro_out_u32(&out, 0x511);
    xro_out_u32(&out, flags);
    answer_raw(bench, XRO_STREAM_PROTOCOL, XRO_KXR_OK, sizeof body, body, sizeof body);
}

static inline void answer_login(struct bench *bench)
{
    answer_raw(bench, XRO_STREAM_LOGIN, XRO_KXR_OK, 16, "0123456789abcdef", 16);
}

/* An open's good answer: handle "HNDL", stat text. */
static inline void answer_open(struct bench *bench, const char *stat)
{
    char body[256] = "HNDL\0\0\0\0\0\0\0";
    size_t length = strlen(stat);

    memcpy(body + 12, stat, length + 1);
    answer(bench, XRO_KXR_OK, body, 12 + length + 1);
}

/* As a kXR_attn that holds an answer to the last request. */
static inline void answer_attn(struct bench *bench, uint16_t status, const void *body, size_t n)
{
    uint8_t message[256];
    struct xro_out out = xro_out(message, sizeof message);

    xro_out_u32(&out, XRO_KXR_ASYNRESP);
    xro_out_zero(&out, 4);
    xro_put_answer(&out, (struct xro_answer){ bench->stream, status, (uint32_t)n });
    xro_out_bytes(&out, body, n);
    assert_false(out.bad);
    answer_raw(bench, XRO_STREAM_SERVER, XRO_KXR_ATTN, (uint32_t)(16 + n), message, 16 + n);
}

/* From the beginning of a hop to a request that is out, on a server with FLAGS; the request is not yet taken. */
static inline void arrive(struct bench *bench, uint32_t flags)
{
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    answer_handshake(bench);
    answer_protocol(bench, flags);
    take(bench, XRO_KXR_LOGIN);
    answer_login(bench);
    assert_state(bench, XRO_CALL_REQUEST);
}

/* The whole of a good open at a data server. */
static inline void open_well(struct bench *bench)
{
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISSERVER);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
}

/* Run TESTS with answers that come whole, byte by byte, and in pieces of 5. */
static inline int run_in_pieces(const struct CMUnitTest *tests, size_t count)
{
    static const struct { const char *name; size_t chunk; } ways[] = { { "whole", 0 }, { "byte by byte", 1 }, { "by 5", 5 } };
    int failures = 0;

    for (size_t i = 0; i < LENGTH(ways); i++) {
        bench_chunk = ways[i].chunk;
        failures += _cmocka_run_group_tests(ways[i].name, tests, count, NULL, NULL);
    }
    return failures;
}

#endif
