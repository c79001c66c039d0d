/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parse_step.c - the steps of a rule: those that send are in parse_message.c, here are the others and what the list
 * as a whole has to keep. */
#include "imposter/parser.h"
#include "proto/xroot.h"

#include <string.h>

static bool parse_delay(struct xro_parser *parser, struct xro_step *step)
{
    if (!xro_parser_duration(parser, &step->delay))
        return false;
    for (;;) {
        if (xro_parser_accept(parser, "serial"))
            step->serial = true;
        else if (xro_parser_accept(parser, "per"))
            step->per_chunk = xro_parser_want(parser, "chunk");
        else
            return parser->status == XRO_OK;
    }
}

static bool parse_repeat(struct xro_parser *parser, struct xro_step *step)
{
    int64_t value;

    return !xro_parser_is_integer(parser, &value) || xro_parser_count(parser, &step->times);
}

static bool parse_nothing(struct xro_parser *parser, struct xro_step *step)
{
    (void)step;
    return parser->status == XRO_OK;
}

static bool parse_other(struct xro_parser *parser, struct xro_step *step)
{
    static const struct {
        const char *word;
        enum xro_step_kind kind;
        bool (*parse)(struct xro_parser *, struct xro_step *);
    } words[] = {
        { "delay", XRO_STEP_DELAY, parse_delay },      { "detach", XRO_STEP_DETACH, parse_nothing },
        { "repeat", XRO_STEP_REPEAT, parse_repeat },   { "ignore", XRO_STEP_IGNORE, parse_nothing },
        { "silence", XRO_STEP_SILENCE, parse_nothing }, { "deaf", XRO_STEP_DEAF, parse_nothing },
        { "shutdown", XRO_STEP_SHUTDOWN, parse_nothing }, { "close", XRO_STEP_CLOSE, parse_nothing },
        { "reset", XRO_STEP_RESET, parse_nothing },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (xro_parser_accept(parser, words[i].word)) {
            step->kind = words[i].kind;
            return words[i].parse(parser, step);
        }
    return xro_parser_expected(parser, "a step: answer, delay, wait, redirect, error, ok, piece, pieces, message, raw, "
                                       "close, ... (see xrdopen-imposter(5))");
}

/* Does the step answer the request, or end it? Messages of the server's own accord do neither. */
static bool settles(const struct xro_step *step)
{
    switch (step->kind) {
    case XRO_STEP_DELAY:
    case XRO_STEP_DETACH:
    case XRO_STEP_REPEAT:
        return false;
    case XRO_STEP_MESSAGE:
        return step->attn || step->code != XRO_KXR_ATTN;
    default:
        return true;
    }
}

static bool sends_or_waits(const struct xro_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind <= XRO_STEP_RAW || (steps[i].kind == XRO_STEP_DELAY && steps[i].delay > 0))
            return true;
    return false;
}

static bool may_follow(struct xro_parser *parser, const struct xro_step *steps, size_t count)
{
    if (count == XRO_SCRIPT_STEPS_MAX - 2)      /* two may be added below */
        return xro_parser_fail(parser, parser->token.line, parser->token.column, "more than %d steps in one rule",
                               XRO_SCRIPT_STEPS_MAX - 2);
    if (count > 0 && (steps[count - 1].kind == XRO_STEP_IGNORE || steps[count - 1].kind >= XRO_STEP_CLOSE))
        return xro_parser_expected(parser, "no step behind 'ignore', 'close' or 'reset'");
    if (count > 0 && steps[count - 1].kind == XRO_STEP_REPEAT && steps[count - 1].times == 0)
        return xro_parser_expected(parser, "no step behind a 'repeat' without a number");
    return true;
}

static bool parse_step(struct xro_parser *parser, struct xro_step *steps, size_t *count)
{
    struct xro_step *step = &steps[*count];
    bool known;

    if (!may_follow(parser, steps, *count))
        return false;
    *step = (struct xro_step){ .line = parser->token.line };
    if (!xro_parse_message(parser, step, &known) || (!known && !parse_other(parser, step)))
        return false;
    if (step->kind == XRO_STEP_REPEAT && !sends_or_waits(steps, *count))
        return xro_parser_expected(parser, "a step that sends or delays before 'repeat'");
    (*count)++;
    if (step->kind == XRO_STEP_MESSAGE && step->code == XRO_KXR_WAITRESP && !step->attn)
        steps[(*count)++] = (struct xro_step){ .kind = XRO_STEP_DETACH, .line = step->line };
    return true;
}

static bool next_step(struct xro_parser *parser)
{
    if (parser->token.kind != XRO_TOKEN_COMMA || !xro_parser_next(parser))
        return false;
    while (parser->status == XRO_OK && parser->token.kind == XRO_TOKEN_NEWLINE)
        xro_parser_next(parser);        /* a line may end behind a comma */
    return parser->status == XRO_OK;
}

bool xro_parse_steps(struct xro_parser *parser, struct xro_rule *rule)
{
    struct xro_step steps[XRO_SCRIPT_STEPS_MAX];
    size_t count = 0;
    bool settled = rule->events == XRO_EVENT_ACCEPT;

    do {
        if (!parse_step(parser, steps, &count))
            return false;
    } while (next_step(parser));
    if (parser->status != XRO_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        settled = settled || settles(&steps[i]);
    if (!settled && (steps[count - 1].kind != XRO_STEP_REPEAT || steps[count - 1].times > 0))
        steps[count++] = (struct xro_step){ .kind = XRO_STEP_ANSWER, .line = rule->line };
    rule->steps = (struct xro_step *)xro_parser_take(parser, count * sizeof *steps);
    if (rule->steps == NULL)
        return false;
    memcpy(rule->steps, steps, count * sizeof *steps);
    rule->step_count = count;
    return true;
}
