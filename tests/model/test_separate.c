/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a model that each language has of its own: the list as text; two languages that share
 * nothing are two models bit for bit, and languages that share everything are one; what a batch of
 * both leaves in each part's gradient.
 */
#include "engine_fixture.h"
#include "model/bert_params.h"
#include "model/separate.h"
#include "train/optimizer.h"

#include <math.h>

static ig_bert_config shape(void)
{
    ig_bert_config c = ig_bert_config_small(90);
    c.num_hidden_layers = 3;
    c.hidden_size = 32;
    c.num_attention_heads = 2;
    c.intermediate_size = 48;
    c.max_position_embeddings = 64;
    return c;
}

static ig_bert_separate parts(const char *text)
{
    ig_bert_separate s;
    ig_err err;
    assert_ok(ig_bert_separate_parse(&s, text, 12, "separate", &err), &err);
    return s;
}

static void list_as_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *normal;
    } good[] = {
        {NULL, ""},
        {" ; ;", ""},
        {"layers=1-3", "layers=1-3"},
        {"layers=12;layers=1", "layers=1,12"},
        {"layers", "layers=1-12"},
        {"embeddings", "words; positions; segments; norm"},
        {"bias; head", "head; bias"},
        {"output", "output"},
        {"all", "words; positions; segments; norm; layers=1-12; head; output"},
    };
    char out[4096], again[4096];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ig_bert_separate s = parts(good[i].text);
        ig_bert_separate_print(&s, 12, out, sizeof out);
        assert_string_equal(out, good[i].normal);
        assert_int_equal(ig_bert_separate_any(&s), out[0] != '\0');
        s = parts(out);
        ig_bert_separate_print(&s, 12, again, sizeof again);
        assert_string_equal(again, out);
    }
    static const struct {
        const char *text, *said, *hint;
    } bad[] = {
        {"word", "no part 'word'", "did you mean 'words'?"},
        {"words=1", "no part 'words=1'", NULL},
        {"layers=", "layers are ''", NULL},
        {"layers=1 , 2", "layers are", NULL},
        {"layers=3-1", "layers are '3-1'", NULL},
        {"layers=0", "no layer 0: the model has 1 to 12", NULL},
        {"layers=11-13", "no layer 13", NULL},
        {"layers=1,2,1-3", "layer 1 is there twice", NULL},
        {"layers=99999999", "layers are", NULL},
        {"output; bias", "bias is there twice", NULL},
        {"all; words", "words is there twice", NULL},
        {"embeddings, layers", "no part 'embeddings, layers'", NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_bert_separate s;
        ig_err err = {0};
        assert_int_equal(ig_bert_separate_parse(&s, bad[i].text, 12, "separate", &err),
                         IG_ERR_USAGE);
        if (strstr(err.msg, bad[i].said) == NULL)
            fail_msg("%s: %s", bad[i].text, err.msg);
        if (bad[i].hint != NULL)
            assert_string_equal(err.hint, bad[i].hint);
    }
}

static const int lengths[] = {9, 30, 4, 17, 22, 8, 12, 26, 5, 19};
enum { n_length = sizeof lengths / sizeof *lengths, n_step = 9 };

/* Every sequence in one language. */
static test_batch batch_in(const ig_bert_config *c, int32_t language, uint64_t seed)
{
    test_batch t = make_batch(c, lengths, n_length, 0.3, seed);
    for (int s = 0; s < n_length; s++)
        ((int32_t *)(uintptr_t)t.b.language)[s] = language;
    return t;
}

typedef struct {
    ig_bert *m;
    ig_engine *e;
    ig_optimizer *o;
} trainer;

static trainer trainer_of(ig_bert *m, ig_team *team)
{
    const ig_optimizer_options adam = {0.9, 0.999, 1e-6, 0.01, 0, IG_ADAM_HF28};
    trainer t = {.m = m, .e = make_engine(m, team, NULL)};
    ig_err err;
    assert_ok(ig_optimizer_new(&t.o, m, &adam, ig_ops_best(), team, &err), &err);
    return t;
}

static void trainer_free(trainer *t)
{
    ig_optimizer_free(t->o);
    ig_engine_free(t->e);
    ig_bert_free(t->m);
}

/* One update, of what `language` has and what is shared. */
static double update(trainer *t, const ig_batch *b, int step, int language)
{
    bool active[IG_BERT_MAX_LANGUAGE] = {false};
    ig_pass pass = make_pass(true);
    ig_err err;
    pass.step = (uint32_t)step;
    pass.scale[IG_HEAD_MASKED] = 1.0f / (float)b->target[IG_HEAD_MASKED].n;
    active[language] = true;
    const double loss = run_train(t->e, b, &pass);
    assert_ok(ig_optimizer_step_languages(t->o, ig_engine_gradient(t->e), active, 1e-3 * (1 + step),
                                          NULL, &err),
              &err);
    ig_engine_weights_changed(t->e);
    return loss;
}

static void same_weights(const ig_bert *a, const ig_bert *b)
{
    assert_int_equal(ig_bert_n_param(a), ig_bert_n_param(b));
    for (int i = 0; i < ig_bert_n_param(a); i++) {
        const ig_bert_param *p = &ig_bert_params(a)[i], *q = &ig_bert_params(b)[i];
        assert_string_equal(p->name, q->name);
        assert_memory_equal(ig_bert_weights((ig_bert *)(uintptr_t)a) + p->offset,
                            ig_bert_weights((ig_bert *)(uintptr_t)b) + q->offset,
                            (size_t)p->rows * (size_t)p->cols * sizeof(float));
    }
}

static ig_bert *view(const ig_bert *m, int language)
{
    ig_bert *v;
    ig_err err;
    assert_ok(ig_bert_view(&v, m, language, &err), &err);
    assert_int_equal(ig_bert_n_language(ig_bert_get_config(v)), 1);
    return v;
}

/* One language a batch, clipping off: joint training of languages with everything separate leaves,
 * in each language's view, the bits of a training of that language alone from the same start. */
static void nothing_shared_is_independent(void **state)
{
    (void)state;
    static const int order[n_step] = {0, 1, 1, 0, 2, 1, 0, 2, 2};
    for (int untied = 0; untied < 2; untied++) {
        ig_bert_config c = shape();
        c.untied = untied;
        c.n_language = 3;
        c.separate = parts("all");
        for (int l = 3; l < 12; l++)
            c.separate.layer[0] &= ~((uint64_t)1 << l);
        ig_team *team = make_team(2);
        trainer joint = trainer_of(make_model(&c, 7), team);
        trainer alone[3];
        for (int k = 0; k < 3; k++)
            alone[k] = trainer_of(view(joint.m, k), team);
        for (int k = 1; k < 3; k++) /* each begins with draws of its own */
            assert_memory_not_equal(ig_bert_weights(alone[k].m), ig_bert_weights(alone[0].m), 400);
        const ig_bert_config plain = *ig_bert_get_config(alone[0].m);
        trainer first = trainer_of(make_model(&plain, 7), team); /* the first is the plain model */
        same_weights(first.m, alone[0].m);
        for (int s = 0; s < n_step; s++) {
            test_batch t = batch_in(&c, order[s], (uint64_t)s);
            const double loss = update(&joint, &t.b, s, order[s]);
            test_batch u = batch_in(&c, 0, (uint64_t)s);
            assert_true(update(&alone[order[s]], &u.b, s, 0) == loss);
            if (order[s] == 0)
                assert_true(update(&first, &u.b, s, 0) == loss);
            free_batch(&t);
            free_batch(&u);
        }
        for (int k = 0; k < 3; k++) {
            ig_bert *v = view(joint.m, k);
            same_weights(v, alone[k].m);
            ig_bert_free(v);
        }
        same_weights(first.m, alone[0].m);
        for (int k = 0; k < 3; k++)
            trainer_free(&alone[k]);
        trainer_free(&first);
        trainer_free(&joint);
        ig_team_free(team);
    }
}

/* Languages of which none has anything of its own are the plain model, whatever batches hold. */
static void everything_shared_is_the_plain_model(void **state)
{
    (void)state;
    ig_bert_config c = shape();
    trainer plain = trainer_of(make_model(&c, 7), NULL);
    c.n_language = 2;
    trainer shared = trainer_of(make_model(&c, 7), NULL);
    for (int s = 0; s < n_step; s++) {
        test_batch t = make_batch(&c, lengths, n_length, 0.3, (uint64_t)s);
        const double loss = update(&shared, &t.b, s, s % 2);
        t.b.language = NULL;
        assert_true(update(&plain, &t.b, s, 0) == loss);
        free_batch(&t);
    }
    same_weights(plain.m, shared.m);
    trainer_free(&plain);
    trainer_free(&shared);
}

/* Bounds float32 sums over other shards: as same_gradient of test_engine.c. */
static void near(const float *got, const float *want, const float *more, int64_t n,
                 const char *name)
{
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = (double)want[i] + (more != NULL ? (double)more[i] : 0);
        difference += ((double)got[i] - w) * ((double)got[i] - w);
        norm += w * w;
    }
    if (strstr(name, "key.bias") != NULL)
        norm = 1e-2;
    if (!(sqrt(difference) <= 1e-4 * sqrt(norm)))
        fail_msg("%s: off by %g of %g", name, sqrt(difference), sqrt(norm));
}

/* A batch of both languages: a part's gradient is that of its language's sequences in its
 * language's view, a shared part's the sum of both; losses are the views'. Every kind of sharing.
 */
static void gradients_of_a_mixed_batch(void **state)
{
    (void)state;
    static const char *const sharing[] = {
        "words",    "positions",        "segments; bias", "norm",
        "layers=1", "layers=2-3; head", "output; words",  "embeddings; layers=3",
        "output"};
    for (size_t i = 0; i < sizeof sharing / sizeof *sharing; i++) {
        ig_bert_config c = shape();
        c.n_language = 2;
        c.separate = parts(sharing[i]);
        c.untied = i == sizeof sharing / sizeof *sharing - 1;
        c.position = i % 2 == 1 ? IG_POSITION_RELATIVE_KEY : IG_POSITION_LEARNED;
        ig_bert *m = make_model(&c, 3);
        stir(m, 0.2, 4);
        ig_engine *e = make_engine(m, NULL, NULL);
        test_batch t = make_batch(&c, lengths, n_length, 0.3, 5);
        const ig_pass pass = make_pass(false);
        double loss = run_train(e, &t.b, &pass);
        ig_bert *v[2];
        ig_engine *ve[2];
        for (int k = 0; k < 2; k++) {
            const int from = k * n_length / 2, n = n_length / 2, at = t.b.seq_start[from];
            int32_t start[n_length], row[400], label[400];
            int n_pred = 0;
            for (int s = 0; s <= n; s++)
                start[s] = t.b.seq_start[from + s] - at;
            for (int p = 0; p < t.b.target[IG_HEAD_MASKED].n; p++)
                if (t.b.target[IG_HEAD_MASKED].row[p] >= at &&
                    t.b.target[IG_HEAD_MASKED].row[p] < at + start[n]) {
                    row[n_pred] = t.b.target[IG_HEAD_MASKED].row[p] - at;
                    label[n_pred++] = t.b.target[IG_HEAD_MASKED].label[p];
                }
            const ig_batch half = {
                .n_seq = n,
                .n_tok = start[n],
                .seq_start = start,
                .id = t.b.id + at,
                .pos = t.b.pos + at,
                .seg = t.b.seg + at,
                .target[IG_HEAD_MASKED] = {.n = n_pred, .row = row, .label = label}};
            v[k] = view(m, k);
            ve[k] = make_engine(v[k], NULL, NULL);
            loss -= run_train(ve[k], &half, &pass);
        }
        assert_true(fabs(loss) < 1e-3);
        for (int p = 0; p < ig_bert_n_param(m); p++) {
            const ig_bert_param *a = &ig_bert_params(m)[p];
            const int k = a->language < 0 ? 0 : a->language;
            const ig_bert_param *b =
                ig_bert_param_find(v[k], k == 0 ? a->name : a->name + strlen("language.1."));
            assert_non_null(b);
            near(ig_engine_gradient(e) + a->offset, ig_engine_gradient(ve[k]) + b->offset,
                 a->language < 0 ? ig_engine_gradient(ve[1]) + b->offset : NULL,
                 (int64_t)a->rows * a->cols, a->name);
        }
        for (int k = 0; k < 2; k++) {
            ig_engine_free(ve[k]);
            ig_bert_free(v[k]);
        }
        ig_engine_free(e);
        ig_bert_free(m);
        free_batch(&t);
    }
}

/* A part that the model has not is refused where it is named, and no matter in a group. */
static void parts_that_are_not_there(void)
{
    static const struct {
        const char *parts, *group, *what;
        ig_position_kind position;
        bool no_transform, pre_norm;
    } bad[] = {
        {"positions", "embeddings", "position-type none", IG_POSITION_NONE, false, false},
        {"positions; words", "all", "position-type rotary", IG_POSITION_ROTARY, false, false},
        {"norm; layers", "embeddings", "no LayerNorm", IG_POSITION_LEARNED, false, true},
        {"head", "all", "without the transform", IG_POSITION_LEARNED, true, false},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_bert_config c = shape();
        ig_err err;
        c.n_language = 2;
        c.separate = parts(bad[i].parts);
        c.separate.layer[0] &= 7;
        assert_ok(ig_bert_config_check(&c, "x", &err), &err);
        c.position = bad[i].position;
        c.no_transform = bad[i].no_transform;
        c.block = bad[i].pre_norm ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        assert_int_equal(ig_bert_config_check(&c, "x", &err), IG_ERR_USAGE);
        assert_non_null(strstr(err.msg, bad[i].what));
        c.separate = parts(bad[i].group);
        c.separate.layer[0] &= 7;
        assert_ok(ig_bert_config_check(&c, "x", &err), &err);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    ig_bert_config c = shape();
    ig_err err;
    c.n_language = 2;
    c.separate = parts("output");
    assert_int_equal(ig_bert_config_check(&c, "x", &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "tied to the words"));
    c.untied = true;
    assert_ok(ig_bert_config_check(&c, "x", &err), &err);
    parts_that_are_not_there();
    c.separate = parts("layers=4");
    assert_int_equal(ig_bert_config_check(&c, "x", &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "layer 4 is separate"));
    c.separate = parts("layers=1");
    c.n_language = 33;
    assert_int_equal(ig_bert_config_check(&c, "x", &err), IG_ERR_USAGE);
    c.n_language = 2;
    ig_bert *m = make_model(&c, 1);
    ig_engine *e = make_engine(m, NULL, NULL);
    test_batch t = batch_in(&c, 2, 1);
    assert_int_equal(ig_engine_predict(e, &t.b, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "language of sequence 0 is 2, expected 0 to 1"));
    free_batch(&t);
    ig_engine_free(e);
    ig_bert_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_as_text),
        cmocka_unit_test(nothing_shared_is_independent),
        cmocka_unit_test(everything_shared_is_the_plain_model),
        cmocka_unit_test(gradients_of_a_mixed_batch),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
