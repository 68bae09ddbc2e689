/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed copies of the matrices; see weights.h. A table of tasks, one per column block, is made
 * once and run after each update.
 */
#include "model/weights.h"
#include "base/memory.h"

/* Column block i of p is packed from the model's block at `from`; i −1: p is read there. */
typedef struct {
    ig_packed *p;
    int i;
    int64_t from;
    int ldb;
    ig_b_form form;
} pack_task;

/* Counting when `w` is NULL; else assigns data and tasks. */
typedef struct {
    const ig_ops *ops;
    bool whole;
    ig_weights *w;
    int64_t n_float;
    int n_task;
} placer;

/* W [n_out, n_in] for y = x · Wᵀ (forward) or dx = dy · W. The team reads the second where it lies:
 * a task's columns are copied into its own L2 by the product, which costs less than a packed copy
 * of a large model does on its way through memory. */
static void place(placer *q, ig_packed *p, int64_t from, int n_out, int n_in, bool forward)
{
    ig_packed made =
        ig_packed_make(q->ops, forward ? n_in : n_out, forward ? n_out : n_in, q->whole);
    const bool in_place = !forward && !q->whole;
    if (q->w != NULL) {
        pack_task *t = (pack_task *)q->w->task + q->n_task;
        made.data = in_place ? NULL : q->w->block + q->n_float;
        *p = made;
        if (in_place)
            *t = (pack_task){.p = p, .i = -1, .from = from};
        else
            for (int i = 0; i < ig_packed_n_block(&made); i++)
                t[i] = (pack_task){p, i, from, n_in, forward ? IG_B_COLS : IG_B_ROWS};
    }
    q->n_float += in_place ? 0 : ig_packed_size(&made);
    q->n_task += in_place ? 1 : ig_packed_n_block(&made);
}

static void place_both(placer *q, ig_packed *forward, ig_packed *backward, int64_t from, int n_out,
                       int n_in)
{
    place(q, forward, from, n_out, n_in, true);
    place(q, backward, from, n_out, n_in, false);
}

static void place_block(placer *q, ig_block_weights *b, const ig_bert_layer_offsets *o,
                        const ig_bert_config *c)
{
    const int d = c->hidden_size, f = c->intermediate_size;
    place_both(q, &b->qkv, &b->qkv_t, o->qkv_w, 3 * d, d);
    place_both(q, &b->o, &b->o_t, o->o_w, d, d);
    place_both(q, &b->up, &b->up_t, o->up_w, f, d);
    place_both(q, &b->down, &b->down_t, o->down_w, d, f);
}

static void place_head(placer *q, ig_head_weights *h, const ig_bert_offsets *o,
                       const ig_bert_config *c)
{
    place_both(q, &h->dense, &h->dense_t, o->head_w, c->hidden_size, c->hidden_size);
    place_both(q, &h->decoder, &h->decoder_t, o->word, c->vocab_size, c->hidden_size);
}

/* Sizes alone. */
static placer count(const ig_bert_config *c, const ig_ops *ops, bool whole)
{
    placer q = {.ops = ops, .whole = whole};
    placer one = q;
    ig_block_weights block;
    ig_head_weights head;
    place_block(&one, &block, &(ig_bert_layer_offsets){0}, c);
    place_head(&q, &head, &(ig_bert_offsets){0}, c);
    q.n_float += one.n_float * c->num_hidden_layers;
    q.n_task += one.n_task * c->num_hidden_layers;
    return q;
}

int64_t ig_weights_bytes(const ig_bert_config *c, const ig_ops *ops, bool whole)
{
    return count(c, ops, whole).n_float * (int64_t)sizeof(float);
}

ig_code ig_weights_make(ig_weights *w, const ig_bert *model, const ig_ops *ops, bool whole,
                        ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(model);
    placer q = count(c, ops, whole);
    *w = (ig_weights){.n_task = q.n_task};
    ig_code code =
        ig_alloc(&w->layer, c->num_hidden_layers, sizeof *w->layer, "table of weights", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&w->task, q.n_task, sizeof(pack_task), "table of weights", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&w->block, q.n_float, sizeof *w->block, "packed weights", err);
    if (code != IG_ERR_OK) {
        ig_weights_free(w);
        return code;
    }
    q = (placer){.ops = ops, .whole = whole, .w = w};
    for (int l = 0; l < c->num_hidden_layers; l++) {
        const ig_bert_layer_offsets o = ig_bert_get_layer_offsets(model, l);
        place_block(&q, &w->layer[l], &o, c);
    }
    const ig_bert_offsets o = ig_bert_get_offsets(model);
    place_head(&q, &w->head, &o, c);
    return IG_ERR_OK;
}

void ig_weights_free(ig_weights *w)
{
    ig_free(w->layer);
    ig_free(w->task);
    ig_free(w->block);
    *w = (ig_weights){0};
}

typedef struct {
    const pack_task *task;
    const float *weight;
    const ig_ops *ops;
} fill_job;

static void fill_one(void *arg, int64_t i_task, int i_thread)
{
    (void)i_thread;
    const fill_job *j = arg;
    const pack_task *t = &j->task[i_task];
    if (t->i < 0)
        t->p->raw = j->weight + t->from;
    else
        ig_packed_fill(j->ops, t->p, t->i, j->weight + t->from, t->ldb, t->form);
}

void ig_weights_fill(ig_weights *w, const float *weight, const ig_ops *ops, ig_team *team)
{
    fill_job j = {.task = w->task, .weight = weight, .ops = ops};
    ig_team_for(team, w->n_task, fill_one, &j);
}
