/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of maps of words and of words in context, which are taken where words are linked
 * (run/measure/words/measure_maps.h); docs/similarity.md.
 */
#include "measure/measure_list.h"

#define CSLS(task, sign, of)                                                                       \
    {                                                                                              \
        .name = task "_csls", .symbol = sign " CSLS", IG_LAYER_SHARE,                              \
        .what = of " found by CSLS after an orthogonal map, mean of P@1 both ways"                 \
    }
#define COSINE(task, sign, of)                                                                     \
    {                                                                                              \
        .name = task "_cosine", .symbol = sign, IG_LAYER_SHARE,                                    \
        .what = of " found by cosine after an orthogonal map, mean of P@1 both ways"               \
    }
#define PAIRS(task, sign, of)                                                                      \
    {                                                                                              \
        .name = task "_pairs", .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev",        \
        .pair = true, .symbol = sign,                                                              \
        .what = of " that were looked for, among as many: P@1 by chance is one over it"            \
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
