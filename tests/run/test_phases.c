/* SPDX-License-Identifier: Apache-2.0
 *
 * Phases of a training: which sequences each has, how much is masked, which parts learn how fast;
 * and mistakes in their list.
 */
#include "instances_fixture.h"

#include "run/phases.h"

#include <math.h>

enum { UPDATES = 40, BORDER = 12, LAYERS = 2 };

static ig_run_config settings(const char *phases)
{
    ig_run_config c = {0};
    ig_err err;
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    const ig_setting set[] = {{"languages", "en; fake = shift", "test", 0},
                              {"updates", "40", "test", 0},
                              {"lr", "0.01", "test", 0},
                              {"phases", phases, "test", 0}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_ok(ig_options_set(&ig_run_options, &c, &set[i], &err), &err);
    assert_ok(ig_run_config_parse(&c, &err), &err);
    return c;
}

/* Sequences of language 1, and predicted tokens over all, of the updates from .. to − 1. */
static void count(ig_trainer_source s, int64_t from, int64_t to, double *second, double *predicted)
{
    double n = 0, n_second = 0, n_tok = 0, n_pred = 0;
    for (int64_t i = from; i < to; i++) {
        ig_batch b;
        ig_err err;
        assert_ok(s.get(s.of, i, &b, &err), &err);
        for (int32_t q = 0; q < b.n_seq; q++)
            n_second += b.language[q] == 1;
        n += b.n_seq;
        n_tok += b.n_tok - 2 * b.n_seq;
        n_pred += b.target[IG_HEAD_MASKED].n;
    }
    *second = n_second / n;
    *predicted = n_pred / n_tok;
}

static void batches_of_phases(void **state)
{
    (void)state;
    ig_err err;
    ig_corpus *corpus = make_corpus("shift");
    ig_run_config c = settings("[{until: 12, languages: [en], mask_prob: .5}, "
                               "{share: {en: 1, fake: 3}}]");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    for (int k = 0; k < IG_LANGUAGES_MAX; k++)
        o.share[k] = 1;
    o.alpha = 1;
    ig_phases *p;
    assert_ok(ig_phases_check(&c, LAYERS, &err), &err);
    assert_ok(ig_phases_open(&p, &c, corpus, &o, LAYERS, &err), &err);
    const ig_trainer_source s = ig_phases_source(p);
    double second, predicted;
    count(s, 0, BORDER, &second, &predicted);
    assert_true(second == 0);
    assert_true(fabs(predicted - .5) < .05);
    count(s, BORDER, UPDATES, &second, &predicted);
    assert_true(fabs(second - .75) < .03);
    assert_true(fabs(predicted - .3) < .05);
    ig_phases_free(p);
    ig_run_config_free(&c);
    ig_corpus_free(corpus);
}

/* A language that a phase leaves out does not come in pairs of tlm either. */
static void pairs_of_phases(void **state)
{
    (void)state;
    ig_err err;
    ig_corpus *corpus = make_corpus("shift");
    ig_run_config c = settings("[{until: 12, languages: [en]}, {}]");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    for (int k = 0; k < IG_LANGUAGES_MAX; k++)
        o.share[k] = 1;
    o.alpha = 1;
    o.tlm[0] = (ig_tlm_pair){0, 1};
    o.n_tlm = 1;
    o.tlm_share = 1;
    o.random_share = 0; /* random tokens are of any language */
    ig_phases *p;
    assert_ok(ig_phases_open(&p, &c, corpus, &o, LAYERS, &err), &err);
    const ig_trainer_source s = ig_phases_source(p);
    int pairs[2] = {0};
    for (int64_t i = 0; i < UPDATES; i++) {
        ig_batch b;
        assert_ok(s.get(s.of, i, &b, &err), &err);
        for (int32_t t = 0; t < b.n_tok; t++)
            pairs[i >= BORDER] += b.id[t] >= ig_corpus_language(corpus, 1)->first_id;
    }
    assert_int_equal(pairs[0], 0);
    assert_true(pairs[1] > 0);
    ig_phases_free(p);
    ig_run_config_free(&c);
    ig_corpus_free(corpus);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All phases have the same parallel sentences of a share of them, in orders of their own. */
static void same_pairs_in_phases(void **state)
{
    (void)state;
    enum { MOST_PAIRS = 40 * 64 };
    static uint64_t key[2][MOST_PAIRS];
    int n[2] = {0}, different[2];
    ig_err err;
    ig_corpus *corpus = make_corpus("shift");
    ig_run_config c = settings("[{until: 20}, {}]");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    o.tlm[0] = (ig_tlm_pair){0, 1};
    o.n_tlm = 1;
    o.tlm_share = .1;
    o.causal_share = 1; /* no token is masked */
    ig_phases *p;
    assert_ok(ig_phases_open(&p, &c, corpus, &o, LAYERS, &err), &err);
    const ig_trainer_source s = ig_phases_source(p);
    const int32_t copy = ig_corpus_language(corpus, 1)->first_id;
    for (int64_t i = 0; i < 20 + s.steps_per_epoch; i++) {
        ig_batch b;
        if (i >= s.steps_per_epoch && i < 20)
            continue;
        assert_ok(s.get(s.of, i, &b, &err), &err);
        for (int32_t q = 0; q < b.n_seq; q++) {
            uint64_t h = 0;
            bool has[2] = {false};
            for (int32_t t = b.seq_start[q]; t < b.seq_start[q + 1]; t++) {
                h = (h ^ (uint64_t)b.id[t]) * UINT64_C(0x100000001B3);
                has[b.id[t] >= copy] = has[b.id[t] >= copy] || b.id[t] >= 5;
            }
            if (has[0] && has[1] && n[i >= 20] < MOST_PAIRS)
                key[i >= 20][n[i >= 20]++] = h;
        }
    }
    assert_true(n[0] > 1 && n[0] == n[1]);
    different[0] = memcmp(key[0], key[1], (size_t)n[0] * sizeof **key);
    for (int k = 0; k < 2; k++)
        qsort(key[k], (size_t)n[k], sizeof **key, by_number);
    different[1] = memcmp(key[0], key[1], (size_t)n[0] * sizeof **key);
    assert_true(different[0] != 0 && different[1] == 0);
    ig_phases_free(p);
    ig_run_config_free(&c);
    ig_corpus_free(corpus);
}

/* A first phase that changes nothing has the batches of a run without phases. */
static void first_phase_is_the_run(void **state)
{
    (void)state;
    ig_err err;
    ig_corpus *corpus = make_corpus("shift");
    ig_run_config c = settings("[{until: 12}, {lr: .001}]");
    const ig_batch_options o = options(IG_INSTANCES_LINES);
    ig_phases *p;
    assert_ok(ig_phases_open(&p, &c, corpus, &o, LAYERS, &err), &err);
    const ig_trainer_source s = ig_phases_source(p);
    ig_batcher *plain;
    assert_ok(ig_batcher_new(&plain, corpus, &o, (uint64_t)c.optimisation.seed, &err), &err);
    for (int64_t i = 0; i < UPDATES; i++) {
        ig_batch a, b;
        assert_ok(s.get(s.of, i, &a, &err), &err);
        assert_ok(ig_batcher_get(plain, i, &b, &err), &err);
        const bool same =
            a.n_tok == b.n_tok && memcmp(a.id, b.id, (size_t)a.n_tok * sizeof *a.id) == 0;
        assert_true(same == (i < BORDER));
    }
    ig_batcher_free(plain);
    ig_phases_free(p);
    ig_run_config_free(&c);
    ig_corpus_free(corpus);
}

static void rates_and_frozen_parts(void **state)
{
    (void)state;
    ig_err err;
    ig_corpus *corpus = make_corpus("shift");
    ig_run_config c = settings("[{until: 12, freeze: words}, {lr: .001, freeze: layers 1}]");
    const ig_batch_options o = options(IG_INSTANCES_LINES);
    ig_bert_config shape = ig_bert_config_small(50);
    shape.num_hidden_layers = LAYERS;
    ig_bert *m;
    ig_team *team;
    ig_optimizer *adam;
    ig_phases *p;
    assert_ok(ig_phases_open(&p, &c, corpus, &o, LAYERS, &err), &err);
    assert_ok(ig_bert_new(&m, &shape, 1, &err), &err);
    assert_ok(ig_team_new(&team, 1, &err), &err);
    const ig_optimizer_options how = {.beta1 = .9, .beta2 = .999, .eps = 1e-8};
    assert_ok(ig_optimizer_new(&adam, m, &how, ig_ops_best(), team, &err), &err);
    const ig_trainer_source s = ig_phases_source(p);
    static const int64_t order[] = {0, 11, 12, 39, 3}; /* back, too, as after a resume */
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const double rate = s.begin(s.of, order[i], m, adam);
        assert_true(fabs(rate - (order[i] < BORDER ? 1 : .1)) < 1e-12);
        for (int k = 0; k < ig_bert_n_param(m); k++) {
            const ig_bert_param *a = &ig_bert_params(m)[k];
            const ig_param_group g = ig_optimizer_get_group(adam, a);
            const bool words = strcmp(a->name, "bert.embeddings.word_embeddings.weight") == 0,
                       first = strncmp(a->name, "bert.encoder.layer.0.", 21) == 0;
            assert_true(g.frozen == (order[i] < BORDER ? words : first));
        }
    }
    ig_optimizer_free(adam);
    ig_team_free(team);
    ig_bert_free(m);
    ig_phases_free(p);
    ig_run_config_free(&c);
    ig_corpus_free(corpus);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *phases, *part;
    } cases[] = {
        {"{}", "all phases: found a mapping, expected a list"},
        {"[]", "found 0 phases, expected 1 to 64"},
        {"[{until: 20}, {until: 10}]", "until 10, expected above 20"},
        {"[{}, {}]", "a phase before the last has no until"},
        {"[{until: 20}]", "the last ends at update 20"},
        {"[{until: 40}, {}]", "until 40, expected above 0 and below the run's 40 updates"},
        {"[{languages: [de]}]", "found language 'de'"},
        {"[{languages: [en, en]}]", "found language 'en' twice"},
        {"[{languages: []}]", "a phase without languages"},
        {"[{share: {en: -1}}]", "share of 'en' is -1"},
        {"[{share: {en: 0, fake: 0}}]", "all shares of a phase are 0"},
        {"[{languages: [en], share: {fake: 3}}]", "share of 'fake' is 3, but languages leaves it"},
        {"[{mask_prob: 0}]", "mask_prob is 0"},
        {"[{freeze: nothing}]", "found 'nothing', expected words"},
        {"[{rate: 1}]", "unknown key 'rate'"},
        {"[{until: 5", "phases"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_err err = {0};
        ig_run_config c = settings(cases[i].phases);
        assert_int_equal(ig_phases_check(&c, LAYERS, &err), IG_ERR_USAGE);
        if (strstr(err.msg, cases[i].part) == NULL && strstr(err.where, cases[i].part) == NULL)
            fail_msg("%s: '%s'", cases[i].phases, err.msg);
        ig_run_config_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_phases),      cmocka_unit_test(pairs_of_phases),
        cmocka_unit_test(same_pairs_in_phases),   cmocka_unit_test(first_phase_is_the_run),
        cmocka_unit_test(rates_and_frozen_parts), cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, instances_setup, instances_teardown);
}
