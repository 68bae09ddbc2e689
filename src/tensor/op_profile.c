/* SPDX-License-Identifier: Apache-2.0
 *
 * Timing wrappers around an op table; see op_profile.h. Threads add to shared counters, since an op
 * takes microseconds and an atomic addition nanoseconds.
 */
#include "tensor/op_profile.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

typedef enum {
    P_PACK,
    P_LINEAR,      /* y = x W and its epilogue, weights packed */
    P_WEIGHT_GRAD, /* aᵀ b */
    P_OTHER_PRODUCT,
    P_NORM,
    P_NORM_GRAD,
    P_ATTENTION,
    P_ATTENTION_GRAD,
    P_ROTARY,
    P_LSTM,
    P_EMBED,
    P_EMBED_GRAD,
    P_DROP,
    P_COLUMN_SUM,
    P_XENT,
    P_ROWS,
    P_ADD,
    P_SUM_SQUARES,
    P_ADAMW,
    P_COUNT
} slot;

static const char *const names[P_COUNT] = {
    "pack",      "linear",     "weight_grad",    "other_product", "norm",
    "norm_grad", "attention",  "attention_grad", "rotary",        "lstm_cells",
    "embed",     "embed_grad", "drop",           "column_sum",    "softmax_xent",
    "rows",      "add",        "sum_squares",    "adamw"};

static const ig_ops *inner_table;
static _Atomic int64_t calls[P_COUNT], nanoseconds[P_COUNT];

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void record(slot s, int64_t since)
{
    atomic_fetch_add_explicit(&nanoseconds[s], now() - since, memory_order_relaxed);
    atomic_fetch_add_explicit(&calls[s], 1, memory_order_relaxed);
}

static void p_pack_b(float *packed, const float *b, int ldb, ig_b_form form, int k, int n)
{
    const int64_t t = now();
    inner_table->pack_b(packed, b, ldb, form, k, n);
    record(P_PACK, t);
}

static void p_gemm(const ig_gemm *g, ig_scratch *s)
{
    const int64_t t = now();
    inner_table->gemm(g, s);
    record(g->a_trans ? P_WEIGHT_GRAD : g->b_form == IG_B_PACKED ? P_LINEAR : P_OTHER_PRODUCT, t);
}

static void p_gemm_sparse(const ig_gemm *g, ig_scratch *s)
{
    const int64_t t = now();
    inner_table->gemm_sparse(g, s);
    record(g->a_trans ? P_WEIGHT_GRAD : P_LINEAR, t);
}

static void p_norm(const ig_norm *a)
{
    const int64_t t = now();
    inner_table->norm(a);
    record(P_NORM, t);
}

static void p_norm_grad(const ig_norm_grad *a, ig_scratch *s)
{
    const int64_t t = now();
    inner_table->norm_grad(a, s);
    record(P_NORM_GRAD, t);
}

static void p_attention(const ig_attention *a, ig_scratch *s)
{
    const int64_t t = now();
    inner_table->attention(a, s);
    record(P_ATTENTION, t);
}

static void p_attention_grad(const ig_attention *a, ig_scratch *s)
{
    const int64_t t = now();
    inner_table->attention_grad(a, s);
    record(P_ATTENTION_GRAD, t);
}

static void p_rotary(const ig_rotary *a)
{
    const int64_t t = now();
    inner_table->rotary(a);
    record(P_ROTARY, t);
}

static void p_lstm_cell(const ig_lstm_cell *a)
{
    const int64_t t = now();
    inner_table->lstm_cell(a);
    record(P_LSTM, t);
}

static void p_lstm_cell_grad(const ig_lstm_cell *a)
{
    const int64_t t = now();
    inner_table->lstm_cell_grad(a);
    record(P_LSTM, t);
}

static void p_embed(const ig_embed *a)
{
    const int64_t t = now();
    inner_table->embed(a);
    record(P_EMBED, t);
}

static void p_embed_grad(const ig_embed_grad *a)
{
    const int64_t t = now();
    inner_table->embed_grad(a);
    record(P_EMBED_GRAD, t);
}

static void p_drop(float *x, int n, int d, const ig_dropout *drop)
{
    const int64_t t = now();
    inner_table->drop(x, n, d, drop);
    record(P_DROP, t);
}

static void p_column_sum(float *out, const float *x, int m, int n, int ldx)
{
    const int64_t t = now();
    inner_table->column_sum(out, x, m, n, ldx);
    record(P_COLUMN_SUM, t);
}

static void p_softmax_xent(const ig_xent *a)
{
    const int64_t t = now();
    inner_table->softmax_xent(a);
    record(P_XENT, t);
}

static void p_gather_rows(float *out, const float *x, const int32_t *row, int n, int d)
{
    const int64_t t = now();
    inner_table->gather_rows(out, x, row, n, d);
    record(P_ROWS, t);
}

static void p_scatter_add_rows(float *x, const float *rows, const int32_t *row, int n, int d)
{
    const int64_t t = now();
    inner_table->scatter_add_rows(x, rows, row, n, d);
    record(P_ROWS, t);
}

static void p_add(float *dst, const float *src, int64_t n)
{
    const int64_t t = now();
    inner_table->add(dst, src, n);
    record(P_ADD, t);
}

static double p_sum_squares(const float *x, int64_t n)
{
    const int64_t t = now();
    const double s = inner_table->sum_squares(x, n);
    record(P_SUM_SQUARES, t);
    return s;
}

static void p_adamw(const ig_adamw *a, float *p, const float *g, float *m, float *v, int64_t n)
{
    const int64_t t = now();
    inner_table->adamw(a, p, g, m, v, n);
    record(P_ADAMW, t);
}

const ig_ops *ig_op_profile_begin(const ig_ops *inner)
{
    static ig_ops table;
    inner_table = inner;
    table = *inner;
    table.pack_b = p_pack_b;
    table.gemm = p_gemm;
    if (inner_table->gemm_sparse != NULL)
        table.gemm_sparse = p_gemm_sparse;
    table.norm = p_norm;
    table.norm_grad = p_norm_grad;
    table.attention = p_attention;
    table.attention_grad = p_attention_grad;
    table.rotary = p_rotary;
    table.lstm_cell = p_lstm_cell;
    table.lstm_cell_grad = p_lstm_cell_grad;
    table.embed = p_embed;
    table.embed_grad = p_embed_grad;
    table.drop = p_drop;
    table.column_sum = p_column_sum;
    table.softmax_xent = p_softmax_xent;
    table.gather_rows = p_gather_rows;
    table.scatter_add_rows = p_scatter_add_rows;
    table.add = p_add;
    table.sum_squares = p_sum_squares;
    table.adamw = p_adamw;
    ig_op_profile_clear();
    return &table;
}

bool ig_op_profile_get(int i, ig_op_time *out)
{
    if (i < 0 || i >= P_COUNT)
        return false;
    *out = (ig_op_time){.name = names[i],
                        .n_call = atomic_load(&calls[i]),
                        .seconds = (double)atomic_load(&nanoseconds[i]) * 1e-9};
    return true;
}

void ig_op_profile_clear(void)
{
    for (int i = 0; i < P_COUNT; i++) {
        atomic_store(&calls[i], 0);
        atomic_store(&nanoseconds[i], 0);
    }
}
