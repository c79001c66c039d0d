/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sha256.h - SHA-256 (FIPS 180-4), which request signing is made of. Our own, since xrdopen links no cryptographic
 * library and a signature without a session key is nothing but this sum. */
#ifndef XRO_AUTH_SHA256_H
#define XRO_AUTH_SHA256_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { XRO_SHA256_SIZE = 32, XRO_SHA256_BLOCK_SIZE = 64 };

struct xro_sha256 {
    uint32_t state[8];
    uint64_t length;            /* bytes added so far */
    uint8_t block[XRO_SHA256_BLOCK_SIZE];
};

void xro_sha256_begin(struct xro_sha256 *sum);
void xro_sha256_add(struct xro_sha256 *sum, const void *bytes, size_t length);
void xro_sha256_end(struct xro_sha256 *sum, uint8_t digest[XRO_SHA256_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
