/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "imposter/lexer.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static void advance(struct xro_lexer *lexer, size_t n)
{
    lexer->at += n;
    lexer->column += (unsigned)n;
}

static size_t left(const struct xro_lexer *lexer)
{
    return (size_t)(lexer->end - lexer->at);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct xro_lexer *lexer)
{
    while (left(lexer) > 0 && is_blank(*lexer->at))
        advance(lexer, 1);
    if (left(lexer) > 0 && *lexer->at == '#')
        while (left(lexer) > 0 && *lexer->at != '\n')
            advance(lexer, 1);
}

static struct xro_token bad(struct xro_token token, const char *text)
{
    token.kind = XRO_TOKEN_BAD;
    token.text = text;
    token.length = strlen(text);
    return token;
}

static struct xro_token no_memory(struct xro_token token)
{
    token.kind = XRO_TOKEN_MEMORY;
    return token;
}

static struct xro_token finish(struct xro_lexer *lexer, struct xro_token token, const char *bytes, size_t length)
{
    token.text = xro_arena_copy(lexer->arena, bytes, length);
    token.length = length;
    return token.text != NULL ? token : no_memory(token);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that the escape at TEXT (behind the backslash, LENGTH bytes left) stands for, and how long it is; 0:
 * none. */
static size_t escape(const char *text, size_t length, char *byte)
{
    static const char names[] = "ntr0\\\"", values[] = { '\n', '\t', '\r', '\0', '\\', '"' };
    const char *name = length > 0 && text[0] != '\0' ? strchr(names, text[0]) : NULL;

    if (name != NULL) {
        *byte = values[name - names];
        return 1;
    }
    if (length < 3 || text[0] != 'x' || hex_digit(text[1]) < 0 || hex_digit(text[2]) < 0)
        return 0;
    *byte = (char)(hex_digit(text[1]) << 4 | hex_digit(text[2]));
    return 3;
}

/* How many bytes lie between the quote at the lexer's place and the one that ends the string; false: none does. */
static bool string_length(const struct xro_lexer *lexer, size_t *length)
{
    for (size_t i = 1; i < left(lexer) && lexer->at[i] != '\n'; i++) {
        if (lexer->at[i] == '"') {
            *length = i - 1;
            return true;
        }
        if (lexer->at[i] == '\\')
            i++;
    }
    return false;
}

static struct xro_token string(struct xro_lexer *lexer, struct xro_token token)
{
    size_t length, used = 0;
    char *bytes;

    if (!string_length(lexer, &length))
        return bad(token, "a string that does not end on its line");
    bytes = (char *)xro_arena_take(lexer->arena, length + 1);
    if (bytes == NULL)
        return no_memory(token);
    for (size_t i = 1; i <= length; i++, used++) {
        if (lexer->at[i] != '\\') {
            bytes[used] = lexer->at[i];
            continue;
        }
        size_t n = escape(lexer->at + i + 1, length - i, bytes + used);
        if (n == 0) {
            token.column += (unsigned)i;
            return bad(token, "an unknown escape: only \\n \\t \\r \\0 \\\\ \\\" \\xNN are known");
        }
        i += n;
    }
    advance(lexer, length + 2);
    token.kind = XRO_TOKEN_STRING;
    token.text = bytes;
    token.length = used;
    return token;
}

static struct xro_token word(struct xro_lexer *lexer, struct xro_token token)
{
    size_t n = 0;

    while (n < left(lexer) && lexer->at[n] > ' ' && lexer->at[n] != ',' && lexer->at[n] != '"' && lexer->at[n] < 0x7f)
        n++;
    if (n == 0)
        return bad(token, "a character that is neither printable nor ASCII (inside strings any may stand)");
    if (lexer->at[n - 1] == ':') {
        if (n == 1) {
            advance(lexer, 1);
            token.kind = XRO_TOKEN_COLON;
            return finish(lexer, token, ":", 1);
        }
        n--;
    }
    const char *begin = lexer->at;
    advance(lexer, n);
    token.kind = XRO_TOKEN_WORD;
    return finish(lexer, token, begin, n);
}

struct xro_token xro_lexer_next(struct xro_lexer *lexer)
{
    struct xro_token token;

    skip_blanks(lexer);
    token = (struct xro_token){ .kind = XRO_TOKEN_END, .text = "", .length = 0, .line = lexer->line,
                                .column = lexer->column };
    if (left(lexer) == 0)
        return token;
    switch (*lexer->at) {
    case '\n':
        lexer->at++;
        lexer->line++;
        lexer->column = 1;
        token.kind = XRO_TOKEN_NEWLINE;
        return token;
    case ',':
        advance(lexer, 1);
        token.kind = XRO_TOKEN_COMMA;
        return token;
    case '"':
        return string(lexer, token);
    default:
        return word(lexer, token);
    }
}
