/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * answer.c - fuzz each decoder of answers and requests: the first byte chooses one, the rest is the body. What a decoder points
 * to has to lie inside the body. */
#include "proto/answer.h"
#include "proto/request.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static void inside(struct xro_span_text text, const uint8_t *bytes, size_t size)
{
    const char *from = (const char *)bytes;

    if (text.length > 0 && (text.bytes < from || text.bytes + text.length > from + size))
        abort();
}

static void decode(unsigned which, const uint8_t *bytes, size_t size)
{
    struct xro_in in = xro_in(bytes, size);
    struct xro_handshake_answer handshake;
    struct xro_protocol_answer protocol;
    struct xro_login_answer login;
    struct xro_security_offer offer;
    struct xro_open_answer open;
    struct xro_stat_answer stat;
    struct xro_coded_answer coded;
    struct xro_redirect_answer redirect;
    struct xro_attn_answer attn;
    struct xro_request request;
    struct xro_span_text text = { .bytes = (const char *)bytes, .length = size };

    switch (which) {
    case 0:
        if (size >= XRO_HANDSHAKE_ANSWER_SIZE)
            xro_get_handshake_answer(bytes, &handshake);
        break;
    case 1:
        xro_get_protocol_answer(bytes, size, &protocol);
        break;
    case 2:
        if (xro_get_login_answer(bytes, size, &login)) {
            inside(login.token, bytes, size);
            while (xro_next_offer(&login.token, &offer)) {
                inside(offer.name, bytes, size);
                inside(offer.arguments, bytes, size);
            }
        }
        break;
    case 3:
        if (xro_get_open_answer(bytes, size, &open))
            inside(open.stat, bytes, size);
        break;
    case 4:
        xro_get_stat_answer(text, &stat);
        break;
    case 5:
        if (xro_get_coded_answer(bytes, size, &coded))
            inside(coded.text, bytes, size);
        break;
    case 6:
        if (xro_get_redirect_answer(bytes, size, &redirect) == NULL) {
            inside(redirect.host, bytes, size);
            inside(redirect.opaque, bytes, size);
            inside(redirect.token, bytes, size);
        }
        break;
    case 7:
        if (xro_get_attn_answer(bytes, size, &attn))
            inside((struct xro_span_text){ .bytes = (const char *)attn.body, .length = attn.length }, bytes, size);
        break;
    default:
        if (xro_get_request(&in, &request)) {
            xro_request_open_options(&request);
            xro_request_read_offset(&request);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1)
        return 0;
    uint8_t *copy = (uint8_t *)malloc(size);
    memcpy(copy, bytes + 1, size - 1);
    decode(bytes[0] % 9, copy, size - 1);
    free(copy);
    return 0;
}
