/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the tests of the engine: small models with weights that leave no gradient at zero, and
 * batches of given lengths.
 */
#pragma once

#include "isoglot/batch.h"
#include "test.h"

#include "base/memory.h"
#include "base/rng.h"
#include "model/bert_params.h"
#include "model/engine/engine.h"

#include <stdlib.h>
#include <string.h>

static inline ig_bert *make_model(const ig_bert_config *c, uint64_t seed)
{
    ig_err err;
    ig_bert *m;
    assert_ok(ig_bert_new(&m, c, seed, &err), &err);
    return m;
}

static inline ig_engine *make_engine(ig_bert *m, ig_team *team, const ig_ops *ops)
{
    ig_err err;
    ig_engine *e;
    assert_ok(ig_engine_new(&e, m, team, ops, IG_PRECISION_F32, &err), &err);
    return e;
}

static inline ig_team *make_team(int n)
{
    ig_err err;
    ig_team *t;
    assert_ok(ig_team_new(&t, n, &err), &err);
    return t;
}

/* Matrices N(0, spread²), biases and shifts N(0, 0.1²), LayerNorm weights around 1. */
static inline void stir(ig_bert *m, double spread, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 1, 0);
    float *w = ig_bert_weights(m);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const bool norm =
            strstr(p->name, "LayerNorm.weight") != NULL || strstr(p->name, "ln.weight") != NULL;
        for (int64_t j = 0; j < (int64_t)p->rows * p->cols; j++)
            w[p->offset + j] =
                (float)((norm ? 1 : 0) + (p->cols > 1 ? spread : 0.1) * ig_rng_normal(&r));
    }
}

typedef struct {
    ig_batch b;
    int32_t *block;
} test_batch;

/* Sequences of these lengths with random ids; about `share` of the tokens are predicted (at least
 * the last token of the first sequence when share > 0). The second half is in language 1, which
 * counts only where languages have parts of their own. Freed with free_batch. */
static inline test_batch make_batch(const ig_bert_config *c, const int *length, int n_seq,
                                    double share, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 2, 0);
    int n = 0;
    for (int s = 0; s < n_seq; s++)
        n += length[s];
    test_batch t;
    t.block = calloc((size_t)(5 * n + 2 * n_seq + 1), sizeof(int32_t));
    assert_non_null(t.block);
    int32_t *id = t.block, *pos = id + n, *seg = pos + n, *row = seg + n, *label = row + n,
            *start = label + n, *language = start + n_seq + 1;
    int at = 0, n_pred = 0;
    for (int s = 0; s < n_seq; s++) {
        start[s] = at;
        language[s] = s >= n_seq / 2;
        for (int i = 0; i < length[s]; i++, at++) {
            id[at] = (int32_t)ig_rng_below(&r, (uint32_t)c->vocab_size);
            pos[at] = i;
            seg[at] = s % c->type_vocab_size;
            const bool last = s == 0 && i == length[s] - 1;
            if (ig_rng_unit(&r) < share || (last && share > 0)) {
                row[n_pred] = at;
                label[n_pred++] = (int32_t)ig_rng_below(&r, (uint32_t)c->vocab_size);
            }
        }
    }
    start[n_seq] = at;
    t.b = (ig_batch){.n_seq = n_seq,
                     .n_tok = n,
                     .seq_start = start,
                     .id = id,
                     .pos = pos,
                     .seg = seg,
                     .language = language,
                     .target[IG_HEAD_MASKED] = {.n = n_pred, .row = row, .label = label}};
    return t;
}

static inline void free_batch(test_batch *t)
{
    free(t->block);
    t->block = NULL;
}

static inline ig_pass make_pass(bool dropout)
{
    return (ig_pass){.dropout_key = ig_rng_key_make(11, IG_STREAM_DROPOUT),
                     .step = 7,
                     .scale[IG_HEAD_MASKED] = 0.25f,
                     .dropout = dropout};
}

/* Next-sentence labels of the sequences (−1: none), into room [2 n_seq]. */
static inline void set_next(ig_batch *b, const int32_t *next, int32_t *room)
{
    ig_targets t = {.row = room, .label = room + b->n_seq};
    for (int q = 0; q < b->n_seq; q++)
        if (next[q] >= 0) {
            room[t.n] = b->seq_start[q];
            room[b->n_seq + t.n++] = next[q];
        }
    b->target[IG_HEAD_NEXT] = t;
}

/* The gradient of one batch from zero; returns the loss of masked tokens. */
static inline double run_train(ig_engine *e, const ig_batch *b, const ig_pass *pass)
{
    ig_err err;
    ig_engine_gradient_clear(e);
    assert_ok(ig_engine_train(e, b, pass, &err), &err);
    return ig_engine_result(e, IG_HEAD_MASKED).loss;
}
