/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the backends: buffers in a thread's scratch memory. One op uses it at a time, from the
 * start.
 */
#pragma once

#include "base/memory.h"
#include "tensor/ops.h"

/* Reserves at least n floats (n 0: a valid pointer), 64-byte aligned, of undefined content; valid
 * until the next call. NULL: there is no memory, which is recorded, and the op returns. */
static inline ig_real *ig_scratch_reserve(ig_scratch *s, int64_t n)
{
    if (s->n_float < n || s->block == NULL) {
        ig_free(s->block);
        s->n_float = 0;
        ig_code code = ig_alloc(&s->block, n + n / 4, sizeof *s->block, "scratch", NULL);
        if (code != IG_ERR_OK) {
            s->lost = true;
            return NULL;
        }
        s->n_float = n + n / 4;
    }
    return s->block;
}
