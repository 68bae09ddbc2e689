/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the biaffine parser sentence by sentence (Dozat & Manning 2017, eq. 7–9): scores of arcs and
 * of labels, their losses and gradients, and trees. Sentences are tasks of the team and write
 * apart.
 */
#include "base/threads/team.h"
#include "model/device/exec_math.h"
#include "model/device/exec_parts.h"
#include "model/device/tree.h"

#include <math.h>

void ig_rows_elu(const ig_exec *x, float *v, int64_t n)
{
    (void)x;
    for (int64_t i = 0; i < n; i++) {
        const float below = ig_exp(v[i]) - 1;
        v[i] = v[i] < 0 ? below : v[i];
    }
}

void ig_rows_elu_grad(const ig_exec *x, float *dv, const float *y, int64_t n)
{
    (void)x;
    for (int64_t i = 0; i < n; i++)
        dv[i] *= y[i] < 0 ? y[i] + 1 : 1;
}

int64_t ig_parser_room(int n_label, int n, int longest)
{
    const int64_t size = (int64_t)n * longest, doubles = sizeof(double) / sizeof(float);
    return size * (1 + doubles) + (int64_t)n * (3 * (int64_t)longest + 3) + (int64_t)n * n_label +
           64;
}

/* One sentence: ROOT and its words. */
typedef struct {
    const ig_exec *x;
    ig_scratch *scratch;
    const ig_parser *a;
    int64_t at; /* its first row */
    int n;
    float *arc;    /* [n, n] scores, then probabilities' gradient */
    double *score; /* [n, n] of decoding */
    int32_t *tree; /* ig_tree_room(n) */
    float *pair;   /* [labels, n] */
} sentence;

static sentence sentence_of(const ig_exec *x, const ig_parser *a, int i)
{
    const int64_t at = a->first[i], size = (int64_t)a->first[a->n_seq] * a->longest;
    double *score = (double *)(void *)a->room;
    float *arc = (float *)(void *)(score + size);
    int32_t *tree = (int32_t *)(void *)(arc + size);
    float *pair = (float *)(void *)(tree + (int64_t)a->first[a->n_seq] * (3 * a->longest + 3));
    return (sentence){.x = x,
                      .a = a,
                      .at = at,
                      .n = a->first[i + 1] - a->first[i],
                      .arc = arc + at * a->longest,
                      .score = score + at * a->longest,
                      .tree = tree + at * (3 * a->longest + 3),
                      .pair = pair + at * a->n_label};
}

/* log Σ exp over v[from .. n − 1]. */
static double log_sum(const float *v, int from, int n)
{
    double top = (double)-INFINITY, sum = 0;
    for (int i = from; i < n; i++)
        top = fmax(top, (double)v[i]);
    for (int i = from; i < n; i++)
        sum += exp((double)v[i] - top);
    return log(sum) + top;
}

static int32_t likeliest(const float *v, int from, int n)
{
    int32_t best = from;
    for (int i = from + 1; i < n; i++)
        if (v[i] > v[best])
            best = i;
    return best;
}

/* Returns whether word d of a sentence, with head g, has a loss. */
static bool counts(const ig_parser *a, int32_t g)
{
    return g > 0 || !a->free_root;
}

static void arc_scores(const sentence *s)
{
    const ig_parser *a = s->a;
    const ig_gemm product = ig_gemm_of_rows(a->arc + s->at * a->n_arc, s->n,
                                            a->arc_head + s->at * a->n_arc, s->n, a->n_arc, s->arc);
    s->x->ops->gemm(&product, s->scratch);
}

/* Computes losses of arcs; training, s->arc becomes their gradient. With free_root ROOT is no
 * candidate. */
static void arc_losses(const sentence *s)
{
    const ig_parser *a = s->a;
    const int from = a->free_root ? 1 : 0;
    a->nll[s->at] = 0;
    a->best[s->at] = a->best_head[s->at] = -1;
    for (int d = 0; d < s->n; d++) {
        float *v = s->arc + (int64_t)d * s->n;
        const int32_t g = d == 0 ? -1 : a->head[s->at + d];
        const bool has = d > 0 && counts(a, g);
        const double total = d > 0 ? log_sum(v, from, s->n) : 0;
        if (d > 0) {
            a->nll[s->at + d] = has ? total - (double)v[g] : 0;
            a->best_head[s->at + d] = likeliest(v, from, s->n);
        }
        for (int h = 0; h < s->n && a->train; h++)
            v[h] = !has || h < from
                       ? 0
                       : (float)((double)a->scale * (exp((double)v[h] - total) - (h == g)));
    }
}

/* Gradients of both sides of the arcs' product. */
static void arc_grad(const sentence *s)
{
    const ig_parser *a = s->a;
    for (int side = 0; side < 2; side++)
        s->x->ops->gemm(&(ig_gemm){.m = s->n,
                                   .n = a->n_arc,
                                   .k = s->n,
                                   .a = s->arc,
                                   .lda = s->n,
                                   .a_trans = side == 1,
                                   .b = (side == 0 ? a->arc_head : a->arc) + s->at * a->n_arc,
                                   .ldb = a->n_arc,
                                   .b_form = IG_B_ROWS,
                                   .c = (side == 0 ? a->darc : a->darc_head) + s->at * a->n_arc,
                                   .ldc = a->n_arc},
                        s->scratch);
}

/* Scores of the labels of word d under head h, into out [labels]. */
static void label_scores(const sentence *s, int d, int h, float *out)
{
    const ig_parser *a = s->a;
    const float *of = a->label + (s->at + d) * (int64_t)a->n_label * a->n_size,
                *head = a->label_head + (s->at + h) * a->n_size;
    for (int r = 0; r < a->n_label; r++, of += a->n_size) {
        float part[8] = {0};
        for (int i = 0; i + 8 <= a->n_size; i += 8)
            for (int k = 0; k < 8; k++)
                part[k] += of[i + k] * head[i + k];
        for (int i = a->n_size / 8 * 8; i < a->n_size; i++)
            part[0] += of[i] * head[i];
        out[r] = ((part[0] + part[1]) + (part[2] + part[3])) +
                 ((part[4] + part[5]) + (part[6] + part[7])) + a->bias[r];
        if (a->by_head != NULL)
            out[r] += a->by_head[(s->at + h) * a->ld + r] + a->by_word[(s->at + d) * a->ld + r];
    }
}

/* Computes losses of labels at the right head, and their gradients, which overwrite a->label. */
static void label_losses(const sentence *s)
{
    const ig_parser *a = s->a;
    const int m = a->n_label, size = a->n_size;
    if (a->train) {
        memset(a->dlabel_head + s->at * size, 0, (size_t)s->n * (size_t)size * sizeof(float));
        memset(a->dscore + s->at * a->ld, 0, (size_t)s->n * (size_t)a->ld * sizeof(float));
        memset(a->dscore_head + s->at * a->ld, 0, (size_t)s->n * (size_t)a->ld * sizeof(float));
        memset(a->label + s->at * m * size, 0, (size_t)m * (size_t)size * sizeof(float));
    }
    for (int d = 1; d < s->n; d++) {
        const int32_t g = a->head[s->at + d], y = a->label_of[s->at + d];
        float *of = a->label + (s->at + d) * (int64_t)m * size, *out = s->pair;
        if (!counts(a, g)) {
            if (a->train)
                memset(of, 0, (size_t)m * (size_t)size * sizeof *of);
            a->best[s->at + d] = 0;
            continue;
        }
        label_scores(s, d, g, out);
        const double total = log_sum(out, 0, m);
        a->nll[s->at + d] += total - (double)out[y];
        a->best[s->at + d] = likeliest(out, 0, m);
        const float *head = a->label_head + (s->at + g) * size;
        float *dhead = a->train ? a->dlabel_head + (s->at + g) * size : NULL;
        for (int r = 0; r < m && a->train; r++, of += size) {
            const float slope =
                (float)((double)a->scale * (exp((double)out[r] - total) - (r == y)));
            a->dscore[(s->at + d) * a->ld + r] = slope;
            a->dscore_head[(s->at + g) * a->ld + r] += slope;
            for (int i = 0; i < size; i++)
                dhead[i] += slope * of[i];
            for (int i = 0; i < size; i++)
                of[i] = slope * head[i];
        }
    }
}

/* Adds to the scores of word d's arcs the log probability of the best label under each head. */
static void add_best_labels(const sentence *s, int d)
{
    const ig_parser *a = s->a;
    for (int h = a->free_root ? 1 : 0; h < s->n; h++) {
        if (h == d)
            continue;
        label_scores(s, d, h, s->pair);
        s->score[(int64_t)d * s->n + h] +=
            (double)s->pair[likeliest(s->pair, 0, a->n_label)] - log_sum(s->pair, 0, a->n_label);
    }
}

/* Finds the best tree by log probabilities, and each word's likeliest label under its head there.
 * With free_root by the programs' rule: by probabilities, ROOT's are 0, and its words have label
 * 0. */
static void decode(const sentence *s)
{
    const ig_parser *a = s->a;
    const int from = a->free_root ? 1 : 0;
    memset(s->score, 0, (size_t)s->n * (size_t)s->n * sizeof *s->score);
    for (int d = 1; d < s->n; d++) {
        const float *v = s->arc + (int64_t)d * s->n;
        double *out = s->score + (int64_t)d * s->n;
        const double total = log_sum(v, from, s->n);
        for (int h = from; h < s->n; h++)
            out[h] = (double)v[h] - total;
        if (a->joint)
            add_best_labels(s, d);
        for (int h = from; h < s->n && a->free_root; h++)
            out[h] = exp(out[h]);
    }
    ig_tree_single_root(s->score, s->n, a->best_head + s->at, s->tree);
    for (int d = 1; d < s->n; d++) {
        const int32_t h = a->best_head[s->at + d];
        label_scores(s, d, h, s->pair);
        a->best[s->at + d] = counts(a, h) ? likeliest(s->pair, 0, a->n_label) : 0;
    }
}

typedef struct {
    const ig_exec *x;
    const ig_parser *a;
} parser_job;

static void parse_task(void *arg, int64_t i_task, int i_thread)
{
    const parser_job *j = arg;
    sentence s = sentence_of(j->x, j->a, (int)i_task);
    s.scratch = &j->x->scratch[i_thread];
    if (s.n == 0)
        return;
    arc_scores(&s);
    arc_losses(&s);
    if (j->a->train)
        arc_grad(&s);
    label_losses(&s);
    if (!j->a->train)
        decode(&s);
}

void ig_rows_parse(const ig_exec *x, const ig_parser *a)
{
    parser_job j = {x, a};
    ig_team_for(x->team, a->n_seq, parse_task, &j);
    for (int64_t i = 0; i < a->first[a->n_seq] && a->dbias != NULL; i++)
        for (int r = 0; r < a->n_label; r++)
            a->dbias[r] += a->dscore[i * a->ld + r];
}
