/* SPDX-License-Identifier: Apache-2.0
 *
 * Lays words out in sequences and sums their states (Liu et al. 2020, "A Study", §3.1.1).
 */
#include "apply/words/word_sums.h"

#include "base/memory.h"

/* Most words are one piece, and a division takes longer than all else here. */
static void add(double *restrict sum, const float *restrict x, int d, int32_t n)
{
    if (n == 1)
        for (int k = 0; k < d; k++)
            sum[k] += (double)x[k];
    else
        for (int k = 0; k < d; k++)
            sum[k] += (double)x[k] / n;
}

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    ig_word_sums *w = arg;
    (void)err;
    for (; w->n_taken < w->n_place && w->place[w->n_taken].sequence == s->number; w->n_taken++) {
        const int32_t word = w->place[w->n_taken].word, n = w->place[w->n_taken].n,
                      from = w->place[w->n_taken].from;
        w->n[word]++;
        w->n_piece += n;
        for (int l = 0; l < w->n_layer; l++)
            for (int32_t t = from; t < from + n; t++)
                add(w->sum[l] + (int64_t)word * w->d, s->states[l] + (int64_t)t * w->d, w->d, n);
    }
    if (w->n_taken == w->n_place)
        w->n_taken = w->n_place = 0;
    w->n_sequence++;
    w->n_token += s->n_token;
    return IG_ERR_OK;
}

ig_code ig_word_sums_begin(ig_word_sums *w, ig_states *states, int language,
                           const ig_word_sequences *how, int64_t n_word, ig_err *err)
{
    const int *layer;
    *w = (ig_word_sums){.states = states,
                        .how = *how,
                        .language = language,
                        .info = &ig_states_languages(states)->language[language].info,
                        .n_layer = ig_states_layers(states, &layer),
                        .d = ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size};
    IG_TRY(ig_alloc(&w->sum, w->n_layer, sizeof *w->sum, "sums", err));
    IG_TRY(ig_alloc(&w->n, n_word, sizeof *w->n, "words", err));
    for (int l = 0; l < w->n_layer; l++)
        IG_TRY(ig_alloc(&w->sum[l], n_word * w->d, sizeof *w->sum[l], "sums", err));
    ig_states_begin(states, take, w);
    return IG_ERR_OK;
}

static ig_code put_token(ig_word_sums *w, int32_t id, ig_err *err)
{
    IG_TRY(ig_grow(&w->id, &w->have_id, (int64_t)w->n_id + 1, sizeof *w->id, "sequence", err));
    w->id[w->n_id++] = id;
    return IG_ERR_OK;
}

static ig_code end_sequence(ig_word_sums *w, ig_err *err)
{
    if (w->n_id == 0)
        return IG_ERR_OK;
    if (!w->how.stream)
        IG_TRY(put_token(w, w->info->sep, err));
    const int32_t n = w->n_id;
    w->n_id = 0;
    w->number++;
    return ig_states_put_tokens(w->states, w->language, w->id, n, err);
}

ig_code ig_word_sums_put(ig_word_sums *w, int32_t word, const int32_t *id, int32_t n, ig_err *err)
{
    const int32_t special = !w->how.stream, most = w->how.block - special;
    if (n > most - special)
        return IG_ERR_OK;
    if (w->n_id + n > most)
        IG_TRY(end_sequence(w, err));
    if (w->n_id == 0 && !w->how.stream)
        IG_TRY(put_token(w, w->info->cls, err));
    if (word >= 0) {
        IG_TRY(ig_grow(&w->place, &w->have_place, w->n_place + 1, sizeof *w->place, "places", err));
        w->place[w->n_place].sequence = w->number;
        w->place[w->n_place].word = word;
        w->place[w->n_place].from = w->n_id;
        w->place[w->n_place++].n = n;
    }
    for (int32_t t = 0; t < n; t++)
        IG_TRY(put_token(w, id[t], err));
    return IG_ERR_OK;
}

ig_code ig_word_sums_end_sentence(ig_word_sums *w, ig_err *err)
{
    return !w->how.stream || w->n_id == 0 || w->n_id == w->how.block
               ? end_sequence(w, err)
               : put_token(w, w->info->sep, err);
}

ig_code ig_word_sums_end(ig_word_sums *w, ig_err *err)
{
    IG_TRY(end_sequence(w, err));
    return ig_states_end(w->states, err);
}

void ig_word_sums_free(ig_word_sums *w)
{
    ig_free_list(w->sum, w->n_layer);
    IG_FREE(w->n, w->place, w->id);
    *w = (ig_word_sums){0};
}
