/* SPDX-License-Identifier: Apache-2.0
 *
 * See token_batch.h.
 */
#include "run/measure/token_batch.h"

#include "base/assert.h"
#include "base/memory.h"

int32_t ig_token_batch_open(const ig_token_batch *b)
{
    return b->seq_start == NULL ? 0 : b->n_tok - b->seq_start[b->n_seq];
}

ig_code ig_token_batch_put(ig_token_batch *b, int32_t id, ig_err *err)
{
    const int64_t n = (int64_t)b->n_tok + 1;
    IG_TRY(ig_grow(&b->seq_start, &b->have_seq, (int64_t)b->n_seq + 2, sizeof *b->seq_start,
                   "batch", err));
    IG_TRY(ig_grow(&b->id, &b->have_id, n, sizeof *b->id, "batch", err));
    IG_TRY(ig_grow(&b->pos, &b->have_pos, n, sizeof *b->pos, "batch", err));
    IG_TRY(ig_grow(&b->seg, &b->have_seg, n, sizeof *b->seg, "batch", err));
    b->id[b->n_tok] = id;
    b->pos[b->n_tok] = b->position + ig_token_batch_open(b);
    b->seg[b->n_tok++] = b->segment;
    return IG_ERR_OK;
}

ig_code ig_token_batch_end(ig_token_batch *b, ig_err *err)
{
    if (ig_token_batch_open(b) == 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&b->lang, &b->have_lang, (int64_t)b->n_seq + 1, sizeof *b->lang, "batch", err));
    b->lang[b->n_seq] = b->language;
    b->seq_start[++b->n_seq] = b->n_tok;
    return IG_ERR_OK;
}

ig_code ig_token_batch_encode(ig_token_batch *b, ig_engine *engine, const int *layer, int n_layer,
                              int d, ig_err *err)
{
    IG_ASSERT(ig_token_batch_open(b) == 0 && n_layer <= IG_MEASURE_MAX_LAYER);
    for (int l = 0; l < n_layer; l++)
        IG_TRY(ig_grow(&b->hidden[l], &b->have_hidden[l], (int64_t)b->n_tok * d,
                       sizeof *b->hidden[l], "hidden states", err));
    const ig_batch batch = {.n_seq = b->n_seq,
                            .n_tok = b->n_tok,
                            .seq_start = b->seq_start,
                            .id = b->id,
                            .pos = b->pos,
                            .seg = b->seg,
                            .language = b->lang};
    return b->n_seq == 0 ? IG_ERR_OK
                         : ig_engine_encode(engine, &batch, layer, n_layer, b->hidden, err);
}

void ig_token_batch_clear(ig_token_batch *b)
{
    b->n_seq = b->n_tok = 0;
}

void ig_token_batch_free(ig_token_batch *b)
{
    IG_FREE(b->seq_start, b->lang, b->id, b->pos, b->seg);
    for (int l = 0; l < IG_MEASURE_MAX_LAYER; l++)
        ig_free(b->hidden[l]);
    *b = (ig_token_batch){0};
}
