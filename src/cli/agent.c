/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * agent.c - `xrdopen agent`: the far end of `run --via`. */
#include "cli/common.h"
#include "measure/agent.h"

#include <unistd.h>

static const char *pin;

static const struct xro_option *agent_options(void)
{
    static const struct xro_option table[] = {
        { "pin", 0, XRO_OPTION_TEXT, &pin, "CPUS", NULL, "keep to these processors", NULL },
        { .name = NULL },
    };
    return table;
}

static int agent_main(int argc, char **argv)
{
    int operands, code = xro_options_parse(&xro_command_agent, agent_options(), argc, argv, &operands);

    return code >= 0 ? code : xro_agent_serve(STDIN_FILENO, STDOUT_FILENO, pin);
}

const struct xro_command xro_command_agent = {
    .name = "agent", .arguments = "", .summary = "Take samples as told on standard input (for xrdopen run --via).",
    .main = agent_main, .options = agent_options,
};
