/* SPDX-License-Identifier: Apache-2.0
 *
 * A JSON value as a file that appears complete or not at all.
 */
#ifndef IG_BASE_JSON_FILE_H
#define IG_BASE_JSON_FILE_H

#include "base/file.h"
#include "isoglot/error.h"

#include <jansson.h>

/* Writes j, indented, with a line end behind it, and frees it. Numbers have at most `digits`
 * digits; 17 reads back as the same number. NULL, what jansson gives when memory runs out, is an
 * error. */
ig_code ig_json_write(json_t *j, const char *path, int digits, ig_err *err);

/* The same into a file that is open already and stays so. */
ig_code ig_json_put(json_t *j, ig_out *out, int digits, ig_err *err);

#endif
