/* SPDX-License-Identifier: Apache-2.0
 *
 * Hints at the word that was probably meant (ig_nearest: options.h).
 */
#pragma once

#include "isoglot/error.h"

/* Adds to an error the hint at the candidate nearest to `word`, if there is one, otherwise
 * `otherwise` (NULL: none). Returns the error's code (IG_ERR_USAGE if err is NULL). */
ig_code ig_hint_nearest_or(ig_err *err, const char *word, const char *const *candidates, int n,
                           const char *otherwise);
