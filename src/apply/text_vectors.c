/* SPDX-License-Identifier: Apache-2.0
 *
 * Averages the states of each text's tokens at all layers. Special tokens are left out, as in
 * sentence retrieval (Dufter & Schütze 2020, A.1).
 */
#include "apply/text_vectors.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"

#include <math.h>
#include <string.h>

typedef struct {
    ig_text_vectors *v;
    ig_sentence_model *modules;
} taking;

void ig_report_cut(const char *text, int64_t n_cut, int64_t n)
{
    if (n_cut > 0)
        ig_log(IG_LOG_NORMAL,
               "%s: %lld of %lld sentences are longer than the model reads, and were cut", text,
               (long long)n_cut, (long long)n);
}

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    const taking *t = arg;
    ig_text_vectors *v = t->v;
    v->n_cut += s->cut;
    for (int l = 0; l < v->n_layer; l++) {
        float *out = v->x[l] + s->number * v->d;
        if (t->modules != NULL)
            ig_sentence_model_apply(t->modules, out, s, l);
        else
            ig_mean_row(out, s->states[l] + (int64_t)s->first * v->d, s->n_own, v->d);
        for (int i = 0; i < v->d; i++)
            if (!isfinite(out[i]))
                return t->modules != NULL
                           ? ig_fail(err, IG_ERR_NUMERIC, "model", 0,
                                     "the vector of sentence %lld is not finite",
                                     (long long)s->number + 1)
                           : ig_fail(err, IG_ERR_NUMERIC, "model", 0,
                                     "a state of layer %d is not finite in sentence %lld", l,
                                     (long long)s->number + 1);
    }
    return IG_ERR_OK;
}

static ig_code gather_all(ig_text_vectors *v, ig_states *s, int language,
                          const ig_short_texts *texts, ig_err *err)
{
    IG_TRY(ig_alloc(&v->x, v->n_layer, sizeof *v->x, "sentence vectors", err));
    for (int l = 0; l < v->n_layer; l++)
        IG_TRY(ig_alloc(&v->x[l], v->n * v->d, sizeof *v->x[l], "sentence vectors", err));
    taking to = {v, texts->modules};
    ig_states_begin(s, take, &to);
    for (int64_t i = 0; i < v->n; i++) {
        ig_progress(i + 1, NULL);
        if (texts->corpus != NULL) {
            IG_TRY(ig_states_put_sequence(s, texts->corpus, language, i, err));
            continue;
        }
        const char *t = texts->sentences != NULL ? ig_sentence(texts->sentences, i)
                                                 : ig_lexicon_get(texts->words, (int32_t)i);
        int64_t n = (int64_t)strlen(t);
        if (texts->modules != NULL)
            IG_TRY(ig_sentence_model_prompted(&t, &n, texts->modules, t, n, err));
        IG_TRY(ig_states_put(s, language, t, n, err));
    }
    return ig_states_end(s, err);
}

static ig_code gather(ig_text_vectors *v, ig_states *s, int language, const ig_short_texts *texts,
                      ig_err *err)
{
    ig_progress_begin("sentences", v->n);
    const ig_code code = gather_all(v, s, language, texts, err);
    ig_progress_end();
    return code;
}

/* Modules read the last layer alone, and have a length of their own. */
static ig_code gather_modules(ig_text_vectors *v, ig_states *s, int language,
                              const ig_short_texts *texts, ig_err *err)
{
    const int last = ig_bert_get_config(ig_states_encoder(s)->model)->num_hidden_layers;
    v->n_layer = 1;
    v->d = ig_sentence_model_size(texts->modules);
    IG_TRY(ig_states_set_layers(s, &last, 1, err));
    ig_states_set_most(s, ig_sentence_model_most(texts->modules));
    const ig_code code = gather(v, s, language, texts, err);
    ig_states_set_most(s, 0);
    return code != IG_ERR_OK ? code : ig_states_set_layers(s, NULL, 0, err);
}

ig_code ig_text_vectors_make(ig_text_vectors *v, ig_states *s, int language,
                             const ig_short_texts *texts, ig_err *err)
{
    const int *layer;
    *v = (ig_text_vectors){.n = texts->corpus != NULL      ? texts->n
                                : texts->sentences != NULL ? texts->sentences->n
                                                           : texts->words->n,
                           .n_layer = ig_states_layers(s, &layer),
                           .d = ig_bert_get_config(ig_states_encoder(s)->model)->hidden_size};
    return texts->modules != NULL ? gather_modules(v, s, language, texts, err)
                                  : gather(v, s, language, texts, err);
}

void ig_text_vectors_free(ig_text_vectors *v)
{
    ig_free_list(v->x, v->n_layer);
    *v = (ig_text_vectors){0};
}
