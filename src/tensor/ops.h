/* SPDX-License-Identifier: Apache-2.0
 *
 * The op list: everything that the model computes, as a table of functions. `ref` fills all of it
 * (double accumulation, obvious loops: the truth); a faster backend starts from a copy and
 * overwrites what it has. All data are float32, row-major, in rows of tokens; N tokens of a shard
 * are packed without padding. Ops of one thread touch only what they are given.
 *
 * Letters: N packed tokens, D hidden size, H heads, F FFN size, V vocabulary, T tokens of one
 * sequence. A backend must give the same bits for the same call, and an element of a result must
 * not depend on how rows or columns are split over calls (only `accumulate` order matters).
 */
#ifndef IG_TENSOR_OPS_H
#define IG_TENSOR_OPS_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* Scratch memory of one thread, grown by the ops that need it (packing), never shared. */
typedef struct {
    float *block;
    int64_t n_float;
} ig_scratch;
void ig_scratch_free(ig_scratch *s);

/* Dropout without a stored mask. The decision for column c of row r is a pure function:
 *   ig_philox(key, c / 8, r, site, step) gives 8 numbers of 16 bits, low half of out[0] first;
 *   number c % 8 < round(p · 65536)  ⇒  dropped; kept values are multiplied by 1 / (1 − that share).
 * r counts rows of the whole batch, so that the way a batch is cut into shards changes nothing.
 * p = 0: no dropout. */
typedef struct {
    ig_rng_key key;
    uint32_t site; /* where in the network: see model/ */
    uint32_t step;
    uint32_t row0; /* number of the call's first row within the batch */
    float p;
} ig_dropout;

typedef enum {
    IG_B_ROWS,  /* b is [K, N], ldb ≥ N */
    IG_B_COLS,  /* b is [N, K], ldb ≥ K: c = a · bᵀ (a linear layer with Hugging Face's weights) */
    IG_B_PACKED /* b was written by pack_b for this K and N; ldb is not read */
} ig_b_form;

typedef enum {
    IG_EPI_NONE,
    IG_EPI_BIAS,      /* c = acc + bias[n] */
    IG_EPI_BIAS_GELU, /* z = acc + bias[n]; c = gelu(z); aux = gelu'(z) unless aux is NULL */
    IG_EPI_MUL        /* c = acc · aux */
} ig_epilogue;

/* c[M,N] = op(a) · op(b), then the epilogue. With `accumulate`, c += (epilogue must be NONE). */
typedef struct {
    int m, n, k;
    const float *a; /* [M, K]; with a_trans [K, M] */
    int lda;
    bool a_trans;
    const float *b;
    int ldb;
    ig_b_form b_form;
    float *c; /* [M, N] */
    int ldc;
    bool accumulate;
    ig_epilogue epilogue;
    const float *bias; /* [N] */
    float *aux;        /* [M, N]: written by BIAS_GELU, read by MUL */
    int ld_aux;
} ig_gemm;

/* out = LayerNorm(x', gamma, beta) with x' = dropout(x) + residual; or, with drop_after (the
 * embeddings), out = dropout(LayerNorm(x + residual)). Biased variance, eps inside the root. */
typedef struct {
    int n_row, d;
    const float *x;        /* [N, D] */
    const float *residual; /* [N, D] or NULL */
    ig_dropout drop;
    bool drop_after;
    const float *gamma, *beta; /* [D] */
    float eps;
    float *out;  /* [N, D] */
    float *xhat; /* [N, D] normalised input, kept for the backward pass; NULL: not kept */
    float *rstd; /* [N]; NULL: not kept */
} ig_norm;

typedef struct {
    int n_row, d;
    const float *dout; /* [N, D] */
    const float *xhat; /* [N, D] */
    const float *rstd; /* [N] */
    ig_dropout drop;
    bool drop_after;
    const float *gamma;
    float *dx;             /* [N, D]: gradient of x (dropout applied unless drop_after) */
    float *dresidual;      /* [N, D] or NULL: gradient of the residual (written, not added) */
    float *dgamma, *dbeta; /* [D], added to */
} ig_norm_grad;

/* Self-attention within each sequence: softmax(q kᵀ / √(D/H)) with dropout on the probabilities, times v.
 * Sequence s owns rows seq_start[s] .. seq_start[s+1]-1 of qkv. probs holds, for each sequence and
 * then each head, [T, T] before dropout; ig_attention_size says how many floats. For dropout a row is
 * (drop.row0 + query row) · H + head, a column the key's place in the sequence. */
typedef struct {
    int n_seq, n_head, d; /* d = D, a multiple of H */
    const int32_t *seq_start; /* [n_seq + 1], relative to the first row of qkv */
    const float *qkv;         /* [N, 3D]: q, k, v, each H heads of D/H */
    float *probs;             /* forward: written unless NULL; backward: read */
    float *ctx;               /* [N, D], forward */
    const float *dctx;        /* [N, D], backward */
    float *dqkv;              /* [N, 3D], backward, written */
    ig_dropout drop;
} ig_attention;

/* AdamW, one span of parameters with one decay. Both conventions of eps are in the two factors:
 *   m = β1 m + (1−β1) g s;  v = β2 v + (1−β2) (g s)²;  p −= lr_t · m / (√v · root + eps);  p −= lr·wd·p
 * (s is the clipping factor). Hugging Face 2.8: lr_t = lr √(1−β2ᵗ)/(1−β1ᵗ), root = 1, decay after the
 * step. PyTorch: lr_t = lr/(1−β1ᵗ), root = 1/√(1−β2ᵗ), decay before the step (decay_first). */
typedef struct {
    float beta1, beta2, lr_t, root, eps, grad_scale;
    float decay; /* lr · wd, 0: none */
    bool decay_first;
} ig_adamw;

typedef struct ig_ops {
    const char *name; /* "ref", "portable", "avx2", "avx512" */

    /* Floats that pack_b writes for a [K, N] operand. */
    int64_t (*pack_size)(int k, int n);
    void (*pack_b)(float *packed, const float *b, int ldb, ig_b_form form, int k, int n);
    void (*gemm)(const ig_gemm *g, ig_scratch *s);

    void (*norm)(const ig_norm *a);
    void (*norm_grad)(const ig_norm_grad *a, ig_scratch *s);
    void (*attention)(const ig_attention *a, ig_scratch *s);
    void (*attention_grad)(const ig_attention *a, ig_scratch *s);

    /* out[N, D] = word[id] + position[pos] + segment[seg] (position, segment: NULL to leave out). */
    void (*embed)(float *out, int n, int d, const float *word, const float *position,
                  const float *segment, const int32_t *id, const int32_t *pos, const int32_t *seg);
    /* Adds rows of dout to the three tables in row order; a token whose id is pad_id (−1: none) adds
     * nothing to `dword` (the padding_idx of the papers' programs). */
    void (*embed_grad)(const float *dout, int n, int d, float *dword, float *dposition,
                       float *dsegment, const int32_t *id, const int32_t *pos, const int32_t *seg,
                       int32_t pad_id);

    /* out[n] += column sums of x[M, N] (a bias's gradient), in row order per column. */
    void (*column_sum)(float *out, const float *x, int m, int n, int ldx);

    /* Rows of logits become gradients: p − onehot, times `scale`; nll[row] = −log p[label] (natural);
     * best[row] (may be NULL) = argmax, the lowest id on ties. With grad false the logits are kept. */
    void (*softmax_xent)(float *logits, int n_row, int v, int ld, const int32_t *label,
                         float scale, bool grad, double *nll, int32_t *best);

    void (*gather_rows)(float *out, const float *x, const int32_t *row, int n, int d);
    void (*scatter_add_rows)(float *x, const float *rows, const int32_t *row, int n, int d);
    void (*add)(float *dst, const float *src, int64_t n);
    double (*sum_squares)(const float *x, int64_t n); /* in double, fixed order for a given n */
    void (*adamw)(const ig_adamw *a, float *p, const float *g, float *m, float *v, int64_t n);
} ig_ops;

/* Floats of probs for these sequences. */
int64_t ig_attention_size(const int32_t *seq_start, int n_seq, int n_head);

/* The reference; and the best table for this CPU, or the one that ISOGLOT_CPU names
 * (ref, portable, avx2, avx512). NULL: no table of that name, or this CPU cannot run it. */
const ig_ops *ig_ops_ref(void);
const ig_ops *ig_ops_best(void);
const ig_ops *ig_ops_named(const char *name);

#endif
