/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/options.h"

#include "base/talk.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

void xro_say(const char *command, const char *format, ...)
{
    va_list arguments;

    fprintf(xro_talk(), "xrdopen: %s: ", command);
    va_start(arguments, format);
    vfprintf(xro_talk(), format, arguments);
    va_end(arguments);
    fputc('\n', xro_talk());
}

int xro_finish_output(const char *command, int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    xro_say(command, "standard output: cannot write: %s", strerror(errno ? errno : EIO));
    return XRO_EXIT_FAILED;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* NULL when good, else what the argument has to be. */
static const char *set_choice(const struct xro_option *option, const char *text)
{
    for (unsigned i = 0; option->choices[i] != NULL; i++)
        if (strcmp(option->choices[i], text) == 0) {
            *(unsigned *)option->target = i;
            return NULL;
        }
    return "one of those that --help lists";
}

static const char *set_list(const struct xro_option *option, const char *text)
{
    struct xro_texts *texts = (struct xro_texts *)option->target;

    if (texts->count == XRO_TEXTS_MAX)
        return "given fewer times";
    texts->items[texts->count++] = text;
    return NULL;
}

static const char *set_value(const struct xro_option *option, const char *text)
{
    uint64_t *number = (uint64_t *)option->target;

    switch (option->type) {
    case XRO_OPTION_FLAG:
        *(bool *)option->target = true;
        return NULL;
    case XRO_OPTION_TEXT:
        *(const char **)option->target = text;
        return NULL;
    case XRO_OPTION_COUNT:
        return xro_parse_count(text, number) == XRO_OK && *number > 0 ? NULL : "a whole number of at least 1";
    case XRO_OPTION_NUMBER:
        return xro_parse_count(text, number) == XRO_OK ? NULL : "a whole number";
    case XRO_OPTION_DURATION:
        return xro_parse_duration(text, (xro_ns *)option->target) == XRO_OK && *(xro_ns *)option->target > 0
            ? NULL : "a duration of more than 0, such as 250us, 10ms, 2s, 1.5m (a bare number: seconds)";
    case XRO_OPTION_SIZE:
        return xro_parse_size(text, number) == XRO_OK ? NULL : "a size, such as 512, 4k, 1M";
    case XRO_OPTION_SHARE:
        return xro_parse_share(text, (double *)option->target) == XRO_OK ? NULL
            : "a share from 0 to less than 100%, such as 1% or 0.01";
    case XRO_OPTION_CHOICE:
        return set_choice(option, text);
    case XRO_OPTION_LIST:
        return set_list(option, text);
    }
    return "something else";
}

/* --- parsing ----------------------------------------------------------------------------------------------------- */

static const struct xro_option *find_long(const struct xro_option *options, const char *name, size_t length)
{
    for (; options->name != NULL; options++)
        if (strncmp(options->name, name, length) == 0 && options->name[length] == '\0')
            return options;
    return NULL;
}

static const struct xro_option *find_short(const struct xro_option *options, char letter)
{
    for (; options->name != NULL; options++)
        if (options->letter == letter)
            return options;
    return NULL;
}

static bool use(const struct xro_command *command, const struct xro_option *option, const char *text)
{
    const char *wanted = set_value(option, text);

    if (wanted != NULL) {
        xro_say(command->name, "--%s: '%s' will not do: it has to be %s", option->name, text, wanted);
        return false;
    }
    if (option->given != NULL)
        *option->given = true;
    return true;
}

struct arguments {
    const struct xro_command *command;
    const struct xro_option *options;
    int argc, at;
    char **argv;
};

/* The argument of OPTION: GLUED to it, or the next word. */
static bool take_argument(struct arguments *arguments, const struct xro_option *option, const char *glued)
{
    if (glued == NULL) {
        if (arguments->at + 1 >= arguments->argc) {
            xro_say(arguments->command->name, "--%s lacks its %s", option->name, option->argument);
            return false;
        }
        glued = arguments->argv[++arguments->at];
    }
    return use(arguments->command, option, glued);
}

static bool take_long(struct arguments *arguments, const char *word)
{
    size_t length = strcspn(word, "=");
    const struct xro_option *option = find_long(arguments->options, word, length);

    if (option == NULL) {
        xro_say(arguments->command->name, "unknown option --%.*s (see xrdopen %s --help)", (int)length, word,
                arguments->command->name);
        return false;
    }
    if (option->type != XRO_OPTION_FLAG)
        return take_argument(arguments, option, word[length] == '=' ? word + length + 1 : NULL);
    if (word[length] == '=') {
        xro_say(arguments->command->name, "--%s takes no argument", option->name);
        return false;
    }
    return use(arguments->command, option, "");
}

static bool take_short(struct arguments *arguments, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const struct xro_option *option = find_short(arguments->options, *letters);
        if (option == NULL) {
            xro_say(arguments->command->name, "unknown option -%c (see xrdopen %s --help)", *letters,
                    arguments->command->name);
            return false;
        }
        if (option->type != XRO_OPTION_FLAG)
            return take_argument(arguments, option, letters[1] != '\0' ? letters + 1 : NULL);
        if (!use(arguments->command, option, ""))
            return false;
    }
    return true;
}

int xro_options_parse(const struct xro_command *command, const struct xro_option *options, int argc, char **argv,
                      int *operands)
{
    struct arguments arguments = { .command = command, .options = options, .argc = argc, .argv = argv };
    bool only_operands = false;

    *operands = 0;
    for (arguments.at = 1; arguments.at < argc; arguments.at++) {
        char *word = argv[arguments.at];

        if (only_operands || word[0] != '-' || word[1] == '\0')
            argv[(*operands)++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (strcmp(word, "--version") == 0) {
            printf("xrdopen %s\n", XRO_VERSION);
            return xro_finish_output(command->name, XRO_EXIT_GOOD);
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            xro_options_help(stdout, command, options);
            return xro_finish_output(command->name, XRO_EXIT_GOOD);
        } else if (!(word[1] == '-' ? take_long(&arguments, word + 2) : take_short(&arguments, word + 1)))
            return XRO_EXIT_USAGE;
    }
    return -1;
}

/* --- help -------------------------------------------------------------------------------------------------------- */

static void print_default(FILE *to, const struct xro_option *option)
{
    char text[XRO_DURATION_SIZE];

    switch (option->type) {
    case XRO_OPTION_COUNT:
    case XRO_OPTION_NUMBER:
    case XRO_OPTION_SIZE:
        fprintf(to, " [%" PRIu64 "]", *(const uint64_t *)option->target);
        break;
    case XRO_OPTION_DURATION:
        if (*(const xro_ns *)option->target > 0)
            fprintf(to, " [%s]", xro_format_duration(*(const xro_ns *)option->target, text));
        break;
    case XRO_OPTION_SHARE:
        fprintf(to, " [%g%%]", 100 * *(const double *)option->target);
        break;
    case XRO_OPTION_CHOICE:
        fprintf(to, " [%s]", option->choices[*(const unsigned *)option->target]);
        break;
    case XRO_OPTION_TEXT:
        if (*(const char *const *)option->target != NULL)
            fprintf(to, " [%s]", *(const char *const *)option->target);
        break;
    case XRO_OPTION_FLAG:
    case XRO_OPTION_LIST:
        break;
    }
}

static void print_option(FILE *to, const struct xro_option *option)
{
    char letter[4] = { '-', option->letter, ',', '\0' }, left[80];

    snprintf(left, sizeof left, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "");
    fprintf(to, "%-30s", left);
    if (strlen(left) > 29)
        fprintf(to, "\n%30s", "");
    fputs(option->help, to);
    print_default(to, option);
    fputc('\n', to);
}

void xro_options_help(FILE *to, const struct xro_command *command, const struct xro_option *options)
{
    fprintf(to, "usage: xrdopen %s [options] %s\n%s\n", command->name, command->arguments, command->summary);
    if (options->name != NULL)
        fputs("\noptions:\n", to);
    for (const struct xro_option *option = options; option->name != NULL; option++)
        print_option(to, option);
    fputs("  -h, --help                  this text\n", to);
    if (command->details != NULL)
        fprintf(to, "\n%s\n", command->details);
}
