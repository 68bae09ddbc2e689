/* SPDX-License-Identifier: Apache-2.0
 *
 * ModernBERT's block (Warner et al. 2024, §2.1) a second time, in double; bert_in_double.h includes
 * it after what the two have in common.
 */
#pragma once

/* Column i of either half of a head is a pair, which turns by pos · theta^(−2i/dh). */
static inline void twin_rotate_halves(double *v, int d, int dh, int pos, double theta)
{
    for (int head = 0; head < d; head += dh)
        for (int i = 0; i < dh / 2; i++) {
            const double angle = pos * pow(theta, -2.0 * i / dh);
            double *x = v + head + i, *y = x + dh / 2, old = *x;
            *x = old * cos(angle) - *y * sin(angle);
            *y = old * sin(angle) + *y * cos(angle);
        }
}

/* ctx [n, D] of queries, keys and values [n, 3D], rotated. */
static inline void twin_modern_attention(const twin *t, int l, const double *qkv, double *ctx,
                                         int n, uint32_t row0)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size, heads = c->num_attention_heads, dh = d / heads;
    const bool local = (c->local[l / 64] >> l % 64 & 1) != 0;
    double *a = calloc((size_t)n, sizeof *a);
    assert_non_null(a);
    for (int i = 0; i < n; i++)
        for (int h = 0; h < heads; h++) {
            const uint32_t row = (row0 + (uint32_t)i) * (uint32_t)heads + (uint32_t)h;
            double total = 0;
            for (int j = 0; j < n; j++) {
                a[j] = 0;
                for (int e = 0; e < dh; e++)
                    a[j] += qkv[i * 3 * d + h * dh + e] * qkv[j * 3 * d + d + h * dh + e];
                a[j] = local && abs(i - j) > c->local_window ? 0 : exp(a[j] / sqrt(dh));
                total += a[j];
            }
            for (int j = 0; j < n; j++) {
                const double p = twin_drop(t, (double)c->attention_probs_dropout_prob,
                                           3 * (uint32_t)l + 1, row, (uint32_t)j, a[j] / total);
                for (int e = 0; e < dh; e++)
                    ctx[i * d + h * dh + e] += p * qkv[j * 3 * d + 2 * d + h * dh + e];
            }
        }
    free(a);
}

/* As twin_block. */
static inline void twin_modern_block(const twin *t, int l, double *x, int n, uint32_t row0,
                                     const int32_t *pos, bool causal)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size, f = c->intermediate_size, dh = d / c->num_attention_heads;
    const double p = (double)c->hidden_dropout_prob,
                 theta = c->rope_theta[c->local[l / 64] >> l % 64 & 1];
    double *qkv = calloc((size_t)(n * 4 * d + 2 * d + 2 * f), sizeof *qkv), *ctx = qkv + 3 * n * d,
           *in = ctx + n * d, *s = in + d, *up = s + d;
    assert_true(qkv != NULL && !causal);
    for (int i = 0; i < n; i++) {
        memcpy(in, x + i * d, (size_t)d * sizeof *in);
        if (l > 0)
            twin_named_norm(t, l, "attn_norm", in);
        twin_linear(qkv + 3 * i * d, in, twin_at(t, l, "attn.Wqkv.weight"),
                    twin_at(t, l, "attn.Wqkv.bias"), 3 * d, d);
        twin_rotate_halves(qkv + 3 * i * d, 2 * d, dh, pos[i], theta);
    }
    twin_modern_attention(t, l, qkv, ctx, n, row0);
    for (int i = 0; i < n; i++) {
        double *y = x + i * d;
        twin_linear(s, ctx + i * d, twin_at(t, l, "attn.Wo.weight"), twin_at(t, l, "attn.Wo.bias"),
                    d, d);
        for (int e = 0; e < d; e++)
            y[e] += twin_drop(t, p, 3 * (uint32_t)l + 2, row0 + (uint32_t)i, (uint32_t)e, s[e]);
        memcpy(in, y, (size_t)d * sizeof *in);
        twin_named_norm(t, l, "mlp_norm", in);
        twin_linear(up, in, twin_at(t, l, "mlp.Wi.weight"), twin_at(t, l, "mlp.Wi.bias"), 2 * f, d);
        twin_gelu(t, up, f);
        for (int e = 0; e < f; e++)
            up[e] *= up[f + e];
        twin_linear(s, up, twin_at(t, l, "mlp.Wo.weight"), twin_at(t, l, "mlp.Wo.bias"), d, f);
        for (int e = 0; e < d; e++)
            y[e] += twin_drop(t, p, 3 * (uint32_t)l + 3, row0 + (uint32_t)i, (uint32_t)e, s[e]);
        if (l + 1 == c->num_hidden_layers)
            twin_named_norm(t, -1, "bert.encoder.ln", y);
    }
    free(qkv);
}
