/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporary files (NAME.tmp-PID, base/file.h) whose process was killed. A file being written is
 * locked by its writer, on this machine or another, and its name has the number of a living
 * process; a file with neither is removed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Locks a temporary file while it is open; failure is ignored. */
void ig_leftover_hold(int fd);
/* Removes files that earlier processes left for this path; returns their number. */
int64_t ig_leftovers_of(const char *path);
/* Removes those of all files of a folder, but not of its subfolders. */
int64_t ig_leftovers_in(const char *dir);
