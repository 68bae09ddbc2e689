/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents that mix languages: in some documents of a stream some sentences are said in another
 * language that has them too, which is switching by sentence (Yoo et al. 2025, "Code-Switching
 * Curriculum Learning", sentence level; bilingual documents of web text: Shao et al. 2026).
 */
#include "corpus/batch/instances_parts.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>

/* Beside the draws of pairs, whose upper numbers have the language in bits 16 to 30. */
enum { MIXED_DOCUMENTS = 0x80000000u, MIXED_SENTENCES = 0xC0000000u };

/* Finds which documents of a language are mixed: the first round(share · n) of a random order, so
 * that a larger share has those of a smaller one, too. */
static ig_code choose_documents(bool *mixed, const ig_instances *x, int language, int64_t n,
                                ig_err *err)
{
    IG_OWNED int32_t *order = NULL;
    const int64_t most = llround(x->options.mix_documents * (double)n);
    ig_rng r = ig_rng_make(x->seed, IG_STREAM_PAIRS, MIXED_DOCUMENTS | (uint32_t)language, 0);
    IG_TRY(ig_alloc(&order, n, sizeof *order, "documents", err));
    ig_rng_permutation(&r, order, (int32_t)n);
    for (int64_t i = 0; i < most; i++)
        mixed[order[i]] = true;
    return IG_ERR_OK;
}

/* Returns whether a sentence of a mixed document is said in another language; else a number to
 * choose that language by. */
static double draw(const ig_instances *x, int language, int64_t sentence, int other)
{
    ig_rng r = ig_rng_make(x->seed, IG_STREAM_PAIRS,
                           MIXED_SENTENCES | (uint32_t)language << 8 | (uint32_t)other,
                           (uint32_t)sentence);
    return ig_rng_unit(&r);
}

/* Says sentences in language `other`, where they have been chosen: the n-th that has one replaces
 * the choice before with probability 1/n, so all are equally likely. */
static ig_code say_in(const ig_instances *x, int language, int other, const bool *chosen,
                      int32_t *n_other, ig_err *err)
{
    int32_t *pair;
    int64_t n;
    IG_TRY(ig_corpus_parallel_pairs(x->corpus, language, other, &pair, &n, err));
    for (int64_t i = 0; i < n; i++) {
        const int32_t s = pair[2 * i];
        if (chosen[s] && draw(x, language, s, other) * ++n_other[s] < 1)
            x->said[language][s] = (ig_said){other, pair[2 * i + 1]};
    }
    ig_free(pair);
    return IG_ERR_OK;
}

static ig_code mix_language(const ig_instances *x, int language, ig_err *err)
{
    const int64_t n = ig_corpus_n_sequence(x->corpus, language),
                  size = ig_pairs_document(n, x->options.document), n_document = (n - 1) / size + 1;
    bool *mixed, *chosen = NULL;
    int32_t *n_other = NULL;
    IG_TRY(ig_alloc(&mixed, n_document, sizeof *mixed, "documents", err));
    ig_code code = choose_documents(mixed, x, language, n_document, err);
    IG_THEN(code, ig_alloc(&chosen, n, sizeof *chosen, "sentences", err));
    IG_THEN(code, ig_alloc(&n_other, n, sizeof *n_other, "sentences", err));
    IG_THEN(code, ig_alloc(&x->said[language], n, sizeof **x->said, "sentences", err));
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        x->said[language][i] = (ig_said){language, (int32_t)i};
        chosen[i] = mixed[i / size] && draw(x, language, i, language) < x->options.mix_sentences;
    }
    for (int k = 0; k < x->n_language && code == IG_ERR_OK; k++)
        if (k != language)
            code = say_in(x, language, k, chosen, n_other, err);
    int64_t n_said = 0;
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        n_said += n_other[i];
    IG_FREE(mixed, chosen, n_other);
    if (code != IG_ERR_OK || n_said > 0)
        return code;
    return ig_fail(err, IG_ERR_USAGE, "mix-documents", 0,
                   "no sentence of '%s' in a mixed document is in another language, expected texts "
                   "that are parallel and documents enough",
                   ig_corpus_language(x->corpus, language)->name);
}

ig_code ig_mixed_make(ig_instances *x, ig_err *err)
{
    if (x->options.instances != IG_INSTANCES_STREAM)
        return ig_fail(err, IG_ERR_USAGE, "mix-documents", 0,
                       "only a stream has documents that mix languages, expected instances stream");
    IG_TRY(ig_alloc(&x->said, x->n_language, sizeof *x->said, "sentences", err));
    for (int k = 0; k < x->n_language; k++)
        IG_TRY(mix_language(x, k, err));
    return IG_ERR_OK;
}
