/* SPDX-License-Identifier: Apache-2.0
 *
 * The sentences that a model is asked about, of several languages, in memory.
 */
#ifndef IG_DIAGNOSE_TEXTS_H
#define IG_DIAGNOSE_TEXTS_H

#include "diagnose/diagnose.h"

typedef struct {
    char *text; /* sentences one behind another, each with a NUL */
    int64_t n_byte, have_byte;
    int64_t *start; /* [n] where each begins */
    int64_t n, have;
} ig_sentences;

typedef struct {
    ig_sentences of[IG_DIAGNOSE_LANGUAGES];
    int n_language;
    bool parallel; /* sentence i of each is a translation of the others' */
} ig_texts;

static inline const char *ig_sentence(const ig_sentences *s, int64_t i)
{
    return s->text + s->start[i];
}

/* Freed with ig_texts_free, also after an error. */
ig_code ig_texts_read(ig_texts *t, const ig_diagnose_options *o, ig_err *err);
void ig_texts_free(ig_texts *t);

#endif
