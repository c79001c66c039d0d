/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * transcripts.c - sessions of real servers replayed to the state machine: whole, byte by byte, and in 200 random splits.
 * Each time the client says the recorded bytes, comes to the same end, and its phases add up. */
#include "transcripts/transcript.h"
#include "base/random.h"
#include "record/timeline.h"
#include "wire/client.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { SPLITS = 200, SEED = 20050715 };

/* How often a piece ends: after all, after each byte, after a random number of bytes. */
enum split { WHOLE, BYTES, RANDOM };

struct replay {
    const struct transcript *transcript;
    enum split split;
    struct xro_random random;
    struct xro_client client;
    struct xro_link *links[CONNECTIONS_MOST];
    struct xro_sample *sample;
    uint8_t byte;
    xro_ns now;
};

/* Each look at the clock costs a little: whatever is left out shows in the sum. */
static xro_ns tick(void *arg)
{
    struct replay *replay = (struct replay *)arg;

    return replay->now += 17;
}

static struct xro_link *wanted(struct replay *replay, enum xro_want want)
{
    struct xro_link *link;
    xro_ns until;

    assert_int_equal(xro_client_wants(&replay->client, &link, &until), want);
    return link;
}

static void begin_op(struct replay *replay)
{
    struct xro_op *op = &replay->sample->ops[replay->sample->op_count++];

    assert_in_range(replay->sample->op_count, 1, XRO_SLOT_COUNT);
    xro_client_begin(&replay->client, op->kind, &replay->byte, 0, 1, op);
}

static void connects(struct replay *replay, const struct event *event)
{
    struct xro_link *link = wanted(replay, XRO_WANT_ADDRESSES);
    struct xro_address address;

    assert_string_equal(link->host, event->host);
    assert_int_equal(link->port, event->port);
    xro_client_resolved(&replay->client, 0);
    assert_ptr_equal(wanted(replay, XRO_WANT_CONNECTION), link);
    assert_true(xro_address_from_literal(link->host, link->port, &address));
    replay->links[event->connection] = link;
    xro_client_connected(&replay->client, link, &address);
}

/* The client's next bytes are the recorded ones; a pause before them is slept. */
static void says(struct replay *replay, const struct event *event)
{
    struct xro_link *link;
    const uint8_t *bytes;
    size_t length;
    xro_ns until;

    if (xro_client_wants(&replay->client, &link, &until) == XRO_WANT_TIME) {
        replay->now = until;
        xro_client_woke(&replay->client);
    }
    link = wanted(replay, XRO_WANT_BYTES);
    assert_ptr_equal(link, replay->links[event->connection]);
    bytes = xro_link_output(link, &length);
    assert_int_equal(length, event->length);
    assert_memory_equal(bytes, event->bytes, length);
    xro_link_sent(link, length);
}

static size_t piece(struct replay *replay, size_t left)
{
    if (replay->split == WHOLE)
        return left;
    return replay->split == BYTES ? 1 : (size_t)xro_random_below(&replay->random, left) + 1;
}

static void hears(struct replay *replay, const struct event *event)
{
    for (size_t i = 0; i < event->length;) {
        size_t n = piece(replay, event->length - i);
        xro_client_received(&replay->client, replay->links[event->connection], event->bytes + i, n);
        i += n;
    }
}

static void create(struct replay *replay, const struct transcript *transcript, enum split split, uint64_t seed)
{
    const struct event *first = &transcript->events[0];
    const struct xro_client_config config = {
        .clock = tick, .clock_arg = replay, .host = first->host, .port = first->port, .user = transcript->user,
        .path = transcript->path, .pipeline = transcript->pipeline, .timeout = 300 * XRO_NS_PER_S,
    };

    *replay = (struct replay){ .transcript = transcript, .split = split, .random = { seed }, .now = 1000 };
    replay->sample = xro_sample_create();
    assert_non_null(replay->sample);
    assert_int_equal(xro_client_create(&replay->client, &config), XRO_OK);
}

/* Replay the first COUNT events. Where an op is over, the next one begins. */
static void run(struct replay *replay, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &replay->transcript->events[i];
        if (replay->client.state == XRO_CALL_IDLE || replay->client.state == XRO_CALL_DONE)
            begin_op(replay);
        if (event->kind == 'c')
            connects(replay, event);
        else if (event->kind == '>')
            says(replay, event);
        else
            hears(replay, event);
    }
}

static void end(struct replay *replay)
{
    xro_client_close(&replay->client);
    xro_sample_close(replay->sample);
}

/* --- outcomes ------------------------------------------------------------------------------------------------------- */

struct expected {
    const char *name;
    uint32_t ops;
    enum xro_status status;     /* of the last op */
    int server;
    uint16_t hops;              /* of the first open */
    uint32_t waits;             /* of the first open */
    uint32_t connections;
    int64_t size;               /* of the file */
    uint64_t bytes;             /* of the read */
};

static const struct expected expectations[] = {
    { "data-good", 5, XRO_OK, 0, 1, 0, 1, 1048576, 1 },
    { "data-pipeline", 5, XRO_OK, 0, 1, 0, 1, 1048576, 1 },
    { "data-missing", 1, XRO_SERVER, XRO_KXR_NOTFOUND, 1, 0, 1, -1, 0 },
    { "data-empty", 4, XRO_OK, 0, 1, 0, 1, 0, 0 },
    { "data-directory", 1, XRO_SERVER, XRO_KXR_ISDIRECTORY, 1, 0, 1, -1, 0 },
    { "data-unreadable", 1, XRO_SERVER, XRO_KXR_NOTAUTHORIZED, 1, 0, 1, -1, 0 },
    { "manager-good", 5, XRO_OK, 0, 2, 0, 3, 1048576, 1 },
    { "manager-pipeline", 5, XRO_OK, 0, 2, 0, 3, 1048576, 1 },
    { "manager-missing", 1, XRO_SERVER, XRO_KXR_NOTFOUND, 1, 1, 1, -1, 0 },
};

static void check_op(const struct xro_op *op)
{
    assert_true(op->done);
    assert_true(xro_op_sum(op) == op->total);
    assert_true(op->total > 0);
    assert_int_equal(op->stray_count, 0);
    for (uint16_t i = 0; i + 1 < op->hop_count; i++)
        assert_int_equal(op->hops[i].ending, XRO_ENDING_REDIRECTED);
    assert_int_equal(op->hops[op->hop_count - 1].ending, op->error.status == XRO_OK ? XRO_ENDING_ANSWERED : XRO_ENDING_REFUSED);
}

static void check(const struct replay *replay, const struct expected *expected)
{
    const struct xro_op *ops = replay->sample->ops, *last = &ops[replay->sample->op_count - 1];
    uint32_t connections = 0;

    assert_int_equal(replay->sample->op_count, expected->ops);
    for (uint32_t i = 0; i < expected->ops; i++)
        check_op(&ops[i]);
    assert_int_equal(last->error.status, expected->status);
    assert_int_equal(last->error.server, expected->server);
    assert_int_equal(strlen(last->error.text) > 0, expected->server != 0);
    assert_int_equal(ops[0].hop_count, expected->hops);
    assert_int_equal(ops[0].wait_count, expected->waits);
    assert_true(ops[0].size == expected->size);
    assert_true(ops[0].hops[0].pipelined == replay->transcript->pipeline);
    if (expected->ops > XRO_SLOT_READ)
        assert_true(ops[XRO_SLOT_READ].bytes == expected->bytes);
    if (expected->bytes > 0)
        assert_int_equal(replay->byte, 'o');    /* "offset 00000000" */
    for (size_t i = 0; i < replay->transcript->count; i++)
        connections += replay->transcript->events[i].kind == 'c';
    assert_int_equal(connections, expected->connections);
}

static void replayed(enum split split, uint64_t seed)
{
    static struct transcript transcript;

    for (size_t i = 0; i < LENGTH(expectations); i++) {
        struct replay replay;
        read_transcript(expectations[i].name, &transcript);
        create(&replay, &transcript, split, seed);
        run(&replay, transcript.count);
        wanted(&replay, XRO_WANT_NOTHING);      /* the last answer ended the last op */
        check(&replay, &expectations[i]);
        end(&replay);
    }
}

static void whole(void **state)
{
    (void)state;
    replayed(WHOLE, 0);
}

static void byte_by_byte(void **state)
{
    (void)state;
    replayed(BYTES, 0);
}

/* XRDOPEN_SEED chooses other splits, and repeats those of a failure. */
static void in_random_splits(void **state)
{
    const char *chosen = getenv("XRDOPEN_SEED");
    uint64_t seed = chosen ? strtoull(chosen, NULL, 10) : SEED;

    (void)state;
    for (unsigned i = 0; i < SPLITS; i++) {
        static char said[64];
        snprintf(said, sizeof said, "splits of XRDOPEN_SEED=%llu", (unsigned long long)(seed + i));
        *state = said;          /* the teardown prints it when the test has failed */
        replayed(RANDOM, seed + i);
    }
    *state = NULL;
}

static int say_seed(void **state)
{
    if (*state != NULL)
        print_error("failed in %s\n", (const char *)*state);
    return 0;
}

/* The connection is lost before each of the server's answers: an error of the op under way, its time booked. */
static void cut_off_anywhere(void **state)
{
    static struct transcript transcript;

    (void)state;
    for (size_t i = 0; i < LENGTH(expectations); i++) {
        read_transcript(expectations[i].name, &transcript);
        for (size_t cut = 1; cut < transcript.count; cut++) {
            const struct event *event = &transcript.events[cut];
            struct replay replay;
            const struct xro_op *op;
            if (event->kind != '<')
                continue;
            create(&replay, &transcript, WHOLE, 0);
            run(&replay, cut);
            op = &replay.sample->ops[replay.sample->op_count - 1];
            xro_client_broke(&replay.client, replay.links[event->connection], XRO_CLOSED, 0);
            if (replay.client.state != XRO_CALL_DONE)           /* back to the manager, or step by step */
                xro_client_interrupt(&replay.client);
            assert_int_not_equal(op->error.status, XRO_OK);
            assert_true(xro_op_sum(op) == op->total && op->total > 0);
            end(&replay);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole), cmocka_unit_test(byte_by_byte), cmocka_unit_test_teardown(in_random_splits, say_seed),
        cmocka_unit_test(cut_off_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
