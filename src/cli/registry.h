/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands as a list, the options that every command has, and what is printed about them: help,
 * manual page, shell completions. All of it comes from the commands' own tables.
 */
#pragma once

#include "base/settings/options.h"

#include <stdio.h>

/* Defined once in each program (cli/commands.c, bench/commands.c): its name, the lines below its
 * list of commands, and the list. */
extern const char *const ig_program_name, *const ig_program_help;
extern const ig_command *const ig_commands[];
extern const int ig_n_command;

/* Options of every command. */
typedef struct {
    bool help, quiet, verbose, progress, overwrite, ignore_extra;
} ig_common;
extern const ig_option_table ig_common_options;

/* The command whose name is word[0] or "word[0] word[1]"; *n_used is 1 or 2. NULL: none. */
const ig_command *ig_command_find(char *const *word, int n_word, int *n_used);
/* Says that there is no such command, with the nearest one or the second words that would do. */
ig_code ig_command_unknown(char *const *word, int n_word, ig_err *err);

void ig_help_overview(FILE *fp);
/* The commands that begin with this word; false: there is none, and nothing is printed. */
bool ig_help_group(FILE *fp, const char *first);
/* all: also options that a command with `usual` ones has beside them. */
void ig_help_command(FILE *fp, const ig_command *c, bool all);

/* Prints what the last of the words of a command line may become, for the scripts below. */
void ig_complete(FILE *fp, char *const *word, int n_word);
/* The script of a shell: "bash", "zsh" or "fish". */
void ig_completion(FILE *fp, const char *shell);
