/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner products in 8 bits, to tell which pairs cannot matter. A vector is coded as c = round(x/Δ),
 * cut at ±127; products of codes are exact integers.
 */
#ifndef IG_EMBED_INDUCE_SCREEN_KERNEL_H
#define IG_EMBED_INDUCE_SCREEN_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    IG_SCREEN_ROWS = 12,   /* of a panel */
    IG_SCREEN_COLUMNS = 32 /* of a panel */
};

/* Twelve rows against 32 columns. Pair (r, c) stands out when
 *   code_r · code_c > min(row_bound_r + column_part_c, column_bound_c + row_part_r).
 * Every figure is between −2²⁸ and 2²⁸. */
typedef struct {
    const int8_t *a;                           /* [12, 4 d4] codes of the rows */
    const uint8_t *b;                          /* [d4, 32, 4] codes of the columns, plus 128 */
    int d4;                                    /* numbers of a code, in fours */
    const int32_t *start;                      /* [12] −128 Σ codes */
    const int32_t *row_bound, *row_part;       /* [12] */
    const int32_t *column_bound, *column_part; /* [32] */
} ig_screen_panel;

/* out[12]: bit c of out[r] says that pair (r, c) stands out. False: no pair does. */
typedef bool ig_screen_kernel(const ig_screen_panel *p, uint32_t out[IG_SCREEN_ROWS]);

/* code[4 d4] of x[d], zeros behind it; the sum of the code; of x − Δ code the sum of squares, of x
 * too, each rounded at most d times. */
typedef void ig_screen_coder(int8_t *code, int d4, const float *x, int d, float delta, int32_t *sum,
                             float *residual, float *square);

/* out[i]: product of x[d] and row column[i] of z[·, d], rounded in any order. */
typedef void ig_screen_products(float *out, const float *x, const float *z, int d,
                                const int32_t *column, int n);

typedef struct {
    ig_screen_kernel *panel;
    ig_screen_coder *code;
    ig_screen_products *products;
} ig_screen_table;

/* AVX512-VNNI (VPDPBUSD). NULL: this CPU has it not, or ISOGLOT_CPU names a table without AVX-512.
 */
const ig_screen_table *ig_screen_best(void);

extern const ig_screen_table ig_screen_avx512vnni;

#endif
