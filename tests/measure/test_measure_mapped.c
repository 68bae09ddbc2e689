/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `mapped` where it is exact by construction: through a rotation that was planted
 * between two models each sentence is found, whether the map is learned on the other half of the
 * text or on another text; models that were drawn apart are not; what is learned on is what is
 * given; both ways are counted apart.
 */
#include "two_models_fixture.h"

#include "measure/nearest/space_map.h"

#include "base/memory.h"
#include "apply/states.h"

enum { CSLS, CSLS_TO, CSLS_FROM, COSINE, COSINE_TO, COSINE_FROM, PAIRS, N_NUMBER };

/* Number i of the measure at the k-th layer. */
static double number(const ig_measure_result *r, int k, int i)
{
    return at(r, ig_numbers_mapped[i].name, k);
}

static ig_measure_result measure_mapped(lab *l, int64_t max_sentence)
{
    ig_measure_options o = plain();
    o.what = IG_MEASURE_BIT(mapped) | IG_MEASURE_BIT(retrieval);
    o.n_layer = 3;
    o.layer[0] = 0;
    o.layer[1] = 2;
    o.layer[2] = 3;
    o.max_sentence = max_sentence;
    return measure(l, &o);
}

/* Another text in the same languages. */
typedef struct {
    ig_shard *shard;
    ig_corpus *corpus;
} other_text;

static other_text make_other(int64_t n)
{
    ig_err err;
    other_text t = {.shard = distinct_words(n, 4, 19)};
    const ig_corpus_options o = fixture_options(VOCAB, BLOCK);
    const ig_language_spec spec[2] = {{.name = "en", .pipeline = "", .source = t.shard},
                                      {.name = "fake", .pipeline = "shift", .source = t.shard}};
    assert_ok(ig_corpus_new(&t.corpus, spec, 2, &o, &err), &err);
    return t;
}

static void close_other(other_text *t)
{
    ig_corpus_free(t->corpus);
    ig_shard_close(t->shard);
}

static void a_rotation_is_undone(void **state)
{
    (void)state;
    lab l = open_two(true, 2);
    other_text other = make_other(60);
    for (int with = 0; with < 2; with++) {
        l.with.learn = with ? other.corpus : NULL;
        const ig_measure_result r = measure_mapped(&l, 0);
        for (int k = 0; k < 3; k++) {
            for (int i = CSLS; i < PAIRS; i++)
                assert_true(number(&r, k, i) == 1);
            assert_true(number(&r, k, PAIRS) == (with ? SENTENCES : SENTENCES / 2));
            assert_true(at(&r, "rho", k) < .1); /* as they are nothing is found */
        }
    }
    close_other(&other);
    lab_close(&l);
}

static void another_model_is_not_found(void **state)
{
    (void)state;
    lab l = open_two(false, 1);
    other_text other = make_other(60);
    for (int with = 0; with < 2; with++) {
        l.with.learn = with ? other.corpus : NULL;
        const ig_measure_result r = measure_mapped(&l, 0);
        for (int k = 0; k < 3; k++)
            assert_true(at(&r, ig_numbers_mapped[CSLS].name, k) < .1);
    }
    close_other(&other);
    lab_close(&l);
}

/* ---- against the two steps made by hand ---- */

typedef struct {
    float *x[2];
    int64_t n;
} means;

static ig_code add_mean(void *arg, const ig_sentence_states *s, ig_err *err)
{
    float *to = arg;
    (void)err;
    to += s->number * TWIST_D;
    for (int k = 0; k < TWIST_D; k++) {
        double sum = 0;
        for (int32_t t = 1; t + 1 < s->n_token; t++)
            sum += (double)s->states[0][t * TWIST_D + k];
        to[k] = (float)(sum / (s->n_token - 2));
    }
    return IG_ERR_OK;
}

/* Mean states at layer 2 of both languages. */
static means means_of(lab *l, const ig_corpus *c)
{
    static const int layer[] = {2};
    const ig_states_options o = {.layer = layer, .n_layer = 1};
    const ig_states_parts parts = {
        .engine = l->engine, .model = l->model, .team = l->team, .corpus = c};
    means m = {.n = ig_corpus_n_sequence(c, 0)};
    int32_t id[BLOCK];
    ig_err err;
    for (int x = 0; x < 2; x++) {
        ig_states *s;
        assert_ok(ig_alloc(&m.x[x], m.n * TWIST_D, sizeof *m.x[x], "test", &err), &err);
        assert_ok(ig_states_over(&s, &o, &parts, &err), &err);
        ig_states_begin(s, add_mean, m.x[x]);
        for (int64_t i = 0; i < m.n; i++) {
            const int32_t n = ig_corpus_sequence(c, x, i, id);
            assert_ok(ig_states_put_tokens(s, x, id, n, &err), &err);
        }
        assert_ok(ig_states_end(s, &err), &err);
        ig_states_close(s);
    }
    return m;
}

/* Adds noise to every weight, so that some sentences are found and others not. */
static void blur(lab *l, double spread)
{
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    for (int64_t i = 0; i < ig_bert_n_value(l->model); i++)
        ig_bert_weights(l->model)[i] += (float)(spread * ig_rng_normal(&r));
    ig_engine_weights_changed(l->engine);
}

/* The map is learned from one text's means and evaluated on the other's; forward and backward
 * differ, and each is in its own field. */
static void as_by_hand(void **state)
{
    (void)state;
    lab l = open_two(true, 1);
    other_text other = make_other(40);
    ig_err err;
    blur(&l, .03);
    ig_neighbour_scores s;
    const means judge = means_of(&l, l.corpus), learn = means_of(&l, other.corpus);
    const ig_space_pair pair = {.learn = {learn.x[0], learn.x[1]},
                                .judge = {judge.x[0], judge.x[1]},
                                .n_learn = learn.n,
                                .n_judge = judge.n,
                                .d = TWIST_D};
    const ig_retrieval_with how = {ig_ops_best(), l.team, NULL};
    assert_ok(ig_space_map_judge(&s, &pair, &how, &err), &err);
    l.with.learn = other.corpus;
    const ig_measure_result r = measure_mapped(&l, 0);
    double v[N_NUMBER];
    const double want[] = {s.csls,          s.csls_way[0],   s.csls_way[1],  s.cosine,
                           s.cosine_way[0], s.cosine_way[1], (double)judge.n};
    for (int i = 0; i < N_NUMBER; i++) {
        v[i] = number(&r, 1, i);
        assert_true(v[i] == want[i]);
    }
    assert_true(fabs(v[COSINE] - (v[COSINE_TO] + v[COSINE_FROM]) / 2) < 1e-12);
    assert_true(v[COSINE_TO] != v[COSINE_FROM] && v[CSLS] > .2 && v[CSLS] < .9);
    for (int x = 0; x < 2; x++) {
        ig_free(judge.x[x]);
        ig_free(learn.x[x]);
    }
    close_other(&other);
    lab_close(&l);
}

/* Any team gives the same bits; fewer than two sentences to retrieve give no numbers. */
static void any_team_any_number(void **state)
{
    (void)state;
    lab one = open_two(false, 0), more = open_two(false, 3);
    const ig_measure_result r = measure_mapped(&one, 0), s = measure_mapped(&more, 0),
                            none = measure_mapped(&one, 3), two = measure_mapped(&one, 4);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N_NUMBER; i++)
            assert_true(number(&r, k, i) == number(&s, k, i));
        assert_true(isnan(at(&none, ig_numbers_mapped[CSLS].name, k)));
        assert_true(at(&two, ig_numbers_mapped[PAIRS].name, k) == 2);
    }
    lab_close(&one);
    lab_close(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotation_is_undone), cmocka_unit_test(another_model_is_not_found),
        cmocka_unit_test(as_by_hand), cmocka_unit_test(any_team_any_number)};
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
