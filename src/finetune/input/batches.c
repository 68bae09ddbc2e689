/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes batches of examples for training and prediction, and collects predictions.
 */
#include "finetune/input/batches.h"

#include "base/memory.h"
#include "base/rng.h"
#include "finetune/input/tree_join.h"
#include "isoglot/batch.h"
#include "model/engine/engine.h"

#include <stdlib.h>
#include <string.h>

enum { PREDICT_TOKENS = 4096 }; /* of a batch that is predicted, unless one example is longer */

/* Those of one language together, in their order else. Batches are small. */
static void by_language(const ig_examples *e, int64_t *which, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && e->language[which[k]] < e->language[which[k - 1]]; k--) {
            const int64_t other = which[k];
            which[k] = which[k - 1];
            which[k - 1] = other;
        }
}

static ig_code reserve(ig_example_batch *b, int64_t n_seq, int64_t n_tok, int64_t n_target,
                       ig_err *err)
{
    const struct {
        void *array;
        int64_t need;
        size_t size;
    } all[] = {{&b->seq_start, n_seq + 1, sizeof *b->seq_start},
               {&b->id, n_tok, sizeof *b->id},
               {&b->pos, n_tok, sizeof *b->pos},
               {&b->seg, n_tok, sizeof *b->seg},
               {&b->language, n_seq, sizeof *b->language},
               {&b->row, n_target + 1, sizeof *b->row},
               {&b->label, n_target + 1, sizeof *b->label},
               {&b->head, n_target + 1, sizeof *b->head},
               {&b->from, n_target + 1, sizeof *b->from},
               {&b->base, n_target + 1, sizeof *b->base},
               {&b->target, n_target + 1, sizeof *b->target}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        IG_TRY(ig_grow(all[i].array, &b->have[i], all[i].need, all[i].size, "batch", err));
    return IG_ERR_OK;
}

typedef struct {
    int64_t *which;
    int n;
    ig_head_kind head;
} chosen;

/* Fills *out with these n examples, those of one language together, for one head. An unknown label
 * is 0. Valid until the next call. */
static ig_code fill(ig_example_batch *b, ig_batch *out, const ig_examples *e, chosen of,
                    ig_err *err)
{
    int64_t *const which = of.which;
    const int n = of.n;
    int64_t n_tok = 0, n_target = 0;
    int32_t at = 0, n_row = 0;
    by_language(e, which, n);
    for (int i = 0; i < n; i++) {
        n_tok += e->start[which[i] + 1] - e->start[which[i]];
        n_target += e->first_target[which[i] + 1] - e->first_target[which[i]];
    }
    IG_TRY(reserve(b, n, n_tok, n_target, err));
    for (int i = 0; i < n; i++) {
        const int64_t q = which[i], from = e->start[q], size = e->start[q + 1] - from;
        b->seq_start[i] = at;
        b->language[i] = e->language[q];
        memcpy(b->id + at, e->id + from, (size_t)size * sizeof *b->id);
        memcpy(b->pos + at, e->pos + from, (size_t)size * sizeof *b->pos);
        memcpy(b->seg + at, e->seg + from, (size_t)size * sizeof *b->seg);
        for (int64_t t = e->first_target[q]; t < e->first_target[q + 1]; t++) {
            const ig_example_target *x = &e->target[t];
            const bool root = x->unit < 0;
            b->row[n_row] = at + x->row;
            b->label[n_row] = root ? -1 : x->label < 0 ? 0 : x->label;
            b->head[n_row] = root ? -1 : x->head;
            b->from[n_row] = e->first_target[q];
            b->base[n_row] = e->base[q];
            b->target[n_row++] = t;
        }
        at += (int32_t)size;
    }
    b->seq_start[n] = at;
    *out = (ig_batch){.n_seq = n,
                      .n_tok = at,
                      .seq_start = b->seq_start,
                      .id = b->id,
                      .pos = b->pos,
                      .seg = b->seg,
                      .language = b->language};
    out->target[of.head] =
        (ig_targets){.n = n_row, .row = b->row, .label = b->label, .head = b->head};
    return IG_ERR_OK;
}

static void free_room(ig_example_batch *b)
{
    IG_FREE(b->seq_start, b->id, b->pos, b->seg, b->language, b->row, b->label, b->head, b->from,
            b->base, b->target);
    *b = (ig_example_batch){0};
}

/* --- training --- */

ig_code ig_example_order_open(ig_example_order *o, ig_err *err)
{
    if (o->examples->n < 1 || o->examples->n > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "train", 0, "found %lld examples, expected 1 to %d",
                       (long long)o->examples->n, INT32_MAX);
    o->pass = -1;
    IG_TRY(ig_alloc(&o->which, o->batch, sizeof *o->which, "batch", err));
    return ig_alloc(&o->order, o->examples->n, sizeof *o->order, "order of examples", err);
}

void ig_example_order_close(ig_example_order *o)
{
    free_room(&o->room);
    IG_FREE(o->which, o->order);
    o->which = NULL;
    o->order = NULL;
}

static int64_t epoch_size(const ig_example_order *o)
{
    return o->epoch_size > 0 ? o->epoch_size : o->examples->n;
}

int64_t ig_example_order_steps(const ig_example_order *o)
{
    return (epoch_size(o) + o->batch - 1) / o->batch;
}

/* Returns example number j of all passes in sequence. */
static int64_t example_at(ig_example_order *o, int64_t j)
{
    const int64_t n = o->examples->n;
    if (j / n != o->pass) {
        o->pass = j / n;
        ig_rng r = ig_rng_make(o->seed, IG_STREAM_SHUFFLE, 1, (uint32_t)o->pass);
        ig_rng_permutation(&r, o->order, (int32_t)n);
    }
    return o->order[j % n];
}

ig_code ig_example_order_get(void *order, int64_t i, ig_batch *out, ig_err *err)
{
    ig_example_order *o = order;
    const int64_t steps = ig_example_order_steps(o), size = epoch_size(o), epoch = i / steps,
                  from = i % steps * o->batch;
    const int64_t n = size - from < o->batch ? size - from : o->batch;
    for (int64_t k = 0; k < n; k++)
        o->which[k] = example_at(o, epoch * size + from + k);
    return fill(&o->room, out, o->examples, (chosen){o->which, (int)n, o->head}, err);
}

/* --- predicting --- */

typedef struct {
    int64_t number, length;
    int32_t language;
} place;

static int by_length(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->language != y->language)
        return x->language < y->language ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

typedef struct {
    const ig_examples *examples;
    ig_states *states;
    ig_head_kind head;
    const ig_prediction *to;
    ig_example_loss *loss;
    ig_tree_vote *vote; /* [targets of all examples], of trees; its word is 0 of ROOT */
} predictions;

/* The results of a batch's targets, by target. */
static void take_votes(const predictions *p, const ig_example_batch *b, const ig_head_result *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        const ig_example_target *t = &p->examples->target[b->target[i]];
        const int32_t h = r->best_head[i];
        const int64_t unit = h > 0 ? p->examples->target[b->from[i] + h].unit : -1;
        p->vote[b->target[i]] =
            (ig_tree_vote){.word = t->unit < 0 ? 0 : (int32_t)(t->unit - b->base[i] + 1),
                           .head = h > 0 ? (int32_t)(unit - b->base[i] + 1) : 0,
                           .label = r->best[i],
                           .own = t->own};
    }
}

/* The result of a batch's targets to their units. */
static void take(const predictions *p, const ig_example_batch *b, const ig_head_result *r)
{
    if (p->vote != NULL && r->best_head != NULL)
        take_votes(p, b, r);
    for (int64_t i = 0; i < r->n; i++) {
        const ig_example_target *t = &p->examples->target[b->target[i]];
        if (!t->own)
            continue;
        p->to->label[t->unit] = r->best[i];
        if (p->to->logits != NULL && r->logits != NULL)
            memcpy(p->to->logits + t->unit * p->to->n_label, r->logits + i * p->to->n_label,
                   (size_t)p->to->n_label * sizeof *r->logits);
        if (p->vote != NULL)
            p->to->head[t->unit] = p->vote[b->target[i]].head;
        if (p->loss != NULL && t->label >= 0) {
            p->loss->nll += r->nll[i];
            p->loss->n++;
        }
    }
}

/* Joins trees of sentences that are in several consecutive sequences. */
static ig_code join_trees(const predictions *p, ig_err *err)
{
    const ig_examples *e = p->examples;
    for (int64_t i = 0, next; i < e->n; i = next) {
        next = i + 1;
        while (next < e->n && e->base[next] == e->base[i])
            next++;
        if (next == i + 1)
            continue;
        int64_t n = 0;
        int32_t n_word = 0;
        ig_tree_vote *vote = p->vote + e->first_target[i];
        for (int64_t t = 0; t < e->first_target[next] - e->first_target[i]; t++)
            if (vote[t].word > 0) {
                n_word = vote[t].word > n_word ? vote[t].word : n_word;
                vote[n++] = vote[t];
            }
        IG_TRY(ig_tree_join(p->to->head + e->base[i], p->to->label + e->base[i], n_word, vote, n,
                            err));
    }
    return IG_ERR_OK;
}

static ig_code predict_all(const predictions *p, const place *at, int64_t *which, ig_err *err)
{
    const ig_examples *e = p->examples;
    ig_example_batch room = {0};
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < e->n && code == IG_ERR_OK;) {
        int64_t n_tok = 0;
        int n = 0;
        while (i < e->n && (n == 0 || n_tok + at[i].length <= PREDICT_TOKENS) &&
               (n == 0 || at[i].language == at[i - 1].language)) {
            n_tok += at[i].length;
            which[n++] = at[i++].number;
        }
        ig_batch b;
        code = fill(&room, &b, e, (chosen){which, n, p->head}, err);
        if (code != IG_ERR_OK || b.target[p->head].n == 0)
            continue;
        ig_head_result r;
        code = ig_states_predict(&r, p->states, &b, p->head, err);
        if (code == IG_ERR_OK)
            take(p, &room, &r);
    }
    free_room(&room);
    if (code == IG_ERR_OK && p->vote != NULL)
        code = join_trees(p, err);
    return code;
}

ig_code ig_examples_predict(const ig_prediction *out, ig_example_loss *loss, const ig_examples *e,
                            const ig_states_parts *with, ig_head_kind head, ig_err *err)
{
    place *at = NULL;
    int64_t *which = NULL;
    for (int64_t i = 0; i < e->n_unit; i++)
        out->label[i] = -1;
    if (out->logits != NULL)
        ig_engine_keep_logits(with->engine);
    for (int64_t i = 0; i < e->n_unit && out->head != NULL; i++)
        out->head[i] = -1;
    predictions p = {.examples = e, .head = head, .to = out, .loss = loss};
    if (loss != NULL)
        *loss = (ig_example_loss){0};
    IG_TRY(ig_alloc(&at, e->n, sizeof *at, "order of examples", err));
    ig_code code = ig_alloc(&which, e->n, sizeof *which, "order of examples", err);
    if (code == IG_ERR_OK && out->head != NULL && e->n > 0)
        code = ig_alloc(&p.vote, e->first_target[e->n], sizeof *p.vote, "trees", err);
    for (int64_t i = 0; i < e->n; i++)
        at[i] = (place){i, e->start[i + 1] - e->start[i], e->language[i]};
    if (e->n > 1)
        qsort(at, (size_t)e->n, sizeof *at, by_length);
    IG_THEN(code, ig_states_over(&p.states, &(ig_states_options){0}, with, err));
    IG_THEN(code, predict_all(&p, at, which, err));
    ig_states_close(p.states);
    IG_FREE(at, which, p.vote);
    return code;
}
