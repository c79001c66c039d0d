/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * escape.c - no byte of a server's text reaches a terminal as it is, unless it is printable; and nothing is written past the
 * room that there is. */
#include "base/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void texts(void **state)
{
    static const struct { const char *bytes; size_t length; const char *text; } cases[] = {
        { "", 0, "" },
        { "plain text ~!", 13, "plain text ~!" },
        { "a\0b", 3, "a\\x00b" },
        { "\x1b[2J", 4, "\\x1b[2J" },
        { "\r\n\t", 3, "\\x0d\\x0a\\x09" },
        { "\x7f\x80\xff", 3, "\\x7f\\x80\\xff" },
        { "\xe2\x80\xae", 3, "\\xe2\\x80\\xae" },      /* right-to-left override */
        { "C:\\x41", 6, "C:\\\\x41" },
    };
    char to[64];

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_ptr_equal(xro_escape(cases[i].bytes, cases[i].length, to, sizeof to), to);
        assert_string_equal(to, cases[i].text);
    }
    assert_string_equal(xro_escape(NULL, 0, to, sizeof to), "");
}

/* Back from what xro_escape wrote. */
static size_t unescape(const char *text, unsigned char *to)
{
    size_t n = 0;

    while (*text != '\0') {
        unsigned value = 0;
        if (text[0] == '\\' && text[1] == '\\') {
            to[n++] = '\\';
            text += 2;
        } else if (text[0] == '\\' && text[1] == 'x') {
            for (size_t i = 2; i < 4; i++)
                value = value * 16 + (unsigned)(strchr("0123456789abcdef", text[i]) - "0123456789abcdef");
            to[n++] = (unsigned char)value;
            text += 4;
        } else {
            to[n++] = (unsigned char)*text++;
        }
    }
    return n;
}

static void every_byte_comes_back(void **state)
{
    unsigned char all[256], back[256];
    char to[4 * 256 + 1];

    (void)state;
    for (unsigned i = 0; i < 256; i++)
        all[i] = (unsigned char)i;
    xro_escape(all, sizeof all, to, sizeof to);
    for (const char *p = to; *p != '\0'; p++)
        assert_in_range((unsigned char)*p, 0x20, 0x7e);
    assert_int_equal(unescape(to, back), sizeof all);
    assert_memory_equal(back, all, sizeof all);
}

/* Whatever the room: what is written is the front of the whole, ends between two escapes, and fits. */
static void cut_between_escapes(void **state)
{
    static const char bytes[] = "a\x01" "b\\c\xff" "d";
    static const char whole[] = "a\\x01b\\\\c\\xffd";
    static const size_t ends[] = { 0, 1, 5, 6, 8, 9, 13, 14 };
    char to[sizeof whole + 2];

    (void)state;
    for (size_t size = 1; size <= sizeof whole; size++) {
        size_t expected = 0;
        for (size_t i = 0; i < LENGTH(ends); i++)
            if (ends[i] < size)
                expected = ends[i];
        memset(to, '#', sizeof to);
        xro_escape(bytes, sizeof bytes - 1, to, size);
        assert_int_equal(strlen(to), expected);
        assert_memory_equal(to, whole, expected);
        for (size_t i = size; i < sizeof to; i++)
            assert_int_equal(to[i], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts), cmocka_unit_test(every_byte_comes_back), cmocka_unit_test(cut_between_escapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
