/* SPDX-License-Identifier: Apache-2.0
 *
 * Next-sentence prediction (Devlin et al. 2019, §3.1; Hugging Face's BertForPreTraining): from the
 * last layer's state h of a sequence's first token, t = tanh(W h + b), logits u t + c, loss −log
 * softmax(logits)[label]. One token a sequence: plain loops, one sequence after another.
 */
#include "model/parts.h"

#include <math.h>
#include <stddef.h>

/* t = tanh(W h + b), and the two logits. */
static void forward(const ig_net *net, const ig_bert_offsets *o, const float *h, float *t,
                    double logit[2])
{
    const int64_t d = net->config->hidden_size;
    const float *w = net->weight + o->pooler_w, *b = net->weight + o->pooler_b;
    const float *u = net->weight + o->next_w, *c = net->weight + o->next_b;
    for (int64_t r = 0; r < d; r++) {
        double z = (double)b[r];
        for (int64_t i = 0; i < d; i++)
            z += (double)(w[r * d + i] * h[i]);
        t[r] = (float)tanh(z);
    }
    for (int64_t k = 0; k < 2; k++) {
        logit[k] = (double)c[k];
        for (int64_t i = 0; i < d; i++)
            logit[k] += (double)(u[k * d + i] * t[i]);
    }
}

/* Adds the gradient of parameters to `grad`, that of h to dh; slope[k]: of the loss by logit k. */
static void backward(const ig_net *net, const ig_bert_offsets *o, const float *h, const float *t,
                     const float slope[2], float *grad, float *dh)
{
    const int64_t d = net->config->hidden_size;
    const float *w = net->weight + o->pooler_w, *u = net->weight + o->next_w;
    float *dw = grad + o->pooler_w, *db = grad + o->pooler_b;
    float *du = grad + o->next_w, *dc = grad + o->next_b;
    for (int64_t k = 0; k < 2; k++) {
        dc[k] += slope[k];
        for (int64_t i = 0; i < d; i++)
            du[k * d + i] += slope[k] * t[i];
    }
    for (int64_t r = 0; r < d; r++) {
        const float dz = (slope[0] * u[r] + slope[1] * u[d + r]) * (1 - t[r] * t[r]);
        db[r] += dz;
        for (int64_t i = 0; i < d; i++) {
            dw[r * d + i] += dz * h[i];
            dh[i] += dz * w[r * d + i];
        }
    }
}

void ig_next_run(const ig_net *net, const ig_bert_offsets *o, const ig_shard_view *s,
                 const ig_work *w, const float *hidden, float *grad)
{
    const int64_t d = net->config->hidden_size;
    for (int q = 0; s->next != NULL && q < s->n_seq; q++) {
        const int label = s->next[q];
        const int64_t row = s->seq_start[q];
        double logit[2];
        if (label < 0)
            continue;
        forward(net, o, hidden + row * d, w->u, logit);
        const double gap = logit[1 - label] - logit[label]; /* the loss is log(1 + exp(gap)) */
        s->next_nll[q] = gap > 0 ? gap + log1p(exp(-gap)) : log1p(exp(gap));
        s->next_best[q] = logit[1] > logit[0];
        if (!net->train)
            continue;
        const float slope = (float)((double)net->pass.next_scale / (1 + exp(-gap)));
        const float both[2] = {label == 0 ? -slope : slope, label == 0 ? slope : -slope};
        backward(net, o, hidden + row * d, w->u, both, grad, w->dx + row * d);
    }
}
