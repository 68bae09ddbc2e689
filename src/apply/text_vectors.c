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

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    ig_text_vectors *v = arg;
    v->n_cut += s->cut;
    for (int l = 0; l < v->n_layer; l++) {
        float *out = v->x[l] + s->number * v->d;
        ig_mean_row(out, s->states[l] + (int64_t)s->first * v->d, s->n_own, v->d);
        for (int i = 0; i < v->d; i++)
            if (!isfinite(out[i]))
                return ig_fail(err, IG_ERR_NUMERIC, "model", 0,
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
    ig_states_begin(s, take, v);
    for (int64_t i = 0; i < v->n; i++) {
        ig_progress(i + 1, NULL);
        if (texts->corpus != NULL) {
            IG_TRY(ig_states_put_sequence(s, texts->corpus, language, i, err));
            continue;
        }
        const char *t = texts->sentences != NULL ? ig_sentence(texts->sentences, i)
                                                 : ig_lexicon_get(texts->words, (int32_t)i);
        IG_TRY(ig_states_put(s, language, t, (int64_t)strlen(t), err));
    }
    return ig_states_end(s, err);
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
    ig_progress_begin("sentences", v->n);
    ig_code code = gather_all(v, s, language, texts, err);
    ig_progress_end();
    return code;
}

void ig_text_vectors_free(ig_text_vectors *v)
{
    ig_free_list(v->x, v->n_layer);
    *v = (ig_text_vectors){0};
}
