/* SPDX-License-Identifier: Apache-2.0
 *
 * Text put together in an array, where what does not fit is cut off, and copied.
 */
#pragma once

#include "isoglot/error.h"

#include <stddef.h>

/* Writes as printf behind the text that out[size] has. */
void ig_append(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds to the list "a, b, c" that out[size] has. */
void ig_append_name(char *out, size_t size, const char *name);

/* A copy, freed with ig_free; `what` as of ig_alloc. */
ig_code ig_copy_text(char **out, const char *text, const char *what, ig_err *err);
