/* SPDX-License-Identifier: Apache-2.0
 *
 * Text built in an array, truncated if it does not fit, and copied.
 */
#pragma once

#include "isoglot/error.h"

#include <stddef.h>

/* Appends to the text in out[size], as printf. */
void ig_append(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds to the list "a, b, c" in out[size]. */
void ig_append_name(char *out, size_t size, const char *name);

/* Copies a text; freed with ig_free; `what` as for ig_alloc. */
ig_code ig_copy_text(char **out, const char *text, const char *what, ig_err *err);
