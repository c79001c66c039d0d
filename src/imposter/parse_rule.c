/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parse_rule.c - "on EVENT... CONDITION...: STEPS". */
#include "imposter/parser.h"
#include "proto/xroot.h"

#include <stdlib.h>
#include <string.h>

/* The bits of the event that the present token names; 0: none. */
static uint64_t event_bits(const struct xro_parser *parser)
{
    int64_t code;

    if (xro_parser_is(parser, "accept"))
        return XRO_EVENT_ACCEPT;
    if (xro_parser_is(parser, "handshake"))
        return XRO_EVENT_HANDSHAKE;
    if (xro_parser_is(parser, "any"))
        return XRO_EVENT_ANY;
    if (xro_parser_is_integer(parser, &code))
        return code >= 3000 && code < 3048 ? UINT64_C(1) << (code - 3000) : 0;
    for (unsigned i = 0; i < 48; i++) {
        const char *name = xro_kxr_request_name(XRO_KXR_AUTH + i);
        if (name != NULL && xro_parser_is(parser, name))
            return UINT64_C(1) << i;
    }
    return 0;
}

static bool parse_events(struct xro_parser *parser, struct xro_rule *rule)
{
    for (uint64_t bits = event_bits(parser); bits != 0; bits = event_bits(parser)) {
        rule->events |= bits;
        if (!xro_parser_next(parser))
            return false;
    }
    if (rule->events == 0)
        return xro_parser_expected(parser, "an event: accept, handshake, any, or a request such as login, open, read");
    return parser->status == XRO_OK;
}

/* "3", "1-5" or "65-" */
static bool parse_range(struct xro_parser *parser, struct xro_rule *rule)
{
    const char *text = parser->token.text;
    char *end;

    if (parser->token.kind != XRO_TOKEN_WORD || strspn(text, "0123456789-") != parser->token.length || text[0] == '-' ||
        text[0] == '0' || parser->token.length > 30)
        return xro_parser_expected(parser, "a count such as 3, 1-5 or 65-");
    rule->from = rule->to = strtoull(text, &end, 10);
    if (*end == '-')
        rule->to = end[1] == '\0' ? UINT64_MAX : strtoull(end + 1, &end, 10);
    if ((*end != '\0' && strcmp(end, "-") != 0) || rule->to < rule->from)
        return xro_parser_expected(parser, "a count such as 3, 1-5 or 65-");
    return xro_parser_next(parser);
}

static bool parse_scope(struct xro_parser *parser, struct xro_rule *rule)
{
    static const struct { const char *word; enum xro_scope scope; } scopes[] = {
        { "server", XRO_SCOPE_SERVER }, { "connection", XRO_SCOPE_CONNECTION }, { "path", XRO_SCOPE_PATH },
        { "script", XRO_SCOPE_ALL },
    };

    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (xro_parser_accept(parser, scopes[i].word)) {
            rule->scope = scopes[i].scope;
            return parser->status == XRO_OK;
        }
    return xro_parser_expected(parser, "connection, path, server or script");
}

static bool parse_time(struct xro_parser *parser, struct xro_rule *rule, xro_ns *time)
{
    if (!xro_parser_duration(parser, time))
        return false;
    if (xro_parser_accept(parser, "of")) {
        rule->of_connection = true;
        return xro_parser_want(parser, "connection");
    }
    return true;
}

static bool parse_every(struct xro_parser *parser, struct xro_rule *rule)
{
    int64_t offset = 0;

    if (!xro_parser_count(parser, &rule->every))
        return false;
    if (xro_parser_accept(parser, "offset") &&
        !xro_parser_integer(parser, "an offset less than the number behind 'every'", 0, (int64_t)rule->every - 1,
                            &offset))
        return false;
    rule->offset = (uint64_t)offset;
    return parser->status == XRO_OK;
}

static bool parse_condition(struct xro_parser *parser, struct xro_rule *rule)
{
    if (xro_parser_accept(parser, "count"))
        return parse_range(parser, rule);
    if (xro_parser_accept(parser, "first"))
        return xro_parser_count(parser, &rule->to);
    if (xro_parser_accept(parser, "every"))
        return parse_every(parser, rule);
    if (xro_parser_accept(parser, "per"))
        return parse_scope(parser, rule);
    if (xro_parser_accept(parser, "path"))
        return xro_parser_text(parser, "a path or a pattern", &rule->path);
    if (xro_parser_accept(parser, "cgi"))
        return xro_parser_text(parser, "a pattern for what follows the path's '?'", &rule->cgi);
    if (xro_parser_accept(parser, "until"))
        return parse_time(parser, rule, &rule->until);
    if (xro_parser_accept(parser, "after"))
        return parse_time(parser, rule, &rule->after);
    if (xro_parser_accept(parser, "writing"))
        return rule->writing = true;
    return xro_parser_expected(parser, "a colon, another event, or a condition: count, first, every, per, path, cgi, "
                                       "until, after, writing");
}

bool xro_parse_rule(struct xro_parser *parser)
{
    struct xro_rule *rule;

    if (parser->server != NULL && parser->server->kind == XRO_SERVER_RELAY)
        return xro_parser_fail(parser, parser->token.line, 1, "a relay has no rules: it only passes bytes on");
    if (parser->script->rule_count == XRO_SCRIPT_RULES_MAX)
        return xro_parser_fail(parser, parser->token.line, 1, "more than %d rules", XRO_SCRIPT_RULES_MAX);
    rule = (struct xro_rule *)xro_parser_take(parser, sizeof *rule);
    if (rule == NULL)
        return false;
    *rule = (struct xro_rule){ .index = parser->script->rule_count++, .line = parser->token.line, .from = 1,
                               .to = UINT64_MAX, .until = XRO_NEVER };
    *parser->rule_end = rule;
    parser->rule_end = &rule->next;
    if (!parse_events(parser, rule))
        return false;
    while (parser->status == XRO_OK && parser->token.kind != XRO_TOKEN_COLON)
        if (!parse_condition(parser, rule))
            return false;
    return xro_parser_next(parser) && xro_parse_steps(parser, rule);
}
