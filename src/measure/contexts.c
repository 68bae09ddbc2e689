/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of word retrieval, which is taken of the training text's contexts or of static
 * vectors (run/measure/word_retrieval.h), not of a layer's vectors here; docs/measures.md.
 */
#include "measure/measure_list.h"

#define WORDS(task, sign, said)                                                                    \
    {                                                                                              \
        task, sign, "word retrieval, " said, IG_LAYER_SHARE                                        \
    }

const ig_store_task ig_numbers_words[] = {
    WORDS("mrr", "MRR", "mean reciprocal rank"),
    WORDS("p_at_1", "P@1", "P@1"),
    WORDS("p_at_5", "P@5", "P@5"),
    WORDS("p_at_10", "P@10", "P@10"),
    WORDS("mrr_open", "MRR open", "MRR of words of open classes"),
    WORDS("mrr_closed", "MRR closed", "MRR of words of closed classes"),
    WORDS("mrr_noun", "MRR noun", "MRR of nouns"),
    WORDS("mrr_verb", "MRR verb", "MRR of verbs"),
    WORDS("mrr_adverb", "MRR adverb", "MRR of adverbs"),
    WORDS("mrr_adjective", "MRR adjective", "MRR of adjectives"),
    {0}};
const ig_measure_kind ig_measure_kind_words = {.number = ig_numbers_words};
