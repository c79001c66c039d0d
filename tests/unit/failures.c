/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * failures.c - the n-th allocation, socket, connect, send or recv fails, for n = 1, 2, ... until a whole sample passes.
 * Whatever fails: no crash, no leak (the address sanitizer looks), a status with its phase and hop, and all time booked.
 *
 * The sample talks over real sockets to a thread that repeats a transcript. The functions that fail are wrapped by the
 * linker, and fail in the thread that takes the sample only. */
#include "transcripts/transcript.h"
#include "measure/sequence.h"
#include "record/timeline.h"
#include "wire/resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* --- calls that fail ------------------------------------------------------------------------------------------------- */

enum call { MEMORY, SOCKET, CONNECT, SEND, RECV, CALLS };

enum { HUNG_UP = -1, ONE_BYTE = -2 };   /* in place of an errno: recv gives 0; every send and recv moves one byte only */

static _Thread_local bool armed;        /* this thread takes the sample */
static unsigned counts[CALLS];
static struct { enum call call; unsigned at; int system; } fault;

/* Count a CALL; true when it is the one to fail, with errno set. */
static bool fails(enum call call)
{
    if (!armed || ++counts[call] != fault.at || fault.call != call)
        return false;
    errno = fault.system > 0 ? fault.system : 0;
    return true;
}

static size_t at_once(size_t n)
{
    return armed && fault.system == ONE_BYTE && n > 1 ? 1 : n;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_socket(int family, int type, int protocol);
int __real_connect(int fd, const struct sockaddr *address, socklen_t length);
ssize_t __real_send(int fd, const void *bytes, size_t n, int flags);
ssize_t __real_recv(int fd, void *bytes, size_t n, int flags);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_socket(int family, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length);
ssize_t __wrap_send(int fd, const void *bytes, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t n, int flags);

void *__wrap_malloc(size_t size) { return fails(MEMORY) ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails(MEMORY) ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails(MEMORY) ? NULL : __real_realloc(old, size); }
int __wrap_socket(int family, int type, int protocol) { return fails(SOCKET) ? -1 : __real_socket(family, type, protocol); }

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    return fails(CONNECT) ? -1 : __real_connect(fd, address, length);
}

ssize_t __wrap_send(int fd, const void *bytes, size_t n, int flags)
{
    return fails(SEND) ? -1 : __real_send(fd, bytes, at_once(n), flags);
}

ssize_t __wrap_recv(int fd, void *bytes, size_t n, int flags)
{
    if (fails(RECV))
        return fault.system == HUNG_UP ? 0 : -1;
    return __real_recv(fd, bytes, at_once(n), flags);
}

/* --- the server ------------------------------------------------------------------------------------------------------ */

static struct server {
    struct transcript transcript;
    uint16_t recorded[CONNECTIONS_MOST], ports[CONNECTIONS_MOST];   /* of its servers: as recorded, as here */
    int listeners[CONNECTIONS_MOST];
    size_t listener_count;
    int fds[CONNECTIONS_MOST];  /* of connections, -1: none */
    int stop[2];                /* a pipe: closed to end the thread */
    pthread_t thread;
} server;

static size_t listener_of(uint16_t recorded)
{
    size_t i = 0;

    while (i < server.listener_count && server.recorded[i] != recorded)
        i++;
    return i;
}

static void add_listener(uint16_t recorded)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof address;
    size_t i = server.listener_count++;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    server.listeners[i] = fd;
    server.recorded[i] = recorded;
    server.ports[i] = ntohs(address.sin_port);
}

/* Redirects lead to our own ports. */
static void patch_redirect(struct event *event)
{
    struct xro_in in = xro_in(event->bytes, event->length);
    size_t i;

    if (event->kind != '<' || event->length < 12 || event->bytes[2] != XRO_KXR_REDIRECT >> 8
        || event->bytes[3] != (XRO_KXR_REDIRECT & 255))
        return;
    xro_in_take(&in, 8);
    i = listener_of((uint16_t)xro_in_u32(&in));
    assert_true(i < server.listener_count);
    event->bytes[10] = (uint8_t)(server.ports[i] >> 8);
    event->bytes[11] = (uint8_t)server.ports[i];
}

/* FD has something within a second, and no other connection has news that is not in the transcript: those say that the
 * client has left it. */
static bool ready(int fd)
{
    struct pollfd fds[CONNECTIONS_MOST + 2] = { { .fd = fd, .events = POLLIN }, { .fd = server.stop[0], .events = POLLIN } };
    nfds_t count = 2;

    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        if (server.fds[i] >= 0 && server.fds[i] != fd)
            fds[count++] = (struct pollfd){ .fd = server.fds[i], .events = POLLIN };
    return poll(fds, count, 1000) > 0 && fds[0].revents != 0 && fds[1].revents == 0;
}

static bool accept_one(const struct event *event)
{
    int listener = server.listeners[listener_of(event->port)];

    return ready(listener) && (server.fds[event->connection] = accept(listener, NULL, NULL)) >= 0;
}

/* As many bytes as the recorded client said; whether they are the same is another test's affair. */
static bool hear(const struct event *event)
{
    uint8_t bytes[EVENT_BYTES_MOST];
    size_t got = 0;

    while (got < event->length) {
        ssize_t n = ready(server.fds[event->connection]) ? recv(server.fds[event->connection], bytes, event->length - got, 0) : -1;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static bool say(const struct event *event)
{
    return send(server.fds[event->connection], event->bytes, event->length, MSG_NOSIGNAL) == (ssize_t)event->length;
}

static void hang_up_all(void)
{
    for (size_t i = 0; i < CONNECTIONS_MOST; i++) {
        if (server.fds[i] >= 0)
            close(server.fds[i]);
        server.fds[i] = -1;
    }
}

/* One sample's worth; false when the client left the transcript. */
static bool play(void)
{
    for (size_t i = 0; i < server.transcript.count; i++) {
        const struct event *event = &server.transcript.events[i];
        bool good = event->kind == 'c' ? accept_one(event) : event->kind == '>' ? hear(event) : say(event);
        if (!good)
            return false;
    }
    return true;
}

static void *serve(void *arg)
{
    struct pollfd stop = { .fd = server.stop[0], .events = POLLIN };

    (void)arg;
    while (poll(&stop, 1, 0) == 0) {
        play();
        hang_up_all();
    }
    return NULL;
}

static void start_server(const char *name)
{
    memset(&server, 0, sizeof server);
    read_transcript(name, &server.transcript);
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        server.fds[i] = -1;
    for (size_t i = 0; i < server.transcript.count; i++)
        if (server.transcript.events[i].kind == 'c' && listener_of(server.transcript.events[i].port) == server.listener_count)
            add_listener(server.transcript.events[i].port);
    for (size_t i = 0; i < server.transcript.count; i++)
        patch_redirect(&server.transcript.events[i]);
    assert_int_equal(pipe(server.stop), 0);
    assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

static void stop_server(void)
{
    close(server.stop[1]);
    pthread_join(server.thread, NULL);
    close(server.stop[0]);
    for (size_t i = 0; i < server.listener_count; i++)
        close(server.listeners[i]);
}

/* --- samples ---------------------------------------------------------------------------------------------------------- */

static void check_op(const struct xro_op *op)
{
    assert_true(op->done);
    assert_true(xro_op_sum(op) == op->total);
    if (op->error.status == XRO_OK)
        return;
    assert_in_range(op->error.phase, 0, XRO_PHASE_COUNT - 1);
    assert_in_range(op->error.hop, 0, op->hop_count - 1);
}

static int last_system;         /* errno in the last sample's error */

/* A sample with the present fault; its status, and what went wrong in *PHASE. */
static enum xro_status take_sample(enum xro_phase *phase)
{
    char target[300];
    struct xro_job job = { .engine = &xro_engine_wire, .settings = { .target = target, .timeout = 20 * XRO_NS_PER_S } };
    struct xro_sample *sample = xro_sample_create();
    const struct xro_error *error;
    enum xro_status status;

    assert_non_null(sample);
    job.settings.pipeline = server.transcript.pipeline;
    snprintf(target, sizeof target, "root://127.0.0.1:%u/%s", server.ports[0], server.transcript.path);
    assert_null(xro_url_parse(target, &job.settings.url));
    memset(counts, 0, sizeof counts);
    armed = true;
    status = xro_sequence_run(&job, sample);
    armed = false;
    error = xro_sample_error(sample);
    assert_int_equal(error ? error->status : XRO_OK, status);
    for (uint32_t i = 0; i < sample->op_count; i++)
        check_op(&sample->ops[i]);
    assert_int_equal(sample->op_count == XRO_SLOT_COUNT, status == XRO_OK || error == &sample->ops[XRO_SLOT_SECOND_CLOSE].error);
    *phase = error ? error->phase : XRO_PHASE_OTHER;
    last_system = error ? error->system : 0;
    xro_sample_close(sample);
    return status;
}

struct loop {
    enum call call;
    int system;
    enum xro_status status;     /* what the sample comes to; XRO_OK: it goes on as if nothing had been */
    unsigned least;             /* so often the call is made, at least */
};

static const struct loop loops[] = {
    { MEMORY, ENOMEM, XRO_MEMORY, 5 },
    { SOCKET, EMFILE, XRO_CONNECT, 1 },      { SOCKET, EAFNOSUPPORT, XRO_CONNECT, 1 },
    { CONNECT, ECONNREFUSED, XRO_CONNECT, 1 }, { CONNECT, ENETUNREACH, XRO_CONNECT, 1 },
    { SEND, ECONNRESET, XRO_CLOSED, 5 },     { SEND, EPIPE, XRO_CLOSED, 5 },     { SEND, EIO, XRO_IO, 5 },
    { SEND, EAGAIN, XRO_OK, 5 },             { SEND, EINTR, XRO_OK, 5 },
    { RECV, ECONNRESET, XRO_CLOSED, 5 },     { RECV, HUNG_UP, XRO_CLOSED, 5 },   { RECV, EIO, XRO_IO, 5 },
    { RECV, EAGAIN, XRO_OK, 5 },             { RECV, EINTR, XRO_OK, 5 },
};

/* A failure with a manager behind it, or of a flight, is tried again, and the server plays along no further: what comes of
 * it then is another failure, of that second try. */
static bool is_retried(void)
{
    return server.listener_count > 1 || server.transcript.pipeline;
}

static bool fits(enum xro_status status, enum xro_status expected)
{
    if (expected == XRO_OK || expected == XRO_MEMORY || !is_retried())
        return status == expected;
    return status == expected || status == XRO_CLOSED || status == XRO_CONNECT;
}

static void run_loop(const struct loop *loop)
{
    for (unsigned n = 1; n < 200; n++) {
        enum xro_phase phase;
        enum xro_status status;
        fault.call = loop->call;
        fault.at = n;
        fault.system = loop->system;
        status = take_sample(&phase);
        if (counts[loop->call] < n) {                   /* nothing failed any more */
            assert_int_equal(status, XRO_OK);
            if (n <= loop->least)
                fail_msg("call %d was made %u times only", (int)loop->call, n - 1);
            return;
        }
        if (!fits(status, loop->status))
            fail_msg("call %d number %u fails with %d: the sample ends with %s in %s", (int)loop->call, n, loop->system,
                     xro_status_key(status), xro_phase_name(phase));
        if (!is_retried() && status != XRO_OK && status != XRO_MEMORY)
            assert_int_equal(last_system, loop->system == HUNG_UP ? 0 : loop->system);
    }
    fail_msg("the sample never passes");
}

static void run_loops(const char *name)
{
    start_server(name);
    for (size_t i = 0; i < LENGTH(loops); i++)
        run_loop(&loops[i]);
    stop_server();
}

static void at_a_data_server(void **state)
{
    (void)state;
    run_loops("data-good");
}

static void through_a_manager(void **state)
{
    (void)state;
    run_loops("manager-good");
}

static void in_one_flight(void **state)
{
    (void)state;
    run_loops("data-pipeline");
}

/* Each send and each recv moves one byte: slower, else the same. */
static void one_byte_at_a_time(void **state)
{
    static const char *const names[] = { "data-good", "manager-good", "data-pipeline" };

    (void)state;
    for (size_t i = 0; i < LENGTH(names); i++) {
        enum xro_phase phase;
        start_server(names[i]);
        fault.call = CALLS;
        fault.at = 0;
        fault.system = ONE_BYTE;
        assert_int_equal(take_sample(&phase), XRO_OK);
        assert_in_range(counts[SEND], 200, 100000);
        assert_in_range(counts[RECV], 200, 100000);
        stop_server();
    }
}

static void nothing_to_begin_with(void **state)
{
    (void)state;
    fault.call = MEMORY;
    fault.at = 1;
    fault.system = ENOMEM;
    counts[MEMORY] = 0;
    armed = true;
    struct xro_sample *sample = xro_sample_create();
    armed = false;
    assert_null(sample);
    counts[MEMORY] = 0;
    armed = true;
    struct xro_resolver *resolver = xro_resolve_begin("127.0.0.1", 1, AF_INET);
    armed = false;
    assert_null(resolver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_a_data_server), cmocka_unit_test(through_a_manager), cmocka_unit_test(in_one_flight),
        cmocka_unit_test(one_byte_at_a_time), cmocka_unit_test(nothing_to_begin_with),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
