/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds shifted lines by the distance between a sentence and the nearest one of the other language.
 * The distance that most have, other than 0, is tested against 0 by the sign test from the line on
 * that tells them apart best; its p is multiplied by the number of distances and lines tried.
 */
#include "evaluate/card/line_shift.h"

#include "base/memory.h"
#include "base/numeric/statistics.h"

#include <math.h>
#include <string.h>

/* count[n_other + by] of answers at each distance, of both searches; [n[0] + n[1]]. */
static ig_code distances(int64_t **count, const int32_t *const answer[2], const int64_t n[2],
                         ig_err *err)
{
    IG_TRY(ig_alloc(count, n[0] + n[1], sizeof **count, "distances", err));
    for (int64_t i = 0; i < n[0]; i++)
        (*count)[n[0] + answer[0][i] - i]++;
    for (int64_t i = 0; i < n[1]; i++)
        (*count)[n[0] + i - answer[1][i]]++;
    return IG_ERR_OK;
}

ig_code ig_shift_take(ig_diagnose_pair *p, const int64_t n[2], const int32_t *const answer[2],
                      ig_err *err)
{
    int64_t *count, most = 0;
    IG_TRY(distances(&count, answer, n, err));
    for (int64_t k = 0; k < n[0] + n[1]; k++)
        most = count[k] > most ? count[k] : most;
    ig_free(count);
    if (p->answer[0] != NULL && most <= p->n_agree)
        return IG_ERR_OK;
    for (int s = 0; s < 2; s++) {
        if (p->answer[s] == NULL)
            IG_TRY(ig_alloc(&p->answer[s], n[s], sizeof *p->answer[s], "answers", err));
        memcpy(p->answer[s], answer[s], (size_t)n[s] * sizeof *p->answer[s]);
    }
    p->n_agree = most;
    return IG_ERR_OK;
}

ig_code ig_shift_search(const ig_card_job *j, int pair, ig_err *err)
{
    const int *of = j->d->pair[pair];
    const int64_t n[] = {j->of->sentence[of[0]].n, j->of->sentence[of[1]].n};
    const ig_vector_work with = {ig_card_width(j), j->with.ops, j->with.team};
    float *x[2] = {NULL, NULL}, *score = NULL;
    int32_t *answer[2] = {NULL, NULL};
    ig_code code = ig_alloc(&score, n[0] + n[1], sizeof *score, "answers", err);
    for (int s = 0; s < 2; s++) {
        IG_THEN(code, ig_alloc(&x[s], n[s] * ig_card_width(j), sizeof(float), "vectors", err));
        IG_THEN(code, ig_alloc(&answer[s], n[s], sizeof *answer[s], "answers", err));
    }
    for (int l = 0; l < j->d->n_layer && code == IG_ERR_OK; l++) {
        for (int s = 0; s < 2; s++)
            IG_THEN(code, ig_card_unit(x[s], j->of, of[s], l, true, err));
        const ig_retrieve_want want[] = {{1, NULL, answer[0], score, NULL},
                                         {1, NULL, answer[1], score + n[0], NULL}};
        IG_THEN(code,
                ig_retrieve_top(&(ig_retrieve_side){x[0], NULL, n[0]},
                                &(ig_retrieve_side){x[1], NULL, n[1]}, want, NULL, with, err));
        IG_THEN(code, ig_shift_take(&j->d->of_pair[pair], n,
                                    (const int32_t *const[]){answer[0], answer[1]}, err));
    }
    IG_FREE(x[0], x[1], answer[0], answer[1], score);
    return code;
}

/* Returns how many of the two searches between i and i + by are right. */
static int right_at(const ig_diagnose_pair *p, const int64_t n[2], int64_t i, int64_t by)
{
    const int64_t other = i + by;
    return other >= 0 && other < n[1] ? (p->answer[0][i] == other) + (p->answer[1][other] == i) : 0;
}

ig_code ig_shift_find(ig_shift *out, const ig_diagnose_pair *p, const int64_t n[2], ig_err *err)
{
    int64_t *count, by = 0, most = 0, sum = 0, best = 0, plus = 0, minus = 0;
    *out = (ig_shift){.p = 1};
    IG_TRY(distances(&count, (const int32_t *const[]){p->answer[0], p->answer[1]}, n, err));
    for (int64_t k = 0; k < n[0] + n[1]; k++)
        if (k != n[0] && count[k] > most) {
            most = count[k];
            by = k - n[0];
        }
    ig_free(count);
    /* From the end: the begin from which on distance `by` is most ahead of 0. */
    for (int64_t i = n[0] - 1; i >= 0; i--) {
        sum += right_at(p, n, i, by) - right_at(p, n, i, 0);
        if (sum > best) {
            best = sum;
            out->from = i;
        }
    }
    /* Lines before it that say nothing belong to it: the first ones of a text that is shifted
     * whole.
     */
    while (out->from > 0 && right_at(p, n, out->from - 1, 0) == 0 && best > 0)
        out->from--;
    if (by < 0 && out->from < -by)
        out->from = -by < n[0] ? -by : n[0] - 1;
    for (int64_t i = out->from; i < n[0] && best > 0; i++) {
        const int with = right_at(p, n, i, by), without = right_at(p, n, i, 0);
        plus += with > without;
        minus += without > with;
        out->right += with;
        out->before += without;
    }
    out->n = n[0] - out->from;
    out->p = fmin(1, ig_binomial_at_least((double)plus, (double)(plus + minus), .5) *
                         (double)(n[0] + n[1]) * (double)n[0]);
    if (best > 0)
        out->by = by;
    return IG_ERR_OK;
}
