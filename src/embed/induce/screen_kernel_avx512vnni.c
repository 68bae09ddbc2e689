/* SPDX-License-Identifier: Apache-2.0
 *
 * VPDPBUSD adds four products of an unsigned and a signed byte to a 32-bit lane: columns are the
 * unsigned ones, a row's four bytes go to all lanes. Empty where the architecture has it not.
 */
#include "embed/induce/screen_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

enum { LANES = 16 };

/* sum += four products of columns (unsigned) and of a row (signed). Written out, because GCC 12
 * keeps the sums of its own intrinsic on the stack. */
static inline __m512i dot4(__m512i sum, __m512i columns, __m512i row)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(columns), "v"(row));
    return sum;
}

#define EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define BEGIN(r) __m512i left##r = _mm512_set1_epi32(p->start[r]), right##r = left##r;
#define ADD(r)                                                                                     \
    {                                                                                              \
        int32_t four;                                                                              \
        memcpy(&four, a + (r)*ld, sizeof four);                                                    \
        const __m512i row = _mm512_set1_epi32(four);                                               \
        left##r = dot4(left##r, b0, row);                                                          \
        right##r = dot4(right##r, b1, row);                                                        \
    }
#define ABOVE(sum, r, bound, part)                                                                 \
    _mm512_cmpgt_epi32_mask(                                                                       \
        sum, _mm512_min_epi32(_mm512_add_epi32(_mm512_set1_epi32(p->row_bound[r]), part),          \
                              _mm512_add_epi32(_mm512_set1_epi32(p->row_part[r]), bound)))
#define COMPARE(r)                                                                                 \
    out[r] = (uint32_t)ABOVE(left##r, r, bound0, part0) |                                          \
             (uint32_t)ABOVE(right##r, r, bound1, part1) << LANES;                                 \
    any |= out[r];

static bool panel(const ig_screen_panel *p, uint32_t out[IG_SCREEN_ROWS])
{
    const int64_t ld = 4 * (int64_t)p->d4;
    const int8_t *a = p->a;
    const uint8_t *b = p->b, *end = b + ld * IG_SCREEN_COLUMNS;
    uint32_t any = 0;
    EACH_ROW(BEGIN)
    for (; b < end; a += 4, b += 4 * IG_SCREEN_COLUMNS) {
        const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 64);
        EACH_ROW(ADD)
    }
    const __m512i bound0 = _mm512_loadu_si512(p->column_bound),
                  bound1 = _mm512_loadu_si512(p->column_bound + LANES),
                  part0 = _mm512_loadu_si512(p->column_part),
                  part1 = _mm512_loadu_si512(p->column_part + LANES);
    EACH_ROW(COMPARE)
    return any != 0;
}

/* The first n of a vector's floats. */
static __mmask16 lanes_of(int n)
{
    return (__mmask16)(n >= LANES ? 0xffff : n <= 0 ? 0 : (1 << n) - 1);
}

static void code_row(int8_t *code, int d4, const float *x, int d, float delta, int32_t *sum,
                     float *residual, float *square)
{
    const __m512 inverse = _mm512_set1_ps(1 / delta), step = _mm512_set1_ps(delta),
                 most = _mm512_set1_ps(127), least = _mm512_set1_ps(-127);
    __m512 rest = _mm512_setzero_ps(), all = _mm512_setzero_ps();
    __m512i total = _mm512_setzero_si512();
    for (int k = 0; k < 4 * d4; k += LANES) {
        const __mmask16 here = lanes_of(d - k), to = lanes_of(4 * d4 - k);
        const __m512 v = _mm512_maskz_loadu_ps(here, x + k);
        /* A value that is not finite is cut as well; its residual is not finite either. */
        const __m512 cut = _mm512_max_ps(_mm512_min_ps(_mm512_mul_ps(v, inverse), most), least);
        const __m512i c = _mm512_cvtps_epi32(cut);
        const __m512 off = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(c), step, v);
        rest = _mm512_fmadd_ps(off, off, rest);
        all = _mm512_fmadd_ps(v, v, all);
        total = _mm512_add_epi32(total, c);
        _mm512_mask_cvtepi32_storeu_epi8(code + k, to, c);
    }
    *sum = _mm512_reduce_add_epi32(total);
    *residual = _mm512_reduce_add_ps(rest);
    *square = _mm512_reduce_add_ps(all);
}

static void products(float *out, const float *x, const float *z, int d, const int32_t *column,
                     int n)
{
    for (int i = 0; i < n; i += 4) {
        const float *row[4];
        __m512 sum[4];
        for (int q = 0; q < 4; q++) {
            row[q] = z + (int64_t)column[i + q < n ? i + q : i] * d;
            sum[q] = _mm512_setzero_ps();
        }
        for (int k = 0; k < d; k += LANES) {
            const __mmask16 here = lanes_of(d - k);
            const __m512 v = _mm512_maskz_loadu_ps(here, x + k);
#pragma GCC unroll 4
            for (int q = 0; q < 4; q++)
                sum[q] = _mm512_fmadd_ps(v, _mm512_maskz_loadu_ps(here, row[q] + k), sum[q]);
        }
        for (int q = 0; q < 4 && i + q < n; q++)
            out[i + q] = _mm512_reduce_add_ps(sum[q]);
    }
}

const ig_screen_table ig_screen_avx512vnni = {panel, code_row, products};
#endif
