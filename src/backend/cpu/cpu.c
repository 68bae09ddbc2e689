/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the tables that this CPU and the operating system can run, at run time
 * (__builtin_cpu_supports looks at CPUID and at XGETBV's word on saved registers; Linux and macOS
 * say what an ARM has). The tables are filled once, each on top of a slower one.
 */
#include "backend/cpu/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif
#include <pthread.h>
#include <stddef.h>

static ig_ops table[IG_N_CPU], rounded[IG_N_FLOAT32];
static bool has[IG_N_CPU];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
/* Reads CPUID leaf 7: tiles and their bfloat16 products. Compilers that know these flags of a CPU
 * by name are younger than those that build isoglot. */
static bool cpu_has_amx(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) != 0 && (d >> 24 & 1) != 0;
}
#elif defined(__aarch64__)
/* BFDOT and BFMMLA (FEAT_BF16). */
static bool cpu_has_bf16(void)
{
#if defined(__linux__)
    return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
#elif defined(__APPLE__)
    int there = 0;
    size_t size = sizeof there;
    return sysctlbyname("hw.optional.arm.FEAT_BF16", &there, &size, NULL, 0) == 0 && there != 0;
#else
    return false;
#endif
}
#endif

/* Makes table i from that of `base`. */
static void table_add(ig_cpu i, ig_cpu base, void (*own)(ig_ops *), void (*with_rounding)(ig_ops *))
{
    table[i] = i == base ? *ig_ops_ref() : table[base];
    own(&table[i]);
    has[i] = true;
    if (with_rounding == NULL)
        return;
    rounded[i] = table[i];
    with_rounding(&rounded[i]);
}

static void fill(void)
{
    table_add(IG_CPU_PORTABLE, IG_CPU_PORTABLE, ig_table_portable, ig_table_rounded_portable);
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        table_add(IG_CPU_AVX2, IG_CPU_PORTABLE, ig_table_avx2, ig_table_rounded_avx2);
    if (has[IG_CPU_AVX2] && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        table_add(IG_CPU_AVX512, IG_CPU_AVX2, ig_table_avx512, ig_table_rounded_avx512);
    if (!has[IG_CPU_AVX512] || !__builtin_cpu_supports("avx512bf16"))
        return;
    table_add(IG_CPU_AVX512BF16, IG_CPU_AVX512, ig_table_avx512bf16, NULL);
    table[IG_CPU_AMX] = table[IG_CPU_AVX512BF16];
    has[IG_CPU_AMX] = cpu_has_amx() && ig_table_amx(&table[IG_CPU_AMX]);
#elif defined(__aarch64__)
    table_add(IG_CPU_NEON, IG_CPU_PORTABLE, ig_table_neon, ig_table_rounded_neon);
    if (cpu_has_bf16())
        table_add(IG_CPU_NEONBF16, IG_CPU_NEON, ig_table_neonbf16, NULL);
#endif
}

/* On Intel's Emerald Rapids VDPBF16PS takes two cycles, for vectors of any width, where an FMA
 * takes half a one: products in bfloat16 at .52 of the speed of float32. On AMD's Zen 4 it is as
 * fast as an FMA. */
bool ig_cpu_bf16_is_slow(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}

const ig_ops *ig_ops_cpu(ig_cpu which)
{
    pthread_once(&once, fill);
    return has[which] ? &table[which] : NULL;
}

const ig_ops *ig_ops_rounded(const ig_ops *t)
{
    for (int i = IG_CPU_PORTABLE; i < IG_N_FLOAT32; i++)
        if (t != NULL && t == ig_ops_cpu((ig_cpu)i))
            return &rounded[i];
    return NULL;
}
