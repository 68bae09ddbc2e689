/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which tensors are frozen, and the block at which the backward pass ends then.
 */
#include "base/memory.h"
#include "base/order.h"
#include "model/engine/frozen.h"

#include <stdlib.h>
#include <string.h>

/* Whether any of the tensors that the model has (not −1) is trained. */
static bool trains(const ig_frozen *f, const int64_t *offset, int n)
{
    for (int i = 0; i < n; i++)
        if (offset[i] >= 0 && !ig_frozen_at(f, offset[i]))
            return true;
    return false;
}

static int floor_of(const ig_frozen *f, const ig_bert *model, int language)
{
    const ig_bert_config *c = ig_bert_get_config(model);
    const int64_t dd = (int64_t)c->hidden_size * c->hidden_size;
    const ig_bert_offsets e = ig_bert_get_offsets(model, language);
    const int64_t embedding[] = {e.word, e.position, e.segment}, norm[] = {e.norm_w, e.norm_b};
    if (trains(f, embedding, 3) || (!c->pre_norm && trains(f, norm, 2)))
        return -1;
    for (int l = 0; l < c->num_hidden_layers; l++) {
        const ig_bert_layer_offsets o = ig_bert_get_layer_offsets(model, language, l);
        const int64_t first[] = {o.norm1_w, o.norm1_b};
        const int64_t all[] = {o.qkv_w,
                               o.qkv_w + dd,
                               o.qkv_w + 2 * dd,
                               o.qkv_b,
                               o.qkv_b + c->hidden_size,
                               o.qkv_b + 2 * c->hidden_size,
                               o.distance,
                               o.o_w,
                               o.o_b,
                               o.up_w,
                               o.up_b,
                               o.down_w,
                               o.down_b,
                               o.norm2_w,
                               o.norm2_b};
        /* Pre-LN computes a block's first LayerNorm with the block before it. */
        if (trains(f, first, 2))
            return c->pre_norm ? l - 1 : l;
        if (trains(f, all, (int)(sizeof all / sizeof *all)))
            return l;
    }
    return c->num_hidden_layers - (c->pre_norm && trains(f, norm, 2) ? 1 : 0);
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
        f->floor[k] = any ? floor_of(f, model, k) : -1;
    return IG_ERR_OK;
}
