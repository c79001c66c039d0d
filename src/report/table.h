/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * table.h - the table of a run, or of several: all figures computed, all sentences made. Made by report/tally.h, never
 * changed after; the renderers print it and compute nothing. */
#ifndef XRO_REPORT_TABLE_H
#define XRO_REPORT_TABLE_H

#include "record/results.h"
#include "stats/summary.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What has figures: the ops of a sample, and the two times that its process cost before them. */
enum xro_metric {
    XRO_METRIC_START = XRO_SLOT_COUNT,  /* below: enum xro_slot */
    XRO_METRIC_LOAD,
    XRO_METRIC_COUNT
};

/* "first_open" ... "start", "load", for keys; "1st open" ..., for people. */
const char *xro_metric_name(enum xro_metric metric);
const char *xro_metric_title(enum xro_metric metric);

struct xro_table_row {
    struct xro_row about;       /* label: with host and file where rows would be mistaken for each other */
    uint64_t planned;           /* 0: not known */
    uint64_t taken, failed;     /* failed: of the taken; their values are in no figure */
    struct xro_summary figures[XRO_METRIC_COUNT];
    struct xro_summary phases[XRO_PHASE_COUNT];     /* of the first open, over all its hops */
};

struct xro_failure {            /* samples of one row that failed for one reason */
    size_t row;
    const char *slot;           /* "first_open" ..., "" outside any op */
    const char *place;          /* the phase, or what stands for it (record/error_text.h) */
    char reason[128];
    char example[512];          /* the first one, whole */
    uint64_t count;
};

/*  id         word            remedy */
#define XRO_WARNINGS(W)                                                                                              \
    W(FILE,     "file",         "")                                                                                  \
    W(BUSY,     "busy machine", "measure again when it is idle, or keep processors free for it with --pin")          \
    W(START,    "slow start",   "before main(), XRootD's libraries look up the names of all interface addresses; "   \
                                "where the resolver drops packets that takes seconds: give the process a hosts "     \
                                "file that knows them, or RES_OPTIONS=timeout:1")                                    \
    W(OUTLIERS, "outliers",     "they lift the average; go by the median, and look at the slowest samples with "     \
                                "xrdopen report FILE --csv")                                                         \
    W(PEAKS,    "two peaks",    "neither average nor median describes either; on one machine the scheduler's "       \
                                "choice of processor does this: compare with --pin")                                 \
    W(FIRST,    "slow first run", "caches were cold: warm the server up, or measure that on purpose with -n 1")      \
    W(DRIFT,    "drift",        "server or machine changed during the run: measure again, longer")

enum xro_warning_kind {
#define W(id, word, remedy) XRO_WARNING_##id,
    XRO_WARNINGS(W)
#undef W
    XRO_WARNING_KINDS
};

const char *xro_warning_word(enum xro_warning_kind kind);
const char *xro_warning_remedy(enum xro_warning_kind kind);     /* "" when there is none to give */

struct xro_warning {
    enum xro_warning_kind kind;
    char *text;                 /* what was seen, and where */
};

struct xro_table {
    double trim;
    struct xro_header **sources;        /* the headers of the runs, each a copy */
    size_t source_count;
    struct xro_table_row *rows;
    size_t row_count;
    struct xro_failure *failures;       /* by row, the most frequent first */
    size_t failure_count;
    uint64_t failure_rest;      /* failed samples whose reason found no room */
    struct xro_warning *warnings;       /* by kind */
    size_t warning_count;
};

void xro_table_close(struct xro_table *table);  /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
