/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth_sign.c - request signing: SHA-256, which requests are signed at which level, and the bytes of kXR_sigver. */
#include "auth/sha256.h"
#include "auth/sign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* --- SHA-256 --- */

static void assert_sum(const void *bytes, size_t length, size_t step, const char *expected)
{
    struct xro_sha256 sum;
    uint8_t digest[XRO_SHA256_SIZE];
    char text[2 * XRO_SHA256_SIZE + 1];

    xro_sha256_begin(&sum);
    for (size_t at = 0; at < length; at += step)
        xro_sha256_add(&sum, (const uint8_t *)bytes + at, length - at < step ? length - at : step);
    xro_sha256_end(&sum, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

/* The messages of FIPS 180-4's examples, and lengths around the end of a block. */
static void sha256_vectors(void **state)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const struct {
        size_t length;
        const char *sum;
    } edges[] = {
        { 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
        { 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
        { 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
        { 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
        { 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
        { 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
        { 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
        { 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
    };
    char *many = (char *)malloc(1000000);

    (void)state;
    assert_non_null(many);
    memset(many, 'a', 1000000);
    assert_sum("abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for (size_t step = 1; step <= 57; step++)
        assert_sum(two_blocks, 56, step, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    for (size_t i = 0; i < LENGTH(edges); i++)
        for (size_t step = 61; step < 70; step++)
            assert_sum(many, edges[i].length, step, edges[i].sum);
    free(many);
}

/* --- signing --- */

static void header_of(uint8_t header[XRO_REQUEST_HEADER_SIZE], unsigned code)
{
    memset(header, 0, XRO_REQUEST_HEADER_SIZE);
    header[2] = (uint8_t)(code >> 8);
    header[3] = (uint8_t)code;
}

/* One letter per request from kXR_auth to kXR_writev, as the specification's table has it: N always, L when it changes
 * something, - never. In the order of the codes: auth query chmod close dirlist gpfile protocol login mkdir mv open ping
 * chkpoint read rm rmdir sync stat set write fattr prepare statx endsess bind readv pgwrite locate truncate sigver pgread
 * writev. */
static const char *const table[] = {
    "--N--N---NL-N-NN--L-N-------N---", "--N--N--NNN-N-NN--L-N-------N---",
    "-LNN-N--NNN-N-NN--NNN--NN-N-N-N-", "-NNNNN--NNN-NNNNNNNNNNNNNNNNN-N-",
};

static void signing_levels(void **state)
{
    uint8_t header[XRO_REQUEST_HEADER_SIZE];
    struct xro_sign sign;

    (void)state;
    for (unsigned level = 1; level <= 6; level++) {
        const char *row = table[level <= 4 ? level - 1 : 3];
        assert_int_equal(strlen(row), XRO_SIGN_REQUESTS);
        xro_sign_begin(&sign, XRO_KXR_SECOFRCE, (uint8_t)level, NULL, 0, 0);
        for (unsigned i = 0; i < XRO_SIGN_REQUESTS; i++) {
            header_of(header, 3000 + i);
            assert_int_equal(xro_sign_wanted(&sign, header), row[i] == 'N');
            memset(header + 4, 0xff, 16);       /* everything is changed */
            header[4] = 0;
            header[5] = 16;                     /* of a query: kXR_Qopaque */
            assert_int_equal(xro_sign_wanted(&sign, header), row[i] != '-');
        }
        header_of(header, 2999);
        assert_false(xro_sign_wanted(&sign, header));
        header_of(header, 3000 + XRO_SIGN_REQUESTS);
        assert_false(xro_sign_wanted(&sign, header));
    }
}

static void signing_by_content(void **state)
{
    static const struct {
        unsigned code, offset, value, level;
        bool wanted;
    } cases[] = {
        { XRO_KXR_OPEN, 7, 0x02, 1, true }, { XRO_KXR_OPEN, 7, 0x08, 1, true }, { XRO_KXR_OPEN, 7, 0x20, 1, true },
        { XRO_KXR_OPEN, 6, 0x02, 1, true }, { XRO_KXR_OPEN, 7, 0x50, 1, false }, { XRO_KXR_OPEN, 6, 0x04, 1, false },
        { XRO_KXR_QUERY, 5, 16, 3, true }, { XRO_KXR_QUERY, 5, 32, 3, true }, { XRO_KXR_QUERY, 5, 64, 3, true },
        { XRO_KXR_QUERY, 5, 3, 3, false }, { XRO_KXR_QUERY, 5, 48, 3, false }, { XRO_KXR_SET, 19, 1, 2, true },
        { XRO_KXR_SET, 18, 1, 2, false },
    };
    uint8_t header[XRO_REQUEST_HEADER_SIZE];
    struct xro_sign sign;

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        xro_sign_begin(&sign, 0, (uint8_t)cases[i].level, NULL, 0, 128);
        header_of(header, cases[i].code);
        header[cases[i].offset] = (uint8_t)cases[i].value;
        assert_int_equal(xro_sign_wanted(&sign, header), cases[i].wanted);
    }
}

static void signing_overrides(void **state)
{
    /* read always, rm never, stat when it changes something (which a stat always may), code out of range */
    static const uint8_t pairs[] = { 13, 7, 14, 0, 17, 1, 200, 2 };
    uint8_t header[XRO_REQUEST_HEADER_SIZE];
    struct xro_sign sign;

    (void)state;
    for (unsigned level = 0; level <= 2; level++) {
        xro_sign_begin(&sign, XRO_KXR_SECOFRCE, (uint8_t)level, pairs, 4, 0);
        header_of(header, XRO_KXR_READ);
        assert_true(xro_sign_wanted(&sign, header));
        header_of(header, XRO_KXR_STAT);
        assert_true(xro_sign_wanted(&sign, header));
        header_of(header, XRO_KXR_RM);
        assert_false(xro_sign_wanted(&sign, header));
        header_of(header, XRO_KXR_MV);
        assert_int_equal(xro_sign_wanted(&sign, header), level > 0);
    }
    /* nothing to sign with, and nobody insists; then no level at all */
    xro_sign_begin(&sign, 0, 4, pairs, 4, 0);
    header_of(header, XRO_KXR_READ);
    assert_false(xro_sign_wanted(&sign, header));
    xro_sign_begin(&sign, XRO_KXR_SECOFRCE, 0, NULL, 0, 128);
    assert_false(xro_sign_wanted(&sign, header));
}

static void assert_signature(const struct xro_buf *out, size_t at, unsigned code, uint8_t flags, uint8_t sequence,
                             const char *sum)
{
    const uint8_t *p = out->bytes + at;
    const uint8_t head[] = { 1, 2, 0x0b, 0xd5, (uint8_t)(code >> 8), (uint8_t)code, 0, flags, 0, 0, 0, 0, 0, 0, 0,
                             sequence, 1, 0, 0, 0, 0, 0, 0, 32 };
    char text[65];

    assert_true(out->length >= at + 56);
    assert_memory_equal(p, head, sizeof head);
    for (size_t i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", p[24 + i]);
    assert_string_equal(text, sum);
}

/* Sums computed with another implementation (Python's hashlib) over sequence, header and payload. */
static void signatures(void **state)
{
    static const uint8_t stat[] = "\1\2\x0b\xc9\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5/file";
    static const uint8_t write[] = "\1\2\x0b\xcb\1\2\3\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5/file";
    struct xro_buf out = xro_buf(4096);
    struct xro_sign sign;

    (void)state;
    xro_sign_begin(&sign, XRO_KXR_SECOFRCE, 4, NULL, 0, 0);
    assert_int_equal(xro_sign_append(&sign, NULL, stat, sizeof stat - 1, &out), XRO_OK);
    assert_int_equal(xro_sign_append(&sign, NULL, write, sizeof write - 1, &out), XRO_OK);
    assert_int_equal(out.length, 2 * 56);
    assert_signature(&out, 0, XRO_KXR_STAT, 0, 1, "08ae03b5b070242c882a9e067283ce0fa83a53e7b857868e38e728d00ae0a264");
    assert_signature(&out, 56, XRO_KXR_WRITE, 1, 2, "558d4841b24d453c5c681af6020a4fe73aa23ba1c37d9bbb73c74d5d0c7bfcf1");
    out.length = 0;
    xro_sign_begin(&sign, XRO_KXR_SECOFRCE | XRO_KXR_SECODATA, 4, NULL, 0, 0);
    assert_int_equal(xro_sign_append(&sign, NULL, write, sizeof write - 1, &out), XRO_OK);
    assert_signature(&out, 0, XRO_KXR_WRITE, 0, 1, "edbb39903abfaab8bf7a5e14121d28234cbda2f0a8feef1456091bb689e94aba");
    xro_buf_free(&out);
}

static void sigver_bytes(void **state)
{
    static const uint8_t expected[] = { 0x01, 0x02, 0x0b, 0xd5, 0x0b, 0xc2, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8,
                                        1, 0, 0, 0, 0, 0, 0, 2, 0xaa, 0xbb };
    uint8_t bytes[64];
    struct xro_out out = xro_out(bytes, sizeof bytes);
    const struct xro_sigver sigver = { XRO_KXR_OPEN, XRO_KXR_NODATA, UINT64_C(0x0102030405060708) };

    (void)state;
    xro_put_sigver(&out, 0x0102, sigver, (const uint8_t *)"\xaa\xbb", 2);
    assert_false(out.bad);
    assert_int_equal(sizeof bytes - out.left, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_vectors),
        cmocka_unit_test(signing_levels),
        cmocka_unit_test(signing_by_content),
        cmocka_unit_test(signing_overrides),
        cmocka_unit_test(signatures),
        cmocka_unit_test(sigver_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
