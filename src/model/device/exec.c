/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs ops as tasks. In a lane an op is one task, else it is cut over the team. An element of a
 * matrix product does not depend on how rows and columns are cut (ops.h), so products are cut
 * freely; sums over rows (the gradients of LayerNorm) are cut into a fixed number of parts that are
 * added in order.
 */
#include "model/device/exec.h"

#include "base/assert.h"
#include "model/device/exec_parts.h"

#include <string.h>

/* A product's task: its rows of a and its part of c fit the second-level cache. Each task copies
 * its rows of a, so columns are many while every thread has enough tasks to share them out evenly.
 */
enum {
    row_most = 192,    /* rows at most; tasks get equal numbers of them … */
    row_unit = 24,     /* … in multiples of this: whole tiles of the kernels */
    column_most = 768, /* columns at most, halved while there are too few tasks … */
    column_step = 192, /* … down to these, which are also packed together */
    tasks_each = 4,    /* that a thread should have */
    sparse_rows = 200, /* rows at most of a with zeros; all columns, so that they are listed once */
    sum_step = 64,     /* columns of a bias gradient per task */
    light_rows = 32,   /* rows of an element-wise op per task */
    all_rows = 1 << 30 /* no op has more: one task */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Number of parts of n of at most `step`. */
static int n_of(int n, int step)
{
    return (n + step - 1) / step;
}

static void each(const ig_exec *x, int64_t n_task, ig_task_fn *fn, void *arg)
{
    ig_team_for(x->team, n_task, fn, arg);
}

/* An op of tensor/ops.h, cut into tasks of `step` rows or sequences, fewer at the end. */
typedef struct {
    const ig_exec *x;
    const void *op;
    int step;
} job;

static void by_rows(const ig_exec *x, int n_row, int step, ig_task_fn *fn, const void *op)
{
    job j = {x, op, x->lane ? all_rows : step};
    each(x, n_of(n_row, j.step), fn, &j);
}

typedef struct {
    const ig_exec *x;
    ig_gemm g;
    int row_step, n_row_task, column_step;
} product_job;

static void pack_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const product_job *j = arg;
    const ig_gemm *g = &j->g;
    const int column = (int)i_task * column_step;
    const float *b = g->b + (g->b_form == IG_B_ROWS ? column : (int64_t)column * g->ldb);
    j->x->ops->pack_b(j->x->pack + j->x->ops->pack_size(g->k, column), b, g->ldb, g->b_form, g->k,
                      least(column_step, g->n - column));
}

static void product_task(void *arg, int64_t i_task, int i_thread)
{
    const product_job *j = arg;
    const int column = (int)(i_task / j->n_row_task) * j->column_step,
              row = (int)(i_task % j->n_row_task) * j->row_step;
    ig_gemm g = j->g;
    g.m = least(j->row_step, g.m - row);
    g.n = least(j->column_step, g.n - column);
    g.a += g.a_trans ? row : (int64_t)row * g.lda;
    g.c += g.c_trans ? row : (int64_t)row * g.ldc + column;
    if (g.bias != NULL)
        g.bias += column;
    if (g.aux != NULL)
        g.aux += (int64_t)row * g.ld_aux + column;
    g.b = j->x->pack + j->x->ops->pack_size(g.k, column);
    g.b_form = IG_B_PACKED;
    if (g.sparse)
        j->x->ops->gemm_sparse(&g, &j->x->scratch[i_thread]);
    else
        j->x->ops->gemm(&g, &j->x->scratch[i_thread]);
}

/* Returns whether zeros of a are left out of a product [.., n] with k terms: the buffer for b must
 * suffice. */
static bool may_be_sparse(const ig_exec *x, int k, int n)
{
    return !x->lane && x->ops->gemm_sparse != NULL && x->ops->pack_size(k, n) <= x->n_pack;
}

/* In a lane b is as g says; else it is packed here, and the product computed over the team. */
static void product(const ig_exec *x, const ig_gemm *g)
{
    if (x->lane) {
        x->ops->gemm(g, x->scratch);
        return;
    }
    const int n_part = n_of(g->m, g->sparse ? sparse_rows : row_most);
    const int step = n_of(n_of(g->m, n_part), row_unit) * row_unit;
    product_job j = {.x = x, .g = *g, .row_step = step, .n_row_task = n_of(g->m, step)};
    j.column_step = g->sparse ? n_of(g->n, column_step) * column_step : column_most;
    while (!g->sparse && j.column_step > column_step &&
           n_of(g->n, j.column_step) * j.n_row_task < tasks_each * ig_team_size(x->team))
        j.column_step /= 2;
    IG_ASSERT(x->ops->pack_size(g->k, g->n) <= x->n_pack && g->bf16 == 0);
    each(x, n_of(g->n, column_step), pack_task, &j);
    each(x, (int64_t)n_of(g->n, j.column_step) * j.n_row_task, product_task, &j);
}

static void linear(const ig_exec *x, const ig_gemm *g, const ig_weight *w)
{
    ig_gemm one = *g;
    one.n = w->n;
    one.k = w->k;
    const bool packed = x->lane && w->data != NULL;
    one.b = packed ? w->data : w->b;
    one.ldb = w->ldb;
    one.b_form = packed ? IG_B_PACKED : w->form;
    one.sparse = g->sparse && may_be_sparse(x, w->k, w->n);
    if (g->m > 0)
        product(x, &one);
}

typedef struct {
    const ig_exec *x;
    float *out;
    const float *a;
    int m, n, lda, step;
} sum_job;

static void sum_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const sum_job *j = arg;
    const int from = (int)i_task * j->step;
    j->x->ops->column_sum(j->out + from, j->a + from, j->m, least(j->step, j->n - from), j->lda);
}

/* The product that gives dw. */
static ig_gemm layer_product(const ig_exec *x, const ig_layer_grad *l)
{
    return (ig_gemm){.m = l->m,
                     .n = l->n,
                     .k = l->k,
                     .a = l->dy,
                     .lda = l->ld_dy,
                     .a_trans = true,
                     .b = l->x,
                     .ldb = l->bf16 & IG_BF16_B ? l->n / 2 : l->n,
                     .b_form = IG_B_ROWS,
                     .c = l->dw,
                     .ldc = l->n,
                     .accumulate = !(x->fresh && l->once),
                     .bf16 = l->bf16};
}

/* Gives that product with the operands exchanged, so that x is the one whose zeros count. */
static ig_gemm sparse_product(const ig_exec *x, const ig_layer_grad *l)
{
    const ig_gemm g = layer_product(x, l);
    return (ig_gemm){.m = g.n,
                     .n = g.m,
                     .k = g.k,
                     .a = g.b,
                     .lda = g.ldb,
                     .a_trans = true,
                     .b = g.a,
                     .ldb = g.lda,
                     .b_form = IG_B_ROWS,
                     .c = g.c,
                     .ldc = g.ldc,
                     .accumulate = g.accumulate,
                     .sparse = true,
                     .c_trans = true};
}

static void layer_grad(const ig_exec *x, const ig_layer_grad *l)
{
    ig_gemm g =
        l->sparse && may_be_sparse(x, l->k, l->m) ? sparse_product(x, l) : layer_product(x, l);
    const bool both = x->lane && x->ops->bf16; /* the product gives db, too */
    if (l->k == 0) {
        if (x->fresh && l->once && l->dw != NULL)
            memset(l->dw, 0, (size_t)l->m * (size_t)l->n * sizeof *l->dw);
        return;
    }
    if (both)
        g.a_sum = l->db;
    if (g.c != NULL || g.a_sum != NULL)
        product(x, &g);
    sum_job j = {x, l->db, l->dy, l->k, l->m, l->ld_dy, x->lane ? all_rows : sum_step};
    if (l->db != NULL && !both)
        each(x, n_of(l->m, j.step), sum_task, &j);
}

static void shift_drop(ig_dropout *drop, int row)
{
    if (drop->row != NULL)
        drop->row += row;
    else
        drop->row0 += (uint32_t)row;
}

static void norm_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * j->step;
    ig_norm a = *(const ig_norm *)j->op;
    const int64_t at = (int64_t)row * a.d;
    a.n_row = least(j->step, a.n_row - row);
    a.x += at;
    if (a.residual != NULL)
        a.residual += at;
    shift_drop(&a.drop, row);
    a.out += at;
    if (a.sum != NULL)
        a.sum += at;
    if (a.xhat != NULL)
        a.xhat += at;
    if (a.rstd != NULL)
        a.rstd += row;
    if (a.kept != NULL)
        a.kept += row * ig_kept_words(a.d);
    j->x->ops->norm(&a);
}

static void norm(const ig_exec *x, const ig_norm *a)
{
    IG_ASSERT(x->lane || (a->bf16 == NULL && !a->bf16_xhat));
    by_rows(x, a->n_row, light_rows, norm_task, a);
}

typedef struct {
    const ig_exec *x;
    float *v;
    int n, d, step;
    const ig_dropout *how;
} drop_job;

static void drop_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const drop_job *j = arg;
    const int row = (int)i_task * j->step;
    ig_dropout how = *j->how;
    shift_drop(&how, row);
    j->x->ops->drop(j->v + (int64_t)row * j->d, least(j->step, j->n - row), j->d, &how);
}

static void drop(const ig_exec *x, float *v, int n, int d, const ig_dropout *how)
{
    drop_job j = {x, v, n, d, x->lane ? all_rows : light_rows, how};
    if (how->p > 0)
        each(x, n_of(n, j.step), drop_task, &j);
}

typedef struct {
    const ig_exec *x;
    const ig_norm_grad *a;
    int part_rows;
} norm_grad_job;

static void norm_grad_task(void *arg, int64_t i_task, int i_thread)
{
    const norm_grad_job *j = arg;
    const int row = (int)i_task * j->part_rows;
    ig_norm_grad a = *j->a;
    const int64_t at = (int64_t)row * a.d;
    a.n_row = least(j->part_rows, a.n_row - row);
    a.dout += at;
    a.xhat += at;
    a.rstd += row;
    shift_drop(&a.drop, row);
    if (a.kept != NULL)
        a.kept += row * ig_kept_words(a.d);
    a.dx += at;
    if (a.dsum != NULL)
        a.dsum += at;
    if (a.dresidual != NULL)
        a.dresidual += at;
    float *part = j->x->part + i_task * 2 * a.d;
    memset(part, 0, 2 * (size_t)a.d * sizeof(float));
    a.dgamma = a.dgamma != NULL ? part : NULL;
    a.dbeta = a.dbeta != NULL ? part + a.d : NULL;
    j->x->ops->norm_grad(&a, &j->x->scratch[i_thread]);
}

static void norm_grad(const ig_exec *x, const ig_norm_grad *a)
{
    if (a->n_row == 0)
        return;
    if (x->lane) {
        x->ops->norm_grad(a, x->scratch);
        return;
    }
    IG_ASSERT(!a->bf16 && !a->bf16_xhat);
    norm_grad_job j = {.x = x, .a = a, .part_rows = n_of(a->n_row, IG_NORM_PARTS)};
    const int n_part = n_of(a->n_row, j.part_rows);
    each(x, n_part, norm_grad_task, &j);
    for (int i = 0; i < n_part; i++) {
        if (a->dgamma != NULL)
            x->ops->add(a->dgamma, x->part + (int64_t)i * 2 * a->d, a->d);
        if (a->dbeta != NULL)
            x->ops->add(a->dbeta, x->part + ((int64_t)i * 2 + 1) * a->d, a->d);
    }
}

/* At most n sequences from the s-th on. */
static ig_attention attention_from(const ig_attention *all, int s, int n)
{
    ig_attention a = *all;
    if (a.probs != NULL)
        a.probs += ig_attention_size(a.seq_start, s, a.n_head);
    a.seq_start += s;
    a.n_seq = least(n, a.n_seq - s);
    return a;
}

static void attention_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    const ig_attention a = attention_from(j->op, (int)i_task * j->step, j->step);
    j->x->ops->attention(&a, &j->x->scratch[i_thread]);
}

static void attention_grad_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    const ig_attention a = attention_from(j->op, (int)i_task * j->step, j->step);
    j->x->ops->attention_grad(&a, &j->x->scratch[i_thread]);
}

static void attention(const ig_exec *x, const ig_attention *a)
{
    by_rows(x, a->n_seq, 1, attention_task, a);
}

typedef struct {
    const ig_exec *x;
    const ig_attention *a;
    int n_seq;          /* sequences of a part */
    int64_t from, size; /* the part of the table that sequences of this length reach */
} distance_job;

static float *distance_part(const distance_job *j, int64_t i)
{
    return j->x->distance + i * (2 * (int64_t)j->a->n_distance - 1) * (j->a->d / j->a->n_head);
}

/* Sequences that share a gradient of distances are a task; the parts are added in order. */
static void distance_task(void *arg, int64_t i_task, int i_thread)
{
    const distance_job *j = arg;
    const int s = (int)i_task * j->n_seq;
    ig_attention a = attention_from(j->a, s, j->n_seq);
    a.ddistance = distance_part(j, i_task);
    memset(a.ddistance + j->from, 0, (size_t)j->size * sizeof(float));
    j->x->ops->attention_grad(&a, &j->x->scratch[i_thread]);
}

static void relative_grad(const ig_exec *x, const ig_attention *a)
{
    distance_job j = {.x = x, .a = a};
    j.n_seq = n_of(a->n_seq, IG_DISTANCE_PARTS);
    const int n_part = n_of(a->n_seq, j.n_seq), dh = a->d / a->n_head;
    int longest = 1;
    for (int s = 0; s < a->n_seq; s++)
        if (a->seq_start[s + 1] - a->seq_start[s] > longest)
            longest = a->seq_start[s + 1] - a->seq_start[s];
    j.from = (int64_t)(a->n_distance - longest) * dh;
    j.size = (2 * (int64_t)longest - 1) * dh;
    each(x, n_part, distance_task, &j);
    for (int i = 0; i < n_part; i++)
        x->ops->add(a->ddistance + j.from, distance_part(&j, i) + j.from, j.size);
}

static void attention_grad(const ig_exec *x, const ig_attention *a)
{
    if (a->ddistance != NULL && !x->lane)
        relative_grad(x, a);
    else
        by_rows(x, a->n_seq, 1, attention_grad_task, a);
}

static void rotary_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * j->step;
    ig_rotary part = *(const ig_rotary *)j->op;
    part.x += (int64_t)row * part.ld;
    part.n = least(j->step, part.n - row);
    part.pos += row;
    j->x->ops->rotary(&part);
}

static void rotary(const ig_exec *x, const ig_rotary *a)
{
    by_rows(x, a->n, light_rows, rotary_task, a);
}

static void head_norm_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * j->step;
    ig_head_norm part = *(const ig_head_norm *)j->op;
    part.x += (int64_t)row * part.ld;
    part.n = least(j->step, part.n - row);
    j->x->ops->head_norm(&part);
}

static void head_norm(const ig_exec *x, const ig_head_norm *a)
{
    by_rows(x, a->n, light_rows, head_norm_task, a);
}

static void gate_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * j->step;
    ig_gate part = *(const ig_gate *)j->op;
    const int64_t at = (int64_t)row * part.f;
    part.n = least(j->step, part.n - row);
    part.xy += 2 * at;
    if (part.dxy == NULL) {
        part.out += at;
        j->x->ops->gate(&part);
        return;
    }
    part.dout += at;
    part.dxy += 2 * at;
    j->x->ops->gate_grad(&part);
}

static void gate(const ig_exec *x, const ig_gate *a)
{
    by_rows(x, a->n, light_rows, gate_task, a);
}

static void embed_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * j->step;
    ig_embed part = *(const ig_embed *)j->op;
    part.out += (int64_t)row * part.d;
    part.n = least(j->step, part.n - row);
    part.id += row;
    part.pos += row;
    part.seg += row;
    j->x->ops->embed(&part);
}

static void embed(const ig_exec *x, const ig_embed *a)
{
    by_rows(x, a->n, light_rows, embed_task, a);
}

static void xent_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * j->step;
    ig_xent part = *(const ig_xent *)j->op;
    part.logits += (int64_t)row * part.ld;
    part.n_row = least(j->step, part.n_row - row);
    part.label += row;
    part.nll += row;
    part.best = part.best != NULL ? part.best + row : NULL;
    j->x->ops->softmax_xent(&part);
}

static void xent(const ig_exec *x, const ig_xent *a)
{
    by_rows(x, a->n_row, 1, xent_task, a);
}

const ig_exec_ops ig_exec_host = {
    .linear = linear,
    .layer_grad = layer_grad,
    .norm = norm,
    .norm_grad = norm_grad,
    .drop = drop,
    .attention = attention,
    .attention_grad = attention_grad,
    .rotary = rotary,
    .head_norm = head_norm,
    .gate = gate,
    .gate_grad = gate,
    .embed = embed,
    .xent = xent,
    .embed_grad = ig_rows_embed_grad,
    .next_loss = ig_rows_next_loss,
    .gather_rows = ig_rows_gather,
    .scatter_add_rows = ig_rows_scatter_add,
    .keep_rows = ig_rows_keep,
    .spread_rows = ig_rows_spread,
    .multiply = ig_rows_multiply,
    .shift_rows = ig_rows_shift,
    .to_bf16 = ig_rows_to_bf16,
    .add = ig_rows_add,
    .relu = ig_rows_relu,
    .tanh = ig_rows_tanh,
    .tanh_grad = ig_rows_tanh_grad,
    .mix = ig_rows_mix,
    .mix_grad = ig_rows_mix_grad,
    .mix_share = ig_rows_mix_share,
    .crf = ig_rows_crf,
    .steps = ig_rows_steps,
    .elu = ig_rows_elu,
    .elu_grad = ig_rows_elu_grad,
    .parse = ig_rows_parse,
    .lstm = ig_rows_lstm,
    .lstm_grad = ig_rows_lstm_grad,
    .copy = ig_rows_copy,
    .zero = ig_rows_zero,
    .zero_block = ig_blocks_zero,
    .pack = ig_blocks_pack,
    .add_lanes = ig_blocks_add_lanes,
    .sum_squares = ig_blocks_sum_squares,
    .adamw = ig_blocks_adamw,
};
