/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes pseudo-perplexity with a head of masked words, or perplexity of a causal model. Batches
 * are of a fixed size, so memory does not grow with the text.
 */
#include "evaluate/masked.h"

#include "base/memory.h"
#include "isoglot/batch.h"
#include "measure/perplexity.h"

#include <string.h>

/* A batch runs from so many tokens on: the head's matrix is packed once a batch. */
enum { full = 8192 };

/* Sentences of one language with masks. Buffers grow and are freed at the end only. */
typedef struct {
    int32_t *start, *language;             /* [n_seq (+ 1)] */
    int32_t *id, *pos, *seg, *row, *label; /* [n_tok], the last two [n] */
    int64_t have[7];
    int32_t n_seq, n_tok, n;
} room;

static ig_code grow_buffers(room *r, int64_t n_more, ig_err *err)
{
    int32_t **block[] = {&r->start, &r->language, &r->id, &r->pos, &r->seg, &r->row, &r->label};
    for (int i = 0; i < 7; i++)
        IG_TRY(ig_grow(block[i], &r->have[i], i < 2 ? r->n_seq + 2 : r->n_tok + n_more,
                       sizeof **block[i], "batch", err));
    return IG_ERR_OK;
}

static void free_buffers(room *r)
{
    int32_t *const block[] = {r->start, r->language, r->id, r->pos, r->seg, r->row, r->label};
    for (int i = 0; i < 7; i++)
        ig_free(block[i]);
}

/* Adds [CLS] pieces [SEP]: some of them masked, or of a causal model all but the first predicted,
 * from the state before them. */
static void mask(room *r, const ig_tokens *t, const ig_language *l, int64_t number,
                 const ig_bert_config *c)
{
    const int32_t back = c->causal || c->shifted;
    for (int32_t i = 0; i < t->n + 2; i++) {
        const bool inside = i > 0 && i <= t->n;
        const int32_t at = r->n_tok + i;
        r->pos[at] = l->pos_offset + i;
        r->seg[at] = l->segment;
        r->id[at] = i == 0 ? l->cls : inside ? t->id[i - 1] : l->sep;
        if (c->causal ? i == 0 : !inside || (i + number) % IG_MASKED_EVERY != 0)
            continue;
        r->row[r->n] = at - back;
        r->label[r->n++] = r->id[at];
        if (!c->causal)
            r->id[at] = l->mask;
    }
    r->n_tok += t->n + 2;
    r->start[++r->n_seq] = r->n_tok;
}

static ig_code run_batch(ig_perplexity *p, ig_states *s, room *r, ig_err *err)
{
    const ig_batch b = {.n_seq = r->n_seq,
                        .n_tok = r->n_tok,
                        .seq_start = r->start,
                        .id = r->id,
                        .pos = r->pos,
                        .seg = r->seg,
                        .language = r->language,
                        .target[IG_HEAD_MASKED] = {.n = r->n, .row = r->row, .label = r->label}};
    if (r->n > 0) {
        ig_head_result result;
        IG_TRY(ig_states_predict(&result, s, &b, IG_HEAD_MASKED, err));
        ig_perplexity_add(p, result.nll, result.n);
    }
    r->n_seq = r->n_tok = r->n = 0;
    return IG_ERR_OK;
}

static ig_code add_sentence(ig_perplexity *p, ig_states *s, room *r, const ig_states_sentence *of,
                            ig_err *err)
{
    const ig_tokens *t;
    bool cut;
    IG_TRY(ig_states_tokens(&t, &cut, s, of, err));
    IG_TRY(grow_buffers(r, t->n + 2, err));
    r->language[r->n_seq] = of->language;
    mask(r, t, &ig_states_languages(s)->language[of->language].info, of->number,
         ig_bert_get_config(ig_states_encoder(s)->model));
    return r->n_tok >= full ? run_batch(p, s, r, err) : IG_ERR_OK;
}

ig_code ig_masked_perplexity(double *perplexity, int64_t *n, ig_states *s, int language,
                             const ig_sentence_list *text, ig_err *err)
{
    ig_perplexity p = {0};
    room r = {0};
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < text->n && i < IG_MASKED_SENTENCES && code == IG_ERR_OK; i++) {
        const char *one = ig_sentence(text, i);
        code = add_sentence(&p, s, &r,
                            &(ig_states_sentence){language, i, one, (int64_t)strlen(one)}, err);
    }
    IG_THEN(code, run_batch(&p, s, &r, err));
    *perplexity = ig_perplexity_by_token(&p);
    *n = p.n_token;
    free_buffers(&r);
    return code;
}
