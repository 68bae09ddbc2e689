/* SPDX-License-Identifier: Apache-2.0
 *
 * See aligned_words.h. The first pass takes the tokens, from which links are learned; the second
 * takes the states of those that are linked.
 */
#include "run/edit/aligned_words.h"

#include "base/memory.h"
#include "measure/links/ibm2.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    ig_state_sample *to;
    ig_bitext text;
    char *line[2]; /* a pair's tokens as words, their numbers */
    int64_t have_line[2];
    int32_t
        *partner[2]; /* [words of side x] the place of its partner in the other's sentence, −1 */
    float *first;    /* [n, d] states of the pair's first sentence */
    int64_t have_first;
} aligner;

/* --- links ----------------------------------------------------------------------------------- */

static ig_code take_tokens(void *arg, const ig_sentence_states *s, ig_err *err)
{
    enum { digits = 12 };
    aligner *a = arg;
    const int x = (int)(s->number % 2);
    size_t used = 0;
    IG_TRY(
        ig_grow(&a->line[x], &a->have_line[x], (int64_t)s->n_token * digits + 1, 1, "words", err));
    a->line[x][0] = '\0';
    for (int32_t t = 0; t < s->n_token; t++)
        if (!s->special[t])
            used += (size_t)snprintf(a->line[x] + used, digits, "%d ", s->id[t]);
    const char *const pair[2] = {a->line[0], a->line[1]};
    return x == 1 ? ig_bitext_add(&a->text, pair, err) : IG_ERR_OK;
}

/* As fast_align has it. */
static ig_code align(aligner *a, ig_team *team, ig_err *err)
{
    const ig_ibm2_options o = {.iterations = 5, .alpha = .01, .none = .08, .tension = 4};
    ig_ibm2_report report;
    for (int x = 0; x < 2; x++) {
        IG_TRY(ig_alloc(&a->partner[x], a->text.first[x][a->text.n], sizeof *a->partner[x], "links",
                        err));
        IG_TRY(
            ig_ibm2_align(a->partner[x], &report, &(ig_ibm2_task){&a->text, 1 - x}, &o, team, err));
    }
    return IG_ERR_OK;
}

/* --- states ---------------------------------------------------------------------------------- */

/* Keeps the states of the first sentence's words. */
static ig_code keep_first(aligner *a, const ig_sentence_states *s, ig_err *err)
{
    const int d = a->to->d;
    int64_t n = 0;
    IG_TRY(ig_grow(&a->first, &a->have_first, (int64_t)s->n_token * d, sizeof *a->first, "states",
                   err));
    for (int32_t t = 0; t < s->n_token; t++)
        if (!s->special[t])
            memcpy(a->first + n++ * d, s->states[0] + (int64_t)t * d, (size_t)d * sizeof(float));
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
    const int32_t *to_second = a->partner[0] + a->text.first[0][pair],
                  *to_first = a->partner[1] + a->text.first[1][pair];
    for (int32_t t = 0, word = 0; t < s->n_token; t++) {
        if (s->special[t])
            continue;
        const int32_t w = word++, other = to_first[w];
        if (other < 0 || to_second[other] != w)
            continue;
        IG_TRY(add_row(a->to, a->first + (int64_t)other * a->to->d, 0, err));
        IG_TRY(add_row(a->to, s->states[0] + (int64_t)t * a->to->d, 1, err));
    }
    return IG_ERR_OK;
}

ig_code ig_state_sample_words(ig_state_sample *s, const ig_sample_ask *ask,
                              const ig_sample_source source[2], ig_err *err)
{
    aligner a = {.to = s};
    s->d = ig_bert_get_config(ig_states_encoder(ask->states)->model)->hidden_size;
    ig_code code = ig_state_sample_put_pairs(ask, source, take_tokens, &a, err);
    IG_THEN(code, align(&a, ig_states_team(ask->states), err));
    IG_THEN(code, ig_state_sample_put_pairs(ask, source, take_linked, &a, err));
    if (code == IG_ERR_OK && s->n == 0)
        code = ig_fail(err, IG_ERR_INPUT, source[0].name, 0, "has no word linked to one of %s",
                       source[1].name);
    ig_bitext_free(&a.text);
    for (int x = 0; x < 2; x++)
        IG_FREE(a.line[x], a.partner[x]);
    ig_free(a.first);
    return code;
}
