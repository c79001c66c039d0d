/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * answer.c - answers decoded: good ones, each truncation, lengths that lie, text that is none. Bodies lie in memory of
 * exactly their size, so that the address sanitizer sees a read past the end. */
#include "proto/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A literal's bytes without its last NUL, in memory of that size. */
#define BODY(literal) body_of(literal, sizeof(literal) - 1)

static uint8_t *bodies[256];
static size_t body_count;

static uint8_t *body_of(const char *bytes, size_t length)
{
    uint8_t *body = (uint8_t *)malloc(length ? length : 1);

    assert_non_null(body);
    assert_true(body_count < LENGTH(bodies));
    memcpy(body, bytes, length);
    return bodies[body_count++] = body;
}

static int free_bodies(void **state)
{
    (void)state;
    while (body_count > 0)
        free(bodies[--body_count]);
    return 0;
}

static void assert_text(struct xro_span_text text, const char *expected)
{
    assert_int_equal(text.length, strlen(expected));
    assert_int_equal(strncmp(text.length ? text.bytes : "", expected, text.length), 0);
}

static void headers(void **state)
{
    static const struct xro_answer cases[] = {
        { 0, XRO_KXR_OK, 0 }, { 0x0102, XRO_KXR_OKSOFAR, 0x01020304 }, { 0xffff, 0xffff, UINT32_MAX },
    };
    static const uint8_t second[] = { 0x01, 0x02, 0x0f, 0xa0, 0x01, 0x02, 0x03, 0x04 };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint8_t bytes[XRO_ANSWER_HEADER_SIZE];
        struct xro_out out = xro_out(bytes, sizeof bytes);
        struct xro_answer answer = { 9, 9, 9 };
        xro_put_answer(&out, cases[i]);
        assert_false(out.bad);
        if (i == 1)
            assert_memory_equal(bytes, second, sizeof bytes);
        for (size_t have = 0; have < sizeof bytes; have++) {
            struct xro_in cut = xro_in(bytes, have);
            assert_false(xro_get_answer(&cut, &answer));
            assert_int_equal(cut.left, have);
        }
        struct xro_in in = xro_in(bytes, sizeof bytes);
        assert_true(xro_get_answer(&in, &answer));
        assert_int_equal(answer.stream, cases[i].stream);
        assert_int_equal(answer.status, cases[i].status);
        assert_true(answer.length == cases[i].length);
    }
}

static void handshakes(void **state)
{
    static const uint8_t good[16] = { 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0x05, 0x11, 0, 0, 0, 1 };
    struct xro_handshake_answer answer;
    uint8_t bytes[16];
    struct xro_out out = xro_out(bytes, sizeof bytes);

    (void)state;
    assert_true(xro_get_handshake_answer(good, &answer));
    assert_int_equal(answer.version, 0x511);
    assert_int_equal(answer.type, 1);
    xro_put_handshake_answer(&out, answer);
    assert_memory_equal(bytes, good, sizeof good);
    for (size_t i = 0; i < 8; i++) {                    /* each byte of the header matters */
        memcpy(bytes, good, sizeof good);
        bytes[i] ^= 0x10;
        assert_false(xro_get_handshake_answer(bytes, &answer));
    }
    assert_false(xro_get_handshake_answer((const uint8_t *)"HTTP/1.1 400 Bad", &answer));
    assert_false(xro_get_handshake_answer((const uint8_t *)"SSH-2.0-OpenSSH_", &answer));
}

static void protocols(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        bool good;
        uint32_t version, flags;
        bool signing;
        unsigned options, level;
    } cases[] = {
#define CASE(literal) literal, sizeof(literal) - 1
        { CASE("\0\0\x05\x11\0\x30\0\x01"), true, 0x511, 0x00300001, false, 0, 0 },
        { CASE("\0\0\x05\x11\xc0\0\0\x02"), true, 0x511, 0xc0000002, false, 0, 0 },
        { CASE("\0\0\x05\x11\0\0\0\x01S\0\0\x02\x03\0"), true, 0x511, 1, true, 2, 3 },
        { CASE("\0\0\x05\x11\0\0\0\x01S\0\0\x01\x04\x02\x0a\x01\x11\x02"), true, 0x511, 1, true, 1, 4 },
        { CASE("\0\0\x05\x11\0\0\0\x01" "B\0\0\x08host:1\0\0S\0\0\0\x02\0"), true, 0x511, 1, true, 0, 2 },
        { CASE("\0\0\x02\x96\0\0\0\x01"), true, 0x296, XRO_KXR_ISSERVER, false, 0, 0 },    /* 1: data server */
        { CASE("\0\0\x02\x89\0\0\0\0"), true, 0x289, XRO_KXR_ISMANAGER, false, 0, 0 },     /* 0: manager */
        { CASE("\0\0\x02\x97\0\0\0\x02"), true, 0x297, 2, false, 0, 0 },
        /* broken or unknown blocks: good without them */
        { CASE("\0\0\x05\x11\0\0\0\x01" "B\0\xff\xffhost"), true, 0x511, 1, false, 0, 0 },
        { CASE("\0\0\x05\x11\0\0\0\x01" "B\0\0\x08short"), true, 0x511, 1, false, 0, 0 },
        { CASE("\0\0\x05\x11\0\0\0\x01S\0\0\x02"), true, 0x511, 1, false, 2, 0 },
        { CASE("\0\0\x05\x11\0\0\0\x01S\0\0\x02\x03\xff\x01\x01"), true, 0x511, 1, false, 2, 3 },
        { CASE("\0\0\x05\x11\0\0\0\x01Z\0S\0\0\x02\x03\0"), true, 0x511, 1, false, 0, 0 },
        { CASE("\0\0\x05\x11\0\0\0\x01S"), true, 0x511, 1, false, 0, 0 },
        { CASE("\0\0\x05\x11\0\0\0"), false, 0, 0, false, 0, 0 },
        { CASE("\0\0\x05\x11"), false, 0, 0, false, 0, 0 },
        { CASE(""), false, 0, 0, false, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_protocol_answer answer;
        const uint8_t *body = body_of(cases[i].bytes, cases[i].length);
        assert_int_equal(xro_get_protocol_answer(body, cases[i].length, &answer), cases[i].good);
        if (!cases[i].good)
            continue;
        assert_int_equal(answer.version, cases[i].version);
        assert_true(answer.flags == cases[i].flags);
        assert_int_equal(answer.signing, cases[i].signing);
        if (answer.signing) {
            assert_int_equal(answer.signing_options, cases[i].options);
            assert_int_equal(answer.signing_level, cases[i].level);
        }
    }
}

static void logins(void **state)
{
    struct xro_login_answer answer;

    (void)state;
    assert_true(xro_get_login_answer(BODY("0123456789abcdef"), 16, &answer));
    assert_memory_equal(answer.session, "0123456789abcdef", 16);
    assert_text(answer.token, "");
    assert_true(xro_get_login_answer(BODY("0123456789abcdef&P=unix"), 23, &answer));
    assert_text(answer.token, "&P=unix");
    assert_true(xro_get_login_answer(BODY("0123456789abcdef&P=unix\0\0"), 25, &answer));
    assert_text(answer.token, "&P=unix");
    assert_true(xro_get_login_answer(BODY(""), 0, &answer));            /* servers up to 2.8.9 */
    assert_text(answer.token, "");
    assert_true(xro_get_login_answer(NULL, 0, &answer));
    for (size_t length = 1; length < 16; length++)
        assert_false(xro_get_login_answer(body_of("0123456789abcdef", length), length, &answer));
}

static void offers(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *expected;           /* name,arguments;... */
    } cases[] = {
        { CASE("&P=unix"), "unix,;" },
        { CASE("&P=sss,0.+13:/path/keytab"), "sss,0.+13:/path/keytab;" },
        { CASE("&P=gsi,v:10600,c:ssl,ca:700cf84c.0|4b1e745f.0&P=krb5,host/h@R&P=unix"),
          "gsi,v:10600,c:ssl,ca:700cf84c.0|4b1e745f.0;krb5,host/h@R;unix,;" },
        { CASE("xx&P=ztn,0:4096:"), "ztn,0:4096:;" },
        { CASE("P=unix&Q=sss&P=host"), "host,;" },
        { CASE("&P="), ",;" },
        { CASE("&P"), "" },
        { CASE("&&&&P=a&&P=b"), "a,;b,;" },
        { CASE(""), "" },
        { CASE("&P=un\0ix,\0&P=b"), NULL },     /* a NUL is a byte like another: it ends nothing, and hides nothing */
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_span_text token = { (const char *)body_of(cases[i].bytes, cases[i].length), cases[i].length };
        struct xro_security_offer offer;
        char found[200] = "";
        size_t count = 0;
        while (xro_next_offer(&token, &offer)) {
            if (cases[i].expected == NULL && count == 0)
                assert_int_equal(offer.name.length, 5);
            strncat(found, offer.name.bytes, offer.name.length);
            strcat(found, ",");
            strncat(found, offer.arguments.bytes, offer.arguments.length);
            strcat(found, ";");
            assert_true(++count < 10);
        }
        if (cases[i].expected != NULL)
            assert_string_equal(found, cases[i].expected);
        else
            assert_int_equal(count, 2);
        assert_true(token.length <= cases[i].length);
    }
}

static void opens(void **state)
{
    struct xro_open_answer answer;
    static const char whole[] = "\x01\x02\x03\x04\0\0\0\0\0\0\0\0" "7 1048576 16 1700000000";

    (void)state;
    for (size_t length = 0; length < sizeof whole; length++) {
        bool good = xro_get_open_answer(body_of(whole, length), length, &answer);
        assert_int_equal(good, length >= 4);
        if (!good)
            continue;
        assert_memory_equal(answer.handle.bytes, whole, 4);
        assert_int_equal(answer.stat.length, length > 12 ? length - 12 : 0);
    }
    assert_true(xro_get_open_answer(BODY("abcd00000000" "1 2 3 4\0"), 20, &answer));
    assert_text(answer.stat, "1 2 3 4");
}

static void stats(void **state)
{
    static const struct {
        const char *text;
        bool good;
        int64_t size, mtime;
        uint32_t flags;
    } cases[] = {
        { "1407374883553280 1048576 16 1700000000", true, 1048576, 1700000000, 16 },
        { "1 0 0 0", true, 0, 0, 0 },
        { "99999999999999999999999999 5 51 6", true, 5, 6, 51 },        /* the id may be of any length */
        { "1 2 3 4 5 6 0644 root root", true, 2, 4, 3 },
        { "1 9223372036854775807 3 -1", true, INT64_MAX, -1, 3 },
        { "1 2 4294967295 4", true, 2, 4, UINT32_MAX },
        { "1 9223372036854775808 3 4", false, 0, 0, 0 },
        { "1 99999999999999999999 3 4", false, 0, 0, 0 },
        { "1 2 3 9223372036854775808", false, 0, 0, 0 },
        { "1 2 3 99999999999999999999", false, 0, 0, 0 },
        { "1 -1 3 4", false, 0, 0, 0 },
        { "1 2 -3 4", false, 0, 0, 0 },
        { "1 2 4294967296 4", false, 0, 0, 0 },
        { "1 2 3", false, 0, 0, 0 },
        { "1 2 3 ", false, 0, 0, 0 },
        { "1 2", false, 0, 0, 0 },
        { "1 ", false, 0, 0, 0 },
        { "1", false, 0, 0, 0 },
        { "", false, 0, 0, 0 },
        { " 1 2 3 4", false, 0, 0, 0 },
        { "1  2 3 4", false, 0, 0, 0 },
        { "1 2x 3 4", false, 0, 0, 0 },
        { "1 x 3 4", false, 0, 0, 0 },
        { "1 - 3 4", false, 0, 0, 0 },
        { "1 +2 3 4", false, 0, 0, 0 },
        { "1 0x2 3 4", false, 0, 0, 0 },
        { "1 2.5 3 4", false, 0, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        size_t length = strlen(cases[i].text);
        struct xro_span_text text = { (const char *)body_of(cases[i].text, length), length };
        struct xro_stat_answer answer;
        if (xro_get_stat_answer(text, &answer) != cases[i].good)
            fail_msg("stat text '%s' is %s", cases[i].text, cases[i].good ? "refused" : "taken");
        if (!cases[i].good)
            continue;
        assert_true(answer.size == cases[i].size && answer.mtime == cases[i].mtime && answer.flags == cases[i].flags);
    }
}

static void coded(void **state)
{
    struct xro_coded_answer answer;

    (void)state;
    assert_true(xro_get_coded_answer(BODY("\0\0\x0b\xc3no such file\0"), 17, &answer));
    assert_int_equal(answer.code, XRO_KXR_NOTFOUND);
    assert_text(answer.text, "no such file");
    assert_true(xro_get_coded_answer(BODY("\xff\xff\xff\xff"), 4, &answer));
    assert_int_equal(answer.code, -1);
    assert_text(answer.text, "");
    assert_true(xro_get_coded_answer(BODY("\x7f\xff\xff\xff\0\0\0"), 7, &answer));
    assert_int_equal(answer.code, INT32_MAX);
    assert_text(answer.text, "");
    assert_true(xro_get_coded_answer(BODY("\0\0\0\x05" "a\0b\0\0"), 9, &answer));
    assert_int_equal(answer.text.length, 3);            /* only NULs at the end go */
    for (size_t length = 0; length < 4; length++)
        assert_false(xro_get_coded_answer(body_of("\0\0\0\x05", length), length, &answer));
}

static void redirects(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *wrong;              /* NULL: good */
        uint16_t port;
        const char *host, *opaque, *token;
    } cases[] = {
        { CASE("\0\0\x04\x46" "data1"), NULL, 1094, "data1", "", "" },
        { CASE("\0\0\x04\x46" "data1\0"), NULL, 1094, "data1", "", "" },
        { CASE("\0\0\xff\xff" "h?a=1&b=2"), NULL, 65535, "h", "a=1&b=2", "" },
        { CASE("\0\0\0\x01h?a=1?tok&x?y"), NULL, 1, "h", "a=1", "tok&x?y" },
        { CASE("\0\0\0\x01h??tok"), NULL, 1, "h", "", "tok" },
        { CASE("\0\0\0\x01h?"), NULL, 1, "h", "", "" },
        { CASE("\0\0\0\x01h??"), NULL, 1, "h", "", "" },
        { CASE("\0\0\0\x01[::1]"), NULL, 1, "::1", "", "" },
        { CASE("\0\0\0\x01[fe80::1%eth0]?a"), NULL, 1, "fe80::1%eth0", "a", "" },
        { CASE("\0\0\0\x01[::1"), NULL, 1, "[::1", "", "" },           /* the look-up will refuse it */
        { CASE("\0\0\0\0h"), "port", 0, NULL, NULL, NULL },
        { CASE("\0\x01\0\0h"), "port", 0, NULL, NULL, NULL },
        { CASE("\x7f\xff\xff\xffh"), "port", 0, NULL, NULL, NULL },
        { CASE("\0\0\0\x01"), "no host", 0, NULL, NULL, NULL },
        { CASE("\0\0\0\x01\0\0"), "no host", 0, NULL, NULL, NULL },
        { CASE("\0\0\0\x01?a=1"), "no host", 0, NULL, NULL, NULL },
        { CASE("\0\0\0\x01[]"), "no host", 0, NULL, NULL, NULL },
        { CASE("\xff\xff\xff\xff"), "no host", 0, NULL, NULL, NULL },
        { CASE("\0\0\0"), "no host", 0, NULL, NULL, NULL },
        { CASE(""), "no host", 0, NULL, NULL, NULL },
        { CASE("\0\0\0\x01h\r\nx"), "control", 0, NULL, NULL, NULL },
        { CASE("\0\0\0\x01h\0x"), "control", 0, NULL, NULL, NULL },
        { CASE("\0\0\0\x01h?a=\x1b[0m"), "control", 0, NULL, NULL, NULL },
        { CASE("\xff\xff\xff\xffroot://h\x7f/"), "control", 0, NULL, NULL, NULL },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_redirect_answer answer;
        const char *wrong = xro_get_redirect_answer(body_of(cases[i].bytes, cases[i].length), cases[i].length, &answer);
        if (cases[i].wrong != NULL) {
            assert_non_null(wrong);
            assert_non_null(strstr(wrong, cases[i].wrong));
            continue;
        }
        assert_null(wrong);
        assert_false(answer.is_url);
        assert_int_equal(answer.port, cases[i].port);
        assert_text(answer.host, cases[i].host);
        assert_text(answer.opaque, cases[i].opaque);
        assert_text(answer.token, cases[i].token);
    }
}

static void redirects_to_urls(void **state)
{
    static const struct { const char *bytes; size_t length; uint32_t flags; } cases[] = {
        { CASE("\xff\xff\xff\xffroot://u@h:1//f?a=1?b"), 0 },
        { CASE("\xff\xff\xef\xffroot://u@h:1//f?a=1?b"), 0x1000 },
        { CASE("\xff\xff\xdf\xffroot://u@h:1//f?a=1?b"), 0x2000 },
        { CASE("\x80\0\0\0root://u@h:1//f?a=1?b\0"), 0x7fffffff },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_redirect_answer answer;
        assert_null(xro_get_redirect_answer(body_of(cases[i].bytes, cases[i].length), cases[i].length, &answer));
        assert_true(answer.is_url);
        assert_true(answer.flags == cases[i].flags);
        assert_text(answer.host, "root://u@h:1//f?a=1?b");
    }
}

static void attns(void **state)
{
    static const char answer_inside[] = "\0\0\x13\x90\0\0\0\0\x12\x34\0\0\0\0\0\x05hello";
    struct xro_attn_answer attn;

    (void)state;
    assert_true(xro_get_attn_answer(BODY("\0\0\x13\x8aserver goes down"), 20, &attn));
    assert_int_equal(attn.action, XRO_KXR_ASYNCMS);
    assert_false(attn.has_answer);
    assert_int_equal(attn.length, 16);
    assert_memory_equal(attn.body, "server goes down", 16);
    assert_true(xro_get_attn_answer(BODY("\0\0\0\x01"), 4, &attn));     /* an obsolete action */
    assert_false(attn.has_answer);
    for (size_t length = 0; length < sizeof answer_inside - 1; length++)
        assert_false(xro_get_attn_answer(body_of(answer_inside, length), length, &attn));
    assert_true(xro_get_attn_answer(BODY(answer_inside), 21, &attn));
    assert_true(attn.has_answer);
    assert_int_equal(attn.inner.stream, 0x1234);
    assert_int_equal(attn.inner.status, XRO_KXR_OK);
    assert_int_equal(attn.inner.length, 5);
    assert_int_equal(attn.length, 5);
    assert_memory_equal(attn.body, "hello", 5);
    /* bytes behind the inner answer are not part of it */
    assert_true(xro_get_attn_answer(BODY("\0\0\x13\x90\0\0\0\0\x12\x34\0\0\0\0\0\x02hello"), 21, &attn));
    assert_int_equal(attn.length, 2);
    /* an inner length beyond the outer one, and a negative one */
    assert_false(xro_get_attn_answer(BODY("\0\0\x13\x90\0\0\0\0\x12\x34\0\0\0\0\0\x06hello"), 21, &attn));
    assert_false(xro_get_attn_answer(BODY("\0\0\x13\x90\0\0\0\0\x12\x34\0\0\xff\xff\xff\xffhello"), 21, &attn));
}

/* Rubbish of all lengths through all decoders: nothing is demanded but that they come back, inside the body. */
static void rubbish(void **state)
{
    static const uint8_t letters[] = "\0\0\xff 0123456789&?P=[]:/SB\x13\x90\x0f";
    uint32_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        size_t length = round % 64;
        uint8_t bytes[64], *body;
        struct xro_redirect_answer redirect;
        struct xro_security_offer offer;
        struct xro_protocol_answer protocol;
        struct xro_stat_answer stat;
        struct xro_attn_answer attn;
        struct xro_span_text text;
        for (size_t i = 0; i < length; i++) {
            seed = seed * 1664525 + 1013904223;
            bytes[i] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        body = body_of((const char *)bytes, length);
        text = (struct xro_span_text){ (const char *)body, length };
        if (xro_get_redirect_answer(body, length, &redirect) == NULL && !redirect.is_url)
            assert_true(redirect.host.length + redirect.opaque.length + redirect.token.length <= length);
        if (xro_get_attn_answer(body, length, &attn))
            assert_true(attn.body + attn.length <= body + length);
        while (xro_next_offer(&text, &offer))
            assert_true(offer.name.length + offer.arguments.length <= length);
        xro_get_protocol_answer(body, length, &protocol);
        xro_get_stat_answer((struct xro_span_text){ (const char *)body, length }, &stat);
        free(bodies[--body_count]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(headers, free_bodies),    cmocka_unit_test_teardown(handshakes, free_bodies),
        cmocka_unit_test_teardown(protocols, free_bodies),  cmocka_unit_test_teardown(logins, free_bodies),
        cmocka_unit_test_teardown(offers, free_bodies),     cmocka_unit_test_teardown(opens, free_bodies),
        cmocka_unit_test_teardown(stats, free_bodies),      cmocka_unit_test_teardown(coded, free_bodies),
        cmocka_unit_test_teardown(redirects, free_bodies),  cmocka_unit_test_teardown(redirects_to_urls, free_bodies),
        cmocka_unit_test_teardown(attns, free_bodies),      cmocka_unit_test_teardown(rubbish, free_bodies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
