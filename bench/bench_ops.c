/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures the rate of every op at the shapes of a shard of BERT-small: ten sequences of 27 tokens,
 * hidden size 64, one in six tokens predicted among 4096. Bytes are those that an op cannot do
 * without: each array read or written once.
 */
#include "bench/bench_ops.h"

#include "base/memory.h"
#include "bench/bench_kernels.h"

#include <stdio.h>
#include <string.h>

enum {
    SEQ = 10,
    T = 27,
    N = SEQ * T,
    D = 64,
    H = 1,
    V = 4096,
    PREDICTED = 45,
    SPAN = V * D, /* floats of the largest array */
    N_ARRAY = 8,
    LSTM = 200,
    SPARSE_M = 96,
    SPARSE_N = 256,
    SPARSE_K = 768
};

/* The arrays that a thread works on. */
typedef struct {
    float *f[N_ARRAY]; /* [SPAN] each */
    double nll[PREDICTED];
    int32_t start[SEQ + 1], id[N], pos[N], seg[N], best[PREDICTED];
    ig_scratch scratch;
} work;

typedef void op_fn(const ig_ops *o, work *w);

static const ig_dropout drop = {.key = {.k = {1, 2}}, .site = 3, .step = 4, .p = 0.1f};

static void norm(const ig_ops *o, work *w)
{
    o->norm(&(ig_norm){.n_row = N,
                       .d = D,
                       .x = w->f[0],
                       .residual = w->f[1],
                       .drop = drop,
                       .gamma = w->f[2],
                       .beta = w->f[3],
                       .eps = 1e-12f,
                       .out = w->f[4],
                       .xhat = w->f[5],
                       .rstd = w->f[6]});
}

static void norm_grad(const ig_ops *o, work *w)
{
    o->norm_grad(&(ig_norm_grad){.n_row = N,
                                 .d = D,
                                 .dout = w->f[0],
                                 .xhat = w->f[1],
                                 .rstd = w->f[2],
                                 .drop = drop,
                                 .gamma = w->f[3],
                                 .dx = w->f[4],
                                 .dresidual = w->f[5],
                                 .dgamma = w->f[6],
                                 .dbeta = w->f[7]},
                 &w->scratch);
}

static ig_attention attention_of(work *w)
{
    return (ig_attention){.n_seq = SEQ,
                          .n_head = H,
                          .d = D,
                          .seq_start = w->start,
                          .qkv = w->f[0],
                          .probs = w->f[1],
                          .ctx = w->f[2],
                          .dctx = w->f[3],
                          .dqkv = w->f[4],
                          .drop = drop};
}

static void attention(const ig_ops *o, work *w)
{
    const ig_attention a = attention_of(w);
    o->attention(&a, &w->scratch);
}

static void attention_grad(const ig_ops *o, work *w)
{
    const ig_attention a = attention_of(w);
    o->attention_grad(&a, &w->scratch);
}

static void rotary(const ig_ops *o, work *w)
{
    o->rotary(&(ig_rotary){w->f[0], N, 3 * D, 2 * H, D / H, w->f[1], w->pos, false, false});
}

/* Queries and keys of one head of 64 columns each. */
static void head_norm(const ig_ops *o, work *w)
{
    o->head_norm(&(ig_head_norm){.x = w->f[0],
                                 .n = N,
                                 .ld = 3 * D,
                                 .n_head = 2 * H,
                                 .dh = D / H,
                                 .gamma = w->f[1],
                                 .eps = 1e-6f});
}

static ig_gate gate_of(work *w)
{
    return (ig_gate){.xy = w->f[0], .n = N, .f = 4 * D, .out = w->f[1], .dout = w->f[1]};
}

static void gate(const ig_ops *o, work *w)
{
    const ig_gate a = gate_of(w);
    o->gate(&a);
}

static void gate_grad(const ig_ops *o, work *w)
{
    ig_gate a = gate_of(w);
    a.dxy = w->f[2];
    o->gate_grad(&a);
}

static ig_lstm_cell cell_of(work *w)
{
    return (ig_lstm_cell){.h = LSTM,
                          .gate = w->f[0],
                          .before = w->f[1],
                          .cell = w->f[2],
                          .slope = w->f[3],
                          .out = w->f[4],
                          .dcell = w->f[5],
                          .dbefore = w->f[6]};
}

static void lstm_cell(const ig_ops *o, work *w)
{
    const ig_lstm_cell a = cell_of(w);
    o->lstm_cell(&a);
}

static void lstm_cell_grad(const ig_ops *o, work *w)
{
    const ig_lstm_cell a = cell_of(w);
    memcpy(a.gate, w->f[7], 4 * LSTM * sizeof *a.gate); /* it becomes smaller each time */
    o->lstm_cell_grad(&a);
}

static void embed(const ig_ops *o, work *w)
{
    o->embed(&(ig_embed){w->f[0], N, D, w->f[1], w->f[2], w->f[3], w->id, w->pos, w->seg});
}

static void embed_grad(const ig_ops *o, work *w)
{
    o->embed_grad(&(ig_embed_grad){w->f[0], N, D, w->f[1], w->f[2], w->f[3], w->id, w->pos, w->seg,
                                   0, 0, 0, 0});
}

static void drop_rows(const ig_ops *o, work *w)
{
    o->drop(w->f[0], N, D, &drop);
}

static void column_sum(const ig_ops *o, work *w)
{
    o->column_sum(w->f[0], w->f[1], N, 4 * D, 4 * D);
}

static void softmax_xent(const ig_ops *o, work *w)
{
    o->softmax_xent(
        &(ig_xent){w->f[0], PREDICTED, V, V, w->id, 1.0f / PREDICTED, true, w->nll, w->best});
}

static void gather_rows(const ig_ops *o, work *w)
{
    o->gather_rows(w->f[0], w->f[1], w->pos, PREDICTED, D);
}

static void scatter_add_rows(const ig_ops *o, work *w)
{
    o->scatter_add_rows(w->f[0], w->f[1], w->pos, PREDICTED, D);
}

static void add(const ig_ops *o, work *w)
{
    o->add(w->f[0], w->f[1], SPAN);
}

static void sum_squares(const ig_ops *o, work *w)
{
    w->nll[0] = o->sum_squares(w->f[0], SPAN);
}

static void adamw(const ig_ops *o, work *w)
{
    static const ig_adamw a = {.beta1 = 0.9f,
                               .beta2 = 0.999f,
                               .lr_t = 1e-4f,
                               .root = 1,
                               .eps = 1e-6f,
                               .grad_scale = 1,
                               .decay = 1e-6f};
    o->adamw(&a, w->f[0], w->f[1], w->f[2], w->f[3], SPAN);
}

static void pack_b(const ig_ops *o, work *w)
{
    o->pack_b(w->f[0], w->f[1], D, IG_B_COLS, D, V / 2);
}

/* Every second number of a is 0. */
static void gemm_sparse(const ig_ops *o, work *w)
{
    for (int i = 0; i < SPARSE_M * SPARSE_K; i += 2)
        w->f[0][i] = 0;
    o->gemm_sparse(&(ig_gemm){.m = SPARSE_M,
                              .n = SPARSE_N,
                              .k = SPARSE_K,
                              .a = w->f[0],
                              .lda = SPARSE_K,
                              .b = w->f[1],
                              .b_form = IG_B_PACKED,
                              .c = w->f[2],
                              .ldc = SPARSE_N},
                   &w->scratch);
}

#define FLOATS(n) ((double)(n) * sizeof(float))
#define INDICES(n) ((double)(n) * sizeof(int32_t))

/* flop 0: the op moves data, and `bytes` are counted. */
static const struct {
    const char *op, *shape;
    op_fn *run;
    double flop, bytes;
} others[] = {
    {"attention", "10 x 27 tokens, width 64", attention, 4.0 * (SEQ * T * T * D), 0},
    {"attention_grad", "10 x 27 tokens, width 64", attention_grad, 8.0 * (SEQ * T * T * D), 0},
    {"gemm_sparse", "96 x 256 x 768, half 0", gemm_sparse, 1.0 * SPARSE_M *SPARSE_N *SPARSE_K, 0},
    {"norm", "270 x 64, dropout, residual", norm, 0, FLOATS(4 * N * D)},
    {"norm_grad", "270 x 64, dropout, residual", norm_grad, 0, FLOATS(4 * N * D)},
    {"rotary", "270 x 128", rotary, 0, FLOATS((4 + 2) * N * D)},
    {"head_norm", "270 x 128", head_norm, 0, FLOATS(4 * N * D)},
    {"gate", "270 x 512", gate, 0, FLOATS(3 * 4 * N * D)},
    {"gate_grad", "270 x 512", gate_grad, 0, FLOATS(5 * 4 * N * D)},
    {"lstm_cell", "200", lstm_cell, 0, FLOATS((2 * 4 + 4) * LSTM)},
    {"lstm_cell_grad", "200", lstm_cell_grad, 0, FLOATS((2 * 4 + 5) * LSTM)},
    {"embed", "270 x 64", embed, 0, FLOATS(4 * N * D) + INDICES(3 * N)},
    {"embed_grad", "270 x 64", embed_grad, 0, FLOATS(7 * N * D) + INDICES(3 * N)},
    {"drop", "270 x 64", drop_rows, 0, FLOATS(2 * N * D)},
    {"column_sum", "270 x 256", column_sum, 0, FLOATS(N * 4 * D)},
    {"softmax_xent", "45 x 4096", softmax_xent, 0, FLOATS(2 * PREDICTED * V)},
    {"gather_rows", "45 x 64", gather_rows, 0, FLOATS(2 * PREDICTED * D) + INDICES(PREDICTED)},
    {"scatter_add_rows", "45 x 64", scatter_add_rows, 0,
     FLOATS(3 * PREDICTED * D) + INDICES(PREDICTED)},
    {"pack_b", "64 x 2048", pack_b, 0, FLOATS(D *V)},
    {"add", "262144", add, 0, FLOATS(3 * SPAN)},
    {"sum_squares", "262144", sum_squares, 0, FLOATS(SPAN)},
    {"adamw", "262144", adamw, 0, FLOATS(7 * SPAN)},
};

typedef struct {
    const ig_ops *ops;
    work *work; /* one per thread */
    op_fn *run; /* NULL: memcpy of copy_bytes */
    size_t copy_bytes;
    int repeats;
} job;

static void run_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    work *w = &j->work[i_task];
    (void)i_thread;
    for (int i = 0; i < j->repeats; i++) {
        if (j->run != NULL)
            j->run(j->ops, w);
        else {
            /* More bytes than an array has are several copies. */
            for (size_t left = j->copy_bytes; left > 0;) {
                const size_t n = left < SPAN * sizeof(float) ? left : SPAN * sizeof(float);
                const int k = (int)((left / (SPAN * sizeof(float))) % (N_ARRAY / 2));
                memcpy(w->f[2 * k], w->f[2 * k + 1], n);
                left -= n;
            }
        }
    }
}

/* Calls per second of one thread, the best of several tries. */
static double calls_a_second(job *j, ig_team *team, bool busy_time)
{
    enum { TRIES = 8 };
    static const double long_enough = 2e-3;
    const int n_thread = ig_team_size(team);
    double best = 0;
    j->repeats = 1;
    for (int i = 0; i < TRIES;) {
        const double t = ig_bench_seconds(n_thread, busy_time);
        ig_team_for(team, n_thread, run_task, j);
        const double spent = ig_bench_seconds(n_thread, busy_time) - t;
        if (spent < long_enough && j->repeats < 1 << 20) {
            j->repeats *= 2;
            continue;
        }
        const double rate = j->repeats / spent;
        best = rate > best ? rate : best;
        i++;
    }
    return best;
}

static ig_code fill(work *w, ig_err *err)
{
    for (int k = 0; k < N_ARRAY; k++) {
        IG_TRY(ig_alloc(&w->f[k], SPAN, sizeof(float), "benchmark", err));
        for (int i = 0; i < SPAN; i++)
            w->f[k][i] = (float)((i * 7 + k) % 31 + 1) * 0x1p-10f;
    }
    for (int i = 0; i <= SEQ; i++)
        w->start[i] = i * T;
    for (int i = 0; i < N; i++) {
        w->id[i] = (i * 977 + 5) % V;
        w->pos[i] = i % T * 3; /* rows of an array of at least 3 T */
        w->seg[i] = i % 2;
    }
    return IG_ERR_OK;
}

static void one(ig_bench_op *out, int i, job *j, ig_team *team, bool busy_time)
{
    const int n_thread = ig_team_size(team);
    const bool arithmetic = others[i].flop > 0;
    *out = (ig_bench_op){.op = others[i].op, .arithmetic = arithmetic};
    snprintf(out->shape, sizeof out->shape, "%s", others[i].shape);
    if (!arithmetic) {
        j->run = NULL;
        j->copy_bytes = (size_t)(others[i].bytes / 2); /* read, and written */
        out->ceiling = calls_a_second(j, team, busy_time) * others[i].bytes * n_thread * 1e-9;
    }
    j->run = others[i].run;
    out->per_second = calls_a_second(j, team, busy_time);
    out->rate = out->per_second * (arithmetic ? others[i].flop : others[i].bytes) * n_thread * 1e-9;
}

static ig_code products(ig_bench_op_list *list, const ig_ops *ops, ig_team *team, bool busy_time,
                        ig_err *err)
{
    static const char *const epilogue[] = {"", ", bias", ", bias, gelu", ", times", ", bias, gelu"};
    for (int i = 0; i < ig_n_bench_shape; i++) {
        const ig_bench_shape *s = &ig_bench_shapes[i];
        ig_bench_op *out = &list->op[list->n];
        if (s->large)
            continue;
        *out = (ig_bench_op){.op = "gemm", .arithmetic = true};
        snprintf(out->shape, sizeof out->shape, "%d x %d x %d%s%s", s->m, s->n, s->k,
                 epilogue[s->epilogue], s->accumulate ? ", added" : "");
        IG_TRY(ig_bench_product(&out->rate, s, ops, team, busy_time, err));
        out->per_second = out->rate * 1e9 / (2.0 * s->m * s->n * s->k) / (double)ig_team_size(team);
        list->n++;
    }
    return IG_ERR_OK;
}

ig_code ig_bench_ops(ig_bench_op_list *out, const ig_ops *ops, ig_team *team, double gflops,
                     bool busy_time, ig_err *err)
{
    const int n_thread = ig_team_size(team);
    job j = {.ops = ops};
    ig_bench_op *op = out->op;
    out->n = 0;
    IG_TRY(products(out, ops, team, busy_time, err));
    IG_TRY(ig_alloc(&j.work, n_thread, sizeof *j.work, "benchmark", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n_thread && code == IG_ERR_OK; i++)
        code = fill(&j.work[i], err);
    for (size_t i = 0; i < sizeof others / sizeof *others && code == IG_ERR_OK; i++)
        if (others[i].run != gemm_sparse || ops->gemm_sparse != NULL)
            one(&op[out->n++], (int)i, &j, team, busy_time);
    /* A product in the caches may be faster than a large one. */
    for (int i = 0; i < out->n; i++)
        gflops = op[i].arithmetic && op[i].rate > gflops ? op[i].rate : gflops;
    for (int i = 0; i < out->n; i++)
        op[i].ceiling = op[i].arithmetic ? gflops : op[i].ceiling;
    for (int i = 0; i < n_thread; i++) {
        for (int k = 0; k < N_ARRAY; k++)
            ig_free(j.work[i].f[k]);
        ig_scratch_free(&j.work[i].scratch);
    }
    ig_free(j.work);
    return code;
}
