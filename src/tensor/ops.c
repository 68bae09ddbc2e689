/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers the op tables: finds those that this CPU and its operating system can run, and chooses
 * one. The environment variable ISOGLOT_CPU restricts the choice.
 */
#include "tensor/ops.h"

#include "backend/cpu/cpu.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

ig_code ig_scratches_check(ig_scratch *s, int n, ig_err *err)
{
    bool lost = false;
    for (int i = 0; s != NULL && i < n; i++) {
        lost = lost || s[i].lost;
        s[i].lost = false;
    }
    return lost ? ig_fail(err, IG_ERR_MEMORY, "scratch", 0, "not enough memory") : IG_ERR_OK;
}

void ig_scratch_free(ig_scratch *s)
{
    if (s == NULL)
        return;
    ig_free(s->block);
    *s = (ig_scratch){0};
}

void ig_scratches_free(ig_scratch *s, int n)
{
    for (int i = 0; s != NULL && i < n; i++)
        ig_scratch_free(&s[i]);
    ig_free(s);
}

int64_t ig_attention_size(const int32_t *seq_start, int n_seq, int n_head)
{
    int64_t n = 0;
    for (int s = 0; s < n_seq; s++) {
        int64_t t = seq_start[s + 1] - seq_start[s];
        n += t * t * n_head;
    }
    return n;
}

const char *const ig_ops_names[] = {"ref", "portable",
#if defined(__aarch64__)
                                    "neon",
#elif defined(__x86_64__)
                                    "avx2", "avx512",
#endif
                                    NULL};

/* Slowest first; NULL where this CPU cannot run it. */
static const ig_ops *table_at(int i)
{
    return i == 0 ? ig_ops_ref() : ig_ops_cpu((ig_cpu)(i - 1));
}
enum { n_table = 1 + IG_N_FLOAT32 };

const ig_ops *ig_ops_named(const char *name)
{
    for (int i = 0; i < n_table; i++) {
        const ig_ops *t = table_at(i);
        if (t != NULL && strcmp(t->name, name) == 0)
            return t;
    }
    return NULL;
}

const ig_ops *ig_ops_best(void)
{
    const char *wanted = getenv("ISOGLOT_CPU");
    if (wanted != NULL && wanted[0] != '\0')
        return ig_ops_named(wanted);
    for (int i = n_table - 1; i > 0; i--)
        if (table_at(i) != NULL)
            return table_at(i);
    return ig_ops_ref();
}

const ig_ops *ig_ops_bfloat16(void)
{
    const char *wanted = getenv("ISOGLOT_CPU");
    const bool named = wanted != NULL && wanted[0] != '\0';
    if (!named && ig_ops_cpu(IG_CPU_AMX) != NULL)
        return ig_ops_cpu(IG_CPU_AMX);
    const ig_ops *best = ig_ops_best();
    if (!named && ig_cpu_bf16_is_slow())
        return ig_ops_rounded(best);
    const ig_ops *bf16 = best == NULL                        ? NULL
                         : best == ig_ops_cpu(IG_CPU_AVX512) ? ig_ops_cpu(IG_CPU_AVX512BF16)
                         : best == ig_ops_cpu(IG_CPU_NEON)   ? ig_ops_cpu(IG_CPU_NEONBF16)
                                                             : NULL;
    return bf16 != NULL ? bf16 : ig_ops_rounded(best);
}

bool ig_ops_describe(const ig_ops *t, int i, const char **op, const char **kernel)
{
    int at = 0;
    *op = *kernel = NULL;
#define IG_OP_FIND(member)                                                                         \
    if (at++ == i) {                                                                               \
        *op = #member;                                                                             \
        for (int k = 0; k < n_table && *kernel == NULL; k++)                                       \
            if (table_at(k) != NULL && table_at(k)->member == t->member)                           \
                *kernel = table_at(k)->name;                                                       \
    }
    IG_OP_LIST(IG_OP_FIND)
#undef IG_OP_FIND
    if (*op != NULL && *kernel == NULL)
        *kernel = t->name;
    return *op != NULL;
}
