/* SPDX-License-Identifier: Apache-2.0
 *
 * Word retrieval as Liu et al. 2020 measure it ("What makes multilingual BERT multilingual?", §3.1,
 * §4.3): each word of the first language looks for its translation by cosine among the words that
 * the dictionary has on the other side; MRR and P@k over the words, and over those of a part of
 * speech. A word's vector is the mean of its hidden states over all occurrences in the training
 * text (BERT, each layer), or made of static vectors of its pieces; a word of several pieces has
 * their mean. The pairs are those (run/data/word_pairs.h) both of whose words occur at least
 * `words-min-count` times in the first `words-take` sentences of their training texts, so that
 * all models trained on texts of several sizes get the same queries.
 */
#pragma once

#include "embed/vectors/vectors.h"
#include "run/data/setup.h"
#include "run/measure/measure_plan.h"

/* Returns whether measures of words in the training text are among these. */
static inline bool ig_word_retrieval_in(ig_measure_set what)
{
    return (what & (IG_MEASURE_BIT(words) | IG_MEASURE_BIT(lexicon))) != 0;
}

/* The run whose words are retrieved, and the method. Borrowed. */
typedef struct {
    ig_measure_set what; /* `words`, `lexicon` or both; static vectors have `words` */
    const ig_data_settings *settings;
    const ig_run_measuring *measuring;
    const ig_setup *setup;
    int64_t most;       /* sentences that are read for contexts; 0: all */
    const char *folder; /* where words.json, the pairs of words, is written */
} ig_word_query;

/* Appends the rows of `words` and `lexicon` (measure/contexts.c, maps.c) of languages 0 and b at
 * every layer of the result. */
ig_code ig_word_retrieval_pair(ig_measure_result *r, const ig_word_query *of, int b,
                               const ig_measure_with *with, ig_err *err);

/* Retrieves words for every pair of the first language that the plan compares. Writes the pairs of
 * words to words.json. */
ig_code ig_word_retrieval(ig_measure_result *r, const ig_word_query *of,
                          const ig_measure_plan *plan, const ig_measure_with *with, ig_err *err);

/* Retrieves words by static vectors of the pieces, whose rows have no layer. */
ig_code ig_word_retrieval_static(ig_row_set *out, const ig_word_query *of, const ig_vectors *pieces,
                                 const ig_measure_plan *plan, ig_team *team, ig_err *err);
