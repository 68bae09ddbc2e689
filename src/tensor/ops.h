/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the ops: everything that the model computes, as a table of functions. `ref` fills all of
 * it (double accumulation, obvious loops: the truth); a faster backend starts from a copy and
 * overwrites the ops it has. All data are float32, row-major, in rows of tokens; N tokens of a
 * shard are packed without padding. Ops of one thread touch only what they are given.
 *
 * Letters: N packed tokens, D hidden size, H heads, F FFN size, V vocabulary, T tokens of one
 * sequence. A backend must give the same bits for the same call, and an element of a result must
 * not depend on how rows or columns are split over calls (only `accumulate` order matters).
 */
#pragma once

#include "base/rng.h"
#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Functions that kernels of a GPU call, too. */
#ifdef __CUDACC__
#define IG_INLINE static inline __host__ __device__
#else
#define IG_INLINE static inline
#endif

/* float everywhere; a test that checks gradients of `ref` compiles it a second time in double. */
#ifdef IG_OPS_DOUBLE
typedef double ig_real;
#else
typedef float ig_real;
#endif

/* Scratch memory of one thread, grown by the ops that need it (packing), never shared. Zeroed
 * before its first use. Growth happens at the first call of a shape and stays below a few MB. An op
 * that finds no memory there computes nothing: callers of ops check ig_scratches_check before they
 * use the results. */
typedef struct {
    ig_real *block;
    int64_t n_float;
    bool lost; /* memory was lacking since the last check */
} ig_scratch;
/* IG_ERR_MEMORY if an op did not run because one of n had no memory. */
ig_code ig_scratches_check(ig_scratch *s, int n, ig_err *err);
void ig_scratch_free(ig_scratch *s);
/* Frees those of n threads and the array that they are in; NULL is none. */
void ig_scratches_free(ig_scratch *s, int n);

/* Dropout that can be drawn again. The decision for column c of row r is a pure function:
 *   ig_philox(key, c / 8, r, site, step) gives 8 numbers of 16 bits, low half of out[0] first;
 *   number c % 8 < round(p · 65536)  ⇒  dropped; kept values are multiplied by 1 / (1 − that
 * share). r counts rows of the whole batch, so that the way a batch is cut into shards changes
 * nothing. p = 0: no dropout. */
typedef struct {
    ig_rng_key key;
    uint32_t site; /* number of the site in the network (model/) */
    uint32_t step;
    uint32_t row0; /* number of the call's first row within the batch */
    ig_real p;
    const int32_t *row; /* row r of the call is row0 + row[r] (norm, norm_grad); NULL: row0 + r */
} ig_dropout;

typedef enum {
    IG_B_ROWS, /* b is [K, N], ldb ≥ N */
    IG_B_COLS, /* b is [N, K], ldb ≥ K: c = a · bᵀ (a linear layer with Hugging Face's weights) */
    IG_B_PACKED /* b was written by pack_b for this K and N; ldb is not read */
} ig_b_form;

typedef enum {
    IG_EPI_NONE,
    IG_EPI_BIAS,          /* c = acc + bias[n] */
    IG_EPI_BIAS_GELU,     /* z = acc + bias[n]; c = gelu(z); aux = gelu'(z) unless aux is NULL */
    IG_EPI_MUL,           /* c = acc · aux */
    IG_EPI_BIAS_GELU_TANH /* as BIAS_GELU with GELU's approximation by tanh */
} ig_epilogue;

/* Arrays of a product that hold bfloat16: two neighbouring columns to a float, the first in its low
 * half. Their leading dimension counts floats, and they have an even number of columns. */
enum { IG_BF16_A = 1, IG_BF16_B = 2, IG_BF16_C = 4, IG_BF16_AUX = 8 };

/* c[M,N] = op(a) · op(b), then the epilogue. With `accumulate`, c += (epilogue must be NONE). c and
 * aux overlap neither each other nor an operand. Leading dimensions that are multiples of 1024
 * floats put all rows of a tile into the same sets of a first-level cache: pad them (4096 → 4112).
 */
typedef struct {
    int m, n, k;
    const ig_real *a; /* [M, K]; with a_trans [K, M] */
    int lda;
    bool a_trans;
    const ig_real *b;
    int ldb;
    ig_b_form b_form;
    ig_real *c; /* [M, N] */
    int ldc;
    bool accumulate;
    ig_epilogue epilogue;
    const ig_real *bias; /* [N], or NULL: 0 */
    ig_real *aux;        /* [M, N]: written by BIAS_GELU(_TANH), read by MUL */
    int ld_aux;
    /* The next three are only for a table that has `bf16`. */
    int bf16;       /* IG_BF16_…: b if in rows, c alone or with aux, not with `accumulate` */
    ig_real *a_sum; /* [M] or NULL; with a_trans: column sums of a, as rounded, are added to it.
                     * With it c may be NULL: then nothing else is computed */
    /* The next two are only for gemm_sparse. */
    bool sparse;  /* much of a is 0: code above the ops may take gemm_sparse instead of gemm */
    bool c_trans; /* c is [N, M], ldc ≥ M */
} ig_gemm;

#ifndef __cplusplus
/* c[m, n] = a[m, k] bᵀ: products of each row of a with each of the n rows of b. */
static inline ig_gemm ig_gemm_of_rows(const ig_real *a, int m, const ig_real *b, int n, int k,
                                      ig_real *c)
{
    return (ig_gemm){.m = m,
                     .n = n,
                     .k = k,
                     .a = a,
                     .lda = k,
                     .b = b,
                     .ldb = k,
                     .b_form = IG_B_COLS,
                     .c = c,
                     .ldc = n};
}
/* The product of the rows a[m, k] with a packed operand of n columns, into c[m, n]. */
static inline ig_gemm ig_gemm_packed(const ig_real *a, int m, int k, const ig_real *packed, int n,
                                     ig_real *c)
{
    ig_gemm g = ig_gemm_of_rows(a, m, packed, n, k, c);
    g.b_form = IG_B_PACKED;
    return g;
}
#endif

/* Words of 16 decisions for a row of d columns. */
IG_INLINE int64_t ig_kept_words(int64_t d)
{
    return (d + 15) / 16;
}

/* out = LayerNorm(x', gamma, beta) with x' = dropout(x) + residual; or, with drop_after (the
 * embeddings), out = dropout(LayerNorm(x + residual)). Biased variance, eps inside the root.
 * `rms`: without subtracting the mean (Zhang & Sennrich 2019), forward alone. out may be x or
 * residual. */
typedef struct {
    int n_row, d;
    const ig_real *x;        /* [N, D] */
    const ig_real *residual; /* [N, D] or NULL */
    ig_dropout drop;
    bool drop_after;
    const ig_real *gamma, *beta; /* [D]; beta NULL: 0 */
    bool rms;
    ig_real eps;
    ig_real *out;   /* [N, D] */
    ig_real *sum;   /* [N, D] x', or NULL; may be residual, but neither x nor out */
    ig_real *xhat;  /* [N, D] normalised input, kept for the backward pass; NULL: not kept */
    ig_real *rstd;  /* [N]; NULL: not kept */
    uint16_t *kept; /* [N, ig_kept_words(D)] written with dropout: bit c % 16 of word c / 16 is 1
                     * where column c was kept; NULL: not stored */
    ig_real *bf16;  /* [N, D] out once more in bfloat16, as in IG_BF16_A, or NULL: only for a table
                     * with `bf16`, D even and at most IG_BF16_COLUMNS */
    bool bf16_xhat; /* xhat holds bfloat16; as bf16 */
} ig_norm;

/* dx or dresidual may be dout. */
typedef struct {
    int n_row, d;
    const ig_real *dout; /* [N, D] */
    const ig_real *xhat; /* [N, D] */
    const ig_real *rstd; /* [N] */
    ig_dropout drop;
    bool drop_after;
    const uint16_t *kept; /* as the forward pass wrote it; NULL: drawn again */
    const ig_real *gamma;
    const ig_real *dsum; /* [N, D] gradient that x' gets from its use as `sum`, or NULL */
    ig_real *dx;         /* [N, D]: gradient of x (dropout applied unless drop_after) */
    ig_real *dresidual;  /* [N, D] or NULL: gradient of the residual (written, not added); may be
                          * dsum */
    ig_real *dgamma, *dbeta; /* [D], added to, or NULL */
    bool bf16;               /* dx holds bfloat16 and is none of the others; as ig_norm.bf16 */
    bool bf16_xhat;          /* xhat holds bfloat16 */
} ig_norm_grad;

enum { IG_BF16_LENGTH = 8192, IG_BF16_COLUMNS = 8192 };

/* Which keys of its sequence a query attends to: all; `causal`: none after it; `window` > 0: none
 * more than that many positions away (Beltagy et al. 2020). */
typedef struct {
    bool causal;
    int window;
} ig_attention_mask;
/* The keys of query i in a sequence of t tokens: *from .. *to − 1. */
IG_INLINE void ig_attention_keys(const ig_attention_mask *m, int i, int t, int *from, int *to)
{
    *from = m->window > 0 && i > m->window ? i - m->window : 0;
    *to = m->causal ? i + 1 : m->window > 0 && m->window < t - i ? i + m->window + 1 : t;
    *to = *to < t ? *to : t;
}

/* The queries that attend to key j: *from .. *to − 1. */
IG_INLINE void ig_attention_queries(const ig_attention_mask *m, int j, int t, int *from, int *to)
{
    *from = m->causal ? j : m->window > 0 && j > m->window ? j - m->window : 0;
    *to = m->window > 0 && m->window < t - j ? j + m->window + 1 : t;
}

/* Self-attention within each sequence: softmax(q kᵀ / √(D/H)) with dropout on the probabilities,
 * times v. Sequence s owns rows seq_start[s] .. seq_start[s+1]-1 of qkv. probs holds, for each
 * sequence and then each head, [T, T] before dropout, with the sign bit set where dropout then
 * removed one (the backward pass reads it there); ig_attention_size says how many floats. For
 * dropout a row is (drop.row0 + query row) · H + head, a column the key's position in the sequence.
 * With `distance`, the score of query i and key j is (q_i k_jᵀ + q_i r + [k_j r]) / √(D/H), r the
 * row i − j + n_distance − 1 of it, the same for every head; no sequence is longer than n_distance.
 * Keys that `mask` leaves out have probability 0.
 */
typedef struct {
    int n_seq, n_head, d;     /* d = D, a multiple of H */
    int n_kv;                 /* heads of k and v, a divisor of H: head h reads h / (H / n_kv)
                               * (Ainslie et al. 2023), forward alone; 0: H */
    ig_real scale;            /* of the scores; 0: 1 / √(D/H) */
    const int32_t *seq_start; /* [n_seq + 1], relative to the first row of qkv */
    const ig_real *qkv;       /* [N, 3D]: q, k, v, each H heads of D/H; k and v have n_kv of them */
    ig_real *probs;           /* forward: written unless NULL; backward: read */
    ig_real *room;            /* as many floats, only for a device that asks (ig_plan.gpu) */
    ig_real *ctx;             /* [N, D], forward */
    const ig_real *dctx;      /* [N, D], backward */
    ig_real *dqkv;            /* [N, 3D], backward, written */
    ig_dropout drop;
    const ig_real *distance; /* [2·n_distance − 1, D/H] or NULL */
    int n_distance;
    bool distance_keys; /* k_j r too */
    /* [H, 2·n_distance − 1] or NULL: number i − j + n_distance − 1 of its head is added to the
     * score of query i and key j, before it is scaled; constant for the backward pass. */
    const ig_real *addend;
    ig_real *ddistance; /* backward, added to, or NULL */
    ig_attention_mask mask;
    /* qkv, ctx and their gradients hold bfloat16, as in IG_BF16_A: only for a table with `bf16`,
     * without `distance`, D/H even, and no sequence longer than IG_BF16_LENGTH. */
    bool bf16;
} ig_attention;

/* Turns each pair of columns (2i, 2i + 1) of the n_head vectors of dh floats that begin each of the
 * n rows of x (rows ld apart) by an angle of its position, or back by it: (x, y) becomes
 * (x cos − y sin, y cos + x sin). table[P, 2·dh]: for each position dh cosines, each twice, then dh
 * sines, each as −sin, sin. dh is even. `half`: the pairs are columns i and dh/2 + i (Llama,
 * GPT-NeoX), in the table dh/2 cosines and as many sines come first of either half. */
typedef struct {
    ig_real *x;
    int n, ld, n_head, dh;
    const ig_real *table;
    const int32_t *pos;
    bool back, half;
} ig_rotary;

/* Each of the n_head vectors of dh floats that begin each of the n rows of x (rows ld apart),
 * divided by its root mean square and times gamma[dh]. */
typedef struct {
    ig_real *x;
    int n, ld, n_head, dh;
    const ig_real *gamma;
    ig_real eps;
} ig_head_norm;

typedef enum { IG_ACT_GELU, IG_ACT_GELU_TANH, IG_ACT_SILU } ig_activation;

/* A gated linear unit (Shazeer 2020): out = act(x) · y of rows (x, y) [N, 2F]. Backward: dxy, which
 * may be xy, gets their gradient from dout. */
typedef struct {
    const ig_real *xy; /* [N, 2F] */
    int n, f;
    ig_activation act;
    ig_real *out;        /* [N, F], forward */
    const ig_real *dout; /* [N, F], backward */
    ig_real *dxy;        /* [N, 2F], backward */
} ig_gate;

/* out[N, D] = word[id] + position[pos] + segment[seg] (position, segment: NULL to leave out). */
typedef struct {
    ig_real *out;
    int n, d;
    const ig_real *word, *position, *segment;
    const int32_t *id, *pos, *seg;
} ig_embed;

/* Adds rows of dout to the three tables (NULL: not) in row order; a token whose id is pad_id (−1:
 * none) adds nothing to `word` (the padding_idx of the papers' programs). */
typedef struct {
    const ig_real *dout;
    int n, d;
    ig_real *word, *position, *segment;
    const int32_t *id, *pos, *seg;
    int32_t pad_id;
    int n_word, n_position, n_segment; /* rows of the tables, only for a GPU */
} ig_embed_grad;

/* Rows of logits become gradients: p − onehot, times `scale`; nll[row] = −log p[label] (natural);
 * best[row] (may be NULL) = argmax, the lowest id on ties. With grad false the logits are kept. */
typedef struct {
    ig_real *logits;
    int n_row, v, ld;
    const int32_t *label;
    ig_real scale;
    bool grad;
    double *nll;
    int32_t *best;
} ig_xent;

/* A step of an LSTM: c = f c' + i g and out = o tanh c, where i, f, g, o are σ, σ, tanh and σ of
 * the gate's input. */
typedef struct {
    int h;
    ig_real *gate;         /* [4H] written: i, f, g, o; in the backward pass overwritten by their
                            * gradient */
    const ig_real *before; /* [H] c', or NULL: 0 */
    ig_real *cell, *slope; /* [H] written: c and tanh c; the backward pass reads only slope */
    ig_real *out;          /* [H] written; the backward pass reads its gradient */
    const ig_real *dcell;  /* [H] backward: gradient of c, without the part through out */
    ig_real *dbefore;      /* [H] backward, written: gradient of c'; unless before is NULL */
} ig_lstm_cell;

/* AdamW, one span of parameters with one decay. Both conventions of eps are in the two factors:
 *   m = β1 m + (1−β1) g s;  v = β2 v + (1−β2) (g s)²;  p −= lr_t · m / (√v · root + eps);  p −=
 * lr·wd·p (s is the clipping factor). Hugging Face 2.8: lr_t = lr √(1−β2ᵗ)/(1−β1ᵗ), root = 1, decay
 * after the step. PyTorch: lr_t = lr/(1−β1ᵗ), root = 1/√(1−β2ᵗ), decay before the step
 * (decay_first). */
typedef struct {
    ig_real beta1, beta2, lr_t, root, eps, grad_scale;
    ig_real decay; /* lr · wd, 0: none */
    bool decay_first;
} ig_adamw;

typedef struct ig_ops {
    const char *name; /* "ref", "portable", "avx2", "avx512", "avx512bf16", "avx2-rounded" … */

    /* Floats that pack_b writes for a [K, N] operand. The columns from j on, j a multiple of 64,
     * are at packed + pack_size(k, j), whether they were packed alone or with the others. */
    int64_t (*pack_size)(int k, int n);
    void (*pack_b)(ig_real *packed, const ig_real *b, int ldb, ig_b_form form, int k, int n);
    void (*gemm)(const ig_gemm *g, ig_scratch *s);
    /* gemm with b packed and the epilogues NONE and BIAS, but without the products of a's zeros:
     * the same values, where b is finite. NULL: a table whose operands are not float32. */
    void (*gemm_sparse)(const ig_gemm *g, ig_scratch *s);
    bool bf16; /* the ops take arrays of bfloat16, gemm a_sum, too */

    void (*norm)(const ig_norm *a);
    void (*norm_grad)(const ig_norm_grad *a, ig_scratch *s);
    void (*attention)(const ig_attention *a, ig_scratch *s);
    void (*attention_grad)(const ig_attention *a, ig_scratch *s);

    void (*rotary)(const ig_rotary *a);
    void (*head_norm)(const ig_head_norm *a);
    void (*gate)(const ig_gate *a);
    void (*gate_grad)(const ig_gate *a);

    void (*lstm_cell)(const ig_lstm_cell *a);
    void (*lstm_cell_grad)(const ig_lstm_cell *a);

    void (*embed)(const ig_embed *a);
    void (*embed_grad)(const ig_embed_grad *a);

    /* Dropout on the rows of x [N, D]; drop->p 0: nothing. */
    void (*drop)(ig_real *x, int n, int d, const ig_dropout *drop);

    /* out[n] += column sums of x[M, N] (a bias's gradient), in row order per column. */
    void (*column_sum)(ig_real *out, const ig_real *x, int m, int n, int ldx);

    void (*softmax_xent)(const ig_xent *a);

    void (*gather_rows)(ig_real *out, const ig_real *x, const int32_t *row, int n, int d);
    void (*scatter_add_rows)(ig_real *x, const ig_real *rows, const int32_t *row, int n, int d);
    void (*add)(ig_real *dst, const ig_real *src, int64_t n);
    double (*sum_squares)(const ig_real *x, int64_t n); /* in double, fixed order for a given n */
    void (*adamw)(const ig_adamw *a, ig_real *p, const ig_real *g, ig_real *m, ig_real *v,
                  int64_t n);
} ig_ops;

/* X(op): all ops of the table except pack_size, which computes nothing. */
#define IG_OP_LIST(X)                                                                              \
    X(pack_b)                                                                                      \
    X(gemm)                                                                                        \
    X(gemm_sparse)                                                                                 \
    X(norm)                                                                                        \
    X(norm_grad)                                                                                   \
    X(attention)                                                                                   \
    X(attention_grad)                                                                              \
    X(rotary)                                                                                      \
    X(head_norm)                                                                                   \
    X(gate)                                                                                        \
    X(gate_grad)                                                                                   \
    X(lstm_cell)                                                                                   \
    X(lstm_cell_grad)                                                                              \
    X(embed)                                                                                       \
    X(embed_grad)                                                                                  \
    X(drop)                                                                                        \
    X(column_sum)                                                                                  \
    X(softmax_xent)                                                                                \
    X(gather_rows)                                                                                 \
    X(scatter_add_rows)                                                                            \
    X(add)                                                                                         \
    X(sum_squares)                                                                                 \
    X(adamw)

/* Returns the floats of probs for these sequences. */
int64_t ig_attention_size(const int32_t *seq_start, int n_seq, int n_head);

/* Names of this architecture's float32 tables, slowest first, and NULL. */
extern const char *const ig_ops_names[];

/* The reference; and the best table for this CPU, or the one that ISOGLOT_CPU names
 * (ref, portable, avx2, avx512, neon). NULL: no table of that name, or this CPU cannot run it. */
const ig_ops *ig_ops_ref(void);
const ig_ops *ig_ops_best(void);
const ig_ops *ig_ops_named(const char *name);
/* The best table with products (gemm, attention) in bfloat16: operands are rounded to it (to
 * nearest even; below 2⁻¹²⁶ to 0), sums and everything else stay float32, GELU with an absolute
 * error below 4e-7. A CPU without such products (its table has no `bf16`), or one whose own are
 * slower (ISOGLOT_CPU=avx512 has them all the same), multiplies the rounded operands in float32.
 * NULL: ISOGLOT_CPU names `ref`, or no table that this CPU runs. */
const ig_ops *ig_ops_bfloat16(void);

/* Returns which kernel a table uses for its i-th op: *op gets the op's name, *kernel the name of
 * the table the function comes from. False when i is past the last op. */
bool ig_ops_describe(const ig_ops *t, int i, const char **op, const char **kernel);
