/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores of predicted labels: accuracy, by label, by length, the confusion matrix. docs/tasks.md
 * has the definitions. In all scores a gold label IG_LABEL_NONE is not scored, and
 * IG_LABEL_UNKNOWN counts and is never right.
 */
#pragma once

#include "base/numeric/statistics.h"
#include "task/task.h"

/* A share of the scored items. */
typedef struct {
    int64_t n, right;
    double value;         /* right / n; NaN if n is 0 */
    ig_interval interval; /* 95 %, Wilson 1927; computed as if the n were independent, so too narrow
                             for words, which are in sentences */
} ig_score_share;

/* Precision, recall and their harmonic mean; 0 if a denominator is 0, as in conlleval. */
typedef struct {
    int64_t n_gold, n_predicted, right;
    double precision, recall, f1;
} ig_score_f1;

ig_score_share ig_score_share_of(int64_t right, int64_t n);
ig_score_f1 ig_score_f1_of(int64_t right, int64_t n_gold, int64_t n_predicted);
ig_score_share ig_score_accuracy(const int32_t *gold, const int32_t *predicted, int64_t n);

/* 1 right, 0 wrong, −1 not scored; right[n]. */
void ig_score_right(int8_t *right, const int32_t *gold, const int32_t *predicted, int64_t n);

/* Scores by the length of the sentence: up to 10, 20, 30, 40, and more words (or other units of
 * length). */
enum { IG_N_LENGTH = 5, IG_LENGTH_STEP = 10 };
/* right as computed by ig_score_right: of sentence i, items first[i] to first[i + 1] − 1; first
 * NULL: item i. length[n] of the n sentences. */
void ig_score_by_length(ig_score_share out[IG_N_LENGTH], const int8_t *right, const int64_t *first,
                        const int64_t *length, int64_t n);

/* count[gold * (n_label + 1) + predicted]; index n_label is for unknown labels. */
typedef struct {
    int32_t n_label;
    int64_t *count;
} ig_confusion;
/* Freed with ig_confusion_free. */
ig_code ig_confusion_of(ig_confusion *out, int32_t n_label, const int32_t *gold,
                        const int32_t *predicted, int64_t n, ig_err *err);
void ig_confusion_free(ig_confusion *c);
/* Scores one label against all others. */
ig_score_f1 ig_confusion_label(const ig_confusion *c, int32_t label);
