/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures maps between two languages at three levels. `isoglot similarity --learn` does so with
 * two files, this with the halves of one text. Rows of word embeddings are those of the linked
 * words, so the three levels are evaluated on the same words; the paper uses MUSE's, which a
 * generated world does not have.
 */
#include "measure/words/measure_maps.h"

#include "base/memory.h"
#include "measure/measure_list.h"
#include "measure/words/word_levels.h"
#include "apply/words/word_rows.h"

/* The numbers, in the order of measure/maps.c. */
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

/* How many sentences are compared; 0: they are not parallel. */
static int64_t n_parallel(const ig_measure_options *o, const ig_corpus *dev)
{
    const int64_t most[] = {ig_corpus_n_sequence(dev, o->a), ig_corpus_n_sequence(dev, o->b)};
    int64_t n = most[0] < most[1] ? most[0] : most[1];
    if (o->max_sentence > 0 && n > o->max_sentence)
        n = o->max_sentence;
    for (int64_t i = 0; i < n; i++)
        if (!ig_corpus_parallel(dev, o->a, o->b, i))
            return 0;
    return n;
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

static ig_code run_measure_maps(const void *of, ig_measure_result *out, const ig_measure_with *with,
                                const ig_corpus *dev, ig_err *err)
{
    (void)of;
    const ig_measure_options *o = &out->options;
    const ig_states_options requested = {
        .layer = o->layer, .n_layer = o->n_layer, .stop = with->stop};
    const ig_states_parts parts = {
        .engine = with->engine, .model = with->model, .team = with->team, .corpus = dev};
    ig_linked_texts text = {.language = {o->a, o->b}, .corpus = dev, .n = n_parallel(o, dev)};
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

const ig_measure_above ig_measure_maps = {run_measure_maps, NULL};
