/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of kernels that are not those of an op: plain structs, read by C and by CUDA.
 */
#pragma once

#include "model/device/exec.h"

/* c = op(a) · op(b). With parts: k is cut into n_part pieces of k_each, and part[n_part, m, n] gets
 * the products of each. */
typedef struct {
    ig_gemm g;
    float *part; /* NULL: none */
    int n_part, k_each;
    bool round; /* operands are rounded to bfloat16 */
} ig_cuda_product;

/* Parts of the sums over rows that give dgamma and dbeta: part[n_part, 2, d]. */
typedef struct {
    ig_norm_grad a;
    float *part;
    int n_part, row_each;
} ig_cuda_norm_parts;

/* Parts of column sums: part[n_part, n]. */
typedef struct {
    const float *x;
    int m, n, ld;
    float *part;
    int n_part, row_each;
} ig_cuda_column_parts;

/* out[i] (+)= the sum over p of part[p * stride + i]. */
typedef struct {
    float *out;
    const float *part;
    int64_t n, stride;
    int n_part;
    bool fresh; /* out is written, not added to */
} ig_cuda_add_parts;

typedef enum {
    IG_CUDA_COPY,
    IG_CUDA_ZERO,
    IG_CUDA_ADD,
    IG_CUDA_MULTIPLY,
    IG_CUDA_SHIFT, /* by [d] */
    IG_CUDA_TANH,
    IG_CUDA_TANH_GRAD,
    IG_CUDA_ELU,
    IG_CUDA_ELU_GRAD,
    IG_CUDA_MIX_SHARE /* by times γ softmax(weight)_d of n_layer weights */
} ig_cuda_each_op;

/* An op of each element of v[n] and by[n]. */
typedef struct {
    ig_cuda_each_op op;
    float *v;
    const float *by;
    int64_t n;
    int d;
    int n_layer;
    const float *weight, *gamma;
} ig_cuda_each;

typedef struct {
    float *v;
    int n, d;
    ig_dropout drop;
} ig_cuda_drop;

/* Rows between a matrix and the rows of it that are numbered: out[n, d], v. */
typedef struct {
    float *out;
    const float *v;
    const int32_t *row;
    int n, d;
    int n_row; /* spread: rows of out; row ascends */
} ig_cuda_rows;

/* The bytes follow. */
typedef struct {
    void *to;
    int64_t bytes;
} ig_cuda_upload_args;

/* A piece of a block of parameters: what one thread block reads. */
enum { IG_CUDA_PIECE = 4096 };

/* Squares of spans: part[p] of the p-th piece of all spans, sum[n] of spans. n spans follow. */
typedef struct {
    const float *v;
    double *part, *sum;
    int64_t n;
} ig_cuda_squares;
typedef struct {
    int64_t from, to;
    int64_t first; /* number of its first piece */
} ig_cuda_span;

/* n spans follow, then n updates. */
typedef struct {
    ig_moments of;
    int64_t n;
} ig_cuda_adamw;
