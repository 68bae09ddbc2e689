/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises files that this program wrote. A command replaces no other file at a path given by
 * the user (docs/formats.md): each file that ig_out_commit renames has a mark, the extended
 * attribute user.isoglot with its size and time, and a page names its generator.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>

/* In the head of every page. */
#define IG_PAGE_GENERATOR "<meta name=\"generator\" content=\"isoglot"

/* Marks an open file after all of it was written. Some file systems support no marks. */
void ig_written_mark(int fd);
/* Checks that writing a file would destroy nothing: there is no file, an empty one, or one of ours;
 * otherwise IG_ERR_IO. NULL and "-" are standard output. */
ig_code ig_written_check(const char *path, ig_err *err);
/* Checks all files in a folder, which need not exist, but not its subfolders. */
ig_code ig_written_check_all(const char *dir, ig_err *err);
/* --overwrite: from now on any file may be replaced. */
void ig_written_allow(bool all);
