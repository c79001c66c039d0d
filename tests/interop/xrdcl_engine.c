/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * xrdcl_engine.c - the engines `xrdcl` and `xrdposix` against a real data server, and against servers that are not
 * there or do not answer; and the private view of the hosts file. Speaks TAP.
 *
 * Each case runs in a process of its own, as a sample does: the libraries keep state for the life of a process, and how
 * it ends is part of the test. The server is an xrootd that is started here, unless XRDOPEN_TEST_URL names a file on
 * another one (and XRDOPEN_TEST_FILE a local copy of it): then the cases that need an own server are skipped. */
#include "base/clock.h"
#include "engine/engine.h"
#include "engine/hosts_view.h"
#include "record/timeline.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TEXT = 1024,
    FILE_BYTES = 100000,
    CASE_LIMIT_S = 40,          /* a case that takes longer hangs */
    EXIT_CHECK_FAILED = 1, EXIT_SKIPPED = 77
};

/* How much later than its deadline an op may end on a busy machine. */
static const xro_ns margin = 100 * XRO_NS_PER_MS;

static struct {
    char folder[TEXT];          /* "" when the server is somebody else's */
    pid_t pid;
    char url[TEXT];             /* of the file */
    char copy[TEXT];            /* its local copy, "" when there is none */
} server;

/* --- checks --- */

__attribute__((format(printf, 3, 4), noreturn)) static void fail(int line, const char *what, const char *format, ...)
{
    va_list rest;

    va_start(rest, format);
    printf("# line %d: %s: ", line, what);
    vprintf(format, rest);
    putchar('\n');
    va_end(rest);
    fflush(stdout);
    _exit(EXIT_CHECK_FAILED);
}

#define CHECK(e)            do { if (!(e)) fail(__LINE__, #e, "does not hold"); } while (0)
#define CHECK_INT(a, b)     check_int(__LINE__, #a " == " #b, (long long)(a), (long long)(b))
#define CHECK_BELOW(a, b)   check_below(__LINE__, #a " <= " #b, (xro_ns)(a), (xro_ns)(b))

static void check_int(int line, const char *what, long long a, long long b)
{
    if (a != b)
        fail(line, what, "%lld, %lld", a, b);
}

static void check_below(int line, const char *what, xro_ns a, xro_ns b)
{
    if (a > b)
        fail(line, what, "%.6f s, %.6f s", (double)a / 1e9, (double)b / 1e9);
}

static void skip(const char *why)
{
    printf("# skipped: %s\n", why);
    fflush(stdout);
    _exit(EXIT_SKIPPED);
}

static void need_own_server(void)
{
    if (server.folder[0] == '\0')
        skip("the server is not ours");
}

/* --- a session under test --- */

struct subject {
    struct xro_settings settings;
    char target[TEXT];
    struct xro_session *session;
    struct xro_error error;
    struct xro_sample *sample;
};

static void begin(struct subject *subject, const struct xro_engine *engine, const char *target, xro_ns timeout)
{
    enum xro_status status;

    *subject = (struct subject){ .settings = { .timeout = timeout } };
    snprintf(subject->target, sizeof subject->target, "%s", target);
    subject->settings.target = subject->target;
    CHECK(xro_url_parse(subject->target, &subject->settings.url) == NULL);
    subject->sample = xro_sample_create();
    CHECK(subject->sample != NULL);
    status = engine->start(engine, &subject->settings, &subject->session, &subject->error);
    if (status != XRO_OK)
        fail(__LINE__, "start", "%s: %s", subject->error.detail, subject->error.text);
}

static void end(struct subject *subject)
{
    subject->session->engine->stop(subject->session);
    xro_sample_close(subject->sample);
}

/* What holds for every op, however it ended. */
static void check_record(const struct subject *subject, const struct xro_op *op, enum xro_op_kind kind)
{
    CHECK(op->done);
    CHECK_INT(op->kind, kind);
    CHECK_INT(xro_op_sum(op), op->total);
    CHECK_INT(xro_op_phase(op, XRO_PHASE_CALL), op->total);
    CHECK_INT(op->hop_count, 1);
    CHECK(strcmp(op->hops[0].host, subject->settings.url.host) == 0);
    CHECK_INT(op->hops[0].port, subject->settings.url.port);
    if (op->error.status != XRO_OK) {
        CHECK_INT(op->error.hop, 0);
        CHECK_INT(op->error.phase, XRO_PHASE_CALL);
        CHECK_INT(op->bytes, 0);
    } else {
        CHECK_INT(op->hops[0].ending, XRO_ENDING_ANSWERED);
    }
    for (const char *at = op->error.text; *at != '\0'; at++)
        CHECK(*at >= ' ' && *at < 0x7f);
}

static struct xro_op *perform(struct subject *subject, enum xro_op_kind kind, void *data, uint64_t offset,
                              uint32_t size)
{
    struct xro_op *op = &subject->sample->ops[0];
    const xro_ns before = xro_clock_now();
    const enum xro_status status = subject->session->engine->perform(subject->session, kind, data, offset, size, op);
    const xro_ns after = xro_clock_now();

    CHECK_INT(status, op->error.status);
    CHECK_BELOW(before, op->begin);
    CHECK_BELOW(op->begin + op->total, after);
    check_record(subject, op, kind);
    return op;
}

static void perform_well(struct subject *subject, enum xro_op_kind kind)
{
    const struct xro_op *op = perform(subject, kind, NULL, 0, 0);

    if (op->error.status != XRO_OK)
        fail(__LINE__, xro_op_name(kind), "%s: %s", xro_status_text(op->error.status), op->error.text);
}

/* --- cases against a server that works --- */

static void same_piece(struct subject *subject, const uint8_t *whole, size_t length, uint64_t offset, uint32_t size)
{
    const size_t expected = offset >= length ? 0 : length - offset < size ? length - offset : size;
    uint8_t *data = (uint8_t *)malloc(size);
    const struct xro_op *op;

    CHECK(data != NULL);
    op = perform(subject, XRO_OP_READ, data, offset, size);
    CHECK_INT(op->error.status, XRO_OK);
    CHECK_INT(op->bytes, expected);
    CHECK(expected == 0 || memcmp(data, whole + offset, expected) == 0);
    free(data);
}

static size_t read_copy(uint8_t *whole, size_t size)
{
    FILE *from = fopen(server.copy, "rb");
    size_t length;

    if (server.copy[0] == '\0')
        skip("XRDOPEN_TEST_FILE does not name a local copy");
    CHECK(from != NULL);
    length = fread(whole, 1, size, from);
    CHECK(length > 0 && length < size);
    fclose(from);
    return length;
}

static void same_bytes(const struct xro_engine *engine)
{
    static uint8_t whole[4 << 20];
    const size_t length = read_copy(whole, sizeof whole);
    struct subject subject;

    begin(&subject, engine, server.url, 20 * XRO_NS_PER_S);
    perform_well(&subject, XRO_OP_OPEN);
    perform_well(&subject, XRO_OP_CLOSE);
    perform_well(&subject, XRO_OP_OPEN);
    same_piece(&subject, whole, length, 0, 1);
    same_piece(&subject, whole, length, length / 2, 4096);
    same_piece(&subject, whole, length, 0, (uint32_t)length);
    same_piece(&subject, whole, length, length - 1, 100);
    same_piece(&subject, whole, length, length + 10, 10);
    perform_well(&subject, XRO_OP_CLOSE);
    end(&subject);
}

static void size_by_stat(const struct xro_engine *engine)
{
    struct subject subject;
    struct stat info;

    if (server.copy[0] == '\0')
        skip("XRDOPEN_TEST_FILE does not name a local copy");
    CHECK_INT(stat(server.copy, &info), 0);
    begin(&subject, engine, server.url, 20 * XRO_NS_PER_S);
    perform_well(&subject, XRO_OP_STAT);
    CHECK_INT(subject.sample->ops[0].size, info.st_size);
    end(&subject);
}

/* The open of TARGET is refused by the server with CODE. */
static void refused_with(const struct xro_engine *engine, const char *target, int code)
{
    struct subject subject;
    const struct xro_op *op;

    begin(&subject, engine, target, 20 * XRO_NS_PER_S);
    op = perform(&subject, XRO_OP_OPEN, NULL, 0, 0);
    CHECK_INT(op->error.status, XRO_SERVER);
    CHECK_INT(op->error.server, code);
    CHECK_INT(op->hops[0].ending, XRO_ENDING_REFUSED);
    CHECK_INT(op->hops[0].server_code, code);
    if (engine == &xro_engine_xrdcl)
        CHECK(op->error.text[0] != '\0');
    end(&subject);
}

static void missing_file(const struct xro_engine *engine)
{
    char target[TEXT + 16];

    snprintf(target, sizeof target, "%s-that-is-not", server.url);
    refused_with(engine, target, 3011);
}

static void directory(const struct xro_engine *engine)
{
    char target[TEXT];

    snprintf(target, sizeof target, "%s", server.url);
    *strrchr(target, '/') = '\0';
    refused_with(engine, target, 3016);
}

static void empty_file(const struct xro_engine *engine)
{
    char target[TEXT + 16];
    const uint8_t nothing = 0;
    struct subject subject;

    need_own_server();
    snprintf(target, sizeof target, "%s-empty", server.url);
    begin(&subject, engine, target, 20 * XRO_NS_PER_S);
    perform_well(&subject, XRO_OP_OPEN);
    same_piece(&subject, &nothing, 0, 0, 1);
    perform_well(&subject, XRO_OP_CLOSE);
    end(&subject);
}

static void read_before_open(const struct xro_engine *engine)
{
    struct subject subject;
    uint8_t byte;

    begin(&subject, engine, server.url, 20 * XRO_NS_PER_S);
    CHECK_INT(perform(&subject, XRO_OP_READ, &byte, 0, 1)->error.status, XRO_INVALID);
    CHECK_INT(perform(&subject, XRO_OP_PING, NULL, 0, 0)->error.status, XRO_UNSUPPORTED);
    end(&subject);
}

/* --- cases against servers that do not --- */

static void check_deadline(const struct xro_op *op, xro_ns timeout)
{
    CHECK_INT(op->error.status, XRO_TIMEOUT);
    CHECK_INT(op->error.limit, XRO_LIMIT_TOTAL);
    CHECK_BELOW(timeout, op->total);
    CHECK_BELOW(op->total, timeout + margin);
}

/* A TCP socket on a free port of the loopback; listening or not. */
static int bind_port(bool listening, uint16_t *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0);
    CHECK_INT(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    CHECK_INT(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    if (listening)
        CHECK_INT(listen(fd, 10), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

/* XrdCl pauses after a refusal and tries again, so what is seen may be the deadline. */
static void refused_port(const struct xro_engine *engine)
{
    char target[TEXT];
    struct subject subject;
    const struct xro_op *op;
    uint16_t port;
    const int fd = bind_port(false, &port);

    snprintf(target, sizeof target, "root://127.0.0.1:%u//data/file", port);
    begin(&subject, engine, target, XRO_NS_PER_S);
    op = perform(&subject, XRO_OP_OPEN, NULL, 0, 0);
    if (op->error.status != XRO_CONNECT)
        check_deadline(op, XRO_NS_PER_S);
    CHECK_BELOW(op->total, XRO_NS_PER_S + margin);
    end(&subject);
    close(fd);
}

static void refused_port_once(const struct xro_engine *engine)
{
    char target[TEXT];
    struct subject subject;
    const struct xro_op *op;
    uint16_t port;
    const int fd = bind_port(false, &port);

    snprintf(target, sizeof target, "root://127.0.0.1:%u//data/file", port);
    begin(&subject, engine, target, 20 * XRO_NS_PER_S);
    end(&subject);              /* a second start in the same process must work, too */
    begin(&subject, engine, target, 20 * XRO_NS_PER_S);
    subject.session->engine->stop(subject.session);
    subject.settings.connect_timeout = XRO_NS_PER_S;
    CHECK_INT(engine->start(engine, &subject.settings, &subject.session, &subject.error), XRO_OK);
    op = perform(&subject, XRO_OP_OPEN, NULL, 0, 0);
    CHECK_INT(op->error.status, XRO_CONNECT);
    CHECK_BELOW(op->total, XRO_NS_PER_S + margin);
    end(&subject);
    close(fd);
}

static void silent_server(const struct xro_engine *engine)
{
    char target[TEXT];
    struct subject subject;
    const struct xro_op *op;
    uint16_t port;
    const int fd = bind_port(true, &port);

    snprintf(target, sizeof target, "root://127.0.0.1:%u//data/file", port);
    begin(&subject, engine, target, XRO_NS_PER_S);
    op = perform(&subject, XRO_OP_OPEN, NULL, 0, 0);
    check_deadline(op, XRO_NS_PER_S);
    op = perform(&subject, XRO_OP_OPEN, NULL, 0, 0);    /* what comes after the deadline fails at once */
    CHECK_INT(op->error.status, XRO_TIMEOUT);
    CHECK_BELOW(op->total, margin);
    end(&subject);
    close(fd);
}

/* A network of our own, in which the only name server takes questions and never answers. */
static void enter_silent_network(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP };
    char path[] = "/tmp/xrdopen-test-XXXXXX";
    const int file = mkstemp(path), space = CLONE_NEWNS | CLONE_NEWNET;
    bool bound;
    int fd;

    CHECK(file >= 0 && dprintf(file, "nameserver 127.0.0.1\n") > 0 && fchmod(file, 0644) == 0);
    bound = unshare(geteuid() == 0 ? space : space | CLONE_NEWUSER) == 0 &&
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
            mount(path, "/etc/resolv.conf", NULL, MS_BIND, NULL) == 0;
    unlink(path);
    close(file);
    if (!bound)
        skip("no namespaces here");
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons(53);
    CHECK_INT(ioctl(fd, SIOCSIFFLAGS, &loopback), 0);
    CHECK_INT(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
}

/* The library looks the name up inside the call and with a lock held, for which its destructors wait at exit. */
static void silent_resolver(const struct xro_engine *engine)
{
    struct subject subject;

    enter_silent_network();
    setenv("RES_OPTIONS", "timeout:5 attempts:2", 1);
    begin(&subject, engine, "root://server.example.org//data/file", XRO_NS_PER_S);
    check_deadline(perform(&subject, XRO_OP_OPEN, NULL, 0, 0), XRO_NS_PER_S);
    end(&subject);
}

static void freeze_server(bool freeze)
{
    CHECK_INT(kill(server.pid, freeze ? SIGSTOP : SIGCONT), 0);
}

/* The deadline counts from the first op. What the late answer is written to is not the caller's memory any more: the
 * sanitizers see to that. */
static void frozen_in_read(const struct xro_engine *engine)
{
    const xro_ns timeout = XRO_NS_PER_S;
    uint8_t *data = (uint8_t *)malloc(4096);
    struct subject subject;
    const struct xro_op *op;
    xro_ns first;

    need_own_server();
    begin(&subject, engine, server.url, timeout);
    perform_well(&subject, XRO_OP_OPEN);
    first = subject.sample->ops[0].begin;
    xro_clock_sleep_until(first + timeout / 2);
    freeze_server(true);
    op = perform(&subject, XRO_OP_READ, data, 0, 4096);
    freeze_server(false);
    CHECK_INT(op->error.status, XRO_TIMEOUT);
    CHECK_INT(op->error.limit, XRO_LIMIT_TOTAL);
    CHECK_BELOW(first + timeout, op->begin + op->total);
    CHECK_BELOW(op->begin + op->total, first + timeout + margin);
    free(data);
    end(&subject);
    xro_clock_sleep_until(xro_clock_now() + 200 * XRO_NS_PER_MS);
}

/* An open file is closed at stop; a server that does not answer then must not hold us. */
static void frozen_at_stop(const struct xro_engine *engine)
{
    struct subject subject;
    xro_ns before, after;

    need_own_server();
    begin(&subject, engine, server.url, 20 * XRO_NS_PER_S);
    perform_well(&subject, XRO_OP_OPEN);
    freeze_server(true);
    before = xro_clock_now();
    end(&subject);
    after = xro_clock_now();
    freeze_server(false);
    CHECK_BELOW(after - before, XRO_NS_PER_S + margin);
}

/* --- the module --- */

static void start_fails(const struct xro_engine *engine, const char *folder, const char *text)
{
    struct subject subject = { .settings = { .target = "root://localhost//f", .timeout = XRO_NS_PER_S } };

    subject.session = (struct xro_session *)&subject;
    setenv("XRDOPEN_MODULE_DIR", folder, 1);
    CHECK(xro_url_parse(subject.settings.target, &subject.settings.url) == NULL);
    CHECK_INT(engine->start(engine, &subject.settings, &subject.session, &subject.error), XRO_MISSING);
    CHECK(subject.session == NULL);
    CHECK_INT(subject.error.status, XRO_MISSING);
    CHECK(subject.error.detail != NULL && strstr(subject.error.detail, "libxr") != NULL);
    CHECK(strstr(subject.error.text, text) != NULL);
    CHECK(engine->version() == NULL);
    engine->stop(NULL);
}

static void no_module(const struct xro_engine *engine)
{
    start_fails(engine, "/nonexistent", "");
}

static void broken_module(const struct xro_engine *engine)
{
    char folder[] = "/tmp/xrdopen-test-XXXXXX", path[64];
    FILE *to;

    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/xrdopen-xrdcl.so", folder);
    to = fopen(path, "w");
    CHECK(to != NULL);
    fputs("no ELF file, and long enough to be looked at by the loader before it says so: it reads a header first", to);
    fclose(to);
    start_fails(engine, folder, "xrdopen-xrdcl.so");
    unlink(path);
    rmdir(folder);
}

static void version(const struct xro_engine *engine)
{
    const char *text = engine->version();

    CHECK(text != NULL && text[0] >= '4' && text[0] <= '9' && text[1] == '.');
}

/* --- the hosts file --- */

static bool has_reverse_name(const struct sockaddr *address)
{
    const socklen_t length = address->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    char name[NI_MAXHOST];

    return getnameinfo(address, length, name, sizeof name, NULL, 0, NI_NAMEREQD) == 0;
}

/* v4 addresses as XRootD asks for them. */
static struct sockaddr_in6 as_mapped(const struct sockaddr_in *v4)
{
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

    v6.sin6_addr.s6_addr[10] = v6.sin6_addr.s6_addr[11] = 0xff;
    memcpy(v6.sin6_addr.s6_addr + 12, &v4->sin_addr, 4);
    return v6;
}

static void check_names(void)
{
    struct ifaddrs *list;

    CHECK_INT(getifaddrs(&list), 0);
    for (const struct ifaddrs *one = list; one != NULL; one = one->ifa_next) {
        if (one->ifa_addr == NULL || (one->ifa_addr->sa_family != AF_INET && one->ifa_addr->sa_family != AF_INET6))
            continue;
        CHECK(has_reverse_name(one->ifa_addr));
        if (one->ifa_addr->sa_family == AF_INET) {
            const struct sockaddr_in6 v6 = as_mapped((const struct sockaddr_in *)(const void *)one->ifa_addr);

            CHECK(has_reverse_name((const struct sockaddr *)&v6));
        }
    }
    freeifaddrs(list);
}

static void check_outside(const struct stat *before)
{
    struct stat now;

    CHECK_INT(stat("/etc/hosts", &now), 0);
    CHECK(now.st_ino == before->st_ino && now.st_dev == before->st_dev && now.st_size == before->st_size);
    CHECK(access("/tmp/hosts", F_OK) != 0 && errno == ENOENT);
}

static void hosts_view(const struct xro_engine *engine)
{
    struct stat before;
    int status;
    pid_t child;

    (void)engine;
    CHECK_INT(stat("/etc/hosts", &before), 0);
    unsetenv("RES_OPTIONS");
    child = fork();
    if (child == 0) {
        const enum xro_hosts_view view = xro_hosts_view_enter();

        printf("# %s\n", xro_hosts_view_text(view));
        fflush(stdout);
        CHECK(view != XRO_HOSTS_VIEW_NONE);
        if (view == XRO_HOSTS_VIEW_RES_OPTIONS)
            CHECK(strcmp(getenv("RES_OPTIONS"), "timeout:1 attempts:1") == 0);
        else
            check_names();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
    check_outside(&before);
}

/* --- the server --- */

static void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *to = fopen(path, "wb");

    CHECK(to != NULL);
    CHECK_INT(fwrite(bytes, 1, length, to), length);
    CHECK_INT(fclose(to), 0);
}

static void make_data(void)
{
    static uint8_t bytes[FILE_BYTES];
    char path[2 * TEXT];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    snprintf(path, sizeof path, "%s/data", server.folder);
    CHECK_INT(mkdir(path, 0755), 0);
    snprintf(server.copy, sizeof server.copy, "%.1000s/data/file", server.folder);
    write_file(server.copy, bytes, sizeof bytes);
    snprintf(path, sizeof path, "%s-empty", server.copy);
    write_file(path, bytes, 0);
}

static void make_config(uint16_t port)
{
    char path[2 * TEXT], text[4 * TEXT];
    const int length = snprintf(text, sizeof text,
                                "xrd.port %u\nall.export /data\noss.localroot %s\nall.adminpath %s\nall.pidpath %s\n",
                                port, server.folder, server.folder, server.folder);

    snprintf(path, sizeof path, "%s/config", server.folder);
    write_file(path, text, (size_t)length);
}

/* xrootd refuses to run as root. */
static void become_ordinary(void)
{
    const struct passwd *user = getpwnam("xrootd");

    if (geteuid() != 0)
        return;
    if (user == NULL)
        user = getpwnam("nobody");
    if (user == NULL || chown(server.folder, user->pw_uid, user->pw_gid) != 0 || setgroups(0, NULL) != 0 ||
        setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)
        _exit(EXIT_CHECK_FAILED);
}

static void run_server(void)
{
    char config[TEXT + 16], log[TEXT + 16];

    snprintf(config, sizeof config, "%s/config", server.folder);
    snprintf(log, sizeof log, "%s/log", server.folder);
    become_ordinary();
    prctl(PR_SET_PDEATHSIG, SIGTERM);   /* should this program die first */
    execlp("xrootd", "xrootd", "-c", config, "-l", log, "-n", "test", (char *)NULL);
    _exit(127);
}

static bool answers(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port),
    };
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool good = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;

    close(fd);
    return good;
}

static void start_server(void)
{
    uint16_t port;

    snprintf(server.folder, sizeof server.folder, "/tmp/xrdopen-test-XXXXXX");
    CHECK(mkdtemp(server.folder) != NULL);
    CHECK_INT(chmod(server.folder, 0755), 0);
    close(bind_port(false, &port));
    make_data();
    make_config(port);
    fflush(stdout);
    server.pid = fork();
    if (server.pid == 0)
        run_server();
    CHECK(server.pid > 0);
    for (unsigned i = 0; i < 200 && !answers(port); i++)
        xro_clock_sleep_until(xro_clock_now() + 100 * XRO_NS_PER_MS);
    snprintf(server.url, sizeof server.url, "root://127.0.0.1:%u//data/file", port);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static void stop_server(void)
{
    if (server.folder[0] == '\0')
        return;
    kill(server.pid, SIGTERM);
    waitpid(server.pid, NULL, 0);
    nftw(server.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void find_server(void)
{
    const char *url = getenv("XRDOPEN_TEST_URL"), *copy = getenv("XRDOPEN_TEST_FILE");

    if (url == NULL || *url == '\0') {
        start_server();
        return;
    }
    snprintf(server.url, sizeof server.url, "%s", url);
    snprintf(server.copy, sizeof server.copy, "%s", copy != NULL ? copy : "");
}

/* --- all cases --- */

static const struct test_case {
    const char *name;
    void (*run)(const struct xro_engine *engine);
    bool one_engine;
    unsigned most_ms;           /* from the start to the end of its process */
} cases[] = {
    { "the same bytes as in the file", same_bytes, false, 10000 },
    { "size by stat", size_by_stat, false, 10000 },
    { "missing file", missing_file, false, 10000 },
    { "directory", directory, false, 10000 },
    { "empty file", empty_file, false, 10000 },
    { "read before open, and an op it cannot do", read_before_open, false, 10000 },
    { "refused port: ends by the deadline", refused_port, false, 3000 },
    { "refused port with a connection limit: ends at once", refused_port_once, false, 3000 },
    { "server that accepts and stays silent: ends at the deadline", silent_server, false, 3000 },
    { "name server that never answers: op and process end at the deadline", silent_resolver, false, 3000 },
    { "server frozen in a read: deadline counts from the first op", frozen_in_read, false, 4000 },
    { "server frozen at stop: stop and exit do not hang", frozen_at_stop, false, 4000 },
    { "no module", no_module, false, 10000 },
    { "broken module", broken_module, false, 10000 },
    { "version of the library", version, false, 10000 },
    { "private view of the hosts file", hosts_view, true, 10000 },
};

/* In a child, the exit of which is the normal one: through the library's destructors. */
static int run_case(const struct test_case *one, const struct xro_engine *engine, xro_ns *spent)
{
    const xro_ns before = xro_clock_now();
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(CASE_LIMIT_S);
        one->run(engine);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return EXIT_CHECK_FAILED;
    if (server.folder[0] != '\0')
        kill(server.pid, SIGCONT);
    *spent = xro_clock_now() - before;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    printf("# killed by signal %d\n", WTERMSIG(status));
    return EXIT_CHECK_FAILED;
}

static bool report_case(unsigned number, const struct test_case *one, const struct xro_engine *engine)
{
    xro_ns spent = 0;
    const int code = run_case(one, engine, &spent);
    const bool slow = spent > one->most_ms * XRO_NS_PER_MS, good = code == EXIT_SKIPPED || (code == 0 && !slow);

    if (slow)
        printf("# took %.3f s\n", (double)spent / 1e9);
    printf("%sok %u - %s: %s%s\n", good ? "" : "not ", number, engine->name, one->name,
           code == EXIT_SKIPPED ? " # SKIP" : "");
    return good;
}

int main(void)
{
    const struct xro_engine *const engines[] = { &xro_engine_xrdcl, &xro_engine_xrdposix };
    unsigned number = 0, failed = 0;

    find_server();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < (cases[i].one_engine ? 1 : 2); j++)
            failed += !report_case(++number, &cases[i], engines[j]);
    printf("1..%u\n", number);
    stop_server();
    return failed != 0;
}
