/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parse_file.c - "file", "dir" and "deny". */
#include "imposter/parser.h"

#include <string.h>

enum { DEFAULT_FILE_SIZE = 1 << 20 };

static bool parse_content(struct xro_parser *parser, struct xro_file *file, bool sized)
{
    bool text = xro_parser_accept(parser, "text");

    if (xro_parser_accept(parser, "zero")) {
        file->fill = XRO_FILL_ZERO;
    } else if (text || xro_parser_accept(parser, "repeat")) {
        if (parser->token.kind != XRO_TOKEN_STRING || (parser->token.length == 0 && !text))
            return xro_parser_expected(parser, "a string in quotes");
        file->fill = XRO_FILL_REPEAT;
        file->bytes = (const uint8_t *)parser->token.text;
        file->length = parser->token.length;
        if (text && !sized)
            file->size = file->length;
        return xro_parser_next(parser);
    }
    return parser->status == XRO_OK;
}

bool xro_parse_file(struct xro_parser *parser, enum xro_file_kind kind)
{
    struct xro_file *file;
    bool sized;

    if (++parser->file_count > XRO_SCRIPT_FILES_MAX)
        return xro_parser_fail(parser, parser->token.line, 1, "more than %d files", XRO_SCRIPT_FILES_MAX);
    file = (struct xro_file *)xro_parser_take(parser, sizeof *file);
    if (file == NULL)
        return false;
    *file = (struct xro_file){ .kind = kind, .size = kind == XRO_FILE_FILE ? DEFAULT_FILE_SIZE : 4096 };
    if (parser->token.text[0] != '/' || !xro_parser_text(parser, "a path", &file->path))
        return xro_parser_expected(parser, "a path that begins with '/'");
    file->pattern = strpbrk(file->path, "*?") != NULL;
    *parser->file_end = file;
    parser->file_end = &file->next;
    if (kind != XRO_FILE_FILE)
        return true;
    sized = xro_parser_accept(parser, "size");
    if (sized && (!xro_parser_size(parser, &file->size) || file->size > INT64_MAX))
        return xro_parser_expected(parser, "a smaller size");
    if (!parse_content(parser, file, sized))
        return false;
    if (file->fill == XRO_FILL_REPEAT && file->length == 0 && file->size > 0)
        return xro_parser_expected(parser, "a text that is not empty");
    file->offline = xro_parser_accept(parser, "offline");
    return parser->status == XRO_OK;
}
