/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is freed all at once: the many small strings and arrays of one result. Blocks never
 * move.
 */
#pragma once

#include "isoglot/error.h"

#include <stddef.h>
#include <stdint.h>

/* An empty pool is zeroed. */
typedef struct {
    struct ig_pool_block *block;
} ig_pool;

/* Allocates count × size bytes, zeroed, aligned for any object; valid for a count of 0. *out is
 * NULL in case of failure. */
ig_code ig_pool_alloc(ig_pool *p, void *out, int64_t count, size_t size, ig_err *err);
/* Copies count × size bytes to *out. */
ig_code ig_pool_copy(ig_pool *p, void *out, const void *from, int64_t count, size_t size,
                     ig_err *err);
/* Copies n bytes and adds a NUL. */
ig_code ig_pool_text(ig_pool *p, const char **out, const char *text, size_t n, ig_err *err);
ig_code ig_pool_print(ig_pool *p, const char **out, ig_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void ig_pool_free(ig_pool *p);
