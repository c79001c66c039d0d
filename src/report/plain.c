/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/plain.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The length of the UTF-8 character at TEXT, 0 when it is none; *CODE is its number. */
static size_t decode(const unsigned char *text, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };    /* shorter would have done: not UTF-8 */
    size_t length = text[0] < 0x80 ? 1 : text[0] >> 5 == 0x06 ? 2 : text[0] >> 4 == 0x0e ? 3
        : text[0] >> 3 == 0x1e ? 4 : 0;

    if (length == 0)
        return 0;
    *code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return length;
}

static bool is_harmless(uint32_t code)
{
    static const struct { uint32_t first, last; } harmful[] = {
        { 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
        { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
    };

    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++)
        if (code >= harmful[i].first && code <= harmful[i].last)
            return false;
    return true;
}

static void put_markdown(FILE *to, const unsigned char *text, size_t length)
{
    if (text[0] == '<')
        fputs("&lt;", to);
    else if (text[0] == '&')
        fputs("&amp;", to);
    else if (strchr("\\`*_[]|#~!", text[0]) != NULL)
        fprintf(to, "\\%c", text[0]);
    else
        fwrite(text, 1, length, to);
}

static void put_character(FILE *to, const unsigned char *text, size_t length, enum xro_quoting quoting)
{
    if (quoting == XRO_QUOTE_MARKDOWN)
        put_markdown(to, text, length);
    else if (quoting == XRO_QUOTE_CSV && text[0] == '"')
        fputs("\"\"", to);
    else
        fwrite(text, 1, length, to);
}

/* Line ends are escaped by now, but a reader may take blanks at the ends away. */
static bool needs_quotes(const char *text)
{
    size_t length = strlen(text);

    return strpbrk(text, ",\"") != NULL || (length > 0 && (text[0] == ' ' || text[length - 1] == ' '));
}

void xro_put_plain(FILE *to, const char *text, enum xro_quoting quoting)
{
    bool quoted = quoting == XRO_QUOTE_CSV && needs_quotes(text);

    if (quoted)
        fputc('"', to);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        uint32_t code;
        size_t length = decode(at, &code), taken = length > 0 ? length : 1;
        if (length > 0 && is_harmless(code))
            put_character(to, at, length, quoting);
        else
            for (size_t i = 0; i < taken; i++)
                fprintf(to, quoting == XRO_QUOTE_MARKDOWN ? "\\\\x%02x" : "\\x%02x", at[i]);
        at += taken;
    }
    if (quoted)
        fputc('"', to);
}

size_t xro_plain_width(const char *text)
{
    size_t width = 0;

    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        uint32_t code;
        size_t length = decode(at, &code), taken = length > 0 ? length : 1;
        width += length > 0 && is_harmless(code) ? 1 : taken * 4;
        at += taken;
    }
    return width;
}
