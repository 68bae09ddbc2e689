/* SPDX-License-Identifier: Apache-2.0
 *
 * Heap blocks with checked sizes, aligned to a cache line and zeroed. All blocks are freed with
 * ig_free. Training allocates only before its first step: blocks by role (parameters, gradients,
 * activations), not by tensor.
 */
#pragma once

#include "isoglot/error.h"
#include "isoglot/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define IG_ALIGN 64

/* Allocates count × size bytes, zeroed, 64-byte aligned. *out is NULL in case of failure
 * (IG_ERR_MEMORY; the message has the number of bytes and their purpose). A count of 0 gives a
 * valid block. */
ig_code ig_alloc(void *out, int64_t count, size_t size, const char *what, ig_err *err)
    __attribute__((warn_unused_result));

/* Grows *block, which holds `have` elements, to at least `need`: doubling; the new part is
 * zeroed. */
ig_code ig_grow(void *block, int64_t *have, int64_t need, size_t size, const char *what,
                ig_err *err) __attribute__((warn_unused_result));

/* Frees n blocks and the list of them (of any type of pointer); NULL is ignored. */
void ig_free_list(void *list, int64_t n);

/* Frees several blocks, as ig_free does one; NULL among them is ignored. */
#define IG_FREE(...)                                                                               \
    ig_free_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void ig_free_all(void *const *block, size_t n);

/* Before the declaration of a local variable: its address is given to `give_back` where its block
 * ends, by whatever way. It has a value from the start. */
#define IG_SCOPED(give_back) __attribute__((cleanup(give_back)))
/* Likewise a pointer to a block, which ig_free frees. */
#define IG_OWNED IG_SCOPED(ig_free_pointed)
void ig_free_pointed(void *pointer);

/* Ends a function that makes something: *out is x, or x is freed if a step failed. */
#define IG_RETURN_NEW(code, out, x, give_back)                                                     \
    do {                                                                                           \
        if ((code) != IG_ERR_OK)                                                                   \
            give_back(x);                                                                          \
        else                                                                                       \
            *(out) = (x);                                                                          \
        return (code);                                                                             \
    } while (0)

/* fclose of an open_memstream: whether all of its text was written. Only the stream knows of a
 * write that failed for lack of memory. */
bool ig_memstream_close(FILE *text);

/* Largest resident set of this process so far, in bytes (getrusage). */
int64_t ig_peak_memory(void);
