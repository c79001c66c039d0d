/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * completion.c - `xrdopen completion`: the completion for bash, made from the same tables as parser and --help. */
#include "cli/common.h"

static const struct xro_option *no_options(void)
{
    static const struct xro_option table[] = { { .name = NULL } };
    return table;
}

static void print_options(const struct xro_option *option)
{
    for (; option->name != NULL; option++)
        printf(" --%s", option->name);
    fputs(" --help", stdout);
}

static int completion_main(int argc, char **argv)
{
    int operands, code = xro_options_parse(&xro_command_completion, no_options(), argc, argv, &operands);
    const struct xro_command *command;

    if (code >= 0)
        return code;
    fputs("# bash completion for xrdopen; made by `xrdopen completion`\n_xrdopen()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
          "    [[ ${COMP_WORDS[0]##*/} == runxrdopen ]] && command=run\n    case $command in\n", stdout);
    for (size_t i = 0; (command = xro_command_at(i)) != NULL; i++) {
        printf("    %s) words='", command->name);
        print_options(command->options());
        fputs("' ;;\n", stdout);
    }
    fputs("    *) words='", stdout);
    for (size_t i = 0; (command = xro_command_at(i)) != NULL; i++)
        printf(" %s", command->name);
    print_options(xro_command_once.options());
    fputs("' ;;\n    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"; compgen -f -- \"$current\")\n}\n"
          "complete -o filenames -F _xrdopen xrdopen runxrdopen\n", stdout);
    return xro_finish_output("completion", XRO_EXIT_GOOD);
}

const struct xro_command xro_command_completion = {
    .name = "completion", .arguments = "", .summary = "Print the completion for bash (source <(xrdopen completion)).",
    .main = completion_main, .options = no_options,
};
