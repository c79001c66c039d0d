/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth_client.c - a small blocking client around src/auth: connect, log in, authenticate, stat a file, again and again.
 *
 *     auth_client [-c COUNT] [-h NAME] [-l METHODS] [-t] HOST PORT PATH
 *
 * -h names the server to the methods, -l loads METHODS first, -t claims that the connection is encrypted. Each step of the
 * first connection is a line; with COUNT the time of making credentials and the growth of memory follow. Exits 0 when
 * every stat was answered. auth.sh runs it. */
#include "auth/auth.h"
#include "auth/sign.h"
#include "base/clock.h"
#include "proto/answer.h"

#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { STREAM = 1, BODY_MOST = 1 << 16 };

struct options {
    const char *name, *host, *port, *path, *load;
    unsigned count;
    bool tls;
};

struct client {
    const struct options *options;
    int fd;
    bool quiet;
    struct xro_protocol_answer protocol;
    struct xro_answer answer;
    uint8_t body[BODY_MOST];
    struct xro_sign sign;
    struct xro_auth *auth;
    xro_ns credentials_ns, cpu_ns, load_ns;     /* of the last connection */
};

static void say(const struct client *client, const char *format, ...)
{
    va_list arguments;

    if (client->quiet)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

static bool fail(const char *what)
{
    printf("failed: %s\n", what);
    return false;
}

/* --- bytes --- */

static bool open_connection(struct client *client)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    const struct timeval limit = { .tv_sec = 30 };
    struct addrinfo *found;

    client->fd = -1;
    if (getaddrinfo(client->options->host, client->options->port, &hints, &found) != 0)
        return fail("name look-up");
    client->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->fd < 0 || connect(client->fd, found->ai_addr, found->ai_addrlen) != 0) {
        freeaddrinfo(found);
        return fail("connect");
    }
    freeaddrinfo(found);
    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)) == 0;
}

static bool send_bytes(const struct client *client, const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t n = send(client->fd, bytes, length, MSG_NOSIGNAL);
        if (n <= 0)
            return fail("send");
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

static bool receive_bytes(const struct client *client, uint8_t *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t n = recv(client->fd, bytes, length, 0);
        if (n <= 0)
            return fail("the server closed the connection, or said nothing for 30 s");
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

static bool receive_answer(struct client *client)
{
    uint8_t header[XRO_ANSWER_HEADER_SIZE];
    struct xro_in in = xro_in(header, sizeof header);

    if (!receive_bytes(client, header, sizeof header))
        return false;
    xro_get_answer(&in, &client->answer);
    if (client->answer.length > sizeof client->body)
        return fail("an answer is too long");
    return receive_bytes(client, client->body, client->answer.length);
}

/* --- steps --- */

static bool log_in(struct client *client, struct xro_span_text *token)
{
    uint8_t bytes[256], hello[XRO_HANDSHAKE_ANSWER_SIZE];
    struct xro_out out = xro_out(bytes, sizeof bytes);
    struct xro_login_answer login;

    xro_put_handshake(&out);
    xro_put_protocol(&out, STREAM, XRO_KXR_SECREQS, XRO_KXR_EXPLOGIN);
    xro_put_login(&out, STREAM, (uint32_t)getpid(), "tester", XRO_KXR_FULLURL, "");
    if (!send_bytes(client, bytes, sizeof bytes - out.left) || !receive_bytes(client, hello, sizeof hello))
        return false;
    if (!receive_answer(client)
        || !xro_get_protocol_answer(client->body, client->answer.length, &client->protocol))
        return fail("kXR_protocol");
    if (!receive_answer(client) || client->answer.status != XRO_KXR_OK
        || !xro_get_login_answer(client->body, client->answer.length, &login))
        return fail("kXR_login");
    *token = login.token;
    return true;
}

static bool send_credentials(struct client *client, const struct xro_buf *credentials)
{
    uint8_t *bytes = (uint8_t *)malloc(XRO_REQUEST_HEADER_SIZE + credentials->length);
    struct xro_out out = xro_out(bytes, XRO_REQUEST_HEADER_SIZE + credentials->length);
    bool sent;

    if (bytes == NULL)
        return fail("no memory");
    xro_put_auth(&out, STREAM, xro_auth_method(client->auth), credentials->bytes, credentials->length);
    sent = send_bytes(client, bytes, XRO_REQUEST_HEADER_SIZE + credentials->length);
    free(bytes);
    return sent;
}

static xro_ns thread_cpu(void)
{
    struct timespec spec;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spec);
    return (xro_ns)spec.tv_sec * XRO_NS_PER_S + (xro_ns)spec.tv_nsec;
}

static enum xro_status make(struct client *client, const uint8_t *more, size_t length, struct xro_buf *credentials)
{
    const xro_ns begin = xro_clock_now(), begin_cpu = thread_cpu();
    const enum xro_status status = xro_auth_credentials(client->auth, more, length, credentials);

    client->credentials_ns += xro_clock_now() - begin;
    client->cpu_ns += thread_cpu() - begin_cpu;
    return status;
}

static void say_refusal(struct client *client)
{
    struct xro_coded_answer error = { 0 };

    if (client->answer.status == XRO_KXR_ERROR)
        xro_get_coded_answer(client->body, client->answer.length, &error);
    say(client, "%s: refused: %d %.*s", xro_auth_method(client->auth), error.code, (int)error.text.length,
        error.text.length > 0 ? error.text.bytes : "");
}

/* The rounds of one method; true when the server is content. */
static bool do_rounds(struct client *client, bool *broken)
{
    struct xro_buf credentials = xro_buf(XRO_AUTH_MOST);
    const uint8_t *more = NULL;
    unsigned rounds = 0;
    bool answered = false;

    for (;;) {
        const xro_ns before = client->credentials_ns;
        answered = false;
        if (make(client, more, client->answer.length, &credentials) != XRO_OK) {
            say(client, "%s: %s", xro_auth_method(client->auth), xro_auth_reason(client->auth));
            break;
        }
        say(client, "%s: %zu bytes in %.1f us", xro_auth_method(client->auth), credentials.length,
            (double)(client->credentials_ns - before) / 1e3);
        *broken = !send_credentials(client, &credentials) || !receive_answer(client);
        xro_auth_wipe(&credentials);
        rounds++;
        answered = !*broken;
        if (*broken || client->answer.status != XRO_KXR_AUTHMORE)
            break;
        more = client->body;
    }
    xro_buf_free(&credentials);
    if (!answered)
        return false;
    if (client->answer.status == XRO_KXR_OK)
        say(client, "%s: accepted after %u", xro_auth_method(client->auth), rounds);
    else
        say_refusal(client);
    return client->answer.status == XRO_KXR_OK;
}

static bool authenticate(struct client *client, struct xro_span_text token)
{
    const struct xro_auth_peer peer = { .host = client->options->name, .fd = client->fd, .tls = client->options->tls };
    struct xro_auth_choice choice;
    bool broken = false;

    client->auth = xro_auth_create(&peer, token);
    if (client->auth == NULL)
        return fail("no memory");
    while (!broken && xro_auth_next(client->auth, &choice) == XRO_OK) {
        client->load_ns += choice.cost.load_ns;
        if (choice.cost.load_ns > XRO_NS_PER_MS / 10)
            say(client, "%s: loaded in %.1f us, %.1f us of it CPU", choice.method, (double)choice.cost.load_ns / 1e3,
                (double)choice.cost.load_cpu_ns / 1e3);
        if (!choice.usable)
            say(client, "%s: skipped: %s", choice.method, choice.reason);
        else if (do_rounds(client, &broken))
            return true;
    }
    return fail("no method is left");
}

static bool stat_file(struct client *client)
{
    uint8_t bytes[1024];
    struct xro_out out = xro_out(bytes, sizeof bytes);
    struct xro_buf flight = xro_buf(4096);
    struct xro_stat_answer stat;
    bool good = true;

    xro_put_stat(&out, STREAM, client->options->path, strlen(client->options->path));
    if (xro_sign_wanted(&client->sign, bytes)) {
        good = xro_sign_append(&client->sign, client->auth, bytes, sizeof bytes - out.left, &flight) == XRO_OK;
        say(client, "signed: %zu bytes", flight.length);
    }
    good = good && xro_buf_append(&flight, bytes, sizeof bytes - out.left) == XRO_OK
           && send_bytes(client, flight.bytes, flight.length) && receive_answer(client);
    xro_buf_free(&flight);
    if (!good || client->answer.status != XRO_KXR_OK)
        return fail("kXR_stat");
    if (!xro_get_stat_answer((struct xro_span_text){ (const char *)client->body, client->answer.length }, &stat))
        return fail("the stat's text");
    say(client, "stat: %" PRId64 " bytes", stat.size);
    return true;
}

static bool do_session(struct client *client)
{
    struct xro_span_text token;
    bool good;

    client->credentials_ns = client->cpu_ns = client->load_ns = 0;
    client->auth = NULL;
    good = open_connection(client) && log_in(client, &token);
    if (good && token.length > 0)
        good = authenticate(client, token);
    else if (good)
        say(client, "no authentication");
    if (good) {
        xro_sign_begin(&client->sign, client->protocol.signing_options, client->protocol.signing_level, NULL, 0,
                       client->auth != NULL ? xro_auth_key_size(client->auth) : 0);
        good = stat_file(client) && stat_file(client);
    }
    xro_auth_close(client->auth);
    if (client->fd >= 0)
        close(client->fd);
    return good;
}

/* --- many --- */

static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;

    if (file != NULL && fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    if (file != NULL)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int compare(const void *a, const void *b)
{
    const xro_ns x = *(const xro_ns *)a, y = *(const xro_ns *)b;

    return x < y ? -1 : x > y;
}

static bool do_more(struct client *client)
{
    const unsigned count = client->options->count, settled = count / 10;
    xro_ns *spent = (xro_ns *)calloc(count, sizeof *spent);
    const xro_ns first = client->credentials_ns, first_cpu = client->cpu_ns, load = client->load_ns;
    xro_ns cpu = 0;
    long before = 0;
    bool good = spent != NULL;

    client->quiet = true;
    for (unsigned i = 0; good && i < count; i++) {
        if (i == settled)
            before = resident_kib();
        good = do_session(client);
        spent[i] = client->credentials_ns;
        cpu += client->cpu_ns;
    }
    if (good) {
        qsort(spent, count, sizeof *spent, compare);
        printf("load_us %.1f first_us %.1f first_cpu_us %.1f median_us %.1f mean_cpu_us %.1f grown_kib %ld count %u\n",
               (double)load / 1e3, (double)first / 1e3, (double)first_cpu / 1e3, (double)spent[count / 2] / 1e3,
               (double)cpu / 1e3 / count, resident_kib() - before, count - settled);
    }
    free(spent);
    return good;
}

int main(int argc, char **argv)
{
    struct options options = { .count = 0 };
    static struct client client;
    int letter;

    while ((letter = getopt(argc, argv, "c:h:l:t")) != -1)
        switch (letter) {
        case 'c': options.count = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'h': options.name = optarg; break;
        case 'l': options.load = optarg; break;
        case 't': options.tls = true; break;
        default: return 2;
        }
    if (argc - optind != 3)
        return 2;
    options.host = argv[optind];
    options.port = argv[optind + 1];
    options.path = argv[optind + 2];
    if (options.name == NULL)
        options.name = options.host;
    client.options = &options;
    if (options.load != NULL)
        printf("preloaded in %.1f us\n", (double)xro_auth_preload(options.load).load_ns / 1e3);
    if (!do_session(&client))
        return 1;
    return options.count == 0 || do_more(&client) ? 0 : 1;
}
