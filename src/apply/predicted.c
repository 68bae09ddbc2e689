/* SPDX-License-Identifier: Apache-2.0
 *
 * Lays out sequences with predicted tokens, and adds up what the head says. Batches are of a fixed
 * size, so memory does not grow with the text.
 */
#include "apply/predicted.h"

#include "base/memory.h"
#include "isoglot/batch.h"

#include <string.h>

/* A batch runs from so many tokens on: the head's matrix is packed once a batch. */
enum { FULL = 8192 };

static ig_code grow(ig_predicted *p, int64_t n_more, ig_err *err)
{
    int32_t **block[] = {&p->start, &p->language, &p->id, &p->pos, &p->seg, &p->row, &p->label};
    for (int i = 0; i < 7; i++)
        IG_TRY(ig_grow(block[i], &p->have[i], i < 2 ? p->n_seq + 2 : p->n_tok + n_more,
                       sizeof **block[i], "batch", err));
    return ig_grow(&p->to, &p->have[7], p->n + n_more, sizeof *p->to, "batch", err);
}

void ig_predicted_free(ig_predicted *p)
{
    IG_FREE(p->start, p->language, p->id, p->pos, p->seg, p->row, p->label, p->to);
    *p = (ig_predicted){0};
}

ig_code ig_predicted_run(ig_predicted *p, ig_states *s, ig_err *err)
{
    const ig_batch b = {.n_seq = p->n_seq,
                        .n_tok = p->n_tok,
                        .seq_start = p->start,
                        .id = p->id,
                        .pos = p->pos,
                        .seg = p->seg,
                        .language = p->language,
                        .target[IG_HEAD_MASKED] = {.n = p->n, .row = p->row, .label = p->label}};
    if (p->n > 0) {
        ig_head_result r;
        IG_TRY(ig_states_predict(&r, s, &b, IG_HEAD_MASKED, err));
        for (int64_t i = 0; i < r.n; i++) {
            p->sum += r.nll[i];
            if (p->to[i] != NULL)
                *p->to[i] += r.nll[i];
        }
        p->n_predicted += r.n;
    }
    p->n_seq = p->n_tok = p->n = 0;
    return IG_ERR_OK;
}

ig_code ig_predicted_put(ig_predicted *p, ig_states *s, const ig_tokens *tokens, int language,
                         const uint8_t *what, double *to, ig_err *err)
{
    const ig_language *l = &ig_states_languages(s)->language[language].info;
    const ig_bert_config *c = ig_bert_get_config(ig_states_encoder(s)->model);
    const int32_t back = c->causal || c->shifted, n = tokens->n + 2, first = p->n_tok;
    IG_TRY(grow(p, n, err));
    p->language[p->n_seq] = language;
    for (int32_t i = 0; i < n; i++) {
        const int32_t at = p->n_tok, id = i == 0           ? l->cls
                                          : i <= tokens->n ? tokens->id[i - 1]
                                                           : l->sep;
        if (id < 0)
            continue; /* the model has no such token */
        p->pos[at] = l->pos_offset + at - first;
        p->seg[at] = l->segment;
        p->id[at] = id;
        p->n_tok++;
        if ((what[i] & IG_TOKEN_PREDICTED) != 0 && at - back >= first) {
            p->row[p->n] = at - back;
            p->to[p->n] = to;
            p->label[p->n++] = p->id[at];
        }
        if ((what[i] & IG_TOKEN_MASKED) != 0)
            p->id[at] = l->mask;
    }
    if (p->n_tok > first)
        p->start[++p->n_seq] = p->n_tok;
    return p->n_tok >= FULL ? ig_predicted_run(p, s, err) : IG_ERR_OK;
}

/* ---- likelihood ---- */

/* Returns whether a token continues the word of the one before. Words that a transform has
 * shortened or reordered are those of the text: tokens are looked up as pieces of the language's
 * vocabulary. */
static bool continues(const ig_states *s, int language, int32_t id)
{
    const ig_model_language *l = &ig_states_languages(s)->language[language];
    const ig_tokenizer *t = l->own != NULL ? l->own : ig_states_encoder(s)->tokenizer;
    const int32_t piece = id - l->info.first_id;
    return piece >= 0 && piece < ig_tokenizer_size(t) && ig_tokenizer_continues(t, piece);
}

ig_code ig_likelihood_put(ig_predicted *p, ig_states *s, const ig_states_sentence *of,
                          bool whole_words, double *to, bool *cut, ig_err *err)
{
    const ig_tokens *t;
    uint8_t what[IG_SEQUENCE_MAX + 2] = {0};
    IG_TRY(ig_states_tokens(&t, cut, s, of, err));
    if (ig_bert_get_config(ig_states_encoder(s)->model)->causal) {
        memset(what + 1, IG_TOKEN_PREDICTED, (size_t)t->n + 1);
        return ig_predicted_put(p, s, t, of->language, what, to, err);
    }
    for (int32_t i = 0; i < t->n; i++) {
        memset(what, 0, (size_t)t->n + 2);
        what[i + 1] = IG_TOKEN_MASKED | IG_TOKEN_PREDICTED;
        for (int32_t j = i + 1; whole_words && j < t->n && continues(s, of->language, t->id[j]);
             j++)
            what[j + 1] = IG_TOKEN_MASKED;
        IG_TRY(ig_predicted_put(p, s, t, of->language, what, to, err));
    }
    return IG_ERR_OK;
}
