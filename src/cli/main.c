/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * main.c - finds the command. `xrdopen URL` means `xrdopen once URL`, and under its 2005 name runxrdopen the executable means
 * `xrdopen run`. */
#include "base/clock.h"
#include "base/talk.h"
#include "cli/common.h"
#include "engine/engine.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

xro_ns xro_main_stamp;

static const struct {
    const struct xro_command *command;
    bool hidden;                /* for our own use */
} commands[] = {
    { &xro_command_once, false },    { &xro_command_run, false },   { &xro_command_report, false },
    { &xro_command_lab, false },     { &xro_command_imposter, false }, { &xro_command_selftest, false },
    { &xro_command_version, false },
    { &xro_command_completion, false },
    { &xro_command_sample, true },   { &xro_command_agent, true },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const struct xro_command *xro_command_at(size_t index)
{
    size_t seen = 0;

    for (size_t i = 0; i < COMMANDS; i++)
        if (!commands[i].hidden && seen++ == index)
            return commands[i].command;
    return NULL;
}

static const struct xro_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].command->name, name) == 0)
            return commands[i].command;
    return NULL;
}

static void print_help(FILE *to)
{
    const struct xro_command *command;

    fputs("usage: xrdopen [once] [options] URL|PATH\n"
          "       xrdopen COMMAND [options] ...\n"
          "Measures where the time of an open goes on XRootD servers.\n\ncommands:\n", to);
    for (size_t i = 0; (command = xro_command_at(i)) != NULL; i++)
        fprintf(to, "  %-12s%s\n", command->name, command->summary);
    fputs("\n`xrdopen COMMAND --help` says more, and so does the manual: xrdopen(1).\n", to);
}

static const struct xro_option *no_options(void)
{
    static const struct xro_option table[] = { { .name = NULL } };
    return table;
}

static int version_main(int argc, char **argv)
{
    int operands, code = xro_options_parse(&xro_command_version, no_options(), argc, argv, &operands);
    const struct xro_engine *engine;

    if (code >= 0)
        return code;
    printf("xrdopen %s\njansson %s\n", XRO_VERSION, jansson_version_str());
    for (size_t i = 0; (engine = xro_engine_at(i)) != NULL; i++)
        printf("engine %-9s %s%s%s\n", engine->name, engine->summary, engine->version() ? ", library " : "",
               engine->version() ? engine->version() : "");
    return xro_finish_output("version", XRO_EXIT_GOOD);
}

const struct xro_command xro_command_version = {
    .name = "version", .arguments = "", .summary = "Print the version, and which engines and libraries are there.",
    .main = version_main, .options = no_options,
};

static bool is_runxrdopen(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(slash ? slash + 1 : path, "runxrdopen") == 0;
}

/* A descriptor 0 to 2 that is closed would be taken by the next file or socket, and what is meant for it would go there. It
 * gets a /dev/null that is open the wrong way round, so that its use is the error that it would have been. */
static void keep_standard_descriptors(void)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };

    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            _exit(XRO_EXIT_FAILED);
}

int main(int argc, char **argv)
{
    const struct xro_command *command = NULL;

    xro_main_stamp = xro_clock_now();
    keep_standard_descriptors();
    xro_talk_keep();
    signal(SIGPIPE, SIG_IGN);   /* a closed standard output is an error to report, not a reason to die silently */
    if (argc > 0 && is_runxrdopen(argv[0]))
        return xro_command_run.main(argc, argv);
    if (argc < 2) {
        print_help(xro_talk());
        return XRO_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return xro_finish_output("help", XRO_EXIT_GOOD);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("xrdopen %s\n", XRO_VERSION);
        return xro_finish_output("version", XRO_EXIT_GOOD);
    }
    command = find_command(argv[1]);
    if (command == NULL)
        return xro_command_once.main(argc, argv);
    return command->main(argc - 1, argv + 1);
}
