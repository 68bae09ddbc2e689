/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of maps of words and of words in context, which are taken where words are linked
 * (measure/words/measure_maps.h), and of a dictionary's words, which are taken where these are
 * looked for in the training text (measure/words/lexicon_maps.h); docs/similarity.md.
 */
#include "measure/measure_list.h"

#define CSLS(task, sign, of)                                                                       \
    {                                                                                              \
        task "_csls", sign " CSLS",                                                                \
            of " found by CSLS after an orthogonal map, mean of P@1 both ways", IG_LAYER_SHARE     \
    }
#define COSINE(task, sign, of)                                                                     \
    {                                                                                              \
        task "_cosine", sign,                                                                      \
            of " found by cosine after an orthogonal map, mean of P@1 both ways", IG_LAYER_SHARE   \
    }
#define PAIRS(task, sign, of)                                                                      \
    {                                                                                              \
        task "_pairs", sign,                                                                       \
            of " that were looked for, among as many: P@1 by chance is one over it",               \
            .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true              \
    }

const ig_store_task ig_numbers_maps[] = {
    CSLS("map_row", "rows", "rows of word embeddings"),
    CSLS("map_word", "words", "words, each the mean over its places,"),
    CSLS("map_context", "contexts", "words in context"),
    COSINE("map_row", "P@1 rows", "rows of word embeddings"),
    COSINE("map_word", "P@1 words", "words, each the mean over its places,"),
    COSINE("map_context", "P@1 contexts", "words in context"),
    PAIRS("map_word", "pairs of words", "words"),
    PAIRS("map_context", "pairs of contexts", "words in context"),
    {0}};
const ig_measure_kind ig_measure_kind_maps = {.number = ig_numbers_maps, .n_shown = 3};

/* ---- the measure `lexicon` ---- */

#define FOUND(level, end, sign, said)                                                              \
    {                                                                                              \
        "map_gold_" level end, sign, "words of the dictionary found after a map of others, " said, \
            IG_LAYER_SHARE                                                                         \
    }
#define BOTH(end, sign, said)                                                                      \
    FOUND("row", end, "gold rows" sign, "by their rows: " said),                                   \
        FOUND("word", end, "gold words" sign, "by means over contexts: " said)
#define TESTED(level, sign, said)                                                                  \
    {                                                                                              \
        "map_gold_" level "_queries", sign,                                                        \
            "words of the first language that are looked for by their " said,                      \
            .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true              \
    }

/* By turns rows and means. */
const ig_store_task ig_numbers_lexicon[] = {
    BOTH("_csls", " CSLS", "CSLS, mean of P@1 both ways"),
    BOTH("_csls_forward", " CSLS→", "CSLS, P@1 from the first language"),
    BOTH("_csls_backward", " CSLS←", "CSLS, P@1 from the second language"),
    BOTH("_cosine", "", "cosine, mean of P@1 both ways"),
    TESTED("row", "test rows", "rows"),
    TESTED("word", "test words", "means over contexts"),
    {0}};
const ig_measure_kind ig_measure_kind_lexicon = {.number = ig_numbers_lexicon, .n_shown = 2};
