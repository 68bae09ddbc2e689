/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a command with --json.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>
#include <stdio.h>

/* Prints j on standard output and frees it. NULL, what jansson gives when memory runs out or a
 * number is not finite, is an error. */
ig_code ig_json_print(json_t *j, ig_err *err);
/* One line of JSON Lines: writes j without line ends, and a line end, to fp (whose name is
 * `where`), and frees it; NULL as above. */
ig_code ig_json_line(json_t *j, FILE *fp, const char *where, ig_err *err);
/* A line for people: the key in so many columns, then what it has, of a list two numbers. Nothing
 * for an object. */
void ig_json_print_value(const char *key, int width, const json_t *v);
