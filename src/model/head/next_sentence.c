/* SPDX-License-Identifier: Apache-2.0
 *
 * Next-sentence prediction from the last layer's state of each sequence's first token; the
 * equations are at ig_next_loss (model/device/exec.h).
 */
#include "model/head/head.h"

enum { POOLER_W, POOLER_B, NEXT_W, NEXT_B, N_PARAM };

static const ig_param_row params[N_PARAM] = {
    [POOLER_W] = {IG_HEAD_MATRIX("bert.pooler.dense.weight", IG_DIM_D, IG_DIM_D)},
    [POOLER_B] = {IG_HEAD_BIAS("bert.pooler.dense.bias", IG_DIM_D)},
    [NEXT_W] = {IG_HEAD_MATRIX("cls.seq_relationship.weight", IG_DIM_LABELS, IG_DIM_D)},
    [NEXT_B] = {IG_HEAD_BIAS("cls.seq_relationship.bias", IG_DIM_LABELS)},
};

static void run_next_sentence(const ig_head_call *h)
{
    const float *weight = h->net->weight;
    ig_next_loss a = {.n = h->t->n,
                      .d = h->net->config->hidden_size,
                      .label = h->t->label,
                      .row = h->t->at,
                      .hidden = h->hidden,
                      .w = weight + h->offset[POOLER_W],
                      .b = weight + h->offset[POOLER_B],
                      .u = weight + h->offset[NEXT_W],
                      .c = weight + h->offset[NEXT_B],
                      .t = h->room,
                      .nll = h->t->nll,
                      .best = h->t->best,
                      .train = h->net->train,
                      .scale = h->scale};
    if (a.train) {
        a.dw = ig_net_grad(h->net, h->grad, h->offset[POOLER_W]);
        a.db = ig_net_grad(h->net, h->grad, h->offset[POOLER_B]);
        a.du = ig_net_grad(h->net, h->grad, h->offset[NEXT_W]);
        a.dc = ig_net_grad(h->net, h->grad, h->offset[NEXT_B]);
        a.dhidden = h->dhidden;
    }
    h->x->run->next_loss(h->x, &a);
}

static int64_t room(const ig_bert_config *c, const ig_head_size *z)
{
    (void)z;
    return c->hidden_size;
}

/* Few rows: computing them with all others in the last block keeps the bits of trainings before
 * heads were a table, and costs little. */
const ig_head ig_head_next_sentence = {.name = "next sentences",
                                       .least_label = 2,
                                       .most_label = 2,
                                       .all_rows = true,
                                       .param = params,
                                       .n_param = N_PARAM,
                                       .room = room,
                                       .run = run_next_sentence};
