/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * run.h - what the files of `xrdopen run` share: run.c has options and order of things, run_rows.c makes the rows, and
 * run_loop.c takes the samples. */
#ifndef XRO_CLI_RUN_H
#define XRO_CLI_RUN_H

#include "cli/common.h"
#include "measure/lab.h"
#include "measure/station.h"
#include "report/report.h"
#include "report/tally.h"

#include <signal.h>

struct xro_run_options {
    struct xro_client_options client;
    uint64_t count, seed;
    double trim;
    unsigned fresh;             /* enum xro_fresh */
    unsigned format;            /* enum xro_format */
    bool seed_given, format_given, json, csv, percentiles, phases, verbose;
    const char *output, *targets, *label, *pin, *lab;
    struct xro_texts via;
};

struct xro_run_row {
    struct xro_job job;
    char *target, *label;       /* owned */
    const char *kind;           /* constant: local, xrootd, cmsd, "" */
    const char *server;         /* kernel name of its machine; "" when not known; not owned */
    size_t station;
    uint32_t station_row;       /* its number there */
    bool hinted;                /* the station has been told which libraries its samples need */
};

struct xro_run {
    struct xro_run_options *options;
    struct xro_run_row *rows;
    size_t row_count;
    struct xro_station *stations[XRO_TEXTS_MAX + 1];    /* the first is this machine; NULL: given up */
    const char *vias[XRO_TEXTS_MAX + 1];
    size_t station_count;
    struct xro_header *header;
    struct xro_tally *tally;
    struct xro_writer *writer;
    struct xro_counts counts;
    struct xro_lab lab;
    bool lab_started;           /* by us, so it is ours to take down */
    bool trouble;               /* something failed that was not a sample: exit code 1 at the end */
    bool missing;               /* an engine is not there: exit code 4 at the end */
};

/* Set by SIGINT and SIGTERM. */
extern volatile sig_atomic_t xro_run_stop;

/* Find or start the lab when it is NEEDED, or when the user names one, and take its variables. Before the stations: they
 * inherit these. An exit code. */
int xro_run_open_lab(struct xro_run *run, bool needed);

/* Start the stations: this machine, and each --via. One that cannot be had is said and left out. An exit code. */
int xro_run_open_stations(struct xro_run *run);

/* The rows: of TARGETS, of the targets file, or of the lab when there is neither. An exit code. */
int xro_run_make_rows(struct xro_run *run, char **targets, int count);

/* Take all samples, or those until the user stops it. */
void xro_run_take(struct xro_run *run);

#endif
