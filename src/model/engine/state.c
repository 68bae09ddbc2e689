/* SPDX-License-Identifier: Apache-2.0
 *
 * Lays a worker's buffers out in one block. One function places them, both to count and to assign,
 * so that the two cannot differ.
 */
#include "model/engine/state.h"

#include "base/memory.h"
#include "model/block/block.h"
#include "model/head/head.h"

static int blocks_kept(const ig_bert_config *c, const ig_state_size *z)
{
    return z->train ? c->num_hidden_layers : 2;
}

/* The most outputs of a block's products. */
static int widest(const ig_bert_config *c)
{
    int most = 0;
    for (int i = 0, n_out, n_in; i < ig_param_table_of(c, IG_OF_BLOCK).n; i++)
        if (ig_param_product(c, IG_OF_BLOCK, i, &n_out, &n_in) && n_out > most)
            most = n_out;
    return most;
}

/* Counts the floats of everything; assigns when base is not NULL. Without training all blocks
 * except their outputs share one room. */
static int64_t place(ig_state *s, const ig_bert_config *c, const ig_state_size *z, float *base)
{
    const int64_t n = z->n_tok, d = c->hidden_size;
    const ig_block *block = ig_blocks[c->block];
    int64_t used = 0;
    float *shared = z->bf16.rows ? ig_take(base, &used, n * d) : NULL;
    ig_work w = {.head_rows = z->head_rows};
    if (z->bf16.rows)
        w.shared = ig_take(base, &used, n * d);
    ig_layer_state layer = {.hidden = ig_take_norm(z, d, shared, base, &used)};
    float *stream = block->stream ? ig_take(base, &used, n * d) : NULL;
    for (int l = 0; l <= blocks_kept(c, z); l++) {
        if (l == 1 || (z->train && l > 0))
            layer.room = ig_take(base, &used, block->room(c, z));
        if (l > 0)
            layer.hidden = ig_take_norm(z, d, shared, base, &used);
        if (base != NULL)
            s->layer[l] = layer;
    }
    w.sum = ig_take(base, &used, n * d);
    w.narrow = ig_bert_is_projected(c) ? ig_take(base, &used, n * ig_bert_embedding(c)) : NULL;
    w.attention = z->room ? ig_take(base, &used, z->probs) : NULL;
    if (z->train) {
        w.dx = ig_take(base, &used, n * d);
        w.dmid = ig_take(base, &used, n * d);
        w.dsum = ig_take(base, &used, n * d);
        if (block->stream)
            w.dstream = ig_take(base, &used, n * d);
        w.dwide = ig_take(base, &used, n * widest(c));
    }
    w.head = ig_take(base, &used,
                     ig_heads_room(c, &(ig_head_size){.n_row = z->head_rows,
                                                      .n_tok = z->n_tok,
                                                      .longest = z->longest,
                                                      .train = z->train}));
    used += ig_heads_place(&w, c, n, z->train, base == NULL ? NULL : base + used);
    if (base != NULL) {
        s->work = w;
        s->stream = stream;
        s->n_block = blocks_kept(c, z);
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
        h->train == size->train) /* bf16 is the engine's, once and for all */
        return IG_ERR_OK;
    ig_state_free(s);
    const int64_t n_index = ig_shard_view_room(size->n_seq, size->n_tok);
    s->device = device;
    ig_code code =
        ig_alloc(&s->layer, 1 + blocks_kept(c, size), sizeof *s->layer, "activation table", err);
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
