/* SPDX-License-Identifier: Apache-2.0
 *
 * A small laboratory for the tests of the whole measurement: two languages, a model, an engine.
 */
#pragma once

#include "corpus_fixture.h"
#include "engine_fixture.h"

#include "corpus/batch/batcher.h"
#include "isoglot/batch.h"
#include "measured_fixture.h"

enum { VOCAB = 300, BLOCK = 40 };

static const ig_batch_options batching = {
    .batch = 16, .mask_prob = 0.15, .mask_share = 0.8, .random_share = 0.1};

/* A laboratory of its own for each test: an English, a second language made by `pipeline`, a model.
 */
typedef struct {
    ig_shard *shard;
    ig_corpus *corpus;
    ig_bert *model;
    ig_team *team;
    ig_engine *engine;
    ig_measure_with with;
} lab;

/* n sentences of 1..most different words: no word twice in a sentence, no [UNK]. */
static inline ig_shard *distinct_words(int64_t n, int32_t least, int32_t most)
{
    ig_err err;
    ig_shard_writer *w;
    ig_shard *s;
    char path[256];
    int32_t perm[VOCAB - 5];
    ig_rng r = ig_rng_make(11, IG_STREAM_TEST, 0, 0);
    strcpy(path, fixture_path("distinct.shard"));
    assert_ok(ig_shard_create(&w, path, VOCAB, 7, &err), &err);
    for (int64_t i = 0; i < n; i++) {
        ig_rng_permutation(&r, perm, VOCAB - 5);
        int32_t k = least + (int32_t)ig_rng_below(&r, (uint32_t)(most - least) + 1);
        for (int32_t j = 0; j < k; j++)
            perm[j] += 5;
        assert_ok(ig_shard_add(w, perm, k, &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&s, path, &err), &err);
    return s;
}

static inline lab lab_open(ig_shard *shard, const char *pipeline, const ig_bert_config *shape,
                           int n_thread)
{
    lab l = {.shard = shard};
    ig_err err;
    ig_corpus_options co = fixture_options(VOCAB, BLOCK);
    ig_language_spec spec[2] = {{.name = "en", .pipeline = "", .source = shard},
                                {.name = "fake", .pipeline = pipeline, .source = shard}};
    assert_ok(ig_corpus_new(&l.corpus, spec, 2, &co, &err), &err);
    ig_bert_config c = *shape;
    c.vocab_size = ig_corpus_vocab_size(l.corpus);
    l.model = make_model(&c, 3);
    l.team = n_thread ? make_team(n_thread) : NULL;
    l.engine = make_engine(l.model, l.team, NULL);
    l.with = (ig_measure_with){
        .engine = l.engine, .model = l.model, .team = l.team, .ops = ig_ops_best()};
    return l;
}

static inline void lab_close(lab *l)
{
    ig_engine_free(l->engine);
    ig_team_free(l->team);
    ig_bert_free(l->model);
    ig_corpus_free(l->corpus);
    ig_shard_close(l->shard);
}

static inline ig_bert_config tiny(void)
{
    ig_bert_config c = ig_bert_config_small(2 * VOCAB);
    c.num_hidden_layers = 3;
    c.hidden_size = 16;
    c.num_attention_heads = 2;
    c.intermediate_size = 32;
    return c;
}

static inline float *table(ig_bert *m, const char *name, int32_t *cols)
{
    const ig_bert_param *p = ig_bert_param_find(m, name);
    assert_non_null(p);
    *cols = p->cols;
    return ig_bert_weights(m) + p->offset;
}

/* Gives the second language the first one's word vectors, from row `from` of the block on. */
static inline void make_twins(lab *l, int32_t from)
{
    int32_t d;
    float *w = table(l->model, "bert.embeddings.word_embeddings.weight", &d);
    memcpy(w + (VOCAB + from) * d, w + from * d, (size_t)(VOCAB - from) * (size_t)d * sizeof *w);
    ig_engine_weights_changed(l->engine);
}

/* Results of a test program: their rows are freed at its end. */
static ig_measure_result measured[64];
static int n_measured;

static inline void free_measured(void)
{
    while (n_measured > 0)
        ig_measure_result_free(&measured[--n_measured]);
}

static inline ig_measure_result measure(const lab *l, const ig_measure_options *o)
{
    ig_err err;
    if (n_measured == 0)
        atexit(free_measured);
    assert_in_range(n_measured, 0, (int)(sizeof measured / sizeof *measured) - 1);
    ig_measure_result *r = &measured[n_measured++];
    assert_ok(ig_measure_run(r, &l->with, l->corpus, l->corpus, o, &err), &err);
    return *r;
}

static inline ig_measure_options plain(void)
{
    return ig_measure_defaults(&batching, 1);
}

static inline double cosine(const double *a, const double *b, int d)
{
    double ab = 0, aa = 0, bb = 0;
    for (int c = 0; c < d; c++) {
        ab += a[c] * b[c];
        aa += a[c] * a[c];
        bb += b[c] * b[c];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static inline void widen(double *out, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (double)x[i];
}
