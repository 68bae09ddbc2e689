/* SPDX-License-Identifier: Apache-2.0
 *
 * Lower case with the context rules of Unicode (a final sigma), independent of language; accents
 * stay.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct ig_lowercase ig_lowercase;

/* Freed with ig_lowercase_free. */
ig_code ig_lowercase_new(ig_lowercase **out, ig_err *err);
void ig_lowercase_free(ig_lowercase *l);
/* Replaces *text, *n bytes of UTF-8, by its lower case, which is in l's memory and valid until the
 * next call. */
ig_code ig_lowercase_text(ig_lowercase *l, const char **text, int64_t *n, ig_err *err);
