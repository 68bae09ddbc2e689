/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of a report card in plain words: problems, with the command that solves each, and the
 * best layer for each use.
 */
#pragma once

#include "evaluate/diagnose.h"

typedef struct {
    char *text;
    char *command; /* NULL: none mends it */
} ig_finding;

typedef struct {
    ig_finding *finding; /* the gravest kinds first */
    int n;
    int64_t have;
} ig_findings;

/* Freed with ig_findings_free, also after an error. */
ig_code ig_findings_make(ig_findings *f, const ig_diagnosis *d, const char *model, ig_err *err);
void ig_findings_free(ig_findings *f);

/* Sentence retrieval (the best of the criteria), word translation, word alignment (F1), one space
 * (CKA), telling the language (probe). */
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

/* Whether anything of pairs of languages was measured. */
bool ig_diagnosis_has_pairs(const ig_diagnosis *d);
/* "en-de" */
void ig_diagnose_pair_name(char *out, size_t n, const ig_diagnosis *d, int pair);
/* NaN where there is nothing to divide by. */
double ig_diagnose_unknown(const ig_diagnose_language *l);
double ig_diagnose_pieces_per_word(const ig_diagnose_language *l);
double ig_diagnose_bytes_per_piece(const ig_diagnose_language *l);
