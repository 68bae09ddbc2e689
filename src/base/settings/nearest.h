/* SPDX-License-Identifier: Apache-2.0
 *
 * What might have been meant (ig_nearest: options.h).
 */
#pragma once

#include "isoglot/error.h"

/* Adds to a filled error the hint at the candidate nearest to `word`, where there is one, else
 * `otherwise` (NULL: none). Returns the error's code (IG_ERR_USAGE where err is NULL). */
ig_code ig_hint_nearest_or(ig_err *err, const char *word, const char *const *candidates, int n,
                           const char *otherwise);
