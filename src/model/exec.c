/* SPDX-License-Identifier: Apache-2.0
 *
 * Ops over the team or alone; see exec.h. An element of a matrix product does not depend on how
 * rows and columns are cut (ops.h), so products are cut freely; sums over rows (the gradients of
 * LayerNorm) are cut into a fixed number of parts that are added in order.
 */
#include "model/exec.h"
#include "base/assert.h"

#include <string.h>

enum {
    row_most = 256,       /* rows of a product per task, at most */
    row_unit = 24,        /* they are a multiple of this: whole tiles of the kernels */
    outer_step = 192,     /* rows of a weight gradient per task */
    column_step = 64,     /* columns of a bias gradient per task */
    light_rows = 32,      /* rows of an element-wise op per task */
    block_floats = 147456 /* of a packed block: with its rows of a and c it fits an L2 of 1 MiB */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

ig_packed ig_packed_make(const ig_ops *ops, int k, int n, bool whole)
{
    ig_packed p = {.k = k, .n = n, .step = n};
    if (!whole) {
        int step = block_floats / k / 64 * 64;
        p.step = least(n, step < 64 ? 64 : step);
    }
    p.block_size = (ops->pack_size(k, p.step) + 15) / 16 * 16;
    return p;
}

int ig_packed_n_block(const ig_packed *p)
{
    return (p->n + p->step - 1) / p->step;
}

int64_t ig_packed_size(const ig_packed *p)
{
    return ig_packed_n_block(p) * p->block_size;
}

void ig_packed_fill(const ig_ops *ops, const ig_packed *p, int i, const float *b, int ldb,
                    ig_b_form form)
{
    const int64_t from = (int64_t)i * p->step;
    const float *first = form == IG_B_ROWS ? b + from : b + from * ldb;
    ops->pack_b(p->data + i * p->block_size, first, ldb, form, p->k,
                least(p->step, p->n - (int)from));
}

static void each(const ig_exec *x, int64_t n_task, ig_task_fn *fn, void *arg)
{
    ig_team_for(x->team, n_task, fn, arg);
}

typedef struct {
    const ig_exec *x;
    const ig_gemm *g;
    const ig_packed *w;
    int row_step, n_row_task;
} linear_job;

static void linear_task(void *arg, int64_t i_task, int i_thread)
{
    const linear_job *j = arg;
    const int block = (int)(i_task / j->n_row_task),
              row = (int)(i_task % j->n_row_task) * j->row_step;
    const int column = block * j->w->step;
    ig_gemm g = *j->g;
    g.m = least(j->row_step, g.m - row);
    g.n = least(j->w->step, j->w->n - column);
    g.k = j->w->k;
    g.a += (int64_t)row * g.lda;
    g.c += (int64_t)row * g.ldc + column;
    if (g.bias != NULL)
        g.bias += column;
    if (g.aux != NULL)
        g.aux += (int64_t)row * g.ld_aux + column;
    if (j->w->raw != NULL) {
        g.b = j->w->raw + column;
        g.ldb = j->w->n;
        g.b_form = IG_B_ROWS;
    } else {
        g.b = j->w->data + block * j->w->block_size;
        g.b_form = IG_B_PACKED;
    }
    j->x->ops->gemm(&g, &j->x->scratch[i_thread]);
}

void ig_exec_linear(const ig_exec *x, const ig_gemm *g, const ig_packed *w)
{
    if (g->m == 0)
        return;
    if (!x->split) {
        ig_gemm one = *g;
        IG_ASSERT(w->step == w->n);
        one.n = w->n;
        one.k = w->k;
        one.b = w->data;
        one.b_form = IG_B_PACKED;
        x->ops->gemm(&one, x->scratch);
        return;
    }
    /* Equal parts: a short last one would leave threads idle. */
    const int n_part = (g->m + row_most - 1) / row_most;
    const int step = ((g->m + n_part - 1) / n_part + row_unit - 1) / row_unit * row_unit;
    linear_job j = {
        .x = x, .g = g, .w = w, .row_step = step, .n_row_task = (g->m + step - 1) / step};
    each(x, (int64_t)j.n_row_task * ig_packed_n_block(w), linear_task, &j);
}

typedef struct {
    const ig_exec *x;
    ig_gemm g;
} outer_job;

static void outer_task(void *arg, int64_t i_task, int i_thread)
{
    const outer_job *j = arg;
    const int row = (int)i_task * outer_step;
    ig_gemm g = j->g;
    g.m = least(outer_step, g.m - row);
    g.a += row;
    g.c += (int64_t)row * g.ldc;
    j->x->ops->gemm(&g, &j->x->scratch[i_thread]);
}

void ig_exec_outer(const ig_exec *x, float *c, int m, int n, int k, const float *a, int lda,
                   const float *b)
{
    outer_job j = {.x = x,
                   .g = {.m = m,
                         .n = n,
                         .k = k,
                         .a = a,
                         .lda = lda,
                         .a_trans = true,
                         .b = b,
                         .ldb = n,
                         .b_form = IG_B_ROWS,
                         .c = c,
                         .ldc = n,
                         .accumulate = true}};
    if (k == 0)
        return;
    if (!x->split)
        x->ops->gemm(&j.g, x->scratch);
    else
        each(x, (m + outer_step - 1) / outer_step, outer_task, &j);
}

typedef struct {
    const ig_exec *x;
    float *out;
    const float *a;
    int m, n, lda;
} sum_job;

static void sum_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const sum_job *j = arg;
    const int from = (int)i_task * column_step;
    j->x->ops->column_sum(j->out + from, j->a + from, j->m, least(column_step, j->n - from),
                          j->lda);
}

void ig_exec_column_sum(const ig_exec *x, float *out, const float *a, int m, int n, int lda)
{
    sum_job j = {.x = x, .out = out, .a = a, .m = m, .n = n, .lda = lda};
    if (!x->split)
        x->ops->column_sum(out, a, m, n, lda);
    else
        each(x, (n + column_step - 1) / column_step, sum_task, &j);
}

static void shift_drop(ig_dropout *drop, int row)
{
    drop->row0 += (uint32_t)row;
}

typedef struct {
    const ig_exec *x;
    const ig_norm *a;
} norm_job;

static void norm_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const norm_job *j = arg;
    const int row = (int)i_task * light_rows;
    ig_norm a = *j->a;
    const int64_t at = (int64_t)row * a.d;
    a.n_row = least(light_rows, a.n_row - row);
    a.x += at;
    if (a.residual != NULL)
        a.residual += at;
    shift_drop(&a.drop, row);
    a.out += at;
    if (a.xhat != NULL)
        a.xhat += at;
    if (a.rstd != NULL)
        a.rstd += row;
    j->x->ops->norm(&a);
}

void ig_exec_norm(const ig_exec *x, const ig_norm *a)
{
    norm_job j = {.x = x, .a = a};
    if (!x->split)
        x->ops->norm(a);
    else
        each(x, (a->n_row + light_rows - 1) / light_rows, norm_task, &j);
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
    a.dx += at;
    if (a.dresidual != NULL)
        a.dresidual += at;
    a.dgamma = j->x->part + i_task * 2 * a.d;
    a.dbeta = a.dgamma + a.d;
    memset(a.dgamma, 0, 2 * (size_t)a.d * sizeof(float));
    j->x->ops->norm_grad(&a, &j->x->scratch[i_thread]);
}

void ig_exec_norm_grad(const ig_exec *x, const ig_norm_grad *a)
{
    if (a->n_row == 0)
        return;
    if (!x->split) {
        x->ops->norm_grad(a, x->scratch);
        return;
    }
    norm_grad_job j = {.x = x, .a = a, .part_rows = (a->n_row + IG_NORM_PARTS - 1) / IG_NORM_PARTS};
    const int n_part = (a->n_row + j.part_rows - 1) / j.part_rows;
    each(x, n_part, norm_grad_task, &j);
    for (int i = 0; i < n_part; i++) {
        x->ops->add(a->dgamma, x->part + (int64_t)i * 2 * a->d, a->d);
        x->ops->add(a->dbeta, x->part + ((int64_t)i * 2 + 1) * a->d, a->d);
    }
}

typedef struct {
    const ig_exec *x;
    const ig_attention *a;
    bool grad;
} attention_job;

static void attention_task(void *arg, int64_t i_task, int i_thread)
{
    const attention_job *j = arg;
    const int s = (int)i_task;
    ig_attention a = *j->a;
    if (a.probs != NULL)
        a.probs += ig_attention_size(a.seq_start, s, a.n_head);
    a.seq_start += s;
    a.n_seq = 1;
    if (j->grad)
        j->x->ops->attention_grad(&a, &j->x->scratch[i_thread]);
    else
        j->x->ops->attention(&a, &j->x->scratch[i_thread]);
}

void ig_exec_attention(const ig_exec *x, const ig_attention *a)
{
    attention_job j = {.x = x, .a = a, .grad = false};
    if (!x->split)
        x->ops->attention(a, x->scratch);
    else
        each(x, a->n_seq, attention_task, &j);
}

void ig_exec_attention_grad(const ig_exec *x, const ig_attention *a)
{
    attention_job j = {.x = x, .a = a, .grad = true};
    if (!x->split)
        x->ops->attention_grad(a, x->scratch);
    else
        each(x, a->n_seq, attention_task, &j);
}

typedef struct {
    const ig_exec *x;
    float *out;
    int n, d;
    const float *word, *position, *segment;
    const int32_t *id, *pos, *seg;
} embed_job;

static void embed_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const embed_job *j = arg;
    const int row = (int)i_task * light_rows;
    j->x->ops->embed(j->out + (int64_t)row * j->d, least(light_rows, j->n - row), j->d, j->word,
                     j->position, j->segment, j->id + row, j->pos + row, j->seg + row);
}

void ig_exec_embed(const ig_exec *x, float *out, int n, int d, const float *word,
                   const float *position, const float *segment, const int32_t *id,
                   const int32_t *pos, const int32_t *seg)
{
    embed_job j = {x, out, n, d, word, position, segment, id, pos, seg};
    if (!x->split)
        x->ops->embed(out, n, d, word, position, segment, id, pos, seg);
    else
        each(x, (n + light_rows - 1) / light_rows, embed_task, &j);
}

typedef struct {
    const ig_exec *x;
    float *logits;
    int v, ld;
    const int32_t *label;
    float scale;
    bool grad;
    double *nll;
    int32_t *best;
} xent_job;

static void xent_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const xent_job *j = arg;
    j->x->ops->softmax_xent(j->logits + i_task * j->ld, 1, j->v, j->ld, j->label + i_task, j->scale,
                            j->grad, j->nll + i_task, j->best != NULL ? j->best + i_task : NULL);
}

void ig_exec_xent(const ig_exec *x, float *logits, int n_row, int v, int ld, const int32_t *label,
                  float scale, bool grad, double *nll, int32_t *best)
{
    xent_job j = {x, logits, v, ld, label, scale, grad, nll, best};
    if (!x->split)
        x->ops->softmax_xent(logits, n_row, v, ld, label, scale, grad, nll, best);
    else
        each(x, n_row, xent_task, &j);
}
