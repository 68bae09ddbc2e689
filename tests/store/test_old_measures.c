/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures that version 0.2 wrote, as rows, number by number; parts that are missing; parts that
 * are not what they should be.
 */
#include "store/old_measures.h"
#include "store/store_task.h"

#include "test.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ig_store_measured measured = {.step = 500, .last = true, .where = "x.json"};

/* Measures of two languages as version 0.2 wrote them, every number another. */
static json_t *example(void)
{
    json_t *j = json_load_file(IG_TEST_DATA "/store/measures-0.2.json", 0, NULL);
    assert_non_null(j);
    return j;
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

static ig_row_set rows_of(const json_t *j, bool by_batch)
{
    ig_row_set m = {0};
    ig_err err = {0};
    ig_store_measured of = measured;
    of.by_batch = by_batch;
    assert_ok(ig_measures_read(&m, j, &of, &err), &err);
    return m;
}

static const ig_row *find(const ig_row_set *m, const char *task, const char *split,
                          const char *languages, int layer)
{
    const ig_row *found = NULL;
    for (int64_t i = 0; i < m->n; i++)
        if (strcmp(m->row[i].task, task) == 0 && strcmp(m->row[i].split, split) == 0 &&
            strcmp(m->row[i].languages, languages) == 0 && m->row[i].layer == layer) {
            assert_null(found);
            found = &m->row[i];
        }
    assert_non_null(found);
    return found;
}

static void is(const ig_row_set *m, const char *task, const char *split, const char *languages,
               int layer, double value, int64_t n)
{
    const ig_row *g = find(m, task, split, languages, layer);
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
    ig_row_set m = {0};
    ig_err err = {0};
    json_t *j = json_pack("{s:s, s:o, s:{s:{s:o}}}", "pair", "en-es", "words", words(), "pairs",
                          "en-de", "words", words());
    assert_ok(ig_measures_read(&m, j, &measured, &err), &err);
    assert_int_equal(m.n, 20);
    is(&m, "mrr", "dev", "en-es", -1, .25, 80);
    is(&m, "mrr", "dev", "en-de", -1, .25, 80);
    is(&m, "mrr_verb", "dev", "en-es", -1, .33, 23);
    ig_row_set_free(&m);
    json_object_set_new(j, "words", json_integer(1));
    assert_int_equal(ig_measures_read(&m, j, &measured, &err), IG_ERR_INPUT);
    ig_row_set_free(&m);
    json_decref(j);
}

static void every_number(void **state)
{
    (void)state;
    json_t *j = example();
    ig_row_set m = rows_of(j, false);
    is(&m, "mu", "dev", "en-fake", -1, .123, 77);
    is(&m, "mu_distinct", "dev", "en-fake", -1, .1, 77);
    is(&m, "identical_share", "dev", "en-fake", -1, .25, 8);
    is(&m, "mu_low", "dev", "en-fake", -1, 0, 0);
    is(&m, "mu_high", "dev", "en-fake", -1, 8, 0);
    /* A measure of the model, not of its layers. */
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
    /* Every task that is not of the training itself, of one's own or newer. */
    const ig_store_task *t;
    for (int i = 0; (t = ig_store_task_at(i)) != NULL; i++) {
        bool there = t->kind == IG_STORE_TASK_RUN || strcmp(t->name, "loss") == 0 || t->tuned ||
                     strcmp(t->name, "own") == 0 || strcmp(t->name, "rho_ties") == 0 ||
                     strcmp(t->name, "perplexity_causal") == 0 || strcmp(t->name, "mexa") == 0 ||
                     strcmp(t->name, "anc") == 0 || strncmp(t->name, "xsim", 4) == 0 ||
                     strncmp(t->name, "lape", 4) == 0 || strncmp(t->name, "lens_", 5) == 0 ||
                     strncmp(t->name, "gradient_", 9) == 0;
        for (int64_t k = 0; k < m.n; k++)
            there = there || strcmp(m.row[k].task, t->name) == 0;
        assert_true(there);
    }
    ig_row_set_free(&m);

    /* A run that averages by batch has each language's perplexity so, too. */
    m = rows_of(j, true);
    is(&m, "perplexity", "dev", "fake", -1, exp(2.5), 11);
    ig_row_set_free(&m);
    json_decref(j);
}

/* Measures by a dictionary in a file have another version since all of its translations count;
 * older results do not record it. */
static void versions(void **state)
{
    (void)state;
    json_t *j = example();
    for (int listed = 0; listed < 2; listed++) {
        if (listed == 1)
            json_object_set_new(j, "translations", json_string("all"));
        ig_row_set m = rows_of(j, false);
        for (int64_t i = 0; i < m.n; i++) {
            const char *task = m.row[i].task;
            const bool translates = strncmp(task, "tau", 3) == 0 || strcmp(task, "mu") == 0 ||
                                    strcmp(task, "mu_distinct") == 0 ||
                                    strcmp(task, "identical_share") == 0;
            assert_int_equal(m.row[i].task_version, listed == 1 && translates ? 2 : 1);
        }
        ig_row_set_free(&m);
    }
    json_decref(j);
}

static void set_null(json_t *j, const char *const *path)
{
    for (; path[1] != NULL; path++)
        j = json_object_get(j, *path);
    assert_int_equal(json_object_set_new(j, *path, json_null()), 0);
}

static void what_was_not_measured(void **state)
{
    (void)state;
    static const char *const nulls[][6] = {{"mu"},
                                           {"perplexity", "dev"},
                                           {"perplexity", "languages", "fake"},
                                           {"layers", "0", "f1"},
                                           {"layers", "0", "alignment", "precision"},
                                           {"layers", "0", "retrieval", "backward", "p@5"}};
    json_t *j = example();
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        set_null(j, nulls[i]);
    json_object_del(json_object_get(json_object_get(j, "perplexity"), "languages"), "fake");
    ig_row_set m = rows_of(j, false);
    for (int64_t i = 0; i < m.n; i++) {
        const ig_row *g = &m.row[i];
        assert_true(isfinite(g->value));
        assert_true(strcmp(g->task, "mu") != 0);
        assert_false(g->layer == 0 && strcmp(g->task, "f1") == 0);
        assert_false(g->layer == 0 && strcmp(g->task, "rho_at_5") == 0);
        assert_false(strcmp(g->task, "perplexity") == 0 && strcmp(g->split, "dev") == 0 &&
                     g->languages[0] == '\0');
    }
    /* One language: no pair. */
    is(&m, "rho", "dev", "", 8, .531, 1000);
    ig_row_set_free(&m);
    json_decref(j);
}

/* Results of a further text, as of the development text, under the text's name. */
static void texts(void **state)
{
    (void)state;
    json_t *j = example(), *other = example();
    json_object_set_new(other, "mu", json_real(.456));
    json_object_set_new(json_object_get(other, "perplexity"), "pooled_train", json_null());
    json_object_set_new(json_object_get(other, "perplexity"), "train", json_null());
    json_object_set_new(json_object_get(other, "perplexity"), "languages", json_object());
    json_object_set_new(other, "pair", json_string("en-fake"));
    json_object_set_new(j, "texts", json_pack("{s:o}", "kjv", other));
    ig_row_set m = rows_of(j, false);
    is(&m, "mu", "dev", "en-fake", -1, .123, 77);
    is(&m, "mu", "kjv", "en-fake", -1, .456, 77);
    is(&m, "rho", "kjv", "en-fake", 8, .531, 1000);
    is(&m, "perplexity", "kjv", "", -1, 11.5, 21);
    is(&m, "perplexity", "train", "", -1, 9.5, 200);
    ig_row_set_free(&m);
    json_decref(j);
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
        {"{\"rows\": {}}", "rows: expected an array"},
        {"{\"rows\": [5]}", "row 1: found no \"measure\""},
        {"{\"rows\": [{\"measure\": \"rho\", \"split\": \"\", \"languages\": \"\"}]}",
         "split: found \"\", expected a name"},
        {"{\"rows\": [{\"measure\": \"rho\", \"split\": \"dev\"}]}",
         "row 1: found no \"languages\""},
        {"{\"rows\": [{\"measure\": \"rho\", \"split\": \"dev\", \"languages\": \"\", \"layer\": "
         "-1}]}",
         "layer: found"},
        {"{\"rows\": [{\"measure\": \"rho\", \"split\": \"dev\", \"languages\": \"\", \"n\": "
         "0.5}]}",
         "n: found"},
        {"{\"rows\": [{\"measure\": \"rho\", \"split\": \"dev\", \"languages\": \"\"}]}",
         "row 1: found no \"value\", expected a number"},
        {"{\"rows\": [{\"measure\": \"rho\", \"split\": \"dev\", \"languages\": \"\", \"tags\": "
         "{\"a\": 1}}]}",
         "tags: found"},
        {"{\"rows\": [{\"measure\": \"rhi\", \"split\": \"dev\", \"languages\": \"\", \"value\": "
         "1}]}",
         "found measure 'rhi', which is unknown"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_row_set m = {0};
        ig_err err = {0};
        json_t *j = json_loads(cases[i].text, 0, NULL);
        assert_non_null(j);
        assert_int_equal(
            ig_measures_read(
                &m, j, &(ig_store_measured){.step = 1, .last = true, .where = "a/measures.json"},
                &err),
            IG_ERR_INPUT);
        assert_string_equal(err.where, "a/measures.json");
        if (strstr(err.msg, cases[i].say) == NULL) {
            print_error("got '%s', want '%s'\n", err.msg, cases[i].say);
            fail();
        }
        json_decref(j);
        ig_row_set_free(&m);
    }
    /* Nothing at all is nothing measured. */
    ig_row_set m = {0};
    ig_err err = {0};
    json_t *j = json_object();
    assert_ok(ig_measures_read(&m, j, &measured, &err), &err);
    assert_int_equal(m.n, 0);
    json_decref(j);
    ig_row_set_free(&m);
}

/* Rows through JSON are the same rows. */
static void there_and_back(void **state)
{
    (void)state;
    json_t *j = example();
    ig_row_set m = rows_of(j, false), again = {0};
    ig_err err;
    const ig_row tagged = {.task = "uas",
                           .split = "ud",
                           .languages = "en",
                           .tags = "lr=1e-5;select=last",
                           .task_version = 1,
                           .layer = -1,
                           .last = true,
                           .step = 500,
                           .value = .25};
    assert_ok(ig_row_set_put(&m, &tagged, &err), &err);
    size_t length;
    assert_int_equal(strncmp(ig_tag_find(tagged.tags, "select", &length), "last", 4), 0);
    assert_int_equal(length, 4);
    assert_null(ig_tag_find(tagged.tags, "sel", &length));
    json_t *rows = ig_row_set_json(&m);
    char *text = json_dumps(rows, JSON_REAL_PRECISION(17));
    json_decref(rows);
    rows = json_pack("{s:o}", "rows", json_loads(text, 0, NULL));
    free(text);
    assert_ok(ig_measures_read(&again, rows, &measured, &err), &err);
    assert_int_equal(again.n, m.n);
    for (int64_t i = 0; i < m.n; i++) {
        const ig_row *a = &m.row[i], *b = &again.row[i];
        assert_int_equal(ig_row_compare(a, b), 0);
        assert_true(a->value == b->value && a->n == b->n && a->last == b->last &&
                    a->task_version == b->task_version);
    }
    ig_row_set_free(&m);
    ig_row_set_free(&again);
    json_decref(rows);
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number),   cmocka_unit_test(static_vectors),
        cmocka_unit_test(versions),       cmocka_unit_test(what_was_not_measured),
        cmocka_unit_test(texts),          cmocka_unit_test(damaged),
        cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
