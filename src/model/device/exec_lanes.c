/* SPDX-License-Identifier: Apache-2.0
 *
 * Ops alone on the calling thread; see exec.h.
 */
#include "model/device/exec.h"
#include "model/device/exec_parts.h"

#include <stddef.h>

static void linear(const ig_exec *x, const ig_gemm *g, const ig_weight *w)
{
    ig_gemm one = *g;
    one.n = w->n;
    one.k = w->k;
    one.b = w->data;
    one.b_form = IG_B_PACKED;
    if (g->m > 0)
        x->ops->gemm(&one, x->scratch);
}

static void layer_grad(const ig_exec *x, const ig_layer_grad *l)
{
    ig_gemm g = ig_layer_product(x, l);
    if (l->k == 0) {
        ig_layer_nothing(x, l);
        return;
    }
    if (x->ops->bf16)
        g.a_sum = l->db;
    if (g.c != NULL || g.a_sum != NULL)
        x->ops->gemm(&g, x->scratch);
    if (l->db != NULL && !x->ops->bf16)
        x->ops->column_sum(l->db, l->dy, l->k, l->m, l->ld_dy);
}

static void norm(const ig_exec *x, const ig_norm *a)
{
    x->ops->norm(a);
}

static void norm_grad(const ig_exec *x, const ig_norm_grad *a)
{
    if (a->n_row > 0)
        x->ops->norm_grad(a, x->scratch);
}

static void drop(const ig_exec *x, float *v, int n, int d, const ig_dropout *how)
{
    x->ops->drop(v, n, d, how);
}

static void attention(const ig_exec *x, const ig_attention *a)
{
    x->ops->attention(a, x->scratch);
}

static void attention_grad(const ig_exec *x, const ig_attention *a)
{
    x->ops->attention_grad(a, x->scratch);
}

static void rotary(const ig_exec *x, const ig_rotary *a)
{
    x->ops->rotary(a);
}

static void embed(const ig_exec *x, const ig_embed *a)
{
    x->ops->embed(a);
}

static void xent(const ig_exec *x, const ig_xent *a)
{
    x->ops->softmax_xent(a);
}

const ig_exec_ops ig_exec_lanes = {.linear = linear,
                                   .layer_grad = layer_grad,
                                   .norm = norm,
                                   .norm_grad = norm_grad,
                                   .drop = drop,
                                   .attention = attention,
                                   .attention_grad = attention_grad,
                                   .rotary = rotary,
                                   .embed = embed,
                                   .xent = xent,
                                   IG_EXEC_ROWS,
                                   IG_EXEC_BLOCKS};
