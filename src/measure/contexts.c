/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of word retrieval, which is taken of the training text's contexts or of static
 * vectors (run/measure/words/word_retrieval.h), not of a layer's vectors here; docs/measures.md.
 */
#include "measure/measure_list.h"

#define WORDS(task, sign, at, by, said)                                                            \
    {                                                                                              \
        task, sign, "word retrieval, " said, IG_LAYER_SHARE,                                       \
            .path = {"words/" at}, .count = "words/" by "n_queries", .everywhere = true            \
    }

const ig_store_task ig_numbers_words[] = {
    WORDS("mrr", "MRR", "mrr", "", "mean reciprocal rank"),
    WORDS("p_at_1", "P@1", "p@1", "", "P@1"),
    WORDS("p_at_5", "P@5", "p@5", "", "P@5"),
    WORDS("p_at_10", "P@10", "p@10", "", "P@10"),
    WORDS("mrr_open", "MRR open", "by/open/mrr", "by/open/", "MRR of words of open classes"),
    WORDS("mrr_closed", "MRR closed", "by/closed/mrr", "by/closed/",
          "MRR of words of closed classes"),
    WORDS("mrr_noun", "MRR noun", "by/noun/mrr", "by/noun/", "MRR of nouns"),
    WORDS("mrr_verb", "MRR verb", "by/verb/mrr", "by/verb/", "MRR of verbs"),
    WORDS("mrr_adverb", "MRR adverb", "by/adverb/mrr", "by/adverb/", "MRR of adverbs"),
    WORDS("mrr_adjective", "MRR adjective", "by/adjective/mrr", "by/adjective/",
          "MRR of adjectives"),
    {0}};
const ig_measure_kind ig_measure_kind_words = {.in_place = true, .number = ig_numbers_words};
