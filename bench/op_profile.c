/* SPDX-License-Identifier: Apache-2.0
 *
 * Wraps an op table with timers. Threads add to shared counters, since an op takes microseconds and
 * an atomic addition nanoseconds.
 */
#include "bench/op_profile.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

typedef enum {
    P_PACK,
    P_LINEAR,      /* y = x W, weights packed */
    P_EPILOGUE,    /* that with GELU, or times its slope */
    P_WEIGHT_GRAD, /* aᵀ b */
    P_OTHER_PRODUCT,
    P_NORM,
    P_NORM_GRAD,
    P_ATTENTION,
    P_ATTENTION_GRAD,
    P_ROTARY,
    P_GATE,
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

static const char *const names[P_COUNT] = {"pack",        "linear",        "linear_epilogue",
                                           "weight_grad", "other_product", "norm",
                                           "norm_grad",   "attention",     "attention_grad",
                                           "rotary",      "gate",          "lstm_cells",
                                           "embed",       "embed_grad",    "drop",
                                           "column_sum",  "softmax_xent",  "rows",
                                           "add",         "sum_squares",   "adamw"};
static const ig_op_kind kinds[P_COUNT] = {[P_PACK] = IG_OP_PACK,
                                          [P_LINEAR] = IG_OP_PRODUCT,
                                          [P_EPILOGUE] = IG_OP_PRODUCT_EPILOGUE,
                                          [P_WEIGHT_GRAD] = IG_OP_PRODUCT,
                                          [P_OTHER_PRODUCT] = IG_OP_PRODUCT};

static const ig_ops *inner_table;
static _Atomic int64_t calls[P_COUNT], nanoseconds[P_COUNT], flop[P_COUNT];
static clockid_t clock_read;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(clock_read, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void record(slot s, int64_t since)
{
    atomic_fetch_add_explicit(&nanoseconds[s], now() - since, memory_order_relaxed);
    atomic_fetch_add_explicit(&calls[s], 1, memory_order_relaxed);
}

/* X(op, its kind, its parameters, these as arguments): all ops that return nothing. */
#define TIMED_OPS(X)                                                                               \
    X(pack_b, P_PACK, (float *to, const float *b, int ldb, ig_b_form form, int k, int n),          \
      (to, b, ldb, form, k, n))                                                                    \
    X(norm, P_NORM, (const ig_norm *a), (a))                                                       \
    X(norm_grad, P_NORM_GRAD, (const ig_norm_grad *a, ig_scratch *s), (a, s))                      \
    X(attention, P_ATTENTION, (const ig_attention *a, ig_scratch *s), (a, s))                      \
    X(attention_grad, P_ATTENTION_GRAD, (const ig_attention *a, ig_scratch *s), (a, s))            \
    X(rotary, P_ROTARY, (const ig_rotary *a), (a))                                                 \
    X(head_norm, P_NORM, (const ig_head_norm *a), (a))                                             \
    X(gate, P_GATE, (const ig_gate *a), (a))                                                       \
    X(gate_grad, P_GATE, (const ig_gate *a), (a))                                                  \
    X(lstm_cell, P_LSTM, (const ig_lstm_cell *a), (a))                                             \
    X(lstm_cell_grad, P_LSTM, (const ig_lstm_cell *a), (a))                                        \
    X(embed, P_EMBED, (const ig_embed *a), (a))                                                    \
    X(embed_grad, P_EMBED_GRAD, (const ig_embed_grad *a), (a))                                     \
    X(drop, P_DROP, (float *x, int n, int d, const ig_dropout *how), (x, n, d, how))               \
    X(column_sum, P_COLUMN_SUM, (float *out, const float *x, int m, int n, int ldx),               \
      (out, x, m, n, ldx))                                                                         \
    X(softmax_xent, P_XENT, (const ig_xent *a), (a))                                               \
    X(gather_rows, P_ROWS, (float *out, const float *x, const int32_t *row, int n, int d),         \
      (out, x, row, n, d))                                                                         \
    X(scatter_add_rows, P_ROWS, (float *x, const float *rows, const int32_t *row, int n, int d),   \
      (x, rows, row, n, d))                                                                        \
    X(add, P_ADD, (float *dst, const float *src, int64_t n), (dst, src, n))                        \
    X(adamw, P_ADAMW,                                                                              \
      (const ig_adamw *a, float *p, const float *g, float *m, float *v, int64_t n),                \
      (a, p, g, m, v, n))

#define TIMED_OP(op, slot, parameters, arguments)                                                  \
    static void p_##op parameters                                                                  \
    {                                                                                              \
        const int64_t t = now();                                                                   \
        inner_table->op arguments;                                                                 \
        record(slot, t);                                                                           \
    }
TIMED_OPS(TIMED_OP)
#undef TIMED_OP

static void record_product(const ig_gemm *g, int64_t since)
{
    const slot s = g->a_trans                        ? P_WEIGHT_GRAD
                   : g->b_form != IG_B_PACKED        ? P_OTHER_PRODUCT
                   : g->epilogue >= IG_EPI_BIAS_GELU ? P_EPILOGUE
                                                     : P_LINEAR;
    record(s, since);
    if (g->c != NULL)
        atomic_fetch_add_explicit(&flop[s], (int64_t)2 * g->m * g->n * g->k, memory_order_relaxed);
}

static void p_gemm(const ig_gemm *g, ig_scratch *s)
{
    const int64_t t = now();
    inner_table->gemm(g, s);
    record_product(g, t);
}

static void p_gemm_sparse(const ig_gemm *g, ig_scratch *s)
{
    const int64_t t = now();
    inner_table->gemm_sparse(g, s);
    record_product(g, t);
}

static double p_sum_squares(const float *x, int64_t n)
{
    const int64_t t = now();
    const double s = inner_table->sum_squares(x, n);
    record(P_SUM_SQUARES, t);
    return s;
}

const ig_ops *ig_op_profile_begin(const ig_ops *inner, bool busy_time)
{
    static ig_ops table;
    clock_read = busy_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    inner_table = inner;
    table = *inner;
#define TIMED_OP(op, slot, parameters, arguments) table.op = p_##op;
    TIMED_OPS(TIMED_OP)
#undef TIMED_OP
    table.sum_squares = p_sum_squares;
    table.gemm = p_gemm;
    table.gemm_sparse = inner->gemm_sparse == NULL ? NULL : p_gemm_sparse;
    ig_op_profile_clear();
    return &table;
}

bool ig_op_profile_get(int i, ig_op_time *out)
{
    if (i < 0 || i >= P_COUNT)
        return false;
    *out = (ig_op_time){.name = names[i],
                        .kind = kinds[i],
                        .flop = (double)atomic_load(&flop[i]),
                        .n_call = atomic_load(&calls[i]),
                        .seconds = (double)atomic_load(&nanoseconds[i]) * 1e-9};
    return true;
}

void ig_op_profile_clear(void)
{
    for (int i = 0; i < P_COUNT; i++) {
        atomic_store(&calls[i], 0);
        atomic_store(&nanoseconds[i], 0);
        atomic_store(&flop[i], 0);
    }
}
