/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the nearest neighbours of sentence vectors in both directions: a search for the nearest
 * rows of both, whose mean cosines the criteria need, then a walk for each direction.
 */
#include "measure/nearest/sentence_neighbours.h"

#include "base/memory.h"
#include "embed/search/retrieve_tiles.h"

#include <math.h>

/* The best answer so far. */
typedef struct {
    double score;
    int64_t answer;
} best;

/* One side's rows as queries of the other's. */
typedef struct {
    int k, k_margin; /* 10 and 4, or as many as there are */
    int32_t *top;    /* [n, k] the nearest, falling, … */
    float *cosine;   /* … and their cosines */
    float *r, *r_m;  /* [n] mean cosine of k, of k_margin */
    const float *other_r, *other_r_m;
    best *by_csls, *by_margin; /* [n] */
} way;

static void find_means(way *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int t = 0; t < w->k; t++) {
            sum += (double)w->cosine[i * w->k + t];
            if (t + 1 == w->k_margin)
                w->r_m[i] = (float)(sum / w->k_margin);
        }
        w->r[i] = (float)(sum / w->k);
    }
}

static void offer(best *b, double score, int64_t answer)
{
    if (answer == 0 || score > b->score)
        *b = (best){score, answer};
}

static void judge(void *arg, const ig_tile *t)
{
    const way *w = arg;
    for (int i = 0; i < t->n_row; i++) {
        const float *cosine = t->s + (int64_t)i * t->ld;
        const int64_t row = t->row0 + i;
        for (int64_t j = t->column0; j < t->column0 + t->n_column; j++) {
            const double c = (double)cosine[j - t->column0];
            offer(&w->by_csls[row], 2 * c - (double)w->other_r[j], j);
            offer(&w->by_margin[row], c / (((double)w->r_m[row] + (double)w->other_r_m[j]) / 2), j);
        }
    }
}

static ig_code way_make(way *w, int64_t n, ig_err *err)
{
    w->k = n < IG_NEIGHBOURS ? (int)n : IG_NEIGHBOURS;
    w->k_margin = n < IG_MARGIN_NEIGHBOURS ? (int)n : IG_MARGIN_NEIGHBOURS;
    IG_TRY(ig_alloc(&w->top, n * w->k, sizeof *w->top, "neighbours", err));
    IG_TRY(ig_alloc(&w->cosine, n * w->k, sizeof *w->cosine, "neighbours", err));
    IG_TRY(ig_alloc(&w->r, n, sizeof *w->r, "neighbours", err));
    IG_TRY(ig_alloc(&w->r_m, n, sizeof *w->r_m, "neighbours", err));
    IG_TRY(ig_alloc(&w->by_csls, n, sizeof *w->by_csls, "neighbours", err));
    return ig_alloc(&w->by_margin, n, sizeof *w->by_margin, "neighbours", err);
}

static void way_free(way *w)
{
    IG_FREE(w->top, w->cosine, w->r, w->r_m, w->by_csls, w->by_margin);
}

/* *error: by the influences of the counts on m₃ / m₂^1.5 about their known mean. */
static ig_code skewness(double *out, double *error, const way *w, int64_t n, ig_err *err)
{
    IG_OWNED int64_t *count = NULL;
    double second = 0, third = 0;
    IG_TRY(ig_alloc(&count, n, sizeof *count, "neighbours", err));
    for (int64_t i = 0; i < n; i++)
        for (int t = 0; t < w->k; t++)
            count[w->top[i * w->k + t]]++;
    for (int64_t i = 0; i < n; i++) {
        const double c = (double)count[i] - w->k; /* k is the mean */
        second += c * c / (double)n;
        third += c * c * c / (double)n;
    }
    const double skew = third / (second * sqrt(second));
    double square = 0;
    for (int64_t i = 0; i < n; i++) {
        const double c = (double)count[i] - w->k, f = c * c * c / (second * sqrt(second)) - skew -
                                                      1.5 * skew * (c * c / second - 1);
        square += f * f;
    }
    *out = second > 0 ? skew : (double)NAN;
    *error = second > 0 ? sqrt(square) / (double)n : (double)NAN;
    return IG_ERR_OK;
}

ig_neighbour_scores ig_neighbour_scores_none(void)
{
    const double none = (double)NAN;
    return (ig_neighbour_scores){none, none,         none,         none,        none,
                                 none, {none, none}, {none, none}, {none, none}};
}

static void hand_out(int32_t *const *answer, const way w[2], int64_t n)
{
    for (int s = 0; s < 2 && answer != NULL; s++)
        for (int64_t i = 0; i < n; i++) {
            answer[s * IG_N_CRITERIA][i] = w[s].top[i * w[s].k];
            answer[s * IG_N_CRITERIA + 1][i] = (int32_t)w[s].by_csls[i].answer;
            answer[s * IG_N_CRITERIA + 2][i] = (int32_t)w[s].by_margin[i].answer;
        }
}

static ig_code sum_up(ig_neighbour_scores *out, const way w[2], int64_t n,
                      const float *const nearest[2], ig_err *err)
{
    double skew[2], error[2];
    int64_t right[2][3] = {{0}}, own = 0;
    for (int s = 0; s < 2; s++) {
        IG_TRY(skewness(&skew[s], &error[s], &w[s], n, err));
        for (int64_t i = 0; i < n; i++) {
            right[s][0] += w[s].top[i * w[s].k] == i;
            right[s][1] += w[s].by_csls[i].answer == i;
            right[s][2] += w[s].by_margin[i].answer == i;
            own += nearest != NULL && nearest[s][i] > w[s].cosine[i * w[s].k];
        }
    }
    const double one = (double)n, all = 2 * one;
    *out = (ig_neighbour_scores){.cosine = (double)(right[0][0] + right[1][0]) / all,
                                 .csls = (double)(right[0][1] + right[1][1]) / all,
                                 .margin = (double)(right[0][2] + right[1][2]) / all,
                                 .hubness = (skew[0] + skew[1]) / 2,
                                 .hubness_error = hypot(error[0], error[1]) / 2,
                                 .own = nearest != NULL ? (double)own / all : (double)NAN};
    for (int s = 0; s < 2; s++) {
        out->cosine_way[s] = (double)right[s][0] / one;
        out->csls_way[s] = (double)right[s][1] / one;
        out->margin_way[s] = (double)right[s][2] / one;
    }
    return IG_ERR_OK;
}

ig_code ig_neighbour_scores_run(ig_neighbour_scores *out, const ig_sentence_rows *of,
                                const ig_retrieval_with *with, ig_err *err)
{
    const int64_t n = of->n;
    const ig_vector_work work = {of->d, with->ops, with->team};
    const ig_retrieve_side side[2] = {{of->x[0], NULL, n}, {of->x[1], NULL, n}};
    way w[2] = {0};
    ig_code code = way_make(&w[0], n, err);
    IG_THEN(code, way_make(&w[1], n, err));
    if (code == IG_ERR_OK) {
        const ig_retrieve_want want[2] = {{w[0].k, NULL, w[0].top, w[0].cosine, NULL},
                                          {w[1].k, NULL, w[1].top, w[1].cosine, NULL}};
        const ig_retrieve_question nearest = {want, NULL, with->stop};
        code = ig_retrieve_ask(&side[0], &side[1], &nearest, 1, work, err);
    }
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        find_means(&w[s], n);
        w[1 - s].other_r = w[s].r;
        w[1 - s].other_r_m = w[s].r_m;
    }
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        const ig_tile_user user = {.use = judge, .arg = &w[s], .stop = with->stop};
        code = ig_tiles_run(&side[s], &side[1 - s], &user, work, err);
    }
    IG_THEN(code, sum_up(out, w, n, of->nearest, err));
    if (code == IG_ERR_OK)
        hand_out(of->answer, w, n);
    way_free(&w[0]);
    way_free(&w[1]);
    return code;
}

static void note_own(void *arg, const ig_tile *t)
{
    float *out = arg;
    for (int64_t i = t->row0; i < t->row0 + t->n_row; i++)
        for (int64_t j = t->column0; j < t->column0 + t->n_column; j++) {
            const float cosine = t->s[(i - t->row0) * t->ld + j - t->column0];
            if (j != i && cosine > out[i])
                out[i] = cosine;
        }
}

ig_code ig_nearest_own(float *out, const float *x, int64_t n, int d, const ig_retrieval_with *with,
                       ig_err *err)
{
    const ig_retrieve_side side = {x, NULL, n};
    const ig_tile_user user = {.use = note_own, .arg = out, .stop = with->stop};
    for (int64_t i = 0; i < n; i++)
        out[i] = -2;
    return ig_tiles_run(&side, &side, &user, (ig_vector_work){d, with->ops, with->team}, err);
}
