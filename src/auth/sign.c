/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "auth/sign.h"

#include "auth/sha256.h"

#include <string.h>

enum rule { NEVER = 0, CHANGES = 1, ALWAYS = 2 };

enum { FIRST_CODE = XRO_KXR_AUTH, SIGNATURE_MOST = 1024 };

/* options of kXR_open that change something, and types of kXR_query that may */
enum { OPEN_DELETE = 0x0002, OPEN_NEW = 0x0008, OPEN_UPDATE = 0x0020, OPEN_APPEND = 0x0200 };
enum { QUERY_OPAQUE = 16, QUERY_OPAQUE_FILE = 32, QUERY_OPAQUE_GROUP = 64 };

/* What is not here is never signed. */
static const struct {
    uint16_t code;
    uint8_t rule[XRO_SIGN_LEVEL_MOST];  /* compatible, standard, intense, pedantic */
} levels[] = {
    { XRO_KXR_BIND,     { NEVER,   NEVER,   ALWAYS,  ALWAYS } },
    { XRO_KXR_CHKPOINT, { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_CHMOD,    { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_CLOSE,    { NEVER,   NEVER,   ALWAYS,  ALWAYS } },
    { XRO_KXR_DIRLIST,  { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_ENDSESS,  { NEVER,   NEVER,   ALWAYS,  ALWAYS } },
    { XRO_KXR_FATTR,    { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_GPFILE,   { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_LOCATE,   { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_MKDIR,    { NEVER,   ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_MV,       { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_OPEN,     { CHANGES, ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_PGREAD,   { NEVER,   NEVER,   ALWAYS,  ALWAYS } },
    { XRO_KXR_PGWRITE,  { NEVER,   NEVER,   ALWAYS,  ALWAYS } },
    { XRO_KXR_PREPARE,  { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_QUERY,    { NEVER,   NEVER,   CHANGES, ALWAYS } },
    { XRO_KXR_READ,     { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_READV,    { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_RM,       { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_RMDIR,    { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_SET,      { CHANGES, CHANGES, ALWAYS,  ALWAYS } },
    { XRO_KXR_STAT,     { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_STATX,    { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_SYNC,     { NEVER,   NEVER,   NEVER,   ALWAYS } },
    { XRO_KXR_TRUNCATE, { ALWAYS,  ALWAYS,  ALWAYS,  ALWAYS } },
    { XRO_KXR_WRITE,    { NEVER,   NEVER,   ALWAYS,  ALWAYS } },
};

void xro_sign_begin(struct xro_sign *sign, uint8_t options, uint8_t level, const uint8_t *overrides,
                    size_t override_count, size_t key_size)
{
    *sign = (struct xro_sign){ .options = options, .sequence = 1 };
    if ((level == 0 && override_count == 0) || (key_size == 0 && (options & XRO_KXR_SECOFRCE) == 0))
        return;
    sign->any = true;
    if (level > XRO_SIGN_LEVEL_MOST)
        level = XRO_SIGN_LEVEL_MOST;
    for (size_t i = 0; i < sizeof levels / sizeof *levels && level > 0; i++)
        sign->rule[levels[i].code - FIRST_CODE] = levels[i].rule[level - 1];
    for (size_t i = 0; i < override_count; i++, overrides += 2)
        if (overrides[0] < XRO_SIGN_REQUESTS)
            sign->rule[overrides[0]] = overrides[1] < ALWAYS ? overrides[1] : ALWAYS;
}

/* Does a request change something? Only those are asked for which a level says so; of an unknown one, take it so. */
static bool changes(unsigned code, const uint8_t request[XRO_REQUEST_HEADER_SIZE])
{
    const unsigned type = (unsigned)request[4] << 8 | request[5], options = (unsigned)request[6] << 8 | request[7];

    switch (code) {
    case XRO_KXR_OPEN:
        return (options & (OPEN_DELETE | OPEN_NEW | OPEN_UPDATE | OPEN_APPEND)) != 0;
    case XRO_KXR_QUERY:
        return type == QUERY_OPAQUE || type == QUERY_OPAQUE_FILE || type == QUERY_OPAQUE_GROUP;
    case XRO_KXR_SET:
        return request[19] != 0;        /* the modifier, the last of 16 bytes */
    default:
        return true;
    }
}

bool xro_sign_wanted(const struct xro_sign *sign, const uint8_t request[XRO_REQUEST_HEADER_SIZE])
{
    const unsigned code = (unsigned)request[2] << 8 | request[3];

    if (!sign->any || code < FIRST_CODE || code - FIRST_CODE >= XRO_SIGN_REQUESTS)
        return false;
    switch (sign->rule[code - FIRST_CODE]) {
    case NEVER:
        return false;
    case CHANGES:
        return changes(code, request);
    default:
        return true;
    }
}

/* The sum over sequence number, header and, unless it is left out, payload. */
static void hash(uint64_t sequence, const uint8_t *request, size_t length, uint8_t digest[XRO_SHA256_SIZE])
{
    struct xro_sha256 sum;
    uint8_t number[8];
    struct xro_out out = xro_out(number, sizeof number);

    xro_out_u64(&out, sequence);
    xro_sha256_begin(&sum);
    xro_sha256_add(&sum, number, sizeof number);
    xro_sha256_add(&sum, request, length);
    xro_sha256_end(&sum, digest);
}

static enum xro_status append(const uint8_t *request, struct xro_sigver sigver, const uint8_t *signature,
                              size_t length, struct xro_buf *out)
{
    uint8_t bytes[XRO_REQUEST_HEADER_SIZE + SIGNATURE_MOST];
    struct xro_out put = xro_out(bytes, sizeof bytes);

    xro_put_sigver(&put, (uint16_t)(request[0] << 8 | request[1]), sigver, signature, length);
    return put.bad ? XRO_INVALID : xro_buf_append(out, bytes, sizeof bytes - put.left);
}

enum xro_status xro_sign_append(struct xro_sign *sign, struct xro_auth *auth, const uint8_t *request, size_t length,
                                struct xro_buf *out)
{
    struct xro_sigver sigver = { .code = (uint16_t)(request[2] << 8 | request[3]), .sequence = sign->sequence };
    const bool writes = sigver.code == XRO_KXR_WRITE || sigver.code == XRO_KXR_PGWRITE;
    uint8_t digest[XRO_SHA256_SIZE];
    struct xro_buf encrypted = xro_buf(SIGNATURE_MOST);
    enum xro_status status;

    if (length <= XRO_REQUEST_HEADER_SIZE || (writes && (sign->options & XRO_KXR_SECODATA) == 0)) {
        length = XRO_REQUEST_HEADER_SIZE;
        sigver.flags = XRO_KXR_NODATA;
    }
    hash(sign->sequence, request, length, digest);
    sign->sequence++;
    if (auth == NULL || xro_auth_key_size(auth) == 0)
        return append(request, sigver, digest, sizeof digest, out);
    status = xro_auth_encrypt(auth, digest, sizeof digest, &encrypted);
    if (status == XRO_OK)
        status = append(request, sigver, encrypted.bytes, encrypted.length, out);
    xro_buf_free(&encrypted);
    return status;
}
