/* SPDX-License-Identifier: Apache-2.0
 *
 * Trains and applies the model of Dyer et al. 2013. Where their program takes a few steps of a
 * gradient for the tension, with the model's side over all words, here the tension is where the
 * expected distance from the diagonal of the words that come from some word is the one found: an
 * exact update, so that the likelihood cannot fall. Expected counts are whole numbers of 2⁻³⁶: sums
 * of them are the same in any order, hence for any team.
 */
#include "analyse/links/ibm2.h"

#include "base/id_pairs.h"
#include "base/memory.h"
#include "base/numeric/digamma.h"
#include "base/numeric/sums.h"
#include "base/order.h"
#include "analyse/links/ibm2_cells.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 64 };                      /* sentence pairs of a task */
static const double UNIT = 0x1p36;        /* of a count */
static const double TENSION[] = {.1, 40}; /* least, greatest */

typedef struct {
    ig_ibm2_cells cells;
    const ig_ibm2_options *o;
    double tension;
    float *prob;         /* [cells] of the word of `to`, given that of `from` */
    atomic_llong *count; /* [cells] expected */
    int32_t *shape;      /* [n_shape, 2] numbers of words, `to` and `from`; sorted */
    int64_t n_shape;
    int64_t *shape_first;          /* [n_shape] its places of `to` in `linked` */
    atomic_llong *linked;          /* expected number of times that a place comes from some word */
    double *likelihood, *distance; /* [sentence pairs] log likelihood; expected −|i/m − j/n| */
    int longest;                   /* words of a sentence of `from` */
    double *work;                  /* [threads, 2, longest] */
    int32_t *partner;              /* links are wanted, no counts */
} model;

/* ---- the prior ---- */

/* Computes w[i] = exp(−λ |i/m − j/n|) at w[i − 1] and h[i − 1] = −|…| for positions i = 1 … n of
 * `from` and position j = 1 … m of `to`. The values fall by a constant factor on both sides of the
 * diagonal. Returns Σ w. */
static double prior(double *w, double *h, int j, int m, int n, double tension)
{
    const double at = (double)j * n / m, step = exp(-tension / n);
    const int below = (int)at; /* positions 1 … below are before the diagonal or on it */
    double sum = 0, v = exp(-tension * (at - below) / n);
    for (int i = below; i >= 1; i--, v *= step) {
        w[i - 1] = v;
        h[i - 1] = -(at - i) / n;
        sum += v;
    }
    v = exp(-tension * (below + 1 - at) / n);
    for (int i = below + 1; i <= n; i++, v *= step) {
        w[i - 1] = v;
        h[i - 1] = -(i - at) / n;
        sum += v;
    }
    return sum;
}

/* ---- expectation ---- */

static void add(atomic_llong *to, double x)
{
    atomic_fetch_add_explicit(to, (long long)(x * UNIT + 0.5), memory_order_relaxed);
}

static int64_t shape_of(const model *m, int n_to, int n_from)
{
    const int32_t key[2] = {n_to, n_from}, *at;
    at = bsearch(key, m->shape, (size_t)m->n_shape, 2 * sizeof *at, ig_by_int32_pair);
    return (at - m->shape) / 2;
}

/* One word of `to`. */
typedef struct {
    const int32_t *cell; /* [n + 1] that it has with no word and with each of `from` */
    double *w, *h;       /* [n] its probability with each of them; −|i/m − j/n| */
    double none, sum;    /* with no word; of all */
    int n;
} word;

/* From the prior at w, whose sum is z, to the word's probabilities. */
static void joint(const model *m, word *x, double z)
{
    const double scale = (1 - m->o->none) / z;
    x->none = m->o->none * (double)m->prob[x->cell[0]];
    x->sum = x->none;
    for (int i = 0; i < x->n; i++) {
        x->w[i] *= scale * (double)m->prob[x->cell[i + 1]];
        x->sum += x->w[i];
    }
}

/* Adds the word's counts; returns its expected −|i/m − j/n|. */
static double count_word(const model *m, const word *x, atomic_llong *linked)
{
    const double none = x->none / x->sum, per = 1 / x->sum;
    double distance = 0;
    add(&m->count[x->cell[0]], none);
    add(linked, 1 - none);
    for (int i = 0; i < x->n; i++) {
        const double p = x->w[i] * per;
        add(&m->count[x->cell[i + 1]], p);
        distance += p * x->h[i];
    }
    return distance;
}

static int32_t likeliest(const word *x)
{
    const double *w = x->w, *h = x->h;
    int32_t best = -1;
    for (int i = 0; i < x->n; i++)
        if (best < 0 ? w[i] > x->none : w[i] > w[best] || (w[i] >= w[best] && h[i] > h[best]))
            best = i;
    return best;
}

static void pair_step(model *m, int64_t pair, double *w, double *h)
{
    const ig_ibm2_cells *c = &m->cells;
    const int n = ig_bitext_words(c->text, c->from, pair),
              n_to = ig_bitext_words(c->text, c->to, pair);
    const int64_t first = c->text->first[c->to][pair];
    double likelihood = 0, distance = 0;
    if (n == 0 || n_to == 0)
        return;
    atomic_llong *linked = m->linked + m->shape_first[shape_of(m, n_to, n)];
    for (int j = 0; j < n_to; j++) {
        word x = {.cell = c->cell + c->place[pair] + (int64_t)j * (n + 1), .w = w, .h = h, .n = n};
        joint(m, &x, prior(w, h, j + 1, n_to, n, m->tension));
        if (m->partner != NULL) {
            m->partner[first + j] = likeliest(&x);
            continue;
        }
        likelihood += log(x.sum);
        distance += count_word(m, &x, linked + j);
    }
    m->likelihood[pair] = likelihood;
    m->distance[pair] = distance;
}

static void step_task(void *arg, int64_t task, int i_thread)
{
    model *m = arg;
    const int64_t n = m->cells.text->n, end = (task + 1) * PAIRS < n ? (task + 1) * PAIRS : n;
    double *w = m->work + 2 * (int64_t)i_thread * m->longest;
    for (int64_t p = task * PAIRS; p < end; p++)
        pair_step(m, p, w, w + m->longest);
}

static void step(model *m, ig_team *team)
{
    ig_team_for(team, (m->cells.text->n + PAIRS - 1) / PAIRS, step_task, m);
}

/* ---- maximisation ---- */

/* Probabilities of what a word of `from` becomes: shares of the counts, or with a Dirichlet prior
 * exp ψ(c + α) − ψ(Σ (c + α)). Counts are 0 after. */
static void word_task(void *arg, int64_t s, int i_thread)
{
    model *m = arg;
    const double alpha = m->o->alpha;
    const int64_t first = m->cells.first[s], end = m->cells.first[s + 1];
    double sum = 0;
    (void)i_thread;
    for (int64_t k = first; k < end; k++)
        sum += (double)m->count[k] / UNIT + alpha;
    const double all = alpha > 0 ? ig_digamma(sum) : sum;
    for (int64_t k = first; k < end && sum > 0; k++) {
        const double c = (double)m->count[k] / UNIT + alpha;
        m->prob[k] = (float)(alpha > 0 ? exp(ig_digamma(c) - all) : c / all);
        atomic_store_explicit(&m->count[k], 0, memory_order_relaxed);
    }
}

typedef struct {
    const model *m;
    double tension;
    double *sum; /* [n_shape] expected −|i/m − j/n| under the prior, as often as linked */
} expected;

static void shape_task(void *arg, int64_t s, int i_thread)
{
    const expected *e = arg;
    const model *m = e->m;
    const int n_to = m->shape[2 * s], n = m->shape[2 * s + 1];
    double *w = m->work + 2 * (int64_t)i_thread * m->longest, *h = w + m->longest;
    e->sum[s] = 0;
    for (int j = 0; j < n_to; j++) {
        const double often = (double)m->linked[m->shape_first[s] + j] / UNIT,
                     z = prior(w, h, j + 1, n_to, n, e->tension);
        e->sum[s] += often * ig_dot(w, h, n) / z;
    }
}

/* The expected distance grows with the tension: halves until the right one is found. */
static ig_code best_tension(model *m, double found, ig_team *team, ig_err *err)
{
    double low = TENSION[0], high = TENSION[1];
    expected e = {.m = m};
    IG_TRY(ig_alloc(&e.sum, m->n_shape, sizeof *e.sum, "sums", err));
    for (int i = 0; i < 20; i++) {
        e.tension = (low + high) / 2;
        ig_team_for(team, m->n_shape, shape_task, &e);
        *(ig_sum(e.sum, m->n_shape) < found ? &low : &high) = e.tension;
    }
    m->tension = (low + high) / 2;
    ig_free(e.sum);
    return IG_ERR_OK;
}

/* ---- the whole ---- */

static ig_code no_words(ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, "parallel text", 0,
                   "found no pair of sentences with words, expected at least one");
}

static ig_code find_shapes(model *m, ig_err *err)
{
    const ig_bitext *t = m->cells.text;
    int64_t n = 0, places = 0;
    IG_TRY(ig_alloc(&m->shape, 2 * t->n, sizeof *m->shape, "lengths", err));
    for (int64_t p = 0; p < t->n; p++) {
        const int n_to = ig_bitext_words(t, m->cells.to, p),
                  n_from = ig_bitext_words(t, m->cells.from, p);
        if (n_to == 0 || n_from == 0)
            continue;
        m->longest = n_from > m->longest ? n_from : m->longest;
        m->shape[2 * n] = n_to;
        m->shape[2 * n++ + 1] = n_from;
    }
    if (n == 0)
        return no_words(err);
    m->n_shape = ig_id_pairs_unique(m->shape, n);
    IG_TRY(ig_alloc(&m->shape_first, m->n_shape, sizeof *m->shape_first, "lengths", err));
    for (int64_t s = 0; s < m->n_shape; s++) {
        m->shape_first[s] = places;
        places += m->shape[2 * s];
    }
    return ig_alloc(&m->linked, places, sizeof *m->linked, "lengths", err);
}

static ig_code model_new(model *m, const ig_bitext *t, int from, int n_thread, ig_err *err)
{
    IG_TRY(ig_ibm2_cells_new(&m->cells, t, from, err));
    IG_TRY(find_shapes(m, err));
    const int64_t n_cell = m->cells.first[m->cells.n_source];
    IG_TRY(ig_alloc(&m->prob, n_cell, sizeof *m->prob, "probabilities", err));
    IG_TRY(ig_alloc(&m->count, n_cell, sizeof *m->count, "counts", err));
    IG_TRY(ig_alloc(&m->likelihood, t->n, sizeof *m->likelihood, "sentences", err));
    IG_TRY(ig_alloc(&m->distance, t->n, sizeof *m->distance, "sentences", err));
    IG_TRY(ig_alloc(&m->work, 2 * (int64_t)n_thread * m->longest, sizeof *m->work, "words", err));
    for (int64_t k = 0; k < n_cell; k++)
        m->prob[k] = 1 / (float)t->lexicon[1 - from].n;
    return IG_ERR_OK;
}

static void model_free(model *m)
{
    ig_ibm2_cells_free(&m->cells);
    IG_FREE(m->prob, m->count, m->shape, m->shape_first, m->linked, m->likelihood, m->distance,
            m->work);
}

static ig_code learn(model *m, ig_ibm2_report *r, ig_team *team, ig_err *err)
{
    const int64_t n = m->cells.text->n,
                  places = m->shape_first[m->n_shape - 1] + m->shape[2 * m->n_shape - 2];
    for (int k = 0; k < m->o->iterations; k++) {
        if (m->o->stop != NULL && *m->o->stop)
            return ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped before the end of the updates");
        step(m, team);
        r->log_likelihood[k] = ig_sum(m->likelihood, n);
        ig_team_for(team, m->cells.n_source, word_task, m);
        if (!m->o->fixed_tension)
            IG_TRY(best_tension(m, ig_sum(m->distance, n), team, err));
        memset(m->linked, 0, (size_t)places * sizeof *m->linked);
    }
    return IG_ERR_OK;
}

ig_code ig_ibm2_align(int32_t *partner, ig_ibm2_report *r, const ig_ibm2_task *task,
                      const ig_ibm2_options *o, ig_team *team, ig_err *err)
{
    const ig_bitext *t = task->text;
    const int from = task->from;
    IG_SCOPED(model_free) model m = {.o = o, .tension = o->tension};
    *r = (ig_ibm2_report){0};
    for (int64_t w = 0; t->n > 0 && w < t->first[1 - from][t->n]; w++)
        partner[w] = -1;
    IG_TRY(t->n > 0 ? model_new(&m, t, from, ig_team_size(team), err) : no_words(err));
    IG_TRY(learn(&m, r, team, err));
    m.partner = partner;
    step(&m, team);
    r->tension = m.tension;
    r->n_cell = m.cells.first[m.cells.n_source];
    return IG_ERR_OK;
}

ig_code ig_ibm2_both(int32_t *partner[2], const ig_bitext *t, ig_team *team, ig_err *err)
{
    const ig_ibm2_options o = {.iterations = 5, .alpha = .01, .none = .08, .tension = 4};
    ig_ibm2_report report;
    for (int x = 0; x < 2; x++) {
        IG_TRY(ig_alloc(&partner[x], t->first[x][t->n], sizeof *partner[x], "links", err));
        IG_TRY(ig_ibm2_align(partner[x], &report, &(ig_ibm2_task){t, 1 - x}, &o, team, err));
    }
    return IG_ERR_OK;
}

int64_t ig_ibm2_linked(const ig_bitext *t, int32_t *const partner[2], int64_t i, int64_t w)
{
    if (partner[0][w] < 0)
        return -1;
    const int64_t other = t->first[1][i] + partner[0][w], back = partner[1][other];
    return back >= 0 && t->first[0][i] + back == w ? other : -1;
}
