/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * cursor.h - reading and writing big-endian fields over (pointer, length). A cursor never runs past its end: a read
 * beyond it gives zeros and sets `bad`, a write beyond it is left out and sets `bad`, and the caller asks once at the
 * end. Lengths are compared as n <= left, so that no sum can overflow. */
#ifndef XRO_BASE_CURSOR_H
#define XRO_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct xro_in {                 /* bytes being read */
    const uint8_t *at;
    size_t left;
    bool bad;                   /* a read went past the end */
};

struct xro_out {                /* bytes being written */
    uint8_t *at;
    size_t left;
    bool bad;                   /* a write did not fit */
};

static inline struct xro_in xro_in(const void *bytes, size_t length)
{
    struct xro_in in = { (const uint8_t *)bytes, length, false };     /* no compound literal: C++ reads this, too */

    return in;
}

static inline struct xro_out xro_out(void *bytes, size_t room)
{
    struct xro_out out = { (uint8_t *)bytes, room, false };

    return out;
}

/* The next N bytes, or NULL and `bad` when there are not so many. */
static inline const uint8_t *xro_in_take(struct xro_in *in, size_t n)
{
    const uint8_t *p = in->at;

    if (n > in->left) {
        in->bad = true;
        return NULL;
    }
    if (n > 0)
        in->at += n;
    in->left -= n;
    return p;
}

static inline uint64_t xro_in_big(struct xro_in *in, size_t n)
{
    const uint8_t *p = xro_in_take(in, n);
    uint64_t value = 0;

    if (p == NULL)
        return 0;
    for (size_t i = 0; i < n; i++)
        value = value << 8 | p[i];
    return value;
}

static inline uint8_t xro_in_u8(struct xro_in *in) { return (uint8_t)xro_in_big(in, 1); }
static inline uint16_t xro_in_u16(struct xro_in *in) { return (uint16_t)xro_in_big(in, 2); }
static inline uint32_t xro_in_u32(struct xro_in *in) { return (uint32_t)xro_in_big(in, 4); }
static inline uint64_t xro_in_u64(struct xro_in *in) { return xro_in_big(in, 8); }
static inline int32_t xro_in_i32(struct xro_in *in) { return (int32_t)xro_in_u32(in); }

static inline void xro_out_bytes(struct xro_out *out, const void *bytes, size_t n)
{
    if (n > out->left) {
        out->bad = true;
        return;
    }
    if (n > 0) {                /* memcpy(p, NULL, 0) is undefined */
        memcpy(out->at, bytes, n);
        out->at += n;
        out->left -= n;
    }
}

static inline void xro_out_zero(struct xro_out *out, size_t n)
{
    if (n > out->left) {
        out->bad = true;
        return;
    }
    if (n > 0) {
        memset(out->at, 0, n);
        out->at += n;
        out->left -= n;
    }
}

static inline void xro_out_big(struct xro_out *out, uint64_t value, size_t n)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(value >> 8 * (n - 1 - i));
    xro_out_bytes(out, bytes, n);
}

static inline void xro_out_u8(struct xro_out *out, uint8_t v) { xro_out_big(out, v, 1); }
static inline void xro_out_u16(struct xro_out *out, uint16_t v) { xro_out_big(out, v, 2); }
static inline void xro_out_u32(struct xro_out *out, uint32_t v) { xro_out_big(out, v, 4); }
static inline void xro_out_u64(struct xro_out *out, uint64_t v) { xro_out_big(out, v, 8); }

#endif
