/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures `shift` and `away`: translation token by token by the difference of two languages'
 * means, at every layer measured and several alphas, of `away` −1 (Liu et al., "A Study of
 * Cross-Lingual Ability and Language-specific Information in Multilingual BERT", §4.2, Tables 2 and
 * 3, Figures 7 and 8); docs/edits.md. Each number is the mean of both directions. Layers are
 * shifted one at a time, each in a pass of its own; alpha 0, the model as it is, is one pass for
 * all of them. Means are learned after the engine's edits, and it has them again afterwards.
 */
#include "measure/measure_list.h"

#include "apply/edit/translation.h"

#define AT(task, sign, alpha, said)                                                                \
    {                                                                                              \
        task "_at_" #alpha, sign " α" #alpha,                                                      \
            said " of the text shifted by " #alpha " times the difference of means",               \
            IG_LAYER_SHARE                                                                         \
    }
#define SWEEP(task, sign, said)                                                                    \
    AT(task, sign, 0, said), AT(task, sign, 1, said), AT(task, sign, 2, said),                     \
        AT(task, sign, 3, said)

const ig_store_task ig_numbers_shift[] = {SWEEP("bleu1", "BLEU-1", "BLEU-1"),
                                          SWEEP("convert_rate", "convert", "convert rate"),
                                          SWEEP("gold", "gold", "share of right tokens"),
                                          {0}};
/* Shift by alpha −1 is a measure of its own, which results that only have `shift` do not include.
 */
#define AWAY(task, sign, said)                                                                     \
    {                                                                                              \
        task "_at_minus_1", sign " α−1",                                                           \
            said " of the text shifted by the difference of means away from the other "            \
                 "language",                                                                       \
            IG_LAYER_SHARE                                                                         \
    }

const ig_store_task ig_numbers_away[] = {AWAY("bleu1", "BLEU-1", "BLEU-1"),
                                         AWAY("convert_rate", "convert", "convert rate"),
                                         AWAY("gold", "gold", "share of right tokens"),
                                         {0}};
enum { N_ALPHA = 4, N_SCORE = 3, TAKE = 10000 };

typedef struct {
    const ig_measure_with *with;
    ig_measure_result *out;
    ig_states_parts parts;
    ig_language_means means; /* of the pair */
    ig_states *states;       /* for the likeliest pieces */
    ig_translation_set set;
    /* Means of both directions, in the order of the numbers of `shift` and of `away`. */
    double towards[IG_MEASURE_MAX_LAYER][N_SCORE * N_ALPHA], away[IG_MEASURE_MAX_LAYER][N_SCORE];
} work;

static ig_code learn(work *w, ig_err *err)
{
    const ig_measure_options *o = &w->out->options;
    const ig_states_options all = {.all_layers = true, .stop = w->with->stop};
    ig_states_parts parts = w->parts;
    ig_states *s;
    parts.corpus = w->with->means;
    IG_TRY(ig_states_over(&s, &all, &parts, err));
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        const ig_states_source text = ig_states_of_corpus(w->with->means, x ? o->b : o->a, TAKE);
        code = ig_language_means_add(&w->means, s, &text, IG_VARIANT_PAPER_TEXT, err);
    }
    ig_states_close(s);
    return code;
}

/* The score with that alpha; −1 is of a measure of its own. */
static double *place(work *w, int l, int score, int alpha)
{
    return alpha < 0 ? &w->away[l][score] : &w->towards[l][score * N_ALPHA + alpha];
}

/* A cell of the sweep: adds half of what one direction, from language `from` of the pair, gives. */
static ig_code translate(work *w, int from, int l, int alpha, ig_err *err)
{
    const int layer = w->out->options.layer[l];
    const int64_t at = (int64_t)layer * w->means.d;
    const double *const mean[] = {w->means.language[from].mean + at,
                                  w->means.language[1 - from].mean + at};
    const ig_translation how = {
        .layer = layer, .alpha = alpha, .edit = w->with->edit, .n_edit = w->with->n_edit};
    ig_translation_count c;
    IG_TRY(ig_translate(&c, w->states, &w->set, &how, mean, err));
    const double score[N_SCORE] = {ig_bleu1(&c), ig_convert_rate(&c), ig_gold_accuracy(&c)};
    for (int s = 0; s < N_SCORE; s++) {
        double *to = place(w, l, s, alpha);
        *to = (from == 0 ? 0 : *to) + score[s] / 2;
    }
    return IG_ERR_OK;
}

static ig_code sweep(work *w, int from, const ig_corpus *dev, ig_err *err)
{
    const ig_measure_options *o = &w->out->options;
    const bool towards = ig_measure_requested(o->what, IG_MEASURE_shift),
               away = ig_measure_requested(o->what, IG_MEASURE_away);
    w->set = (ig_translation_set){.from = from ? o->b : o->a, .to = from ? o->a : o->b};
    IG_TRY(ig_translation_set_corpus(&w->set, w->states, dev, o->max_sentence, err));
    if (towards)
        IG_TRY(translate(w, from, 0, 0, err));
    for (int l = 0; l < o->n_layer; l++) {
        for (int s = 0; s < N_SCORE && towards; s++)
            *place(w, l, s, 0) = *place(w, 0, s, 0);
        for (int alpha = 1; alpha < N_ALPHA && towards; alpha++)
            IG_TRY(translate(w, from, l, alpha, err));
        if (away)
            IG_TRY(translate(w, from, l, -1, err));
    }
    return IG_ERR_OK;
}

/* NULL, or why there are no numbers: nothing to translate, or no output layer that could say, at
 * each token, what that token is. */
static const char *impossible(const work *w, const ig_corpus *dev)
{
    const ig_bert_config *c = ig_bert_get_config(w->parts.model);
    const ig_measure_options *o = &w->out->options;
    const int64_t most[] = {ig_corpus_n_sequence(dev, o->a), ig_corpus_n_sequence(dev, o->b)};
    if (ig_bert_config_n_label(c, IG_HEAD_MASKED) == 0)
        return "needs a head of masked words";
    if (c->causal || c->shifted)
        return "needs a model that predicts the token itself, not the next one";
    if (c->n_language > 1 && c->separate.output)
        return "needs one output layer for all languages";
    for (int64_t i = 0; i < most[0] && i < most[1]; i++)
        if (ig_corpus_parallel(dev, o->a, o->b, i))
            return NULL;
    return "needs sentences that both languages have";
}

static ig_code put(const work *w, ig_err *err)
{
    const ig_measure_options *o = &w->out->options;
    for (int l = 0; l < o->n_layer; l++) {
        const ig_measure_out out = ig_measure_out_of(w->out, o->layer[l]);
        for (int i = 0; i < N_SCORE * N_ALPHA && ig_measure_requested(o->what, IG_MEASURE_shift);
             i++)
            IG_TRY(ig_measure_put(&out, ig_numbers_shift[i].name, 0, w->towards[l][i], err));
        for (int i = 0; i < N_SCORE && ig_measure_requested(o->what, IG_MEASURE_away); i++)
            IG_TRY(ig_measure_put(&out, ig_numbers_away[i].name, 0, w->away[l][i], err));
    }
    return IG_ERR_OK;
}

static ig_code shift(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *dev,
                     ig_err *err)
{
    work w = {.with = with, .out = out};
    const ig_states_options best = {.likeliest = true, .stop = with->stop};
    w.parts = (ig_states_parts){
        .engine = with->engine, .model = with->model, .team = with->team, .corpus = dev};
    out->no_shift = impossible(&w, dev);
    if (with->means == NULL || out->no_shift != NULL)
        return IG_ERR_OK;
    ig_code code = learn(&w, err);
    IG_THEN(code, ig_states_over(&w.states, &best, &w.parts, err));
    for (int from = 0; from < 2 && code == IG_ERR_OK; from++) {
        code = sweep(&w, from, dev, err);
        ig_translation_set_free(&w.set);
    }
    IG_THEN(code, put(&w, err));
    ig_states_close(w.states);
    ig_language_means_free(&w.means);
    const ig_code back =
        ig_engine_set_edits(with->engine, with->edit, with->n_edit, code == IG_ERR_OK ? err : NULL);
    return code == IG_ERR_OK ? back : code;
}

const ig_measure_kind ig_measure_kind_shift = {
    .text = shift, .number = ig_numbers_shift, .n_shown = 4};
const ig_measure_kind ig_measure_kind_away = {
    .text = shift, .number = ig_numbers_away, .n_shown = 3};
