/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of a file of results of version 1, which named quantities in place of rows. They are read
 * for this version; `isoglot export FILE.jsonl` converts such a file.
 */
#pragma once

#include "store/store.h"

#include <jansson.h>

/* Appends the value of a line that has a "quantity", of the run `e`. */
ig_code ig_result_old_value(ig_row_set *rows, const json_t *j, const ig_store_entry *e,
                            ig_row_source from, ig_err *err);
/* Appends the layers of μ of a run's line: [low, high]. */
ig_code ig_result_old_layers(ig_row_set *rows, const json_t *both, int64_t step, ig_row_source from,
                             ig_err *err);
