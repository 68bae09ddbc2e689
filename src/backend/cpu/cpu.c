/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tables this CPU runs, asked of the CPU and of the operating system at run time
 * (__builtin_cpu_supports looks at CPUID and at XGETBV's word on saved registers). The tables are
 * filled once, each on top of the next slower one.
 */
#include "backend/cpu/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <stddef.h>

static ig_ops portable, avx2, avx512, avx512bf16, amx;
static ig_ops rounded_portable, rounded_avx2, rounded_avx512;
static bool has_avx2, has_avx512, has_avx512bf16, has_amx;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
/* CPUID leaf 7: tiles and their bfloat16 products. Compilers that know these flags of a CPU by name
 * are younger than those that build isoglot. */
static bool cpu_has_amx(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) != 0 && (d >> 24 & 1) != 0;
}
#endif

static void fill(void)
{
    portable = *ig_ops_ref();
    ig_table_portable(&portable);
    rounded_portable = portable;
    ig_table_rounded_portable(&rounded_portable);
    avx2 = portable;
#if defined(__x86_64__)
    __builtin_cpu_init();
    has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl");
    if (has_avx2)
        ig_table_avx2(&avx2);
    rounded_avx2 = avx2;
    if (has_avx2)
        ig_table_rounded_avx2(&rounded_avx2);
    avx512 = avx2;
    if (has_avx512)
        ig_table_avx512(&avx512);
    rounded_avx512 = avx512;
    if (has_avx512)
        ig_table_rounded_avx512(&rounded_avx512);
    avx512bf16 = avx512;
    has_avx512bf16 = has_avx512 && __builtin_cpu_supports("avx512bf16");
    if (has_avx512bf16)
        ig_table_avx512bf16(&avx512bf16);
    amx = avx512bf16;
    has_amx = has_avx512bf16 && cpu_has_amx() && ig_table_amx(&amx);
#endif
}

const ig_ops *ig_ops_portable(void)
{
    pthread_once(&once, fill);
    return &portable;
}

const ig_ops *ig_ops_avx2(void)
{
    pthread_once(&once, fill);
    return has_avx2 ? &avx2 : NULL;
}

const ig_ops *ig_ops_avx512(void)
{
    pthread_once(&once, fill);
    return has_avx512 ? &avx512 : NULL;
}

const ig_ops *ig_ops_avx512bf16(void)
{
    pthread_once(&once, fill);
    return has_avx512bf16 ? &avx512bf16 : NULL;
}

const ig_ops *ig_ops_amx(void)
{
    pthread_once(&once, fill);
    return has_amx ? &amx : NULL;
}

const ig_ops *ig_ops_rounded(const ig_ops *t)
{
    pthread_once(&once, fill);
    if (t == &portable)
        return &rounded_portable;
    return t == &avx2 ? &rounded_avx2 : t == &avx512 ? &rounded_avx512 : NULL;
}
