/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of a Markdown file that are made of results. Each stands between two lines,
 *
 *   <!-- isoglot report mini.yaml --results results/mini.jsonl --format markdown -->
 *   <!-- end -->
 *
 * the first of which is the command that prints it, as it is typed in the file's folder.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Words of a command, its name not counted. */
enum { IG_README_WORDS = 64 };

/* Prints the table of a command with these words; files are named from `dir`. */
typedef ig_code ig_readme_table_fn(FILE *fp, const char *dir, int argc, char **argv, ig_err *err);

/* Puts the tables of a file in place of what is between their lines; nothing else is changed, and
 * a file that has them already is left alone. check: nothing is written, and the first table that
 * is another is IG_ERR_INPUT with its line. A mark that is not as above is IG_ERR_INPUT, a command
 * that fails its own error with the line of its mark. */
ig_code ig_readme_tables(const char *path, bool check, ig_readme_table_fn *table, ig_err *err);

/* A path of a command as seen from here: "DIR/PATH" unless it is absolute. *path was made by
 * ig_alloc. */
ig_code ig_readme_path(char **path, const char *dir, ig_err *err);
