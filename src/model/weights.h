/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrices of a model packed for the kernels: once after each update, for both directions.
 */
#ifndef IG_MODEL_WEIGHTS_H
#define IG_MODEL_WEIGHTS_H

#include "model/parts.h"

typedef struct {
    ig_block_weights *layer; /* [L] */
    ig_head_weights head;
    float *block; /* all packed floats */
    void *task;   /* what is packed from where */
    int n_task;
} ig_weights;

/* whole: matrices in one piece (lanes); else in column blocks (team). */
ig_code ig_weights_make(ig_weights *w, const ig_bert *model, const ig_ops *ops, bool whole,
                        ig_err *err);
void ig_weights_free(ig_weights *w);
/* Packs all of them anew. */
void ig_weights_fill(ig_weights *w, const float *weight, const ig_ops *ops, ig_team *team);
/* Bytes of the packed copies. */
int64_t ig_weights_bytes(const ig_bert_config *c, const ig_ops *ops, bool whole);

#endif
