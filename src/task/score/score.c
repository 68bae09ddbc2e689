/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts right labels: accuracy with intervals, by length, by label.
 */
#include "task/score/score.h"

#include "base/memory.h"

#include <math.h>

/* The score interval of a share (E. B. Wilson, "Probable inference, the law of succession, and
 * statistical inference", 1927): never a single point, even if all are right. */
static ig_interval wilson(int64_t right, int64_t n)
{
    const double z = 1.959963984540054, size = (double)n, p = (double)right / size,
                 middle = p + z * z / (2 * size),
                 half = z * sqrt(p * (1 - p) / size + z * z / (4 * size * size)),
                 whole = 1 + z * z / size;
    return (ig_interval){.low = right > 0 ? (middle - half) / whole : 0,
                         .high = right < n ? (middle + half) / whole : 1,
                         .level = 0.95};
}

ig_score_share ig_score_share_of(int64_t right, int64_t n)
{
    ig_score_share s = {.n = n, .right = right, .value = (double)NAN};
    s.interval = (ig_interval){(double)NAN, (double)NAN, 0.95};
    if (n > 0) {
        s.value = (double)right / (double)n;
        s.interval = wilson(right, n);
    }
    return s;
}

ig_score_f1 ig_score_f1_of(int64_t right, int64_t n_gold, int64_t n_predicted)
{
    ig_score_f1 s = {.n_gold = n_gold, .n_predicted = n_predicted, .right = right};
    if (n_predicted > 0)
        s.precision = (double)right / (double)n_predicted;
    if (n_gold > 0)
        s.recall = (double)right / (double)n_gold;
    if (n_gold + n_predicted > 0)
        s.f1 = 2 * (double)right / (double)(n_gold + n_predicted);
    return s;
}

static int8_t is_right(int32_t gold, int32_t predicted)
{
    return gold == IG_LABEL_NONE ? -1 : gold >= 0 && gold == predicted;
}

ig_score_share ig_score_accuracy(const int32_t *gold, const int32_t *predicted, int64_t n)
{
    int64_t right = 0, scored = 0;
    for (int64_t i = 0; i < n; i++) {
        const int8_t r = is_right(gold[i], predicted[i]);
        right += r > 0;
        scored += r >= 0;
    }
    return ig_score_share_of(right, scored);
}

void ig_score_right(int8_t *right, const int32_t *gold, const int32_t *predicted, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        right[i] = is_right(gold[i], predicted[i]);
}

void ig_score_by_length(ig_score_share out[IG_N_LENGTH], const int8_t *right, const int64_t *first,
                        const int64_t *length, int64_t n)
{
    int64_t n_right[IG_N_LENGTH] = {0}, scored[IG_N_LENGTH] = {0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t step = length[i] > 0 ? (length[i] - 1) / IG_LENGTH_STEP : 0,
                      bin = step < IG_N_LENGTH ? step : IG_N_LENGTH - 1,
                      from = first != NULL ? first[i] : i,
                      to = first != NULL ? first[i + 1] : i + 1;
        for (int64_t k = from; k < to; k++) {
            n_right[bin] += right[k] > 0;
            scored[bin] += right[k] >= 0;
        }
    }
    for (int b = 0; b < IG_N_LENGTH; b++)
        out[b] = ig_score_share_of(n_right[b], scored[b]);
}

ig_code ig_confusion_of(ig_confusion *out, int32_t n_label, const int32_t *gold,
                        const int32_t *predicted, int64_t n, ig_err *err)
{
    const int64_t side = n_label + 1;
    *out = (ig_confusion){.n_label = n_label};
    IG_TRY(ig_alloc(&out->count, side * side, sizeof *out->count, "confusion matrix", err));
    for (int64_t i = 0; i < n; i++)
        if (gold[i] != IG_LABEL_NONE)
            out->count[(gold[i] >= 0 ? gold[i] : n_label) * side +
                       (predicted[i] >= 0 ? predicted[i] : n_label)]++;
    return IG_ERR_OK;
}

void ig_confusion_free(ig_confusion *c)
{
    ig_free(c->count);
    *c = (ig_confusion){.count = NULL};
}

ig_score_f1 ig_confusion_label(const ig_confusion *c, int32_t label)
{
    const int64_t side = c->n_label + 1;
    int64_t n_gold = 0, n_predicted = 0;
    for (int64_t k = 0; k < side; k++) {
        n_gold += c->count[label * side + k];
        n_predicted += c->count[k * side + label];
    }
    return ig_score_f1_of(c->count[label * side + label], n_gold, n_predicted);
}
