/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/common.h"

#include "base/units.h"
#include "wire/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const xro_tls_mode_names[] = { "allow", "require", "off", NULL };

static int find_engine(const char *command, const char *name, const char *target, struct xro_job *job)
{
    const struct xro_url *url = &job->settings.url;

    job->engine = name ? xro_engine_find(name) : xro_engine_default(url);
    if (job->engine == NULL) {
        xro_say(command, "%s: unknown engine '%s' (local, wire, xrdcl, xrdposix and null are known)", target, name);
        return XRO_EXIT_USAGE;
    }
    if (url->scheme == XRO_SCHEME_FILE && job->engine != &xro_engine_local && job->engine != &xro_engine_null) {
        xro_say(command, "%s: a local path is measured with the engine local, not with %s", target, job->engine->name);
        return XRO_EXIT_USAGE;
    }
    if (url->scheme != XRO_SCHEME_FILE && job->engine == &xro_engine_local) {
        xro_say(command, "%s: the engine local measures paths, not URLs", target);
        return XRO_EXIT_USAGE;
    }
    return XRO_EXIT_GOOD;
}

/* XRootD's own variables, as its client understands them; what is given on the command line goes before. */
static void apply_environment(const struct xro_client_options *options, struct xro_settings *settings)
{
    const char *stack = getenv("XRD_NETWORKSTACK"), *prefer = getenv("XRD_PREFERIPV4");
    const char *window = getenv("XRD_CONNECTIONWINDOW"), *request = getenv("XRD_REQUESTTIMEOUT");
    uint64_t number;

    if (settings->family == XRO_FAMILY_ANY && stack != NULL) {
        if (strcasecmp(stack, "IPv4") == 0)
            settings->family = XRO_FAMILY_V4;
        else if (strcasecmp(stack, "IPv6") == 0)
            settings->family = XRO_FAMILY_V6;
    }
    if (prefer != NULL && xro_parse_count(prefer, &number) == XRO_OK)
        settings->prefer_v4 = number != 0;
    if (!options->connect_timeout_given && window != NULL && xro_parse_count(window, &number) == XRO_OK && number > 0)
        settings->connect_timeout = number < 1000000 ? number * XRO_NS_PER_S : XRO_NEVER;
    if (!options->timeout_given && request != NULL && xro_parse_count(request, &number) == XRO_OK && number > 0)
        settings->timeout = number < 1000000 ? number * XRO_NS_PER_S : 1000000 * XRO_NS_PER_S;
}

/* The table of --resolve, from all its uses. */
static int join_hosts(const char *command, struct xro_client_options *options)
{
    size_t used = 0;

    options->hosts[0] = '\0';
    for (size_t i = 0; i < options->resolve.count; i++) {
        const char *text = options->resolve.items[i], *wrong = xro_hosts_check(text);
        if (wrong == NULL && strpbrk(text, " ;") != NULL)
            wrong = "it has a blank or a semicolon";
        if (wrong == NULL && strlen(text) + 2 > sizeof options->hosts - used)
            wrong = "there are too many of them";
        if (wrong != NULL) {
            xro_say(command, "--resolve: '%s' will not do: %s", text, wrong);
            return XRO_EXIT_USAGE;
        }
        used += (size_t)snprintf(options->hosts + used, sizeof options->hosts - used, "%s%s", used ? ";" : "", text);
    }
    return XRO_EXIT_GOOD;
}

int xro_job_make(const char *command, struct xro_client_options *options, const char *engine, const char *target,
                 struct xro_job *job)
{
    struct xro_settings *settings = &job->settings;
    const char *wrong;

    *job = (struct xro_job){ .settings = { .target = target, .timeout = options->timeout,
                                           .connect_timeout = options->connect_timeout, .pipeline = options->pipeline } };
    if (options->v4 && options->v6) {
        xro_say(command, "-4 and -6 exclude each other");
        return XRO_EXIT_USAGE;
    }
    settings->family = options->v4 ? XRO_FAMILY_V4 : options->v6 ? XRO_FAMILY_V6 : XRO_FAMILY_ANY;
    if (join_hosts(command, options) != XRO_EXIT_GOOD)
        return XRO_EXIT_USAGE;
    settings->hosts = options->hosts;
    settings->tls = (enum xro_tls_mode)options->tls;
    settings->ca = options->ca;
    settings->tls_resume = options->tls_resume;
    if (options->ca != NULL && (options->ca[0] == '\0' || strpbrk(options->ca, " \t\n") != NULL)) {
        xro_say(command, "--ca: '%s' will not do: a path without blanks is wanted", options->ca);
        return XRO_EXIT_USAGE;
    }
    wrong = xro_url_parse(target, &settings->url);
    if (wrong != NULL) {
        xro_say(command, "%s: this target will not do: %s", target, wrong);
        return XRO_EXIT_USAGE;
    }
    apply_environment(options, settings);
    return find_engine(command, engine ? engine : options->engine, target, job);
}

bool xro_job_variable(const struct xro_job *job, unsigned index, char *text, size_t size)
{
    static const char *const wire[] = { "XRD_NETWORKSTACK", "XRD_PREFERIPV4", "XRD_CONNECTIONWINDOW", "XRD_REQUESTTIMEOUT" };
    extern char **environ;
    unsigned found = 0;

    if (job->engine == &xro_engine_wire)
        for (size_t i = 0; i < sizeof wire / sizeof *wire; i++)
            if (getenv(wire[i]) != NULL && found++ == index) {
                snprintf(text, size, "%s=%s", wire[i], getenv(wire[i]));
                return true;
            }
    /* XrdCl reads every XRD_ variable itself. */
    if (job->engine == &xro_engine_xrdcl || job->engine == &xro_engine_xrdposix)
        for (char **variable = environ; *variable != NULL; variable++)
            if (strncmp(*variable, "XRD_", 4) == 0 && found++ == index) {
                snprintf(text, size, "%s", *variable);
                return true;
            }
    return false;
}

int xro_exit_for(const struct xro_error *error)
{
    return error->status == XRO_MISSING ? XRO_EXIT_MISSING : error->status == XRO_INTERRUPTED ? XRO_EXIT_INTERRUPTED
                                                                                               : XRO_EXIT_FAILED;
}
