/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "proto/auth.h"

void xro_put_auth(struct xro_out *out, uint16_t stream, const char *method, const uint8_t *credentials, size_t length)
{
    const size_t name_length = strnlen(method, XRO_KXR_CREDTYPE_SIZE);

    xro_out_u16(out, stream);
    xro_out_u16(out, XRO_KXR_AUTH);
    xro_out_zero(out, 12);
    xro_out_bytes(out, method, name_length);
    xro_out_zero(out, XRO_KXR_CREDTYPE_SIZE - name_length);
    xro_out_u32(out, (uint32_t)length);
    xro_out_bytes(out, credentials, length);
}

void xro_put_sigver(struct xro_out *out, uint16_t stream, struct xro_sigver sigver, const uint8_t *signature,
                    size_t length)
{
    xro_out_u16(out, stream);
    xro_out_u16(out, XRO_KXR_SIGVER);
    xro_out_u16(out, sigver.code);
    xro_out_u8(out, 0);                                 /* version: kXR_secver_0 */
    xro_out_u8(out, sigver.flags);
    xro_out_u64(out, sigver.sequence);
    xro_out_u8(out, XRO_KXR_SHA256);
    xro_out_zero(out, 3);
    xro_out_u32(out, (uint32_t)length);
    xro_out_bytes(out, signature, length);
}
