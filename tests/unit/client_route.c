/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client_route.c - the client's way from server to server: redirects in all their forms, the limit, the way back to the
 * manager, one flight and its fall-back. */
#include "client_bench.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>

static void redirect(struct bench *bench, int32_t port, const char *text)
{
    answer_coded(bench, XRO_KXR_REDIRECT, port, text);
}

/* An open that has arrived at a manager with PATH. */
static struct bench *at_manager(const char *path)
{
    struct bench *bench = bench_new();

    bench->config.path = path;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISMANAGER);
    take_path(bench, XRO_KXR_OPEN, path);
    return bench;
}

/* --- redirects ------------------------------------------------------------------------------------------------------ */

static void to_a_data_server(void **state)
{
    struct bench *bench = at_manager("/f");

    (void)state;
    pass(bench, 100);
    redirect(bench, 2000, "data1");
    pass(bench, 20);
    arrive(bench, XRO_KXR_ISSERVER);
    take_path(bench, XRO_KXR_OPEN, "/f");
    pass(bench, 3);
    answer_open(bench, "1 20 16 1700000000");
    assert_ended(bench, XRO_OK);
    assert_int_equal(bench->op->hop_count, 2);
    assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_REDIRECTED);
    assert_int_equal(bench->op->hops[1].ending, XRO_ENDING_ANSWERED);
    assert_string_equal(bench->op->hops[1].host, "data1");
    assert_int_equal(bench->op->hops[1].port, 2000);
    assert_true(bench->op->hops[0].phase[XRO_PHASE_REQUEST] == 100);
    assert_true(bench->op->hops[1].phase[XRO_PHASE_RESOLVE] == 20);
    assert_true(bench->op->hops[1].phase[XRO_PHASE_REQUEST] == 3);
    /* read and close go to the server that has the file; the next open begins at the manager; both sessions stay */
    begin(bench, XRO_OP_READ);
    assert_string_equal(link_of(bench)->host, "data1");
    take(bench, XRO_KXR_READ);
    answer(bench, XRO_KXR_OK, "0123456789", 10);
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->hops[0].reused);
    begin(bench, XRO_OP_OPEN);
    assert_string_equal(link_of(bench)->host, "first");
    take(bench, XRO_KXR_OPEN);
    redirect(bench, 2000, "DATA1");                     /* host names know no case */
    take_path(bench, XRO_KXR_OPEN, "/f");
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    assert_true(bench->op->hops[0].reused && bench->op->hops[1].reused);
    assert_int_equal(bench->client.link_count, 2);
    bench_free(bench);
}

static void forms(void **state)
{
    static const struct { const char *path; int32_t port; const char *text, *host; uint16_t to; const char *then, *cgi; } cases[] = {
        { "/f", 1, "h", "h", 1, "/f", "?xrd.appname=xrdopen" },
        { "/f", 1, "[::1]", "::1", 1, "/f", "?xrd.appname=xrdopen" },
        { "/f", 1, "h?cap=%20x", "h", 1, "/f?cap=%20x", "?xrd.appname=xrdopen" },
        { "/f?a=1&b=2", 1, "h?&b=3", "h", 1, "/f?a=1&b=3", "?xrd.appname=xrdopen" },
        { "/f", 1, "h?a=1?tok=en", "h", 1, "/f?a=1", "?xrd.appname=xrdopen&tok=en" },
        { "/f", 1, "h??tok", "h", 1, "/f", "?xrd.appname=xrdopen&tok" },
        { "/f", -1, "root://h:7//g", "h", 7, "/g", "?xrd.appname=xrdopen" },
        { "/f", -1, "xroot://u@h//g?x=1", "h", 1094, "/g?x=1", "?xrd.appname=xrdopen" },
        { "/f?a=1", -1, "root://h:7", "h", 7, "/f?a=1", "?xrd.appname=xrdopen" },
        { "/f?a=1", -1, "root://h:7/", "h", 7, "/f?a=1", "?xrd.appname=xrdopen" },
        { "/f?a=1", -1, "root://h:7?a=2", "h", 7, "/f?a=2", "?xrd.appname=xrdopen" },
        { "/f?a=1", -0x2001, "root://[::1]:7//g?b=2", "::1", 7, "/g?b=2", "?xrd.appname=xrdopen" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = at_manager(cases[i].path);
        redirect(bench, cases[i].port, cases[i].text);
        assert_state(bench, XRO_CALL_RESOLVE);
        assert_string_equal(link_of(bench)->host, cases[i].host);
        assert_int_equal(link_of(bench)->port, cases[i].to);
        resolved(bench);
        connected(bench);
        take_handshake(bench);
        take(bench, XRO_KXR_PROTOCOL);
        answer_handshake(bench);
        answer_protocol(bench, XRO_KXR_ISSERVER);
        take_path(bench, XRO_KXR_LOGIN, cases[i].cgi);
        answer_login(bench);
        take_path(bench, XRO_KXR_OPEN, cases[i].then);
        bench_free(bench);
    }
}

static void bad_forms(void **state)
{
    static const struct { int32_t port; const char *text; enum xro_status status; } cases[] = {
        { 0, "h", XRO_PROTOCOL },                   { 65536, "h", XRO_PROTOCOL },
        { 1, "", XRO_PROTOCOL },                    { 1, "?a=1", XRO_PROTOCOL },
        { 1, "h\nx", XRO_PROTOCOL },                { -1, "", XRO_PROTOCOL },
        { -1, "http://h//f", XRO_PROTOCOL },        { -1, "file:///etc/passwd", XRO_PROTOCOL },
        { -1, "h", XRO_PROTOCOL },                  { -1, "root:///f", XRO_PROTOCOL },
        { -1, "root://h:0//f", XRO_PROTOCOL },      { -1, "root://h h//f", XRO_PROTOCOL },
        { -1, "://h//f", XRO_PROTOCOL },            { -1, "root://", XRO_PROTOCOL },
        { -1, "/etc/passwd", XRO_PROTOCOL },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = at_manager("/f");
        redirect(bench, cases[i].port, cases[i].text);
        assert_ended(bench, cases[i].status);
        assert_int_equal(bench->op->hop_count, 1);
        bench_free(bench);
    }
}

/* Opaque data is carried whole, up to a limit; a host name and a token have theirs. */
static void long_forms(void **state)
{
    static const struct { const char *front; size_t length; enum xro_call_state then; } cases[] = {
        { "h?cap=", 10000, XRO_CALL_RESOLVE },      { "h?cap=", 65536 - 4 - 6, XRO_CALL_RESOLVE },
        { "h?cap=", 65536 - 4 - 5, XRO_CALL_DONE }, { "", XRO_HOST_SIZE - 1, XRO_CALL_RESOLVE },
        { "", XRO_HOST_SIZE, XRO_CALL_DONE },       { "h??", 60000, XRO_CALL_RESOLVE },
    };
    static char text[70000];

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = at_manager("/f");
        size_t front = strlen(cases[i].front);
        memcpy(text, cases[i].front, front);
        memset(text + front, 'x', cases[i].length);
        text[front + cases[i].length] = '\0';
        redirect(bench, 1, text);
        assert_state(bench, cases[i].then);
        if (i == 0) {
            arrive(bench, XRO_KXR_ISSERVER);
            take(bench, XRO_KXR_OPEN);
            assert_int_equal(strlen(bench->path), 2 + 5 + 10000);
        }
        bench_free(bench);
    }
}

/* A token too long for a login is refused when it would have to be sent. */
static void a_long_token(void **state)
{
    char text[4000];
    struct bench *bench = at_manager("/f");

    (void)state;
    memset(text, 't', sizeof text);
    memcpy(text, "h??", 3);
    text[sizeof text - 1] = '\0';
    redirect(bench, 1, text);
    resolved(bench);
    connected(bench);
    answer_handshake(bench);
    answer_protocol(bench, XRO_KXR_ISSERVER);
    assert_ended(bench, XRO_PROTOCOL);
    assert_non_null(strstr(bench->op->error.detail, "token"));
    bench_free(bench);
}

static void to_itself(void **state)
{
    struct bench *bench = at_manager("/f");

    (void)state;
    for (unsigned i = 0; i < XRO_REDIRECT_LIMIT; i++) {
        redirect(bench, 1094, "first");
        take_path(bench, XRO_KXR_OPEN, "/f");
        assert_true(bench->op->hops[i + 1].reused);
        assert_int_equal(bench->op->hops[i + 1].same_as, 0);
    }
    redirect(bench, 1094, "first");
    assert_ended(bench, XRO_REDIRECTS);
    assert_int_equal(bench->op->hop_count, 1 + XRO_REDIRECT_LIMIT);     /* 17 requests in all */
    assert_int_equal(bench->client.link_count, 1);
    bench_free(bench);
}

static void the_limit(void **state)
{
    struct bench *bench = at_manager("/f");
    char host[16];

    (void)state;
    for (unsigned i = 1; i <= XRO_REDIRECT_LIMIT; i++) {
        snprintf(host, sizeof host, "h%u", i);
        redirect(bench, 1, host);
        arrive(bench, XRO_KXR_ISMANAGER);
        take_path(bench, XRO_KXR_OPEN, "/f");
        assert_int_equal(bench->op->hops[i].same_as, XRO_NO_HOP);
    }
    redirect(bench, 1, "h17");
    assert_ended(bench, XRO_REDIRECTS);
    assert_int_equal(bench->op->hop_count, 17);
    for (uint16_t i = 0; i < 17; i++)
        assert_int_equal(bench->op->hops[i].ending, XRO_ENDING_REDIRECTED);
    begin(bench, XRO_OP_OPEN);          /* the count is per op */
    take(bench, XRO_KXR_OPEN);
    redirect(bench, 1, "h1");
    assert_state(bench, XRO_CALL_REQUEST);
    bench_free(bench);
}

/* Two names of one address: the second hop is known as the first again. */
static void a_circle_through_an_alias(void **state)
{
    struct bench *bench = at_manager("/f");

    (void)state;
    redirect(bench, 1094, "alias");
    arrive(bench, XRO_KXR_ISMANAGER);   /* 10.0.0.1:1094, as the first */
    take(bench, XRO_KXR_OPEN);
    redirect(bench, 1094, "first");
    take(bench, XRO_KXR_OPEN);
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    assert_int_equal(bench->op->hops[1].same_as, 0);
    assert_int_equal(bench->op->hops[2].same_as, 0);
    bench_free(bench);
}

static void redirects_out_of_place(void **state)
{
    struct bench *bench = bench_create(bench_new());

    (void)state;
    open_well(bench);
    begin(bench, XRO_OP_READ);
    take(bench, XRO_KXR_READ);
    redirect(bench, 1, "h");
    assert_ended(bench, XRO_PROTOCOL);
    bench_free(bench);
    bench = bench_create(bench_new());
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    answer_handshake(bench);
    redirect(bench, 1, "h");            /* in answer to kXR_protocol */
    assert_ended(bench, XRO_PROTOCOL);
    bench_free(bench);
    bench = bench_create(bench_new());
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    answer_handshake(bench);
    answer_protocol(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_LOGIN);
    redirect(bench, 1, "h");            /* in answer to kXR_login */
    assert_ended(bench, XRO_PROTOCOL);
    assert_int_equal(bench->op->error.phase, XRO_PHASE_LOGIN);
    bench_free(bench);
}

/* What the manager says behind its redirect, in the same packet, is its own affair: the op goes on at the data server. */
static void rubbish_behind_a_redirect(void **state)
{
    static const struct { uint16_t stream, status; uint32_t length; } cases[] = {
        { 7, XRO_KXR_OK, UINT32_MAX }, { 0, XRO_KXR_ATTN, XRO_BODY_MAX + 1 }, { 0, XRO_KXR_ATTN, 2 }, { 7, 9999, 2 },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = at_manager("/f");
        uint8_t bytes[64];
        struct xro_link *manager = link_of(bench);
        size_t n = put_message(bytes, bench->stream, XRO_KXR_REDIRECT, 9, "\0\0\0\x07" "data1", 9);
        n += put_message(bytes + n, cases[i].stream, cases[i].status, cases[i].length, "xx", 2);
        feed_link(bench, manager, bytes, n);
        assert_state(bench, XRO_CALL_RESOLVE);
        assert_string_equal(link_of(bench)->host, "data1");
        assert_int_equal(manager->up, i == 3);
        arrive(bench, XRO_KXR_ISSERVER);
        take(bench, XRO_KXR_OPEN);
        answer_open(bench, "");
        assert_ended(bench, XRO_OK);
        bench_free(bench);
    }
}

/* --- the way back --------------------------------------------------------------------------------------------------- */

static void not_found_there(void **state)
{
    static const struct { int code; const char *then; } cases[] = {
        { XRO_KXR_NOTFOUND, "/f?tried=data1&triedrc=enoent" }, { XRO_KXR_SERVERERROR, "/f?tried=data1&triedrc=srverr" },
        { XRO_KXR_FSERROR, "/f?tried=data1&triedrc=fserr" },   { XRO_KXR_IOERROR, "/f?tried=data1&triedrc=ioerr" },
        { XRO_KXR_OVERLOADED, "/f?tried=data1" },              { XRO_KXR_NOMEMORY, "/f?tried=data1" },
        { XRO_KXR_NOTAUTHORIZED, NULL },                       { XRO_KXR_FILELOCKED, NULL },
        { XRO_KXR_ISDIRECTORY, NULL },                         { XRO_KXR_UNSUPPORTED, NULL },
        { 4711, NULL },                                        { 0x7fffffff, NULL },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = at_manager("/f");
        redirect(bench, 2000, "data1?cap=x");
        arrive(bench, XRO_KXR_ISSERVER);
        take_path(bench, XRO_KXR_OPEN, "/f?cap=x");
        pass(bench, 50);
        answer_error(bench, cases[i].code, "so sorry");
        assert_int_equal(bench->op->hops[1].ending, XRO_ENDING_REFUSED);
        assert_int_equal(bench->op->hops[1].server_code, cases[i].code);
        if (cases[i].then != NULL) {
            take_path(bench, XRO_KXR_OPEN, cases[i].then);      /* as the manager got it, without what it added */
            assert_true(bench->op->hops[2].reused);
            assert_int_equal(bench->op->hops[2].same_as, 0);
            answer_error(bench, XRO_KXR_NOTFOUND, "nowhere");   /* the manager's own word is final */
            assert_ended(bench, XRO_SERVER);
            assert_string_equal(bench->op->error.text, "nowhere");
            assert_int_equal(bench->op->error.hop, 2);
        } else {
            assert_ended(bench, XRO_SERVER);
            assert_int_equal(bench->op->error.server, cases[i].code);
            assert_int_equal(bench->op->error.hop, 1);
        }
        bench_free(bench);
    }
}

/* The list of servers tried grows, whatever the reason. */
static void dead_in_many_ways(void **state)
{
    struct bench *bench = at_manager("/f?a=1");

    (void)state;
    redirect(bench, 1, "d1");
    pass(bench, 5);
    xro_client_resolved(&bench->client, EAI_NONAME);
    take_path(bench, XRO_KXR_OPEN, "/f?a=1&tried=d1&triedrc=srverr");
    assert_int_equal(bench->op->hops[1].ending, XRO_ENDING_BROKEN);
    redirect(bench, 1, "d2");
    resolved(bench);
    xro_client_broke(&bench->client, link_of(bench), XRO_CONNECT, ECONNREFUSED);
    take_path(bench, XRO_KXR_OPEN, "/f?a=1&tried=d1,d2&triedrc=srverr,srverr");
    assert_int_equal(bench->op->hops[3].ending, XRO_ENDING_BROKEN);
    assert_int_equal(bench->op->hops[3].system, ECONNREFUSED);
    redirect(bench, 1, "d3");
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_OPEN);
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, ECONNRESET);
    take_path(bench, XRO_KXR_OPEN, "/f?a=1&tried=d1,d2,d3&triedrc=srverr,srverr,srverr");
    redirect(bench, 1, "d4");
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_OPEN);
    answer_error(bench, XRO_KXR_NOTFOUND, "");
    take_path(bench, XRO_KXR_OPEN, "/f?a=1&tried=d1,d2,d3,d4&triedrc=srverr,srverr,srverr,enoent");
    redirect(bench, 1, "d5");
    arrive(bench, XRO_KXR_ISSERVER);
    take_path(bench, XRO_KXR_OPEN, "/f?a=1&tried=d1,d2,d3,d4&triedrc=srverr,srverr,srverr,enoent");
    answer_open(bench, "1 20 16 17");
    assert_ended(bench, XRO_OK);
    assert_int_equal(bench->op->error.system, 0);
    assert_int_equal(bench->op->hop_count, 10);
    begin(bench, XRO_OP_OPEN);          /* the next op begins without a list */
    take_path(bench, XRO_KXR_OPEN, "/f?a=1");
    bench_free(bench);
}

/* Ways back count as redirects: a manager that sends us for ever to a server that is dead comes to an end. */
static void back_and_forth_for_ever(void **state)
{
    struct bench *bench = at_manager("/f");
    unsigned attempts = 0;

    (void)state;
    while (bench->client.state != XRO_CALL_DONE) {
        redirect(bench, 1, "dead");
        if (bench->client.state == XRO_CALL_DONE)
            break;
        resolved(bench);
        xro_client_broke(&bench->client, link_of(bench), XRO_CONNECT, ECONNREFUSED);
        if (bench->client.state != XRO_CALL_DONE)
            take(bench, XRO_KXR_OPEN);
        assert_true(++attempts < 20);
    }
    assert_ended(bench, XRO_REDIRECTS);
    assert_int_equal(attempts, 8);
    bench_free(bench);
}

/* The manager itself is lost: no way back. A server that is no manager is none, either. */
static void no_way_back(void **state)
{
    struct bench *bench = at_manager("/f");

    (void)state;
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, 0);
    assert_ended(bench, XRO_CLOSED);
    bench_free(bench);
    bench = bench_create(bench_new());
    begin(bench, XRO_OP_OPEN);
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_OPEN);
    redirect(bench, 1, "d1");
    resolved(bench);
    xro_client_broke(&bench->client, link_of(bench), XRO_CONNECT, ECONNREFUSED);
    assert_ended(bench, XRO_CONNECT);
    assert_int_equal(bench->op->error.system, ECONNREFUSED);
    assert_int_equal(bench->op->error.hop, 1);
    bench_free(bench);
}

/* The way back when the manager's connection, too, is gone: connected anew, with the list. */
static void the_manager_went_meanwhile(void **state)
{
    struct bench *bench = at_manager("/f");
    struct xro_link *manager = link_of(bench);

    (void)state;
    redirect(bench, 1, "d1");
    xro_client_broke(&bench->client, manager, XRO_CLOSED, 0);
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_OPEN);
    answer_error(bench, XRO_KXR_NOTFOUND, "");
    assert_state(bench, XRO_CALL_RESOLVE);
    assert_ptr_equal(link_of(bench), manager);
    arrive(bench, XRO_KXR_ISMANAGER);
    take_path(bench, XRO_KXR_OPEN, "/f?tried=d1&triedrc=enoent");
    assert_false(bench->op->hops[2].reused);
    bench_free(bench);
}

/* A meta manager takes the place of the manager that was met first. */
static void back_to_the_meta_manager(void **state)
{
    struct bench *bench = at_manager("/f");

    (void)state;
    redirect(bench, 1, "meta");
    arrive(bench, XRO_KXR_ISMANAGER | XRO_KXR_ATTRMETA);
    take(bench, XRO_KXR_OPEN);
    redirect(bench, 1, "sub?x=1");
    arrive(bench, XRO_KXR_ISMANAGER);
    take_path(bench, XRO_KXR_OPEN, "/f?x=1");
    answer_error(bench, XRO_KXR_NOTFOUND, "");
    take_path(bench, XRO_KXR_OPEN, "/f?tried=sub&triedrc=enoent");
    assert_string_equal(link_of(bench)->host, "meta");
    bench_free(bench);
}

/* --- one flight ----------------------------------------------------------------------------------------------------- */

static struct bench *in_flight(void)
{
    struct bench *bench = bench_new();

    bench->config.pipeline = true;
    bench_create(bench);
    begin(bench, XRO_OP_OPEN);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    take(bench, XRO_KXR_LOGIN);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    assert_true(bench->op->hops[0].pipelined);
    return bench;
}

static void flight(void **state)
{
    struct bench *bench = in_flight();

    (void)state;
    pass(bench, 10);
    answer_handshake(bench);
    pass(bench, 20);
    answer_protocol(bench, XRO_KXR_ISSERVER);
    assert_state(bench, XRO_CALL_LOGIN);
    pass(bench, 30);
    answer_login(bench);
    assert_int_equal(output_length(bench), 0);          /* all is out already */
    assert_state(bench, XRO_CALL_REQUEST);
    pass(bench, 40);
    answer_open(bench, "1 20 16 17");
    assert_ended(bench, XRO_OK);
    assert_phase(bench, XRO_PHASE_HANDSHAKE, 30);
    assert_phase(bench, XRO_PHASE_LOGIN, 30);
    assert_phase(bench, XRO_PHASE_REQUEST, 40);
    begin(bench, XRO_OP_OPEN);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    assert_false(bench->op->hops[0].pipelined);
    bench_free(bench);
}

/* All four answers in one packet: each state is passed, at the same stamp. */
static void flight_answered_at_once(void **state)
{
    struct bench *bench = in_flight();
    uint8_t bytes[256];
    struct xro_out out = xro_out(bytes, sizeof bytes);
    size_t n = XRO_HANDSHAKE_ANSWER_SIZE;

    (void)state;
    xro_put_handshake_answer(&out, (struct xro_handshake_answer){ 0x511, 0 });
    n += put_message(bytes + n, XRO_STREAM_PROTOCOL, XRO_KXR_OK, 8, "\0\0\x05\x11\0\x30\0\x02", 8);
    n += put_message(bytes + n, XRO_STREAM_LOGIN, XRO_KXR_OK, 16, "0123456789abcdef", 16);
    n += put_message(bytes + n, bench->stream, XRO_KXR_REDIRECT, 9, "\0\0\0\x07" "data1", 9);
    pass(bench, 90);
    feed(bench, bytes, n);
    assert_state(bench, XRO_CALL_RESOLVE);
    assert_string_equal(link_of(bench)->host, "data1");
    assert_true(bench->op->hops[1].pipelined);
    resolved(bench);
    connected(bench);
    take_handshake(bench);
    take(bench, XRO_KXR_PROTOCOL);
    take(bench, XRO_KXR_LOGIN);
    take(bench, XRO_KXR_OPEN);
    answer_handshake(bench);
    answer_protocol(bench, XRO_KXR_ISSERVER);
    answer_login(bench);
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    bench_free(bench);
}

/* The second hop, at the same server, goes step by step, to a good end. */
static void goes_step_by_step(struct bench *bench)
{
    assert_state(bench, XRO_CALL_RESOLVE);
    assert_int_equal(bench->op->hops[0].ending, XRO_ENDING_RETRIED);
    assert_int_equal(bench->op->hops[1].same_as, 0);
    assert_false(bench->op->hops[1].pipelined);
    arrive(bench, XRO_KXR_ISSERVER);
    take_path(bench, XRO_KXR_OPEN, "/data/file");
    answer_open(bench, "");
    assert_ended(bench, XRO_OK);
    bench_free(bench);
}

static void flight_refused(void **state)
{
    static const int codes[] = { XRO_KXR_INVALIDREQUEST, XRO_KXR_NOTAUTHORIZED, XRO_KXR_TLSREQUIRED, XRO_KXR_AUTHFAILED,
                                 XRO_KXR_INPROGRESS };

    (void)state;
    for (size_t i = 0; i < LENGTH(codes); i++)
        for (unsigned at = 0; at < 2; at++) {           /* in answer to the login, to the open */
            struct bench *bench = in_flight();
            uint8_t body[4] = { 0, 0, (uint8_t)(codes[i] >> 8), (uint8_t)codes[i] };
            answer_handshake(bench);
            answer_protocol(bench, XRO_KXR_ISSERVER);
            if (at == 1)
                answer_login(bench);
            answer_raw(bench, at == 0 ? XRO_STREAM_LOGIN : bench->stream, XRO_KXR_ERROR, 4, body, 4);
            goes_step_by_step(bench);
        }
}

/* Cut off at any point after connecting, or asked for credentials: the same. */
static void flight_cut_off(void **state)
{
    (void)state;
    for (unsigned answers = 0; answers < 5; answers++) {
        struct bench *bench = in_flight();
        if (answers > 0)
            answer_handshake(bench);
        if (answers > 1)
            answer_protocol(bench, XRO_KXR_ISSERVER);
        if (answers == 3)
            answer_login(bench);
        if (answers == 4)
            answer_raw(bench, XRO_STREAM_LOGIN, XRO_KXR_OK, 23, "0123456789abcdef&P=unix", 23);
        else
            xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, ECONNRESET);
        goes_step_by_step(bench);
    }
}

/* An answer to the open that has nothing to do with the flight is no reason to try again; a second refusal is final. */
static void flight_that_must_not_be_repeated(void **state)
{
    struct bench *bench = in_flight();

    (void)state;
    answer_handshake(bench);
    answer_protocol(bench, XRO_KXR_ISSERVER);
    answer_login(bench);
    answer_error(bench, XRO_KXR_NOTFOUND, "no");
    assert_ended(bench, XRO_SERVER);
    assert_int_equal(bench->op->hop_count, 1);
    bench_free(bench);
    bench = in_flight();
    xro_client_broke(&bench->client, link_of(bench), XRO_CLOSED, 0);
    arrive(bench, XRO_KXR_ISSERVER);
    take(bench, XRO_KXR_OPEN);
    answer_error(bench, XRO_KXR_NOTAUTHORIZED, "no");
    assert_ended(bench, XRO_SERVER);
    assert_int_equal(bench->op->hop_count, 2);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_a_data_server),          cmocka_unit_test(forms),
        cmocka_unit_test(bad_forms),                 cmocka_unit_test(long_forms),
        cmocka_unit_test(a_long_token),              cmocka_unit_test(to_itself),
        cmocka_unit_test(the_limit),                 cmocka_unit_test(a_circle_through_an_alias),
        cmocka_unit_test(redirects_out_of_place),    cmocka_unit_test(rubbish_behind_a_redirect),
        cmocka_unit_test(not_found_there),           cmocka_unit_test(dead_in_many_ways),
        cmocka_unit_test(back_and_forth_for_ever),   cmocka_unit_test(no_way_back),
        cmocka_unit_test(the_manager_went_meanwhile), cmocka_unit_test(back_to_the_meta_manager),
        cmocka_unit_test(flight),                    cmocka_unit_test(flight_answered_at_once),
        cmocka_unit_test(flight_refused),            cmocka_unit_test(flight_cut_off),
        cmocka_unit_test(flight_that_must_not_be_repeated),
    };

    return run_in_pieces(tests, LENGTH(tests));
}
