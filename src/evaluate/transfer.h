/* SPDX-License-Identifier: Apache-2.0
 *
 * Word order against transfer, language by language: Table 4 of Dufter & Schütze 2020 with τ
 * measured here beside the paper's, and the correlations of both with the accuracy of transfer.
 */
#pragma once

#include "analyse/links/word_order.h"

#include <jansson.h>

/* A file of accuracies (docs/formats.md, "Transfer"):
 *   source: where the numbers are from
 *   verified: true
 *   source_language: en            # optional: its τ with itself is 1
 *   rows: {de: {accuracy: 71.1, word_order: 0.74}, …}      # word_order may be missing */
typedef struct {
    char *language;
    double accuracy, word_order; /* word_order NaN: not given */
    ig_word_order order;         /* measured; n_sentence 0: not */
    ig_word_order_score score;
} ig_transfer_row;

typedef struct {
    char *path;                     /* of the file */
    char *source, *source_language; /* source_language may be NULL */
    bool verified;
    ig_transfer_row *row;
    int n_row;
} ig_transfer;

/* Freed with ig_transfer_free, also after an error, which names file and line. */
ig_code ig_transfer_read(ig_transfer *t, const char *path, ig_err *err);
/* A file of alignments of the source with a language. */
typedef struct {
    const char *path;
    int base;
    ig_variant variant;
    bool possible;
} ig_transfer_links;
/* Adds the alignments of a file to `w`, which the first one gives its variant. */
ig_code ig_word_order_read(ig_word_order *w, const ig_transfer_links *l, ig_err *err);
/* Adds the alignments of a file to a language; several files of one are taken together. */
ig_code ig_transfer_add(ig_transfer *t, const char *language, const ig_transfer_links *l,
                        ig_err *err);
/* Fills every measured row's score. */
void ig_transfer_finish(ig_transfer *t);
void ig_transfer_free(ig_transfer *t);

/* Pearson's r of word order with accuracy, over n languages; NaN for n < 3 or a constant. */
typedef struct {
    int n;
    double with_source, without_source; /* with the source language, of τ 1; and without it */
} ig_transfer_correlation;
/* Correlates the measured τ, and the reference's τ, over the measured languages (`measured`) or
 * over all. */
ig_transfer_correlation ig_transfer_correlate(const ig_transfer *t, bool reference, bool measured);

json_t *ig_transfer_json(const ig_transfer *t);

/* τ, n, interval … of one set of alignments; what `align order` prints with --json. */
json_t *ig_word_order_json(const ig_word_order *w, const ig_word_order_score *s);
