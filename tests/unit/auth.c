/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth.c - authentication without a server: bytes of requests and credentials, a server's list and XrdSecPROTOCOL, what
 * is refused and in which words. */
#include "auth_help.h"
#include "base/module.h"
#include "proto/auth.h"

#include <grp.h>
#include <pwd.h>

/* --- requests --- */

static void auth_bytes(void **state)
{
    static const uint8_t expected[] = { 0x01, 0x02, 0x0b, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                        's', 's', 's', 0, 0, 0, 0, 3, 'a', 'b', 'c' };
    uint8_t bytes[64];
    struct xro_out out = xro_out(bytes, sizeof bytes), small = xro_out(bytes, 26);

    (void)state;
    xro_put_auth(&out, 0x0102, "sss", (const uint8_t *)"abc", 3);
    assert_false(out.bad);
    assert_int_equal(sizeof bytes - out.left, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    out = xro_out(bytes, sizeof bytes);
    xro_put_auth(&out, 1, "longername", (const uint8_t *)"", 0);
    assert_memory_equal(bytes + 16, "long\0\0\0\0", 8);
    xro_put_auth(&small, 1, "unix", (const uint8_t *)"abc", 3);
    assert_true(small.bad);
}

/* --- native methods --- */

static void host_and_unix(void **state)
{
    const struct passwd *user = getpwuid(geteuid());
    const struct group *group = getgrgid(getegid());
    char expected[256] = "unix";
    struct xro_buf out = credentials_of("&P=host", false);
    int length;

    (void)state;
    assert_int_equal(out.length, 5);
    assert_memory_equal(out.bytes, "host", 5);
    xro_buf_free(&out);

    out = credentials_of("&P=unix,whatever", false);
    length = 5 + snprintf(expected + 5, sizeof expected - 5, "%s%s%s", user != NULL ? user->pw_name : "*",
                          group != NULL ? " " : "", group != NULL ? group->gr_name : "");
    assert_int_equal(out.length, length + 1);
    assert_memory_equal(out.bytes, expected, out.length);
    xro_buf_free(&out);
}

static void ztn_bytes(void **state)
{
    static const char expected[] = "ztn\0\0T\0\0\0\x2b" SECRET;
    struct xro_buf out;

    (void)state;
    setenv("BEARER_TOKEN", " \t" SECRET "\r\n", 1);
    out = credentials_of("&P=ztn,0:4096:", true);
    assert_int_equal(out.length, sizeof expected);
    assert_memory_equal(out.bytes, expected, sizeof expected);
    xro_auth_wipe(&out);
    for (size_t i = 0; i < out.room; i++)
        assert_int_equal(out.bytes[i], 0);
    assert_int_equal(out.length, 0);
    xro_buf_free(&out);
}

/* What the method answers in place of credentials. */
static void assert_refused(const char *token, bool tls, enum xro_status status, const char *words)
{
    struct xro_auth *auth = begin(token, tls);
    struct xro_auth_choice choice;
    struct xro_buf out = xro_buf(XRO_AUTH_MOST);

    assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
    if (!choice.usable) {
        assert_int_equal(choice.status, status);
        assert_words(choice.reason, words);
    }
    assert_int_equal(xro_auth_credentials(auth, NULL, 0, &out), choice.usable ? status : XRO_INVALID);
    if (choice.usable)
        assert_words(xro_auth_reason(auth), words);
    assert_int_equal(out.length, 0);
    xro_auth_close(auth);
    xro_buf_free(&out);
}

static void ztn_refuses(void **state)
{
    static const char *const offers[] = { "&P=ztn", "&P=ztn,", "&P=ztn,0", "&P=ztn,0:", "&P=ztn,0:x:", "&P=ztn,:4096:",
                                          "&P=ztn,0:0:", "&P=ztn,0:-1:", "&P=ztn,0:99999999999999999999:" };

    (void)state;
    setenv("BEARER_TOKEN", SECRET, 1);
    assert_refused("&P=ztn,0:4096:", false, XRO_AUTH, "needs TLS");
    for (size_t i = 0; i < LENGTH(offers); i++)
        assert_refused(offers[i], true, XRO_AUTH, "offer is not understood");
    assert_refused("&P=ztn,0:42:", true, XRO_AUTH, "has 42 characters, and the server takes fewer than 42");
    setenv("BEARER_TOKEN", SECRET " " SECRET, 1);
    assert_refused("&P=ztn,0:4096:", true, XRO_AUTH, "holds no token: character 43");
    setenv("BEARER_TOKEN", SECRET "\x1b[2J", 1);
    assert_refused("&P=ztn,0:4096:", true, XRO_AUTH, "holds no token: character 43");
    setenv("BEARER_TOKEN", "\x7f" SECRET, 1);
    assert_refused("&P=ztn,0:4096:", true, XRO_AUTH, "holds no token: character 1");
}

static void one_message_only(void **state)
{
    static const char *const offers[] = { "&P=host", "&P=unix", "&P=ztn,0:4096:" };
    struct xro_buf out = xro_buf(XRO_AUTH_MOST);
    struct xro_auth_choice choice;

    (void)state;
    setenv("BEARER_TOKEN", SECRET, 1);
    for (size_t i = 0; i < LENGTH(offers); i++) {
        struct xro_auth *auth = begin(offers[i], true);
        assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
        assert_int_equal(xro_auth_credentials(auth, (const uint8_t *)"more", 4, &out), XRO_PROTOCOL);
        assert_words(xro_auth_reason(auth), "asks for more");
        for (unsigned round = 1; round < XRO_AUTH_ROUNDS_MOST; round++)
            assert_int_equal(xro_auth_credentials(auth, NULL, 0, &out), XRO_OK);
        assert_int_equal(xro_auth_credentials(auth, NULL, 0, &out), XRO_PROTOCOL);
        assert_words(xro_auth_reason(auth), "more than 10 rounds");
        xro_auth_close(auth);
    }
    xro_buf_free(&out);
}

/* A buffer that cannot take the credentials is left as it was. */
static void no_room(void **state)
{
    struct xro_auth *auth = begin("&P=unix", false);
    struct xro_buf out = xro_buf(6);
    struct xro_auth_choice choice;

    (void)state;
    assert_int_equal(xro_buf_append(&out, "ab", 2), XRO_OK);
    assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
    assert_int_equal(xro_auth_credentials(auth, NULL, 0, &out), XRO_INVALID);
    assert_int_equal(out.length, 2);
    xro_auth_close(auth);
    xro_buf_free(&out);
}

/* --- the list --- */

struct step {
    const char *method;
    bool usable;
    enum xro_status status;
    const char *words;
};

static void assert_list(const char *token, bool tls, const struct step *steps)
{
    struct xro_auth *auth = begin(token, tls);
    struct xro_auth_choice choice;

    for (; steps->method != NULL; steps++) {
        assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
        assert_string_equal(choice.method, steps->method);
        assert_int_equal(choice.usable, steps->usable);
        assert_int_equal(choice.status, steps->status);
        assert_words(choice.reason, steps->words);
        assert_string_equal(xro_auth_method(auth), steps->usable ? steps->method : "");
    }
    assert_int_equal(xro_auth_next(auth, &choice), XRO_AUTH);
    assert_int_equal(xro_auth_next(auth, &choice), XRO_AUTH);
    xro_auth_close(auth);
}

static void lists(void **state)
{
    static const struct step order[] = { { "unix", true, XRO_OK, "" }, { "host", true, XRO_OK, "" }, { 0 } };
    static const struct step tls[] = { { "ztn", false, XRO_AUTH, "needs TLS" }, { "unix", true, XRO_OK, "" }, { 0 } };
    static const struct step odd[] = {
        { "", false, XRO_UNSUPPORTED, "no method is called that" },
        { "../../x", false, XRO_UNSUPPORTED, "no method" }, { "UNIX", false, XRO_UNSUPPORTED, "no method" },
        { "abcdefgh", false, XRO_UNSUPPORTED, "no method" }, { "\\x1b[2J", false, XRO_UNSUPPORTED, "no method" },
        { "a\\x00", false, XRO_UNSUPPORTED, "no method" }, { "unix", true, XRO_OK, "" }, { 0 },
    };
    static const struct step modules[] = {
        { "foo", false, XRO_MISSING, "xrdopen-xrdsec.so is not there" },
        { "krb5", false, XRO_MISSING, "xrdopen-xrdsec.so is not there" },
        { "gsi", false, XRO_AUTH, "no credentials: no proxy" }, { "sss", false, XRO_AUTH, "no keytab" },
        { "unix", true, XRO_OK, "" }, { 0 },
    };
    static const struct step none[] = { { 0 } };
    struct xro_auth *auth;
    struct xro_auth_choice choice;

    (void)state;
    setenv("X509_USER_PROXY", in_folder("no proxy"), 1);
    assert_list("&P=unix&P=host", false, order);
    assert_list("junk&P=unix,a,b&x=y&P=host,", false, order);
    assert_list("&P=ztn,0:4096:&P=unix", false, tls);
    assert_list("&P=&P=../../x&P=UNIX&P=abcdefgh&P=\x1b[2J,&P=unix", false, (const struct step[]){
        odd[0], odd[1], odd[2], odd[3], odd[4], odd[6], odd[7] });
    assert_list("&P=foo&P=krb5,xrootd/server.test@TEST&P=gsi,v:10600,c:ssl,ca:0&P=sss,0.+13:/not/there&P=unix", false,
                modules);
    assert_list("", false, none);
    assert_list("no list", false, none);

    const struct xro_auth_peer peer = { .host = "server.test", .fd = -1 };
    auth = xro_auth_create(&peer, (struct xro_span_text){ .bytes = "&P=a\0&P=unix", .length = 12 });
    assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
    assert_string_equal(choice.method, "a\\x00");
    assert_false(choice.usable);
    xro_auth_close(auth);
    xro_auth_close(NULL);
}

static void restricted(void **state)
{
    static const struct {
        const char *wanted;
        bool unix_usable, host_usable;
    } cases[] = {
        { "unix", true, false }, { "host,unix", true, true }, { "host", false, true }, { "", false, false },
        { "uni", false, false }, { "unixx", false, false }, { "gsi,host,", false, true }, { " unix", false, false },
    };
    struct xro_auth_choice choice;

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_auth *auth = begin("&P=unix&P=host", false);
        setenv("XrdSecPROTOCOL", cases[i].wanted, 1);
        assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
        assert_int_equal(choice.usable, cases[i].unix_usable);
        assert_words(choice.reason, choice.usable ? "" : "not among XrdSecPROTOCOL");
        assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
        assert_int_equal(choice.usable, cases[i].host_usable);
        xro_auth_close(auth);
    }
}

/* A list without an end, and one that is longer than anybody's. */
static void long_lists(void **state)
{
    static char token[1 << 16];
    struct xro_auth *auth;
    struct xro_auth_choice choice;
    unsigned seen = 0;

    (void)state;
    for (size_t i = 0; i + 4 < sizeof token; i += 4)
        memcpy(token + i, "&P=a", 4);
    auth = begin(token, false);
    while (xro_auth_next(auth, &choice) == XRO_OK)
        seen++;
    assert_int_equal(seen, XRO_AUTH_METHODS_MOST);
    xro_auth_close(auth);
}

static void preloading(void **state)
{
    const struct xro_auth_cost nothing = xro_auth_preload(NULL);
    struct xro_auth_cost cost;

    (void)state;
    assert_int_equal(nothing.load_ns, 0);
    cost = xro_auth_preload("unix,../x,,host");         /* nothing to load */
    assert_int_equal(cost.load_ns, 0);
    cost = xro_auth_preload("foo");                     /* no module: it is looked for, no more */
    assert_true(cost.load_ns > 0);
}

static void modules(void **state)
{
    char why[XRO_MODULE_WHY_SIZE];
    const void *table = why;

    (void)state;
    assert_int_equal(xro_module_load("none.so", "x", 1, &table, why), XRO_MODULE_ABSENT);
    assert_null(table);
    assert_string_equal(why, "");
    write_text("broken.so", "no library");
    assert_int_equal(xro_module_load("broken.so", "x", 1, &table, why), XRO_MODULE_BROKEN);
    assert_non_null(strstr(why, "broken.so"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auth_bytes),
        cmocka_unit_test_setup(host_and_unix, clean),
        cmocka_unit_test_setup(ztn_bytes, clean),
        cmocka_unit_test_setup(ztn_refuses, clean),
        cmocka_unit_test_setup(one_message_only, clean),
        cmocka_unit_test_setup(no_room, clean),
        cmocka_unit_test_setup(lists, clean),
        cmocka_unit_test_setup(restricted, clean),
        cmocka_unit_test_setup(long_lists, clean),
        cmocka_unit_test_setup(preloading, clean),
        cmocka_unit_test_setup(modules, clean),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
