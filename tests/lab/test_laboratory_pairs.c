/* SPDX-License-Identifier: Apache-2.0
 *
 * Parallel files of pairs of languages below `text:` of `measure:`: a finished run is only measured
 * again, to the numbers of isoglot eval --parallel; the order of columns changes nothing; the
 * development text's own sentences as a file give the development text's numbers; of several
 * languages each pair has its file; maps are learned where it is said; a line without a tab is
 * told before anything is trained. And a world has further sentences.
 */
#include "lab_fixture.h"

#include "evaluate/evaluate.h"

enum { N_WORD = 9, N_DEV = 24 };

static const char *const word[3][N_WORD] = {
    {"lov", "mi", "tarun", "besh", "kol", "dabev", "porka", "sil", "wen"},
    {"hut", "se", "wob", "ganz", "fel", "rim", "jad", "nok", "pir"},
    {"ako", "ubi", "eto", "ina", "ola", "uze", "iku", "ape", "omi"}};

/* Sentence i, another for each i below 700; of words without a rule beside them. */
static void sentence(char *out, size_t size, int language, int i)
{
    out[0] = '\0';
    for (int k = 0, x = i + 1; k < 6; k++, x = (x * 37 + 11) % 701)
        snprintf(out + strlen(out), size - strlen(out), "%s%s", word[language][x % N_WORD],
                 k < 5 ? " " : "");
}

/* n sentences in one language, or (b ≥ 0) in two, with a tab between. */
static void write_file(const char *name, int a, int b, int first, int n)
{
    static char text[40000];
    char one[200];
    text[0] = '\0';
    for (int i = first; i < first + n; i++) {
        sentence(one, sizeof one, a, i);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", one, b < 0 ? "\n" : "\t");
        if (b < 0)
            continue;
        sentence(one, sizeof one, b, i);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", one);
    }
    assert_ok(ig_file_write(in_root(name), text, (int64_t)strlen(text), &err), &err);
}

static void write_texts(void)
{
    static const char *const train[] = {"en.txt", "fr.txt", "de.txt"}, *const dev[] = {
                                                                           "en-dev.txt",
                                                                           "fr-dev.txt",
                                                                           "de-dev.txt"};
    for (int l = 0; l < 3; l++) {
        write_file(train[l], l, -1, 200, 80);
        write_file(dev[l], l, -1, 0, N_DEV);
    }
}

static const char base[] = "base: {preset: bert-tiny, updates: 20, batch: 16, block: 48, warmup: 3,"
                           " vocab_size: 60,\n text: en.txt, dev_text: en-dev.txt, dev_parallel: "
                           "true,\n files: 'fr=fr.txt; frd=fr-dev.txt; de=de.txt; ded=de-dev.txt',"
                           "\n languages: '%s'}\nseeds: 1\nmeasure: %s\n";
static const char two[] = "en; fr(text=fr, dev=frd)",
                  three[] = "en; fr(text=fr, dev=frd); de(text=de, dev=ded)",
                  vocabularies[] =
                      "en(vocab=own); fr(text=fr, dev=frd, vocab=own); de(text=de, dev=ded, "
                      "vocab=own)";

static ig_experiment experiment(const char *languages, const char *measure)
{
    char text[3000];
    snprintf(text, sizeof text, base, languages, measure);
    return read_experiment(text);
}

/* A number of a layer, of a pair; NaN: the store has none. */
typedef struct {
    ig_store_result all;
} numbers;

static double at(const numbers *n, const char *task, const char *split, const char *pair, int layer)
{
    for (int64_t k = 0; k < n->all.n_metric; k++) {
        const ig_row *m = &n->all.metric[k];
        if (strcmp(m->task, task) == 0 && strcmp(m->split, split) == 0 && m->layer == layer &&
            strcmp(m->languages, pair) == 0)
            return m->value;
    }
    return (double)NAN;
}

static numbers run_on(const ig_experiment *e, const char *store)
{
    ig_lab_result r;
    ig_store *s;
    numbers n;
    assert_ok(lab_run(e, store, (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_failed, 0);
    assert_ok(ig_store_open(&s, store, false, &err), &err);
    assert_ok(ig_store_read(&n.all, s, "e", false, &err), &err);
    ig_store_close(s);
    return n;
}

static const char *const per_layer[] = {"rho",
                                        "rho_forward",
                                        "map_sentence_csls",
                                        "map_sentence_csls_forward",
                                        "map_sentence_csls_backward",
                                        "map_sentence_cosine"};
enum { N_TASK = sizeof per_layer / sizeof *per_layer };

static void same_split(const numbers *n, const char *a, const char *b)
{
    for (int t = 0; t < N_TASK; t++)
        for (int l = 0; l < 3; l++) {
            const double x = at(n, per_layer[t], a, "en-fr", l);
            assert_true(isfinite(x) && x == at(n, per_layer[t], b, "en-fr", l));
        }
}

/* eval --parallel of the run gives the store's numbers. */
static void as_eval(const numbers *n, const ig_experiment *e, const char *store)
{
    static const int64_t layer[] = {0, 1, 2};
    ig_lab_state *s;
    ig_evaluation own;
    int count;
    char dir[500], parallel[500];
    assert_ok(ig_lab_status(&s, &count, e, store, &err), &err);
    snprintf(dir, sizeof dir, "%s/runs/%s", store, s[0].address);
    snprintf(parallel, sizeof parallel, "fr-en=%s", in_root("t.tsv"));
    ig_free(s);
    const ig_evaluate_options o = {.layer = layer,
                                   .n_layer = 3,
                                   .step = -1,
                                   .parallel = parallel,
                                   .text_take = -1,
                                   .translation = -1,
                                   .perplexity = -1,
                                   .also = IG_MEASURE_BIT(mapped),
                                   .n_thread = 1};
    assert_ok(ig_evaluate(&own, dir, &o, &err), &err);
    for (int l = 0; l < 3; l++) {
        static const char *const same[] = {"rho", "map_sentence_csls", "map_sentence_csls_backward",
                                           "map_sentence_cosine"};
        for (int i = 0; i < 4; i++)
            assert_true(ig_measure_value(&own.measure, same[i], l) ==
                        at(n, same[i], "t", "en-fr", l));
    }
    assert_true(isnan(ig_measure_perplexity(&own.measure, "dev")));
    ig_evaluation_free(&own);
}

static void measured_again(void **state)
{
    (void)state;
    const char *store = in_root("again");
    write_texts();
    write_file("t.tsv", 1, 0, 400, 90);
    write_file("swapped.tsv", 0, 1, 400, 90);
    write_file("own.tsv", 0, 1, 0, N_DEV);
    write_file("more.tsv", 0, 1, 500, 60);
    ig_experiment e = experiment(two, "{what: [retrieval, perplexity], layers: all}");
    numbers n = run_on(&e, store);
    const double rho = at(&n, "rho", "dev", "en-fr", 1);
    ig_store_result_free(&n.all);
    ig_experiment_free(&e);
    e = experiment(two, "{what: [retrieval, perplexity, mapped], layers: all, text: {"
                        "t: {pairs: {fr-en: t.tsv}}, swapped: {pairs: {en-fr: swapped.tsv}}, "
                        "own: {pairs: {en-fr: own.tsv}}, few: {pairs: {fr-en: t.tsv}, take: 7}, "
                        "more: {pairs: {en-fr: more.tsv}}, "
                        "by-own: {pairs: {fr-en: t.tsv}, learn: own-set}, "
                        "own-set: {pairs: {fr-en: own-set.tsv}}, "
                        "by-more: {pairs: {en-fr: swapped.tsv}, learn: more}}}");
    write_file("own-set.tsv", 1, 0, 0, N_DEV);
    n = run_on(&e, store);
    assert_int_equal(n_events(in_root("again-events"), "begun"), 1);
    assert_int_equal(n_events(in_root("again-events"), "resumed"), 1);
    assert_true(rho == at(&n, "rho", "own", "en-fr", 1));
    same_split(&n, "t", "swapped");
    same_split(&n, "t", "by-own"); /* the development text under another name */
    bool differs = false;
    for (int l = 0; l < 3; l++) {
        assert_true(at(&n, "map_sentence_pairs", "t", "en-fr", l) == 90);
        assert_true(at(&n, "map_sentence_pairs", "few", "en-fr", l) == 7);
        assert_true(at(&n, "rho", "by-more", "en-fr", l) == at(&n, "rho", "t", "en-fr", l));
        differs = differs || at(&n, "map_sentence_csls", "by-more", "en-fr", l) !=
                                 at(&n, "map_sentence_csls", "t", "en-fr", l);
    }
    assert_true(differs);
    assert_true(isnan(at(&n, "perplexity", "t", "", -1)));
    as_eval(&n, &e, store);
    ig_store_result_free(&n.all);
    /* Nothing is left to do. */
    n = run_on(&e, store);
    assert_int_equal(n_events(in_root("again-events"), "resumed"), 1);
    ig_store_result_free(&n.all);
    ig_experiment_free(&e);
}

/* Each pair has its file, in the order of the run's languages; none of a pair that is not compared.
 */
static void several_languages(void **state)
{
    (void)state;
    write_texts();
    write_file("en-de.tsv", 0, 2, 400, 30);
    write_file("de-fr.tsv", 2, 1, 400, 40);
    const char *const pairs[] = {"all", "[en-de]"};
    for (int i = 0; i < 2; i++) {
        char measure[600];
        snprintf(measure, sizeof measure,
                 "{what: [retrieval, mapped], layers: all, pairs: %s, text: {t: {pairs: {"
                 "de-fr: de-fr.tsv, en-de: en-de.tsv}}}}",
                 pairs[i]);
        ig_experiment e = experiment(three, measure);
        numbers n = run_on(&e, in_root("three"));
        assert_int_equal(n_events(in_root("three-events"), "begun"), 1);
        assert_true(isnan(at(&n, "rho", "t", "en-fr", 1)));
        assert_true(at(&n, "map_sentence_pairs", "t", "en-de", 1) == 30);
        assert_true(isfinite(at(&n, "rho", "t", "en-de", 1)));
        assert_true(at(&n, "map_sentence_pairs", "t", "fr-de", 1) == 40);
        ig_store_result_free(&n.all);
        ig_experiment_free(&e);
    }
    /* A run that was never asked for more. */
    ig_experiment e = experiment(three, "{what: [retrieval], pairs: [en-de], text: {t: {pairs: {"
                                        "de-fr: de-fr.tsv, en-de: en-de.tsv}}}}");
    numbers n = run_on(&e, in_root("fewer"));
    assert_true(isfinite(at(&n, "rho", "t", "en-de", 0)));
    assert_true(isnan(at(&n, "rho", "t", "fr-de", 0)));
    ig_store_result_free(&n.all);
    ig_experiment_free(&e);
}

/* A language that is not of the pair may have a vocabulary that knows none of its pieces. */
static void vocabulary_of_a_third(void **state)
{
    (void)state;
    write_texts();
    write_file("fr-en.tsv", 1, 0, 400, 30);
    ig_experiment e =
        experiment(vocabularies, "{what: [retrieval], pairs: all, text: {t: {pairs: {fr-en: "
                                 "fr-en.tsv}}}}");
    numbers n = run_on(&e, in_root("own"));
    assert_true(isfinite(at(&n, "rho", "t", "en-fr", 0)));
    assert_true(isnan(at(&n, "rho", "t", "fr-de", 0)));
    ig_store_result_free(&n.all);
    ig_experiment_free(&e);
}

/* File, line, what was found and expected, from a dry run and from the run itself. */
static void lines_without_a_tab(void **state)
{
    (void)state;
    static const char bad[] = "hut se\tlov mi\n\nwob ganz\n";
    const char *path = in_root("bad.tsv");
    write_texts();
    assert_ok(ig_file_write(path, bad, (int64_t)strlen(bad), &err), &err);
    ig_experiment e = experiment(two, "{what: [retrieval], text: {t: {pairs: {fr-en: bad.tsv}}}}");
    ig_lab_plan p;
    const ig_lab_options o = {.store = in_root("bad"), .jobs = 1, .threads = 1};
    assert_ok(ig_lab_dry(&p, &e, &o, &err), &err);
    assert_int_equal(p.n_impossible, 1);
    assert_non_null(strstr(p.problem, "base: "));
    assert_non_null(strstr(
        p.problem, "bad.tsv:2: found one column, expected two sentences with a tab between"));
    assert_non_null(strstr(p.why.msg, "bad.tsv:2: found one column"));
    ig_experiment_free(&e);
}

/* A file of the data of the store's one run; freed with ig_free. */
static char *data_file(const ig_experiment *e, const char *store, const char *name)
{
    ig_lab_state *s;
    char path[600], *text;
    int64_t size;
    int n;
    assert_ok(ig_lab_status(&s, &n, e, store, &err), &err);
    snprintf(path, sizeof path, "%s/runs/%s/data/%s", store, s[0].address, name);
    assert_ok(ig_file_read(&text, &size, path, 1 << 24, &err), &err);
    ig_free(s);
    return text;
}

/* Further sentences of a world are those that stand after the development text's. */
static void further_sentences(void **state)
{
    (void)state;
    static const char world[] =
        "base: {preset: bert-tiny, updates: 6, batch: 16, block: 48, warmup: 3, vocab_size: 200,\n"
        " world_sentences: 60, dev_take: %d}\nseeds: 1\nmeasure: {what: [retrieval, mapped], "
        "layers: all%s}\n";
    char text[600], name[100];
    snprintf(text, sizeof text, world, 20, ", text: {more: {take: 33}}");
    ig_experiment e = read_experiment(text);
    numbers n = run_on(&e, in_root("world"));
    assert_true(at(&n, "map_sentence_pairs", "more", "en-fake", 1) == 33);
    assert_true(at(&n, "map_sentence_pairs", "dev", "en-fake", 1) == 10); /* half of 20 */
    assert_true(isfinite(at(&n, "rho", "more", "en-fake", 1)));
    snprintf(name, sizeof name, "text-%s/world-dev.txt", e.measure.text[0].key);
    char *own = data_file(&e, in_root("world"), "world-dev.txt"),
         *more = data_file(&e, in_root("world"), name);
    ig_store_result_free(&n.all);
    ig_experiment_free(&e);
    snprintf(text, sizeof text, world, 53, "");
    e = read_experiment(text);
    n = run_on(&e, in_root("longer"));
    char *both = data_file(&e, in_root("longer"), "world-dev.txt");
    assert_int_equal(strlen(both), strlen(own) + strlen(more));
    assert_memory_equal(both, own, strlen(own));
    assert_string_equal(both + strlen(own), more);
    IG_FREE(own, more, both);
    ig_store_result_free(&n.all);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_again), cmocka_unit_test(several_languages),
        cmocka_unit_test(vocabulary_of_a_third), cmocka_unit_test(lines_without_a_tab),
        cmocka_unit_test(further_sentences)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
