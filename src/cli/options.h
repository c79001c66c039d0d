/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * options.h - one table of rows per command; the parser, --help and the shell completion all come from it, and a test
 * demands that the manual page says the same. */
#ifndef XRO_CLI_OPTIONS_H
#define XRO_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a command may exit with. xrdcp's 50 to 55 are never used. */
enum xro_exit {
    XRO_EXIT_GOOD = 0,
    XRO_EXIT_FAILED = 1,        /* an operation failed */
    XRO_EXIT_USAGE = 2,
    XRO_EXIT_BROKEN = 3,        /* a limit or comparison set by the user was broken */
    XRO_EXIT_MISSING = 4,       /* the environment lacks something */
    XRO_EXIT_INTERRUPTED = 130
};

enum xro_option_type {          /* what *target is */
    XRO_OPTION_FLAG,            /* bool: true when given */
    XRO_OPTION_TEXT,            /* const char *: the argument itself */
    XRO_OPTION_COUNT,           /* uint64_t: a whole number, at least 1 */
    XRO_OPTION_NUMBER,          /* uint64_t: a whole number, 0 allowed */
    XRO_OPTION_DURATION,        /* xro_ns, more than 0 */
    XRO_OPTION_SIZE,            /* uint64_t, bytes */
    XRO_OPTION_SHARE,           /* double in [0, 1) */
    XRO_OPTION_CHOICE,          /* unsigned: index into `choices` */
    XRO_OPTION_LIST             /* struct xro_texts: appended at each use */
};

enum { XRO_TEXTS_MAX = 64 };
struct xro_texts {
    const char *items[XRO_TEXTS_MAX];
    size_t count;
};

struct xro_option {
    const char *name;           /* long name, without the dashes; NULL ends the table */
    char letter;                /* short name, 0 for none */
    enum xro_option_type type;
    void *target;               /* where the value goes; holds the default before */
    const char *argument;       /* its name in --help, NULL for a flag */
    const char *const *choices; /* of a choice, NULL at the end */
    const char *help;           /* one line; the default is added to it */
    bool *given;                /* set to true when the option was used; may be NULL */
};

struct xro_command {
    const char *name;           /* "run" */
    const char *arguments;      /* "[TARGET...]" */
    const char *summary;        /* one line */
    const char *details;        /* further text for --help, may be NULL */
    int (*main)(int argc, char **argv);     /* argv[0] is the command's name; answers an enum xro_exit */
    const struct xro_option *(*options)(void);  /* the command's table with its defaults, for completion and tests */
};

/* Parse ARGV (from argv[1] on) by OPTIONS. Operands are moved to the front of ARGV and counted in *OPERANDS; "--" ends
 * the options. -h and --help print the help, --version the version, and answer
 * XRO_EXIT_GOOD; an error prints its message and answers
 * XRO_EXIT_USAGE; -1: go on. */
int xro_options_parse(const struct xro_command *command, const struct xro_option *options, int argc, char **argv,
                      int *operands);

void xro_options_help(FILE *to, const struct xro_command *command, const struct xro_option *options);

/* "xrdopen: COMMAND: " FORMAT "\n" on standard error. */
void xro_say(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flush standard output; XRO_EXIT_FAILED with a message when what was printed could not be written (disk full, closed),
 * else CODE. Every command ends with it. */
int xro_finish_output(const char *command, int code);

/* All commands, NULL past the last. */
const struct xro_command *xro_command_at(size_t index);

#endif
