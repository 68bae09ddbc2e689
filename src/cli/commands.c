/* SPDX-License-Identifier: Apache-2.0
 *
 * The program `isoglot` as cli/registry.h wants it: its name and its commands. `isoglot-bench` has
 * a list of its own (bench/commands.c), and what is linked with that leaves this file in the
 * library.
 */
#include "cli/commands.h"

#include "cli/registry.h"

const char *const ig_program_name = "isoglot";
const char *const ig_program_help =
    "'isoglot help COMMAND' or 'isoglot COMMAND --help' describes a command;\n"
    "'isoglot help exit-codes' lists the exit codes, 'isoglot help measures' the measures.\n"
    "isoglot computes on CPUs; its kernels for NVIDIA's cards (--device cuda) have not yet run on "
    "one.\n";

#define IG_COMMAND_ENTRY(name) &ig_cmd_##name,
const ig_command *const ig_commands[] = {IG_COMMANDS(IG_COMMAND_ENTRY)};
#undef IG_COMMAND_ENTRY
const int ig_n_command = (int)(sizeof ig_commands / sizeof *ig_commands);
