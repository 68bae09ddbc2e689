/* SPDX-License-Identifier: Apache-2.0
 *
 * The program `isoglot-bench`: src/cli/main.c with this list of commands.
 */
#include "bench/commands.h"

#include "cli/registry.h"

const char *const ig_program_name = "isoglot-bench";
const char *const ig_program_help = "'isoglot-bench COMMAND --help' describes a command.\n";

const ig_command *const ig_commands[] = {&ig_cmd_bench_gemm, &ig_cmd_bench_ops,
                                         &ig_cmd_bench_spaces, &ig_cmd_bench_train};
const int ig_n_command = (int)(sizeof ig_commands / sizeof *ig_commands);
