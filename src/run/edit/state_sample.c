/* SPDX-License-Identifier: Apache-2.0
 *
 * See state_sample.h.
 */
#include "run/edit/state_sample.h"

#include "base/memory.h"
#include "base/rng.h"
#include "corpus/read/line_reader.h"

#include <string.h>

typedef struct {
    ig_state_sample *to;
    const ig_sample_ask *ask;
    int32_t label;
    bool empty; /* of pairs: one of this pair has no token */
} taker;

ig_code ig_state_sample_grow(ig_state_sample *s, ig_err *err)
{
    IG_TRY(ig_grow(&s->row, &s->have_row, (s->n + 1) * s->d, sizeof *s->row, "states", err));
    return ig_grow(&s->label, &s->have_label, s->n + 1, sizeof *s->label, "states", err);
}

static void take_mean(float *row, const ig_sentence_states *s, int d)
{
    int32_t n = 0;
    for (int k = 0; k < d; k++) {
        double sum = 0;
        n = 0;
        for (int32_t t = 0; t < s->n_token; t++)
            if (!s->special[t]) {
                sum += (double)s->states[0][(int64_t)t * d + k];
                n++;
            }
        row[k] = (float)(sum / n);
    }
}

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    taker *a = arg;
    ig_state_sample *to = a->to;
    const ig_sample_ask *ask = a->ask;
    if (s->n_token <= 2)
        return IG_ERR_OK;
    IG_TRY(ig_state_sample_grow(to, err));
    float *row = to->row + to->n * to->d;
    if (ask->kind == IG_SAMPLE_MEAN) {
        take_mean(row, s, to->d);
    } else {
        /* [CLS] is first and [SEP] last. */
        const int32_t n = s->n_token - 2 + (ask->kind == IG_SAMPLE_TOKEN_OR_SEP);
        ig_rng r =
            ig_rng_make(ask->seed, IG_STREAM_SAMPLE, (uint32_t)a->label, (uint32_t)s->number);
        const int64_t t = 1 + (int64_t)ig_rng_below(&r, (uint32_t)n);
        memcpy(row, s->states[0] + t * to->d, (size_t)to->d * sizeof *row);
    }
    to->label[to->n++] = a->label;
    return IG_ERR_OK;
}

static ig_code take_pair(void *arg, const ig_sentence_states *s, ig_err *err)
{
    taker *a = arg;
    ig_state_sample *to = a->to;
    const bool second = s->number % 2 == 1;
    IG_TRY(ig_state_sample_grow(to, err));
    a->empty = a->empty || s->n_token <= 2;
    if (!a->empty)
        take_mean(to->row + to->n * to->d, s, to->d);
    to->label[to->n++] = second;
    if (second) {
        to->n -= a->empty ? 2 : 0;
        a->empty = false;
    }
    return IG_ERR_OK;
}

static ig_code take_corpus(const ig_sample_ask *ask, int language, ig_err *err)
{
    const int64_t all = ig_corpus_n_sequence(ask->corpus, language);
    for (int64_t i = 0; i < all && i < ask->take; i++)
        IG_TRY(ig_states_put_sequence(ask->states, ask->corpus, language, i, err));
    return ig_states_end(ask->states, err);
}

static int width(const ig_sample_ask *ask)
{
    return ig_bert_get_config(ig_states_encoder(ask->states)->model)->hidden_size;
}

ig_code ig_state_sample_take(ig_state_sample *s, const ig_sample_ask *ask,
                             const ig_sample_source *source, int n_source, ig_err *err)
{
    s->d = width(ask);
    for (int k = 0; k < n_source; k++) {
        taker a = {.to = s, .ask = ask, .label = k};
        const int64_t before = s->n;
        if (source[k].path != NULL) {
            const ig_states_file file = {source[k].path, source[k].language, ask->take};
            IG_TRY(ig_states_text(ask->states, &file, take, &a, NULL, err));
        } else {
            ig_states_begin(ask->states, take, &a);
            IG_TRY(take_corpus(ask, source[k].language, err));
        }
        if (s->n == before)
            return ig_fail(err, IG_ERR_INPUT, source[k].name, 0, "found no token");
    }
    return IG_ERR_OK;
}

/* --- pairs ----------------------------------------------------------------------------------- */

static ig_code pair_lines(const ig_sample_ask *ask, const ig_sample_source source[2],
                          ig_line_reader *const r[2], ig_err *err)
{
    for (int64_t i = 0; i < ask->take; i++) {
        char *text[2];
        for (int k = 0; k < 2; k++) {
            int64_t n;
            IG_TRY(ig_line_next(r[k], &text[k], &n, err));
            if (text[k] != NULL && (k == 0 || text[0] != NULL))
                IG_TRY(ig_states_put(ask->states, source[k].language, text[k], n, err));
        }
        if ((text[0] == NULL) != (text[1] == NULL))
            return ig_fail(
                err, IG_ERR_INPUT, source[text[0] != NULL].path, ig_line_number(r[text[0] != NULL]),
                "ends here, expected as many lines as %.200s has", source[text[0] == NULL].path);
        if (text[0] == NULL)
            break;
    }
    return ig_states_end(ask->states, err);
}

static ig_code pair_files(const ig_sample_ask *ask, const ig_sample_source source[2], ig_err *err)
{
    ig_line_reader *r[2] = {NULL, NULL};
    ig_code code = ig_line_open(&r[0], source[0].path, err);
    IG_THEN(code, ig_line_open(&r[1], source[1].path, err));
    IG_THEN(code, pair_lines(ask, source, r, err));
    ig_line_close(r[0]);
    ig_line_close(r[1]);
    return code;
}

static ig_code pair_corpus(const ig_sample_ask *ask, const ig_sample_source source[2], ig_err *err)
{
    const ig_corpus *c = ask->corpus;
    const int a = source[0].language, b = source[1].language;
    const int64_t n[2] = {ig_corpus_n_sequence(c, a), ig_corpus_n_sequence(c, b)};
    for (int64_t i = 0, taken = 0; i < n[0] && i < n[1] && taken < ask->take; i++) {
        if (!ig_corpus_parallel(c, a, b, i))
            continue;
        taken++;
        IG_TRY(ig_states_put_sequence(ask->states, c, a, i, err));
        IG_TRY(ig_states_put_sequence(ask->states, c, b, i, err));
    }
    return ig_states_end(ask->states, err);
}

ig_code ig_state_sample_put_pairs(const ig_sample_ask *ask, const ig_sample_source source[2],
                                  ig_states_fn *fn, void *arg, ig_err *err)
{
    ig_states_begin(ask->states, fn, arg);
    return source[0].path != NULL ? pair_files(ask, source, err) : pair_corpus(ask, source, err);
}

ig_code ig_state_sample_pairs(ig_state_sample *s, const ig_sample_ask *ask,
                              const ig_sample_source source[2], ig_err *err)
{
    taker a = {.to = s, .ask = ask};
    s->d = width(ask);
    IG_TRY(ig_state_sample_put_pairs(ask, source, take_pair, &a, err));
    return s->n > 0 ? IG_ERR_OK
                    : ig_fail(err, IG_ERR_INPUT, source[0].name, 0,
                              "has no sentence parallel to one of %s", source[1].name);
}

void ig_state_sample_free(ig_state_sample *s)
{
    IG_FREE(s->row, s->label);
    *s = (ig_state_sample){0};
}
