/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * cursor.c - big-endian fields in and out; a cursor never passes its end. */
#include "base/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint8_t bytes[] = { 0x01, 0xfe, 0x02, 0x80, 0x00, 0x00, 0x03, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88 };

static void reads_big_endian(void **state)
{
    struct xro_in in = xro_in(bytes, sizeof bytes);

    (void)state;
    assert_int_equal(xro_in_u8(&in), 0x01);
    assert_int_equal(xro_in_u16(&in), 0xfe02);
    assert_true(xro_in_u32(&in) == 0x80000003);
    assert_true(xro_in_u64(&in) == UINT64_C(0xffeeddccbbaa9988));
    assert_int_equal(in.left, 0);
    assert_ptr_equal(in.at, bytes + sizeof bytes);
    assert_false(in.bad);
    in = xro_in(bytes + 3, 4);
    assert_int_equal(xro_in_i32(&in), INT32_MIN + 3);
}

static void does_not_read_past_the_end(void **state)
{
    (void)state;
    for (size_t have = 0; have < 8; have++)
        for (size_t want = have + 1; want <= 8; want++) {
            struct xro_in in = xro_in(bytes, have);
            assert_true(xro_in_big(&in, want) == 0);
            assert_true(in.bad);
            assert_int_equal(in.left, have);        /* nothing taken */
            if (have > 0)
                assert_int_equal(xro_in_u8(&in), bytes[0]);
            assert_true(in.bad);                    /* once bad, bad until asked */
        }
    struct xro_in in = xro_in(bytes, 4);
    assert_null(xro_in_take(&in, SIZE_MAX));
    assert_true(in.bad);
    in = xro_in(NULL, 0);
    assert_null(xro_in_take(&in, 0));
    assert_false(in.bad);
}

static void writes_big_endian(void **state)
{
    uint8_t written[sizeof bytes + 3] = { 0 };
    struct xro_out out = xro_out(written, sizeof written);

    (void)state;
    xro_out_u8(&out, 0x01);
    xro_out_u16(&out, 0xfe02);
    xro_out_u32(&out, 0x80000003);
    xro_out_u64(&out, UINT64_C(0xffeeddccbbaa9988));
    assert_memory_equal(written, bytes, sizeof bytes);
    written[sizeof bytes] = 7;
    xro_out_zero(&out, 1);
    assert_int_equal(written[sizeof bytes], 0);
    xro_out_bytes(&out, "xy", 2);
    assert_memory_equal(written + sizeof bytes + 1, "xy", 2);
    assert_int_equal(out.left, 0);
    assert_false(out.bad);
}

static void does_not_write_past_the_end(void **state)
{
    (void)state;
    for (size_t room = 0; room < 8; room++) {
        uint8_t written[9];
        struct xro_out out = xro_out(written, room);
        memset(written, '#', sizeof written);
        xro_out_u64(&out, 1);
        assert_true(out.bad);
        assert_int_equal(out.left, room);
        out.bad = false;
        xro_out_zero(&out, room + 1);
        assert_true(out.bad);
        for (size_t i = 0; i < sizeof written; i++)
            assert_int_equal(written[i], '#');      /* what does not fit is left out whole */
        out.bad = false;
        xro_out_bytes(&out, bytes, room + 1);
        assert_true(out.bad);
        xro_out_bytes(&out, bytes, room);
        assert_memory_equal(written, bytes, room);
        assert_true(out.bad);
        assert_int_equal(written[room], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_big_endian), cmocka_unit_test(does_not_read_past_the_end),
        cmocka_unit_test(writes_big_endian), cmocka_unit_test(does_not_write_past_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
