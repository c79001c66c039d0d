/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * ztn.c - the token as credentials: "ztn\0", version 0, 'T' (a token follows), two zeros, the length of the token with
 * its NUL in 16 bits, the token, NUL. The token is never sent over a connection that is not encrypted, and every copy of
 * it that is made here is wiped. (The server's offer is "options:most:", most being the size that it takes.) */
#include "auth/native.h"
#include "auth/token.h"
#include "base/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_SIZE = 10, OFFER_MOST = 1 << 20 };

/* "0:4096:" - 0 when it is no such text. */
static size_t most_of(const char *arguments)
{
    char *end;
    long most;

    (void)strtoll(arguments, &end, 10);
    if (end == arguments || *end != ':')
        return 0;
    arguments = end + 1;
    errno = 0;
    most = strtol(arguments, &end, 10);
    return end != arguments && *end == ':' && errno == 0 && most > 0 && most <= OFFER_MOST ? (size_t)most : 0;
}

/* Room for all of it is made at once: a buffer that grows leaves copies behind. */
static enum xro_status put_token(const struct xro_token *token, const struct xro_auth_sink *sink)
{
    const size_t size = HEADER_SIZE + token->length + 1;
    uint8_t *bytes = (uint8_t *)malloc(size);
    struct xro_out out = xro_out(bytes, size);
    enum xro_status status;

    if (bytes == NULL)
        return XRO_MEMORY;
    xro_out_bytes(&out, "ztn\0\0T\0", 8);
    xro_out_u16(&out, (uint16_t)(token->length + 1));
    xro_out_bytes(&out, token->text, token->length);
    xro_out_u8(&out, 0);
    status = sink->append(sink->buf, bytes, size);
    explicit_bzero(bytes, size);
    free(bytes);
    return status;
}

static enum xro_status open_ztn(const struct xro_auth_offer *offer, void **session, char reason[XRO_AUTH_REASON_SIZE])
{
    *session = NULL;
    if (!offer->tls)
        return xro_auth_say(XRO_AUTH, reason, "needs TLS: a token is not sent where it can be read");
    return XRO_OK;
}

static enum xro_status make_ztn(void *session, const struct xro_auth_offer *offer, const uint8_t *more, size_t length,
                                const struct xro_auth_sink *sink, char reason[XRO_AUTH_REASON_SIZE])
{
    const size_t most = most_of(offer->arguments);
    struct xro_token token;
    enum xro_status status;

    (void)session, (void)length;
    if (!offer->tls)            /* whoever calls this, in whatever order */
        return xro_auth_say(XRO_AUTH, reason, "needs TLS: a token is not sent where it can be read");
    if (more != NULL)
        return xro_auth_say(XRO_PROTOCOL, reason, "the server asks for more, and ztn has but one message");
    if (most == 0)
        return xro_auth_say(XRO_AUTH, reason, "the server's offer is not understood: %.64s", offer->arguments);
    status = xro_token_find(most, &token, reason);
    if (status == XRO_OK)
        status = put_token(&token, sink);
    xro_token_free(&token);
    return status;
}

const struct xro_auth_method xro_auth_ztn = { .abi = XRO_AUTH_ABI, .open = open_ztn, .make = make_ztn };
