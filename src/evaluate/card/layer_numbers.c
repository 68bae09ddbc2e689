/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures each layer. Of an untrained model the same functions run, and only values are kept.
 */
#include "evaluate/card/layer_numbers.h"

#include "analyse/similarity.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/numeric/sums.h"
#include "base/numeric/unit_rows.h"
#include "embed/map/map_linear.h"
#include "evaluate/card/held_out.h"
#include "evaluate/card/line_shift.h"

#include <math.h>
#include <string.h>

typedef struct {
    const ig_card_job *j;
    float *unit[IG_DIAGNOSE_LANGUAGES];    /* of the layer: rows of unit length */
    float *centred[IG_DIAGNOSE_LANGUAGES]; /* rows without their mean */
    float *nearest[IG_DIAGNOSE_LANGUAGES]; /* the largest cosine within the language */
    double *length[IG_DIAGNOSE_LANGUAGES], *own[IG_DIAGNOSE_LANGUAGES]; /* of CKA's influences */
    double *influence[IG_DIAGNOSE_LANGUAGES];
    double *cross;
    int32_t *answer[2 * IG_N_CRITERIA];
    ig_space space[IG_DIAGNOSE_LANGUAGES]; /* the rows for CKA */
    ig_similarity_room room;
} work;

/* Keeps a number, or as what an untrained model gives. */
static void keep(const ig_card_job *j, ig_card_number *at, ig_card_number x)
{
    if (ig_card_untrained(j)) {
        at->untrained = x.value;
        return;
    }
    x.untrained = at->untrained;
    *at = x;
}

/* --- numbers of a layer */

/* Influences of ‖mean‖² / mean of ‖x‖²: by the derivatives of both. */
static void of_constant(double *out, const float *x, int64_t n, int d, const float *mean)
{
    double square = 0;
    const double length = ig_dot_floats(mean, mean, d);
    for (int64_t i = 0; i < n; i++)
        square += ig_dot_floats(x + i * d, x + i * d, d) / (double)n;
    for (int64_t i = 0; i < n && square > 0; i++)
        out[i] = 2 * (ig_dot_floats(x + i * d, mean, d) - length) / square -
                 length / (square * square) * (ig_dot_floats(x + i * d, x + i * d, d) - square);
}

/* Computes the influences of the mean cosine of two different rows of unit length. */
static void of_cosine(double *out, const float *u, int64_t n, int d, const float *mean)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = 2 * ig_dot_floats(u + i * d, mean, d);
}

static ig_code spread_of(work *w, int l, ig_card_number *at, bool constant, double value,
                         ig_err *err)
{
    const ig_diagnosis *d = w->j->d;
    const int width = ig_card_width(w->j);
    int64_t n[IG_DIAGNOSE_LANGUAGES];
    double weight[IG_DIAGNOSE_LANGUAGES], chance = 0;
    IG_OWNED float *mean = NULL;
    ig_card_number x;
    IG_TRY(ig_alloc(&mean, width, sizeof *mean, "mean", err));
    for (int k = 0; k < d->n_language; k++) {
        const ig_text_vectors *v = &w->j->of->sentence[k];
        const float *rows = constant ? v->x[l] : w->unit[k];
        n[k] = v->n;
        weight[k] = 1. / d->n_language;
        chance += constant ? weight[k] / (double)v->n : 0;
        ig_mean_row(mean, rows, v->n, v->d);
        (constant ? of_constant : of_cosine)(w->influence[k], rows, v->n, v->d, mean);
    }
    const ig_language_influence f = {w->influence, n, d->n_language, d->parallel};
    ig_code code =
        ig_card_of_languages(&x, value, &f, weight, constant ? IG_RANGE_SHARE : IG_RANGE_ANY, err);
    x.chance = chance;
    keep(w->j, at, x);
    return code;
}

/* The influences of (tr C)² / (d ‖C‖²): 2 T_i / T − S_i / S, T_i = ‖x‖² − T, S_i = 2 (xᵀCx − S). */
static ig_code isotropy(work *w, int l, ig_card_number *at, double value, ig_err *err)
{
    const ig_diagnosis *d = w->j->d;
    const int width = ig_card_width(w->j);
    int64_t n[IG_DIAGNOSE_LANGUAGES], all = 0, most = 0;
    double weight[IG_DIAGNOSE_LANGUAGES], *cov = NULL, t = 0, s = 0;
    float *x = NULL, *mapped = NULL;
    ig_card_number out;
    for (int k = 0; k < d->n_language; k++)
        all += n[k] = w->j->of->sentence[k].n;
    most = all;
    const ig_vector_work with = {width, w->j->with.ops, w->j->with.team};
    ig_code code = ig_alloc(&x, most * width, sizeof *x, "vectors", err);
    IG_THEN(code, ig_alloc(&mapped, most * width, sizeof *x, "vectors", err));
    IG_THEN(code, ig_alloc(&cov, (int64_t)width * width, sizeof *cov, "covariance", err));
    if (code == IG_ERR_OK) {
        for (int64_t k = 0, from = 0; k < d->n_language; from += n[k++])
            memcpy(x + from * width, w->j->of->sentence[k].x[l],
                   (size_t)(n[k] * width) * sizeof *x);
        ig_card_centre(x, all, width);
        code = ig_map_cross(cov, (ig_retrieve_side){x, NULL, all}, (ig_retrieve_side){x, NULL, all},
                            with, err);
    }
    IG_THEN(code, ig_map_apply(mapped, x, all, (ig_map_matrix){cov, width}, with, err));
    for (int64_t k = 0, row = 0; k < d->n_language && code == IG_ERR_OK; k++)
        for (int64_t i = 0; i < n[k]; i++, row++) {
            w->influence[k][i] =
                ig_dot_floats(mapped + row * width, x + row * width, width) / (double)all;
            t += ig_dot_floats(x + row * width, x + row * width, width) / (double)all;
            s += w->influence[k][i] / (double)all;
        }
    for (int64_t k = 0, row = 0; k < d->n_language && code == IG_ERR_OK; k++) {
        weight[k] = (double)n[k] / (double)all;
        for (int64_t i = 0; i < n[k]; i++, row++)
            w->influence[k][i] =
                t > 0 && s > 0 ? value * 2 *
                                     (ig_dot_floats(x + row * width, x + row * width, width) / t -
                                      w->influence[k][i] / s)
                               : 0;
    }
    const ig_language_influence f = {w->influence, n, d->n_language, d->parallel};
    IG_THEN(code, ig_card_of_languages(&out, value, &f, weight, IG_RANGE_SHARE, err));
    if (code == IG_ERR_OK) {
        out.chance = 1 / (1 + (double)width / (double)all);
        keep(w->j, at, out);
    }
    IG_FREE(x, mapped, cov);
    return code;
}

static ig_code alone(work *w, int l, ig_err *err)
{
    const ig_diagnosis *d = w->j->d;
    const int width = ig_card_width(w->j);
    const float *x[IG_DIAGNOSE_LANGUAGES], *unit[IG_DIAGNOSE_LANGUAGES];
    int64_t n[IG_DIAGNOSE_LANGUAGES], all = 0, largest = 0;
    ig_card_number *out = ig_diagnose_at(d, w->j->row + l, -1);
    double probe = (double)NAN;
    for (int k = 0; k < d->n_language; k++) {
        x[k] = w->j->of->sentence[k].x[l];
        n[k] = w->j->of->sentence[k].n;
        unit[k] = w->unit[k];
        all += n[k];
        largest = n[k] > largest ? n[k] : largest;
    }
    ig_moments m;
    const ig_language_vectors v = {x, n, d->n_language, width}, u = {unit, n, d->n_language, width};
    ig_code code = ig_moments_make(&m, &v, w->j->with.team, err);
    IG_THEN(code, ig_language_probe(&probe, &m, &v, w->j->with.team, err));
    if (code == IG_ERR_OK)
        keep(w->j, &out[IG_DIAGNOSE_PROBE],
             ig_card_share(probe, d->parallel ? n[0] : all, (double)largest / (double)all));
    const double varied = code == IG_ERR_OK ? ig_isotropy(&m, &v) : (double)NAN;
    IG_THEN(code, isotropy(w, l, &out[IG_DIAGNOSE_ISOTROPY], varied, err));
    IG_THEN(code, spread_of(w, l, &out[IG_DIAGNOSE_CONSTANT], true, ig_constant_share(&v), err));
    IG_THEN(code, spread_of(w, l, &out[IG_DIAGNOSE_MEAN_COSINE], false, ig_mean_cosine(&u), err));
    for (int k = 0; k < d->n_language && w->j->row + l == 0 && code == IG_ERR_OK; k++) {
        const ig_language_vectors raw = {&x[k], &n[k], 1, width}, one = {&unit[k], &n[k], 1, width};
        *(ig_card_untrained(w->j) ? &w->j->d->language[k].untrained_spread
                                  : &w->j->d->language[k].spread) =
            isnan(ig_constant_share(&raw)) ? 0
                                           : 1 - ig_mean_cosine(&one); /* all zero: one vector */
    }
    ig_moments_free(&m);
    return code;
}

/* --- numbers of a pair */

/* Retrieval by cosine between copies without their means. */
static ig_code centred(const work *w, double *out, const int pair[2], int l, ig_err *err)
{
    float *copy[2] = {NULL, NULL};
    const int64_t n = w->j->of->sentence[pair[0]].n;
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        code = ig_alloc(&copy[x], n * ig_card_width(w->j), sizeof *copy[x], "centred vectors", err);
        IG_THEN(code, ig_card_unit(copy[x], w->j->of, pair[x], l, true, err));
    }
    if (code == IG_ERR_OK) {
        const ig_vector_pair v = {{copy[0], copy[1]}, {n, n}, ig_card_width(w->j), NULL, n};
        ig_retrieval_score s;
        code = ig_retrieval_run(&s, &v, &w->j->with, err);
        *out = s.mean;
    }
    IG_FREE(copy[0], copy[1]);
    return code;
}

/* Word translation: the interval is that of the smaller number of words asked for; chance is the
 * mean share of candidates that are right. */
static ig_code words(const ig_card_job *j, ig_card_number *out, int l, ig_err *err)
{
    ig_dictionary_rows rows;
    ig_retrieval_score s;
    const ig_dictionary *d = j->dictionary;
    const ig_text_vectors *word = j->of->word;
    for (int x = 0; x < 2; x++)
        IG_TRY(ig_unit_rows(word[x].x[l], word[x].n, word[x].d, "word vectors", err));
    IG_TRY(ig_dictionary_find(&rows, d, &d->word[0], &d->word[1], err));
    const ig_vector_pair v = {
        {word[0].x[l], word[1].x[l]}, {word[0].n, word[1].n}, word[0].d, rows.pair, rows.n_pair};
    ig_code code = ig_retrieval_run(&s, &v, &j->with, err);
    if (code == IG_ERR_OK) {
        const int64_t a = s.way[0].n_query, b = s.way[1].n_query;
        const double cells = (double)rows.n_pair,
                     chance = cells / (double)a / (double)s.way[0].n_candidate / 2 +
                              cells / (double)b / (double)s.way[1].n_candidate / 2;
        keep(j, out, ig_card_share(s.mean, a < b ? a : b, chance));
    }
    ig_dictionary_rows_free(&rows);
    return code;
}

/* CKA with influences. */
static ig_code similarity(work *w, ig_card_number *out, const int pair[2], ig_err *err)
{
    const ig_card_job *j = w->j;
    const ig_similarity_with with = {.ops = j->with.ops, .team = j->with.team, .room = &w->room};
    const int a = pair[0], b = pair[1], d = ig_card_width(j);
    const int64_t n = j->of->sentence[a].n;
    ig_cka cka;
    ig_card_number x;
    IG_TRY(ig_similarity_cka(&cka, &w->space[a], &w->space[b], &with, err));
    if (ig_card_untrained(j)) {
        out[IG_DIAGNOSE_CKA].untrained = cka.biased;
        out[IG_DIAGNOSE_CKA_DEBIASED].untrained = cka.debiased;
        return IG_ERR_OK;
    }
    IG_TRY(ig_hsic_rows(w->cross, &(ig_centred){w->centred[a], n, d},
                        &(ig_centred){w->centred[b], n, d},
                        (ig_vector_work){d, j->with.ops, j->with.team}, err));
    const ig_cka_rows rows = {w->cross, w->own[a], w->own[b], w->length[a], w->length[b], n};
    IG_TRY(ig_card_cka(&x, cka.biased, &rows, err));
    keep(j, &out[IG_DIAGNOSE_CKA], x);
    IG_TRY(ig_card_cka_debiased(&x, cka.debiased, &rows, err));
    keep(j, &out[IG_DIAGNOSE_CKA_DEBIASED], x);
    return IG_ERR_OK;
}

/* Chance is the skewness of a binomial. */
static ig_card_number hubness_of(const ig_neighbour_scores *s, int64_t n)
{
    static const double normal = 1.959963984540054; /* of a 95 % interval */
    const double k = n < IG_NEIGHBOURS ? (double)n : IG_NEIGHBOURS, p = k / (double)n,
                 chance = p < 1 ? (1 - 2 * p) / sqrt(k * (1 - p)) : (double)NAN;
    return (ig_card_number){s->hubness,
                            s->hubness - normal * s->hubness_error,
                            s->hubness + normal * s->hubness_error,
                            chance,
                            (double)NAN,
                            n};
}

static ig_code compare(work *w, int i, int l, ig_err *err)
{
    const ig_card_job *j = w->j;
    const int *pair = j->d->pair[i];
    ig_card_number *out = ig_diagnose_at(j->d, j->row + l, i);
    const int64_t n = j->of->sentence[pair[0]].n;
    const float *const x[] = {w->unit[pair[0]], w->unit[pair[1]]}, *const nearest[] = {
                                                                       w->nearest[pair[0]],
                                                                       w->nearest[pair[1]]};
    const double chance = 1 / (double)n;
    double without = (double)NAN;
    ig_neighbour_scores s;
    IG_TRY(ig_neighbour_scores_run(
        &s, &(ig_sentence_rows){x, n, ig_card_width(j), nearest, w->answer}, &j->with, err));
    IG_TRY(centred(w, &without, pair, l, err));
    keep(j, &out[IG_DIAGNOSE_COSINE], ig_card_share(s.cosine, n, chance));
    keep(j, &out[IG_DIAGNOSE_CSLS], ig_card_share(s.csls, n, chance));
    keep(j, &out[IG_DIAGNOSE_MARGIN], ig_card_share(s.margin, n, chance));
    keep(j, &out[IG_DIAGNOSE_CENTRED], ig_card_share(without, n, chance));
    keep(j, &out[IG_DIAGNOSE_OWN], ig_card_share(s.own, n, (double)(n - 1) / (double)(2 * n - 1)));
    keep(j, &out[IG_DIAGNOSE_HUBNESS], hubness_of(&s, n));
    IG_TRY(similarity(w, out, pair, err));
    if (!ig_card_untrained(j) && j->row == 0)
        IG_TRY(ig_shift_take(&j->d->of_pair[i], (const int64_t[]){n, n},
                             (const int32_t *const[]){w->answer[0], w->answer[IG_N_CRITERIA]},
                             err));
    return ig_held_layer(j, i, l, err);
}

/* --- word alignments */

static ig_alignment_error sum_but(const ig_gold_pairs *g, int n_layer, int l, int64_t without)
{
    ig_alignment_error sum = {0};
    for (int64_t i = 0; i < g->n_pair; i++) {
        const ig_alignment_error *e = &g->e[i * n_layer + l];
        if (i == without)
            continue;
        sum.n_predicted += e->n_predicted;
        sum.n_sure += e->n_sure;
        sum.n_possible += e->n_possible;
        sum.right_sure += e->right_sure;
        sum.right_possible += e->right_possible;
    }
    return sum;
}

/* Links as many as there are, drawn anywhere among the words of their sentences. */
static ig_alignment_error_score by_chance(const ig_gold_pairs *g, int n_layer, int l)
{
    double a = 0, sure = 0, hit = 0, touch = 0;
    for (int64_t i = 0; i < g->n_pair; i++) {
        const ig_alignment_error *e = &g->e[i * n_layer + l];
        const double share = g->cell[i] > 0 ? (double)e->n_predicted / g->cell[i] : 0;
        a += (double)e->n_predicted;
        sure += (double)e->n_sure;
        hit += share * (double)e->n_sure;
        touch += share * (double)e->n_possible;
    }
    const double p = touch / a, r = hit / sure;
    return (ig_alignment_error_score){p, r, 2 * p * r / (p + r), 1 - (hit + touch) / (a + sure)};
}

/* Jackknife over pairs of sentences: influences (n − 1) (F − F without i). */
static ig_code alignment(const ig_card_job *j, int l, ig_err *err)
{
    const ig_gold_pairs *g = &j->of->gold;
    ig_card_number *out = ig_diagnose_at(j->d, l, 0);
    const ig_alignment_error all = sum_but(g, j->d->n_layer, l, -1);
    const ig_alignment_error_score s = ig_alignment_error_get(&all),
                                   chance = by_chance(g, j->d->n_layer, l);
    IG_OWNED double *f1 = NULL;
    IG_TRY(ig_alloc(&f1, 2 * g->n_pair, sizeof *f1, "influences", err));
    double *aer = f1 + g->n_pair;
    for (int64_t i = 0; i < g->n_pair && !ig_card_untrained(j); i++) {
        const ig_alignment_error *e = &g->e[i * j->d->n_layer + l];
        const ig_alignment_error rest = {.n_predicted = all.n_predicted - e->n_predicted,
                                         .n_sure = all.n_sure - e->n_sure,
                                         .n_possible = all.n_possible - e->n_possible,
                                         .right_sure = all.right_sure - e->right_sure,
                                         .right_possible = all.right_possible - e->right_possible};
        const ig_alignment_error_score r = ig_alignment_error_get(&rest);
        f1[i] = (double)(g->n_pair - 1) * (s.f1 - (isfinite(r.f1) ? r.f1 : s.f1));
        aer[i] = (double)(g->n_pair - 1) * (s.aer - (isfinite(r.aer) ? r.aer : s.aer));
    }
    keep(j, &out[IG_DIAGNOSE_F1],
         ig_card_by_influence(s.f1, f1, g->n_pair, IG_RANGE_SHARE, chance.f1));
    keep(j, &out[IG_DIAGNOSE_AER],
         ig_card_by_influence(s.aer, aer, g->n_pair, IG_RANGE_SHARE, chance.aer));
    return IG_ERR_OK;
}

/* --- all */

/* Prepares language k's rows for pairs. */
static ig_code prepare(work *w, int k, int l, ig_err *err)
{
    const ig_card_job *j = w->j;
    const ig_text_vectors *v = &j->of->sentence[k];
    const ig_similarity_with with = {.ops = j->with.ops, .team = j->with.team, .room = &w->room};
    IG_TRY(ig_nearest_own(w->nearest[k], w->unit[k], v->n, v->d, &j->with, err));
    ig_space_free(&w->space[k]);
    IG_TRY(ig_space_new(&w->space[k], v->x[l], v->n, v->d, &with, err));
    if (ig_card_untrained(j))
        return IG_ERR_OK;
    memcpy(w->centred[k], v->x[l], (size_t)(v->n * v->d) * sizeof(float));
    ig_card_centre(w->centred[k], v->n, v->d);
    for (int64_t i = 0; i < v->n; i++)
        w->length[k][i] = ig_dot_floats(w->centred[k] + i * v->d, w->centred[k] + i * v->d, v->d);
    const ig_centred rows = {w->centred[k], v->n, v->d};
    return ig_hsic_rows(w->own[k], &rows, &rows, (ig_vector_work){v->d, j->with.ops, j->with.team},
                        err);
}

static ig_code measure_layer(work *w, int l, ig_err *err)
{
    const ig_diagnosis *d = w->j->d;
    for (int k = 0; k < d->n_language; k++) {
        IG_TRY(ig_card_unit(w->unit[k], w->j->of, k, l, false, err));
        if (d->parallel)
            IG_TRY(prepare(w, k, l, err));
    }
    IG_TRY(alone(w, l, err));
    for (int i = 0; i < d->n_pair && d->parallel; i++)
        IG_TRY(compare(w, i, l, err));
    if (w->j->of->gold.n_pair > 0)
        IG_TRY(alignment(w->j, l, err));
    return w->j->of->word[0].n > 0
               ? words(w->j, &ig_diagnose_at(d, l, 0)[IG_DIAGNOSE_WORDS], l, err)
               : IG_ERR_OK;
}

static ig_code make_room(work *w, ig_err *err)
{
    const ig_diagnosis *d = w->j->d;
    int64_t most = 0;
    for (int k = 0; k < d->n_language; k++) {
        const int64_t n = w->j->of->sentence[k].n;
        most = n > most ? n : most;
        IG_TRY(ig_alloc(&w->unit[k], n * ig_card_width(w->j), sizeof(float), "vectors", err));
        IG_TRY(ig_alloc(&w->centred[k], n * ig_card_width(w->j), sizeof(float), "vectors", err));
        IG_TRY(ig_alloc(&w->nearest[k], n, sizeof(float), "vectors", err));
        IG_TRY(ig_alloc(&w->length[k], n, sizeof(double), "vectors", err));
        IG_TRY(ig_alloc(&w->own[k], n, sizeof(double), "vectors", err));
        IG_TRY(ig_alloc(&w->influence[k], n, sizeof(double), "vectors", err));
    }
    for (int i = 0; i < 2 * IG_N_CRITERIA; i++)
        IG_TRY(ig_alloc(&w->answer[i], most, sizeof *w->answer[i], "answers", err));
    return ig_alloc(&w->cross, most, sizeof *w->cross, "influences", err);
}

ig_code ig_card_measure(const ig_card_job *j, ig_err *err)
{
    work w = {.j = j};
    ig_code code = make_room(&w, err);
    const int n_layer = j->of->sentence[0].n_layer;
    ig_progress_begin("layers", n_layer);
    for (int l = 0; l < n_layer && code == IG_ERR_OK; l++) {
        code = ig_stop_check(j->with.stop, "diagnose", err);
        IG_THEN(code, measure_layer(&w, l, err));
        ig_progress(l + 1, NULL);
    }
    ig_progress_end();
    ig_free(w.room.block);
    for (int k = 0; k < IG_DIAGNOSE_LANGUAGES; k++) {
        IG_FREE(w.unit[k], w.centred[k], w.nearest[k], w.length[k], w.own[k], w.influence[k]);
        ig_space_free(&w.space[k]);
    }
    for (int i = 0; i < 2 * IG_N_CRITERIA; i++)
        ig_free(w.answer[i]);
    ig_free(w.cross);
    return code;
}
