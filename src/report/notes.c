/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * notes.c - what stands below the figures: what they rest on, and what they do not show. */
#include "report/report.h"

#include "base/units.h"
#include "report/plain.h"

#include <inttypes.h>
#include <string.h>

enum { SCREEN = 120 };

static void put(FILE *to, const char *text)
{
    xro_put_plain(to, text, XRO_QUOTE_NONE);
}

/* --- counts and failures ----------------------------------------------------------------------------------------- */

static bool is_as_planned(const struct xro_table_row *row)
{
    return row->failed == 0 && row->taken == row->planned;
}

/* The count that every row was planned with; 0 when it differs or is not known. */
static uint64_t common_plan(const struct xro_table *table)
{
    for (size_t i = 1; i < table->row_count; i++)
        if (table->rows[i].planned != table->rows[0].planned)
            return 0;
    return table->row_count > 0 ? table->rows[0].planned : 0;
}

static void put_count(FILE *to, const struct xro_table_row *row)
{
    fputs("  ", to);
    put(to, row->about.label);
    fputs(": ", to);
    if (row->planned > 0)
        fprintf(to, "%" PRIu64 " planned, ", row->planned);
    fprintf(to, "%" PRIu64 " taken, %" PRIu64 " failed\n", row->taken, row->failed);
}

/* Rows that went as planned are passed over where one sentence says it for them. */
static void put_counts(FILE *to, const struct xro_table *table)
{
    uint64_t plan = common_plan(table);
    size_t others = 0;

    for (size_t i = 0; i < table->row_count; i++)
        others += plan == 0 || !is_as_planned(&table->rows[i]);
    if (plan == 0)
        fputs("samples:\n", to);
    else
        fprintf(to, "samples:  %" PRIu64 " planned in each row%s\n", plan,
                others == 0 ? ", all taken, none failed"
                : others < table->row_count ? ", all taken and none failed but in" : "");
    for (size_t i = 0; i < table->row_count; i++)
        if (plan == 0 || !is_as_planned(&table->rows[i]))
            put_count(to, &table->rows[i]);
}

static void put_failures(FILE *to, const struct xro_table *table)
{
    if (table->failure_count > 0)
        fputs("failures (no value of a failed sample is in any figure):\n", to);
    for (size_t i = 0; i < table->failure_count; i++) {
        const struct xro_failure *failure = &table->failures[i];
        if (i == 0 || failure->row != table->failures[i - 1].row) {
            fputs("  ", to);
            put(to, table->rows[failure->row].about.label);
            fputs(":\n", to);
        }
        fprintf(to, "    %6" PRIu64 "  %s%s%s: ", failure->count, failure->slot, failure->slot[0] ? ", " : "",
                failure->place);
        put(to, failure->reason);
        fputs("\n            such as: ", to);
        put(to, failure->example);
        fputc('\n', to);
    }
    if (table->failure_rest > 0)
        fprintf(to, "  and %" PRIu64 " for reasons not listed here\n", table->failure_rest);
}

/* --- machines ---------------------------------------------------------------------------------------------------- */

static void put_machine(FILE *to, const struct xro_header *header)
{
    fputs("machine:  ", to);
    put(to, header->host);
    fputs(": ", to);
    put(to, header->sysname);
    fputc(' ', to);
    put(to, header->kernel);
    if (header->cpu_count > 0)
        fprintf(to, ", %" PRIu32 " processor%s", header->cpu_count, header->cpu_count > 1 ? "s" : "");
    if (header->cpu_model[0] != '\0') {
        fputs(", ", to);
        put(to, header->cpu_model);
    }
    if (header->load_average >= 0)
        fprintf(to, ", load %.2f", header->load_average);
    fputc('\n', to);
}

static void put_clock(FILE *to, const struct xro_header *header)
{
    fprintf(to, "clock:    resolution %" PRIu64 " ns, a reading costs %.1f ns", header->clock_step,
            (double)header->clock_cost_ps / 1000);
    if (header->harness_ns > 0)
        fprintf(to, "; the harness costs %.0f ns per operation (null engine)", header->harness_ns);
    fputc('\n', to);
}

/* Pairs behind a title of ten columns, in lines that fit the screen. */
static void put_pairs(FILE *to, const char *title, const struct xro_pairs *pairs, const char *between)
{
    size_t used = 10;

    if (pairs->count == 0)
        return;
    fputs(title, to);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct xro_pair *pair = &pairs->items[i];
        size_t width = xro_plain_width(pair->name) + xro_plain_width(pair->value) + 3;
        if (i > 0)
            fputs(used + width > SCREEN ? ",\n          " : ", ", to);
        used = i > 0 && used + width > SCREEN ? 10 + width : used + width;
        put(to, pair->name);
        fputs(between, to);
        put(to, pair->value);
    }
    fputc('\n', to);
}

static void put_sources(FILE *to, const struct xro_table *table)
{
    for (size_t i = 0; i < table->source_count; i++) {
        const struct xro_header *header = table->sources[i];
        put_machine(to, header);
        put_clock(to, header);
        put_pairs(to, "versions: ", &header->versions, " ");
        put_pairs(to, "settings: ", &header->settings, "=");
    }
}

/* --- warnings ---------------------------------------------------------------------------------------------------- */

/* Words of ours in lines that fit the screen, the later ones indented. */
static void put_wrapped(FILE *to, const char *words, size_t used, int indent)
{
    bool first = true;

    for (size_t length; *words != '\0'; words += length + strspn(words + length, " ")) {
        length = strcspn(words, " ");
        if (!first && used + 1 + length > SCREEN) {
            fprintf(to, "\n%*s", indent, "");
            used = (size_t)indent;
        } else if (!first) {
            fputc(' ', to);
            used++;
        }
        fwrite(words, 1, length, to);
        used += length;
        first = false;
    }
}

static void put_kind(FILE *to, enum xro_warning_kind kind)
{
    const char *remedy = xro_warning_remedy(kind);
    int n = fprintf(to, "warning:  %s%s", xro_warning_word(kind), remedy[0] ? ": " : "");

    put_wrapped(to, remedy, n > 0 ? (size_t)n : 0, 10);
    fputc('\n', to);
}

static void put_warnings(FILE *to, const struct xro_table *table)
{
    for (size_t i = 0; i < table->warning_count; i++) {
        const struct xro_warning *warning = &table->warnings[i];
        if (i == 0 || warning->kind != table->warnings[i - 1].kind)
            put_kind(to, warning->kind);
        fputs("    ", to);
        put(to, warning->text);
        fputc('\n', to);
    }
}

void xro_render_notes(FILE *to, const struct xro_table *table)
{
    if (table->trim > 0)
        fprintf(to, "Microseconds. Average and median are of what is left when the highest %g%% of a column's values are "
                "dropped.\n", 100 * table->trim);
    else
        fputs("Microseconds. No value is dropped.\n", to);
    put_counts(to, table);
    put_failures(to, table);
    put_sources(to, table);
    put_warnings(to, table);
}
