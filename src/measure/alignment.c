/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignment by mutual argmax (Jalili Sabet et al. 2020, https://arxiv.org/abs/2004.08728,
 * §2.2) and its scores as in Dufter & Schütze 2020, §2.2.1: edges are pooled over the sentences
 * before p, r and F1 are taken. The first index wins a tie, as with numpy's argmax.
 */
#include "measure/alignment.h"

#include "measure/measure_list.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

int32_t ig_alignment_argmax(const float *sim, int ld, int32_t na, int32_t nb, int32_t *pairs,
                            int32_t *work)
{
    if (na == 0 || nb == 0)
        return 0;
    for (int32_t j = 0; j < nb; j++)
        work[j] = 0;
    for (int32_t i = 1; i < na; i++)
        for (int32_t j = 0; j < nb; j++)
            if (sim[(int64_t)i * ld + j] > sim[(int64_t)work[j] * ld + j])
                work[j] = i;
    int32_t n = 0;
    for (int32_t i = 0; i < na; i++) {
        const float *row = sim + (int64_t)i * ld;
        int32_t best = 0;
        for (int32_t j = 1; j < nb; j++)
            if (row[j] > row[best])
                best = j;
        if (work[best] == i) {
            pairs[2 * n] = i;
            pairs[2 * n + 1] = best;
            n++;
        }
    }
    return n;
}

/* The similarity that counts in the second round. */
static double second_similarity(float sim, bool row_linked, bool column_linked)
{
    return (double)sim * (row_linked && column_linked ? 0 : row_linked || column_linked ? .9 : 1);
}

int32_t ig_alignment_itermax(float *sim, int ld, int32_t na, int32_t nb, int32_t *pairs,
                             int32_t *work)
{
    for (int32_t i = 0; i < na; i++)
        for (int32_t j = 0; j < nb; j++)
            sim[(int64_t)i * ld + j] = (sim[(int64_t)i * ld + j] + 1) / 2;
    const int32_t n = ig_alignment_argmax(sim, ld, na, nb, pairs, work);
    int32_t *best = work, *row = work + nb, *column = row + na, more = n;
    if (na <= 2 || nb <= 2 || n == na || n == nb)
        return n;
    memset(row, 0, (size_t)(na + nb) * sizeof *row);
    for (int32_t e = 0; e < n; e++)
        row[pairs[2 * e]] = column[pairs[2 * e + 1]] = 1;
    for (int32_t j = 0; j < nb; j++) {
        best[j] = 0;
        for (int32_t i = 1; i < na; i++)
            if (second_similarity(sim[(int64_t)i * ld + j], row[i], column[j]) >
                second_similarity(sim[(int64_t)best[j] * ld + j], row[best[j]], column[j]))
                best[j] = i;
    }
    for (int32_t i = 0; i < na; i++) {
        const float *s = sim + (int64_t)i * ld;
        int32_t to = 0;
        for (int32_t j = 1; j < nb; j++)
            if (second_similarity(s[j], row[i], column[j]) >
                second_similarity(s[to], row[i], column[to]))
                to = j;
        if (best[to] == i && !(row[i] && column[to])) {
            pairs[2 * more] = i;
            pairs[2 * more++ + 1] = to;
        }
    }
    return more;
}

ig_code ig_alignment_put(ig_alignment_buffers *r, int side, const float *x, int32_t n, int d,
                         ig_err *err)
{
    const int64_t size = (int64_t)n * d;
    r->n[side] = n;
    r->d = d;
    IG_TRY(ig_grow(&r->unit[side], &r->have[side], size + 1, sizeof *x, "states", err));
    memcpy(r->unit[side], x, (size_t)size * sizeof *x);
    return ig_unit_rows(r->unit[side], n, d, "hidden states", err);
}

ig_code ig_alignment_cosines(ig_alignment_buffers *r, const ig_ops *ops, ig_err *err)
{
    const int32_t n = r->n[0], m = r->n[1], most = n > m ? n : m;
    IG_TRY(ig_grow(&r->sim, &r->have[2], (int64_t)n * m + 1, sizeof *r->sim, "similarities", err));
    IG_TRY(ig_grow(&r->pairs, &r->have[3], 4 * (int64_t)most + 1, sizeof *r->pairs, "links", err));
    IG_TRY(ig_grow(&r->work, &r->have[4], 3 * (int64_t)most + 1, sizeof *r->work, "links", err));
    const ig_gemm product = ig_gemm_of_rows(r->unit[0], n, r->unit[1], m, r->d, r->sim);
    if (n > 0 && m > 0)
        ops->gemm(&product, &r->scratch);
    return ig_scratches_check(&r->scratch, 1, err);
}

void ig_alignment_buffers_free(ig_alignment_buffers *r)
{
    IG_FREE(r->unit[0], r->unit[1], r->sim, r->pairs, r->work);
    ig_scratch_free(&r->scratch);
}

void ig_alignment_add(ig_alignment_count *c, const int32_t *predicted, int32_t n_predicted,
                      const int32_t *gold, int32_t n_gold)
{
    c->n_predicted += n_predicted;
    c->n_gold += n_gold;
    int32_t p = 0, g = 0;
    while (p < n_predicted && g < n_gold) {
        const int32_t *x = predicted + 2 * p, *y = gold + 2 * g;
        IG_DEBUG_ASSERT(p == 0 || x[0] > x[-2]);
        if (x[0] == y[0] && x[1] == y[1]) {
            c->n_right++;
            p++;
            g++;
        } else if (x[0] < y[0] || (x[0] == y[0] && x[1] < y[1])) {
            p++;
        } else {
            g++;
        }
    }
}

ig_alignment_score ig_alignment_get(const ig_alignment_count *c)
{
    double p = (double)c->n_predicted, g = (double)c->n_gold, r = (double)c->n_right;
    return (ig_alignment_score){
        .precision = c->n_predicted ? r / p : (double)NAN,
        .recall = c->n_gold ? r / g : (double)NAN,
        .f1 = c->n_predicted + c->n_gold ? 2 * r / (p + g) : (double)NAN,
    };
}

const ig_store_task ig_numbers_alignment[] = {
    {"f1", "F1", "word alignment, F1", IG_LAYER_SHARE},
    {"precision", "P", "word alignment, precision", IG_LAYER_SHARE},
    {"recall", "R", "word alignment, recall", IG_LAYER_SHARE},
    {0}};
const ig_measure_kind ig_measure_kind_alignment = {.counts = true, .number = ig_numbers_alignment};
