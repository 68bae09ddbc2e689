/* SPDX-License-Identifier: Apache-2.0
 *
 * Next-sentence prediction from the last layer's state of each sequence's first token; what is
 * computed is at ig_next_loss (model/exec.h).
 */
#include "model/parts.h"

#include <stddef.h>

void ig_next_run(const ig_exec *x, const ig_net *net, const ig_bert_offsets *o,
                 const ig_shard_view *s, const ig_work *w, const float *hidden, float *grad)
{
    const float *weight = net->weight;
    ig_next_loss a = {.n_seq = s->n_seq,
                      .d = net->config->hidden_size,
                      .label = s->next,
                      .row = s->seq_start,
                      .hidden = hidden,
                      .t = w->u,
                      .nll = s->next_nll,
                      .best = s->next_best,
                      .scale = net->pass.next_scale};
    if (s->next == NULL)
        return;
    a.w = weight + o->pooler_w;
    a.b = weight + o->pooler_b;
    a.u = weight + o->next_w;
    a.c = weight + o->next_b;
    if (net->train) {
        a.dw = grad + o->pooler_w;
        a.db = grad + o->pooler_b;
        a.du = grad + o->next_w;
        a.dc = grad + o->next_b;
        a.dhidden = w->dx;
    }
    x->run->next_loss(x, &a);
}
