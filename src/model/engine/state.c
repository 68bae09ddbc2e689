/* SPDX-License-Identifier: Apache-2.0
 *
 * Lays a worker's buffers out in one block. One function places them, both to count and to assign,
 * so that the two cannot differ.
 */
#include "model/engine/state.h"

#include "base/memory.h"
#include "model/head/head.h"

/* Reserves n words of dropout's decisions. */
static uint16_t *take_words(float *base, int64_t *used, int64_t n)
{
    return (uint16_t *)ig_take(base, used, (n + 1) / 2);
}

static int n_state(const ig_bert_config *c, const ig_state_size *z)
{
    return z->train ? c->num_hidden_layers : 2;
}

/* Output of a LayerNorm; `shared` is the float32 buffer of all of them with bf16_rows. */
static ig_rows take_rows(const ig_state_size *z, int64_t d, float *shared, float *base,
                         int64_t *used)
{
    const int64_t n = (int64_t)z->n_tok * d;
    if (!z->bf16_rows)
        return (ig_rows){ig_take(base, used, n), NULL};
    return (ig_rows){shared, ig_take(base, used, n / 2)};
}

/* Places the arrays of block l; without training all blocks except their outputs share one set. */
static void place_block(ig_block_state *b, const ig_bert_config *c, const ig_state_size *z,
                        float *mid, float *base, int64_t *used)
{
    const int64_t n = z->n_tok, d = c->hidden_size;
    const int64_t f = z->bf16_ffn ? c->intermediate_size / 2 : c->intermediate_size;
    const int64_t attention = z->bf16_attention ? d / 2 : d;
    b->qkv = ig_take(base, used, n * 3 * attention);
    b->ctx = ig_take(base, used, n * attention);
    b->mid = take_rows(z, d, mid, base, used);
    b->up = ig_take(base, used, n * f);
    if (z->train) {
        b->probs = ig_take(base, used, z->probs);
        b->xhat1 = ig_take(base, used, z->bf16_rows ? n * d / 2 : n * d);
        b->rstd1 = ig_take(base, used, n);
        b->slope = ig_take(base, used, n * f);
        b->xhat2 = ig_take(base, used, z->bf16_rows ? n * d / 2 : n * d);
        b->rstd2 = ig_take(base, used, n);
        b->kept1 = take_words(base, used, n * ig_kept_words(d));
        b->kept2 = take_words(base, used, n * ig_kept_words(d));
    }
}

/* Counts the floats of everything; assigns when base is not NULL. */
static int64_t place(ig_state *s, const ig_bert_config *c, const ig_state_size *z, float *base)
{
    const int64_t n = z->n_tok, d = c->hidden_size, f = c->intermediate_size;
    const int64_t wide = 3 * d > f ? 3 * d : f;
    int64_t used = 0;
    float *out = z->bf16_rows ? ig_take(base, &used, n * d) : NULL;
    float *mid = z->bf16_rows ? ig_take(base, &used, n * d) : NULL;
    ig_embedding_state e = {.out = take_rows(z, d, out, base, &used)};
    if (z->train) {
        e.xhat = ig_take(base, &used, z->bf16_rows ? n * d / 2 : n * d);
        e.rstd = ig_take(base, &used, n);
        e.kept = take_words(base, &used, n * ig_kept_words(d));
    }
    if (c->pre_norm)
        e.stream = ig_take(base, &used, n * d);
    ig_block_state b = {0};
    for (int l = 0; l < n_state(c, z); l++) {
        if (z->train || l == 0)
            place_block(&b, c, z, mid, base, &used);
        b.out = take_rows(z, d, out, base, &used);
        if (base != NULL)
            s->layer[l] = b;
    }
    ig_work w = {.head_rows = z->head_rows};
    w.sum = ig_take(base, &used, n * d);
    if (z->train) {
        w.dx = ig_take(base, &used, n * d);
        w.dmid = ig_take(base, &used, n * d);
        w.dsum = ig_take(base, &used, n * d);
        if (c->pre_norm)
            w.dstream = ig_take(base, &used, n * d);
        w.dwide = ig_take(base, &used, n * wide);
    }
    w.head = ig_take(base, &used,
                     ig_heads_room(c, &(ig_head_size){.n_row = z->head_rows,
                                                      .n_tok = z->n_tok,
                                                      .longest = z->longest,
                                                      .train = z->train}));
    used += ig_heads_place(&w, c, n, z->train, base == NULL ? NULL : base + used);
    if (base != NULL) {
        s->work = w;
        s->embedding = e;
    }
    return used;
}

int64_t ig_state_bytes(const ig_bert_config *c, const ig_state_size *size)
{
    ig_state none = {0};
    return place(&none, c, size, NULL) * (int64_t)sizeof(float) +
           ig_shard_view_room(size->n_seq, size->n_tok) * (int64_t)sizeof(int32_t);
}

ig_code ig_state_reserve(ig_state *s, const ig_device *device, const ig_bert_config *c,
                         const ig_state_size *size, ig_err *err)
{
    const ig_state_size *h = &s->size;
    if (s->block != NULL && h->n_tok >= size->n_tok && h->n_seq >= size->n_seq &&
        h->probs >= size->probs && h->longest >= size->longest && h->head_rows >= size->head_rows &&
        h->train == size->train && h->bf16_ffn == size->bf16_ffn &&
        h->bf16_attention == size->bf16_attention && h->bf16_rows == size->bf16_rows)
        return IG_ERR_OK;
    ig_state_free(s);
    const int64_t n_index = ig_shard_view_room(size->n_seq, size->n_tok);
    s->device = device;
    ig_code code = ig_alloc(&s->layer, n_state(c, size), sizeof *s->layer, "activation table", err);
    IG_THEN(code, ig_alloc(&s->index.host, n_index, sizeof *s->index.host, "shard index", err));
    IG_THEN(code,
            device->alloc(&s->index.device, n_index, sizeof *s->index.device, "shard index", err));
    IG_THEN(code, device->alloc(&s->block, place(s, c, size, NULL), sizeof *s->block, "activations",
                                err));
    if (code != IG_ERR_OK) {
        ig_state_free(s);
        return code;
    }
    place(s, c, size, s->block);
    s->size = *size;
    return IG_ERR_OK;
}

void ig_state_free(ig_state *s)
{
    if (s->device == NULL)
        return;
    IG_FREE(s->layer, s->index.host);
    s->device->free(s->index.device);
    s->device->free(s->block);
    *s = (ig_state){0};
}
