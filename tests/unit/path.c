/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * path.c - how a redirect's opaque data joins the path, and how the list of servers tried grows. */
#include "wire/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* TEXT in memory of exactly its size, so that a read past it is seen. */
static struct xro_span_text tight(const char *text)
{
    size_t length = strlen(text);
    char *bytes = (char *)malloc(length ? length : 1);

    assert_non_null(bytes);
    memcpy(bytes, text, length);
    return (struct xro_span_text){ bytes, length };
}

static void assert_path(const struct xro_buf *path, const char *expected)
{
    if (path->length != strlen(expected) || memcmp(path->bytes, expected, path->length) != 0)
        fail_msg("'%.*s' and not '%s'", (int)path->length, (const char *)path->bytes, expected);
}

static void merges(void **state)
{
    static const struct { const char *from, *opaque, *path; } cases[] = {
        { "/f", "", "/f" },
        { "/f", "a=1", "/f?a=1" },
        { "/f", "&a=1", "/f?&a=1" },                    /* verbatim */
        { "/f?a=1", "", "/f?a=1" },
        { "/f?a=1", "b=2", "/f?a=1&b=2" },
        { "/f?a=1", "&b=2", "/f?a=1&b=2" },
        { "/f?a=1&b=2", "a=3", "/f?b=2&a=3" },
        { "/f?a=1&b=2&c=4", "b=3&x=y", "/f?a=1&c=4&b=3&x=y" },
        { "/f?a=1", "a=2", "/f?a=2" },
        { "/f?a=1&a=2", "a=3", "/f?a=3" },
        { "/f?ab=1&a=2&b", "a=3", "/f?ab=1&b&a=3" },
        { "/f?b", "b=3", "/f?b=3" },
        { "/f?a=1", "xa=2&ya=3", "/f?a=1&xa=2&ya=3" },  /* not a key, only its end */
        { "/f?a=1", "b=a=2", "/f?a=1&b=a=2" },
        { "/f?a=1", "a", "/f?a=1&a" },                  /* a key without '=' replaces nothing */
        { "/f?&&a=1&&", "b=2", "/f?a=1&b=2" },
        { "/f?", "b=2", "/f?b=2" },
        { "/f?a=x?y", "b=2", "/f?a=x?y&b=2" },
        { "", "", "" },
        { "?a=1", "b=2", "?a=1&b=2" },
        { "/f?tried=h1", "tried=h2&org.dcache.uuid=%20%41+", "/f?tried=h2&org.dcache.uuid=%20%41+" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_buf path = xro_buf(XRO_WIRE_PATH_MAX);
        struct xro_span_text from = tight(cases[i].from), opaque = tight(cases[i].opaque);
        assert_int_equal(xro_buf_append(&path, "rubbish?of=old", 14), XRO_OK);
        assert_int_equal(xro_path_merge(&path, from, opaque), XRO_OK);
        assert_path(&path, cases[i].path);
        free((void *)(uintptr_t)from.bytes);
        free((void *)(uintptr_t)opaque.bytes);
        xro_buf_free(&path);
    }
}

static void adds(void **state)
{
    static const struct { const char *from, *key, *value, *path; } cases[] = {
        { "", "tried", "h1", "?tried=h1" },     /* found by fuzzing: there is no memory yet */
        { "/f", "tried", "h1", "/f?tried=h1" },
        { "/f?a=1", "tried", "h1", "/f?a=1&tried=h1" },
        { "/f?tried=h1", "tried", "h2", "/f?tried=h1,h2" },
        { "/f?tried=h1&a=1", "tried", "h2", "/f?tried=h1,h2&a=1" },
        { "/f?a=1&tried=h1,h2", "tried", "h3", "/f?a=1&tried=h1,h2,h3" },
        { "/f?triedrc=enoent", "tried", "h", "/f?triedrc=enoent&tried=h" },
        { "/f?xtried=1", "tried", "h", "/f?xtried=1&tried=h" },
        { "/f?tried", "tried", "h", "/f?tried&tried=h" },
        { "/f?tried=", "tried", "h", "/f?tried=,h" },
        { "/tried=x", "tried", "h", "/tried=x?tried=h" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct xro_buf path = xro_buf(XRO_WIRE_PATH_MAX);
        assert_int_equal(xro_buf_append(&path, cases[i].from, strlen(cases[i].from)), XRO_OK);
        assert_int_equal(xro_path_add(&path, cases[i].key, cases[i].value), XRO_OK);
        assert_path(&path, cases[i].path);
        xro_buf_free(&path);
    }
}

/* With any maximum: either the whole, or a refusal; never more than the maximum. */
static void bounded(void **state)
{
    static const char from[] = "/data/file?a=1&b=2", opaque[] = "b=3&cap=xyz", whole[] = "/data/file?a=1&b=3&cap=xyz";

    (void)state;
    for (size_t most = 0; most < sizeof whole + 4; most++) {
        struct xro_buf path = xro_buf(most);
        enum xro_status status = xro_path_merge(&path, xro_text(from), xro_text(opaque));
        assert_int_equal(status, most >= sizeof whole - 1 ? XRO_OK : XRO_INVALID);
        assert_true(path.room <= most);
        xro_buf_free(&path);
        path = xro_buf(most);
        status = xro_buf_append(&path, "/f?tried=a&z=1", 14);
        if (status == XRO_OK)
            status = xro_path_add(&path, "tried", "bb");
        assert_int_equal(status, most >= 17 ? XRO_OK : XRO_INVALID);
        if (status == XRO_OK)
            assert_path(&path, "/f?tried=a,bb&z=1");
        xro_buf_free(&path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges), cmocka_unit_test(adds), cmocka_unit_test(bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
