/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the members of a JSON object against a table of the keys that it may have.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *key, *expected; /* in words: "a whole number" */
    bool (*fits)(const json_t *);
    bool needed;
} ig_json_key;

/* Returns whether all members are as keys[n] says; else `out` says what was found and what was
 * expected. */
bool ig_json_has(char *out, size_t size, const json_t *j, const ig_json_key *keys, int n);

bool ig_json_is_text(const json_t *x);
bool ig_json_is_name(const json_t *x);    /* a text that is not empty */
bool ig_json_is_digits(const json_t *x);  /* 16 hexadecimal digits */
bool ig_json_is_integer(const json_t *x); /* of any sign */
bool ig_json_is_count(const json_t *x);   /* an integer from 0 on */
bool ig_json_is_small(const json_t *x);   /* from 0 to 999 */
bool ig_json_is_number(const json_t *x);  /* finite */
bool ig_json_is_size(const json_t *x);    /* finite, from 0 on */
bool ig_json_is_truth(const json_t *x);
bool ig_json_is_object(const json_t *x);
