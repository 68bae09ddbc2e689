/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of instances: a text in which no two tokens have the same id, so that an id tells its
 * sentence and its place in the text; corpora and batches of it.
 */
#pragma once

#include "corpus_fixture.h"

#include "corpus/batch/batcher.h"
#include "corpus/batch/instances.h"
#include "isoglot/batch.h"

enum { N = 211, BLOCK = 17, MOST = 9, FIRST = 5, ROOM = 64 * 2 * BLOCK };

static ig_shard *shard;
static int32_t vocab;
static int32_t sentence_of[N * MOST + FIRST]; /* by id */
static int32_t length_of[N];

/* Sentence i has 0 to MOST tokens; ids ascend through the whole text. */
static inline int instances_setup(void **state)
{
    ig_err err = {0};
    ig_shard_writer *w;
    if (fixture_setup(state) != 0)
        return -1;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    vocab = FIRST;
    for (int i = 0; i < N; i++) {
        length_of[i] = (int32_t)ig_rng_below(&r, MOST + 1);
        for (int32_t j = 0; j < length_of[i]; j++)
            sentence_of[vocab++] = i;
    }
    assert_ok(ig_shard_create(&w, fixture_path("a.shard"), vocab, 7, &err), &err);
    for (int32_t i = 0, at = FIRST; i < N; i++) {
        int32_t id[MOST];
        for (int32_t j = 0; j < length_of[i]; j++)
            id[j] = at++;
        assert_ok(ig_shard_add(w, id, length_of[i], &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&shard, fixture_path("a.shard"), &err), &err);
    return 0;
}

static inline int instances_teardown(void **state)
{
    ig_shard_close(shard);
    return fixture_teardown(state);
}

/* `continues`: pieces that continue a word. */
static inline ig_corpus *make_corpus_of(const char *pipeline, const bool *continues)
{
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(vocab, BLOCK);
    ig_language_spec spec[2] = {
        {.name = "en", .pipeline = "", .source = shard, .continues = continues},
        {.name = "fake", .pipeline = pipeline, .source = shard, .continues = continues}};
    o.parts = 2;
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    return c;
}

static inline ig_corpus *make_corpus(const char *pipeline)
{
    return make_corpus_of(pipeline, NULL);
}

static inline ig_batch_options options(ig_instance_kind kind)
{
    return (ig_batch_options){.tlm_share = 1,
                              .batch = 32,
                              .mask_prob = .3,
                              .mask_share = .8,
                              .random_share = .1,
                              .instances = kind};
}

static inline ig_batcher *make_batcher(const ig_corpus *c, const ig_batch_options *o)
{
    ig_err err = {0};
    ig_batcher *b;
    assert_ok(ig_batcher_new(&b, c, o, 11, &err), &err);
    return b;
}

static inline ig_batch get(ig_batcher *b, int64_t step)
{
    ig_err err = {0};
    ig_batch x;
    assert_ok(ig_batcher_get(b, step, &x, &err), &err);
    assert_true(x.n_tok <= ig_batcher_max_tokens(b) && x.n_tok <= ROOM);
    return x;
}

/* The batch with the labels put back. */
static inline void restore(const ig_batch *x, int32_t *id)
{
    memcpy(id, x->id, (size_t)x->n_tok * sizeof *id);
    for (int32_t p = 0; p < x->target[IG_HEAD_MASKED].n; p++)
        id[x->target[IG_HEAD_MASKED].row[p]] = x->target[IG_HEAD_MASKED].label[p];
}
