/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * results.h - the results file: a header, one line per sample as it is taken, an end line; each line a JSON object.
 * xrdopen-results(5) describes it.
 *
 * The writer gives each line to the kernel whole as soon as it is there, so that a run that dies loses nothing it had;
 * the reader takes a line at a time, so that a file may be larger than the memory. */
#ifndef XRO_RECORD_RESULTS_H
#define XRO_RECORD_RESULTS_H

#include "base/clock.h"
#include "base/status.h"
#include "record/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XRO_RESULTS_SCHEMA "xrdopen-results"

enum {
    XRO_RESULTS_VERSION = 1,
    XRO_RESULTS_LINE_MAX = 1 << 20,     /* a longer line is left out and counted */
    XRO_HEADER_ROWS_MAX = 4096,
    XRO_WHY_SIZE = 512                  /* room for the words of what went wrong with a file */
};

/* --- the header -------------------------------------------------------------------------------------------------- */

struct xro_row {                /* a line of the table: target x engine x client host. Strings may be NULL for "" */
    char *label;
    char *client;               /* kernel name of the machine that it was taken on, such as "Linux" */
    char *client_host;
    char *server;               /* kernel name of the server's machine, "" where it is not known */
    char *engine;
    char *target;               /* URL or path */
    char *kind;                 /* local, xrootd, cmsd, or "" */
    char *via;                  /* the command in front of the client, "" for none */
};

struct xro_pair {
    char *name, *value;
};

struct xro_pairs {
    struct xro_pair *items;
    size_t count;
};

/* What was true for all samples of a run. Strings are owned by the header, never NULL in a created one; set them with
 * xro_header_set. */
struct xro_header {
    uint32_t version;           /* of the schema */
    char *command;              /* the command line */
    char *host, *sysname, *kernel;      /* names of this machine, of its operating system, and the release of that */
    char *cpu_model;
    uint32_t cpu_count;
    double load_average;        /* over one minute, before the run; negative: not known */
    xro_ns wall;                /* when the run began */
    xro_ns clock_step;          /* what the clock can tell apart */
    uint64_t clock_cost_ps;     /* of one reading */
    double harness_ns;          /* what one op of the null engine costs; 0: not measured */
    uint64_t seed;
    uint64_t planned;           /* samples per row; 0: not known */
    struct xro_pairs versions;  /* of xrdopen and of the libraries behind its engines */
    struct xro_pairs settings;  /* count, trim, fresh, timeout, pin, hosts view, XRD_* in force, ... as text */
    struct xro_row *rows;
    size_t row_count;
};

/* An empty header with all strings "". NULL when there is no memory. */
struct xro_header *xro_header_create(void);
void xro_header_close(struct xro_header *header);

/* Replace a string FIELD of a header by a copy of TEXT (NULL: ""). XRO_MEMORY leaves it as it was. */
enum xro_status xro_header_set(char **field, const char *text);

/* These take copies. A further setting of the same name replaces the first. */
enum xro_status xro_header_add_row(struct xro_header *header, const struct xro_row *row);
enum xro_status xro_header_add_setting(struct xro_header *header, const char *name, const char *value);
enum xro_status xro_header_add_version(struct xro_header *header, const char *name, const char *value);

/* The setting's value, NULL when there is none of that name. */
const char *xro_header_setting(const struct xro_header *header, const char *name);

/* Fill in this machine's facts and the clock's; takes about 5 ms, for the clock. What cannot be had stays empty. */
enum xro_status xro_header_fill_host(struct xro_header *header);

/* One line without newline, to be freed; NULL when there is no memory. Text that is no UTF-8 is escaped. */
char *xro_header_to_line(const struct xro_header *header);

/* XRO_INVALID: no header of ours; XRO_UNSUPPORTED: of a version higher than ours; *HEADER is NULL then. */
enum xro_status xro_header_from_line(const char *line, size_t length, struct xro_header **header);

struct xro_header *xro_header_copy(const struct xro_header *header);    /* NULL when there is no memory */

/* --- writing ----------------------------------------------------------------------------------------------------- */

struct xro_counts {             /* of samples, over all rows */
    uint64_t planned, taken, failed;
};

struct xro_writer;

/* Create the file, or empty it. On failure *WRITER is NULL and WHY says "PATH: cannot ...: ...". */
enum xro_status xro_writer_open(const char *path, struct xro_writer **writer, char *why, size_t why_size);

/* A LINE without newline; the newline is added, and both go out in one write. When that fails (disk full), the part
 * that went out is taken back where the file allows it, the file ends with the last whole line, and this and all later
 * calls answer XRO_IO without touching it again. */
enum xro_status xro_writer_line(struct xro_writer *writer, const char *line);

enum xro_status xro_writer_header(struct xro_writer *writer, const struct xro_header *header);

/* The end line: REASON is "complete", "interrupted" or another word. */
enum xro_status xro_writer_end(struct xro_writer *writer, const char *reason, const struct xro_counts *counts);

/* True once after a failure, with the words for it ("PATH: line 17: cannot write: No space left on device; the 15
 * samples before it are kept"); false when there was none or it has been told. */
bool xro_writer_complaint(struct xro_writer *writer, char *why, size_t why_size);

/* Close the file; XRO_IO when a line or the closing failed. NULL is allowed. */
enum xro_status xro_writer_close(struct xro_writer *writer);

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* What the reader met on its way; complete once xro_reader_next has answered XRO_CLOSED. Lines are counted from 1. */
struct xro_reader_facts {
    uint64_t line_count, sample_count;
    uint64_t unknown_count;     /* lines of a type that we do not know */
    uint64_t bad_count, first_bad_line;         /* neither JSON nor a sample that can be, or longer than allowed */
    uint64_t unbalanced_count, first_unbalanced_line;   /* samples taken whose phases do not add up to their total */
    bool cut;                   /* the file ends in the middle of a line */
    bool ended;                 /* there was an end line */
    char reason[32];            /* of the end, escaped */
    struct xro_counts counts;   /* of the end line */
};

struct xro_reader;

/* Open the file ("-": standard input) and read its header. Failed: *READER is NULL and WHY says "PATH: what: why". */
enum xro_status xro_reader_open(const char *path, struct xro_reader **reader, char *why, size_t why_size);

const struct xro_header *xro_reader_header(const struct xro_reader *reader);
const struct xro_reader_facts *xro_reader_facts(const struct xro_reader *reader);

/* The next sample; its row is one of the header's. XRO_CLOSED: no more of them; XRO_IO: reading failed, with errno;
 * XRO_INVALID: a second header, so the file is several in one. After any of these, call it no more. Lines that are not
 * understood are passed over and counted; SAMPLE is empty after any answer but XRO_OK. */
enum xro_status xro_reader_next(struct xro_reader *reader, struct xro_sample *sample);

/* Warnings of what was met, in words: the INDEX-th from 0, without the file's name; false past the last. */
bool xro_reader_warning(const struct xro_reader *reader, unsigned index, char *text, size_t size);

void xro_reader_close(struct xro_reader *reader);   /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
