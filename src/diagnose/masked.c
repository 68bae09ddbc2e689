/* SPDX-License-Identifier: Apache-2.0
 *
 * See masked.h. A sentence is a batch of its own, so memory does not grow with the text.
 */
#include "diagnose/masked.h"

#include "base/memory.h"
#include "measure/perplexity.h"

#include <math.h>
#include <string.h>

typedef struct {
    int32_t *id, *pos, *seg, *row, *label; /* [longest] */
    int64_t have[5];
} room;

static ig_code make_room(room *r, int64_t n, ig_err *err)
{
    int32_t **block[] = {&r->id, &r->pos, &r->seg, &r->row, &r->label};
    for (int i = 0; i < 5; i++)
        IG_TRY(ig_grow(block[i], &r->have[i], n, sizeof **block[i], "batch", err));
    return IG_ERR_OK;
}

/* [CLS] pieces [SEP], some of them masked; returns how many. */
static int32_t mask(room *r, const ig_tokens *t, const ig_language *l, int64_t number)
{
    int32_t n = 0;
    for (int32_t i = 0; i < t->n + 2; i++) {
        const bool inside = i > 0 && i <= t->n;
        r->pos[i] = l->pos_offset + i;
        r->seg[i] = l->segment;
        r->id[i] = i == 0 ? l->cls : inside ? t->id[i - 1] : l->sep;
        if (!inside || (i + number) % IG_MASKED_EVERY != 0)
            continue;
        r->row[n] = i;
        r->label[n++] = r->id[i];
        r->id[i] = l->mask;
    }
    return n;
}

static ig_code add_sentence(ig_perplexity *p, ig_states *s, room *r, int language, int64_t number,
                            const char *text, ig_err *err)
{
    const ig_tokens *t;
    bool cut;
    IG_TRY(ig_states_tokens(&t, &cut, s, language, number, text, (int64_t)strlen(text), err));
    IG_TRY(make_room(r, t->n + 2, err));
    const int32_t n = mask(r, t, &ig_states_languages(s)->language[language].info, number),
                  start[] = {0, t->n + 2}, of[] = {language};
    if (n == 0)
        return IG_ERR_OK;
    const ig_batch b = {.n_seq = 1,
                        .n_tok = t->n + 2,
                        .seq_start = start,
                        .id = r->id,
                        .pos = r->pos,
                        .seg = r->seg,
                        .language = of,
                        .target[IG_HEAD_MASKED] = {.n = n, .row = r->row, .label = r->label}};
    IG_TRY(ig_engine_predict(ig_states_engine(s), &b, err));
    const ig_head_result result = ig_engine_result(ig_states_engine(s), IG_HEAD_MASKED);
    ig_perplexity_add(p, result.nll, result.n);
    return IG_ERR_OK;
}

ig_code ig_masked_perplexity(double *perplexity, int64_t *n, ig_states *s, int language,
                             const ig_sentences *text, ig_err *err)
{
    ig_perplexity p = {0};
    room r = {0};
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < text->n && i < IG_MASKED_SENTENCES && code == IG_ERR_OK; i++)
        code = add_sentence(&p, s, &r, language, i, ig_sentence(text, i), err);
    *perplexity = ig_perplexity_by_token(&p);
    *n = p.n_token;
    ig_free(r.id);
    ig_free(r.pos);
    ig_free(r.seg);
    ig_free(r.row);
    ig_free(r.label);
    return code;
}
