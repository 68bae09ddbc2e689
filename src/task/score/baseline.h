/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores of predictions without a model: predictions that use only the labels of the training
 * data, and random ones. They are scored as any prediction.
 */
#pragma once

#include "task/task.h"

typedef struct {
    int32_t *label; /* as in ig_task_set */
    int32_t *head;  /* parsing; otherwise NULL */
    float *logits;  /* [n, n_label] of a model; NULL: not wanted */
    int n_label;
} ig_prediction;

ig_code ig_prediction_new(ig_prediction *out, const ig_task_set *s, ig_err *err);
void ig_prediction_free(ig_prediction *p);

/* Predicts the label that is most frequent in the training sets of all languages together (of equal
 * ones the first). Parsing: every word's head is the word before it, or after it, whichever is
 * right more often there; the first (last) word is the root; the relation is the most frequent one
 * of those words. */
ig_code ig_baseline_majority(ig_prediction *out, const ig_task *t, const ig_task_set *s,
                             ig_err *err);
/* Draws labels uniformly, and heads from the other words and the root. */
void ig_baseline_random(ig_prediction *out, const ig_task *t, const ig_task_set *s, uint64_t seed);
/* Exact expectations of the scores of random predictions. NaN if nothing is scored. */
typedef struct {
    double accuracy;
    double uas, las, uas_nopunct, las_nopunct; /* parsing */
} ig_chance;
ig_chance ig_baseline_chance(const ig_task *t, const ig_task_set *s);
