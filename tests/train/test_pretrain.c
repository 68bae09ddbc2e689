/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the parts of one update: dropout that is another in every micro-batch, and a gradient that
 * does not depend on how many micro-batches it comes from, for both heads.
 */
#include "corpus/batch/batcher.h"
#include "corpus_fixture.h"
#include "isoglot/bert.h"
#include "train/trainer.h"

enum { V = 60, BLOCK = 14, N = 64 };

static ig_shard *shard;
static ig_corpus *corpus;
static ig_err err;

static int setup(void **state)
{
    if (fixture_setup(state) != 0)
        return -1;
    const ig_corpus_options o = fixture_options(V, BLOCK);
    shard = fixture_shard("a.shard", N, 12, V, 9);
    const ig_language_spec spec = {.name = "en", .pipeline = "", .source = shard};
    ig_corpus_options two = o;
    two.parts = 2;
    assert_ok(ig_corpus_new(&corpus, &spec, 1, &two, &err), &err);
    return 0;
}

static int teardown(void **state)
{
    ig_corpus_free(corpus);
    ig_shard_close(shard);
    return fixture_teardown(state);
}

typedef struct {
    ig_bert *model;
    ig_engine *engine;
    ig_batcher *batcher;
    ig_trainer *trainer;
} training;

static training begin(const ig_batch_options *batching, const ig_trainer_options *o, bool next,
                      double dropout)
{
    training t;
    ig_bert_config c = ig_bert_config_base(V);
    c.hidden_size = 16;
    c.num_hidden_layers = 2;
    c.num_attention_heads = 2;
    c.intermediate_size = 24;
    c.max_position_embeddings = BLOCK;
    c.type_vocab_size = 2;
    c.hidden_dropout_prob = (float)dropout;
    c.attention_probs_dropout_prob = (float)dropout;
    c.head[IG_HEAD_NEXT].n_label = next ? 2 : 0;
    assert_ok(ig_bert_new(&t.model, &c, 1, &err), &err);
    assert_ok(ig_batcher_new(&t.batcher, corpus, batching, 3, &err), &err);
    assert_ok(ig_engine_new(&t.engine, t.model, NULL, NULL, IG_PRECISION_F32, &err), &err);
    ig_trainer_options with = *o;
    with.source = ig_pretrain_source(t.batcher);
    assert_ok(ig_trainer_new(&t.trainer, t.model, t.engine, &with, NULL, &err), &err);
    return t;
}

static void end(training *t)
{
    ig_trainer_free(t->trainer);
    ig_engine_free(t->engine);
    ig_batcher_free(t->batcher);
    ig_bert_free(t->model);
}

static ig_trainer_options usual(int64_t accum, double lr)
{
    return (ig_trainer_options){.n_update = 100,
                                .set = {.accum = accum,
                                        .lr = lr,
                                        .schedule = IG_SCHEDULE_CONSTANT,
                                        .seed = 5,
                                        .adam = {.beta1 = .9, .beta2 = .999, .eps = 1e-8}}};
}

/* One batch with the same masks and weights that do not move: what differs is dropout alone. */
static void dropout_is_another_in_every_step(void **state)
{
    (void)state;
    const ig_batch_options b = {.batch = N, .mask_prob = .3, .mask_share = 1, .static_masks = true};
    for (int with = 0; with < 2; with++) {
        const ig_trainer_options o = usual(1, 0);
        training t = begin(&b, &o, false, with ? .3 : 0);
        double loss[4];
        for (int k = 0; k < 4; k++) {
            ig_trainer_report r = {0};
            assert_ok(ig_trainer_step(t.trainer, &r, &err), &err);
            loss[k] = r.head[IG_HEAD_MASKED].loss / (double)r.head[IG_HEAD_MASKED].n;
            for (int i = 0; i < k; i++)
                assert_true(with ? fabs(loss[i] - loss[k]) > 1e-6 : fabs(loss[i] - loss[k]) < 1e-5);
        }
        end(&t);
    }
}

/* The norm of the gradient of all of the text in one batch, and in four of a quarter each: the same
 * where every micro-batch has as many targets, and those of the next sentence have: one a pair. */
static void a_gradient_is_the_mean_of_its_parts(void **state)
{
    (void)state;
    ig_batch_options b = {.mask_prob = 0,
                          .mask_share = 1,
                          .instances = IG_INSTANCES_PAIRS,
                          .document = 4,
                          .static_masks = true,
                          .drop_last = true};
    double norm[3];
    b.batch = 8;
    for (int k = 0; k < 3; k++) {
        const int64_t accum = (int64_t)1 << k;
        const ig_trainer_options o = usual(accum, 0);
        ig_trainer_report r = {0};
        b.batch = 16 / (int32_t)accum;
        training t = begin(&b, &o, true, 0);
        assert_ok(ig_trainer_step(t.trainer, &r, &err), &err);
        assert_int_equal(r.head[IG_HEAD_MASKED].n, 0);
        assert_int_equal(r.head[IG_HEAD_NEXT].n, 16);
        norm[k] = r.norm;
        end(&t);
    }
    assert_true(norm[0] > 1e-3);
    for (int k = 1; k < 3; k++)
        assert_true(fabs(norm[k] - norm[0]) < 1e-5 * norm[0]);
}

/* Sequences of an epoch: sentences, or pairs of stretches of documents. */
static int32_t sequences(const ig_batch_options *b)
{
    return b->instances == IG_INSTANCES_PAIRS ? N / 4 : N;
}

/* The gradient of an update of a whole epoch in `accum` micro-batches, without dropout. */
typedef struct {
    float *g;
    int64_t n, n_masked, n_token;
    double norm;
} gradient;

static gradient gradient_of(const ig_batch_options *batching, int64_t accum, bool mean)
{
    ig_batch_options b = *batching;
    ig_trainer_options o = usual(accum, 0);
    ig_trainer_report r = {0};
    o.set.accum_mean = mean;
    b.batch = (int32_t)(sequences(batching) / accum);
    training t = begin(&b, &o, b.instances == IG_INSTANCES_PAIRS, 0);
    assert_ok(ig_trainer_step(t.trainer, &r, &err), &err);
    gradient g = {.n = ig_bert_n_weight(t.model),
                  .n_masked = r.head[IG_HEAD_MASKED].n,
                  .n_token = r.n_token,
                  .norm = r.norm};
    g.g = malloc((size_t)g.n * sizeof *g.g);
    assert_non_null(g.g);
    memcpy(g.g, ig_engine_gradient(t.engine), (size_t)g.n * sizeof *g.g);
    end(&t);
    return g;
}

static double distance(const gradient *a, const gradient *b)
{
    double sum = 0;
    for (int64_t i = 0; i < a->n; i++)
        sum += ((double)a->g[i] - (double)b->g[i]) * ((double)a->g[i] - (double)b->g[i]);
    return sqrt(sum);
}

/* The mean of the norms of the gradients of single sequences, which is about the sum of those that
 * they have in an update of all of them. */
static double sum_of_norms(const ig_batch_options *batching)
{
    ig_batch_options b = *batching;
    const ig_trainer_options o = usual(1, 0);
    double sum = 0;
    b.batch = 1;
    training t = begin(&b, &o, b.instances == IG_INSTANCES_PAIRS, 0);
    for (int i = 0; i < sequences(batching); i++) {
        ig_trainer_report r = {0};
        assert_ok(ig_trainer_step(t.trainer, &r, &err), &err);
        sum += r.norm;
    }
    end(&t);
    return sum / sequences(batching);
}

/* Micro-batches of one sequence and of more against one batch, where they have unequal numbers of
 * targets and the masks are the same. A sum of n float32 terms in any order is within n
 * 2⁻²⁴ Σ |terms|; the terms of a gradient are those of its tokens, and Σ |terms| is taken
 * for the sum of the norms of single sequences' gradients. Two such sums are compared.
 * The mean of means is another gradient, by far. */
static void accumulation_is_one_batch(void **state)
{
    (void)state;
    const ig_batch_options lines = {.mask_prob = .3, .mask_share = 1, .static_masks = true},
                           pairs = {.mask_prob = .3,
                                    .mask_share = 1,
                                    .instances = IG_INSTANCES_PAIRS,
                                    .document = 4,
                                    .static_masks = true};
    const ig_batch_options *const of[] = {&lines, &pairs};
    for (int k = 0; k < 2; k++) {
        const gradient whole = gradient_of(of[k], 1, false);
        const double far = 2 * (double)whole.n_token * 0x1p-24 * sum_of_norms(of[k]);
        for (int64_t accum = 4; accum <= sequences(of[k]); accum *= 4) {
            const gradient parts = gradient_of(of[k], accum, false),
                           means = gradient_of(of[k], accum, true);
            assert_true(parts.n_masked == whole.n_masked && parts.n_token == whole.n_token);
            assert_true(distance(&parts, &whole) <= far);
            assert_true(fabs(parts.norm - whole.norm) <= far);
            assert_true(distance(&means, &whole) > 10 * far);
            free(parts.g);
            free(means.g);
        }
        free(whole.g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropout_is_another_in_every_step),
        cmocka_unit_test(a_gradient_is_the_mean_of_its_parts),
        cmocka_unit_test(accumulation_is_one_batch),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
