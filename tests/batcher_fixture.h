/* SPDX-License-Identifier: Apache-2.0
 *
 * A shard, batches of it and of its copy, and shares of counts: for the tests of batches.
 */
#pragma once

#include "corpus_fixture.h"

#include "corpus/batch/batcher.h"
#include "isoglot/batch.h"

enum { V = 60, BLOCK = 14, N = 101 };

static ig_shard *shard;

static inline int setup(void **state)
{
    if (fixture_setup(state) != 0)
        return -1;
    shard = fixture_shard("a.shard", N, 14, V, 9);
    return 0;
}

static inline int teardown(void **state)
{
    ig_shard_close(shard);
    return fixture_teardown(state);
}

static const ig_batch_options usual = {.batch = 16,
                                       .mask_prob = .15,
                                       .mask_share = .8,
                                       .random_share = .1,
                                       .random_vocab = IG_RANDOM_ALL};

/* A text and its copy through `pipeline`. */
static inline ig_corpus *make_corpus(const char *pipeline)
{
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(V, BLOCK);
    ig_language_spec spec[2] = {{.name = "en", .pipeline = "", .source = shard},
                                {.name = "fake", .pipeline = pipeline, .source = shard}};
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    return c;
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
    return x;
}

/* The batch with the labels put back. */
static inline void restore(const ig_batch *x, int32_t *id)
{
    memcpy(id, x->id, (size_t)x->n_tok * sizeof *id);
    for (int32_t p = 0; p < x->target[IG_HEAD_MASKED].n; p++)
        id[x->target[IG_HEAD_MASKED].row[p]] = x->target[IG_HEAD_MASKED].label[p];
}

/* |k − n·p| within five standard errors of a binomial; p = 0 and 1 exactly. */
static inline void assert_share(int64_t k, int64_t n, double p)
{
    assert_true(fabs((double)k - (double)n * p) <= 5 * sqrt((double)n * p * (1 - p)));
}
