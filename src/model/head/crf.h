/* SPDX-License-Identifier: Apache-2.0
 *
 * Which label may follow which in a scheme of spans, for the decoding of the CRF head.
 */
#pragma once

/* The tensor of a model that holds the constraints. */
#define IG_CRF_CONSTRAINTS "crf.constraints"

/* ANY: all may. IOB2: I-x only after B-x and I-x (Ratnaparkhi 1998; Tjong Kim Sang & Veenstra
 * 1999). BIOUL: B-x and I-x before I-x or L-x, these only after them (Ratinov & Roth 2009; also
 * written BIOES). */
typedef enum { IG_LABELS_ANY, IG_LABELS_IOB2, IG_LABELS_BIOUL } ig_label_scheme;

/* out [n + 2, n + 2]: 0 where label j may follow label i, else −1e4 (as in AllenNLP 0.9); n: before
 * the first, n + 1: after the last. For ig_bert_set_values of that tensor. */
void ig_crf_constraints(float *out, const char *const *label, int n, ig_label_scheme scheme);
