/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the numbers of a report card into words. What is wrong with texts comes before pieces, these
 * before vectors: findings on vectors are looked for only where the texts and pieces have none.
 */
#include "evaluate/card/findings.h"

#include "base/memory.h"
#include "evaluate/card/finding_writer.h"

#include <math.h>

const char *const ig_diagnose_use_names[IG_DIAGNOSE_USES] = {
    "retrieval", "word_translation", "word_alignment", "shared_space", "language"};

/* --- the best layer */

/* Mean of a layer's number over the pairs that have it; NaN if none has. */
static double value_of(const ig_diagnosis *d, int l, ig_diagnose_use use)
{
    static const int number[] = {[IG_USE_RETRIEVAL] = IG_DIAGNOSE_COSINE,
                                 [IG_USE_WORDS] = IG_DIAGNOSE_WORDS,
                                 [IG_USE_ALIGNMENT] = IG_DIAGNOSE_F1,
                                 [IG_USE_SPACE] = IG_DIAGNOSE_CKA};
    double sum = 0;
    int n = 0;
    if (use == IG_USE_LANGUAGE)
        return ig_diagnose_at(d, l, -1)[IG_DIAGNOSE_PROBE].value;
    for (int i = 0; i < d->n_pair; i++) {
        const double x = ig_diagnose_at(d, l, i)[number[use]].value;
        sum += isnan(x) ? 0 : x;
        n += !isnan(x);
    }
    return n > 0 ? sum / n : (double)NAN;
}

int ig_diagnose_best_layer(const ig_diagnosis *d, ig_diagnose_use use)
{
    int best = -1;
    for (int l = 0; l < d->n_layer; l++) {
        const double x = value_of(d, l, use);
        if (!isnan(x) && (best < 0 || x > value_of(d, best, use)))
            best = l;
    }
    return best;
}

/* --- all */

/* Tests of a card: eight of each language, the shift of each pair, six of all vectors; and the
 * adapter, which needs no test. */
static int n_tests(const ig_diagnosis *d)
{
    return 8 * d->n_language + d->n_pair + 6;
}

ig_code ig_findings_make(ig_findings *f, const ig_diagnosis *d, const char *model, ig_err *err)
{
    *f = (ig_findings){.n_checked = n_tests(d)};
    ig_finding_writer w = {.f = f, .d = d, .model = model, .level = 1 - .05 / (double)n_tests(d)};
    IG_TRY(ig_findings_of_texts(&w, err));
    return ig_findings_of_states(&w, err);
}

void ig_findings_free(ig_findings *f)
{
    for (int i = 0; i < f->n; i++) {
        IG_FREE(f->finding[i].text, f->finding[i].command);
    }
    ig_free(f->finding);
    *f = (ig_findings){0};
}
