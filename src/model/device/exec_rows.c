/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the ops that the calling thread runs alone, in a lane or not.
 */
#include "model/device/exec_parts.h"

#include <math.h>
#include <string.h>

void ig_rows_embed_grad(const ig_exec *x, const ig_embed_grad *a)
{
    x->ops->embed_grad(a);
}

void ig_rows_gather(const ig_exec *x, float *out, const float *v, const int32_t *row, int n, int d)
{
    x->ops->gather_rows(out, v, row, n, d);
}

void ig_rows_scatter_add(const ig_exec *x, float *v, const float *rows, const int32_t *row, int n,
                         int d)
{
    x->ops->scatter_add_rows(v, rows, row, n, d);
}

void ig_rows_keep(const ig_exec *x, float *v, const int32_t *kept, int n, int d)
{
    (void)x;
    for (int64_t i = 0; i < n; i++)
        if (kept[i] != i)
            memcpy(v + i * d, v + (int64_t)kept[i] * d, (size_t)d * sizeof *v);
}

void ig_rows_spread(const ig_exec *x, float *v, const int32_t *kept, int n, int d, int n_row)
{
    int64_t end = n_row;
    (void)x;
    for (int64_t i = n - 1; i >= 0; i--) {
        const int64_t r = kept[i];
        memset(v + (r + 1) * d, 0, (size_t)((end - r - 1) * d) * sizeof *v);
        if (r != i)
            memcpy(v + r * d, v + i * d, (size_t)d * sizeof *v);
        end = r;
    }
    memset(v, 0, (size_t)(end * d) * sizeof *v);
}

void ig_rows_multiply(const ig_exec *x, float *v, const float *by, int64_t n)
{
    (void)x;
    for (int64_t i = 0; i < n; i++)
        v[i] *= by[i];
}

void ig_rows_shift(const ig_exec *x, float *v, const float *by, int n, int d)
{
    (void)x;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < d; c++)
            v[i * d + c] += by[c];
}

/* Rounds as the kernels do: to nearest, ties to even; below 2⁻¹²⁶ to 0. */
static uint32_t half_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if ((bits >> 23 & 0xff) == 0)
        return bits >> 31 << 15;
    if ((bits & 0x7fffffff) > 0x7f800000)
        return bits >> 16 | 0x40; /* not a number */
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

void ig_rows_to_bf16(const ig_exec *x, float *out, const float *v, int64_t n)
{
    (void)x;
    for (int64_t i = 0; i < n / 2; i++) {
        const uint32_t both = half_of(v[2 * i]) | half_of(v[2 * i + 1]) << 16;
        memcpy(out + i, &both, sizeof both);
    }
}

void ig_rows_add(const ig_exec *x, float *v, const float *by, int64_t n)
{
    x->ops->add(v, by, n);
}

void ig_rows_relu(const ig_exec *x, float *v, int64_t n)
{
    (void)x;
    for (int64_t i = 0; i < n; i++)
        v[i] = v[i] < 0 ? 0 : v[i]; /* NaN is not hidden */
}

void ig_rows_tanh(const ig_exec *x, float *v, int64_t n)
{
    (void)x;
    for (int64_t i = 0; i < n; i++)
        v[i] = tanhf(v[i]);
}

void ig_rows_tanh_grad(const ig_exec *x, float *dv, const float *t, int64_t n)
{
    (void)x;
    for (int64_t i = 0; i < n; i++)
        dv[i] *= 1 - t[i] * t[i];
}

/* softmax(weight)_l. */
static double share_of(const ig_mix *a, int l)
{
    double most = (double)a->weight[0], sum = 0;
    for (int i = 1; i < a->n_layer; i++)
        most = fmax(most, (double)a->weight[i]);
    for (int i = 0; i < a->n_layer; i++)
        sum += exp((double)a->weight[i] - most);
    return exp((double)a->weight[l] - most) / sum;
}

void ig_rows_mix(const ig_exec *x, const ig_mix *a)
{
    (void)x;
    for (int64_t i = 0; i < a->n; i++)
        a->out[i] = 0;
    for (int l = 0; l < a->n_layer; l++) {
        const float f = (float)((double)a->gamma[0] * share_of(a, l));
        for (int64_t i = 0; i < a->n; i++)
            a->out[i] += f * a->layers[l * a->n + i];
    }
}

void ig_rows_mix_grad(const ig_exec *x, const ig_mix *a)
{
    double mean = 0;
    (void)x;
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < a->n_layer; l++) {
            const double share = share_of(a, l);
            double dot = 0;
            for (int64_t i = 0; i < a->n; i++)
                dot += (double)a->dout[i] * (double)a->layers[l * a->n + i];
            if (pass == 0)
                mean += share * dot;
            else if (a->dweight != NULL)
                a->dweight[l] += (float)((double)a->gamma[0] * share * (dot - mean));
        }
    if (a->dgamma != NULL)
        a->dgamma[0] += (float)mean;
}

void ig_rows_mix_share(const ig_exec *x, const ig_mix *a, int layer)
{
    const float f = (float)((double)a->gamma[0] * share_of(a, layer));
    (void)x;
    for (int64_t i = 0; i < a->n; i++)
        a->out[i] = f * a->dout[i];
}

void ig_rows_copy(const ig_exec *x, float *to, const float *from, int64_t n)
{
    (void)x;
    memcpy(to, from, (size_t)n * sizeof *to);
}

void ig_rows_zero(const ig_exec *x, float *v, int64_t n)
{
    (void)x;
    memset(v, 0, (size_t)n * sizeof *v);
}

/* t = tanh(W h + b), and the two logits of next-sentence prediction. */
static void next_forward(const ig_next_loss *a, const float *h, double logit[2])
{
    const int64_t d = a->d;
    for (int64_t r = 0; r < d; r++) {
        double z = (double)a->b[r];
        for (int64_t i = 0; i < d; i++)
            z += (double)(a->w[r * d + i] * h[i]);
        a->t[r] = (float)tanh(z);
    }
    for (int64_t k = 0; k < 2; k++) {
        logit[k] = (double)a->c[k];
        for (int64_t i = 0; i < d; i++)
            logit[k] += (double)(a->u[k * d + i] * a->t[i]);
    }
}

/* Adds the gradient of parameters, and that of h to dh; slope[k]: of the loss by logit k. */
static void next_backward(const ig_next_loss *a, const float *h, const float slope[2], float *dh)
{
    const int64_t d = a->d;
    const float *w = a->w, *u = a->u, *t = a->t;
    for (int64_t k = 0; k < 2; k++) {
        if (a->dc != NULL)
            a->dc[k] += slope[k];
        for (int64_t i = 0; i < d && a->du != NULL; i++)
            a->du[k * d + i] += slope[k] * t[i];
    }
    for (int64_t r = 0; r < d; r++) {
        const float dz = (slope[0] * u[r] + slope[1] * u[d + r]) * (1 - t[r] * t[r]);
        if (a->db != NULL)
            a->db[r] += dz;
        for (int64_t i = 0; i < d && a->dw != NULL; i++)
            a->dw[r * d + i] += dz * h[i];
        for (int64_t i = 0; i < d && dh != NULL; i++)
            dh[i] += dz * w[r * d + i];
    }
}

void ig_rows_next_loss(const ig_exec *x, const ig_next_loss *a)
{
    (void)x;
    for (int q = 0; q < a->n; q++) {
        const int label = a->label[q];
        const int64_t at = (a->row == NULL ? q : (int64_t)a->row[q]) * a->d;
        double logit[2];
        next_forward(a, a->hidden + at, logit);
        const double gap = logit[1 - label] - logit[label]; /* the loss is log(1 + exp(gap)) */
        a->nll[q] = gap > 0 ? gap + log1p(exp(-gap)) : log1p(exp(gap));
        a->best[q] = logit[1] > logit[0];
        if (!a->train)
            continue;
        const float slope = (float)((double)a->scale / (1 + exp(-gap)));
        const float both[2] = {label == 0 ? -slope : slope, label == 0 ? slope : -slope};
        next_backward(a, a->hidden + at, both, a->dhidden == NULL ? NULL : a->dhidden + at);
    }
}
