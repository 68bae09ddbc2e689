/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures as metrics: a result of the measuring code, through its JSON, number by number; parts
 * that are missing; parts that are not what they should be.
 */
#include "store/measures.h"
#include "measure/measure_list.h"
#include "store/store_task.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static const ig_store_measured measured = {
    .split = "dev", .step = 500, .last = true, .where = "x.json"};

/* A result in which every number is another. */
static ig_measure_result *example(int n_language)
{
    ig_measure_result *r = calloc(1, sizeof *r);
    double x = 0.001;
    r->n_layer = 2;
    r->options.what = IG_MEASURE_BIT(spaces) | IG_MEASURE_BIT(distinct) |
                      IG_MEASURE_BIT(similarity) | IG_MEASURE_BIT(language) |
                      IG_MEASURE_BIT(neighbours) | IG_MEASURE_BIT(shift) |
                      IG_MEASURE_BIT(positions) | IG_MEASURE_BIT(maps) | IG_MEASURE_BIT(mapped) |
                      IG_MEASURE_BIT(lexicon) | IG_MEASURE_BIT(away);
    r->positions = (ig_position_cosines){.n = 128,
                                         .n_frequent = 90,
                                         .nearest = .71,
                                         .diagonal = .72,
                                         .order = -.73,
                                         .nearest_rare = .74,
                                         .diagonal_rare = -.75};
    for (int i = 0; i < 2; i++) {
        ig_measure_layer *l = &r->layer[i];
        l->layer = i * 8;
        l->edges = (ig_alignment_count){10, 20 + i, 5};
        l->alignment = (ig_alignment_score){x, x + .01, x + .02};
        ig_retrieval_score *both[] = {&l->sentence, &l->word};
        for (int k = 0; k < 2; k++) {
            both[k]->mean = x + .03 + k;
            for (int w = 0; w < 2; w++) {
                both[k]->way[w].n_candidate = 1000 + 100 * k + w;
                for (int p = 0; p < 3; p++)
                    both[k]->way[w].p[p] = x + .04 + k + w * .1 + p * .001;
            }
        }
        l->cka = x + .2;
        l->mapped_sentence.mean = x + .21;
        l->mapped_word.mean = x + .22;
        for (int k = 0; k < IG_MEASURE_NUMBERS; k++)
            for (int m = IG_MEASURE_similarity; m < IG_MEASURE_N; m++)
                l->value[m][k] = x + .24 + k * .001 + (m - IG_MEASURE_similarity) * .013;
        l->distinct_word.mean = x + .23;
        for (int w = 0; w < 2; w++) {
            l->distinct_word.way[w].n_candidate = 80 + w;
            for (int p = 0; p < 3; p++)
                l->distinct_word.way[w].p[p] = x + .3 + w * .1 + p * .001;
        }
        l->mapped_sentence.way[0].n_candidate = 900;
        l->mapped_word.way[0].n_candidate = 90;
        x += .5;
    }
    r->mu_layer[1] = 8;
    r->mu = .123;
    r->mu_distinct = .1;
    r->n_word = 8;
    r->n_same = 2;
    r->n_sentence = 77;
    static const char *const names[] = {"en", "fake", "third"};
    r->n_language = n_language;
    for (int i = 0; i < n_language; i++) {
        strcpy(r->language[i].name, names[i]);
        r->language[i].train = (ig_perplexity){100 + i, 230 + i, 2, 4};
        r->language[i].dev = (ig_perplexity){10 + i, 25 + i, 1, 2.5};
    }
    r->train = (ig_perplexity){200, 460, 4, 8};
    r->dev = (ig_perplexity){21, 51, 2, 5};
    r->perplexity_train = 9.5;
    r->perplexity_dev = 11.5;
    return r;
}

/* Word retrieval, which lab/ adds to the measures of a layer, or of static vectors. */
static json_t *words(void)
{
    static const char *const groups[] = {"open", "closed", "noun", "verb", "adverb", "adjective"};
    json_t *by = json_object();
    for (int g = 0; g < 6; g++)
        json_object_set_new(
            by, groups[g],
            json_pack("{s:f, s:f, s:i}", "mrr", .3 + .01 * g, "p@1", .2, "n_queries", 20 + g));
    return json_pack("{s:f, s:f, s:f, s:f, s:i, s:i, s:o}", "mrr", .25, "p@1", .125, "p@5", .375,
                     "p@10", .5, "n_queries", 80, "n_candidates", 90, "by", by);
}

static ig_store_metrics metrics_of(const ig_measure_result *r)
{
    ig_store_metrics m = {0};
    ig_err err = {0};
    json_t *j = ig_measure_json(r);
    json_object_set_new(json_object_get(json_object_get(j, "layers"), "8"), "words", words());
    char *text = json_dumps(j, JSON_REAL_PRECISION(17));
    json_decref(j);
    j = json_loads(text, 0, NULL);
    free(text);
    ig_store_measured of = measured;
    of.by_batch = r->options.perplexity == IG_VARIANT_PAPER_CODE;
    assert_ok(ig_store_metrics_add(&m, j, &of, &err), &err);
    json_decref(j);
    return m;
}

static const ig_store_metric *find(const ig_store_metrics *m, const char *task, const char *split,
                                   const char *languages, int layer)
{
    const ig_store_metric *found = NULL;
    for (int64_t i = 0; i < m->n; i++)
        if (strcmp(m->metric[i].task, task) == 0 && strcmp(m->metric[i].split, split) == 0 &&
            strcmp(m->metric[i].languages, languages) == 0 && m->metric[i].layer == layer) {
            assert_null(found);
            found = &m->metric[i];
        }
    assert_non_null(found);
    return found;
}

static void is(const ig_store_metrics *m, const char *task, const char *split,
               const char *languages, int layer, double value, int64_t n)
{
    const ig_store_metric *g = find(m, task, split, languages, layer);
    if (!(fabs(g->value - value) < 1e-15) || g->n != n) {
        print_error("%s[%d,%s,%s]: got %.17g (%lld), want %.17g (%lld)\n", task, layer, split,
                    languages, g->value, (long long)g->n, value, (long long)n);
        fail();
    }
    assert_true(g->step == 500 && g->last && g->task_version == 1);
}

/* Static vectors have no layers and name their pair themselves. */
static void static_vectors(void **state)
{
    (void)state;
    ig_store_metrics m = {0};
    ig_err err = {0};
    json_t *j = json_pack("{s:s, s:o, s:{s:{s:o}}}", "pair", "en-es", "words", words(), "pairs",
                          "en-de", "words", words());
    assert_ok(ig_store_metrics_add(&m, j, &measured, &err), &err);
    assert_int_equal(m.n, 20);
    is(&m, "mrr", "dev", "en-es", -1, .25, 80);
    is(&m, "mrr", "dev", "en-de", -1, .25, 80);
    is(&m, "mrr_verb", "dev", "en-es", -1, .33, 23);
    ig_store_metrics_free(&m);
    json_object_set_new(j, "words", json_integer(1));
    assert_int_equal(ig_store_metrics_add(&m, j, &measured, &err), IG_ERR_INPUT);
    ig_store_metrics_free(&m);
    json_decref(j);
}

static void every_number(void **state)
{
    (void)state;
    ig_measure_result *r = example(2);
    ig_store_metrics m = metrics_of(r);
    is(&m, "mu", "dev", "en-fake", -1, .123, 77);
    is(&m, "mu_distinct", "dev", "en-fake", -1, .1, 77);
    is(&m, "identical_share", "dev", "en-fake", -1, .25, 8);
    is(&m, "mu_low", "dev", "en-fake", -1, 0, 0);
    is(&m, "mu_high", "dev", "en-fake", -1, 8, 0);
    /* Of the model, not of its layers. */
    is(&m, "positions_nearest", "dev", "en-fake", -1, .71, 90);
    is(&m, "positions_diagonal", "dev", "en-fake", -1, .72, 90);
    is(&m, "positions_order", "dev", "en-fake", -1, -.73, 90);
    is(&m, "positions_nearest_rare", "dev", "en-fake", -1, .74, 38);
    is(&m, "positions_diagonal_rare", "dev", "en-fake", -1, -.75, 38);
    for (int i = 0; i < 2; i++) {
        const double x = .001 + .5 * i;
        is(&m, "precision", "dev", "en-fake", 8 * i, x, 20 + i);
        is(&m, "recall", "dev", "en-fake", 8 * i, x + .01, 20 + i);
        is(&m, "f1", "dev", "en-fake", 8 * i, x + .02, 20 + i);
        is(&m, "rho", "dev", "en-fake", 8 * i, x + .03, 1000);
        is(&m, "tau", "dev", "en-fake", 8 * i, x + 1.03, 1100);
        is(&m, "rho_forward", "dev", "en-fake", 8 * i, x + .04, 1000);
        is(&m, "rho_backward", "dev", "en-fake", 8 * i, x + .14, 1001);
        is(&m, "rho_at_5", "dev", "en-fake", 8 * i, x + .091, 1000);
        is(&m, "rho_at_10", "dev", "en-fake", 8 * i, x + .092, 1000);
        is(&m, "tau_forward", "dev", "en-fake", 8 * i, x + 1.04, 1100);
        is(&m, "tau_backward", "dev", "en-fake", 8 * i, x + 1.14, 1101);
        is(&m, "tau_at_5", "dev", "en-fake", 8 * i, x + 1.091, 1100);
        is(&m, "tau_at_10", "dev", "en-fake", 8 * i, x + 1.092, 1100);
        is(&m, "cka", "dev", "en-fake", 8 * i, x + .2, 0);
        is(&m, "cka_debiased", "dev", "en-fake", 8 * i, x + .24, 0);
        is(&m, "neurons_order", "dev", "en-fake", 8 * i, x + .245, 0);
        is(&m, "rho_mapped", "dev", "en-fake", 8 * i, x + .21, 900);
        is(&m, "tau_mapped", "dev", "en-fake", 8 * i, x + .22, 90);
        is(&m, "tau_distinct", "dev", "en-fake", 8 * i, x + .23, 80);
        is(&m, "tau_distinct_forward", "dev", "en-fake", 8 * i, x + .3, 80);
        is(&m, "tau_distinct_backward", "dev", "en-fake", 8 * i, x + .4, 81);
        is(&m, "tau_distinct_at_5", "dev", "en-fake", 8 * i, x + .351, 80);
        is(&m, "tau_distinct_at_10", "dev", "en-fake", 8 * i, x + .352, 80);
    }
    is(&m, "mrr", "dev", "en-fake", 8, .25, 80);
    is(&m, "p_at_1", "dev", "en-fake", 8, .125, 80);
    is(&m, "p_at_10", "dev", "en-fake", 8, .5, 80);
    is(&m, "mrr_open", "dev", "en-fake", 8, .3, 20);
    is(&m, "mrr_adjective", "dev", "en-fake", 8, .35, 25);
    is(&m, "perplexity", "train", "", -1, 9.5, 200);
    is(&m, "perplexity", "dev", "", -1, 11.5, 21);
    is(&m, "perplexity_by_token", "dev", "", -1, exp(51. / 21), 21);
    is(&m, "perplexity_by_batch", "train", "", -1, exp(2), 200);
    is(&m, "perplexity", "dev", "fake", -1, exp(26. / 11), 11);
    is(&m, "perplexity_by_token", "train", "fake", -1, exp(231. / 101), 101);
    is(&m, "perplexity_by_batch", "dev", "en", -1, exp(2.5), 10);
    /* Every task that is not of the training itself or of one's own. */
    const ig_store_task *t;
    for (int i = 0; (t = ig_store_task_at(i)) != NULL; i++) {
        bool there = t->kind == IG_STORE_TASK_RUN || strcmp(t->name, "loss") == 0 || t->tuned ||
                     strcmp(t->name, "own") == 0;
        for (int64_t k = 0; k < m.n; k++)
            there = there || strcmp(m.metric[k].task, t->name) == 0;
        assert_true(there);
    }
    ig_store_metrics_free(&m);

    /* A run that averages by batch has each language's perplexity so, too. */
    r->options.perplexity = IG_VARIANT_PAPER_CODE;
    m = metrics_of(r);
    is(&m, "perplexity", "dev", "fake", -1, exp(2.5), 11);
    ig_store_metrics_free(&m);
    free(r);
}

/* What goes by a dictionary that is a file is another version since all of its translations count;
 * measures of before do not say so. */
static void versions(void **state)
{
    (void)state;
    ig_measure_result *r = example(2);
    for (int listed = 0; listed < 2; listed++) {
        r->listed = listed == 1;
        ig_store_metrics m = metrics_of(r);
        for (int64_t i = 0; i < m.n; i++) {
            const char *task = m.metric[i].task;
            const bool translates = strncmp(task, "tau", 3) == 0 || strcmp(task, "mu") == 0 ||
                                    strcmp(task, "mu_distinct") == 0 ||
                                    strcmp(task, "identical_share") == 0;
            assert_int_equal(m.metric[i].task_version, listed == 1 && translates ? 2 : 1);
        }
        ig_store_metrics_free(&m);
    }
    free(r);
}

static void what_was_not_measured(void **state)
{
    (void)state;
    ig_measure_result *r = example(1);
    r->mu = r->perplexity_dev = r->layer[0].alignment.f1 = (double)NAN;
    r->layer[0].alignment.precision = r->layer[0].sentence.way[1].p[1] = (double)NAN;
    ig_store_metrics m = metrics_of(r);
    for (int64_t i = 0; i < m.n; i++) {
        const ig_store_metric *g = &m.metric[i];
        assert_true(isfinite(g->value));
        assert_true(strcmp(g->task, "mu") != 0);
        assert_false(g->layer == 0 && strcmp(g->task, "f1") == 0);
        assert_false(g->layer == 0 && strcmp(g->task, "rho_at_5") == 0);
        assert_false(strcmp(g->task, "perplexity") == 0 && strcmp(g->split, "dev") == 0 &&
                     g->languages[0] == '\0');
    }
    /* One language: no pair. */
    is(&m, "rho", "dev", "", 8, .531, 1000);
    ig_store_metrics_free(&m);
    /* The first two of three are compared. */
    r->n_language = 3;
    strcpy(r->language[1].name, "fake");
    strcpy(r->language[2].name, "third");
    m = metrics_of(r);
    is(&m, "rho", "dev", "en-fake", 8, .531, 1000);
    ig_store_metrics_free(&m);
    free(r);
}

/* Of a further text: as of the development text, under the text's name. */
static void texts(void **state)
{
    (void)state;
    ig_measure_result *r = example(2);
    ig_store_metrics m = {0};
    ig_err err = {0};
    json_t *j = ig_measure_json(r);
    r->mu = .456;
    r->dev = (ig_perplexity){30, 60, 2, 5};
    r->perplexity_dev = 12.5;
    r->train = (ig_perplexity){0};
    r->perplexity_train = (double)NAN;
    json_t *other = ig_measure_json(r);
    json_object_set_new(json_object_get(other, "perplexity"), "pooled_train", json_null());
    json_object_set_new(j, "texts", json_pack("{s:o}", "kjv", other));
    assert_ok(ig_store_metrics_add(&m, j, &measured, &err), &err);
    is(&m, "mu", "dev", "en-fake", -1, .123, 77);
    is(&m, "mu", "kjv", "en-fake", -1, .456, 77);
    is(&m, "rho", "kjv", "en-fake", 8, .531, 1000);
    is(&m, "perplexity", "dev", "", -1, 11.5, 21);
    is(&m, "perplexity", "kjv", "", -1, 12.5, 30);
    is(&m, "perplexity_by_token", "kjv", "", -1, exp(2), 30);
    is(&m, "perplexity", "train", "", -1, 9.5, 200);
    json_decref(j);
    ig_store_metrics_free(&m);
    free(r);
}

static void damaged(void **state)
{
    (void)state;
    static const struct {
        const char *text, *say;
    } cases[] = {
        {"[]", "measures: expected an object"},
        {"{\"layers\": 3}", "layers: expected an object"},
        {"{\"layers\": {\"x\": {}}}", "x: expected the number of a layer"},
        {"{\"layers\": {\"-1\": {}}}", "-1: expected the number of a layer"},
        {"{\"layers\": {\"99999999999999999999\": {}}}", "expected the number of a layer"},
        {"{\"layers\": {\"0\": []}}", "0: expected an object"},
        {"{\"layers\": {\"0\": {\"f1\": \"high\"}}}", "f1: expected a number"},
        {"{\"layers\": {\"0\": {\"alignment\": {\"n_gold\": -1}}}}", "n_gold: expected a count"},
        {"{\"mu\": true}", "mu: expected a number"},
        {"{\"perplexity\": {\"languages\": {\"en\": 5}}}", "en: expected an object"},
        {"{\"perplexity\": {\"pooled_dev\": 1}}", "pooled_dev: expected an object"},
        {"{\"texts\": []}", "texts: expected an object"},
        {"{\"texts\": {\"kjv\": 3}}", "measures: expected an object"},
        {"{\"texts\": {\"dev\": {}}}", "texts: expected names other than train and dev"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_store_metrics m = {0};
        ig_err err = {0};
        json_t *j = json_loads(cases[i].text, 0, NULL);
        assert_non_null(j);
        assert_int_equal(ig_store_metrics_add(&m, j,
                                              &(ig_store_measured){.split = "dev",
                                                                   .step = 1,
                                                                   .last = true,
                                                                   .where = "a/measures.json"},
                                              &err),
                         IG_ERR_INPUT);
        assert_string_equal(err.where, "a/measures.json");
        if (strstr(err.msg, cases[i].say) == NULL) {
            print_error("got '%s', want '%s'\n", err.msg, cases[i].say);
            fail();
        }
        json_decref(j);
        ig_store_metrics_free(&m);
    }
    /* Nothing at all is nothing measured. */
    ig_store_metrics m = {0};
    ig_err err = {0};
    json_t *j = json_object();
    assert_ok(ig_store_metrics_add(&m, j, &measured, &err), &err);
    assert_int_equal(m.n, 0);
    json_decref(j);
    ig_store_metrics_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number), cmocka_unit_test(static_vectors),
        cmocka_unit_test(versions),     cmocka_unit_test(what_was_not_measured),
        cmocka_unit_test(texts),        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
