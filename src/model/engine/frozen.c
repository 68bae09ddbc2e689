/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which tensors are frozen, and the block at which the backward pass ends then.
 */
#include "model/engine/frozen.h"

#include "base/memory.h"
#include "model/block/block.h"

#include <string.h>

void ig_frozen_free(ig_frozen *f)
{
    IG_FREE(f->from, f->floor, f->said);
    *f = (ig_frozen){0};
}

/* Returns whether any of the tensors that the model has (not −1) is trained. */
static bool trains(const ig_frozen *f, const int64_t *offset, int n)
{
    for (int i = 0; i < n; i++)
        if (offset[i] >= 0 && !ig_frozen_at(f, offset[i]))
            return true;
    return false;
}

/* The LayerNorm of a hidden state is computed with the block before. */
static int floor_of(const ig_frozen *f, const ig_bert *model, const ig_bert_layer_offsets *layers,
                    int language)
{
    const ig_bert_config *c = ig_bert_get_config(model);
    const ig_block *block = ig_blocks[c->block];
    const ig_bert_offsets o = ig_bert_get_offsets(model, language);
    const int64_t embedding[] = {o.word, o.position, o.segment};
    if (trains(f, embedding, 3))
        return -1;
    for (int l = 0; l <= c->num_hidden_layers; l++) {
        const ig_norm_place norm = block->norm(&o, layers, l, c->num_hidden_layers);
        if (trains(f, &norm.w, 1) || trains(f, &norm.b, 1))
            return l - 1;
        if (l < c->num_hidden_layers && trains(f, layers[l].at, block->n_param))
            return l;
    }
    return c->num_hidden_layers;
}

ig_code ig_frozen_set(ig_frozen *f, const ig_bert *model, const bool *frozen, ig_err *err)
{
    const int n = ig_bert_n_param(model);
    const int n_language = ig_bert_n_language(ig_bert_get_config(model));
    bool any = false;
    if (f->said != NULL && memcmp(f->said, frozen, (size_t)n * sizeof *frozen) == 0)
        return IG_ERR_OK;
    if (f->said == NULL) {
        IG_TRY(ig_alloc(&f->said, n, sizeof *f->said, "frozen tensors", err));
        IG_TRY(ig_alloc(&f->from, n, sizeof *f->from, "frozen tensors", err));
        IG_TRY(ig_alloc(&f->floor, n_language, sizeof *f->floor, "frozen tensors", err));
    }
    memcpy(f->said, frozen, (size_t)n * sizeof *frozen);
    f->n = 0;
    for (int i = 0; i < n; i++) {
        any |= frozen[i] && !ig_bert_params(model)[i].frozen;
        if (frozen[i])
            f->from[f->n++] = ig_bert_params(model)[i].offset;
    }
    if (!any) /* tensors that the model itself fixes have no products */
        f->n = 0;
    qsort(f->from, (size_t)f->n, sizeof *f->from, ig_by_int64);
    for (int k = 0; k < n_language; k++)
        f->floor[k] = any ? floor_of(f, model, ig_bert_get_layer_offsets(model, k), k) : -1;
    return IG_ERR_OK;
}
