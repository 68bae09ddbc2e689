/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a table that are JSON, an object a line.
 */
#pragma once

#include "task/task_internal.h"

#include <jansson.h>

/* Reads an object; released by the caller. */
ig_code ig_task_json_parse(json_t **out, const char *line, int64_t size,
                           const ig_line_reader *lines, ig_err *err);
/* Returns whether one of its texts is named as one of a pair. */
bool ig_task_json_is_pair(json_t *row);
/* Finds the values of the columns, which are the object's own or in the part's pool; NULL: none.
 * IG_ERR_INPUT: one is missing, or no text; `labels`: the label is needed too. */
ig_code ig_task_json_values(const char **value, json_t *row, const ig_task_part *part, bool labels,
                            const ig_line_reader *lines, ig_err *err);
