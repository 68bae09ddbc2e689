/* SPDX-License-Identifier: Apache-2.0
 *
 * Ops cut into tasks over the team; see exec.h. An element of a matrix product does not depend on
 * how rows and columns are cut (ops.h), so products are cut freely; sums over rows (the gradients
 * of LayerNorm) are cut into a fixed number of parts that are added in order.
 */
#include "base/assert.h"
#include "model/device/exec.h"
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
    light_rows = 32    /* rows of an element-wise op per task */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Parts of at most `step` that n has. */
static int n_of(int n, int step)
{
    return (n + step - 1) / step;
}

static void each(const ig_exec *x, int64_t n_task, ig_task_fn *fn, void *arg)
{
    ig_team_for(x->team, n_task, fn, arg);
}

/* An op of tensor/ops.h whose rows, or sequences, are tasks. */
typedef struct {
    const ig_exec *x;
    const void *op;
} job;

/* fn takes light_rows rows a task, or fewer at the end. */
static void by_rows(const ig_exec *x, int n_row, ig_task_fn *fn, const void *op)
{
    job j = {x, op};
    each(x, n_of(n_row, light_rows), fn, &j);
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

/* Whether zeros of a are left out of a product [.., n] with k terms: the room for b must do. */
static bool may_be_sparse(const ig_exec *x, int k, int n)
{
    return x->ops->gemm_sparse != NULL && x->ops->pack_size(k, n) <= x->n_pack;
}

/* Packs b, which is not packed, and computes the product over the team. */
static void product_over_team(const ig_exec *x, const ig_gemm *g)
{
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
    one.b = w->b;
    one.ldb = w->ldb;
    one.b_form = w->form;
    one.sparse = g->sparse && may_be_sparse(x, w->k, w->n);
    if (g->m > 0)
        product_over_team(x, &one);
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
    const int from = (int)i_task * sum_step;
    j->x->ops->column_sum(j->out + from, j->a + from, j->m, least(sum_step, j->n - from), j->lda);
}

/* ig_layer_product with the operands' places changed, so that x is the one whose zeros count. */
static ig_gemm sparse_product(const ig_exec *x, const ig_layer_grad *l)
{
    const ig_gemm g = ig_layer_product(x, l);
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
    const ig_gemm g =
        l->sparse && may_be_sparse(x, l->k, l->m) ? sparse_product(x, l) : ig_layer_product(x, l);
    if (l->k == 0) {
        ig_layer_nothing(x, l);
        return;
    }
    sum_job j = {x, l->db, l->dy, l->k, l->m, l->ld_dy};
    if (l->dw != NULL)
        product_over_team(x, &g);
    if (l->db != NULL)
        each(x, n_of(l->m, sum_step), sum_task, &j);
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
    const int row = (int)i_task * light_rows;
    ig_norm a = *(const ig_norm *)j->op;
    const int64_t at = (int64_t)row * a.d;
    a.n_row = least(light_rows, a.n_row - row);
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
    IG_ASSERT(a->bf16 == NULL && !a->bf16_xhat);
    by_rows(x, a->n_row, norm_task, a);
}

typedef struct {
    const ig_exec *x;
    float *v;
    int n, d;
    const ig_dropout *how;
} drop_job;

static void drop_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const drop_job *j = arg;
    const int row = (int)i_task * light_rows;
    ig_dropout how = *j->how;
    shift_drop(&how, row);
    j->x->ops->drop(j->v + (int64_t)row * j->d, least(light_rows, j->n - row), j->d, &how);
}

static void drop(const ig_exec *x, float *v, int n, int d, const ig_dropout *how)
{
    drop_job j = {x, v, n, d, how};
    if (how->p > 0)
        each(x, n_of(n, light_rows), drop_task, &j);
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

/* n sequences from the s-th on. */
static ig_attention attention_from(const ig_attention *all, int s, int n)
{
    ig_attention a = *all;
    if (a.probs != NULL)
        a.probs += ig_attention_size(a.seq_start, s, a.n_head);
    a.seq_start += s;
    a.n_seq = n;
    return a;
}

static void attention_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    const ig_attention a = attention_from(j->op, (int)i_task, 1);
    j->x->ops->attention(&a, &j->x->scratch[i_thread]);
}

static void attention_grad_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    const ig_attention a = attention_from(j->op, (int)i_task, 1);
    j->x->ops->attention_grad(&a, &j->x->scratch[i_thread]);
}

static void attention(const ig_exec *x, const ig_attention *a)
{
    job j = {x, a};
    each(x, a->n_seq, attention_task, &j);
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
    ig_attention a = attention_from(j->a, s, least(j->n_seq, j->a->n_seq - s));
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
    job j = {x, a};
    if (a->ddistance != NULL)
        relative_grad(x, a);
    else
        each(x, a->n_seq, attention_grad_task, &j);
}

static void rotary_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * light_rows;
    ig_rotary part = *(const ig_rotary *)j->op;
    part.x += (int64_t)row * part.ld;
    part.n = least(light_rows, part.n - row);
    part.pos += row;
    j->x->ops->rotary(&part);
}

static void rotary(const ig_exec *x, const ig_rotary *a)
{
    by_rows(x, a->n, rotary_task, a);
}

static void embed_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    const int row = (int)i_task * light_rows;
    ig_embed part = *(const ig_embed *)j->op;
    part.out += (int64_t)row * part.d;
    part.n = least(light_rows, part.n - row);
    part.id += row;
    part.pos += row;
    part.seg += row;
    j->x->ops->embed(&part);
}

static void embed(const ig_exec *x, const ig_embed *a)
{
    by_rows(x, a->n, embed_task, a);
}

static void xent_task(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const job *j = arg;
    ig_xent row = *(const ig_xent *)j->op;
    row.logits += i_task * row.ld;
    row.n_row = 1;
    row.label += i_task;
    row.nll += i_task;
    row.best = row.best != NULL ? row.best + i_task : NULL;
    j->x->ops->softmax_xent(&row);
}

static void xent(const ig_exec *x, const ig_xent *a)
{
    job j = {x, a};
    each(x, a->n_row, xent_task, &j);
}

const ig_exec_ops ig_exec_team = {.linear = linear,
                                  .layer_grad = layer_grad,
                                  .norm = norm,
                                  .norm_grad = norm_grad,
                                  .drop = drop,
                                  .attention = attention,
                                  .attention_grad = attention_grad,
                                  .rotary = rotary,
                                  .embed = embed,
                                  .xent = xent,
                                  IG_EXEC_ROWS,
                                  IG_EXEC_BLOCKS};
