/* SPDX-License-Identifier: Apache-2.0
 *
 * Halves of a parallel text teach each other. What is learned from one is
 *
 *   the mean of each language, which is subtracted;
 *   LEACE (Belrose et al. 2023, Theorem 4.3): with s the difference of the languages' means and C
 *     the covariance of all, x − s (v·(x − mean)) / (v·s), v = C⁺ s, after which no linear
 *     classifier of the learning half does better than a constant one;
 *   a rotation (measure/nearest/space_map.h).
 */
#include "evaluate/card/held_out.h"

#include "base/memory.h"
#include "base/numeric/sums.h"
#include "base/numeric/unit_rows.h"
#include "measure/nearest/space_map.h"

#include <math.h>
#include <string.h>

const char *const ig_held_keys[IG_HELD_N] = {"cosine", "csls", "centred", "leace", "rotated"};

/* --- halves */

/* The sentences of a fold of both languages of a pair, contiguous: x[side] is [n, d]. */
typedef struct {
    float *x[2];
    int64_t n;
    int d;
} half;

static void half_free(half *h)
{
    IG_FREE(h->x[0], h->x[1]);
}

static ig_code half_make(half *h, const ig_card_job *j, int pair, int l, int fold, ig_err *err)
{
    const int *of = j->d->pair[pair];
    const int64_t n = j->of->sentence[of[0]].n;
    *h = (half){.n = (n - fold + 1) / 2, .d = ig_card_width(j)};
    for (int s = 0; s < 2; s++) {
        const float *from = j->of->sentence[of[s]].x[l];
        IG_TRY(ig_alloc(&h->x[s], h->n * h->d, sizeof(float), "half", err));
        for (int64_t i = 0; i < h->n; i++)
            memcpy(h->x[s] + i * h->d, from + (2 * i + fold) * h->d, (size_t)h->d * sizeof(float));
    }
    return IG_ERR_OK;
}

/* Hits of the fold's sentences by cosine, and by CSLS if wanted; rows become of unit length. */
static ig_code find(uint8_t *hit, uint8_t *csls, half *h, const ig_card_job *j, int fold,
                    ig_err *err)
{
    int32_t *answer[2 * IG_N_CRITERIA];
    IG_OWNED int32_t *block = NULL;
    ig_neighbour_scores s;
    IG_TRY(ig_alloc(&block, 2 * IG_N_CRITERIA * h->n, sizeof *block, "answers", err));
    for (int i = 0; i < 2 * IG_N_CRITERIA; i++)
        answer[i] = block + i * h->n;
    IG_TRY(ig_unit_rows(h->x[0], h->n, h->d, "half", err));
    IG_TRY(ig_unit_rows(h->x[1], h->n, h->d, "half", err));
    IG_TRY(ig_neighbour_scores_run(
        &s, &(ig_sentence_rows){(const float *const[]){h->x[0], h->x[1]}, h->n, h->d, NULL, answer},
        &j->with, err));
    for (int64_t i = 0; i < h->n; i++) {
        const int64_t at = 2 * i + fold;
        hit[at] = (uint8_t)((answer[0][i] == i) + (answer[IG_N_CRITERIA][i] == i));
        if (csls != NULL)
            csls[at] = (uint8_t)((answer[1][i] == i) + (answer[IG_N_CRITERIA + 1][i] == i));
    }
    return IG_ERR_OK;
}

/* Takes the other half's mean of each language away. */
static ig_code centre(half *h, const half *learn, ig_err *err)
{
    IG_OWNED float *mean = NULL;
    IG_TRY(ig_alloc(&mean, h->d, sizeof *mean, "mean", err));
    for (int s = 0; s < 2; s++) {
        ig_mean_row(mean, learn->x[s], learn->n, h->d);
        for (int64_t i = 0; i < h->n; i++)
            for (int c = 0; c < h->d; c++)
                h->x[s][i * h->d + c] -= mean[c];
    }
    return IG_ERR_OK;
}

/* --- LEACE */

typedef struct {
    double *mean, *s, *v; /* [d] of all rows; difference of the means; C⁺ s */
    double scale;         /* v·s; 0: the means are one */
} eraser;

/* out = (C + ridge) v over the rows of both languages. */
static void covariance_times(double *out, const half *h, const double *mean, const double *v,
                             double ridge)
{
    const double at_mean = ig_dot(mean, v, h->d);
    for (int c = 0; c < h->d; c++)
        out[c] = ridge * v[c];
    for (int s = 0; s < 2; s++)
        for (int64_t i = 0; i < h->n; i++) {
            const float *x = h->x[s] + i * h->d;
            double by = -at_mean;
            for (int c = 0; c < h->d; c++)
                by += (double)x[c] * v[c];
            by /= 2 * (double)h->n;
            for (int c = 0; c < h->d; c++)
                out[c] += by * ((double)x[c] - mean[c]);
        }
}

/* C v = s by conjugate gradients, which stay in the span of the rows: v = C⁺ s. The ridge, 10⁻⁴ of
 * the mean variance, is what float32 states resolve. room: [3, d]. */
static void solve(eraser *e, const half *h, double *room)
{
    enum { most = 200 };
    double *r = room, *p = room + h->d, *cp = room + 2 * (int64_t)h->d, trace = 0;
    for (int s = 0; s < 2; s++)
        for (int64_t i = 0; i < h->n * h->d; i++) {
            const double x = (double)h->x[s][i] - e->mean[i % h->d];
            trace += x * x / (2 * (double)h->n);
        }
    memcpy(r, e->s, (size_t)h->d * sizeof *r);
    memcpy(p, e->s, (size_t)h->d * sizeof *p);
    double rr = ig_dot(r, r, h->d);
    const double enough = 1e-12 * rr;
    for (int step = 0; step < most && rr > enough; step++) {
        covariance_times(cp, h, e->mean, p, 1e-4 * trace / h->d);
        const double a = rr / ig_dot(p, cp, h->d);
        for (int c = 0; c < h->d; c++) {
            e->v[c] += a * p[c];
            r[c] -= a * cp[c];
        }
        const double next = ig_dot(r, r, h->d);
        for (int c = 0; c < h->d; c++)
            p[c] = r[c] + next / rr * p[c];
        rr = next;
    }
}

/* Erases in h what a linear classifier sees of the language in `learn`, and takes the common mean
 * away. */
static ig_code erase(half *h, const half *learn, ig_err *err)
{
    const int d = h->d;
    IG_OWNED double *room = NULL;
    IG_OWNED float *mean = NULL;
    IG_TRY(ig_alloc(&room, 6 * (int64_t)d, sizeof *room, "LEACE", err));
    IG_TRY(ig_alloc(&mean, 2 * (int64_t)d, sizeof *mean, "LEACE", err));
    eraser e = {room, room + d, room + 2 * (int64_t)d, 0};
    for (int s = 0; s < 2; s++)
        ig_mean_row(mean + (int64_t)s * d, learn->x[s], learn->n, d);
    for (int c = 0; c < d; c++) {
        e.mean[c] = ((double)mean[c] + (double)mean[d + c]) / 2;
        e.s[c] = (double)mean[c] - (double)mean[d + c];
    }
    solve(&e, learn, room + 3 * (int64_t)d);
    e.scale = ig_dot(e.v, e.s, d);
    for (int s = 0; s < 2; s++)
        for (int64_t i = 0; i < h->n; i++) {
            float *x = h->x[s] + i * d;
            double by = 0;
            for (int c = 0; c < d; c++)
                by += ((double)x[c] - e.mean[c]) * e.v[c];
            by = e.scale > 0 ? by / e.scale : 0;
            for (int c = 0; c < d; c++)
                x[c] = (float)((double)x[c] - e.mean[c] - by * e.s[c]);
        }
    return IG_ERR_OK;
}

/* --- layers */

static uint8_t *hits_of(const ig_card_job *j, int layer, int pair, ig_held held)
{
    return ig_diagnose_hit(j->d, j->which, j->row + layer, pair, held);
}

ig_code ig_held_layer(const ig_card_job *j, int pair, int layer, ig_err *err)
{
    half h[2] = {0};
    ig_code code = IG_ERR_OK;
    for (int f = 0; f < 2 && code == IG_ERR_OK; f++) {
        code = half_make(&h[0], j, pair, layer, f, err);
        IG_THEN(code, half_make(&h[1], j, pair, layer, 1 - f, err));
        IG_THEN(code, centre(&h[0], &h[1], err));
        IG_THEN(code, find(hits_of(j, layer, pair, IG_HELD_CENTRED), NULL, &h[0], j, f, err));
        IG_THEN(code, find(hits_of(j, layer, pair, IG_HELD_COSINE),
                           hits_of(j, layer, pair, IG_HELD_CSLS), &h[1], j, 1 - f, err));
        half_free(&h[0]);
        half_free(&h[1]);
    }
    return code;
}

int ig_held_best_layer(const ig_diagnosis *d, const ig_held_choice *by, int fold)
{
    const int64_t n = ig_diagnose_n_of(d, by->which), step = fold < 0 ? 1 : 2;
    int best = d->n_layer - 1;
    int64_t most = -1;
    for (int l = d->n_layer - 1; l >= 0; l--) {
        int64_t right = 0;
        for (int p = 0; p < d->n_pair; p++) {
            const uint8_t *hit = ig_diagnose_hit(d, by->which, l, p, by->held);
            for (int64_t i = fold < 0 ? 0 : fold; i < n && (by->use == NULL || by->use[p]);
                 i += step)
                right += hit[i];
        }
        if (right > most) {
            most = right;
            best = l;
        }
    }
    return best;
}

/* --- pairs */

static void keep(const ig_card_job *j, ig_card_number *at, ig_card_number x)
{
    x.untrained = at->untrained;
    if (ig_card_untrained(j))
        at->untrained = x.value;
    else
        *at = x;
}

static ig_card_number of_hits(const ig_card_job *j, const uint8_t *hit)
{
    const int64_t n = j->of->sentence[0].n;
    int64_t right = 0;
    for (int64_t i = 0; i < n; i++)
        right += hit[i];
    /* Either half has n / 2 candidates, rounded down or up. */
    return ig_card_share((double)right / (2 * (double)n), n, 2 / (double)n);
}

/* The probe of the language on a half, which is tested in folds of its own. */
static ig_code probe_half(double *out, const half *h, ig_team *team, ig_err *err)
{
    const float *const x[] = {h->x[0], h->x[1]};
    const int64_t n[] = {h->n, h->n};
    const ig_language_vectors v = {x, n, 2, h->d};
    IG_SCOPED(ig_moments_free) ig_moments m = {0};
    IG_TRY(ig_moments_make(&m, &v, team, err));
    return ig_language_probe(out, &m, &v, team, err);
}

/* As they are, without means, after LEACE; hits of the last. */
static ig_code erase_pair(double probe[3], uint8_t *hit, const ig_card_job *j, int pair, int l,
                          bool with_probe, ig_err *err)
{
    ig_code code = IG_ERR_OK;
    for (int f = 0; f < 2 && code == IG_ERR_OK; f++)
        for (int how = with_probe ? 0 : 2; how < 3 && code == IG_ERR_OK; how++) {
            half test = {0}, learn = {0};
            double found = 0;
            code = half_make(&test, j, pair, l, f, err);
            IG_THEN(code, half_make(&learn, j, pair, l, 1 - f, err));
            if (how == 1)
                IG_THEN(code, centre(&test, &learn, err));
            if (how == 2)
                IG_THEN(code, erase(&test, &learn, err));
            if (with_probe)
                IG_THEN(code, probe_half(&found, &test, j->with.team, err));
            probe[how] += found / 2;
            if (how == 2)
                IG_THEN(code, find(hit, NULL, &test, j, f, err));
            half_free(&test);
            half_free(&learn);
        }
    return code;
}

/* Where the debiased CKA of the model is largest. */
static int alike_layer(const ig_diagnosis *d, int pair)
{
    int best = -1;
    for (int l = 0; l < d->n_layer; l++) {
        const double x = ig_diagnose_at(d, l, pair)[IG_DIAGNOSE_CKA_DEBIASED].value;
        if (isfinite(x) &&
            (best < 0 || x > ig_diagnose_at(d, best, pair)[IG_DIAGNOSE_CKA_DEBIASED].value))
            best = l;
    }
    return best;
}

static ig_code rotate(uint8_t *hit, const ig_card_job *j, int pair, int l, ig_err *err)
{
    const int *of = j->d->pair[pair], d = ig_card_width(j);
    const int64_t n = j->of->sentence[of[0]].n;
    const float *x[] = {j->of->sentence[of[0]].x[l], j->of->sentence[of[1]].x[l]};
    int32_t *answer[2 * IG_N_CRITERIA];
    IG_OWNED int32_t *block = NULL;
    IG_TRY(ig_alloc(&block, 2 * IG_N_CRITERIA * n, sizeof *block, "answers", err));
    for (int i = 0; i < 2 * IG_N_CRITERIA; i++)
        answer[i] = block + i * n;
    for (int f = 0; f < 2; f++) {
        ig_space_pair p = {.n_learn = (n + f) / 2,
                           .n_judge = (n - f + 1) / 2,
                           .d = d,
                           .step = 2,
                           .ridge = .01,
                           .answer = answer};
        ig_neighbour_scores s;
        for (int side = 0; side < 2; side++) {
            p.learn[side] = x[side] + (1 - f) * (int64_t)d;
            p.judge[side] = x[side] + f * (int64_t)d;
        }
        IG_TRY(ig_space_map_judge(&s, &p, &j->with, err));
        for (int64_t i = 0; i < p.n_judge; i++)
            hit[2 * i + f] = (uint8_t)((answer[0][i] == i) + (answer[IG_N_CRITERIA][i] == i));
    }
    return IG_ERR_OK;
}

/* The numbers of a pair at layer l of the vectors; the probes, where they are wanted. */
static ig_code at_layer(const ig_card_job *j, int i, int l, int at, uint8_t *hit, ig_err *err)
{
    ig_diagnose_pair *p = &j->d->of_pair[i];
    double probe[3] = {0};
    for (int h = 0; h < IG_HELD_LAYERED; h++)
        keep(j, &p->held[at][h], of_hits(j, hits_of(j, l, i, (ig_held)h)));
    IG_TRY(erase_pair(probe, hit, j, i, l, at == IG_HELD_AT_BEST, err));
    keep(j, &p->held[at][IG_HELD_LEACE], of_hits(j, hit));
    for (int how = 0; how < 3 && at == IG_HELD_AT_BEST; how++)
        keep(j, &p->probe[how], ig_card_share(probe[how], j->of->sentence[0].n, .5));
    return IG_ERR_OK;
}

static ig_code one_pair(const ig_card_job *j, int i, int best, uint8_t *hit, ig_err *err)
{
    ig_diagnosis *d = j->d;
    ig_diagnose_pair *p = &d->of_pair[i];
    if (j->row > 0)
        return at_layer(j, i, 0, IG_HELD_AT_SENTENCE, hit, err);
    IG_TRY(at_layer(j, i, d->n_layer - 1, IG_HELD_AT_LAST, hit, err));
    IG_TRY(at_layer(j, i, best, IG_HELD_AT_BEST, hit, err));
    if (!ig_card_untrained(j))
        p->rotated_layer = alike_layer(d, i);
    if (p->rotated_layer < 0)
        return IG_ERR_OK;
    if (!ig_card_untrained(j))
        IG_TRY(ig_alloc(&p->rotated, ig_diagnose_n(d), 1, "hits", err));
    uint8_t *const rotated = ig_card_untrained(j) ? hit : p->rotated;
    IG_TRY(rotate(rotated, j, i, p->rotated_layer, err));
    for (int at = 0; at < IG_HELD_AT_N; at++)
        keep(j, &p->held[at][IG_HELD_ROTATED], of_hits(j, rotated));
    return IG_ERR_OK;
}

ig_code ig_held_pairs(const ig_card_job *j, ig_err *err)
{
    /* The untrained model is measured where the model is. */
    const int best =
        ig_held_best_layer(j->d, &(ig_held_choice){IG_HELD_COSINE, IG_CARD_MODEL, NULL}, -1);
    IG_OWNED uint8_t *hit = NULL;
    IG_TRY(ig_alloc(&hit, j->of->sentence[0].n, 1, "hits", err));
    for (int i = 0; i < j->d->n_pair; i++)
        IG_TRY(one_pair(j, i, best, hit, err));
    return IG_ERR_OK;
}
