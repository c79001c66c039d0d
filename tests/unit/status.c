/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * status.c - each status has a value that results and callers rely on, a key of its own, and a text. */
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct { enum xro_status status; int value; const char *key; } known[] = {
    { XRO_OK, 0, "ok" },              { XRO_TIMEOUT, -1, "timeout" },      { XRO_RESOLVE, -2, "resolve" },
    { XRO_CONNECT, -3, "connect" },   { XRO_CLOSED, -4, "closed" },        { XRO_IO, -5, "io" },
    { XRO_PROTOCOL, -6, "protocol" }, { XRO_SERVER, -7, "server" },        { XRO_REDIRECTS, -8, "redirects" },
    { XRO_AUTH, -9, "auth" },         { XRO_TLS, -10, "tls" },             { XRO_SHORT, -11, "short" },
    { XRO_UNSUPPORTED, -12, "unsupported" }, { XRO_MISSING, -13, "missing" }, { XRO_MEMORY, -14, "memory" },
    { XRO_INVALID, -15, "invalid" },  { XRO_STALLED, -16, "stalled" },     { XRO_DIED, -17, "died" },
    { XRO_INTERRUPTED, -18, "interrupted" },
};

enum { KNOWN = sizeof known / sizeof *known };

/* Results files hold the keys: they may not change. */
static void keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < KNOWN; i++) {
        assert_int_equal(known[i].status, known[i].value);
        assert_string_equal(xro_status_key(known[i].status), known[i].key);
        assert_int_equal(xro_status_from_key(known[i].key), known[i].status);
    }
}

static void all_are_known_here(void **state)
{
    size_t count = 0;

    (void)state;
#define S(id, value, key, text) count++;
    XRO_STATUSES(S)
#undef S
    assert_int_equal(count, KNOWN);
}

static void texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < KNOWN; i++) {
        assert_true(strlen(xro_status_text(known[i].status)) > 0);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(xro_status_text(known[i].status), xro_status_text(known[j].status));
    }
}

static void unknown_ones(void **state)
{
    (void)state;
    assert_string_equal(xro_status_text((enum xro_status)-99), "unknown status");
    assert_string_equal(xro_status_key((enum xro_status)-99), "invalid");
    assert_int_equal(xro_status_from_key("OK"), XRO_INVALID);
    assert_int_equal(xro_status_from_key(""), XRO_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys), cmocka_unit_test(all_are_known_here), cmocka_unit_test(texts), cmocka_unit_test(unknown_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
