/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a JSON value some of whose arrays are made an element at a time, so that neither the
 * whole value nor its text is in memory at once.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* `at`: an empty array somewhere in the value, which stands for n elements. make gives the i-th, to
 * be freed by the caller; NULL: no memory. */
typedef struct {
    const json_t *at;
    int64_t n;
    json_t *(*make)(const void *of, int64_t i);
    const void *of;
} ig_json_list;

/* Hands the text of j to `put` in pieces: byte for byte what jansson would write of the whole with
 * flags | JSON_INDENT(2). false: j is NULL, memory ran out, a number
 * is not finite, or put gave something else than 0. */
bool ig_json_dump(const json_t *j, const ig_json_list *list, int n_list, size_t flags,
                  json_dump_callback_t put, void *to);
