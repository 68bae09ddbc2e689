/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of the op tables: the tables that this CPU runs, those of the emulated GPU, and
 * buffers with canaries.
 */
#pragma once

#include "test.h"

#include "base/rng.h"
#include "emulated.h"
#include "tensor/ops.h"

#include <stdlib.h>
#include <string.h>

/* What blocks of the emulated GPU have as threads. */
static const int emulated_threads[] = {1, 5};
#ifdef EMULATED_BY_ONE_THREAD
enum { n_emulated = 1 };
#else
enum { n_emulated = 2 };
#endif

/* Number of tables. */
static inline int n_tables(void)
{
    int n = 0;
    while (ig_ops_names[n] != NULL)
        n++;
    return n + n_emulated;
}

/* The i-th table; NULL: not on this CPU. */
static inline const ig_ops *table_of(int i)
{
    static bool told[9];
    const int first = n_tables() - n_emulated;
    if (i >= first)
        return emulated_ops(emulated_threads[i - first]);
    const ig_ops *t = ig_ops_named(ig_ops_names[i]);
    if (t == NULL && !told[i]) {
        skip_here("this CPU does not run the kernels '%s'", ig_ops_names[i]);
        told[i] = true;
    }
    return t;
}
#define FOR_EACH_TABLE(t)                                                                          \
    for (int i_table_ = 1; i_table_ < n_tables(); i_table_++)                                      \
        for (const ig_ops *t = table_of(i_table_); t != NULL; t = NULL)

enum { n_canary = 40 };
#define CANARY 12345.678f

/* n floats between canaries, not aligned to more than a float, uniform in [−1, 1). */
static inline float *buffer_new(int64_t n, uint32_t seed)
{
    float *p = malloc((size_t)(n + 2 * n_canary + 1) * sizeof *p);
    assert_non_null(p);
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 0, 0);
    for (int64_t i = 0; i < n + 2 * n_canary + 1; i++)
        p[i] = CANARY;
    p += n_canary + 1;
    for (int64_t i = 0; i < n; i++)
        p[i] = (float)(2 * ig_rng_unit(&r) - 1);
    return p;
}

static inline float *buffer_copy(const float *from, int64_t n)
{
    float *p = buffer_new(n, 0);
    memcpy(p, from, (size_t)n * sizeof *p);
    return p;
}

/* Checks the canaries and frees. */
static inline void buffer_free(float *p, int64_t n)
{
    if (p == NULL)
        return;
    for (int i = 1; i <= n_canary; i++) {
        assert_true(p[-i] == CANARY);
        assert_true(p[n + i - 1] == CANARY);
    }
    free(p - n_canary - 1);
}

/* The upper half of the float nearest to x whose lower 16 bits are zero; ties to the even one. */
static inline uint32_t bf16_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (u + 0x7FFFu + (u >> 16 & 1)) >> 16;
}

static inline float bf16_float(uint32_t bits)
{
    const uint32_t u = bits << 16;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
