/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that this program wrote. A command replaces no other file that stands where the user
 * asked it to write (docs/formats.md): each file that ig_out_commit puts into its place has a mark,
 * the extended attribute user.isoglot with its size and time, and a page says who made it.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>

/* In the head of every page. */
#define IG_PAGE_GENERATOR "<meta name=\"generator\" content=\"isoglot"

/* Marks an open file, all of which has been written. Some file systems keep no marks. */
void ig_written_mark(int fd);
/* Whether the file has a mark that still fits, or is a page of ours. */
bool ig_written_is_ours(const char *path);
/* Nothing is there that is lost when a file is written: no file, an empty one, or one of ours; else
 * IG_ERR_IO. NULL and "-" are standard output. */
ig_code ig_written_check(const char *path, ig_err *err);
/* The same for all files in a folder, which need not exist; not for folders in it. */
ig_code ig_written_check_all(const char *dir, ig_err *err);
/* --overwrite: from now on anything may be replaced. */
void ig_written_allow(bool all);
