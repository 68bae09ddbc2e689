/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of a report card in plain words: what is wrong, each with a command; and the best layer
 * for each use. A finding is a test that its interval decides, at 5 % for all that are looked at.
 */
#pragma once

#include "evaluate/card/diagnose.h"

typedef struct {
    const char *kind; /* docs/diagnose.md lists them */
    char *text;
    char *command;       /* NULL: there is none */
    ig_card_number gain; /* in retrieval, on sentences held out; value NaN: none is measured */
} ig_finding;

typedef struct {
    ig_finding *finding; /* in the order in which they are to be dealt with */
    int n;
    int n_checked; /* tests: a single one decides at 5 % divided by that */
    int64_t have;
} ig_findings;

/* Nothing stands out: n is 0. Freed with ig_findings_free, also after an error. */
ig_code ig_findings_make(ig_findings *f, const ig_diagnosis *d, const char *model, ig_err *err);
void ig_findings_free(ig_findings *f);

/* Sentence retrieval (cosine), word translation, word alignment (F1), one space (CKA), telling the
 * language (probe). */
typedef enum {
    IG_USE_RETRIEVAL,
    IG_USE_WORDS,
    IG_USE_ALIGNMENT,
    IG_USE_SPACE,
    IG_USE_LANGUAGE,
    IG_DIAGNOSE_USES
} ig_diagnose_use;
extern const char *const ig_diagnose_use_names[IG_DIAGNOSE_USES];
/* The layer where that is largest, the first of equal ones; −1: it was not measured. */
int ig_diagnose_best_layer(const ig_diagnosis *d, ig_diagnose_use use);
