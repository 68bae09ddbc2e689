/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores of a translation token by token: BLEU-1, convert rate, gold accuracy (Liu et al., "A Study
 * of Cross-Lingual Ability and Language-specific Information in Multilingual BERT", §4.2).
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Sums over sentences. */
typedef struct {
    int64_t n_output, n_reference, n_match; /* of BLEU-1 */
    int64_t n_y, n_converted, n_common;     /* tokens; of V_t − V_s; of V_s ∩ V_t */
    int64_t n_gold, n_right;                /* tokens whose translation is known; right ones */
} ig_translation_count;

/* Buffers for copies; zeroed: none. */
typedef struct {
    int32_t *unit[2];
    int64_t have[2];
} ig_bleu_buffers;
void ig_bleu_buffers_free(ig_bleu_buffers *r);

typedef struct {
    const int32_t *unit;
    int64_t n;
} ig_bleu_units;
/* Adds a sentence and its only reference; a unit of the output counts as often as the reference has
 * it (Papineni et al. 2002, §2.1.1). */
ig_code ig_bleu1_add(ig_translation_count *c, ig_bleu_units output, ig_bleu_units reference,
                     ig_bleu_buffers *r, ig_err *err);
/* BLEU of unigrams over the whole text, 0 to 1: matches / output · min(1, exp(1 − reference /
 * output)), not smoothed. NaN: no output. */
double ig_bleu1(const ig_translation_count *c);

/* Adds tokens y[n]; source, target: which pieces the two texts have. */
void ig_convert_rate_add(ig_translation_count *c, const int32_t *y, int64_t n, const bool *source,
                         const bool *target);
/* #(y ∈ V_t − V_s) / (#y − #(y ∈ V_s ∩ V_t)). NaN: nothing could be converted. */
double ig_convert_rate(const ig_translation_count *c);

/* n_right / n_gold; NaN: no translation is known. */
double ig_gold_accuracy(const ig_translation_count *c);
