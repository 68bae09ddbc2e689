/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of blocks, each filled from its front.
 */
#include "base/pool.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The size of the first block, and the maximum that block sizes grow to with the pool: freeing many
 * small blocks takes longer than filling them. */
enum { FIRST = 1 << 14, LARGEST = 1 << 20 };

struct ig_pool_block {
    struct ig_pool_block *next;
    size_t used, size;
    _Alignas(max_align_t) char data[];
};

/* `align` is a power of two, at most that of max_align_t. */
static ig_code take(ig_pool *p, char **out, size_t bytes, size_t align, ig_err *err)
{
    struct ig_pool_block *b = p->block;
    size_t at = b != NULL ? (b->used + align - 1) & ~(align - 1) : 0;
    if (b == NULL || at > b->size || b->size - at < bytes) {
        const size_t usual = b == NULL               ? FIRST
                             : b->size < LARGEST / 2 ? b->size * 2
                                                     : LARGEST,
                     size = bytes > usual / 2 ? bytes : usual;
        *out = NULL;
        IG_TRY(ig_alloc(&b, (int64_t)(sizeof *b + size), 1, "results", err));
        b->size = size;
        at = 0;
        /* A large block is added after the one that still has free memory. */
        if (bytes > usual / 2 && p->block != NULL) {
            b->next = p->block->next;
            p->block->next = b;
        } else {
            b->next = p->block;
            p->block = b;
        }
    }
    *out = b->data + at;
    b->used = at + bytes;
    return IG_ERR_OK;
}

ig_code ig_pool_alloc(ig_pool *p, void *out, int64_t count, size_t size, ig_err *err)
{
    char *got = NULL;
    memcpy(out, &got, sizeof got);
    if (count < 0 || (size != 0 && (uint64_t)count > (uint64_t)(INT64_MAX / 4) / size))
        return ig_fail(err, IG_ERR_MEMORY, "results", 0, "%lld × %zu bytes do not fit the memory",
                       (long long)count, size);
    IG_TRY(take(p, &got, (size_t)count * size, _Alignof(max_align_t), err));
    memcpy(out, &got, sizeof got);
    return IG_ERR_OK;
}

ig_code ig_pool_copy(ig_pool *p, void *out, const void *from, int64_t count, size_t size,
                     ig_err *err)
{
    void *copy;
    IG_TRY(ig_pool_alloc(p, &copy, count, size, err));
    if (count > 0)
        memcpy(copy, from, (size_t)count * size);
    memcpy(out, &copy, sizeof copy);
    return IG_ERR_OK;
}

ig_code ig_pool_text(ig_pool *p, const char **out, const char *text, size_t n, ig_err *err)
{
    char *to = NULL;
    *out = NULL;
    IG_TRY(take(p, &to, n + 1, 1, err));
    memcpy(to, text, n);
    to[n] = '\0';
    *out = to;
    return IG_ERR_OK;
}

ig_code ig_pool_print(ig_pool *p, const char **out, ig_err *err, const char *fmt, ...)
{
    va_list ap, again;
    char *to = NULL;
    *out = NULL;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    ig_code code = n < 0 ? ig_fail(err, IG_ERR_MEMORY, "results", 0, "a text cannot be written")
                         : take(p, &to, (size_t)n + 1, 1, err);
    if (code == IG_ERR_OK) {
        vsnprintf(to, (size_t)n + 1, fmt, again);
        *out = to;
    }
    va_end(again);
    return code;
}

void ig_pool_free(ig_pool *p)
{
    for (struct ig_pool_block *b = p->block, *next; b != NULL; b = next) {
        next = b->next;
        ig_free(b);
    }
    p->block = NULL;
}
