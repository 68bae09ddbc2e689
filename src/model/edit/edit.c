/* SPDX-License-Identifier: Apache-2.0
 *
 * Applies edits of hidden states. Pre-LN adds up sublayers in a stream and reads its LayerNorm: an
 * edit changes the stream, and that LayerNorm is computed again. In the backward pass its gradient
 * is computed before the block's own turn, which then has none left to compute.
 */
#include "model/edit/edit.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define IG_EDIT_DECLARE(id, file) extern const ig_edit_rule ig_edit_##file;
IG_EDIT_LIST(IG_EDIT_DECLARE)
#undef IG_EDIT_DECLARE

#define IG_EDIT_ROW(id, file) &ig_edit_##file,
static const ig_edit_rule *const rules[IG_N_EDIT] = {IG_EDIT_LIST(IG_EDIT_ROW)};
#undef IG_EDIT_ROW

static ig_code check(const ig_edit *e, const ig_bert_config *c, const char *where, ig_err *err)
{
    if (e->layer < 0 || e->layer > c->num_hidden_layers)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "layer %d, expected 0 to %d", e->layer,
                       c->num_hidden_layers);
    if (e->kind < 0 || e->kind >= IG_N_EDIT)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "no kind %d of edits", (int)e->kind);
    const ig_edit_rule *rule = rules[e->kind];
    if ((e->kind == IG_EDIT_ATTENTION || e->kind == IG_EDIT_BIAS) && e->layer == 0)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "layer 0, expected 1 to %d: embeddings %s",
                       c->num_hidden_layers,
                       e->kind == IG_EDIT_BIAS ? "are no block" : "do not attend");
    const int64_t n = rule->n_float(e->n, c->hidden_size);
    if (n < 0)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "%s of %d rows does not fit hidden size %d",
                       rule->name, e->n, c->hidden_size);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(e->data[i]))
            return ig_fail(err, IG_ERR_NUMERIC, where, 0, "value %lld of %s is not finite",
                           (long long)i, rule->name);
    return IG_ERR_OK;
}

static void drop(ig_edit_ready *r, const ig_device *device)
{
    device->free(r->data);
    device->free(r->packed);
    ig_free(r->row);
}

static ig_code pack(ig_edit_ready *r, int d, const ig_device *device, const ig_exec *all,
                    bool packed, ig_err *err)
{
    const int64_t size = (all->ops->pack_size(d, d) + 15) / 16 * 16;
    if (packed)
        IG_TRY(device->alloc(&r->packed, 2 * size, sizeof *r->packed, "edit", err));
    r->forward = (ig_weight){.k = d, .n = d, .b = r->data, .ldb = d, .form = IG_B_COLS};
    r->backward = (ig_weight){.k = d, .n = d, .b = r->data, .ldb = d, .form = IG_B_ROWS};
    if (packed) {
        r->forward.data = r->packed;
        r->backward.data = r->packed + size;
    }
    ig_weight *const both[2] = {&r->forward, &r->backward};
    all->run->pack(all, both, 2);
    return IG_ERR_OK;
}

static ig_code make_ready(ig_edit_ready *r, const ig_edit *e, const ig_edits_for *of,
                          const char *where, ig_err *err)
{
    const ig_device *device = of->device;
    const int d = of->config->hidden_size;
    const ig_edit_rule *rule = rules[e->kind];
    const int64_t n = rule->matrix != NULL ? (int64_t)d * d : rule->n_float(e->n, d);
    IG_OWNED float *values = NULL;
    r->edit = *e;
    IG_TRY(device->alloc(&r->data, n, sizeof *r->data, "edit", err));
    r->edit.data = r->data;
    IG_TRY(ig_alloc(&r->row, e->row != NULL ? e->n : 0, sizeof *r->row, "edit", err));
    if (e->row != NULL)
        memcpy(r->row, e->row, (size_t)e->n * sizeof *r->row);
    r->edit.row = r->row;
    if (rule->matrix == NULL) {
        device->upload(r->data, e->data, n * (int64_t)sizeof *r->data);
        return IG_ERR_OK;
    }
    IG_TRY(ig_alloc(&values, n, sizeof *values, "edit", err));
    IG_TRY(rule->matrix(values, e->data, e->n, d, where, err));
    device->upload(r->data, values, n * (int64_t)sizeof *r->data);
    return pack(r, d, device, of->all, of->packed, err);
}

ig_code ig_edits_set(ig_edits *to, const ig_edit *edit, int n, const ig_edits_for *of, ig_err *err)
{
    ig_edits made = {.n = n, .device = of->device};
    IG_TRY(ig_alloc(&made.ready, n, sizeof *made.ready, "edits", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        char where[32];
        snprintf(where, sizeof where, "edit %d", i + 1);
        code = check(&edit[i], of->config, where, err);
        IG_THEN(code, make_ready(&made.ready[i], &edit[i], of, where, err));
    }
    if (code != IG_ERR_OK) {
        ig_edits_free(&made);
        return code;
    }
    ig_edits_free(to);
    *to = made;
    return IG_ERR_OK;
}

void ig_edits_free(ig_edits *e)
{
    for (int i = 0; i < e->n && e->ready != NULL; i++)
        drop(&e->ready[i], e->device);
    ig_free(e->ready);
    *e = (ig_edits){0};
}

static void multiply(const ig_edit_call *c, const ig_weight *w)
{
    const int64_t n = (int64_t)c->m * c->d;
    c->x->run->linear(c->x,
                      &(ig_gemm){.m = c->m, .a = c->v, .lda = c->d, .c = c->room, .ldc = c->d}, w);
    c->x->run->copy(c->x, c->v, c->room, n);
}

void ig_edit_forward(const ig_edit_call *c)
{
    multiply(c, &c->e->forward);
}

void ig_edit_backward(const ig_edit_call *c)
{
    multiply(c, &c->e->backward);
}

/* The first of the rows that belongs to token `token` of the shard or a later one. */
static int row_at(const ig_edit_place *p, int32_t token)
{
    int low = 0, high = p->n_row;
    if (p->kept == NULL)
        return token;
    while (low < high) {
        const int mid = (low + high) / 2;
        if (p->kept[mid] < token)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Applies one edit, or its gradient, to its rows of v. */
static void edit_rows(const ig_edit_ready *r, const ig_exec *x, const ig_edit_place *p, float *v,
                      int d, bool back)
{
    void (*fn)(const ig_edit_call *) = back ? rules[r->edit.kind]->back : rules[r->edit.kind]->run;
    const int32_t *start = p->batch->seq_start + p->first_seq, *language = p->batch->language;
    for (int s = 0, end; s < p->n_seq && fn != NULL; s = end) {
        const int32_t k = r->edit.language;
        for (end = s; end < p->n_seq; end++)
            if (k >= 0 && k != (language == NULL ? 0 : language[p->first_seq + end]))
                break;
        const int from = row_at(p, start[s] - start[0]), to = row_at(p, start[end] - start[0]);
        if (to > from)
            fn(&(ig_edit_call){.x = x,
                               .e = r,
                               .d = d,
                               .m = to - from,
                               .v = v + (int64_t)from * d,
                               .room = p->room,
                               .first = start[0] + (p->kept == NULL ? from : 0),
                               .kept = p->kept == NULL ? NULL : p->kept + from});
        end += end < p->n_seq && end == s;
    }
}

static bool any(const ig_edits *e, int layer)
{
    for (int i = 0; i < e->n; i++)
        if (e->ready[i].edit.layer == layer && rules[e->ready[i].edit.kind]->run != NULL)
            return true;
    return false;
}

void ig_edits_run(const ig_edits *e, const ig_exec *x, const ig_net *net, const ig_edit_place *p)
{
    const int d = net->config->hidden_size;
    if (!any(e, p->layer))
        return;
    for (int i = 0; i < e->n; i++)
        if (e->ready[i].edit.layer == p->layer)
            edit_rows(&e->ready[i], x, p, p->stream != NULL ? p->stream : p->to.out.x, d, false);
    if (p->stream != NULL && !p->plain) {
        ig_norm norm = ig_net_norm(net, p->norm, p->n_row, p->stream, &p->to);
        norm.kept = NULL;
        x->run->norm(x, &norm);
        return;
    }
    if (p->plain)
        x->run->copy(x, p->to.out.x, p->stream, (int64_t)p->n_row * d);
    if (p->to.out.bf16 != NULL)
        x->run->to_bf16(x, p->to.out.bf16, p->to.out.x, (int64_t)p->n_row * d);
}

void ig_edits_back(const ig_edits *e, const ig_exec *x, const ig_net *net, const ig_edit_place *p,
                   const ig_work *w, float *grad)
{
    const int d = net->config->hidden_size;
    if (!any(e, p->layer))
        return;
    if (p->stream != NULL && p->plain) {
        x->run->add(x, w->dstream, w->dx, (int64_t)p->n_row * d);
        x->run->zero(x, w->dx, (int64_t)p->n_row * d);
    } else if (p->stream != NULL) {
        ig_norm_grad g = ig_net_norm_grad(net, p->norm, p->n_row, w->dx, &p->to, grad);
        g.kept = NULL;
        g.dsum = g.dresidual = w->dstream;
        g.dx = p->room;
        x->run->norm_grad(x, &g);
        x->run->zero(x, w->dx, (int64_t)p->n_row * d);
    }
    for (int i = e->n - 1; i >= 0; i--)
        if (e->ready[i].edit.layer == p->layer)
            edit_rows(&e->ready[i], x, p, p->stream != NULL ? w->dstream : w->dx, d, true);
}
