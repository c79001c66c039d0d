/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "proto/answer.h"

#include <ctype.h>

static struct xro_span_text span_text(const uint8_t *bytes, size_t length)
{
    return (struct xro_span_text){ .bytes = (const char *)bytes, .length = length };
}

/* What is left of IN, as text, without NULs at its end. */
static struct xro_span_text rest_as_text(const struct xro_in *in)
{
    size_t length = in->left;

    while (length > 0 && in->at[length - 1] == '\0')
        length--;
    return span_text(in->at, length);
}

bool xro_get_answer(struct xro_in *in, struct xro_answer *answer)
{
    if (in->left < XRO_ANSWER_HEADER_SIZE)
        return false;
    answer->stream = xro_in_u16(in);
    answer->status = xro_in_u16(in);
    answer->length = xro_in_u32(in);
    return true;
}

void xro_put_answer(struct xro_out *out, struct xro_answer answer)
{
    xro_out_u16(out, answer.stream);
    xro_out_u16(out, answer.status);
    xro_out_u32(out, answer.length);
}

bool xro_get_handshake_answer(const uint8_t bytes[XRO_HANDSHAKE_ANSWER_SIZE], struct xro_handshake_answer *answer)
{
    struct xro_in in = xro_in(bytes, XRO_HANDSHAKE_ANSWER_SIZE);
    struct xro_answer header;

    xro_get_answer(&in, &header);
    answer->version = xro_in_u32(&in);
    answer->type = xro_in_u32(&in);
    return header.stream == 0 && header.status == XRO_KXR_OK && header.length == 8;
}

void xro_put_handshake_answer(struct xro_out *out, struct xro_handshake_answer answer)
{
    xro_put_answer(out, (struct xro_answer){ .stream = 0, .status = XRO_KXR_OK, .length = 8 });
    xro_out_u32(out, answer.version);
    xro_out_u32(out, answer.type);
}

/* The blocks behind the flags: 'B' (tag, reserved, u16 length, text) and 'S' (tag, reserved, version, options, level,
 * count, count pairs). What is unknown or broken ends the walk; the answer stays good without. */
static void get_blocks(struct xro_in in, struct xro_protocol_answer *answer)
{
    while (in.left > 0 && !in.bad) {
        uint8_t tag = xro_in_u8(&in);
        xro_in_u8(&in);
        if (tag == 'B') {
            xro_in_take(&in, xro_in_u16(&in));
        } else if (tag == 'S') {
            xro_in_u8(&in);
            answer->signing_options = xro_in_u8(&in);
            answer->signing_level = xro_in_u8(&in);
            answer->override_count = xro_in_u8(&in);
            answer->overrides = xro_in_take(&in, 2 * answer->override_count);
            answer->signing = !in.bad;
            if (in.bad)
                answer->override_count = 0;
        } else {
            return;
        }
    }
}

bool xro_get_protocol_answer(const uint8_t *body, size_t length, struct xro_protocol_answer *answer)
{
    struct xro_in in = xro_in(body, length);

    *answer = (struct xro_protocol_answer){ .version = xro_in_u32(&in) };
    answer->flags = xro_in_u32(&in);
    if (in.bad)
        return false;
    if (answer->version < XRO_KXR_VERSION_WITH_FLAGS)
        answer->flags = answer->flags ? XRO_KXR_ISSERVER : XRO_KXR_ISMANAGER;
    get_blocks(in, answer);
    return true;
}

bool xro_get_login_answer(const uint8_t *body, size_t length, struct xro_login_answer *answer)
{
    struct xro_in in = xro_in(body, length);
    const uint8_t *session;

    *answer = (struct xro_login_answer){ .token = { "", 0 } };
    if (length == 0)
        return true;
    session = xro_in_take(&in, XRO_SESSION_ID_SIZE);
    if (session == NULL)
        return false;
    memcpy(answer->session, session, XRO_SESSION_ID_SIZE);
    answer->token = rest_as_text(&in);
    return true;
}

static size_t find_byte(struct xro_span_text text, size_t from, const char *any)
{
    size_t i = from;

    while (i < text.length && (text.bytes[i] == '\0' || strchr(any, text.bytes[i]) == NULL))
        i++;
    return i;
}

static struct xro_span_text part(struct xro_span_text text, size_t from, size_t to)
{
    return (struct xro_span_text){ .bytes = text.bytes + from, .length = to - from };
}

bool xro_next_offer(struct xro_span_text *token, struct xro_security_offer *offer)
{
    for (size_t i = 0; i < token->length; i = find_byte(*token, i + 1, "&")) {
        if (token->length - i < 3 || memcmp(token->bytes + i, "&P=", 3) != 0)
            continue;
        size_t name_end = find_byte(*token, i + 3, ",&"), end = find_byte(*token, name_end, "&");
        offer->name = part(*token, i + 3, name_end);
        offer->arguments = part(*token, name_end < end ? name_end + 1 : end, end);
        *token = part(*token, end, token->length);
        return true;
    }
    return false;
}

bool xro_get_open_answer(const uint8_t *body, size_t length, struct xro_open_answer *answer)
{
    struct xro_in in = xro_in(body, length);
    const uint8_t *handle = xro_in_take(&in, XRO_HANDLE_SIZE);

    if (handle == NULL)
        return false;
    memcpy(answer->handle.bytes, handle, XRO_HANDLE_SIZE);
    answer->stat = span_text(NULL, 0);
    if (xro_in_take(&in, 8) != NULL)    /* cpsize, cptype: compression, long gone */
        answer->stat = rest_as_text(&in);
    return true;
}

/* A decimal number that ends at a blank or at the end; false when it is none or too large for int64_t. */
static bool get_number(struct xro_span_text text, size_t *at, int64_t *value)
{
    bool negative = *at < text.length && text.bytes[*at] == '-';
    size_t i = *at + negative, first = i;
    uint64_t sum = 0;

    for (; i < text.length && isdigit((unsigned char)text.bytes[i]); i++) {
        unsigned digit = (unsigned)(text.bytes[i] - '0');
        if (sum > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    if (i == first || (i < text.length && text.bytes[i] != ' '))
        return false;
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    *at = i < text.length ? i + 1 : i;
    return true;
}

bool xro_get_stat_answer(struct xro_span_text text, struct xro_stat_answer *answer)
{
    int64_t flags;
    size_t at = find_byte(text, 0, " ");        /* the id may be larger than any integer: passed over */

    if (at == 0 || at == text.length)
        return false;
    at++;
    if (!get_number(text, &at, &answer->size) || !get_number(text, &at, &flags) || !get_number(text, &at, &answer->mtime))
        return false;
    answer->flags = (uint32_t)flags;
    return answer->size >= 0 && flags >= 0 && flags <= UINT32_MAX;
}

bool xro_get_coded_answer(const uint8_t *body, size_t length, struct xro_coded_answer *answer)
{
    struct xro_in in = xro_in(body, length);

    answer->code = xro_in_i32(&in);
    answer->text = rest_as_text(&in);
    return !in.bad;
}

static bool has_controls(struct xro_span_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (iscntrl((unsigned char)text.bytes[i]))
            return true;
    return false;
}

const char *xro_get_redirect_answer(const uint8_t *body, size_t length, struct xro_redirect_answer *answer)
{
    struct xro_in in = xro_in(body, length);
    int32_t port = xro_in_i32(&in);
    struct xro_span_text text = rest_as_text(&in);
    size_t mark, second;

    *answer = (struct xro_redirect_answer){ .is_url = port < 0 };
    if (in.bad || text.length == 0)
        return "redirect names no host";
    if (has_controls(text))
        return "redirect has control characters";
    if (port < 0) {
        answer->flags = ~(uint32_t)port;
        answer->host = text;
        return NULL;
    }
    if (port == 0 || port > 65535)
        return "redirect to an impossible port";
    answer->port = (uint16_t)port;
    mark = find_byte(text, 0, "?");
    second = find_byte(text, mark < text.length ? mark + 1 : mark, "?");
    answer->host = part(text, 0, mark);
    answer->opaque = part(text, mark < text.length ? mark + 1 : mark, second);
    answer->token = part(text, second < text.length ? second + 1 : second, text.length);
    if (answer->host.length >= 2 && answer->host.bytes[0] == '[' && answer->host.bytes[answer->host.length - 1] == ']')
        answer->host = part(answer->host, 1, answer->host.length - 1);
    return answer->host.length > 0 ? NULL : "redirect names no host";
}

bool xro_get_attn_answer(const uint8_t *body, size_t length, struct xro_attn_answer *answer)
{
    struct xro_in in = xro_in(body, length);

    *answer = (struct xro_attn_answer){ .action = xro_in_i32(&in) };
    if (in.bad)
        return false;
    if (answer->action == XRO_KXR_ASYNRESP) {
        xro_in_take(&in, 4);                    /* reserved */
        if (in.bad || !xro_get_answer(&in, &answer->inner) || answer->inner.length > in.left)
            return false;
        in.left = answer->inner.length;
        answer->has_answer = true;
    }
    answer->body = in.at;
    answer->length = in.left;
    return true;
}
