/* SPDX-License-Identifier: Apache-2.0
 *
 * See aligned_words.h. The first pass takes the tokens, from which links are learned; the second
 * takes the states of those that are linked.
 */
#include "run/edit/aligned_words.h"

#include "base/memory.h"
#include "measure/links/ibm2.h"

#include <string.h>

typedef struct {
    ig_state_sample *to;
    ig_bitext text;
    int32_t
        *partner[2]; /* [words of side x] the place of its partner in the other's sentence, −1 */
    float *first;    /* [n, d] states of the pair's first sentence */
    int64_t have_first;
} aligner;

static ig_code take_tokens(void *arg, const ig_sentence_states *s, ig_err *err)
{
    aligner *a = arg;
    return ig_bitext_add_numbers(&a->text, (int)(s->number % 2), s->id + 1, s->n_token - 2, err);
}

/* Keeps the states of the first sentence's words. */
static ig_code keep_first(aligner *a, const ig_sentence_states *s, ig_err *err)
{
    const int d = a->to->d;
    const int64_t size = (int64_t)(s->n_token - 2) * d;
    IG_TRY(ig_grow(&a->first, &a->have_first, size + 1, sizeof *a->first, "states", err));
    memcpy(a->first, s->states[0] + d, (size_t)size * sizeof *a->first);
    return IG_ERR_OK;
}

static ig_code add_row(ig_state_sample *to, const float *row, int32_t label, ig_err *err)
{
    IG_TRY(ig_state_sample_grow(to, err));
    memcpy(to->row + to->n * to->d, row, (size_t)to->d * sizeof *row);
    to->label[to->n++] = label;
    return IG_ERR_OK;
}

/* The words that are each other's partners. */
static ig_code take_linked(void *arg, const ig_sentence_states *s, ig_err *err)
{
    aligner *a = arg;
    const int64_t pair = s->number / 2;
    if (s->number % 2 == 0)
        return keep_first(a, s, err);
    const int64_t first = a->text.first[0][pair], second = a->text.first[1][pair],
                  n = a->text.first[1][pair + 1] - second;
    for (int64_t w = 0; w < n; w++) {
        const int32_t other = a->partner[1][second + w];
        if (other < 0 || a->partner[0][first + other] != w)
            continue;
        IG_TRY(add_row(a->to, a->first + (int64_t)other * a->to->d, 0, err));
        IG_TRY(add_row(a->to, s->states[0] + (w + 1) * a->to->d, 1, err));
    }
    return IG_ERR_OK;
}

ig_code ig_state_sample_words(ig_state_sample *s, ig_states *states,
                              const ig_states_source source[2], ig_err *err)
{
    aligner a = {.to = s};
    s->d = ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size;
    ig_code code = ig_states_read_pairs(states, source, take_tokens, &a, err);
    IG_THEN(code, ig_ibm2_both(a.partner, &a.text, ig_states_team(states), err));
    IG_THEN(code, ig_states_read_pairs(states, source, take_linked, &a, err));
    if (code == IG_ERR_OK && s->n == 0)
        code = ig_fail(err, IG_ERR_INPUT, source[0].name, 0, "has no word linked to one of %s",
                       source[1].name);
    ig_bitext_free(&a.text);
    IG_FREE(a.partner[0], a.partner[1], a.first);
    return code;
}
