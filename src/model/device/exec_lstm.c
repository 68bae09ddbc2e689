/* SPDX-License-Identifier: Apache-2.0
 *
 * Long short-term memory (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000)
 * along the sentences of a shard, forward and backward in time. Sentences are sorted by length and
 * go in groups; the words of one time step of a group are adjacent, so that a step is one product
 * for all its sentences, without padding. Groups of each direction are tasks of the team; they are
 * cut by the number of sentences alone, and not small, since each reads all weights at each step.
 */
#include "model/device/exec_parts.h"

#include <string.h>

enum { group_most = 48 }; /* sentences */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Sentences that are processed together, and their lengths. */
typedef struct {
    int n, longest;
    const int32_t *length; /* [n] descending, all above 0 */
    int64_t row;           /* its first among the packed rows */
} group;

static int n_group(int n_seq)
{
    return (n_seq + group_most - 1) / group_most;
}

/* The first sentence of group i: groups have equal numbers of them, within one. */
static int first_of(int n_seq, int i)
{
    return n_seq == 0 ? 0 : (int)((int64_t)n_seq * i / n_group(n_seq));
}

static group group_of(const int32_t *length, int n_seq, int i)
{
    const int first = first_of(n_seq, i), end = first_of(n_seq, i + 1);
    group g = {.length = length + first};
    for (int64_t s = 0; s < first; s++)
        g.row += length[s];
    while (first + g.n < end && g.length[g.n] > 0)
        g.n++;
    g.longest = g.n > 0 ? g.length[0] : 0;
    return g;
}

/* The rows of time step t; none outside the sentences. */
typedef struct {
    int64_t row;
    int n;
} step;

static step step_of(const group *g, int t)
{
    step s = {.row = g->row};
    for (int i = 0; i < g->n && t >= 0; i++) {
        s.row += least(g->length[i], t);
        s.n += g->length[i] > t;
    }
    return s;
}

void ig_rows_steps(const ig_exec *x, const ig_steps *a)
{
    int32_t *sentence = a->place; /* number of each length; it becomes positions below */
    int n = 0, longest = 0;
    (void)x;
    for (int s = 0; s < a->n_seq; s++) {
        const int length = a->first[s + 1] - a->first[s];
        longest = length > longest ? length : longest;
    }
    memset(a->length, 0, (size_t)a->n_seq * sizeof *a->length);
    for (int length = longest; length > 0; length--)
        for (int s = 0; s < a->n_seq; s++)
            if (a->first[s + 1] - a->first[s] == length) {
                a->length[n] = length;
                sentence[n++] = s;
            }
    for (int i = 0; i < n_group(a->n_seq); i++) {
        const group g = group_of(a->length, a->n_seq, i);
        for (int t = 0; t < g.longest; t++) {
            const step s = step_of(&g, t);
            for (int k = 0; k < s.n; k++)
                a->order[s.row + k] = a->first[sentence[first_of(a->n_seq, i) + k]] + t;
        }
    }
    for (int64_t r = 0; r < a->first[a->n_seq]; r++)
        a->place[a->order[r]] = (int32_t)r;
}

/* The cell of a word; before, dbefore: of the previous cell, or NULL. */
static ig_lstm_cell cell_of(const ig_lstm *a, int64_t row, const float *before, float *dbefore)
{
    const int64_t h = a->h;
    return (ig_lstm_cell){.h = a->h,
                          .gate = a->gate + row * 4 * h,
                          .before = before,
                          .cell = a->cell + row * h,
                          .slope = a->slope + row * h,
                          .out = a->out + row * a->ld,
                          .dcell = a->dcell + row * h,
                          .dbefore = dbefore};
}

enum { directions = 2 };

typedef struct {
    const ig_exec *x;
    const ig_lstm *a;                /* [directions], or fewer */
    const float *packed[directions]; /* the recurrent weights */
} lstm_job;

/* The step before t and how many of t's sentences had one. */
static step step_before(const ig_lstm *a, const group *g, int t, const step *now)
{
    const int before = a->reverse ? t + 1 : t - 1;
    step s = step_of(g, before);
    s.n = before < 0 ? 0 : least(s.n, now->n);
    return s;
}

/* c[m, n] += a[m, k] · the recurrent weights */
static void recur(const lstm_job *j, const ig_gemm *g, int direction, int i_thread)
{
    ig_gemm one = *g;
    one.b = j->packed[direction];
    one.b_form = IG_B_PACKED;
    one.accumulate = true;
    if (g->m > 0)
        j->x->ops->gemm(&one, &j->x->scratch[i_thread]);
}

static void forward_task(void *arg, int64_t i_task, int i_thread)
{
    const lstm_job *j = arg;
    const int n = n_group(j->a->n_seq), r = (int)i_task / n;
    const ig_lstm *a = &j->a[r];
    const int h = a->h;
    const group g = group_of(a->length, a->n_seq, (int)i_task % n);
    for (int k = 0; k < g.longest; k++) {
        const int t = a->reverse ? g.longest - 1 - k : k;
        const step s = step_of(&g, t), p = step_before(a, &g, t, &s);
        float *before = a->before + s.row * h;
        for (int64_t i = 0; i < p.n; i++)
            memcpy(before + i * h, a->out + (p.row + i) * a->ld, (size_t)h * sizeof *before);
        memset(before + (int64_t)p.n * h, 0, (size_t)(s.n - p.n) * (size_t)h * sizeof *before);
        recur(j,
              &(ig_gemm){.m = p.n,
                         .n = 4 * h,
                         .k = h,
                         .a = before,
                         .lda = h,
                         .c = a->gate + s.row * 4 * h,
                         .ldc = 4 * h},
              r, i_thread);
        for (int64_t i = 0; i < s.n; i++) {
            const ig_lstm_cell one =
                cell_of(a, s.row + i, i < p.n ? a->cell + (p.row + i) * h : NULL, NULL);
            j->x->ops->lstm_cell(&one);
        }
    }
}

static void backward_task(void *arg, int64_t i_task, int i_thread)
{
    const lstm_job *j = arg;
    const int n = n_group(j->a->n_seq), r = (int)i_task / n;
    const ig_lstm *a = &j->a[r];
    const int h = a->h;
    const group g = group_of(a->length, a->n_seq, (int)i_task % n);
    const int64_t n_row = step_of(&g, g.longest).row - g.row;
    memset(a->dcell + g.row * h, 0, (size_t)(n_row * h) * sizeof *a->dcell);
    for (int k = g.longest - 1; k >= 0; k--) {
        const int t = a->reverse ? g.longest - 1 - k : k;
        const step s = step_of(&g, t), p = step_before(a, &g, t, &s);
        for (int64_t i = 0; i < s.n; i++) {
            const ig_lstm_cell one =
                cell_of(a, s.row + i, i < p.n ? a->cell + (p.row + i) * h : NULL,
                        i < p.n ? a->dcell + (p.row + i) * h : NULL);
            j->x->ops->lstm_cell_grad(&one);
        }
        recur(j,
              &(ig_gemm){.m = p.n,
                         .n = h,
                         .k = 4 * h,
                         .a = a->gate + s.row * 4 * h,
                         .lda = 4 * h,
                         .c = a->out + p.row * a->ld,
                         .ldc = a->ld},
              r, i_thread);
    }
}

static int64_t pack_size(const lstm_job *j)
{
    return j->x->ops->pack_size(j->a->w->k, j->a->w->n);
}

static void pack_task(void *arg, int64_t i_task, int i_thread)
{
    const lstm_job *j = arg;
    const ig_weight *w = j->a[i_task].w;
    (void)i_thread;
    j->x->ops->pack_b(j->x->pack + i_task * pack_size(j), w->b, w->ldb, w->form, w->k, w->n);
}

static void over_groups(const ig_exec *x, const ig_lstm *a, int n, ig_task_fn *task)
{
    lstm_job j = {.x = x, .a = a};
    const bool packs = a->w->data == NULL;
    if (packs && n > 1 && n * pack_size(&j) > x->n_pack) { /* the buffer is too small: one after
                                                            * another */
        for (int r = 0; r < n; r++)
            over_groups(x, a + r, 1, task);
        return;
    }
    for (int r = 0; r < n; r++)
        j.packed[r] = packs ? x->pack + r * pack_size(&j) : a[r].w->data;
    if (packs)
        ig_team_for(x->team, n, pack_task, &j);
    ig_team_for(x->team, (int64_t)n * n_group(a->n_seq), task, &j);
}

void ig_rows_lstm(const ig_exec *x, const ig_lstm *a, int n)
{
    over_groups(x, a, n, forward_task);
}

void ig_rows_lstm_grad(const ig_exec *x, const ig_lstm *a, int n)
{
    over_groups(x, a, n, backward_task);
}
