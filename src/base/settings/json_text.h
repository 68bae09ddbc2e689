/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of JSON values, and whether memory ran out while they were built. jansson reports that
 * in the result of each call, and a value added to an object without memory is missing: instead of
 * the results the allocations are checked.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* json_loadb: IG_ERR_MEMORY if memory ran out, with the message in err; IG_ERR_INPUT if the text is
 * not JSON, in which case *why has the reason and the caller sets the message. *out is NULL after
 * either. */
ig_code ig_json_load(json_t **out, const char *text, int64_t n, size_t flags, json_error_t *why,
                     const char *where, ig_err *err);

/* json_dumps: freed with free. NULL if memory ran out, now or while any value was built. */
char *ig_json_text(const json_t *j, size_t flags);

/* Makes ["a", "b", …]; null for a text that is NULL. */
json_t *ig_json_texts(const char *const *text, int64_t n);
/* Makes a number; null for one that is not finite. */
json_t *ig_json_number(double x);
/* Makes [1, 2, …] of such. */
json_t *ig_json_numbers(const double *x, int64_t n);

/* Returns whether an allocation of jansson has failed since the program began: its values may be
 * incomplete. */
bool ig_json_lost(void);

/* Records failed allocations of jansson from now on. Called when the program begins, and again by
 * tests, which install a failing allocator below. */
void ig_json_watch(void);
