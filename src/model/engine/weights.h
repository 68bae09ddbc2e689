/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrices of a model as operands of products, in both directions; packed for the kernels once
 * after each update where shards run in lanes, and once for inference where a large model has
 * copies.
 */
#pragma once

#include "model/device/device.h"
#include "model/engine/parts.h"

typedef struct {
    ig_products *layer;      /* [L], then those of further languages */
    int *layer_of;           /* [languages][L] index in `layer` */
    ig_products *head;       /* [languages][IG_N_HEAD]; those of language 0 may be for all */
    int *head_of;            /* [languages] index in `head` */
    ig_weight project;       /* of the embeddings, where their size is another */
    const ig_device *device; /* the model's */
    float *block;            /* all packed floats, on the device; NULL: packed at each use */
    ig_weight **weight;      /* [n_weight] all of them … */
    int64_t *from;           /* … and the offset of each in the model's block */
    int n_weight;
} ig_weights;

/* Of which matrices packed copies are kept; the others are packed when they are used. */
typedef enum {
    IG_PACK_NOTHING,
    IG_PACK_BLOCKS, /* of blocks, of their forward pass */
    IG_PACK_ALL
} ig_packing;

ig_code ig_weights_make(ig_weights *w, const ig_bert *model, const ig_ops *ops, ig_packing packing,
                        ig_err *err);
void ig_weights_free(ig_weights *w);
/* Must be called when the weights have changed or moved: packs the copies again. x NULL: not yet,
 * as nothing that reads them follows. */
void ig_weights_fill(ig_weights *w, const float *block, const ig_exec *x);
/* Bytes of the packed copies. */
int64_t ig_weights_bytes(const ig_bert_config *c, const ig_ops *ops, ig_packing packing);
/* Those of blocks that a large model keeps to infer; 0: none, as they would take too much memory or
 * a head has an LSTM. */
int64_t ig_weights_to_infer(const ig_bert_config *c, const ig_ops *ops);
/* Floats of the largest operand that is packed for a product over the team on n_tok tokens. */
int64_t ig_weights_room(const ig_bert_config *c, const ig_ops *ops, int64_t n_tok);
