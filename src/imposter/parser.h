/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parser.h - what the parser's files share: one token of look-ahead, the variables, the first error. Every function
 * answers false once an error stands; the first one is kept. Private to imposter/parse*.c. */
#ifndef XRO_IMPOSTER_PARSER_H
#define XRO_IMPOSTER_PARSER_H

#include "imposter/lexer.h"
#include "imposter/script.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xro_variable {
    const char *name;
    struct xro_token value;
};

struct xro_fixup {              /* a server named before it is defined */
    struct xro_fixup *next;
    struct xro_redirect *redirect;
    const char *name;
    unsigned line, column;
};

struct xro_parser {
    struct xro_lexer lexer;
    struct xro_token token;     /* the next one, variables replaced */
    struct xro_script *script;
    struct xro_server *server;  /* NULL: in the head */
    struct xro_variable variables[XRO_SCRIPT_SETS_MAX];
    size_t variable_count;
    const struct xro_script_setting *settings;
    size_t setting_count;
    struct xro_fixup *fixups;
    struct xro_file **file_end;         /* where the present server's next file, rule, address goes */
    struct xro_rule **rule_end;
    struct xro_script_address **address_end;
    size_t file_count;
    struct xro_script_error *error;
    enum xro_status status;
};

/* Go to the next token; false when it is a bad one. */
bool xro_parser_next(struct xro_parser *parser);

/* "line:column: expected WHAT, found ..." at the present token; false. */
bool xro_parser_expected(struct xro_parser *parser, const char *what);

/* An error in words at LINE and COLUMN; false. */
bool xro_parser_fail(struct xro_parser *parser, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The error XRO_MEMORY; false. */
bool xro_parser_no_memory(struct xro_parser *parser);

/* SIZE zeroed bytes; NULL and the error XRO_MEMORY. */
void *xro_parser_take(struct xro_parser *parser, size_t size);

/* Is the present token this keyword? xro_parser_accept takes it when it is. */
bool xro_parser_is(const struct xro_parser *parser, const char *word);
bool xro_parser_accept(struct xro_parser *parser, const char *word);
bool xro_parser_want(struct xro_parser *parser, const char *word);

/* One value; WHAT names it in the error. */
bool xro_parser_text(struct xro_parser *parser, const char *what, const char **text);    /* word or string, no NUL */
bool xro_parser_duration(struct xro_parser *parser, xro_ns *ns);
bool xro_parser_size(struct xro_parser *parser, uint64_t *bytes);
bool xro_parser_integer(struct xro_parser *parser, const char *what, int64_t low, int64_t high, int64_t *value);
bool xro_parser_count(struct xro_parser *parser, uint64_t *count);        /* at least 1 */
bool xro_parser_hex(struct xro_parser *parser, const uint8_t **bytes, size_t *length);

/* The present token as a number in decimal or 0x; for those who need no error. */
bool xro_parser_is_integer(const struct xro_parser *parser, int64_t *value);

/* A line about a file, from behind its first word (parse_file.c). */
bool xro_parse_file(struct xro_parser *parser, enum xro_file_kind kind);

/* "on ...", from behind the "on" (parse_rule.c); the steps behind the colon (parse_step.c); data (parse_data.c). */
bool xro_parse_rule(struct xro_parser *parser);
bool xro_parse_steps(struct xro_parser *parser, struct xro_rule *rule);
bool xro_parse_data(struct xro_parser *parser, struct xro_data **list);
bool xro_parse_redirect(struct xro_parser *parser, struct xro_step *step);
bool xro_parse_message(struct xro_parser *parser, struct xro_step *step, bool *known);
bool xro_parse_modifiers(struct xro_parser *parser, struct xro_step *step);

/* Data made by the parser. */
struct xro_data *xro_data_add(struct xro_parser *parser, struct xro_data **list, enum xro_data_kind kind,
                              const void *bytes, size_t length);
bool xro_data_add_int(struct xro_parser *parser, struct xro_data **list, int64_t value);

#ifdef __cplusplus
}
#endif
#endif
