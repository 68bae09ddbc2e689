/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignments against a gold standard with sure and possible links: precision, recall and
 * alignment error rate. Och & Ney 2003, A systematic comparison of various statistical alignment
 * models, §5.
 */
#pragma once

#include "corpus/words/word_links.h"

/* A: predicted, S: sure, P: sure and possible; pooled over sentences. Zeroed to begin with. */
typedef struct {
    int64_t n_sentence;
    int64_t n_predicted, n_sure, n_possible; /* |A|, |S|, |P| */
    int64_t right_sure, right_possible;      /* |A ∩ S|, |A ∩ P| */
} ig_alignment_error;

/* Predicted links count alike, sure or not. */
void ig_alignment_error_add(ig_alignment_error *e, const ig_word_links *predicted,
                            const ig_word_links *gold);

/* precision |A∩P|/|A|, recall |A∩S|/|S|, F1 their harmonic mean, AER 1 − (|A∩S| + |A∩P|)/(|A| +
 * |S|). NaN where the denominator is 0. Where all gold is sure, AER = 1 − F1. */
typedef struct {
    double precision, recall, f1, aer;
} ig_alignment_error_score;
ig_alignment_error_score ig_alignment_error_get(const ig_alignment_error *e);
