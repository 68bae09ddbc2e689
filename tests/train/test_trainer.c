/* SPDX-License-Identifier: Apache-2.0
 *
 * The trainer on batches that a callback makes, and groups of parameters: both against updates that
 * are made by hand.
 */
#include "engine_fixture.h"
#include "train/trainer.h"

static ig_bert_config small_model(void)
{
    ig_bert_config c = ig_bert_config_small(40);
    c.hidden_size = 12;
    c.num_hidden_layers = 2;
    c.intermediate_size = 20;
    c.max_position_embeddings = 16;
    c.initializer_range = 0.3f;
    c.head[IG_HEAD_NEXT].n_label = 2;
    return c;
}

enum { n_batch = 4, accum = 2 };

typedef struct {
    test_batch batch[n_batch];
    int32_t room[n_batch][12];
    int n_asked;
} batches;

static void make_batches(batches *b, const ig_bert_config *c)
{
    static const int32_t next[6] = {1, 0, -1, 0, 1, 0};
    for (int i = 0; i < n_batch; i++) {
        b->batch[i] = make_batch(c, (int[]){9, 4, 16, 7, 2, 11}, 6, 0.3, 10 + (uint64_t)i);
        set_next(&b->batch[i].b, next, b->room[i]);
    }
}

static ig_code get(void *of, int64_t i, ig_batch *out, ig_err *err)
{
    batches *b = of;
    (void)err;
    b->n_asked++;
    *out = b->batch[i % n_batch].b;
    return IG_ERR_OK;
}

static const ig_trainer_options options = {
    .n_update = 10,
    .set = {.accum = accum,
            .accum_mean = true,
            .lr = 1e-2,
            .schedule = IG_SCHEDULE_CONSTANT,
            .seed = 5,
            .adam = {.beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6, .weight_decay = 0.1, .clip = 0.5}},
    .weight = {[IG_HEAD_NEXT] = 0.25}};

/* Each head's mean loss, times its weight, over the micro-batches of an update. */
static void an_update_by_hand(void **state)
{
    (void)state;
    ig_err err;
    const ig_bert_config c = small_model();
    ig_bert *m[2] = {make_model(&c, 3), make_model(&c, 3)};
    ig_engine *e[2] = {make_engine(m[0], NULL, NULL), make_engine(m[1], NULL, NULL)};
    batches b = {.n_asked = 0};
    make_batches(&b, &c);
    ig_trainer *t;
    ig_optimizer *o;
    ig_trainer_options with = options;
    with.source = (ig_trainer_source){.get = get, .of = &b, .steps_per_epoch = n_batch};
    assert_ok(ig_trainer_new(&t, m[0], e[0], &with, NULL, &err), &err);
    assert_ok(ig_optimizer_new(&o, m[1], &options.set.adam, ig_ops_best(), NULL, &err), &err);
    for (int u = 0; u < 3; u++) {
        ig_trainer_report r;
        double loss[IG_N_HEAD] = {0}, norm;
        assert_ok(ig_trainer_step(t, &r, &err), &err);
        ig_engine_gradient_clear(e[1]);
        for (int i = u * accum; i < (u + 1) * accum; i++) {
            const ig_batch *x = &b.batch[i % n_batch].b;
            const ig_pass pass = {
                .dropout_key = ig_rng_key_make(5, IG_STREAM_DROPOUT),
                .step = (uint32_t)i,
                .dropout = true,
                .scale = {[IG_HEAD_MASKED] = (float)(1.0 / (x->target[IG_HEAD_MASKED].n * accum)),
                          [IG_HEAD_NEXT] = (float)(0.25 / (5 * accum))}};
            assert_ok(ig_engine_train(e[1], x, &pass, &err), &err);
            for (int h = 0; h < IG_N_HEAD; h++)
                loss[h] += ig_engine_result(e[1], (ig_head_kind)h).loss;
        }
        assert_ok(ig_optimizer_step(o, ig_engine_gradient(e[1]), 1e-2, &norm, &err), &err);
        ig_engine_weights_changed(e[1]);
        assert_int_equal(r.update, u + 1);
        assert_int_equal(b.n_asked, accum * (u + 1));
        assert_true(r.norm == norm);
        for (int h = 0; h < IG_N_HEAD; h++)
            assert_true(r.head[h].loss == loss[h]);
        assert_int_equal(r.head[IG_HEAD_NEXT].n, 5 * accum);
        assert_memory_equal(ig_bert_weights(m[0]), ig_bert_weights(m[1]),
                            (size_t)ig_bert_n_weight(m[0]) * sizeof(float));
    }
    ig_trainer_free(t);
    ig_optimizer_free(o);
    for (int i = 0; i < 2; i++) {
        ig_engine_free(e[i]);
        ig_bert_free(m[i]);
    }
    for (int i = 0; i < n_batch; i++)
        free_batch(&b.batch[i]);
}

/* An update of two micro-batches, whose targets weigh the same whatever batch they are in, and
 * whose CRF has the sum of its sentences' losses, not their mean: by hand. */
static void targets_weigh_the_same(void **state)
{
    (void)state;
    static int32_t row[n_batch][6], label[6] = {1, 0, 2, 0, 1, 2};
    ig_bert_config c = small_model();
    c.head[IG_HEAD_CRF].n_label = 3;
    for (int sum = 0; sum < 2; sum++) {
        c.head[IG_HEAD_CRF].sum = sum == 1;
        ig_bert *m[2] = {make_model(&c, 3), make_model(&c, 3)};
        ig_engine *e[2] = {make_engine(m[0], NULL, NULL), make_engine(m[1], NULL, NULL)};
        batches b = {.n_asked = 0};
        make_batches(&b, &c);
        for (int i = 0; i < n_batch; i++) {
            const int n = 6 - 3 * (i % 2); /* sentences, of a word each */
            memcpy(row[i], b.batch[i].b.seq_start, sizeof row[i]);
            b.batch[i].b.target[IG_HEAD_CRF] = (ig_targets){.n = n, .row = row[i], .label = label};
        }
        ig_err err;
        ig_trainer *t;
        ig_trainer_report r;
        ig_trainer_options with = options;
        with.set.accum_mean = false;
        with.source = (ig_trainer_source){.get = get, .of = &b, .steps_per_epoch = n_batch};
        assert_ok(ig_trainer_new(&t, m[0], e[0], &with, NULL, &err), &err);
        assert_ok(ig_trainer_step(t, &r, &err), &err);
        ig_engine_gradient_clear(e[1]);
        const int n = b.batch[0].b.target[IG_HEAD_MASKED].n + b.batch[1].b.target[IG_HEAD_MASKED].n;
        assert_int_not_equal(n, 2 * b.batch[0].b.target[IG_HEAD_MASKED].n);
        for (int i = 0; i < accum; i++) {
            const ig_pass pass = {.dropout_key = ig_rng_key_make(5, IG_STREAM_DROPOUT),
                                  .step = (uint32_t)i,
                                  .dropout = true,
                                  .scale = {[IG_HEAD_MASKED] = (float)(1.0 / n),
                                            [IG_HEAD_NEXT] = (float)(0.25 / 10),
                                            [IG_HEAD_CRF] = sum == 1 ? 1 : (float)(1.0 / 9)}};
            assert_ok(ig_engine_train(e[1], &b.batch[i].b, &pass, &err), &err);
        }
        assert_memory_equal(ig_engine_gradient(e[0]), ig_engine_gradient(e[1]),
                            (size_t)ig_bert_n_weight(m[0]) * sizeof(float));
        ig_trainer_free(t);
        for (int i = 0; i < 2; i++) {
            ig_engine_free(e[i]);
            ig_bert_free(m[i]);
        }
        for (int i = 0; i < n_batch; i++)
            free_batch(&b.batch[i]);
    }
}

/* XTREME's order of scheduler and optimizer: (T − 1)/T at first, 0 at last. */
static void an_early_schedule(void **state)
{
    (void)state;
    ig_err err;
    const ig_bert_config c = small_model();
    ig_bert *m = make_model(&c, 3);
    ig_engine *e = make_engine(m, NULL, NULL);
    batches b = {.n_asked = 0};
    make_batches(&b, &c);
    ig_trainer_options o = options;
    o.set.schedule = IG_SCHEDULE_LINEAR;
    o.n_update = 4;
    o.set.early = true;
    ig_trainer *t;
    o.source = (ig_trainer_source){.get = get, .of = &b, .steps_per_epoch = n_batch};
    assert_ok(ig_trainer_new(&t, m, e, &o, NULL, &err), &err);
    for (int u = 0; u < 4; u++) {
        ig_trainer_report r;
        assert_ok(ig_trainer_step(t, &r, &err), &err);
        assert_true(fabs(r.lr - o.set.lr * (3 - u) / 4) < 1e-15);
    }
    ig_trainer_free(t);
    ig_engine_free(e);
    ig_bert_free(m);
    for (int i = 0; i < n_batch; i++)
        free_batch(&b.batch[i]);
}

/* Two optimizers with groups against plain ones of those rates and decays, tensor by tensor. */
static void groups(void **state)
{
    (void)state;
    ig_err err;
    const ig_bert_config c = small_model();
    ig_bert *m = make_model(&c, 3), *slow = make_model(&c, 3), *plain = make_model(&c, 3);
    const int64_t n = ig_bert_n_weight(m);
    float *g = calloc((size_t)n, sizeof *g);
    assert_non_null(g);
    ig_optimizer_options oo = options.set.adam;
    oo.clip = 0;
    ig_optimizer *o, *os, *op;
    assert_ok(ig_optimizer_new(&o, m, &oo, ig_ops_best(), NULL, &err), &err);
    assert_ok(ig_optimizer_new(&op, plain, &oo, ig_ops_best(), NULL, &err), &err);
    oo.weight_decay = 0.5;
    assert_ok(ig_optimizer_new(&os, slow, &oo, ig_ops_best(), NULL, &err), &err);
    const ig_bert_param *word = ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight"),
                        *query = ig_bert_param_find(
                            m, "bert.encoder.layer.1.attention.self.query.weight");
    ig_optimizer_set_group(o, word, &(ig_param_group){.rate = 1, .frozen = true});
    ig_optimizer_set_group(o, query, &(ig_param_group){.rate = 0.25, .decay = 0.5});
    assert_true(ig_optimizer_get_group(o, query).rate == 0.25);
    for (int u = 0; u < 3; u++) {
        double norm, all, sum = 0;
        ig_rng r = ig_rng_make(7, IG_STREAM_TEST, (uint64_t)u, 0);
        for (int64_t i = 0; i < n; i++)
            g[i] = (float)ig_rng_normal(&r);
        assert_ok(ig_optimizer_step(o, g, 1e-2, &norm, &err), &err);
        assert_ok(ig_optimizer_step(op, g, 1e-2, &all, &err), &err);
        assert_ok(ig_optimizer_step(os, g, 0.25e-2, NULL, &err), &err);
        for (int64_t i = 0; i < (int64_t)word->rows * word->cols; i++)
            sum += (double)g[word->offset + i] * (double)g[word->offset + i];
        assert_true(fabs(norm * norm + sum - all * all) < 1e-9 * all * all);
    }
    ig_bert *first = make_model(&c, 3);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const ig_bert *want = p == word ? first : p == query ? slow : plain;
        assert_memory_equal(ig_bert_weights(m) + p->offset,
                            ig_bert_weights((ig_bert *)(uintptr_t)want) + p->offset,
                            (size_t)p->rows * (size_t)p->cols * sizeof(float));
    }
    ig_optimizer_free(o);
    ig_optimizer_free(op);
    ig_optimizer_free(os);
    ig_bert_free(m);
    ig_bert_free(slow);
    ig_bert_free(plain);
    ig_bert_free(first);
    free(g);
}

/* Freezes the lowest `below` layers and the embeddings, and of all tensors those whose name holds
 * one of `some`. */
typedef struct {
    int below; /* −1: not even the embeddings */
    const char *some[2];
    ig_precision precision;
    int n_thread;
} freezing;

static bool is_frozen(const char *name, const freezing *f)
{
    char layer[40];
    if (f->below >= 0 && strstr(name, "bert.embeddings.") != NULL)
        return true;
    for (int l = 0; l < f->below; l++) {
        snprintf(layer, sizeof layer, "encoder.layer.%d.", l);
        if (strstr(name, layer) != NULL)
            return true;
    }
    for (int i = 0; i < 2; i++)
        if (f->some[i] != NULL && strstr(name, f->some[i]) != NULL)
            return true;
    return false;
}

/* Frozen tensors get no gradient, and what is trained has the bits that it has when all gradients
 * are computed: an engine that is not told against one that is (the trainer's). */
static void frozen_parts(const ig_bert_config *c, const freezing *f)
{
    ig_err err;
    ig_bert *m[2] = {make_model(c, 3), make_model(c, 3)};
    ig_team *team;
    ig_engine *e[2];
    assert_ok(ig_team_new(&team, f->n_thread, &err), &err);
    for (int i = 0; i < 2; i++)
        assert_ok(ig_engine_new(&e[i], m[i], team, NULL, f->precision, &err), &err);
    batches b = {.n_asked = 0};
    make_batches(&b, c);
    ig_trainer *t;
    ig_optimizer *o;
    ig_trainer_options with = options;
    with.source = (ig_trainer_source){.get = get, .of = &b, .steps_per_epoch = n_batch};
    assert_ok(ig_trainer_new(&t, m[0], e[0], &with, team, &err), &err);
    assert_ok(ig_optimizer_new(&o, m[1], &options.set.adam, ig_ops_best(), team, &err), &err);
    for (int i = 0; i < ig_bert_n_param(m[0]); i++) {
        const ig_bert_param *p[2] = {&ig_bert_params(m[0])[i], &ig_bert_params(m[1])[i]};
        ig_param_group g = ig_optimizer_get_group(o, p[1]);
        g.frozen |= is_frozen(p[0]->name, f);
        ig_optimizer_set_group(ig_trainer_optimizer(t), p[0], &g);
        ig_optimizer_set_group(o, p[1], &g);
    }
    for (int u = 0; u < 3; u++) {
        ig_trainer_report r;
        double norm;
        assert_ok(ig_trainer_step(t, &r, &err), &err);
        ig_engine_gradient_clear(e[1]);
        for (int i = u * accum; i < (u + 1) * accum; i++) {
            const ig_batch *x = &b.batch[i % n_batch].b;
            const ig_pass pass = {
                .dropout_key = ig_rng_key_make(5, IG_STREAM_DROPOUT),
                .step = (uint32_t)i,
                .dropout = true,
                .scale = {[IG_HEAD_MASKED] = (float)(1.0 / (x->target[IG_HEAD_MASKED].n * accum)),
                          [IG_HEAD_NEXT] = (float)(0.25 / (5 * accum))}};
            assert_ok(ig_engine_train(e[1], x, &pass, &err), &err);
        }
        assert_ok(ig_optimizer_step(o, ig_engine_gradient(e[1]), 1e-2, &norm, &err), &err);
        ig_engine_weights_changed(e[1]);
        assert_true(r.norm == norm && norm > 0);
    }
    assert_memory_equal(ig_bert_weights(m[0]), ig_bert_weights(m[1]),
                        (size_t)ig_bert_n_weight(m[0]) * sizeof(float));
    for (int i = 0; i < ig_bert_n_param(m[0]); i++) {
        const ig_bert_param *p = &ig_bert_params(m[0])[i];
        const float *g = ig_engine_gradient(e[0]) + p->offset;
        /* Query, key and value are one product. */
        if (!is_frozen(p->name, f) || strstr(p->name, ".self.") != NULL)
            continue;
        for (int64_t k = 0; k < (int64_t)p->rows * p->cols; k++)
            assert_true(g[k] == 0);
    }
    ig_trainer_free(t);
    ig_optimizer_free(o);
    for (int i = 0; i < 2; i++) {
        ig_engine_free(e[i]);
        ig_bert_free(m[i]);
    }
    for (int i = 0; i < n_batch; i++)
        free_batch(&b.batch[i]);
    ig_team_free(team);
}

static void frozen_tensors_change_no_bit_of_others(void **state)
{
    (void)state;
    static const char *const some[][2] = {
        {NULL, NULL},    {".output.", NULL},        {".weight", NULL}, /* biases alone train */
        {".bias", NULL}, {"LayerNorm", "distance"}, {"word_embeddings", "query"}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (int below = -1; below <= 3; below++) {
            const freezing f = {
                below, {some[i][0], some[i][1]}, IG_PRECISION_F32, 1 + (below == 1)};
            ig_bert_config c = small_model();
            c.num_hidden_layers = 3;
            frozen_parts(&c, &f);
            c.block = IG_BLOCK_PRE_NORM;
            frozen_parts(&c, &f);
            c.position = IG_POSITION_RELATIVE_KEY_QUERY;
            frozen_parts(&c, &f);
            ig_bert_config narrow = small_model(); /* whose LayerNorms stay in registers */
            narrow.hidden_size = 64;
            narrow.num_attention_heads = 2;
            frozen_parts(&narrow, &f);
        }
    ig_bert_config large = small_model(); /* whose ops run over the team */
    large.hidden_size = 256;
    large.num_attention_heads = 4;
    large.intermediate_size = 64;
    for (size_t i = 1; i < sizeof some / sizeof *some; i++)
        frozen_parts(&large, &(freezing){-1, {some[i][0], some[i][1]}, IG_PRECISION_F32, 2});
    const ig_ops *ops;
    ig_err err;
    if (ig_engine_ops(&ops, IG_PRECISION_BF16, &err) != IG_ERR_OK)
        return; /* this CPU has none */
    ig_bert_config half = small_model();
    half.hidden_size = 64;
    half.num_attention_heads = 2;
    half.intermediate_size = 64;
    for (size_t i = 1; i < sizeof some / sizeof *some; i++)
        frozen_parts(&half, &(freezing){-1, {some[i][0], some[i][1]}, IG_PRECISION_BF16, 2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_by_hand), cmocka_unit_test(targets_weigh_the_same),
        cmocka_unit_test(an_early_schedule), cmocka_unit_test(groups),
        cmocka_unit_test(frozen_tensors_change_no_bit_of_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
