/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's ops that are the same in a lane: those that the calling thread does alone
 * (exec_rows.c) and those over a whole block of parameters (exec_blocks.c).
 */
#pragma once

#include "model/device/exec.h"

void ig_rows_embed_grad(const ig_exec *x, const ig_embed_grad *a);
void ig_rows_next_loss(const ig_exec *x, const ig_next_loss *a);
void ig_rows_gather(const ig_exec *x, float *out, const float *v, const int32_t *row, int n, int d);
void ig_rows_scatter_add(const ig_exec *x, float *v, const float *rows, const int32_t *row, int n,
                         int d);
void ig_rows_keep(const ig_exec *x, float *v, const int32_t *kept, int n, int d);
void ig_rows_spread(const ig_exec *x, float *v, const int32_t *kept, int n, int d, int n_row);
void ig_rows_multiply(const ig_exec *x, float *v, const float *by, int64_t n);
void ig_rows_shift(const ig_exec *x, float *v, const float *by, int n, int d);
void ig_rows_to_bf16(const ig_exec *x, float *out, const float *v, int64_t n);
void ig_rows_add(const ig_exec *x, float *v, const float *by, int64_t n);
void ig_rows_relu(const ig_exec *x, float *v, int64_t n);
void ig_rows_tanh(const ig_exec *x, float *v, int64_t n);
void ig_rows_tanh_grad(const ig_exec *x, float *dv, const float *t, int64_t n);
void ig_rows_mix(const ig_exec *x, const ig_mix *a);
void ig_rows_mix_grad(const ig_exec *x, const ig_mix *a);
void ig_rows_mix_share(const ig_exec *x, const ig_mix *a, int layer);
void ig_rows_crf(const ig_exec *x, const ig_crf *a);
void ig_rows_steps(const ig_exec *x, const ig_steps *a);
void ig_rows_lstm(const ig_exec *x, const ig_lstm *a, int n);
void ig_rows_lstm_grad(const ig_exec *x, const ig_lstm *a, int n);
void ig_rows_elu(const ig_exec *x, float *v, int64_t n);
void ig_rows_elu_grad(const ig_exec *x, float *dv, const float *y, int64_t n);
void ig_rows_parse(const ig_exec *x, const ig_parser *a);
void ig_rows_copy(const ig_exec *x, float *to, const float *from, int64_t n);
void ig_rows_zero(const ig_exec *x, float *v, int64_t n);

void ig_blocks_zero(const ig_exec *x, float *v, int64_t n);
void ig_blocks_pack(const ig_exec *x, ig_weight *const *w, int n);
void ig_blocks_add_lanes(const ig_exec *x, float *const *gradient, int n, int64_t size,
                         const ig_span *written, int n_written);
void ig_blocks_sum_squares(const ig_exec *x, const float *v, const ig_span *span, int64_t n,
                           double *sum);
void ig_blocks_adamw(const ig_exec *x, const ig_adamw_span *span, int64_t n, const ig_moments *of);
