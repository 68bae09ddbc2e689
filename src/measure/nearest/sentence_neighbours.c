/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the nearest neighbours of sentence vectors in both directions. Each direction is computed
 * twice, a block of rows at a time: first for the nearest rows and their mean cosines, which the
 * criteria of the second pass need from both sides.
 */
#include "measure/nearest/sentence_neighbours.h"

#include "base/memory.h"

#include <math.h>

enum { block_rows = 32 };

/* Called for row i of the queries with its cosines to the n candidates; writes what is i's alone.
 */
typedef void row_fn(void *arg, int64_t i, const float *cosine, int64_t n);

typedef struct {
    const float *query, *candidate;
    int64_t n_query, n_candidate;
    int d;
    row_fn *fn;
    void *arg;
    const ig_retrieval_with *with;
    float *block; /* [threads, block_rows, n_candidate] */
    ig_scratch *scratch;
} row_job;

static void block_task(void *arg, int64_t i_task, int i_thread)
{
    const row_job *j = arg;
    const int64_t from = i_task * block_rows,
                  to = from + block_rows < j->n_query ? from + block_rows : j->n_query;
    float *block = j->block + (int64_t)i_thread * block_rows * j->n_candidate;
    if (ig_stop_requested(j->with->stop))
        return; /* the caller asks too */
    const ig_gemm product = ig_gemm_of_rows(j->query + from * j->d, (int)(to - from), j->candidate,
                                            (int)j->n_candidate, j->d, block);
    j->with->ops->gemm(&product, &j->scratch[i_thread]);
    for (int64_t i = from; i < to; i++)
        j->fn(j->arg, i, block + (i - from) * j->n_candidate, j->n_candidate);
}

static ig_code each_row(row_job j, ig_err *err)
{
    const int n_thread = ig_team_size(j.with->team);
    ig_code code =
        ig_alloc(&j.block, n_thread * block_rows * j.n_candidate, sizeof *j.block, "cosines", err);
    IG_THEN(code, ig_alloc(&j.scratch, n_thread, sizeof *j.scratch, "cosines", err));
    if (code == IG_ERR_OK) {
        ig_team_for(j.with->team, (j.n_query + block_rows - 1) / block_rows, block_task, &j);
        code = ig_stop_check(j.with->stop, "neighbours", err);
    }
    IG_THEN(code, ig_scratches_check(j.scratch, n_thread, err));
    ig_scratches_free(j.scratch, n_thread);
    ig_free(j.block);
    return code;
}

/* One side's rows as queries of the other's. */
typedef struct {
    int k, k_margin;       /* 10 and 4, or as many as there are */
    int32_t *top;          /* [n, IG_NEIGHBOURS] the nearest, falling */
    float *best, *r, *r_m; /* [n] cosine of the nearest, mean of k, of k_margin */
    const float *other_r, *other_r_m;
    bool *right[3]; /* [n] by cosine, CSLS, margin */
} way;

static void note_nearest(void *arg, int64_t i, const float *cosine, int64_t n)
{
    const way *w = arg;
    int32_t *top = w->top + i * IG_NEIGHBOURS;
    int have = 0;
    for (int64_t j = 0; j < n; j++) {
        if (have == w->k && !(cosine[j] > cosine[top[have - 1]]))
            continue;
        int at = have < w->k ? have++ : have - 1;
        for (; at > 0 && cosine[j] > cosine[top[at - 1]]; at--)
            top[at] = top[at - 1];
        top[at] = (int32_t)j;
    }
    double sum = 0;
    for (int t = 0; t < w->k; t++) {
        sum += (double)cosine[top[t]];
        if (t + 1 == w->k_margin)
            w->r_m[i] = (float)(sum / w->k_margin);
    }
    w->r[i] = (float)(sum / w->k);
    w->best[i] = cosine[top[0]];
    w->right[0][i] = top[0] == i;
}

static void judge(void *arg, int64_t i, const float *cosine, int64_t n)
{
    const way *w = arg;
    int64_t csls = 0, margin = 0;
    double best_csls = 0, best_margin = 0;
    for (int64_t j = 0; j < n; j++) {
        const double c = (double)cosine[j], by_csls = 2 * c - (double)w->other_r[j],
                     by_margin = c / (((double)w->r_m[i] + (double)w->other_r_m[j]) / 2);
        if (j == 0 || by_csls > best_csls) {
            best_csls = by_csls;
            csls = j;
        }
        if (j == 0 || by_margin > best_margin) {
            best_margin = by_margin;
            margin = j;
        }
    }
    w->right[1][i] = csls == i;
    w->right[2][i] = margin == i;
}

static ig_code way_make(way *w, int64_t n, ig_err *err)
{
    w->k = n < IG_NEIGHBOURS ? (int)n : IG_NEIGHBOURS;
    w->k_margin = n < IG_MARGIN_NEIGHBOURS ? (int)n : IG_MARGIN_NEIGHBOURS;
    IG_TRY(ig_alloc(&w->top, n * IG_NEIGHBOURS, sizeof *w->top, "neighbours", err));
    IG_TRY(ig_alloc(&w->best, n, sizeof *w->best, "neighbours", err));
    IG_TRY(ig_alloc(&w->r, n, sizeof *w->r, "neighbours", err));
    IG_TRY(ig_alloc(&w->r_m, n, sizeof *w->r_m, "neighbours", err));
    for (int c = 0; c < 3; c++)
        IG_TRY(ig_alloc(&w->right[c], n, sizeof *w->right[c], "neighbours", err));
    return IG_ERR_OK;
}

static void way_free(way *w)
{
    IG_FREE(w->top, w->best, w->r, w->r_m);
    for (int c = 0; c < 3; c++)
        ig_free(w->right[c]);
}

static ig_code skewness(double *out, const way *w, int64_t n, ig_err *err)
{
    int64_t *count;
    double second = 0, third = 0;
    IG_TRY(ig_alloc(&count, n, sizeof *count, "neighbours", err));
    for (int64_t i = 0; i < n; i++)
        for (int t = 0; t < w->k; t++)
            count[w->top[i * IG_NEIGHBOURS + t]]++;
    for (int64_t i = 0; i < n; i++) {
        const double c = (double)count[i] - w->k; /* k is the mean */
        second += c * c / (double)n;
        third += c * c * c / (double)n;
    }
    *out = second > 0 ? third / (second * sqrt(second)) : (double)NAN;
    ig_free(count);
    return IG_ERR_OK;
}

ig_neighbour_scores ig_neighbour_scores_none(void)
{
    const double none = (double)NAN;
    return (ig_neighbour_scores){none, none, none, none, none, {none, none}, {none, none}};
}

static ig_code sum_up(ig_neighbour_scores *out, const way w[2], int64_t n,
                      const float *const nearest[2], ig_err *err)
{
    double skew[2];
    int64_t right[2][3] = {{0}}, own = 0;
    for (int s = 0; s < 2; s++) {
        IG_TRY(skewness(&skew[s], &w[s], n, err));
        for (int64_t i = 0; i < n; i++) {
            for (int c = 0; c < 3; c++)
                right[s][c] += w[s].right[c][i];
            own += nearest != NULL && nearest[s][i] > w[s].best[i];
        }
    }
    const double one = (double)n, all = 2 * one;
    *out = (ig_neighbour_scores){.cosine = (double)(right[0][0] + right[1][0]) / all,
                                 .csls = (double)(right[0][1] + right[1][1]) / all,
                                 .margin = (double)(right[0][2] + right[1][2]) / all,
                                 .hubness = (skew[0] + skew[1]) / 2,
                                 .own = nearest != NULL ? (double)own / all : (double)NAN};
    for (int s = 0; s < 2; s++) {
        out->cosine_way[s] = (double)right[s][0] / one;
        out->csls_way[s] = (double)right[s][1] / one;
    }
    return IG_ERR_OK;
}

ig_code ig_neighbour_scores_run(ig_neighbour_scores *out, const ig_sentence_rows *of,
                                const ig_retrieval_with *with, ig_err *err)
{
    const int64_t n = of->n;
    way w[2] = {0};
    row_job rows[2];
    ig_code code = IG_ERR_OK;
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++)
        code = way_make(&w[s], n, err);
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        rows[s] = (row_job){.query = of->x[s],
                            .candidate = of->x[1 - s],
                            .n_query = n,
                            .n_candidate = n,
                            .d = of->d,
                            .fn = note_nearest,
                            .arg = &w[s],
                            .with = with};
        code = each_row(rows[s], err);
    }
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        w[s].other_r = w[1 - s].r;
        w[s].other_r_m = w[1 - s].r_m;
        rows[s].fn = judge;
        code = each_row(rows[s], err);
    }
    IG_THEN(code, sum_up(out, w, n, of->nearest, err));
    way_free(&w[0]);
    way_free(&w[1]);
    return code;
}

static void note_own(void *arg, int64_t i, const float *cosine, int64_t n)
{
    float *out = arg;
    out[i] = -2;
    for (int64_t j = 0; j < n; j++)
        if (j != i && cosine[j] > out[i])
            out[i] = cosine[j];
}

ig_code ig_nearest_own(float *out, const float *x, int64_t n, int d, const ig_retrieval_with *with,
                       ig_err *err)
{
    return each_row((row_job){.query = x,
                              .candidate = x,
                              .n_query = n,
                              .n_candidate = n,
                              .d = d,
                              .fn = note_own,
                              .arg = out,
                              .with = with},
                    err);
}
