/* SPDX-License-Identifier: Apache-2.0
 *
 * Products in bfloat16 on the tile registers of AMX (TDPBF16PS). The operating system gives a
 * process these registers on request (arch_prctl, Linux 5.16).
 */
#include "backend/cpu/cpu.h"

#if defined(__linux__) && defined(__AMX_BF16__)
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/cpu/simd/simd_avx512bf16.h"
#define BF16_IN_BLOCKS "backend/cpu/gemm/block_amx.inc"
#include "backend/cpu/table_bf16.inc"

/* Numbers of the kernel's interface (Documentation/arch/x86/xstate.rst). */
enum { ARCH_REQ_XCOMP_PERM_ = 0x1023, XFEATURE_XTILEDATA_ = 18 };

static void amx_attention(const ig_attention *a, ig_scratch *s)
{
    blocks_begin();
    attention(a, s);
    blocks_end();
}

static void amx_attention_grad(const ig_attention *a, ig_scratch *s)
{
    blocks_begin();
    attention_grad(a, s);
    blocks_end();
}

bool ig_table_amx(ig_ops *t)
{
    if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM_, XFEATURE_XTILEDATA_) != 0)
        return false;
    fill_bf16_table(t);
    t->attention = amx_attention;
    t->attention_grad = amx_attention_grad;
    t->name = "amx";
    return true;
}
#else
bool ig_table_amx(ig_ops *t)
{
    (void)t;
    return false;
}
#endif
