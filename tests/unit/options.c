/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * options.c - the option table: each type's good and bad arguments, operands, the ends, and what --help says of it. */
#include "base/clock.h"
#include "cli/options.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static struct values {
    bool verbose, quiet, count_given;
    const char *text;
    uint64_t count, number, size;
    xro_ns duration;
    double share;
    unsigned choice;
    struct xro_texts list;
} values;

static const char *const choices[] = { "table", "csv", "json", NULL };

static const struct xro_option table[] = {
    { "verbose", 'v', XRO_OPTION_FLAG, &values.verbose, NULL, NULL, "Say more.", NULL },
    { "quiet", 'q', XRO_OPTION_FLAG, &values.quiet, NULL, NULL, "Say less.", NULL },
    { "output", 'o', XRO_OPTION_TEXT, &values.text, "FILE", NULL, "Where to.", NULL },
    { "count", 'n', XRO_OPTION_COUNT, &values.count, "N", NULL, "How many.", &values.count_given },
    { "number", 0, XRO_OPTION_NUMBER, &values.number, "N", NULL, "Which.", NULL },
    { "timeout", 't', XRO_OPTION_DURATION, &values.duration, "TIME", NULL, "How long.", NULL },
    { "size", 0, XRO_OPTION_SIZE, &values.size, "BYTES", NULL, "How large.", NULL },
    { "trim", 0, XRO_OPTION_SHARE, &values.share, "SHARE", NULL, "How much.", NULL },
    { "format", 'f', XRO_OPTION_CHOICE, &values.choice, "table|csv|markdown|json", choices, "Which form.", NULL },
    { "label", 0, XRO_OPTION_LIST, &values.list, "TEXT", NULL, "A label.", NULL },
    { .name = NULL },
};

static const struct xro_command command = {
    .name = "test", .arguments = "[TARGET...]", .summary = "Tests.", .details = "More about it.",
};

static void reset(void)
{
    values = (struct values){ .count = 10000, .number = 7, .duration = 30 * XRO_NS_PER_S, .size = 4096, .share = 0.01 };
}

/* LINE split at blanks is parsed; its operands go to OPERANDS, each followed by '|'. What is said goes to SAID. */
static int parse(const char *line, char *operands, char said[1024])
{
    static char words[1024];
    char *argv[80], *save = NULL;
    int argc = 1, count, code, kept = dup(STDERR_FILENO), fds[2];
    ssize_t n;

    argv[0] = words;
    snprintf(words, sizeof words, "test %s", line);
    argv[0] = strtok_r(words, " ", &save);
    while ((argv[argc] = strtok_r(NULL, " ", &save)) != NULL)
        if (strcmp(argv[argc++], "''") == 0)
            argv[argc - 1][0] = '\0';
    assert_int_equal(pipe(fds), 0);
    dup2(fds[1], STDERR_FILENO);
    code = xro_options_parse(&command, table, argc, argv, &count);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(fds[1]);
    n = read(fds[0], said, 1023);
    said[n > 0 ? n : 0] = '\0';
    close(fds[0]);
    operands[0] = '\0';
    for (int i = 0; code == -1 && i < count; i++)
        strcat(strcat(operands, argv[i]), "|");
    return code;
}

static void good(const char *line, const char *expected_operands)
{
    char operands[1024], said[1024];

    reset();
    if (parse(line, operands, said) != -1)
        fail_msg("'%s': %s", line, said);
    assert_string_equal(operands, expected_operands);
    assert_string_equal(said, "");
}

static void each_type(void **state)
{
    (void)state;
    good("", "");
    assert_true(values.count == 10000 && values.duration == 30 * XRO_NS_PER_S && !values.verbose && !values.count_given);
    good("-v", "");
    assert_true(values.verbose && !values.quiet);
    good("-vq", "");
    assert_true(values.verbose && values.quiet);
    good("--verbose --quiet", "");
    assert_true(values.verbose && values.quiet);
    good("-o file", "");
    assert_string_equal(values.text, "file");
    good("-ofile", "");
    assert_string_equal(values.text, "file");
    good("-vofile", "");
    assert_true(values.verbose);
    assert_string_equal(values.text, "file");
    good("--output=a=b", "");
    assert_string_equal(values.text, "a=b");
    good("--output --verbose", "");                     /* an argument may look like an option */
    assert_string_equal(values.text, "--verbose");
    assert_false(values.verbose);
    good("--output=", "");
    assert_string_equal(values.text, "");
    good("-n 5", "");
    assert_true(values.count == 5 && values.count_given);
    good("--count=18446744073709551615", "");
    assert_true(values.count == UINT64_MAX);
    good("--number 0", "");
    assert_true(values.number == 0);
    good("-t 10ms", "");
    assert_true(values.duration == 10 * XRO_NS_PER_MS);
    good("--size 4k", "");
    assert_true(values.size == 4096);
    good("--trim 5%", "");
    assert_true(values.share > 0.0499 && values.share < 0.0501);
    good("--trim=0", "");
    assert_true(values.share < 1e-9);
    good("-f json", "");
    assert_int_equal(values.choice, 2);
    good("--format table", "");
    assert_int_equal(values.choice, 0);
    good("--label a --label=b", "");
    assert_int_equal(values.list.count, 2);
    assert_string_equal(values.list.items[1], "b");
    good("-n 5 -n 6", "");                              /* the last one counts */
    assert_true(values.count == 6);
}

static void operands(void **state)
{
    (void)state;
    good("a b c", "a|b|c|");
    good("a -v b", "a|b|");
    assert_true(values.verbose);
    good("- a", "-|a|");
    good("-- -v --count", "-v|--count|");
    assert_false(values.verbose);
    good("a -- -- b", "a|--|b|");
    good("-n 3 a -o x b -v", "a|b|");
    assert_true(values.verbose && values.count == 3);
    good("'' a", "|a|");
}

static void bad(void **state)
{
    static const struct { const char *line, *said; } cases[] = {
        { "--nope", "unknown option --nope" },      { "--nope=1", "unknown option --nope " },
        { "--verb", "unknown option --verb " },     { "--verboser", "unknown option --verboser" },
        { "--=x", "unknown option -- " },           { "-x", "unknown option -x" },
        { "-vx", "unknown option -x" },             { "--verbose=1", "takes no argument" },
        { "-n", "--count lacks its N" },            { "--count", "--count lacks its N" },
        { "a b --output", "--output lacks its FILE" },
        { "-n 0", "'0' will not do" },              { "-n -1", "'-1' will not do" },
        { "-n ten", "at least 1" },                 { "--count=", "'' will not do" },
        { "--count=1.5", "a whole number" },        { "--count=18446744073709551616", "a whole number" },
        { "--number=-1", "a whole number" },        { "-t 0", "more than 0" },
        { "-t 10", NULL },                          { "-t 10x", "a duration" },
        { "-t -1s", "a duration" },                 { "-t ''", "a duration" },
        { "--size 1q", "a size" },                  { "--trim 100%", "less than 100%" },
        { "--trim=1", "less than 100%" },           { "--trim=-1%", "less than 100%" },
        { "-f xml", "one of those" },               { "-f ''", "one of those" },
        { "-f Table", "one of those" },             { "-v -n", "lacks" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char taken[1024], said[1024];
        int code;
        reset();
        code = parse(cases[i].line, taken, said);
        if (cases[i].said == NULL) {
            assert_int_equal(code, -1);
            continue;
        }
        if (code != XRO_EXIT_USAGE || strstr(said, cases[i].said) == NULL)
            fail_msg("'%s': exit %d, and says: %s", cases[i].line, code, said);
        assert_int_equal(strncmp(said, "xrdopen: test: ", 15), 0);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);  /* one line */
        assert_false(values.count_given);
    }
}

static void a_list_is_bounded(void **state)
{
    char line[1024] = "", taken[1024], said[1024];

    (void)state;
    reset();
    values.list.count = XRO_TEXTS_MAX - 1;
    snprintf(line, sizeof line, "--label a");
    assert_int_equal(parse(line, taken, said), -1);
    assert_int_equal(parse(line, taken, said), XRO_EXIT_USAGE);
    assert_int_equal(values.list.count, XRO_TEXTS_MAX);
}

static void help(void **state)
{
    static const char *const lines[] = {
        "usage: xrdopen test [options] [TARGET...]\n", "Tests.\n", "  -v, --verbose               Say more.\n",
        "  -o, --output FILE           Where to.\n", "  -n, --count N               How many. [10000]\n",
        "      --number N              Which. [7]\n", "  -t, --timeout TIME          How long. [30.0s]\n",
        "      --size BYTES            How large. [4096]\n", "      --trim SHARE            How much. [1%]\n",
        "  -f, --format table|csv|markdown|json\n                              Which form. [table]\n",
        "      --label TEXT            A label.\n", "  -h, --help                  this text\n", "\nMore about it.\n",
    };
    char *text = NULL;
    const char *at;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    (void)state;
    reset();
    xro_options_help(to, &command, table);
    fclose(to);
    at = text;
    for (size_t i = 0; i < LENGTH(lines); i++) {
        at = strstr(at, lines[i]);
        if (at == NULL)
            fail_msg("--help lacks, or has out of order: %s\n%s", lines[i], text);
    }
    free(text);
}

/* --help and -h print to standard output and end well; with a closed or full one, they say so. */
static void help_is_an_answer(void **state)
{
    char taken[1024], said[1024];
    int kept, full;

    (void)state;
    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    full = open("/dev/null", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    close(full);
    assert_int_equal(parse("-h --nope", taken, said), XRO_EXIT_GOOD);
    assert_int_equal(parse("--help", taken, said), XRO_EXIT_GOOD);
    full = open("/dev/full", O_WRONLY);
    if (full >= 0) {
        dup2(full, STDOUT_FILENO);
        close(full);
        assert_int_equal(parse("--help", taken, said), XRO_EXIT_FAILED);
        assert_non_null(strstr(said, "cannot write"));
        clearerr(stdout);
    }
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type), cmocka_unit_test(operands), cmocka_unit_test(bad), cmocka_unit_test(a_list_is_bounded),
        cmocka_unit_test(help), cmocka_unit_test(help_is_an_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
