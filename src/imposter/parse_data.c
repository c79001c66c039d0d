/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parse_data.c - what an answer's body is made of: text, bytes, numbers, and a redirect's target. */
#include "imposter/parser.h"

#include <string.h>

static struct xro_data *add(struct xro_parser *parser, struct xro_data **list, struct xro_data data)
{
    struct xro_data *item = (struct xro_data *)xro_parser_take(parser, sizeof *item);
    uint64_t sum = data.length * data.times;

    if (item == NULL)
        return NULL;
    for (; *list != NULL; list = &(*list)->next)
        sum += (*list)->length * (*list)->times;
    if (data.times > XRO_SCRIPT_MESSAGE_MAX || sum > XRO_SCRIPT_MESSAGE_MAX) {
        xro_parser_fail(parser, parser->token.line, parser->token.column, "more than %d bytes in one message",
                        XRO_SCRIPT_MESSAGE_MAX);
        return NULL;
    }
    *item = data;
    return *list = item;
}

struct xro_data *xro_data_add(struct xro_parser *parser, struct xro_data **list, enum xro_data_kind kind,
                              const void *bytes, size_t length)
{
    struct xro_data data = { .kind = kind, .bytes = (const uint8_t *)bytes, .length = length, .times = 1 };

    return add(parser, list, data);
}

bool xro_data_add_int(struct xro_parser *parser, struct xro_data **list, int64_t value)
{
    uint8_t *bytes = (uint8_t *)xro_parser_take(parser, 4);

    if (bytes == NULL)
        return false;
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)((uint64_t)value >> (24 - 8 * i));
    return xro_data_add(parser, list, XRO_DATA_BYTES, bytes, 4) != NULL;
}

static bool parse_string(struct xro_parser *parser, struct xro_data **list, uint64_t times)
{
    struct xro_data data = { .kind = XRO_DATA_BYTES, .bytes = (const uint8_t *)parser->token.text,
                             .length = parser->token.length, .times = times };

    if (parser->token.kind != XRO_TOKEN_STRING)
        return xro_parser_expected(parser, "a string in quotes");
    return add(parser, list, data) != NULL && xro_parser_next(parser);
}

static bool parse_hex(struct xro_parser *parser, struct xro_data **list)
{
    const uint8_t *bytes = NULL;
    size_t length = 0;

    return xro_parser_hex(parser, &bytes, &length) &&
           xro_data_add(parser, list, XRO_DATA_BYTES, bytes, length) != NULL;
}

static bool parse_int(struct xro_parser *parser, struct xro_data **list)
{
    int64_t value = 0;

    return xro_parser_integer(parser, "a number that fits into 4 bytes", INT32_MIN, UINT32_MAX, &value) &&
           xro_data_add_int(parser, list, value);
}

static bool parse_zero(struct xro_parser *parser, struct xro_data **list)
{
    struct xro_data data = { .kind = XRO_DATA_BYTES, .bytes = (const uint8_t *)"", .length = 1 };

    return xro_parser_size(parser, &data.times) && add(parser, list, data) != NULL;
}

static bool parse_repeat(struct xro_parser *parser, struct xro_data **list)
{
    uint64_t times = 0;

    return xro_parser_size(parser, &times) && parse_string(parser, list, times);
}

bool xro_parse_data(struct xro_parser *parser, struct xro_data **list)
{
    bool more = true;

    while (more && parser->status == XRO_OK) {
        if (xro_parser_accept(parser, "text"))
            more = parse_string(parser, list, 1);
        else if (xro_parser_accept(parser, "hex"))
            more = parse_hex(parser, list);
        else if (xro_parser_accept(parser, "int"))
            more = parse_int(parser, list);
        else if (xro_parser_accept(parser, "zero"))
            more = parse_zero(parser, list);
        else if (xro_parser_accept(parser, "repeat"))
            more = parse_repeat(parser, list);
        else if (xro_parser_accept(parser, "sid"))
            more = xro_data_add(parser, list, XRO_DATA_STREAM, NULL, 2) != NULL;
        else if (xro_parser_accept(parser, "session"))
            more = xro_data_add(parser, list, XRO_DATA_SESSION, NULL, 16) != NULL;
        else
            more = false;
    }
    return parser->status == XRO_OK;
}

/* --- redirect --------------------------------------------------------------------------------------------------- */

static bool parse_target(struct xro_parser *parser, struct xro_redirect *redirect)
{
    struct xro_fixup *fixup;

    if (xro_parser_accept(parser, "self"))
        return parser->status == XRO_OK;
    if (xro_parser_accept(parser, "text")) {
        redirect->server = XRO_REDIRECT_TEXT;
        return xro_parser_text(parser, "the redirect's text", &redirect->text);
    }
    fixup = (struct xro_fixup *)xro_parser_take(parser, sizeof *fixup);
    if (fixup == NULL)
        return false;
    *fixup = (struct xro_fixup){ .next = parser->fixups, .redirect = redirect, .line = parser->token.line,
                                 .column = parser->token.column };
    parser->fixups = fixup;
    return xro_parser_text(parser, "a server's name, 'self' or 'text'", &fixup->name);
}

static bool parse_address_index(struct xro_parser *parser, struct xro_redirect *redirect)
{
    int64_t value = 1;

    if (!xro_parser_integer(parser, "the number of one of its addresses", 1, XRO_SCRIPT_ADDRESSES_MAX, &value))
        return false;
    redirect->address = (unsigned)value - 1;
    return true;
}

static bool parse_flags(struct xro_parser *parser, struct xro_redirect *redirect)
{
    int64_t value = 0;

    redirect->url = true;
    if (!xro_parser_integer(parser, "flags from 0 to 0x7fffffff", 0, INT32_MAX, &value))
        return false;
    redirect->flags = (uint32_t)value;
    return true;
}

static bool parse_wire_port(struct xro_parser *parser, struct xro_redirect *redirect)
{
    int64_t value = 0;

    redirect->has_port = true;
    if (!xro_parser_integer(parser, "a number that fits into 4 bytes", INT32_MIN, INT32_MAX, &value))
        return false;
    redirect->port = (int32_t)value;
    return true;
}

/* One attribute; false with no error when there is none. */
static bool parse_attribute(struct xro_parser *parser, struct xro_redirect *redirect)
{
    if (xro_parser_accept(parser, "opaque"))
        return xro_parser_text(parser, "the opaque text", &redirect->opaque);
    if (xro_parser_accept(parser, "token"))
        return xro_parser_text(parser, "the token", &redirect->token);
    if (xro_parser_accept(parser, "url"))
        return redirect->url = true;
    if (xro_parser_accept(parser, "scheme"))
        return (redirect->url = true) && xro_parser_text(parser, "a scheme", &redirect->scheme);
    if (xro_parser_accept(parser, "path"))
        return (redirect->url = true) && xro_parser_text(parser, "a path", &redirect->path);
    if (xro_parser_accept(parser, "flags"))
        return parse_flags(parser, redirect);
    if (xro_parser_accept(parser, "port"))
        return parse_wire_port(parser, redirect);
    return xro_parser_accept(parser, "address") && parse_address_index(parser, redirect);
}

bool xro_parse_redirect(struct xro_parser *parser, struct xro_step *step)
{
    struct xro_redirect *redirect = (struct xro_redirect *)xro_parser_take(parser, sizeof *redirect);
    struct xro_data *data;

    if (redirect == NULL)
        return false;
    *redirect = (struct xro_redirect){ .server = XRO_REDIRECT_SELF, .scheme = "root" };
    data = xro_data_add(parser, &step->data, XRO_DATA_TARGET, NULL, 0);
    if (data == NULL)
        return false;
    data->redirect = redirect;
    if (!parse_target(parser, redirect))
        return false;
    while (parse_attribute(parser, redirect))
        ;
    return parser->status == XRO_OK;
}
