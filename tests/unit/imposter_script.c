/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * imposter_script.c - the imposter's language: what a script means, and what is said about a wrong one. */
#include "imposter/script.h"
#include "imposter/timers.h"
#include "imposter/tree.h"
#include "proto/serve.h"
#include "proto/xroot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct xro_script *parse(const char *text)
{
    struct xro_script_error error;
    struct xro_script *script;

    if (xro_imposter_parse(text, strlen(text), &script, &error) != XRO_OK)
        fail_msg("%u:%u: %s", error.line, error.column, error.text);
    return script;
}

static const struct xro_rule *rule_at(const struct xro_script *script, unsigned index)
{
    const struct xro_rule *rule = script->server_count > 0 ? script->servers[0].rules : NULL;

    while (rule != NULL && index-- > 0)
        rule = rule->next;
    assert_non_null(rule);
    return rule;
}

/* --- the shape -------------------------------------------------------------------------------------------------- */

static void servers_and_addresses(void **state)
{
    static const char text[] = "# head\n\nserver A\nserver B manager # kind\n listen [::1] swallow\n"
                               "\tlisten 127.0.0.2\n"
                               "  port 1094\n  host b.test\nserver C refuse\r\nserver D silent\n"
                               "server E relay [::1]:99 delay 70ms back 1s\nserver F relay h.test:1 \n"
                               "server G relay B\n";
    struct xro_script *script = parse(text);
    const struct xro_server *b = &script->servers[1];

    (void)state;
    assert_int_equal(script->server_count, 7);
    assert_string_equal(script->servers[0].addresses->text, "127.0.0.1");
    assert_int_equal(script->servers[0].addresses->kind, XRO_ADDRESS_SERVE);
    assert_int_equal(b->kind, XRO_SERVER_MANAGER);
    assert_int_equal(b->address_count, 2);
    assert_string_equal(b->addresses->text, "::1");
    assert_int_equal(b->addresses->kind, XRO_ADDRESS_SWALLOW);
    assert_string_equal(b->addresses->next->text, "127.0.0.2");
    assert_int_equal(b->port, 1094);
    assert_string_equal(b->host, "b.test");
    assert_int_equal(script->servers[2].addresses->kind, XRO_ADDRESS_REFUSE);
    assert_int_equal(script->servers[3].addresses->kind, XRO_ADDRESS_SILENT);
    assert_string_equal(script->servers[4].relay_host, "::1");
    assert_string_equal(script->servers[4].relay_port, "99");
    assert_int_equal(script->servers[4].relay_delay, 70 * XRO_NS_PER_MS);
    assert_int_equal(script->servers[4].relay_back, XRO_NS_PER_S);
    assert_int_equal(script->servers[5].relay_back, 0);
    assert_null(script->servers[6].relay_port);
    assert_int_equal(script->servers[6].relay_server, 1);
    assert_int_equal(xro_script_server(script, "D"), 3);
    assert_int_equal(xro_script_server(script, "d"), -1);
    xro_script_free(script);
}

static void conditions(void **state)
{
    static const struct { const char *text; struct xro_rule expected; } rows[] = {
        { "on open: close", { .from = 1, .to = UINT64_MAX, .until = XRO_NEVER } },
        { "on open count 3: close", { .from = 3, .to = 3, .until = XRO_NEVER } },
        { "on open count 3-17: close", { .from = 3, .to = 17, .until = XRO_NEVER } },
        { "on open count 65-: close", { .from = 65, .to = UINT64_MAX, .until = XRO_NEVER } },
        { "on open first 2 per path: close", { .from = 1, .to = 2, .until = XRO_NEVER, .scope = XRO_SCOPE_PATH } },
        { "on open every 20 per script: close", { .from = 1, .to = UINT64_MAX, .every = 20, .until = XRO_NEVER,
                                                  .scope = XRO_SCOPE_ALL } },
        { "on open every 3 offset 2: close", { .from = 1, .to = UINT64_MAX, .every = 3, .offset = 2,
          .until = XRO_NEVER } },
        { "on open until 1.2s: close", { .from = 1, .to = UINT64_MAX, .until = 1200 * XRO_NS_PER_MS } },
        { "on open after 5ms of connection: close", { .from = 1, .to = UINT64_MAX, .after = 5 * XRO_NS_PER_MS,
                                                      .until = XRO_NEVER, .of_connection = true } },
        { "on open writing per connection per server : close", { .from = 1, .to = UINT64_MAX, .until = XRO_NEVER,
                                                                 .writing = true } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "server S\n%s\n", rows[i].text);
        struct xro_script *script = parse(text);
        const struct xro_rule *rule = rule_at(script, 0), *expected = &rows[i].expected;
        if (rule->from != expected->from || rule->to != expected->to || rule->every != expected->every ||
            rule->offset != expected->offset || rule->scope != expected->scope || rule->after != expected->after ||
            rule->until != expected->until || rule->of_connection != expected->of_connection ||
            rule->writing != expected->writing || rule->step_count != 1)
            fail_msg("%s: read wrongly", rows[i].text);
        xro_script_free(script);
    }
}

static void events(void **state)
{
    static const char text[] = "server S\n"
                               "on accept handshake auth 3031 : close\n"
                               "on any: close\n"
                               "on open path \"/a b\" cgi x*: close\n";
    struct xro_script *script = parse(text);
    const struct xro_rule *rule = rule_at(script, 0);

    (void)state;
    assert_true(rule->events == (XRO_EVENT_ACCEPT | XRO_EVENT_HANDSHAKE | 1 | UINT64_C(1) << 31));
    assert_true(rule_at(script, 1)->events == XRO_EVENT_ANY);
    assert_string_equal(rule_at(script, 2)->path, "/a b");
    assert_string_equal(rule_at(script, 2)->cgi, "x*");
    assert_int_equal(rule_at(script, 2)->line, 4);
    assert_int_equal(script->rule_count, 3);
    xro_script_free(script);
}

static void kinds_are(const struct xro_rule *rule, size_t count, const enum xro_step_kind *kinds)
{
    if (rule->step_count != count)
        fail_msg("line %u: %zu steps, not %zu", rule->line, rule->step_count, count);
    for (size_t i = 0; i < count; i++)
        if (rule->steps[i].kind != kinds[i])
            fail_msg("line %u: step %zu is of kind %d", rule->line, i + 1, (int)rule->steps[i].kind);
}

#define KINDS_ARE(rule, ...)                                                                                           \
    kinds_are(rule, sizeof((enum xro_step_kind[]){ __VA_ARGS__ }) / sizeof(enum xro_step_kind),                        \
              (enum xro_step_kind[]){ __VA_ARGS__ })

/* A rule that neither answers nor ends goes on with the normal answer; kXR_waitresp detaches. */
static void implied_steps(void **state)
{
    struct xro_script *script = parse("server S\n"
                                      "on open: delay 1s\n"
                                      "on open: asyncms \"x\"\n"
                                      "on open: message attn int 5001\n"
                                      "on open: attn ok\n"
                                      "on open: waitresp 5, delay 1s,\n\n  # more on the next line\n  attn wait 0\n"
                                      "on accept: delay 1s\n"
                                      "on open: ignore\n"
                                      "on open: detach, delay 2s\n"
                                      "on open: asyncms \"x\", repeat\n"
                                      "on open: asyncms \"x\", repeat 9\n");

    (void)state;
    KINDS_ARE(rule_at(script, 0), XRO_STEP_DELAY, XRO_STEP_ANSWER);
    KINDS_ARE(rule_at(script, 1), XRO_STEP_MESSAGE, XRO_STEP_ANSWER);
    KINDS_ARE(rule_at(script, 2), XRO_STEP_MESSAGE, XRO_STEP_ANSWER);
    KINDS_ARE(rule_at(script, 3), XRO_STEP_MESSAGE);
    KINDS_ARE(rule_at(script, 4), XRO_STEP_MESSAGE, XRO_STEP_DETACH, XRO_STEP_DELAY, XRO_STEP_MESSAGE);
    KINDS_ARE(rule_at(script, 5), XRO_STEP_DELAY);
    KINDS_ARE(rule_at(script, 6), XRO_STEP_IGNORE);
    KINDS_ARE(rule_at(script, 7), XRO_STEP_DETACH, XRO_STEP_DELAY, XRO_STEP_ANSWER);
    KINDS_ARE(rule_at(script, 8), XRO_STEP_MESSAGE, XRO_STEP_REPEAT);
    KINDS_ARE(rule_at(script, 9), XRO_STEP_MESSAGE, XRO_STEP_REPEAT, XRO_STEP_ANSWER);
    xro_script_free(script);
}

static void body_is(const struct xro_rule *rule, uint16_t code, const char *bytes, size_t length)
{
    uint8_t body[256];
    size_t used = 0;

    for (const struct xro_data *data = rule->steps[0].data; data != NULL; data = data->next)
        for (uint64_t i = 0; i < data->times; i++) {
            assert_true(data->kind == XRO_DATA_BYTES && used + data->length <= sizeof body);
            if (data->length > 0)
                memcpy(body + used, data->bytes, data->length);
            used += data->length;
        }
    assert_int_equal(rule->steps[0].kind, XRO_STEP_MESSAGE);
    assert_int_equal(rule->steps[0].code, code);
    assert_int_equal(used, length);
    assert_memory_equal(body, bytes, length);
}

static void bodies(void **state)
{
    struct xro_script *script = parse("server S\n"
                                      "on open: wait 5 \"why\"\n"
                                      "on open: wait -1\n"
                                      "on open: error NotFound \"gone\"\n"
                                      "on open: error 4242\n"
                                      "on open: error isdirectory\n"
                                      "on open: ok text \"a\\x00\\n\\\"\" hex \"00 fF\" int -2 zero 2 repeat 3 \"ab\"\n"
                                      "on open: message 17 text \"#, :\"\n"
                                      "on open: protocol version 0x400 flags 0xffffffff\n"
                                      "on open: asyncms \"m\"\n");

    (void)state;
    body_is(rule_at(script, 0), XRO_KXR_WAIT, "\0\0\0\5why", 7);
    body_is(rule_at(script, 1), XRO_KXR_WAIT, "\xff\xff\xff\xff", 4);
    body_is(rule_at(script, 2), XRO_KXR_ERROR, "\0\0\x0b\xc3gone", 9);
    body_is(rule_at(script, 3), XRO_KXR_ERROR, "\0\0\x10\x92", 5);
    body_is(rule_at(script, 4), XRO_KXR_ERROR, "\0\0\x0b\xc8isDirectory", 16);
    body_is(rule_at(script, 5), XRO_KXR_OK, "a\0\n\"\0\xff\xff\xff\xff\xfe\0\0ababab", 18);
    body_is(rule_at(script, 6), 17, "#, :", 4);
    body_is(rule_at(script, 7), XRO_KXR_OK, "\0\0\4\0\xff\xff\xff\xff", 8);
    body_is(rule_at(script, 8), XRO_KXR_ATTN, "\0\0\x13\x8am", 5);
    xro_script_free(script);
}

static void modifiers(void **state)
{
    static const char text[] = "server S\n"
                               "on open: attn answer stream by -1 dlen 0x7fffffff status 4999 first half"
                               " patch 3 \"0102\" flip 9 crc dribble 2 every 5us\n"
                               "on open: pieces 4k every 1ms\n"
                               "on open: piece half, piece all, piece 7, rest first 5\n"
                               "on open: delay 1s serial per chunk\n";
    struct xro_script *script = parse(text);
    const struct xro_step *step = &rule_at(script, 0)->steps[0], *pieces = rule_at(script, 2)->steps;

    (void)state;
    assert_true(step->attn && step->crc);
    assert_true(step->stream.kind == XRO_ADD && step->stream.value == -1);
    assert_true(step->length.kind == XRO_SET && step->length.value == 0x7fffffff);
    assert_true(step->status.kind == XRO_SET && step->status.value == 4999);
    assert_int_equal(step->first.kind, XRO_AMOUNT_HALF);
    assert_true(step->patches->at == 3 && step->patches->length == 2 && step->patches->bytes[1] == 2);
    assert_true(step->patches->next->flip && step->patches->next->at == 9);
    assert_true(step->dribble == 2 && step->every == 5000);
    assert_int_equal(rule_at(script, 1)->steps[0].amount.bytes, 4096);
    assert_int_equal(rule_at(script, 1)->steps[0].every, XRO_NS_PER_MS);
    assert_int_equal(pieces[0].amount.kind, XRO_AMOUNT_HALF);
    assert_int_equal(pieces[1].amount.kind, XRO_AMOUNT_ALL);
    assert_int_equal(pieces[2].amount.bytes, 7);
    assert_int_equal(pieces[3].first.bytes, 5);
    assert_true(rule_at(script, 3)->steps[0].serial && rule_at(script, 3)->steps[0].per_chunk);
    xro_script_free(script);
}

static void redirects(void **state)
{
    static const char text[] = "server S\n"
                               "on open: redirect T\n"
                               "on open: redirect self\n"
                               "on open: redirect T address 2 opaque \"a=b\" token t url flags 0x1000"
                               " scheme http path /p port -7\n"
                               "on open: redirect text \"x?y\" port 0\n"
                               "server T\n"
                               "listen 127.0.0.1\n"
                               "listen ::1\n";
    struct xro_script *script = parse(text);
    const struct xro_redirect *redirect = rule_at(script, 0)->steps[0].data->redirect;

    (void)state;
    assert_int_equal(redirect->server, 1);
    assert_false(redirect->url || redirect->has_port);
    assert_int_equal(rule_at(script, 1)->steps[0].data->redirect->server, XRO_REDIRECT_SELF);
    redirect = rule_at(script, 2)->steps[0].data->redirect;
    assert_true(redirect->url && redirect->has_port && redirect->port == -7 && redirect->flags == 0x1000);
    assert_int_equal(redirect->address, 1);
    assert_string_equal(redirect->opaque, "a=b");
    assert_string_equal(redirect->token, "t");
    assert_string_equal(redirect->scheme, "http");
    assert_string_equal(redirect->path, "/p");
    redirect = rule_at(script, 3)->steps[0].data->redirect;
    assert_int_equal(redirect->server, XRO_REDIRECT_TEXT);
    assert_string_equal(redirect->text, "x?y");
    xro_script_free(script);
}

static void variables(void **state)
{
    static const char text[] = "set pause 5s\n"
                               "set seconds 3\n"
                               "set words \"a b\"\n"
                               "server S\n"
                               "on open: delay $pause, wait $seconds $words\n";
    const struct xro_script_setting settings[] = { { "pause", "7ms" }, { "seconds", "-1" } };
    const struct xro_script_setting unknown = { "pauze", "1s" };
    struct xro_script *script;
    struct xro_script_error error;

    (void)state;
    script = parse(text);
    assert_int_equal(rule_at(script, 0)->steps[0].delay, 5 * XRO_NS_PER_S);
    assert_memory_equal(rule_at(script, 0)->steps[1].data->bytes, "\0\0\0\3", 4);
    assert_memory_equal(rule_at(script, 0)->steps[1].data->next->bytes, "a b", 3);
    xro_script_free(script);
    assert_int_equal(xro_imposter_parse_with(text, sizeof text - 1, settings, 2, &script, &error), XRO_OK);
    assert_int_equal(rule_at(script, 0)->steps[0].delay, 7 * XRO_NS_PER_MS);
    assert_memory_equal(rule_at(script, 0)->steps[1].data->bytes, "\xff\xff\xff\xff", 4);
    xro_script_free(script);
    assert_int_equal(xro_imposter_parse_with(text, sizeof text - 1, &unknown, 1, &script, &error), XRO_INVALID);
    assert_null(script);
    assert_int_equal(error.line, 0);
    assert_non_null(strstr(error.text, "'pauze'"));
}

/* --- what is wrong ---------------------------------------------------------------------------------------------- */

static void errors(void **state)
{
    static const struct { const char *text; unsigned line, column; const char *words; } rows[] = {
        { "", 1, 1, "expected at least one 'server' line, found the end of the script" },
        { "# nothing\n\n", 3, 1, "at least one 'server'" },
        { "server\n", 1, 7, "expected a server's name, found the end of the line" },
        { "server 9\n", 1, 8, "expected a server's name, found '9'" },
        { "server A B\n", 1, 10, "expected data, manager, silent, refuse, swallow or relay, found 'B'" },
        { "server A\nserver A\n", 2, 8, "a name that no other server has" },
        { "port 5\n", 1, 1, "a 'server' line before this one" },
        { "server A\nport 0\n", 2, 6, "a port from 1 to 65535" },
        { "server A\nport 65536\n", 2, 6, "a port from 1 to 65535" },
        { "server A\nlisten localhost\n", 2, 8, "a numeric address" },
        { "server A\nlisten 127.0.0.1:99\n", 2, 8, "a numeric address" },
        { "server A\nlisten ::1 deaf\n", 2, 12, "the end of the line" },
        { "server A relay\n", 1, 15, "HOST:PORT" },
        { "server A relay h:\n", 1, 17, "the end of the line, found a colon" },
        { "server A relay h:p\n", 1, 16, "HOST:PORT" },
        { "server A relay A\n", 1, 8, "no other server is called 'A'" },
        { "server A relay h:1\non open: close\n", 2, 1, "a relay has no rules" },
        { "file x\nserver A\n", 1, 6, "a path that begins with '/'" },
        { "file /x size 9q\nserver A\n", 1, 14, "a size such as" },
        { "file /x size 5 text \"\"\nserver A\n", 1, 23, "a text that is not empty" },
        { "file /x repeat \"\"\nserver A\n", 1, 16, "a string in quotes" },
        { "set 5 5\nserver A\n", 1, 5, "a variable's name" },
        { "set a\nserver A\n", 1, 6, "the variable's value" },
        { "server A\non open: delay $b\n", 2, 16, "a variable that a 'set' line before has made, found '$b'" },
        { "server A\non: close\n", 2, 3, "an event" },
        { "server A\non opne: close\n", 2, 4, "an event: accept, handshake, any, or a request such as login, open, "
            "read, found 'opne'" },
        { "server A\non 2999: close\n", 2, 4, "an event" },
        { "server A\non open quickly\n", 2, 9, "a colon, another event, or a condition" },
        { "server A\non open count 0: close\n", 2, 15, "a count such as 3, 1-5 or 65-" },
        { "server A\non open count 5-3: close\n", 2, 15, "a count" },
        { "server A\non open count 1-2-3: close\n", 2, 15, "a count" },
        { "server A\non open every 0: close\n", 2, 15, "at least 1" },
        { "server A\non open every 3 offset 3: close\n", 2, 24, "an offset less than" },
        { "server A\non open per client: close\n", 2, 13, "connection, path, server or script" },
        { "server A\non open until soon: close\n", 2, 15, "a duration such as" },
        { "server A\non open:\n", 2, 9, "a step" },
        { "server A\non open: dealy 5s\n", 2, 10, "a step: answer, delay, wait" },
        { "server A\non open: delay\n", 2, 15, "a duration" },
        { "server A\non open: delay 5x\n", 2, 16, "a duration such as 250us, 20ms, 5s, found '5x'" },
        { "server A\non open: delay -5s\n", 2, 16, "a duration" },
        { "server A\non open: wait 5s\n", 2, 15, "whole seconds" },
        { "server A\non open: wait 99999999999\n", 2, 15, "whole seconds" },
        { "server A\non open: error Foo\n", 2, 16, "an error code such as 3011 or NotFound" },
        { "server A\non open: redirect B\n", 2, 19, "no server is called 'B'" },
        { "server A\non open: redirect A address 2\n", 2, 19, "has only 1 address" },
        { "server A\non open: ok hex \"0\"\n", 2, 17, "bytes in hexadecimal" },
        { "server A\non open: ok hex \"0g\"\n", 2, 17, "bytes in hexadecimal" },
        { "server A\non open: ok text abc\n", 2, 18, "a string in quotes" },
        { "server A\non open: ok text \"abc\n", 2, 18, "does not end on its line" },
        { "server A\non open: ok text \"a\\q\"\n", 2, 20, "unknown escape" },
        { "server A\non open: ok zero 65M\n", 2, 21, "more than 67108864 bytes" },
        { "server A\non open: ok zero 40M zero 40M\n", 2, 30, "more than 67108864 bytes" },
        { "server A\non open: attn close\n", 2, 15, "the answer to defer" },
        { "server A\non open: close, answer\n", 2, 17, "no step behind" },
        { "server A\non open: answer, repeat, answer\n", 2, 26, "no step behind a 'repeat'" },
        { "server A\non open: repeat\n", 2, 16, "a step that sends or delays" },
        { "server A\non open: delay 0s, repeat\n", 2, 26, "a step that sends or delays" },
        { "server A\non open: pieces 0\n", 2, 18, "a piece size from 1" },
        { "server A\non open: answer dribble 1\n", 2, 26, "'every'" },
        { "server A\non open: answer stream by\n", 2, 26, "a number, or 'by'" },
        { "server A\non open: answer,\n", 3, 1, "a step" },
        { "server A\non open: answer, ,\n", 2, 18, "a step" },
        { "server A\non open: \xc3\xa4\n", 2, 10, "neither printable nor ASCII" },
        { "server A\non open: close extra\n", 2, 16, "the end of the line, found 'extra'" },
        { "sever A\n", 1, 1, "set, server, listen, port, host, file, dir, deny or on, found 'sever'" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xro_script *script;
        struct xro_script_error error;
        if (xro_imposter_parse(rows[i].text, strlen(rows[i].text), &script, &error) != XRO_INVALID || script != NULL)
            fail_msg("taken for good: %s", rows[i].text);
        if (error.line != rows[i].line || error.column != rows[i].column || strstr(error.text, rows[i].words) == NULL)
            fail_msg("%s\nsaid %u:%u: %s", rows[i].text, error.line, error.column, error.text);
    }
}

/* Each beginning of a good script gives a script or an error with a place, and each byte changed does, too. */
static void cut_and_broken(void **state)
{
    static const char text[] = "set a 5\n"
                               "file /d/* size 1M offline\n"
                               "server M manager\n"
                               " listen [::1]\n"
                               " on open count 1-2 per path: wait $a \"l\\x6fok\", delay 1ms serial\n"
                               " on open: redirect D opaque \"a=b\"\n"
                               "server D\n"
                               " on read: piece half,\n"
                               "  delay 28s, answer flip 3 crc\n"
                               "server W relay D delay 70ms\n";

    (void)state;
    for (size_t cut = 0; cut < sizeof text; cut++)
        for (unsigned change = 0; change < 4; change++) {
            char copy[sizeof text];
            struct xro_script *script;
            struct xro_script_error error;
            memcpy(copy, text, sizeof text);
            if (change > 0 && cut < sizeof text - 1)
                copy[cut] = "\0\",:"[change];
            enum xro_status status = xro_imposter_parse(copy, change > 0 ? sizeof text - 1 : cut, &script, &error);
            assert_true(status == XRO_OK ? script != NULL : script == NULL && error.text[0] != '\0');
            xro_script_free(script);
        }
}

static void limits(void **state)
{
    static const struct { const char *line; size_t times; const char *words; } rows[] = {
        { "server S%zu\n", XRO_SCRIPT_SERVERS_MAX + 1, "more than 256 servers" },
        { "on open: close # %zu\n", XRO_SCRIPT_RULES_MAX + 1, "more than 4096 rules" },
        { "file /%zu\n", XRO_SCRIPT_FILES_MAX + 1, "more than 16384 files" },
        { "set v%zu 1\n", XRO_SCRIPT_SETS_MAX + 1, "more than 64 variables" },
        { "listen 127.0.0.1 # %zu\n", XRO_SCRIPT_ADDRESSES_MAX + 1, "more than 16 addresses" },
        { "# a comment of no use at all, number %zu\n", 30000, "longer than 1048576 bytes" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t room = rows[i].times * 60 + 100, used;
        char *text = (char *)malloc(room);
        struct xro_script *script;
        struct xro_script_error error;
        assert_non_null(text);
        used = (size_t)snprintf(text, room, "server A\n");
        for (size_t j = 0; j < rows[i].times; j++)
            used += (size_t)snprintf(text + used, room - used, rows[i].line, j);
        assert_int_equal(xro_imposter_parse(text, used, &script, &error), XRO_INVALID);
        if (strstr(error.text, rows[i].words) == NULL)
            fail_msg("%s: said %s", rows[i].line, error.text);
        free(text);
    }
}

/* --- files, pages, timers: what the language's words stand on --------------------------------------------------- */

static void patterns(void **state)
{
    static const struct { const char *pattern, *text; bool match; } rows[] = {
        { "/a", "/a", true }, { "/a", "/ab", false }, { "/a", "/", false }, { "*", "", true }, { "", "", true }, { "",
          "a", false },
        { "/a*", "/a", true }, { "/a*c", "/abcbc", true }, { "/a*c", "/abcb", false }, { "/?", "/x", true }, { "/?",
          "/", false },
        { "**a**b", "xaxxb", true }, { "*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false }, { "/d/*", "/d/x/y",
          true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (xro_tree_match(rows[i].pattern, rows[i].text, strlen(rows[i].text)) != rows[i].match)
            fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].text);
}

static void tree(void **state)
{
    static const struct { const char *path; int error; bool directory; uint64_t size; } rows[] = {
        { "/", 0, true, 0 }, { "/d", 0, true, 0 }, { "/d/", 0, true, 0 }, { "/d/f", 0, false, 7 }, { "/e", 0, true,
          4096 },
        { "/g/anything/below", 0, false, 9 }, { "/s", XRO_KXR_NOTAUTHORIZED, false, 0 }, { "/x", XRO_KXR_NOTFOUND,
          false, 0 },
        { "/d/ff", XRO_KXR_NOTFOUND, false, 0 }, { "", XRO_KXR_NOTFOUND, false, 0 }, { "/h", 0, false, 1 << 20 },
    };
    struct xro_script *script = parse("file /h\nserver S\nfile /d/f text \"content\"\ndir /e\nfile /g/* size 9\ndeny "
        "/s\n");
    struct xro_buf body = xro_buf(1000);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xro_found found = xro_tree_find(script, &script->servers[0], rows[i].path, strlen(rows[i].path));
        if (found.error != rows[i].error || found.directory != rows[i].directory ||
            (found.file != NULL ? found.file->size : 0) != rows[i].size)
            fail_msg("'%s' is taken for something else", rows[i].path);
    }
    assert_int_equal(xro_tree_list(script, &script->servers[0], "/", 1, false, &body), XRO_OK);
    assert_int_equal(body.length, 8);
    assert_string_equal((const char *)body.bytes, "d\ne\ns\nh");
    xro_buf_free(&body);
    xro_script_free(script);
}

/* Bytes by offset are the same, however a range is cut. */
static void contents(void **state)
{
    struct xro_script *script = parse("server S\nfile /o size 100\nfile /t text \"abc\"\nfile /r size 100 repeat "
        "\"xyz\"\n"
                                      "file /z size 9 zero\n");
    const struct xro_file *file = script->servers[0].files;
    uint8_t whole[64], part[64];

    (void)state;
    for (; file != NULL; file = file->next) {
        xro_tree_fill(file, 0, whole, sizeof whole);
        for (size_t from = 0; from < sizeof whole; from++)
            for (size_t n = 0; from + n <= sizeof whole; n += 7) {
                xro_tree_fill(file, from, part, n);
                assert_memory_equal(part, whole + from, n);
            }
    }
    file = script->servers[0].files;
    xro_tree_fill(file, UINT64_C(0x123456789abcd0), whole, 16);
    assert_memory_equal(whole, "0123456789abcd0\n", 16);
    xro_tree_fill(file->next->next, 1, whole, 4);
    assert_memory_equal(whole, "yzxy", 4);
    xro_script_free(script);
}

static void pages(void **state)
{
    static const struct { uint64_t offset; size_t length, expected; } rows[] = {
        { 0, 0, 0 }, { 0, 1, 5 }, { 0, 4096, 4100 }, { 0, 4097, 4105 }, { 100, 3996, 4000 }, { 100, 3997, 4005 },
          { 4095, 2, 10 },
    };
    uint8_t message[XRO_STATUS_SIZE], bytes[5000] = { 0 }, encoded[5100];
    struct xro_out out = xro_out(message, sizeof message);

    (void)state;
    assert_int_equal(xro_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(xro_crc32c(xro_crc32c(0, "1234", 4), "56789", 5), 0xe3069283u);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xro_out to = xro_out(encoded, sizeof encoded);
        assert_int_equal(xro_pages_length(rows[i].offset, rows[i].length), rows[i].expected);
        xro_put_pages(&to, rows[i].offset, bytes, rows[i].length);
        assert_false(to.bad);
        assert_int_equal(sizeof encoded - to.left, rows[i].expected);
    }
    xro_put_status(&out, 5, XRO_KXR_PGREAD, true, 8, 77);
    assert_false(out.bad);
    memcpy(encoded, message, sizeof message);
    assert_true(xro_fix_status(encoded, sizeof message));
    assert_memory_equal(encoded, message, sizeof message);
    encoded[30] ^= 1;
    assert_true(xro_fix_status(encoded, sizeof message));
    assert_memory_not_equal(encoded + 8, message + 8, 4);
    assert_false(xro_fix_status(encoded, sizeof message - 1));
}

static void timers_in_order(void **state)
{
    enum { COUNT = 200 };
    struct xro_timers timers = { .heap = NULL };
    struct xro_timer all[COUNT] = { { .due = 0 } };
    xro_ns last = 0;
    size_t fired = 0;

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(xro_timers_set(&timers, &all[i], (i * 7919) % 101 + 1), XRO_OK);
    for (size_t i = 0; i < COUNT; i += 3)
        xro_timers_cancel(&timers, &all[i]);
    for (size_t i = 1; i < COUNT; i += 3)
        assert_int_equal(xro_timers_set(&timers, &all[i], (i * 31) % 57 + 1), XRO_OK);
    assert_null(xro_timers_due(&timers, 0));
    for (struct xro_timer *timer; (timer = xro_timers_due(&timers, 1000)) != NULL; fired++) {
        assert_true(timer->due >= last && (timer - all) % 3 != 0 && timer->place == 0);
        last = timer->due;
    }
    assert_int_equal(fired, COUNT - (COUNT + 2) / 3);
    assert_true(xro_timers_next(&timers) == XRO_NEVER);
    xro_timers_free(&timers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_and_addresses), cmocka_unit_test(conditions), cmocka_unit_test(events),
        cmocka_unit_test(implied_steps), cmocka_unit_test(bodies), cmocka_unit_test(modifiers),
            cmocka_unit_test(redirects),
        cmocka_unit_test(variables), cmocka_unit_test(errors), cmocka_unit_test(cut_and_broken),
            cmocka_unit_test(limits),
        cmocka_unit_test(patterns), cmocka_unit_test(tree), cmocka_unit_test(contents), cmocka_unit_test(pages),
        cmocka_unit_test(timers_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
