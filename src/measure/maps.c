/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `maps`: an orthogonal map between two languages at the levels of rows of word
 * embeddings, of words and of words in context, learned from some and judged by others (Conneau et
 * al. 2020, §5.1.1 and §5.1.2, Figures 4 and 5). Words are linked over the parallel sentences of
 * the text that is measured, whose halves `isoglot similarity --learn` has as two files. Rows, at
 * layer 0, are those of the linked words, so that the three levels are evaluated on the same words;
 * the paper uses MUSE's, which a generated world does not have. And the numbers of the measure
 * `lexicon`, of a dictionary's words, which are taken where these are looked for in the training
 * text (run/measure/word_retrieval.h); docs/similarity.md.
 */
#include "measure/measure_list.h"

#include "apply/words/word_rows.h"
#include "base/memory.h"
#include "measure/words/word_levels.h"

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
/* Their order. */
enum { ROW, WORD, CONTEXT, N_LEVEL, WORD_PAIRS = 2 * N_LEVEL, CONTEXT_PAIRS };

static ig_code put(const ig_measure_out *out, int number, double value, ig_err *err)
{
    return ig_measure_put(out, ig_numbers_maps[number].name, 0, value, err);
}

static ig_code put_level(const ig_measure_out *out, int level, const ig_neighbour_scores *found,
                         ig_err *err)
{
    IG_TRY(put(out, level, found->csls, err));
    return put(out, N_LEVEL + level, found->cosine, err);
}

/* ---- rows ---- */

static ig_code judge_rows(const ig_measure_out *out, const ig_bert *m, const ig_measure_options *o,
                          const ig_level_states *words, const ig_retrieval_with *with, ig_err *err)
{
    const int language[] = {o->a, o->b};
    float *x[2] = {NULL, NULL};
    ig_level_states rows = {.n_learn = words->n_learn, .n_judge = words->n_judge};
    ig_neighbour_scores found;
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < 2; k++) {
        IG_THEN(code, ig_word_rows(
                          &x[k], &rows.d[k], m,
                          (ig_word_ids){language[k], words->id[k], words->n_learn + words->n_judge},
                          err));
        rows.x[k] = &x[k];
    }
    IG_THEN(code, ig_level_judge(&found, &rows, 0, 0, with, err));
    IG_THEN(code, put_level(out, ROW, &found, err));
    IG_FREE(x[0], x[1]);
    return code;
}

/* ---- states ---- */

static ig_code judge(ig_measure_result *r, const ig_level_states *level,
                     const ig_measure_with *with, ig_err *err)
{
    const ig_retrieval_with how = {with->ops, with->team, &with->stop};
    const ig_level_states *words = &level[IG_LEVEL_WORD], *contexts = &level[IG_LEVEL_CONTEXT];
    const ig_measure_options *o = &r->options;
    ig_neighbour_scores found;
    for (int l = 0; l < o->n_layer; l++) {
        const ig_measure_out out = ig_measure_out_of(r, o->layer[l]);
        IG_TRY(ig_stop_check(&with->stop, "maps", err));
        if (o->layer[l] == 0)
            IG_TRY(judge_rows(&out, with->model, o, words, &how, err));
        IG_TRY(ig_level_judge(&found, words, l, l, &how, err));
        IG_TRY(put_level(&out, WORD, &found, err));
        IG_TRY(ig_level_judge(&found, contexts, l, l, &how, err));
        IG_TRY(put_level(&out, CONTEXT, &found, err));
        IG_TRY(put(&out, WORD_PAIRS, (double)words->n_judge, err));
        IG_TRY(put(&out, CONTEXT_PAIRS, (double)contexts->n_judge, err));
    }
    return IG_ERR_OK;
}

static ig_code maps(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *dev,
                    ig_err *err)
{
    const ig_measure_options *o = &out->options;
    const ig_states_options requested = {
        .layer = o->layer, .n_layer = o->n_layer, .stop = with->stop};
    const ig_states_parts parts = {
        .engine = with->engine, .model = with->model, .team = with->team, .corpus = dev};
    ig_linked_texts text = {
        .language = {o->a, o->b}, .corpus = dev, .n = ig_measure_parallel(o, dev)};
    ig_level_states level[IG_N_LEVEL];
    if (text.n < 2)
        return IG_ERR_OK;
    IG_TRY(ig_states_over(&text.states[0], &requested, &parts, err));
    text.states[1] = text.states[0];
    ig_code code = ig_word_levels_make(level, &text, err);
    IG_THEN(code, judge(out, level, with, err));
    ig_word_levels_free(level);
    ig_states_close(text.states[0]);
    return code;
}

const ig_measure_kind ig_measure_kind_maps = {
    .text = maps, .number = ig_numbers_maps, .n_shown = 3};

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
