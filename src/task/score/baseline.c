/* SPDX-License-Identifier: Apache-2.0
 *
 * Predictions without a model: see baseline.h.
 */
#include "task/score/baseline.h"

#include "base/memory.h"
#include "base/rng.h"

ig_code ig_prediction_new(ig_prediction *out, const ig_task_set *s, ig_err *err)
{
    *out = (ig_prediction){.label = NULL};
    IG_TRY(ig_alloc(&out->label, ig_task_n_label(s), sizeof *out->label, "predictions", err));
    if (s->head == NULL)
        return IG_ERR_OK;
    ig_code code = ig_alloc(&out->head, ig_task_n_label(s), sizeof *out->head, "predictions", err);
    if (code != IG_ERR_OK)
        ig_prediction_free(out);
    return code;
}

void ig_prediction_free(ig_prediction *p)
{
    IG_FREE(p->label, p->head);
    *p = (ig_prediction){.label = NULL};
}

/* The neighbour of word k of n, both from 1, that step −1 or 1 leads to; 0 outside. */
static int32_t neighbour(int64_t k, int64_t n, int step)
{
    const int64_t h = k + step;
    return h >= 1 && h <= n ? (int32_t)h : 0;
}

/* How often a set's heads are the neighbours. With count (of labels): of the relations of the words
 * where they are. */
static int64_t neighbours_right(const ig_task_set *s, int step, int64_t *count)
{
    int64_t right = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t from = s->first[i], n = s->first[i + 1] - from;
        for (int64_t k = 0; k < n; k++) {
            if (s->head[from + k] != neighbour(k + 1, n, step))
                continue;
            right++;
            if (count != NULL && s->label[from + k] >= 0)
                count[s->label[from + k]]++;
        }
    }
    return right;
}

ig_code ig_baseline_majority(ig_prediction *out, const ig_task *t, const ig_task_set *train,
                             const ig_task_set *s, ig_err *err)
{
    int64_t *count;
    int32_t best = 0;
    int step = -1;
    IG_TRY(ig_alloc(&count, t->labels.n, sizeof *count, "labels", err));
    if (s->head != NULL) {
        if (neighbours_right(train, 1, NULL) > neighbours_right(train, -1, NULL))
            step = 1;
        neighbours_right(train, step, count);
    } else
        for (int64_t i = 0; i < ig_task_n_label(train); i++)
            if (train->label[i] >= 0)
                count[train->label[i]]++;
    for (int32_t k = 1; k < t->labels.n; k++)
        if (count[k] > count[best])
            best = k;
    ig_free(count);
    for (int64_t i = 0; i < ig_task_n_label(s); i++)
        out->label[i] = best;
    for (int64_t i = 0; s->head != NULL && i < s->n; i++) {
        const int64_t from = s->first[i], n = s->first[i + 1] - from;
        for (int64_t k = 0; k < n; k++)
            out->head[from + k] = neighbour(k + 1, n, step);
    }
    return IG_ERR_OK;
}

void ig_baseline_random(ig_prediction *out, const ig_task *t, const ig_task_set *s, uint64_t seed)
{
    const uint32_t n_label = (uint32_t)t->labels.n;
    for (int64_t i = 0; i < s->n; i++) {
        ig_rng r = ig_rng_make(seed, IG_STREAM_SAMPLE, (uint32_t)(i >> 32), (uint32_t)i);
        const int64_t from = s->first != NULL ? s->first[i] : i,
                      n = s->first != NULL ? s->first[i + 1] - from : 1;
        for (int64_t k = 0; k < n; k++) {
            out->label[from + k] = n_label > 0 ? (int32_t)ig_rng_below(&r, n_label) : 0;
            if (s->head == NULL)
                continue;
            /* 0 … n without the word itself: n of them. */
            const int32_t h = (int32_t)ig_rng_below(&r, (uint32_t)n);
            out->head[from + k] = h < k + 1 ? h : h + 1;
        }
    }
}
