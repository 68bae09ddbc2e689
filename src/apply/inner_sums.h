/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums what neurons and heads do on texts of some languages: the mean of each unit's output, and
 * how often a neuron is active, that is above 0. From that, how specific to languages a neuron is:
 * LAPE, language activation probability entropy (Tang et al. 2024, "Language-Specific Neurons: The
 * Key to Multilingual Capabilities in Large Language Models", §2).
 */
#pragma once

#include "apply/states.h"

/* Sums for blocks 1 to n_layer; unit (l − 1) · width + i. Zeroed: none. Freed with
 * ig_inner_sums_free. */
typedef struct {
    int n_language, n_layer, width;
    int64_t n_token[IG_LANGUAGES_MAX];
    double *sum[IG_LANGUAGES_MAX];     /* [n_layer · width] of the outputs */
    int64_t *active[IG_LANGUAGES_MAX]; /* [n_layer · width] tokens at which it is above 0 */
} ig_inner_sums;

/* Adds a text as the next language; tokens of [CLS] and [SEP] are not counted. A text without
 * tokens is IG_ERR_INPUT. */
ig_code ig_inner_sums_add(ig_inner_sums *s, const ig_states_parts *parts, ig_inner which,
                          const ig_states_source *text, ig_stop stop, ig_err *err);
void ig_inner_sums_free(ig_inner_sums *s);

typedef struct {
    double entropy; /* LAPE in nats: 0 of a neuron that is active in one language, log n_language of
                     * one that is in all alike; +∞: in no language among the most active */
    int language;   /* in which it is active most often, the first of equals */
} ig_specific;
/* Fills out[n_layer · width]. As in the paper's program, a neuron counts only if its probability in
 * some language is above the (share)-quantile of all probabilities (.95 there), the
 * round(share · n)-th smallest; *bar (may be NULL) gets that quantile. */
ig_code ig_inner_specific(ig_specific *out, double *bar, const ig_inner_sums *s, double share,
                          ig_err *err);
