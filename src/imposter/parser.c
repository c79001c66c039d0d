/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parser.c - tokens with variables replaced, single values, and the first error with its place. */
#include "imposter/parser.h"

#include "base/escape.h"
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool xro_parser_fail(struct xro_parser *parser, unsigned line, unsigned column, const char *format, ...)
{
    va_list arguments;

    if (parser->status != XRO_OK)
        return false;
    parser->status = XRO_INVALID;
    parser->error->line = line;
    parser->error->column = column;
    va_start(arguments, format);
    vsnprintf(parser->error->text, sizeof parser->error->text, format, arguments);
    va_end(arguments);
    return false;
}

static void describe(const struct xro_token *token, char *text, size_t size)
{
    char shown[48];

    switch (token->kind) {
    case XRO_TOKEN_WORD:
    case XRO_TOKEN_STRING:
        snprintf(text, size, "'%s'", xro_escape(token->text, token->length, shown, sizeof shown));
        return;
    case XRO_TOKEN_COLON:
        snprintf(text, size, "a colon");
        return;
    case XRO_TOKEN_COMMA:
        snprintf(text, size, "a comma");
        return;
    default:
        snprintf(text, size, "the end of the %s", token->kind == XRO_TOKEN_NEWLINE ? "line" : "script");
    }
}

bool xro_parser_expected(struct xro_parser *parser, const char *what)
{
    const struct xro_token *token = &parser->token;
    char found[64];

    describe(token, found, sizeof found);
    return xro_parser_fail(parser, token->line, token->column, "expected %s, found %s", what, found);
}

bool xro_parser_no_memory(struct xro_parser *parser)
{
    if (parser->status == XRO_OK) {
        xro_parser_fail(parser, 0, 0, "out of memory");
        parser->status = XRO_MEMORY;
    }
    return false;
}

void *xro_parser_take(struct xro_parser *parser, size_t size)
{
    void *taken = parser->status == XRO_OK ? xro_arena_take(parser->script->arena, size) : NULL;

    if (taken == NULL)
        xro_parser_no_memory(parser);
    return taken;
}

static bool replace(struct xro_parser *parser)
{
    struct xro_token *token = &parser->token;

    for (size_t i = 0; i < parser->variable_count; i++) {
        if (strcmp(parser->variables[i].name, token->text + 1) != 0)
            continue;
        token->kind = parser->variables[i].value.kind;
        token->text = parser->variables[i].value.text;
        token->length = parser->variables[i].value.length;
        return true;
    }
    return xro_parser_expected(parser, "a variable that a 'set' line before has made");
}

bool xro_parser_next(struct xro_parser *parser)
{
    if (parser->status != XRO_OK)
        return false;
    parser->token = xro_lexer_next(&parser->lexer);
    if (parser->token.kind == XRO_TOKEN_MEMORY)
        return xro_parser_no_memory(parser);
    if (parser->token.kind == XRO_TOKEN_BAD)
        return xro_parser_fail(parser, parser->token.line, parser->token.column, "found %s", parser->token.text);
    if (parser->token.kind == XRO_TOKEN_WORD && parser->token.text[0] == '$')
        return replace(parser);
    return true;
}

bool xro_parser_is(const struct xro_parser *parser, const char *word)
{
    return parser->status == XRO_OK && parser->token.kind == XRO_TOKEN_WORD && strcmp(parser->token.text, word) == 0;
}

bool xro_parser_accept(struct xro_parser *parser, const char *word)
{
    return xro_parser_is(parser, word) && xro_parser_next(parser);
}

bool xro_parser_want(struct xro_parser *parser, const char *word)
{
    char what[40];

    if (xro_parser_is(parser, word))
        return xro_parser_next(parser);
    snprintf(what, sizeof what, "'%s'", word);
    return xro_parser_expected(parser, what);
}

static bool is_value(const struct xro_parser *parser)
{
    return parser->status == XRO_OK && (parser->token.kind == XRO_TOKEN_WORD || parser->token.kind == XRO_TOKEN_STRING);
}

bool xro_parser_text(struct xro_parser *parser, const char *what, const char **text)
{
    if (!is_value(parser) || memchr(parser->token.text, '\0', parser->token.length) != NULL)
        return xro_parser_expected(parser, what);
    *text = parser->token.text;
    return xro_parser_next(parser);
}

bool xro_parser_duration(struct xro_parser *parser, xro_ns *ns)
{
    if (!is_value(parser) || xro_parse_duration(parser->token.text, ns) != XRO_OK || *ns > XRO_NEVER / 4)
        return xro_parser_expected(parser, "a duration such as 250us, 20ms, 5s");
    return xro_parser_next(parser);
}

bool xro_parser_size(struct xro_parser *parser, uint64_t *bytes)
{
    if (!is_value(parser) || xro_parse_size(parser->token.text, bytes) != XRO_OK)
        return xro_parser_expected(parser, "a size such as 512, 4k, 1M");
    return xro_parser_next(parser);
}

bool xro_parser_is_integer(const struct xro_parser *parser, int64_t *value)
{
    const char *text = parser->token.text, *digits;
    char *end;

    if (!is_value(parser))
        return false;
    digits = text + (text[0] == '-');
    if (!isdigit((unsigned char)digits[0]))
        return false;
    errno = 0;
    *value = strtoll(text, &end, digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10);
    return errno == 0 && *end == '\0' && (size_t)(end - text) == parser->token.length;
}

bool xro_parser_integer(struct xro_parser *parser, const char *what, int64_t low, int64_t high, int64_t *value)
{
    if (!xro_parser_is_integer(parser, value) || *value < low || *value > high)
        return xro_parser_expected(parser, what);
    return xro_parser_next(parser);
}

bool xro_parser_count(struct xro_parser *parser, uint64_t *count)
{
    int64_t value = 0;

    if (!xro_parser_integer(parser, "a whole number of at least 1", 1, INT64_MAX, &value))
        return false;
    *count = (uint64_t)value;
    return true;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;

    return found != NULL ? (int)(found - digits) : -1;
}

/* Pairs of hexadecimal digits; blanks between bytes are passed over. */
bool xro_parser_hex(struct xro_parser *parser, const uint8_t **bytes, size_t *length)
{
    static const char what[] = "bytes in hexadecimal, such as \"00 1f a0\"";
    const char *text = parser->token.text;
    uint8_t *to;

    if (!is_value(parser))
        return xro_parser_expected(parser, what);
    to = (uint8_t *)xro_parser_take(parser, parser->token.length / 2 + 1);
    if (to == NULL)
        return false;
    *bytes = to;
    *length = 0;
    for (size_t i = 0; i < parser->token.length; i += 2) {
        while (i < parser->token.length && text[i] == ' ')
            i++;
        if (i == parser->token.length)
            break;
        if (hex_digit(text[i]) < 0 || hex_digit(text[i + 1]) < 0)       /* a NUL ends the text */
            return xro_parser_expected(parser, what);
        to[(*length)++] = (uint8_t)(hex_digit(text[i]) << 4 | hex_digit(text[i + 1]));
    }
    return xro_parser_next(parser);
}
