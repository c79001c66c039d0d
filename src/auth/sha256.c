/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "auth/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The 64 words of the schedule: 16 of the block, then each from those before it. */
static void expand(const uint8_t block[XRO_SHA256_BLOCK_SIZE], uint32_t words[64])
{
    for (unsigned i = 0; i < 16; i++) {
        const uint8_t *p = block + 4 * i;
        words[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (unsigned i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + words[i - 7]
                   + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

static void mix(uint32_t state[8], const uint8_t block[XRO_SHA256_BLOCK_SIZE])
{
    uint32_t words[64], v[8];

    expand(block, words);
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        const uint32_t s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
        const uint32_t s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
        const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + words[i];
        const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void xro_sha256_begin(struct xro_sha256 *sum)
{
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

    memcpy(sum->state, first, sizeof first);
    sum->length = 0;
}

void xro_sha256_add(struct xro_sha256 *sum, const void *bytes, size_t length)
{
    const uint8_t *at = (const uint8_t *)bytes;

    while (length > 0) {
        const size_t used = (size_t)(sum->length % XRO_SHA256_BLOCK_SIZE), room = XRO_SHA256_BLOCK_SIZE - used;
        const size_t n = length < room ? length : room;
        memcpy(sum->block + used, at, n);
        sum->length += n;
        at += n;
        length -= n;
        if (n == room)
            mix(sum->state, sum->block);
    }
}

/* The message is followed by a bit 1, zeros, and its length in bits, to the end of a block. */
void xro_sha256_end(struct xro_sha256 *sum, uint8_t digest[XRO_SHA256_SIZE])
{
    static const uint8_t padding[XRO_SHA256_BLOCK_SIZE] = { 0x80 };
    const uint64_t bits = sum->length * 8;
    const size_t used = (size_t)(sum->length % XRO_SHA256_BLOCK_SIZE);
    uint8_t length[8];

    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    xro_sha256_add(sum, padding, used < 56 ? 56 - used : 120 - used);
    xro_sha256_add(sum, length, sizeof length);
    for (unsigned i = 0; i < XRO_SHA256_SIZE; i++)
        digest[i] = (uint8_t)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
}
