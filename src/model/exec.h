/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an op runs: alone on the calling thread (a shard of a small model), or cut into tasks over
 * the team (a large model). The cuts depend on the shapes alone, so either way the result hangs on
 * no number of threads. Layers are written once, against these calls.
 */
#ifndef IG_MODEL_EXEC_H
#define IG_MODEL_EXEC_H

#include "base/team.h"
#include "tensor/ops.h"

/* In team mode: row ranges of a LayerNorm's gradient, ranges of sequences of that of distances. */
enum { IG_NORM_PARTS = 32, IG_DISTANCE_PARTS = 16 };

typedef struct {
    const ig_ops *ops;
    bool split;          /* cut ops into tasks for the team; false: alone */
    ig_team *team;       /* split: may be NULL, a team of one */
    ig_scratch *scratch; /* split: [threads of the team]; alone: the calling thread's */
    float *part;         /* split: [IG_NORM_PARTS, 2D] */
    float *distance;     /* split, with relative positions: [IG_DISTANCE_PARTS, 2P − 1, D/H] */
    float *pack;         /* split: room for the largest packed operand, ig_weights_room */
    int64_t n_pack;
    bool fresh; /* this is the first shard of a gradient whose matrices of blocks are not cleared */
} ig_exec;

/* A weight [K, N] as an operand of products. Alone it is packed once an update; over the team it is
 * packed by all threads just before each use, so that it comes from a cache, in columns that are
 * tasks. */
typedef struct {
    int k, n;
    const float *b; /* where it lies in the model */
    int ldb;
    ig_b_form form;
    float *data; /* packed, or NULL: when it is used */
} ig_weight;

/* c = a · w and the epilogue in g; g's m, a, lda, c, ldc, accumulate, epilogue, bias, aux, ld_aux,
 * halves count. */
void ig_exec_linear(const ig_exec *x, const ig_gemm *g, const ig_weight *w);
/* The gradients of a layer y = x Wᵀ + b: dw[M,N] += dyᵀ · x, db[M] += the column sums of dy, with
 * dy[K,M], rows ld_dy apart, and x[K,N]; halves as in ig_gemm (a is dy, b is x), for an engine that
 * does not split. */
typedef struct {
    float *dw, *db;
    int m, n, k;
    const float *dy;
    int ld_dy;
    const float *x;
    int halves;
    bool once; /* a shard adds to dw only here: with ig_exec.fresh dw is written instead */
} ig_layer_grad;
void ig_exec_layer_grad(const ig_exec *x, const ig_layer_grad *g);
void ig_exec_norm(const ig_exec *x, const ig_norm *a);
void ig_exec_norm_grad(const ig_exec *x, const ig_norm_grad *a);
void ig_exec_attention(const ig_exec *x, const ig_attention *a);
void ig_exec_attention_grad(const ig_exec *x, const ig_attention *a);
void ig_exec_rotary(const ig_exec *x, float *v, int n, int ld, int n_head, int dh,
                    const float *table, const int32_t *pos, bool back);
void ig_exec_embed(const ig_exec *x, float *out, int n, int d, const float *word,
                   const float *position, const float *segment, const int32_t *id,
                   const int32_t *pos, const int32_t *seg);
void ig_exec_xent(const ig_exec *x, float *logits, int n_row, int v, int ld, const int32_t *label,
                  float scale, bool grad, double *nll, int32_t *best);

#endif
