/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls the ops of dense layers and LayerNorms with the parameters of a block or a head.
 */
#include "model/engine/parts.h"

#include "model/block/block.h"

#include <stddef.h>

void ig_dense_forward(const ig_tensors *k, const ig_dense *l)
{
    ig_gemm g = {.m = l->m,
                 .a = l->x.x,
                 .lda = l->x.ld,
                 .c = l->y.x,
                 .ldc = l->y.ld,
                 .epilogue = l->epilogue,
                 .aux = l->aux.x,
                 .ld_aux = l->aux.ld,
                 .bf16 = (l->x.bf16 ? IG_BF16_A : 0) | (l->y.bf16 ? IG_BF16_C : 0) |
                         (l->aux.bf16 ? IG_BF16_AUX : 0)};
    if (l->bias >= 0 && k->offset[l->bias] >= 0) {
        g.bias = k->net->weight + k->offset[l->bias];
        g.epilogue = l->epilogue != IG_EPI_NONE ? l->epilogue : IG_EPI_BIAS;
    }
    k->x->run->linear(k->x, &g, &k->p->forward[l->w]);
}

/* The gradient of n tensors that follow each other: NULL where all of them are frozen. */
static float *joined_grad(const ig_tensors *k, int first, int n)
{
    for (int i = first; i == first || i < first + n; i++)
        if (ig_net_grad(k->net, k->grad, k->offset[i]) != NULL)
            return k->grad + k->offset[first];
    return NULL;
}

void ig_dense_grad(const ig_tensors *k, const ig_dense *l, bool once)
{
    const ig_weight *w = &k->p->forward[l->w];
    k->x->run->layer_grad(
        k->x, &(ig_layer_grad){.dw = joined_grad(k, l->w, l->joined),
                               .db = l->bias >= 0 ? joined_grad(k, l->bias, l->joined) : NULL,
                               .m = w->n,
                               .n = w->k,
                               .k = l->m,
                               .dy = l->y.x,
                               .ld_dy = l->y.ld,
                               .x = l->x.x,
                               .bf16 = (l->y.bf16 ? IG_BF16_A : 0) | (l->x.bf16 ? IG_BF16_B : 0),
                               .once = once});
}

void ig_dense_back(const ig_tensors *k, const ig_dense *l, ig_matrix dx, ig_matrix aux, bool add)
{
    k->x->run->linear(k->x,
                      &(ig_gemm){.m = l->m,
                                 .a = l->y.x,
                                 .lda = l->y.ld,
                                 .c = dx.x,
                                 .ldc = dx.ld,
                                 .accumulate = add,
                                 .epilogue = aux.x != NULL ? IG_EPI_MUL : IG_EPI_NONE,
                                 .aux = aux.x,
                                 .ld_aux = aux.ld,
                                 .bf16 = (l->y.bf16 ? IG_BF16_A : 0) | (dx.bf16 ? IG_BF16_C : 0) |
                                         (aux.bf16 ? IG_BF16_AUX : 0)},
                      &k->p->backward[l->w]);
}

ig_norm ig_net_norm(const ig_net *net, ig_norm_place at, int n, const float *x,
                    const ig_norm_state *to)
{
    return (ig_norm){.n_row = n,
                     .d = net->config->hidden_size,
                     .x = x,
                     .gamma = net->weight + at.w,
                     .beta = ig_net_weight(net, at.b),
                     .rms = ig_blocks[net->config->block]->rms,
                     .eps = net->config->layer_norm_eps,
                     .out = to->out.x,
                     .bf16 = to->out.bf16,
                     .xhat = to->xhat,
                     .bf16_xhat = to->out.bf16 != NULL,
                     .rstd = to->rstd,
                     .kept = to->kept};
}

ig_norm_grad ig_net_norm_grad(const ig_net *net, ig_norm_place at, int n, const float *dout,
                              const ig_norm_state *from, float *grad)
{
    return (ig_norm_grad){.n_row = n,
                          .d = net->config->hidden_size,
                          .dout = dout,
                          .xhat = from->xhat,
                          .bf16_xhat = from->out.bf16 != NULL,
                          .rstd = from->rstd,
                          .kept = from->kept,
                          .gamma = net->weight + at.w,
                          .dgamma = ig_net_grad(net, grad, at.w),
                          .dbeta = ig_net_grad(net, grad, at.b)};
}

ig_norm_state ig_take_norm(const ig_state_size *z, int64_t d, float *shared, float *base,
                           int64_t *used)
{
    const int64_t n = (int64_t)z->n_tok * d;
    const bool bf16 = z->bf16.rows;
    ig_norm_state s = {.out.x = bf16 ? shared : ig_take(base, used, n)};
    if (bf16)
        s.out.bf16 = ig_take(base, used, n / 2);
    if (z->train) {
        s.xhat = ig_take(base, used, bf16 ? n / 2 : n);
        s.rstd = ig_take(base, used, z->n_tok);
        s.kept = (uint16_t *)ig_take(base, used, (z->n_tok * ig_kept_words(d) + 1) / 2);
    }
    return s;
}
