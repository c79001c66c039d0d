/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * reads.c - what our client costs: reads of one byte by the engine wire against the shortest loop that can do the same on
 * the very same socket, in random blocks.
 *
 *     reads URL COUNT SEED      prints: median of the loop, median of wire, in ns, and their ratio
 *
 * URL is on a data server. Both are timed from outside, so what the engine's own stamps cost is in its figure. */
#include "base/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "base/url.h"
#include "engine/engine.h"
#include "proto/request.h"
#include "record/error_text.h"
#include "stats/series.h"
#include "stats/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BLOCK = 20, WARMUP = 200, HEAD = 8, OKSOFAR = 4000, DESCRIPTORS = 1024, STREAM = 0x7777 };

struct bench {
    struct xro_session *session;
    struct xro_sample *sample;
    int socket;
    uint8_t request[24];        /* the loop's, ready to be sent */
    struct xro_series bare, wire;
};

/* The socket that the engine has opened: the one that is connected. */
static int find_socket(void)
{
    struct sockaddr_storage peer;

    for (int fd = 0; fd < DESCRIPTORS; fd++) {
        socklen_t length = sizeof peer;
        if (getpeername(fd, (struct sockaddr *)&peer, &length) == 0 && (peer.ss_family == AF_INET || peer.ss_family == AF_INET6))
            return fd;
    }
    return -1;
}

/* How many bytes of ANSWER the final answer ends at, 0 when it is not there yet. A server may send the byte in one answer
 * (kXR_oksofar) and its end in another. */
static size_t whole(const uint8_t *answer, size_t have)
{
    size_t at = 0;

    while (have - at >= HEAD) {
        unsigned status = (unsigned)answer[at + 2] << 8 | answer[at + 3];
        size_t length = (size_t)answer[at + 4] << 24 | (size_t)answer[at + 5] << 16 | (size_t)answer[at + 6] << 8 | answer[at + 7];
        if (length > 64 || have - at < HEAD + length)
            return 0;
        at += HEAD + length;
        if (status != OKSOFAR)
            return status == 0 ? at : 0;
    }
    return 0;
}

static bool read_bare(struct bench *bench)
{
    uint8_t answer[128];
    size_t have = 0;

    if (send(bench->socket, bench->request, sizeof bench->request, 0) != (ssize_t)sizeof bench->request)
        return false;
    do {
        ssize_t n = recv(bench->socket, answer + have, sizeof answer - have, 0);
        if (n <= 0)
            return false;
        have += (size_t)n;
    } while (whole(answer, have) == 0);
    return answer[HEAD - 1] == 1 && answer[0] == STREAM >> 8;
}

static bool read_wire(struct bench *bench)
{
    struct xro_op *op = &bench->sample->ops[XRO_SLOT_READ];
    uint8_t byte;

    return bench->session->engine->perform(bench->session, XRO_OP_READ, &byte, 0, 1, op) == XRO_OK && op->bytes == 1;
}

static bool time_block(struct bench *bench, bool (*read_one)(struct bench *), unsigned count, struct xro_series *to)
{
    for (unsigned i = 0; i < count; i++) {
        xro_ns begin = xro_clock_now();
        if (!read_one(bench))
            return false;
        xro_ns spent = xro_clock_now() - begin;
        if (to != NULL && xro_series_add(to, spent) != XRO_OK)
            return false;
    }
    return true;
}

static bool begin(struct bench *bench, struct xro_settings *settings)
{
    const struct xro_engine *engine = &xro_engine_wire;
    struct xro_error error = { .status = XRO_OK };
    struct xro_out out = xro_out(bench->request, sizeof bench->request);
    static const struct xro_handle first;       /* the first handle of a session is 0 */
    char text[XRO_MESSAGE_SIZE];
    struct xro_op *op = &bench->sample->ops[XRO_SLOT_FIRST_OPEN];

    if (engine->start(engine, settings, &bench->session, &error) != XRO_OK)
        return false;
    if (engine->perform(bench->session, XRO_OP_OPEN, NULL, 0, 0, op) != XRO_OK) {
        fprintf(stderr, "reads: %s\n", xro_error_format(&op->error, op, text, sizeof text));
        return false;
    }
    xro_put_read(&out, STREAM, first, 0, 1);
    bench->socket = find_socket();
    return bench->socket >= 0 && !out.bad;
}

static double median(const struct xro_series *series)
{
    struct xro_series sorted = { 0 };
    double value = xro_series_sorted(series, &sorted) == XRO_OK ? xro_median(sorted.values, sorted.count) : 0;

    xro_series_free(&sorted);
    return value;
}

static bool measure(struct bench *bench, uint64_t count, uint64_t seed)
{
    struct xro_random random = { .state = seed };

    if (!time_block(bench, read_bare, WARMUP, NULL) || !time_block(bench, read_wire, WARMUP, NULL))
        return false;
    while (bench->bare.count < count || bench->wire.count < count) {
        bool bare = bench->wire.count >= count || (bench->bare.count < count && xro_random_below(&random, 2) == 0);
        if (!time_block(bench, bare ? read_bare : read_wire, BLOCK, bare ? &bench->bare : &bench->wire))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct xro_settings settings = { .timeout = 600 * XRO_NS_PER_S };
    struct bench bench = { .sample = xro_sample_create() };
    uint64_t count, seed;
    bool good;

    if (argc != 4 || xro_url_parse(argv[1], &settings.url) != NULL || xro_parse_count(argv[2], &count) != XRO_OK
        || xro_parse_count(argv[3], &seed) != XRO_OK || bench.sample == NULL) {
        fprintf(stderr, "usage: reads URL COUNT SEED\n");
        return 2;
    }
    settings.target = argv[1];
    good = begin(&bench, &settings) && measure(&bench, count, seed);
    if (good)
        printf("%.0f %.0f %.3f\n", median(&bench.bare), median(&bench.wire), median(&bench.wire) / median(&bench.bare));
    else
        fprintf(stderr, "reads: %s: a read failed\n", argv[1]);
    if (bench.session != NULL)
        bench.session->engine->stop(bench.session);
    xro_sample_close(bench.sample);
    xro_series_free(&bench.bare);
    xro_series_free(&bench.wire);
    return good ? 0 : 1;
}
