/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * url.c - URLs as the official tools take them, and everything that is none. What XrdCl::URL does with the good ones was
 * compared once; where we are stricter on purpose, the case says so. */
#include "base/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

struct good {
    const char *text, *user, *host;
    uint16_t port;
    const char *path;
    bool tls, literal;
};

static void good_root_urls(void **state)
{
    static const struct good cases[] = {
        { "root://host//data/f",             "",     "host",      1094,  "/data/f",       false, false },
        { "xroot://host//data/f",            "",     "host",      1094,  "/data/f",       false, false },
        { "roots://host//data/f",            "",     "host",      1094,  "/data/f",       true,  false },
        { "xroots://host//data/f",           "",     "host",      1094,  "/data/f",       true,  false },
        { "ROOT://Host//data/f",             "",     "Host",      1094,  "/data/f",       false, false },
        { "root://host/data/f",              "",     "host",      1094,  "data/f",        false, false },
        { "root://host///data//f/",          "",     "host",      1094,  "//data//f/",    false, false },
        { "root://host:1//f",                "",     "host",      1,     "/f",            false, false },
        { "root://host:65535//f",            "",     "host",      65535, "/f",            false, false },
        { "root://host:00080//f",            "",     "host",      80,    "/f",            false, false },
        { "root://se-1.lab_2.example.org//f", "",    "se-1.lab_2.example.org", 1094, "/f", false, false },
        { "root://user@host//f",             "user", "host",      1094,  "/f",            false, false },
        { "root://user:secret@host:99//f",   "user", "host",      99,    "/f",            false, false },
        { "root://user:se:cr@et@host//f",    "user", "host",      1094,  "/f",            false, false },
        { "root://@host//f",                 "",     "host",      1094,  "/f",            false, false },
        { "root://:secret@host//f",          "",     "host",      1094,  "/f",            false, false },
        { "root://127.0.0.1//f",             "",     "127.0.0.1", 1094,  "/f",            false, true },
        { "root://127.0.0.1:2//f",           "",     "127.0.0.1", 2,     "/f",            false, true },
        { "root://[::1]//f",                 "",     "::1",       1094,  "/f",            false, true },
        { "root://[::1]:2//f",               "",     "::1",       2,     "/f",            false, true },
        { "root://u:p@[2001:db8::7]:2//f",   "u",    "2001:db8::7", 2,   "/f",            false, true },
        { "root://[fe80::1%eth0]:2//f",      "",     "fe80::1%eth0", 2,  "/f",            false, true },
        { "root://[::ffff:1.2.3.4]//f",      "",     "::ffff:1.2.3.4", 1094, "/f",        false, true },
        { "root://host//f@1:2",              "",     "host",      1094,  "/f@1:2",        false, false },
        { "root://host//a b%20c#d",          "",     "host",      1094,  "/a b%20c#d",    false, false },
        { "root://host//f?a=1",              "",     "host",      1094,  "/f?a=1",        false, false },
        { "root://host//f?a=1&b=2&c",        "",     "host",      1094,  "/f?a=1&b=2&c",  false, false },
        { "root://host//f?",                 "",     "host",      1094,  "/f",            false, false },
        { "root://host//f?&&a=1&&b=2&",      "",     "host",      1094,  "/f?a=1&b=2",    false, false },
        { "root://host//f?a=x?y=z",          "",     "host",      1094,  "/f?a=x?y=z",    false, false },
        { "root://host//f?url=root://h//g",  "",     "host",      1094,  "/f?url=root://h//g", false, false },
        /* what concerns the client alone does not go to the server */
        { "root://host//f?xrdcl.wantprot=unix", "",    "host",      1094,  "/f",            false, false },
        { "root://host//f?xrdcl.unzip=x",    "",     "host",      1094,  "/f",            false, false },
        { "root://host//f?a=1&xrdcl.k=v&b=2",  "",     "host",      1094,  "/f?a=1&b=2",    false, false },
        { "root://host//f?xrdcl.k=v&a=1",      "",     "host",      1094,  "/f?a=1",        false, false },
        { "root://host//f?a=1&xrdcl.k=v",    "",     "host",      1094,  "/f?a=1",        false, false },
        { "root://host//f?xrdx=1&xrd=2&xrdclx.y=3", "", "host",   1094,  "/f?xrdx=1&xrd=2&xrdclx.y=3", false, false },
        { "root://host//f?a=xrd.b",          "",     "host",      1094,  "/f?a=xrd.b",    false, false },
        { "root://host//root://other//g",    "",     "host",      1094,  "/root://other//g", false, false },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct good *expected = &cases[i];
        struct xro_url url;
        const char *wrong = xro_url_parse(expected->text, &url);
        if (wrong != NULL)
            fail_msg("%s: %s", expected->text, wrong);
        assert_int_equal(url.scheme, XRO_SCHEME_ROOT);
        assert_string_equal(url.user, expected->user);
        assert_string_equal(url.host, expected->host);
        assert_int_equal(url.port, expected->port);
        assert_string_equal(url.path, expected->path);
        assert_int_equal(url.tls, expected->tls);
        assert_int_equal(url.literal, expected->literal);
    }
}

static void files(void **state)
{
    static const struct { const char *text, *path; } cases[] = {
        { "/etc/hosts", "/etc/hosts" },       { "hosts", "hosts" },         { "./a:b", "./a:b" },
        { "/a?b=c&xrd.d=e", "/a?b=c&xrd.d=e" }, { "file:///etc/hosts", "/etc/hosts" },
        { "file://localhost/etc/hosts", "/etc/hosts" }, { "FILE:///x", "/x" }, { "file:////x", "//x" }, { "/a\nb", "/a\nb" },
        { "root:/host/f", "root:/host/f" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_url url;
        assert_null(xro_url_parse(cases[i].text, &url));
        assert_int_equal(url.scheme, XRO_SCHEME_FILE);
        assert_string_equal(url.path, cases[i].path);
        assert_string_equal(url.host, "");
    }
}

static void bad_urls(void **state)
{
    static const struct { const char *text, *why; } cases[] = {
        { "", "it is empty" },
        { "http://host//f", "unknown scheme" },         { "rootx://host//f", "unknown scheme" },
        { "roo://host//f", "unknown scheme" },          { "://host//f", "unknown scheme" },
        { " root://host//f", "unknown scheme" },        { "root ://host//f", "unknown scheme" },
        { "root://", "names no host" },                 { "root:///f", "names no host" },
        { "root:////f", "names no host" },              { "root://:1094//f", "names no host" },
        { "root://user@//f", "names no host" },         { "root://user@:1//f", "names no host" },
        { "root://host", "names no file" },             { "root://host/", "names no file" },
        { "root://host:1094", "names no file" },        { "root://host/?a=1", "names no file" },
        { "root://[::1]", "names no file" },
        { "root://host:0//f", "not between" },          { "root://host:65536//f", "not between" },
        { "root://host:99999//f", "not between" },      { "root://host:100000//f", "not a number" },
        { "root://host://f", "not a number" },          { "root://host:-1//f", "not a number" },
        { "root://host:+1//f", "not a number" },        { "root://host:1x//f", "not a number" },
        { "root://host: 1//f", "not a number" },        { "root://host:1:2//f", "not a number" },
        { "root://::1//f", "names no host" },           { "root://2001:db8::7//f", "not a number" },
        { "root://[::1//f", "lacks its ']'" },          { "root://[]//f", "no IPv6 address" },
        { "root://[127.0.0.1]//f", "no IPv6 address" }, { "root://[host]//f", "no IPv6 address" },
        { "root://[::1::2]//f", "no IPv6 address" },    { "root://[::1]1094//f", "between the address and the port" },
        { "root://[::1]:x//f", "not a number" },        { "root://[::1]:0//f", "not between" },
        { "root://ho st//f", "character" },             { "root://ho[st//f", "character" },
        { "root://ho\"st//f", "character" },            { "root://host<//f", "character" },
        { "root://h\xc3\xb6st//f", "character" },       { "root://host?a=1", "character" },
        { "root://host#x//f", "character" },            { "root://ho\\st//f", "character" },
        { "root://ho\nst//f", "control" },              { "root://host//f\x1b[2J", "control" },
        { "root://host//f\x7f", "control" },
        { "file://", "absolute path" },                 { "file://host/f", "absolute path" },
        { "file://f", "absolute path" },                { "file://localhost", "absolute path" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_url url;
        const char *wrong = xro_url_parse(cases[i].text, &url);
        if (wrong == NULL || strstr(wrong, cases[i].why) == NULL)
            fail_msg("'%s': %s, and not: %s", cases[i].text, wrong ? wrong : "good", cases[i].why);
    }
}

/* FRONT, then LENGTH times LETTER, then BACK */
static const char *parse_long(const char *front, size_t length, const char *back, struct xro_url *url)
{
    static char text[4 * XRO_PATH_SIZE];
    size_t used = strlen(front);

    assert_true(used + length + strlen(back) < sizeof text);
    memcpy(text, front, used);
    memset(text + used, 'x', length);
    memcpy(text + used + length, back, strlen(back) + 1);
    return xro_url_parse(text, url);
}

/* What just fits is taken whole; one more is refused. */
static void lengths(void **state)
{
    static const struct { const char *front, *back; size_t most; const char *why; } cases[] = {
        { "root://", "//f", XRO_HOST_SIZE - 1, "host name is too long" },
        { "root://", "@host//f", XRO_USER_SIZE - 1, "user name is too long" },
        { "root://host//", "", XRO_PATH_SIZE - 2, "path is too long" },
        { "root://host//", "?a=1", XRO_PATH_SIZE - 6, "path is too long" },
        { "root://host//f?", "", XRO_PATH_SIZE - 4, "path is too long" },
        { "root://host//f?", "&xrdcl.k=v", XRO_PATH_SIZE - 4, "path is too long" },
        { "file:///", "", XRO_PATH_SIZE - 2, "path is too long" },
        { "/", "", XRO_PATH_SIZE - 2, "path is too long" },
        { "root://[fe80::1%", "]//f", XRO_HOST_SIZE - 1 - 8, "no IPv6 address" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_url url;
        const char *wrong;
        assert_null(parse_long(cases[i].front, cases[i].most, cases[i].back, &url));
        wrong = parse_long(cases[i].front, cases[i].most + 1, cases[i].back, &url);
        assert_non_null(wrong);
        assert_non_null(strstr(wrong, cases[i].why));
    }
}

/* A secret never stays in what is kept. */
static void password_is_dropped(void **state)
{
    struct xro_url url;
    const char *bytes = (const char *)&url;

    (void)state;
    assert_null(xro_url_parse("root://user:hunter2@host//f", &url));
    for (size_t i = 0; i + 7 <= sizeof url; i++)
        assert_int_not_equal(memcmp(bytes + i, "hunter2", 7), 0);
}

static void authorities(void **state)
{
    static const struct { const char *host; uint16_t port; size_t size; const char *text; } cases[] = {
        { "host", 1094, 64, "host:1094" }, { "::1", 1, 64, "[::1]:1" }, { "fe80::1%eth0", 65535, 64, "[fe80::1%eth0]:65535" },
        { "1.2.3.4", 99, 64, "1.2.3.4:99" }, { "host", 1094, 6, "host:" }, { "host", 1094, 1, "" },
    };
    char to[64];

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(xro_url_authority(cases[i].host, cases[i].port, to, cases[i].size), cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_root_urls), cmocka_unit_test(files),       cmocka_unit_test(bad_urls),
        cmocka_unit_test(lengths),        cmocka_unit_test(authorities), cmocka_unit_test(password_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
