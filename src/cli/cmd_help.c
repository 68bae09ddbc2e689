/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot help: commands, one command, exit codes; and, for the installation, the manual page and
 * the shell completions.
 */
#include "cli/commands.h"

#include "cli/print/measure_table.h"
#include "cli/registry.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    bool man;
    int completion;
} help_config;

static const char *const shells[] = {"none", "bash", "zsh", "fish", NULL};

static const ig_option options[] = {
    {IG_FLAG(help_config, "man", man, NULL, "print the manual page (man 7 source)")},
    {IG_ENUM(help_config, "completion", completion, "none", shells,
             "print the completion script of a shell")},
};

static ig_code run_help(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const help_config *c = config;
    int n_used = 0;
    if (c->man) {
        ig_man_page(stdout);
        return IG_ERR_OK;
    }
    if (c->completion > 0) {
        ig_completion(stdout, shells[c->completion]);
        return IG_ERR_OK;
    }
    if (n_arg == 0) {
        ig_help_overview(stdout);
        return IG_ERR_OK;
    }
    if (n_arg == 1 && strcmp(arg[0], "exit-codes") == 0) {
        ig_help_exit_codes(stdout);
        return IG_ERR_OK;
    }
    if (n_arg == 1 && strcmp(arg[0], "measures") == 0) {
        ig_measure_list(stdout);
        return IG_ERR_OK;
    }
    const ig_command *found = ig_command_find(arg, n_arg, &n_used);
    if (found == NULL && n_arg == 1 && ig_help_group(stdout, arg[0]))
        return IG_ERR_OK;
    if (found == NULL || n_used != n_arg)
        return ig_command_unknown(arg, n_arg, err);
    ig_help_command(stdout, found);
    return IG_ERR_OK;
}

const ig_command ig_cmd_help = {
    .name = "help",
    .summary = "describe the commands, one command, the exit codes, or the measures",
    .args = "[COMMAND | exit-codes | measures]",
    .max_arg = 2,
    IG_COMMAND_OPTIONS(options, help_config),
    .run = run_help,
};
