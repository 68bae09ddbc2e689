/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporary files (NAME.tmp-PID, base/file.h) whose process was killed. A file that is being
 * written is locked by who writes it, on this machine or another, and has the number of a process
 * that is there; what has neither is removed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Locks a temporary file while it is open; where that cannot be had nothing is said. */
void ig_leftover_hold(int fd);
/* Removes what earlier processes have left of this very file; the number of them. */
int64_t ig_leftovers_of(const char *path);
/* The same of all files of a folder, not of those below it. */
int64_t ig_leftovers_in(const char *dir);
