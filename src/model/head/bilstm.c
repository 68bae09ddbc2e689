/* SPDX-License-Identifier: Apache-2.0
 *
 * Bidirectional LSTMs (Graves & Schmidhuber 2005) as torch.nn.LSTM has them: gates i, f, g, o, two
 * biases, the outputs of both directions side by side, dropout between layers. The input's products
 * of all words are one product a direction; only the state's go step by step (exec_lstm.c).
 */
#include "model/head/bilstm.h"

#include <stddef.h>

/* At this rate of dropout or above, products skip zeros. */
static const float least_dropped = 0.5f;

int32_t ig_bilstm_size(const ig_head_config *h)
{
    return h->lstm_size == 0 ? 200 : h->lstm_size;
}

int64_t ig_bilstm_place(ig_bilstm *w, const ig_bert_config *c, ig_head_kind head, int64_t n,
                        int64_t n_seq, float *base)
{
    const int h = ig_bilstm_size(&c->head[head]);
    int64_t used = 0;
    *w = (ig_bilstm){.n_layer = c->head[head].lstm_layers, .size = h};
    if (w->n_layer == 0)
        return 0;
    for (int l = 0; l < w->n_layer; l++) {
        w->in[l] = l == 0 ? c->hidden_size : 2 * h;
        w->packed[l] = ig_take(base, &used, n * w->in[l]);
        for (int r = 0; r < 2; r++) {
            w->gate[l][r] = ig_take(base, &used, n * 4 * h);
            w->cell[l][r] = ig_take(base, &used, n * h);
            w->slope[l][r] = ig_take(base, &used, n * h);
            w->before[l][r] = ig_take(base, &used, n * h);
        }
    }
    w->out = ig_take(base, &used, n * 2 * h);
    for (int r = 0; r < 2; r++)
        w->dcell[r] = ig_take(base, &used, n * h);
    w->bias = ig_take(base, &used, 4 * h);
    w->order = (int32_t *)(void *)ig_take(base, &used, n);
    w->place = (int32_t *)(void *)ig_take(base, &used, n > n_seq ? n : n_seq);
    w->length = (int32_t *)(void *)ig_take(base, &used, n_seq);
    return used;
}

static ig_lstm direction(const ig_head_call *h, const ig_bilstm *w, int l, int r)
{
    return (ig_lstm){.n_seq = h->t->n_seq,
                     .h = w->size,
                     .length = w->length,
                     .reverse = r == 1,
                     .gate = w->gate[l][r],
                     .cell = w->cell[l][r],
                     .slope = w->slope[l][r],
                     .before = w->before[l][r],
                     .out = w->out + r * w->size,
                     .ld = 2 * w->size,
                     .dcell = w->dcell[r]};
}

/* Number of direction r of layer l's first tensor. */
static int tensors_of(int param, int l, int r)
{
    return param + IG_LSTM_N_PARAM * (2 * l + r);
}

/* Returns whether dropout has made so many zeros of layer l's input that it pays to skip them. */
static bool dropped(const ig_head_call *h, int l)
{
    const ig_head_config *c = &h->net->config->head[h->kind];
    return h->net->train && (l == 0 ? c->dropout : c->inner_dropout) >= least_dropped;
}

void ig_bilstm_forward(const ig_head_call *h, const ig_bilstm *w, int param, const float *x,
                       float *y)
{
    const int n = h->t->n, wide = 4 * w->size;
    const ig_steps steps = {.n_seq = h->t->n_seq,
                            .first = h->t->first,
                            .order = w->order,
                            .place = w->place,
                            .length = w->length};
    h->x->run->steps(h->x, &steps);
    for (int l = 0; l < w->n_layer; l++) {
        h->x->run->gather_rows(h->x, w->packed[l], l == 0 ? x : y, w->order, n, w->in[l]);
        ig_lstm a[2];
        for (int r = 0; r < 2; r++) {
            const int p = tensors_of(param, l, r);
            a[r] = direction(h, w, l, r);
            h->x->run->copy(h->x, w->bias, h->net->weight + h->offset[p + IG_LSTM_INPUT_B], wide);
            h->x->run->add(h->x, w->bias, h->net->weight + h->offset[p + IG_LSTM_STATE_B], wide);
            h->x->run->linear(h->x,
                              &(ig_gemm){.m = n,
                                         .a = w->packed[l],
                                         .lda = w->in[l],
                                         .c = a[r].gate,
                                         .ldc = wide,
                                         .epilogue = IG_EPI_BIAS,
                                         .bias = w->bias,
                                         .sparse = dropped(h, l)},
                              &h->p->forward[p + IG_LSTM_INPUT_W]);
            a[r].w = &h->p->forward[p + IG_LSTM_STATE_W];
        }
        h->x->run->lstm(h->x, a, 2);
        h->x->run->gather_rows(h->x, y, w->out, w->place, n, 2 * w->size);
        if (l + 1 < w->n_layer)
            ig_head_drop(h, y, 2 * w->size, 0, n, 1);
    }
}

/* Computes the gradients of a direction's tensors from that of its gates. */
static void tensors_back(const ig_head_call *h, const ig_bilstm *w, int param, int l, int r)
{
    const int p = tensors_of(param, l, r);
    for (int k = 0; k < 2; k++)
        h->x->run->layer_grad(
            h->x,
            &(ig_layer_grad){
                .dw = ig_net_grad(h->net, h->grad,
                                  h->offset[p + (k == 0 ? IG_LSTM_INPUT_W : IG_LSTM_STATE_W)]),
                .db = ig_net_grad(h->net, h->grad,
                                  h->offset[p + (k == 0 ? IG_LSTM_INPUT_B : IG_LSTM_STATE_B)]),
                .m = 4 * w->size,
                .n = k == 0 ? w->in[l] : w->size,
                .k = h->t->n,
                .dy = w->gate[l][r],
                .ld_dy = 4 * w->size,
                .x = k == 0 ? w->packed[l] : w->before[l][r],
                .sparse = k == 0 && dropped(h, l)});
}

void ig_bilstm_backward(const ig_head_call *h, const ig_bilstm *w, int param, float *dy, float *dx)
{
    const int n = h->t->n;
    for (int l = w->n_layer - 1; l >= 0; l--) {
        h->x->run->gather_rows(h->x, w->out, dy, w->order, n, 2 * w->size);
        ig_lstm a[2];
        for (int r = 0; r < 2; r++) {
            a[r] = direction(h, w, l, r);
            a[r].w = &h->p->backward[tensors_of(param, l, r) + IG_LSTM_STATE_W];
        }
        h->x->run->lstm_grad(h->x, a, 2);
        for (int r = 0; r < 2; r++)
            tensors_back(h, w, param, l, r);
        if (l == 0 && dx == NULL)
            return;
        for (int r = 0; r < 2; r++)
            h->x->run->linear(h->x,
                              &(ig_gemm){.m = n,
                                         .a = w->gate[l][r],
                                         .lda = 4 * w->size,
                                         .c = w->packed[l],
                                         .ldc = w->in[l],
                                         .accumulate = r == 1},
                              &h->p->backward[tensors_of(param, l, r) + IG_LSTM_INPUT_W]);
        h->x->run->gather_rows(h->x, l == 0 ? dx : dy, w->packed[l], w->place, n, w->in[l]);
        if (l > 0)
            ig_head_drop(h, dy, 2 * w->size, 0, n, 1);
    }
}
