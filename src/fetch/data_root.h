/* SPDX-License-Identifier: Apache-2.0
 *
 * The data root: experiment files name texts relative to one folder, which differs from machine to
 * machine. `isoglot fetch` writes there, `isoglot run` reads there.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>

/* `given` (an option --data; NULL: none), else the environment's ISOGLOT_DATA, else
 * $XDG_DATA_HOME/isoglot, else $HOME/.local/share/isoglot. Need not exist. Freed with ig_free. */
ig_code ig_data_root(char **root, const char *given, ig_err *err);

/* The same, and where nothing says it a folder that cannot be: only who looks for a file below it
 * (ig_data_find) gets the error. */
ig_code ig_data_root_if_any(char **root, const char *given, ig_err *err);
bool ig_data_root_is_none(const char *root);

/* `path` below the root; an absolute one and "-" stay as they are. Freed with ig_free. */
ig_code ig_data_path(char **out, const char *root, const char *path, ig_err *err);

/* Finds a file that must exist. If it does not, the error (IG_ERR_IO) names path and root, and its
 * hint the `isoglot fetch NAME` that downloads it, or how to set the data root. */
ig_code ig_data_find(char **out, const char *root, const char *path, ig_err *err);
