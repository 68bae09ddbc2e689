/* SPDX-License-Identifier: Apache-2.0
 *
 * A JSON value as a file: errors of reading have a line; a written file appears complete or not at
 * all.
 */
#pragma once

#include "base/file.h"
#include "isoglot/error.h"

#include <jansson.h>

/* Reads a whole file: IG_ERR_IO if it cannot be read, IG_ERR_INPUT with the line if it is not JSON
 * or has a key twice. *out is NULL after an error. */
ig_code ig_json_read(json_t **out, const char *path, ig_err *err);
/* Reads all numbers as reals: for files of programs whose integers have any size. */
ig_code ig_json_read_reals(json_t **out, const char *path, ig_err *err);

/* Writes j, indented, with a line end, and frees it. Numbers have at most `digits` digits; 17 reads
 * back as the same number. NULL, which jansson returns when memory runs out, is an error. */
ig_code ig_json_write(json_t *j, const char *path, int digits, ig_err *err);

/* Writes it to an open file, which stays open. */
ig_code ig_json_put(json_t *j, ig_out *out, int digits, ig_err *err);

/* A line of a file of JSON objects, one a line. */
typedef struct {
    const json_t *json; /* an object */
    const char *text;   /* [n] as it stands there, without its line end */
    int64_t n;
    const char *path;
    uint64_t number; /* from 1 */
} ig_json_record;
/* Calls `take` with each line; one that is no object, or has a key twice, is IG_ERR_INPUT. open:
 * the file may be growing, and what follows the last line end is not read; else it is an error. */
ig_code ig_json_lines(const char *path, bool open,
                      ig_code (*take)(void *arg, const ig_json_record *line, ig_err *err),
                      void *arg, ig_err *err);
