/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of texts side by side, for `corpus world` and `corpus stats`.
 */
#pragma once

#include "corpus/read/text_stats.h"

#include <jansson.h>

/* A column a text on stdout. */
ig_code ig_stats_print(const char *const *name, const ig_text_stats *s, int n, ig_err *err);
/* {"NAME": {"tokens": …, …}, …}; owned by the caller, NULL: no memory. */
json_t *ig_stats_json(const char *const *name, const ig_text_stats *s, int n);
