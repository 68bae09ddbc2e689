/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks for the files of a folder.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Room for a path. */
enum { IG_PATH = 4096 };
/* DIR/NAME, the name written as printf does. One that is too long is IG_ERR_IO. */
ig_code ig_folder_path(char path[IG_PATH], const char *dir, ig_err *err, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
/* DIR/NAME is there. */
bool ig_folder_has(const char *dir, const char *name);
/* DIR/NAME as a JSON object, owned by the caller. */
ig_code ig_folder_json(json_t **j, const char *dir, const char *name, ig_err *err);
/* Writes it as ig_json_write does, and frees j. */
ig_code ig_folder_json_write(json_t *j, const char *dir, const char *name, int digits, ig_err *err);
