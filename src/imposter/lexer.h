/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * lexer.h - a script's text to words. A word is everything up to a blank, a comma, a quote or a line's end; a colon at
 * its end is a token of its own ("on open:"), one inside is not ("host:1094"). '#' where a word could begin starts a
 * comment. "..." is a string with the escapes \n \t \r \0 \\ \" \xNN. */
#ifndef XRO_IMPOSTER_LEXER_H
#define XRO_IMPOSTER_LEXER_H

#include "imposter/arena.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum xro_token_kind {
    XRO_TOKEN_WORD, XRO_TOKEN_STRING, XRO_TOKEN_COLON, XRO_TOKEN_COMMA, XRO_TOKEN_NEWLINE, XRO_TOKEN_END,
    XRO_TOKEN_BAD,              /* text says what is wrong */
    XRO_TOKEN_MEMORY            /* there was none for the token's text */
};

struct xro_token {
    enum xro_token_kind kind;
    const char *text;           /* NUL-terminated, in the arena; a string's may hold further NULs */
    size_t length;
    unsigned line, column;
};

struct xro_lexer {
    const char *at, *end;
    unsigned line, column;
    struct xro_arena *arena;
};

/* The next token; behind END comes END again. */
struct xro_token xro_lexer_next(struct xro_lexer *lexer);

#ifdef __cplusplus
}
#endif
#endif
