/* SPDX-License-Identifier: Apache-2.0
 *
 * Word translation by a dictionary that is a file: all of its translations count, its words are
 * normalised as the vocabulary is, each word is asked once, and words that are one piece in both
 * languages are told apart. Against the dictionary read by hand.
 */
#include "root_fixture.h"
#include "measured_fixture.h"
#include "setup_fixture.h"

#include "base/memory.h"
#include "lab/runs/lab_list.h"
#include "run/data/setup.h"
#include "measure/measure.h"
#include "model/bert_params.h"

static void set(char **field, const char *text)
{
    ig_free(*field);
    *field = NULL;
    assert_ok(ig_alloc(field, (int64_t)strlen(text) + 1, 1, "test", &err), &err);
    strcpy(*field, text);
}

static void write_text(const char *path, const char *text)
{
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
}

/* Lines of these words, so often that each becomes a piece. */
static void write_words(const char *path, const char *words)
{
    char text[8000] = "";
    for (int i = 0; i < 60; i++) {
        strcat(text, words);
        strcat(text, "\n");
    }
    write_text(path, text);
}

static const char english[] = "For The Dog From Cat no house",
                  swedish[] = "För Hund Hunden Från Katt no hus hem";
static const char dictionary[] = "for för\nfrom från\ndog hund\ndog hunden\ndog hund\ncat katt\n"
                                 "no no\nno hem\nhouse hus\nhouse hem\nmouse mus\nNew-York hus\n";

static ig_run_config config(const char *languages, bool lowercase)
{
    ig_run_config c = {0};
    char files[1000];
    write_words(in_root("a.txt"), english);
    write_words(in_root("b.txt"), swedish);
    write_text(in_root("d.txt"), dictionary);
    snprintf(files, sizeof files, "swe=%s; dict=%s", in_root("b.txt"), in_root("d.txt"));
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    set(&c.data.text, in_root("a.txt"));
    set(&c.data.files, files);
    set(&c.languages.spec, languages);
    set(&c.out, root);
    c.tokens.lowercase = lowercase;
    c.tokens.vocab_size = 200;
    c.data.dev_take = 5;
    c.optimisation.updates = 10;
    c.model.preset = IG_PRESET_TINY;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static ig_setup open_in(const ig_run_config *c, const char *folder)
{
    ig_setup s;
    assert_ok(ig_dir_make(in_root(folder), &err), &err);
    assert_ok(open_setup(&s, c, in_root(folder)), &err);
    return s;
}

/* The pair of two words of the model's vocabulary, as pieces of their languages. */
static bool has_pair(const ig_setup *s, const int32_t *pair, int64_t n, const char *a,
                     const char *b)
{
    const ig_tokenizer *const *t = (const ig_tokenizer *const *)s->languages->tokenizer;
    const int32_t x = ig_tokenizer_id(t[0], a), y = ig_tokenizer_id(t[1], b);
    assert_true(x >= 0 && y >= 0);
    for (int64_t i = 0; i < n; i++)
        if (pair[2 * i] == ig_corpus_id(s->dev, 0, x) &&
            pair[2 * i + 1] == ig_corpus_id(s->dev, 1, y))
            return true;
    return false;
}

static void all_translations_of_normalised_words(void **state)
{
    (void)state;
    static const char *const want[][2] = {{"for", "for"},    {"from", "fran"}, {"dog", "hund"},
                                          {"dog", "hunden"}, {"cat", "katt"},  {"no", "no"},
                                          {"no", "hem"},     {"house", "hus"}, {"house", "hem"}};
    enum { N = sizeof want / sizeof *want };
    int32_t *pair;
    int64_t n;
    ig_run_config c = config("en; sv(text=swe, gold=dict, vocab=own) = shift", true);
    ig_setup s = open_in(&c, "lower");
    assert_true(ig_corpus_gold_listed(s.dev, 0, 1));
    assert_ok(ig_corpus_gold_dictionary(s.dev, 0, 1, &pair, &n, &err), &err);
    assert_int_equal(n, N);
    for (int i = 0; i < N; i++)
        if (!has_pair(&s, pair, n, want[i][0], want[i][1]))
            fail_msg("%s %s is not in the dictionary", want[i][0], want[i][1]);
    for (int64_t i = 1; i < n; i++) /* sorted */
        assert_true(pair[2 * i] > pair[2 * i - 2] ||
                    (pair[2 * i] == pair[2 * i - 2] && pair[2 * i + 1] > pair[2 * i - 1]));
    ig_free(pair);
    /* The other way round it is the same dictionary. */
    assert_ok(ig_corpus_gold_dictionary(s.dev, 1, 0, &pair, &n, &err), &err);
    assert_int_equal(n, N);
    ig_free(pair);
    ig_setup_close(&s);
    ig_run_config_free(&c);

    /* With capitals kept, the words of the file are other words than the text's. */
    c = config("en; sv(text=swe, gold=dict, vocab=own) = shift", false);
    s = open_in(&c, "cased");
    assert_ok(ig_corpus_gold_dictionary(s.dev, 0, 1, &pair, &n, &err), &err);
    assert_int_equal(n, 4); /* no and house, with two translations each */
    ig_free(pair);
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

/* The data's file is read without conversion: pieces that do not exist are an error. */
static void damaged(void **state)
{
    (void)state;
    static const char *const cases[] = {"",
                                        "{\"isoglot_gold\": 1}",
                                        "{\"pairs\": 3}",
                                        "{\"pairs\": [[5]]}",
                                        "{\"pairs\": [[5, 6, 7]]}",
                                        "{\"pairs\": [[5, -1]]}",
                                        "{\"pairs\": [[5, 100000]]}",
                                        "{\"pairs\": [[5, \"hund\"]]}",
                                        "{\"pairs\": [[5, 6], 7]}"};
    ig_run_config c = config("en; sv(text=swe, gold=dict, vocab=own) = shift", true);
    ig_setup s = open_in(&c, "damaged");
    ig_setup_close(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(in_root("damaged/gold-sv.json"), cases[i]);
        assert_int_equal(open_setup(&s, &c, in_root("damaged")), IG_ERR_INPUT);
        assert_non_null(strstr(err.where, "gold-sv.json"));
        ig_setup_close(&s);
    }
    /* In any order and twice: the same dictionary. */
    int32_t *pair;
    int64_t n;
    write_text(in_root("damaged/gold-sv.json"), "{\"pairs\": [[7, 6], [5, 8], [7, 6], [5, 6]]}");
    assert_ok(open_setup(&s, &c, in_root("damaged")), &err);
    assert_ok(ig_corpus_gold_dictionary(s.dev, 0, 1, &pair, &n, &err), &err);
    assert_int_equal(n, 3);
    ig_free(pair);
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

/* Layer 0 of a model whose `from` and `to` have one vector. */
static void measure(ig_measure_result *r, const ig_setup *s, const ig_run_config *c,
                    const char *from, const char *to)
{
    ig_bert *m;
    ig_team *team;
    ig_engine *e;
    const ig_bert_config shape = ig_run_config_model(c, ig_corpus_vocab_size(s->train), 0);
    assert_ok(ig_bert_new(&m, &shape, 3, &err), &err);
    if (from != NULL) {
        const ig_bert_param *p = ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight");
        const int32_t x = ig_corpus_id(s->dev, 0,
                                       ig_tokenizer_id(s->languages->tokenizer[0], from)),
                      y = ig_corpus_id(s->dev, 1, ig_tokenizer_id(s->languages->tokenizer[1], to));
        float *w = ig_bert_weights(m) + p->offset;
        memcpy(w + y * p->cols, w + x * p->cols, (size_t)p->cols * sizeof *w);
    }
    assert_ok(ig_team_new(&team, 1, &err), &err);
    assert_ok(ig_engine_new(&e, m, team, NULL, IG_PRECISION_F32, &err), &err);
    const ig_batch_options batching = ig_run_config_batch(c);
    ig_measure_options o = ig_measure_defaults(&batching, 1);
    const ig_measure_with with = {.engine = e, .model = m, .team = team, .ops = ig_ops_best()};
    assert_ok(ig_measure_run(r, &with, NULL, s->dev, &o, &err), &err);
    ig_engine_free(e);
    ig_team_free(team);
    ig_bert_free(m);
}

static void any_translation_is_right(void **state)
{
    (void)state;
    static ig_measure_result before, r;
    ig_run_config c = config("en; sv(text=swe, gold=dict, vocab=own) = shift", true);
    ig_setup s = open_in(&c, "lower");
    measure(&before, &s, &c, NULL, NULL);
    static const char *const translation[] = {"hund", "hunden"};
    for (int i = 0; i < 2; i++) {
        measure(&r, &s, &c, "dog", translation[i]);
        /* Six queries: for from dog cat no house, each once; eight candidates. */
        const double there = at(&r, "tau_forward", 0), back = at(&r, "tau_backward", 0);
        assert_int_equal(n_of(&r, "tau", "dev", r.pair, 0), 8);
        assert_true(fabs(there * 6 - (double)lround(there * 6)) < 1e-12 &&
                    fabs(back * 8 - (double)lround(back * 8)) < 1e-12);
        assert_true(there >= at(&before, "tau_forward", 0));
        assert_true(back > 0 && there > 0);
        assert_int_equal(r.n_word, 9);
        for (int64_t k = 0; k < r.rows.n; k++)
            if (strcmp(r.rows.row[k].task, "tau") == 0)
                assert_int_equal(r.rows.row[k].task_version, 2); /* all of a file's translations */
        ig_measure_result_free(&r);
    }
    /* Nothing is one piece in both: no further measure. */
    assert_true(before.n_same == 0 && !ig_measure_has_distinct(&before));
    assert_true(isnan(ig_measure_value(&before, "identical_share", -1)));
    ig_measure_result_free(&before);
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

/* One vocabulary: nothing is learned, and the words that are one piece are found. */
static void shared_strings_are_told(void **state)
{
    (void)state;
    static ig_measure_result r;
    ig_run_config c = config("en; sv(text=swe, gold=dict)", true);
    ig_setup s = open_in(&c, "shared");
    measure(&r, &s, &c, NULL, NULL);
    assert_int_equal(r.n_word, 9);
    assert_int_equal(r.n_same, 2); /* for for, no no */
    assert_int_equal(r.n_distinct, 7);
    assert_true(at(&r, "tau_forward", 0) >= 2. / 6 && isfinite(at(&r, "tau_distinct", 0)));
    assert_true(fabs(ig_measure_value(&r, "identical_share", -1) - 2. / 9) < 1e-15);
    json_t *j = ig_measure_json(&r);
    assert_int_equal(json_integer_value(json_object_get(j, "n_distinct_words")), 7);
    json_decref(j);
    ig_measure_result_free(&r);
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

/* The ids are equal, but the words are of each language's own: none is found by being the same
 * string. The other parts have no words. */
static void one_id_of_two_tables_is_two_words(void **state)
{
    (void)state;
    static const struct {
        const char *parts;
        bool own;
    } of[] = {{"words", true},   {"embeddings", true}, {"all", true},
              {"layers", false}, {"positions", false}, {"output", false}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        static ig_measure_result r;
        ig_run_config c = config("en; sv(text=swe, gold=dict)", true);
        set(&c.model.separate, of[i].parts);
        c.model.tied = strcmp(of[i].parts, "output") != 0;
        assert_ok(ig_run_config_resolve(&c, &err), &err);
        ig_setup s = open_in(&c, "shared");
        measure(&r, &s, &c, NULL, NULL);
        assert_int_equal(r.n_word, 9);
        assert_int_equal(r.n_same, of[i].own ? 0 : 2);
        assert_true(ig_measure_has_distinct(&r) == !of[i].own);
        json_t *run =
            json_pack("{s:s, s:s}", "languages", c.languages.spec, "separate", of[i].parts);
        assert_true(ig_measure_languages_json(run).common == !of[i].own);
        assert_true(ig_measure_languages_of(&c.languages, &c.model.parts).common == !of[i].own);
        json_decref(run);
        ig_measure_result_free(&r);
        ig_setup_close(&s);
        ig_run_config_free(&c);
    }
}

/* Measures from before all translations counted, or without the words that are one piece in both
 * languages, are made again; others are not. */
static void old_measures_are_not_taken_for_new(void **state)
{
    (void)state;
    static const struct {
        const char *languages;
        ig_lab_cover end, curve;
    } of[] = {
        {"en; fake = shift", IG_LAB_COVERED, IG_LAB_COVERED},
        {"en; fake = shift:anchors=0", IG_LAB_COVERED, IG_LAB_COVERED},
        {"en; fake = shift:anchors=0.5", IG_LAB_MEASURE_END, IG_LAB_MEASURE_END},
        {"en; de = invert", IG_LAB_MEASURE_END, IG_LAB_MEASURE_END},
        {"en; de(text=d)", IG_LAB_MEASURE_END, IG_LAB_MEASURE_END},
        {"en; de(text=d, vocab=own)", IG_LAB_COVERED, IG_LAB_COVERED},
        {"en; de(text=d, vocab=x); ru(text=r, vocab=x)", IG_LAB_MEASURE_END, IG_LAB_MEASURE_END},
        {"en; de(text=d, gold=g, vocab=own)", IG_LAB_MEASURE_END, IG_LAB_TRAIN_AGAIN},
        {"en; de(text=d, gold=g)", IG_LAB_MEASURE_END, IG_LAB_TRAIN_AGAIN}};
    const ig_measure_plan end = {.what = IG_MEASURE_BIT(alignment) | IG_MEASURE_BIT(retrieval) |
                                         IG_MEASURE_BIT(translation)},
                          none = {.what = IG_MEASURE_BIT(retrieval)};
    ig_measure_plan curve = end;
    curve.at.kind = IG_CHECKPOINTS_LOG;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        json_t *run = json_pack("{s:s}", "languages", of[i].languages);
        const ig_measure_languages l = ig_measure_languages_json(run), before = {0};
        json_t *was = ig_lab_plan_json(&end, &before, 100, 3),
               *was_curve = ig_lab_plan_json(&curve, &before, 100, 3);
        assert_null(json_object_get(was, "translations")); /* as programs of before wrote it */
        assert_int_equal(ig_lab_covers((char[IG_LAB_WHY]){0}, was, &end, &l, 100, 3), of[i].end);
        assert_int_equal(ig_lab_covers((char[IG_LAB_WHY]){0}, was_curve, &curve, &l, 100, 3),
                         of[i].curve);
        assert_int_equal(ig_lab_covers((char[IG_LAB_WHY]){0}, was, &none, &l, 100, 3),
                         IG_LAB_COVERED);
        json_decref(was);
        json_decref(was_curve);
        was = ig_lab_plan_json(&curve, &l, 100, 3);
        assert_int_equal(ig_lab_covers((char[IG_LAB_WHY]){0}, was, &curve, &l, 100, 3),
                         IG_LAB_COVERED);
        json_decref(was);
        json_decref(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_translations_of_normalised_words),
        cmocka_unit_test(any_translation_is_right),
        cmocka_unit_test(damaged),
        cmocka_unit_test(shared_strings_are_told),
        cmocka_unit_test(one_id_of_two_tables_is_two_words),
        cmocka_unit_test(old_measures_are_not_taken_for_new),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
