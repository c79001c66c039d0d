/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * buf.c - the growing buffer: its invariants after every step, its maximum, and what it does when there is no memory. */
#include "base/buf.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check(const struct xro_buf *buf)
{
    assert_true(buf->length <= buf->room && buf->room <= buf->most);
    assert_int_equal(buf->bytes == NULL, buf->room == 0);
}

static void grows_and_keeps_its_bytes(void **state)
{
    static uint8_t shadow[5000], piece[700];
    struct xro_random random = { 1 };

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        size_t most = (size_t)xro_random_below(&random, sizeof shadow) + 1, length = 0;
        struct xro_buf buf = xro_buf(most);
        check(&buf);
        for (unsigned step = 0; step < 30; step++) {
            size_t n = (size_t)xro_random_below(&random, sizeof piece);
            bool fits = n <= most - length;
            memset(piece, (int)step + 1, n);
            assert_int_equal(xro_buf_append(&buf, piece, n), fits ? XRO_OK : XRO_INVALID);
            if (fits) {
                memcpy(shadow + length, piece, n);
                length += n;
            }
            check(&buf);
            assert_int_equal(buf.length, length);
            if (length > 0)
                assert_memory_equal(buf.bytes, shadow, length);
        }
        xro_buf_free(&buf);
        check(&buf);
        assert_int_equal(buf.most, most);
    }
}

static void reserve_at_the_edges(void **state)
{
    struct xro_buf buf = xro_buf(1000), vast = xro_buf(SIZE_MAX), none = xro_buf(0);

    (void)state;
    assert_int_equal(xro_buf_reserve(&buf, 1001), XRO_INVALID);
    assert_null(buf.bytes);
    assert_int_equal(xro_buf_reserve(&buf, 1000), XRO_OK);
    assert_int_equal(buf.room, 1000);
    assert_int_equal(buf.length, 0);
    assert_int_equal(xro_buf_append(&buf, "x", 1), XRO_OK);
    assert_int_equal(xro_buf_reserve(&buf, 1000), XRO_INVALID);
    assert_int_equal(xro_buf_reserve(&buf, SIZE_MAX), XRO_INVALID);     /* length + extra would wrap */
    assert_int_equal(xro_buf_reserve(&buf, 999), XRO_OK);
    assert_int_equal(buf.room, 1000);
    xro_buf_free(&buf);
    assert_int_equal(xro_buf_append(&none, "", 0), XRO_OK);
    assert_int_equal(xro_buf_append(&none, "x", 1), XRO_INVALID);
    assert_int_equal(xro_buf_append(&vast, NULL, 0), XRO_OK);
    assert_int_equal(xro_buf_append(&vast, "x", 1), XRO_OK);
    assert_true(vast.room < 4096);      /* not all of what it may have */
    assert_int_equal(xro_buf_reserve(&vast, SIZE_MAX), XRO_INVALID);    /* here only the sum gives it away, and it wraps */
    xro_buf_free(&vast);
    xro_buf_free(&vast);
}

/* Appends of single bytes must not cost a reallocation each. */
static void growth_is_geometric(void **state)
{
    struct xro_buf buf = xro_buf(1u << 20);
    size_t room = 0, changes = 0;

    (void)state;
    for (unsigned i = 0; i < 1u << 16; i++) {
        assert_int_equal(xro_buf_append(&buf, "x", 1), XRO_OK);
        changes += buf.room != room;
        room = buf.room;
    }
    assert_true(changes <= 12);
    xro_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_keeps_its_bytes), cmocka_unit_test(reserve_at_the_edges),
        cmocka_unit_test(growth_is_geometric),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
