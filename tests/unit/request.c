/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * request.c - requests against their bytes written out, and back. */
#include "proto/request.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROOM = 128 };

static const struct xro_handle handle = { { 0xde, 0xad, 0x00, 0x07 } };

static void handshake(struct xro_out *out) { xro_put_handshake(out); }
static void protocol(struct xro_out *out) { xro_put_protocol(out, 1, XRO_KXR_SECREQS, XRO_KXR_EXPLOGIN); }
static void login(struct xro_out *out) { xro_put_login(out, 2, 0x01020304, "alice", 0x89, "?xrd.cc=us"); }
static void login_long(struct xro_out *out) { xro_put_login(out, 2, 0xffffffff, "alice.in.wonderland", 0, ""); }
static void login_eight(struct xro_out *out) { xro_put_login(out, 2, 0, "alice123", 0, ""); }
static void open_file(struct xro_out *out) { xro_put_open(out, 0x0100, 0x0410, "/data/file", 10); }
static void open_nothing(struct xro_out *out) { xro_put_open(out, 3, 0x0410, "", 0); }
static void close_file(struct xro_out *out) { xro_put_close(out, 0xfffe, handle); }
static void read_file(struct xro_out *out) { xro_put_read(out, 4, handle, UINT64_C(0x0102030405060708), 0x7fffffff); }
static void stat_file(struct xro_out *out) { xro_put_stat(out, 5, "/f?a=1", 6); }
static void ping(struct xro_out *out) { xro_put_ping(out, 6); }

#define Z4 0, 0, 0, 0
#define Z8 Z4, Z4
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static const struct encoding {
    const char *name;
    void (*put)(struct xro_out *out);
    const uint8_t *bytes;
    size_t length;
} encodings[] = {
    { "handshake", handshake, BYTES(Z8, Z4, 0, 0, 0, 4, 0, 0, 0x07, 0xdc) },
    { "protocol", protocol, BYTES(0, 1, 0x0b, 0xbe, 0, 0, 0x05, 0x11, 0x01, 0x03, Z8, 0, 0, Z4) },
    { "login", login, BYTES(0, 2, 0x0b, 0xbf, 1, 2, 3, 4, 'a', 'l', 'i', 'c', 'e', 0, 0, 0, 0, 0x89, 0x85, 0, 0, 0, 0, 10,
                            '?', 'x', 'r', 'd', '.', 'c', 'c', '=', 'u', 's') },
    { "login, long name", login_long, BYTES(0, 2, 0x0b, 0xbf, 0xff, 0xff, 0xff, 0xff, 'a', 'l', 'i', 'c', 'e', '.', 'i', 'n',
                                            0, 0, 0x85, 0, Z4) },
    { "login, name of 8", login_eight, BYTES(0, 2, 0x0b, 0xbf, Z4, 'a', 'l', 'i', 'c', 'e', '1', '2', '3', 0, 0, 0x85, 0, Z4) },
    { "open", open_file, BYTES(1, 0, 0x0b, 0xc2, 0, 0, 0x04, 0x10, Z8, Z4, 0, 0, 0, 10,
                               '/', 'd', 'a', 't', 'a', '/', 'f', 'i', 'l', 'e') },
    { "open of nothing", open_nothing, BYTES(0, 3, 0x0b, 0xc2, 0, 0, 0x04, 0x10, Z8, Z4, Z4) },
    { "close", close_file, BYTES(0xff, 0xfe, 0x0b, 0xbb, 0xde, 0xad, 0, 7, Z8, Z4, Z4) },
    { "read", read_file, BYTES(0, 4, 0x0b, 0xc5, 0xde, 0xad, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8, 0x7f, 0xff, 0xff, 0xff, Z4) },
    { "stat", stat_file, BYTES(0, 5, 0x0b, 0xc9, Z8, Z8, 0, 0, 0, 6, '/', 'f', '?', 'a', '=', '1') },
    { "ping", ping, BYTES(0, 6, 0x0b, 0xc3, Z8, Z8, Z4) },
};

enum { ENCODINGS = sizeof encodings / sizeof *encodings };

static void bytes_of_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < ENCODINGS; i++) {
        uint8_t bytes[ROOM];
        struct xro_out out = xro_out(bytes, sizeof bytes);
        encodings[i].put(&out);
        assert_false(out.bad);
        if (sizeof bytes - out.left != encodings[i].length)
            fail_msg("%s has %zu bytes", encodings[i].name, sizeof bytes - out.left);
        assert_memory_equal(bytes, encodings[i].bytes, encodings[i].length);
    }
}

/* With any room that is too small an encoder says so, and keeps inside. */
static void too_little_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < ENCODINGS; i++)
        for (size_t room = 0; room < encodings[i].length; room++) {
            uint8_t bytes[ROOM];
            struct xro_out out = xro_out(bytes, room);
            memset(bytes, '#', sizeof bytes);
            encodings[i].put(&out);
            assert_true(out.bad);
            for (size_t j = room; j < sizeof bytes; j++)
                assert_int_equal(bytes[j], '#');
        }
}

static struct xro_request decode(size_t index)
{
    struct xro_in in = xro_in(encodings[index].bytes, encodings[index].length);
    struct xro_request request;

    assert_true(xro_get_request(&in, &request));
    assert_int_equal(in.left, encodings[index].length - XRO_REQUEST_HEADER_SIZE);
    assert_int_equal(request.length, in.left);
    return request;
}

static void and_back(void **state)
{
    static const struct { size_t index; uint16_t stream, code; } headers[] = {
        { 1, 1, XRO_KXR_PROTOCOL }, { 2, 2, XRO_KXR_LOGIN }, { 5, 0x100, XRO_KXR_OPEN }, { 7, 0xfffe, XRO_KXR_CLOSE },
        { 8, 4, XRO_KXR_READ }, { 9, 5, XRO_KXR_STAT }, { 10, 6, XRO_KXR_PING },
    };
    struct xro_request request;

    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        request = decode(headers[i].index);
        assert_int_equal(request.stream, headers[i].stream);
        assert_int_equal(request.code, headers[i].code);
        assert_memory_equal(request.body, encodings[headers[i].index].bytes + 4, 16);
    }
    request = decode(5);
    assert_int_equal(xro_request_open_options(&request), 0x0410);
    request = decode(7);
    assert_memory_equal(xro_request_handle(&request).bytes, handle.bytes, 4);
    request = decode(8);
    assert_memory_equal(xro_request_handle(&request).bytes, handle.bytes, 4);
    assert_true(xro_request_read_offset(&request) == UINT64_C(0x0102030405060708));
    assert_true(xro_request_read_length(&request) == 0x7fffffff);
}

static void cut_headers(void **state)
{
    (void)state;
    for (size_t have = 0; have < XRO_REQUEST_HEADER_SIZE; have++) {
        struct xro_in in = xro_in(encodings[8].bytes, have);
        struct xro_request request;
        assert_false(xro_get_request(&in, &request));
        assert_int_equal(in.left, have);
    }
}

static void a_negative_length_is_a_huge_one(void **state)
{
    uint8_t bytes[XRO_REQUEST_HEADER_SIZE] = { 0 };
    struct xro_in in = xro_in(bytes, sizeof bytes);
    struct xro_request request;

    (void)state;
    memset(bytes + 20, 0xff, 4);
    assert_true(xro_get_request(&in, &request));
    assert_true(request.length > INT32_MAX);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(xro_kxr_request_name(XRO_KXR_AUTH), "auth");
    assert_string_equal(xro_kxr_request_name(XRO_KXR_OPEN), "open");
    assert_string_equal(xro_kxr_request_name(XRO_KXR_STAT), "stat");
    assert_string_equal(xro_kxr_request_name(XRO_KXR_WRITEV), "writev");
    assert_null(xro_kxr_request_name(2999));
    assert_null(xro_kxr_request_name(XRO_KXR_WRITEV + 1));
    assert_null(xro_kxr_request_name(0));
    assert_null(xro_kxr_request_name(~0u));
    assert_string_equal(xro_kxr_error_name(3011), "NotFound");
    assert_string_equal(xro_kxr_error_name(3030), "AuthFailed");
    assert_null(xro_kxr_error_name(0));
    assert_null(xro_kxr_error_name(-1));
    assert_null(xro_kxr_error_name(3999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_each), cmocka_unit_test(too_little_room), cmocka_unit_test(and_back),
        cmocka_unit_test(cut_headers), cmocka_unit_test(a_negative_length_is_a_huge_one), cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
