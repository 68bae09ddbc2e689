/* SPDX-License-Identifier: Apache-2.0
 *
 * Predictions without a model: the most frequent label or neighbour as head, and random ones.
 */
#include "task/score/baseline.h"

#include "base/memory.h"
#include "base/rng.h"
#include "task/score/score_trees.h"

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

/* Returns the neighbour of word k of n, both from 1, in direction −1 or 1; 0 outside. */
static int32_t neighbour(int64_t k, int64_t n, int step)
{
    const int64_t h = k + step;
    return h >= 1 && h <= n ? (int32_t)h : 0;
}

/* Counts the heads of a training set that are the neighbours. With count (of labels): counts the
 * relations of the words for which they are. */
static int64_t neighbours_right(const ig_task_set *s, int step, int64_t *count)
{
    int64_t right = 0;
    if (s->split != IG_SPLIT_TRAIN)
        return 0;
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

/* Sets count[labels]: how often the training sets of all languages have each. Parsing: for words
 * whose heads are the neighbours in direction *step, the one that is right more often. */
static void count_labels(int64_t *count, int *step, const ig_task *t)
{
    int64_t before = 0, after = 0;
    for (int k = 0; k < t->n_set; k++) {
        const ig_task_set *train = &t->set[k];
        if (train->head != NULL) {
            before += neighbours_right(train, -1, NULL);
            after += neighbours_right(train, 1, NULL);
        } else if (train->split == IG_SPLIT_TRAIN)
            for (int64_t i = 0; i < ig_task_n_label(train); i++)
                if (train->label[i] >= 0)
                    count[train->label[i]]++;
    }
    *step = after > before ? 1 : -1;
    for (int k = 0; k < t->n_set; k++)
        if (t->set[k].head != NULL)
            neighbours_right(&t->set[k], *step, count);
}

ig_code ig_baseline_majority(ig_prediction *out, const ig_task *t, const ig_task_set *s,
                             ig_err *err)
{
    int64_t *count;
    int32_t best = 0;
    int step;
    IG_TRY(ig_alloc(&count, t->labels.n, sizeof *count, "labels", err));
    count_labels(count, &step, t);
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

/* Returns the number of labels that are right for a word with this relation. */
static int32_t n_same(const ig_task *t, int32_t label)
{
    int32_t n = 0;
    for (int32_t i = 0; i < t->labels.n; i++)
        n += ig_same_relation(&t->labels, label, i, t->subtypes);
    return n;
}

static void trees_expected(ig_chance *out, const ig_task *t, const ig_task_set *s)
{
    double heads[2] = {0}, arcs[2] = {0}; /* of words; of punctuation */
    int64_t n[2] = {0};
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t w = s->first[i]; w < s->first[i + 1]; w++) {
            const int k = ig_is_punctuation(s->pos[w]);
            const double one = 1 / (double)(s->first[i + 1] - s->first[i]);
            n[k]++;
            heads[k] += one;
            if (t->labels.n > 0)
                arcs[k] += one * n_same(t, s->label[w]) / t->labels.n;
        }
    const double all = (double)(n[0] + n[1]);
    out->uas = (heads[0] + heads[1]) / all;
    out->las = (arcs[0] + arcs[1]) / all;
    out->uas_nopunct = heads[0] / (double)n[0];
    out->las_nopunct = arcs[0] / (double)n[0];
}

ig_chance ig_baseline_chance(const ig_task *t, const ig_task_set *s)
{
    ig_chance out = {0};
    int64_t n = 0, n_known = 0;
    for (int64_t i = 0; i < ig_task_n_label(s); i++) {
        n += s->label[i] != IG_LABEL_NONE;
        n_known += s->label[i] >= 0;
    }
    out.accuracy = t->labels.n > 0 ? (double)n_known / (double)n / t->labels.n : 0;
    if (s->head != NULL)
        trees_expected(&out, t, s);
    return out;
}
