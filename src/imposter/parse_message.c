/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parse_message.c - the steps that send a message, and the modifiers that may follow each of them. */
#include "imposter/parser.h"
#include "proto/xroot.h"

#include <string.h>
#include <strings.h>

/* --- one function per word -------------------------------------------------------------------------------------- */

static bool optional_string(struct xro_parser *parser, struct xro_step *step)
{
    if (parser->status == XRO_OK && parser->token.kind == XRO_TOKEN_STRING) {
        if (xro_data_add(parser, &step->data, XRO_DATA_BYTES, parser->token.text, parser->token.length) == NULL)
            return false;
        return xro_parser_next(parser);
    }
    return parser->status == XRO_OK;
}

static bool parse_seconds(struct xro_parser *parser, struct xro_step *step)
{
    int64_t seconds = 0;

    return xro_parser_integer(parser, "whole seconds (they go over the wire as they are)", INT32_MIN, INT32_MAX,
                              &seconds) &&
           xro_data_add_int(parser, &step->data, seconds) && optional_string(parser, step);
}

static bool parse_error_code(struct xro_parser *parser, int64_t *code)
{
    for (int i = XRO_KXR_ARGINVALID; i <= XRO_KXR_TIMEREXPIRED; i++) {
        const char *name = xro_kxr_error_name(i);
        if (name != NULL && parser->token.kind == XRO_TOKEN_WORD && strcasecmp(name, parser->token.text) == 0) {
            *code = i;
            return xro_parser_next(parser);
        }
    }
    return xro_parser_integer(parser, "an error code such as 3011 or NotFound", INT32_MIN, INT32_MAX, code);
}

static bool parse_error(struct xro_parser *parser, struct xro_step *step)
{
    int64_t code = 0;
    const char *name;

    if (!parse_error_code(parser, &code) || !xro_data_add_int(parser, &step->data, code))
        return false;
    name = code >= 3000 && code < 4000 ? xro_kxr_error_name((int)code) : NULL;
    if (parser->token.kind == XRO_TOKEN_STRING) {
        if (!optional_string(parser, step))
            return false;
    } else if (name != NULL && xro_data_add(parser, &step->data, XRO_DATA_BYTES, name, strlen(name)) == NULL) {
        return false;
    }
    return xro_data_add(parser, &step->data, XRO_DATA_BYTES, "", 1) != NULL;
}

static bool parse_status(struct xro_parser *parser, uint16_t *status)
{
    static const char *const names[] = { "oksofar", "attn", "authmore", "error", "redirect", "wait", "waitresp",
                                         "status" };
    int64_t value = 0;

    if (xro_parser_accept(parser, "ok")) {
        *status = XRO_KXR_OK;
        return parser->status == XRO_OK;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xro_parser_accept(parser, names[i])) {
            *status = (uint16_t)(XRO_KXR_OKSOFAR + i);
            return parser->status == XRO_OK;
        }
    if (!xro_parser_integer(parser, "a status: ok, oksofar, attn, authmore, error, redirect, wait, waitresp, status or "
                                    "a number up to 65535", 0, UINT16_MAX, &value))
        return false;
    *status = (uint16_t)value;
    return true;
}

static bool parse_message(struct xro_parser *parser, struct xro_step *step)
{
    if (!parse_status(parser, &step->code))
        return false;
    if (step->code == XRO_KXR_ATTN)
        step->stream = (struct xro_override){ .kind = XRO_SET, .value = 0 };
    return xro_parse_data(parser, &step->data);
}

static bool parse_ok(struct xro_parser *parser, struct xro_step *step)
{
    return xro_parse_data(parser, &step->data);
}

static bool parse_protocol(struct xro_parser *parser, struct xro_step *step)
{
    int64_t version = XRO_KXR_PROTOCOLVERSION, flags = 0;

    if (xro_parser_accept(parser, "version") &&
        !xro_parser_integer(parser, "a protocol version such as 0x511", INT32_MIN, UINT32_MAX, &version))
        return false;
    if (!xro_data_add_int(parser, &step->data, version))
        return false;
    if (!xro_parser_accept(parser, "flags"))
        return xro_data_add(parser, &step->data, XRO_DATA_FLAGS, NULL, 4) != NULL &&
               xro_parse_data(parser, &step->data);
    return xro_parser_integer(parser, "flags such as 0x00300001", INT32_MIN, UINT32_MAX, &flags) &&
           xro_data_add_int(parser, &step->data, flags) && xro_parse_data(parser, &step->data);
}

static bool parse_login(struct xro_parser *parser, struct xro_step *step)
{
    if (xro_data_add(parser, &step->data, XRO_DATA_SESSION, NULL, 16) == NULL)
        return false;
    if (xro_parser_accept(parser, "token"))
        return parser->token.kind == XRO_TOKEN_STRING ? optional_string(parser, step)
                                                       : xro_parser_expected(parser, "the security token in quotes");
    return parser->status == XRO_OK;
}

static bool parse_asyncms(struct xro_parser *parser, struct xro_step *step)
{
    step->stream = (struct xro_override){ .kind = XRO_SET, .value = 0 };
    return xro_data_add_int(parser, &step->data, XRO_KXR_ASYNCMS) && optional_string(parser, step);
}

static bool parse_amount(struct xro_parser *parser, struct xro_amount *amount)
{
    if (xro_parser_accept(parser, "half")) {
        amount->kind = XRO_AMOUNT_HALF;
        return parser->status == XRO_OK;
    }
    amount->kind = XRO_AMOUNT_BYTES;
    return xro_parser_size(parser, &amount->bytes);
}

static bool parse_piece(struct xro_parser *parser, struct xro_step *step)
{
    if (xro_parser_accept(parser, "all"))
        return parser->status == XRO_OK;        /* an amount of zero: ALL */
    if (!parse_amount(parser, &step->amount))
        return false;
    if (step->amount.bytes > XRO_SCRIPT_MESSAGE_MAX)
        return xro_parser_expected(parser, "a piece of at most 64M before this");
    return true;
}

static bool parse_pieces(struct xro_parser *parser, struct xro_step *step)
{
    step->amount.kind = XRO_AMOUNT_BYTES;
    if (!xro_parser_size(parser, &step->amount.bytes))
        return false;
    if (step->amount.bytes == 0 || step->amount.bytes > XRO_SCRIPT_MESSAGE_MAX)
        return xro_parser_expected(parser, "a piece size from 1 to 64M before this");
    return !xro_parser_accept(parser, "every") || xro_parser_duration(parser, &step->every);
}

static bool parse_nothing(struct xro_parser *parser, struct xro_step *step)
{
    (void)step;
    return parser->status == XRO_OK;
}

/* --- the table -------------------------------------------------------------------------------------------------- */

struct message_word {
    const char *word;
    enum xro_step_kind kind;
    uint16_t code;
    bool in_attn;               /* may stand behind "attn" */
    bool (*parse)(struct xro_parser *, struct xro_step *);
};

static const struct message_word words[] = {
    { "answer",   XRO_STEP_ANSWER,  0,                true,  parse_nothing },
    { "piece",    XRO_STEP_PIECE,   0,                true,  parse_piece },
    { "pieces",   XRO_STEP_PIECES,  0,                false, parse_pieces },
    { "message",  XRO_STEP_MESSAGE, 0,                true,  parse_message },
    { "ok",       XRO_STEP_MESSAGE, XRO_KXR_OK,       true,  parse_ok },
    { "error",    XRO_STEP_MESSAGE, XRO_KXR_ERROR,    true,  parse_error },
    { "wait",     XRO_STEP_MESSAGE, XRO_KXR_WAIT,     true,  parse_seconds },
    { "waitresp", XRO_STEP_MESSAGE, XRO_KXR_WAITRESP, true,  parse_seconds },
    { "redirect", XRO_STEP_MESSAGE, XRO_KXR_REDIRECT, true,  xro_parse_redirect },
    { "authmore", XRO_STEP_MESSAGE, XRO_KXR_AUTHMORE, true,  parse_ok },
    { "protocol", XRO_STEP_MESSAGE, XRO_KXR_OK,       false, parse_protocol },
    { "login",    XRO_STEP_MESSAGE, XRO_KXR_OK,       false, parse_login },
    { "asyncms",  XRO_STEP_MESSAGE, XRO_KXR_ATTN,     false, parse_asyncms },
    { "raw",      XRO_STEP_RAW,     0,                false, parse_ok },
    { "rest",     XRO_STEP_REST,    0,                false, parse_nothing },
};

bool xro_parse_message(struct xro_parser *parser, struct xro_step *step, bool *known)
{
    step->attn = xro_parser_accept(parser, "attn");
    *known = step->attn;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!xro_parser_is(parser, words[i].word) || (step->attn && !words[i].in_attn))
            continue;
        *known = true;
        step->kind = words[i].kind;
        step->code = words[i].code;
        return xro_parser_next(parser) && words[i].parse(parser, step) && xro_parse_modifiers(parser, step);
    }
    if (step->attn)
        return xro_parser_expected(parser, "the answer to defer: answer, piece, message, ok, error, wait, waitresp, "
                                           "redirect or authmore");
    return parser->status == XRO_OK;
}

/* --- modifiers -------------------------------------------------------------------------------------------------- */

static bool parse_override(struct xro_parser *parser, struct xro_override *override)
{
    override->kind = xro_parser_accept(parser, "by") ? XRO_ADD : XRO_SET;
    return xro_parser_integer(parser, "a number, or 'by' and a number to add", INT32_MIN, UINT32_MAX, &override->value);
}

static bool parse_dribble(struct xro_parser *parser, struct xro_step *step)
{
    return xro_parser_size(parser, &step->dribble) &&
           (step->dribble > 0 || xro_parser_expected(parser, "more than 0 bytes at a time before this")) &&
           xro_parser_want(parser, "every") && xro_parser_duration(parser, &step->every);
}

static bool parse_patch(struct xro_parser *parser, struct xro_step *step, bool flip)
{
    struct xro_patch *patch = (struct xro_patch *)xro_parser_take(parser, sizeof *patch), **end = &step->patches;

    if (patch == NULL || !xro_parser_size(parser, &patch->at))
        return false;
    if (!flip && !xro_parser_hex(parser, &patch->bytes, &patch->length))
        return false;
    patch->flip = flip;
    while (*end != NULL)
        end = &(*end)->next;
    *end = patch;
    return true;
}

/* One modifier; false with no error when there is none. */
static bool parse_modifier(struct xro_parser *parser, struct xro_step *step)
{
    if (xro_parser_accept(parser, "stream"))
        return parse_override(parser, &step->stream);
    if (xro_parser_accept(parser, "dlen"))
        return parse_override(parser, &step->length);
    if (xro_parser_accept(parser, "status")) {
        step->status.kind = XRO_SET;
        return xro_parser_integer(parser, "a status from 0 to 65535", 0, UINT16_MAX, &step->status.value);
    }
    if (xro_parser_accept(parser, "first"))
        return parse_amount(parser, &step->first);
    if (xro_parser_accept(parser, "dribble"))
        return parse_dribble(parser, step);
    if (xro_parser_accept(parser, "patch"))
        return parse_patch(parser, step, false);
    if (xro_parser_accept(parser, "flip"))
        return parse_patch(parser, step, true);
    return xro_parser_accept(parser, "crc") && (step->crc = true);
}

bool xro_parse_modifiers(struct xro_parser *parser, struct xro_step *step)
{
    while (parse_modifier(parser, step))
        ;
    return parser->status == XRO_OK;
}
