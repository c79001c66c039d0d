/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * imposter.c - "xrdopen imposter SCRIPT": serve a script until told to stop. */
#include "base/url.h"
#include "cli/common.h"
#include "imposter/imposter.h"
#include "imposter/priority.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *port_file;
static struct xro_texts sets;
static bool exit_with_parent, no_spin, realtime, trace, check;
static xro_ns duration;

static const struct xro_option options[] = {
    { "port-file", 0, XRO_OPTION_TEXT, &port_file, "FILE", NULL,
      "write the servers' addresses to FILE once all listen", NULL },
    { "set", 0, XRO_OPTION_LIST, &sets, "NAME=VALUE", NULL,
      "give a variable of the script another value", NULL },
    { "duration", 0, XRO_OPTION_DURATION, &duration, "TIME", NULL,
      "end after this time", NULL },
    { "exit-with-parent", 0, XRO_OPTION_FLAG, &exit_with_parent, NULL, NULL,
      "end when standard input ends", NULL },
    { "no-spin", 0, XRO_OPTION_FLAG, &no_spin, NULL, NULL,
      "sleep to the end of each delay: less CPU, less accurate", NULL },
    { "realtime", 0, XRO_OPTION_FLAG, &realtime, NULL, NULL,
      "run before all ordinary processes (needs privileges)", NULL },
    { "trace", 0, XRO_OPTION_FLAG, &trace, NULL, NULL,
      "a line on standard error for each thing sent, with its stamps", NULL },
    { "check", 0, XRO_OPTION_FLAG, &check, NULL, NULL,
      "only read the script and say whether it is good", NULL },
    { NULL, 0, XRO_OPTION_FLAG, NULL, NULL, NULL, NULL, NULL },
};

static const char name[] = "imposter";
static int signal_pipe[2] = { -1, -1 };

/* --- script ----------------------------------------------------------------------------------------------------- */

/* The whole of FILE, "-" being standard input; NULL and a message when it cannot be read or is too long. */
static char *read_script(const char *file, size_t *length)
{
    FILE *from = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
    char *text = from != NULL ? (char *)malloc(XRO_SCRIPT_BYTES_MAX + 1) : NULL;

    if (text == NULL) {
        xro_say(name, "%s: cannot read: %s", file, strerror(errno));
    } else {
        *length = fread(text, 1, XRO_SCRIPT_BYTES_MAX + 1, from);
        if (ferror(from)) {
            xro_say(name, "%s: cannot read: %s", file, strerror(errno));
            free(text);
            text = NULL;
        }
    }
    if (from != NULL && from != stdin)
        fclose(from);
    return text;
}

/* "NAME=VALUE" cut in two; NAMES, copied, are the caller's to free. */
static bool split_sets(struct xro_script_setting settings[XRO_TEXTS_MAX], char *names[XRO_TEXTS_MAX])
{
    for (size_t i = 0; i < sets.count; i++) {
        const char *equals = strchr(sets.items[i], '=');
        if (equals == NULL || equals == sets.items[i]) {
            xro_say(name, "--set: '%s' will not do: it has to be NAME=VALUE", sets.items[i]);
            return false;
        }
        names[i] = strndup(sets.items[i], (size_t)(equals - sets.items[i]));
        if (names[i] == NULL) {
            xro_say(name, "--set: out of memory");
            return false;
        }
        settings[i] = (struct xro_script_setting){ .name = names[i], .value = equals + 1 };
    }
    return true;
}

static void say_error(const char *file, const struct xro_script_error *error)
{
    if (error->line > 0)
        xro_say(name, "%s:%u:%u: %s", file, error->line, error->column, error->text);
    else
        xro_say(name, "%s: %s", file, error->text);
}

static int load(const char *file, struct xro_script **script)
{
    struct xro_script_setting settings[XRO_TEXTS_MAX];
    char *names[XRO_TEXTS_MAX] = { NULL };
    struct xro_script_error error;
    size_t length = 0;
    char *text = split_sets(settings, names) ? read_script(file, &length) : NULL;
    int code = XRO_EXIT_USAGE;

    if (text != NULL) {
        enum xro_status status = xro_imposter_parse_with(text, length, settings, sets.count, script, &error);
        code = status == XRO_OK ? XRO_EXIT_GOOD : status == XRO_MEMORY ? XRO_EXIT_FAILED : XRO_EXIT_USAGE;
        if (status != XRO_OK)
            say_error(file, &error);
    }
    free(text);
    for (size_t i = 0; i < sets.count; i++)
        free(names[i]);
    return code;                /* the settings' values, which lie in argv, are part of the script from now on */
}

/* --- where it listens ------------------------------------------------------------------------------------------- */

static void print_places(FILE *to, const struct xro_imposter *imposter)
{
    char authority[XRO_HOST_SIZE + 16];
    struct xro_place place;

    for (size_t i = 0; xro_imposter_place(imposter, i, &place); i++) {
        xro_url_authority(place.host, place.port, authority, sizeof authority);
        fprintf(to, "%s %s root://%s/\n", place.name, authority, authority);
    }
}

/* Under another name first, so that whoever waits for the file sees it whole. */
static bool write_port_file(const struct xro_imposter *imposter)
{
    size_t length = strlen(port_file) + 32;
    char *temporary = (char *)malloc(length);
    FILE *to;
    bool good;

    if (temporary == NULL)
        return false;
    snprintf(temporary, length, "%s.%ld", port_file, (long)getpid());
    to = fopen(temporary, "we");
    good = to != NULL;
    if (good) {
        print_places(to, imposter);
        good = !ferror(to);
        good = fclose(to) == 0 && good && rename(temporary, port_file) == 0;
    }
    if (!good) {
        xro_say(name, "%s: cannot write: %s", port_file, strerror(errno));
        unlink(temporary);
    }
    free(temporary);
    return good;
}

/* --- running ---------------------------------------------------------------------------------------------------- */

static void on_signal(int number)
{
    int error = errno;
    ssize_t written = write(signal_pipe[1], "", 1);

    (void)number;
    (void)written;              /* full: it has been told already */
    errno = error;
}

static bool catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0;
}

static int serve(struct xro_imposter *imposter)
{
    print_places(stdout, imposter);
    if (xro_finish_output(name, XRO_EXIT_GOOD) != XRO_EXIT_GOOD || (port_file != NULL && !write_port_file(imposter)))
        return XRO_EXIT_FAILED;
    return xro_imposter_run(imposter) == 0 ? XRO_EXIT_INTERRUPTED : XRO_EXIT_GOOD;
}

static int open_and_serve(const char *file, const struct xro_script *script)
{
    struct xro_imposter_options settings = { .spin = !no_spin, .trace = trace, .duration = duration,
                                             .stop = { -1, -1 } };
    struct xro_imposter *imposter;
    struct xro_script_error error;
    enum xro_status status;
    int code;

    if (!catch_signals()) {
        xro_say(name, "%s: cannot catch signals: %s", file, strerror(errno));
        return XRO_EXIT_FAILED;
    }
    if (realtime && !xro_priority_realtime()) {
        xro_say(name, "--realtime: refused by the system: %s", strerror(errno));
        return XRO_EXIT_MISSING;
    }
    settings.stop[0] = signal_pipe[0];
    settings.stop[1] = exit_with_parent ? STDIN_FILENO : -1;
    status = xro_imposter_open(script, &settings, &imposter, &error);
    if (status != XRO_OK) {
        say_error(file, &error);
        return status == XRO_IO || status == XRO_RESOLVE ? XRO_EXIT_MISSING : XRO_EXIT_FAILED;
    }
    code = serve(imposter);
    xro_imposter_close(imposter);
    return code;
}

static int imposter_main(int argc, char **argv)
{
    struct xro_script *script = NULL;
    int operands, code = xro_options_parse(&xro_command_imposter, options, argc, argv, &operands);

    if (code >= 0)
        return code;
    if (operands != 1) {
        xro_say(name, operands == 0 ? "a SCRIPT is missing (see xrdopen imposter --help)" : "more than one SCRIPT");
        return XRO_EXIT_USAGE;
    }
    code = load(argv[0], &script);
    if (code == XRO_EXIT_GOOD && !check)
        code = open_and_serve(argv[0], script);
    xro_script_free(script);
    return code;
}

static const struct xro_option *imposter_options(void)
{
    return options;
}

const struct xro_command xro_command_imposter = {
    .name = name,
    .arguments = "SCRIPT",
    .summary = "be the XRootD servers that SCRIPT describes, with all their delays and faults",
    .details = "Prints a line \"NAME HOST:PORT URL\" for each address, once all listen. The language is described in "
               "xrdopen-imposter(5).",
    .main = imposter_main,
    .options = imposter_options,
};
