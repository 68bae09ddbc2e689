/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the vectors that an edit is learned from: one of each sentence of some languages, at one
 * layer.
 */
#include "apply/edit/state_sample.h"

#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "corpus/read/parallel_text.h"
#include "analyse/links/ibm2.h"

#include <string.h>

typedef struct {
    ig_state_sample *to;
    const ig_sample_draw *how;
    int32_t label;
    bool empty; /* of pairs: one of this pair has no token */
} taker;

/* Grows the sample by one row. */
static ig_code grow(ig_state_sample *s, ig_err *err)
{
    IG_TRY(ig_grow(&s->row, &s->have_row, (s->n + 1) * s->d, sizeof *s->row, "states", err));
    return ig_grow(&s->label, &s->have_label, s->n + 1, sizeof *s->label, "states", err);
}

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    taker *a = arg;
    ig_state_sample *to = a->to;
    if (s->n_own <= 0)
        return IG_ERR_OK;
    IG_TRY(grow(to, err));
    /* [SEP] is after them. */
    const bool has_sep = s->first + s->n_own < s->n_token;
    const int32_t n = s->n_own + (a->how->sep && has_sep);
    ig_rng r = ig_rng_make(a->how->seed, IG_STREAM_SAMPLE, (uint32_t)a->label, (uint32_t)s->number);
    const int64_t t = s->first + (int64_t)ig_rng_below(&r, (uint32_t)n);
    memcpy(to->row + to->n * to->d, s->states[0] + t * to->d, (size_t)to->d * sizeof *to->row);
    to->label[to->n++] = a->label;
    return IG_ERR_OK;
}

static int width(const ig_states *states)
{
    return ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size;
}

ig_code ig_state_sample_take(ig_state_sample *s, ig_states *states, const ig_states_source *source,
                             int n_source, const ig_sample_draw *how, ig_err *err)
{
    s->d = width(states);
    for (int k = 0; k < n_source; k++) {
        taker a = {.to = s, .how = how, .label = k};
        const int64_t before = s->n;
        IG_TRY(ig_states_read(states, &source[k], take, &a, err));
        if (s->n == before)
            return ig_fail(err, IG_ERR_INPUT, source[k].name, 0, "found no token");
    }
    return IG_ERR_OK;
}

/* --- pairs ----------------------------------------------------------------------------------- */

static ig_code put_texts(ig_states *states, const ig_states_source source[2], ig_parallel *p,
                         ig_unknown_pieces unknown[2], ig_err *err)
{
    for (int64_t i = 0; source[0].take == 0 || i < source[0].take; i++) {
        const char *text[2];
        IG_TRY(ig_parallel_next(p, text, err));
        if (text[0] == NULL)
            break;
        for (int k = 0; k < 2; k++) {
            ig_states_watch(states, &unknown[k]);
            IG_TRY(
                ig_states_put(states, source[k].language, text[k], (int64_t)strlen(text[k]), err));
        }
    }
    return ig_states_end(states, err);
}

static ig_code put_sequences(ig_states *states, const ig_states_source source[2], ig_err *err)
{
    const ig_corpus *c = source->corpus;
    const int a = source[0].language, b = source[1].language;
    const int64_t n[2] = {ig_corpus_n_sequence(c, a), ig_corpus_n_sequence(c, b)};
    int64_t taken = 0;
    for (int64_t i = 0; i < n[0] && i < n[1] && (source->take == 0 || taken < source->take); i++) {
        if (!ig_corpus_parallel(c, a, b, i))
            continue;
        taken++;
        IG_TRY(ig_states_put_sequence(states, c, a, i, err));
        IG_TRY(ig_states_put_sequence(states, c, b, i, err));
    }
    return ig_states_end(states, err);
}

/* The sentences of both sources in turns, sentence i of one and of the other, to fn. */
static ig_code read_pairs(ig_states *states, const ig_states_source source[2], ig_states_fn *fn,
                          void *arg, ig_err *err)
{
    ig_parallel *p;
    ig_unknown_pieces unknown[2] = {{0}};
    ig_states_begin(states, fn, arg);
    if (source[0].path == NULL)
        return put_sequences(states, source, err);
    IG_TRY(ig_parallel_open(&p, source[0].path, source[1].path, NULL, err));
    ig_code code = put_texts(states, source, p, unknown, err);
    ig_states_watch(states, NULL);
    for (int k = 0; k < 2; k++)
        IG_THEN(code, ig_states_watched(states, &unknown[k], source[k].path, err));
    ig_parallel_close(p);
    return code;
}

static ig_code take_pair(void *arg, const ig_sentence_states *s, ig_err *err)
{
    taker *a = arg;
    ig_state_sample *to = a->to;
    const bool second = s->number % 2 == 1;
    IG_TRY(grow(to, err));
    a->empty = a->empty || s->n_own <= 0;
    ig_mean_row(to->row + to->n * to->d, s->states[0] + (int64_t)s->first * to->d, s->n_own, to->d);
    to->label[to->n++] = second;
    if (second) {
        to->n -= a->empty ? 2 : 0;
        a->empty = false;
    }
    return IG_ERR_OK;
}

ig_code ig_state_sample_pairs(ig_state_sample *s, ig_states *states,
                              const ig_states_source source[2], ig_err *err)
{
    taker a = {.to = s};
    s->d = width(states);
    IG_TRY(read_pairs(states, source, take_pair, &a, err));
    return s->n > 0 ? IG_ERR_OK
                    : ig_fail(err, IG_ERR_INPUT, source[0].name, 0,
                              "has no sentence parallel to one of %s", source[1].name);
}

/* --- linked words ---------------------------------------------------------------------------- */

/* The first pass takes the tokens, from which links are learned; the second takes the states of
 * those that are linked. */
typedef struct {
    ig_state_sample *to;
    ig_bitext text;
    int32_t
        *partner[2]; /* [words of side x] the position of its partner in the other's sentence, −1 */
    float *first;    /* [n, d] states of the pair's first sentence */
    int64_t have_first;
} aligner;

static ig_code take_tokens(void *arg, const ig_sentence_states *s, ig_err *err)
{
    aligner *a = arg;
    return ig_bitext_add_numbers(&a->text, (int)(s->number % 2), s->id + s->first, s->n_own, err);
}

/* Keeps the states of the first sentence's words. */
static ig_code keep_first(aligner *a, const ig_sentence_states *s, ig_err *err)
{
    const int d = a->to->d;
    const int64_t size = (int64_t)s->n_own * d;
    IG_TRY(ig_grow(&a->first, &a->have_first, size + 1, sizeof *a->first, "states", err));
    memcpy(a->first, s->states[0] + (int64_t)s->first * d, (size_t)size * sizeof *a->first);
    return IG_ERR_OK;
}

static ig_code add_row(ig_state_sample *to, const float *row, int32_t label, ig_err *err)
{
    IG_TRY(grow(to, err));
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
        IG_TRY(add_row(a->to, s->states[0] + (s->first + w) * a->to->d, 1, err));
    }
    return IG_ERR_OK;
}

ig_code ig_state_sample_words(ig_state_sample *s, ig_states *states,
                              const ig_states_source source[2], ig_err *err)
{
    aligner a = {.to = s};
    s->d = width(states);
    ig_code code = read_pairs(states, source, take_tokens, &a, err);
    IG_THEN(code, ig_ibm2_both(a.partner, &a.text, ig_states_team(states), err));
    IG_THEN(code, read_pairs(states, source, take_linked, &a, err));
    if (code == IG_ERR_OK && s->n == 0)
        code = ig_fail(err, IG_ERR_INPUT, source[0].name, 0, "has no word linked to one of %s",
                       source[1].name);
    ig_bitext_free(&a.text);
    IG_FREE(a.partner[0], a.partner[1], a.first);
    return code;
}

void ig_state_sample_free(ig_state_sample *s)
{
    IG_FREE(s->row, s->label);
    *s = (ig_state_sample){0};
}
