/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of JSON values, and whether memory ran out while they were built. jansson tells of that
 * in the result of each call, and a value put into an object that had no room for it is simply not
 * there: instead of every call the allocations are watched.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* json_loadb: IG_ERR_MEMORY when memory ran out, said in err; IG_ERR_INPUT when the text is no
 * JSON, and then *why says what is wrong, the caller the rest. *out is NULL after either. */
ig_code ig_json_load(json_t **out, const char *text, int64_t n, size_t flags, json_error_t *why,
                     const char *where, ig_err *err);

/* json_dumps: freed with free. NULL when memory ran out, now or while any value was built. */
char *ig_json_text(const json_t *j, size_t flags);

/* ["a", "b", …]; null for a text that is NULL. */
json_t *ig_json_texts(const char *const *text, int64_t n);
/* A number; null for one that is not finite. */
json_t *ig_json_number(double x);
/* [1, 2, …] of such. */
json_t *ig_json_numbers(const double *x, int64_t n);

/* Whether jansson was refused memory since the program began: its values may lack something. */
bool ig_json_lost(void);

/* Watches what jansson allocates with, from now on, and forgets the past. Done when the program
 * begins; again for tests, which put a failing allocator below. */
void ig_json_watch(void);
