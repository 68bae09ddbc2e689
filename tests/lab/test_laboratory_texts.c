/* SPDX-License-Identifier: Apache-2.0
 *
 * `text:` of `measure:`: a model is measured on further texts, to the same numbers as by
 * isoglot eval --text, without becoming another run; another text under the same name is measured
 * anew; what another experiment measured of a shared run stays.
 */
#include "lab_fixture.h"
#include "measured_fixture.h"

#include "evaluate/evaluate.h"

static const char cells[] = TINY_BASE "cells: {a: {}}\nseeds: 1\n";

/* Sentences of the world's own language, but not those of the development text. */
static void write_text(const char *name, int first)
{
    static const char *const words[] = {"porka", "dabev", "lov", "mi", "tarun", "besh", "kol"};
    char text[4000] = "";
    for (int i = first; i < first + 25; i++)
        for (int k = 0; k < 5; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                     words[(i * 3 + k * (i % 4 + 1)) % 7], k < 4 ? " " : " .\n");
    assert_ok(ig_file_write(in_root(name), text, (int64_t)strlen(text), &err), &err);
}

/* Runs the experiment with that `measure:`; *address of its one run. */
static ig_experiment run_with(const char *measure, const char *store, char *address)
{
    char text[2000];
    ig_lab_result r;
    ig_lab_state *s;
    int n;
    snprintf(text, sizeof text, "%smeasure: %s\n", cells, measure);
    ig_experiment e = read_experiment(text);
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, 1);
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    assert_int_equal(s[0].status, IG_RUN_DONE);
    memcpy(address, s[0].address, IG_ADDRESS);
    ig_free(s);
    return e;
}

/* A value of the store; NaN: it has none. */
static double stored(const char *store, const char *task, const char *split, int64_t step,
                     int64_t *n)
{
    ig_store *s;
    ig_store_result all;
    double found = (double)NAN;
    assert_ok(ig_store_open(&s, store, false, &err), &err);
    assert_ok(ig_store_read(&all, s, "e", false, &err), &err);
    for (int64_t k = 0; k < all.n_metric; k++) {
        const ig_row *m = &all.metric[k];
        if (strcmp(m->task, task) == 0 && strcmp(m->split, split) == 0 && m->step == step &&
            (strcmp(task, "perplexity") != 0 || m->languages[0] == '\0')) {
            assert_true(isnan(found));
            found = m->value;
            *n = m->n;
        }
    }
    ig_store_result_free(&all);
    ig_store_close(s);
    return found;
}

static void measured_and_stored(void **state)
{
    (void)state;
    const char *store = in_root("texts");
    char plain[IG_ADDRESS], with[IG_ADDRESS], dir[400];
    int64_t n = 0, other = 0;
    ig_experiment e = run_with("{}", store, plain);
    const double mu = stored(store, "mu", "dev", 30, &n);
    ig_experiment_free(&e);
    write_text("w.txt", 0);

    /* That run is only measured again at its end, with the same numbers as before. */
    e = run_with("{text: {all: w.txt, few: {text: w.txt, take: 10}}}", store, with);
    assert_string_equal(plain, with);
    assert_int_equal(n_events(in_root("texts-events"), "begun"), 1);
    assert_true(stored(store, "mu", "dev", 30, &n) == mu);
    assert_true(isfinite(stored(store, "mu", "few", 30, &other)));
    assert_int_equal(other, 10);
    assert_true(isfinite(stored(store, "mu", "all", 30, &other)));
    assert_int_equal(other, 25);

    /* As isoglot eval --text measures it. */
    ig_evaluation own;
    snprintf(dir, sizeof dir, "%s/runs/%s", store, with);
    const ig_evaluate_options o = {.step = -1,
                                   .text = in_root("w.txt"),
                                   .text_take = 10,
                                   .translation = -1,
                                   .perplexity = -1,
                                   .skip_train = true,
                                   .n_thread = 1};
    assert_ok(ig_evaluate(&own, dir, &o, &err), &err);
    assert_true(ig_measure_value(&own.measure, "mu", -1) == stored(store, "mu", "few", 30, &n));
    assert_true(ig_measure_perplexity(&own.measure, "dev") ==
                stored(store, "perplexity", "few", 30, &n));
    ig_evaluation_free(&own);
    ig_experiment_free(&e);
}

/* Another text under a name is not taken for it; another experiment's texts stay measured. */
static void anew_and_kept(void **state)
{
    (void)state;
    const char *store = in_root("anew");
    char address[IG_ADDRESS];
    int64_t n = 0;
    ig_lab_state *s;
    int count;
    write_text("x.txt", 0);
    ig_experiment e = run_with("{text: {x: x.txt}}", store, address);
    const double first = stored(store, "perplexity", "x", 30, &n);
    ig_experiment_free(&e);
    write_text("y.txt", 40);
    e = run_with("{text: {y: y.txt}}", store, address);
    assert_true(stored(store, "perplexity", "x", 30, &n) == first);
    assert_true(isfinite(stored(store, "perplexity", "y", 30, &n)));
    assert_int_equal(n_events(in_root("anew-events"), "resumed"), 1);
    ig_experiment_free(&e);

    write_text("x.txt", 11);
    e = read_experiment(TINY_BASE "cells: {a: {}}\nseeds: 1\nmeasure: {text: {x: x.txt}}\n");
    assert_ok(ig_lab_status(&s, &count, &e, store, &err), &err);
    assert_int_equal(s[0].status, IG_RUN_STOPPED);
    ig_free(s);
    ig_experiment_free(&e);
    e = run_with("{text: {x: x.txt}}", store, address);
    assert_false(stored(store, "perplexity", "x", 30, &n) == first);
    ig_experiment_free(&e);
}

/* A text takes the measures that it names, also when another experiment measures the run again;
 * with all of them it is measured anew. */
static void some_measures(void **state)
{
    (void)state;
    const char *store = in_root("some");
    char address[IG_ADDRESS];
    int64_t n = 0;
    write_text("w.txt", 0);
    write_text("v.txt", 40);
    ig_experiment e =
        run_with("{text: {w: {text: w.txt, what: [perplexity]}, v: v.txt}}", store, address);
    const double perplexity = stored(store, "perplexity", "w", 30, &n);
    assert_true(isfinite(perplexity));
    assert_true(isfinite(stored(store, "mu", "v", 30, &n)));
    assert_true(isnan(stored(store, "mu", "w", 30, &n)));
    ig_experiment_free(&e);
    e = run_with("{text: {u: v.txt}}", store, address);
    assert_true(stored(store, "perplexity", "w", 30, &n) == perplexity);
    assert_true(isnan(stored(store, "mu", "w", 30, &n)));
    ig_experiment_free(&e);
    e = run_with("{text: {w: w.txt}}", store, address);
    assert_true(stored(store, "perplexity", "w", 30, &n) == perplexity);
    assert_true(isfinite(stored(store, "mu", "w", 30, &n)));
    ig_experiment_free(&e);
}

/* At every checkpoint, on as many sentences as the development text; a dry run knows of it and
 * writes nothing. */
static void on_the_way(void **state)
{
    (void)state;
    const char *store = in_root("way");
    char address[IG_ADDRESS];
    int64_t n = 0;
    ig_lab_plan p;
    write_text("w.txt", 3);
    ig_experiment e =
        run_with("{text: {w: w.txt}, checkpoints: [5], curve_take: 7}", store, address);
    assert_true(isfinite(stored(store, "mu", "w", 5, &n)));
    assert_int_equal(n, 7);
    assert_true(isfinite(stored(store, "mu", "w", 30, &n)));
    assert_int_equal(n, 25);
    const ig_lab_options o = {.store = in_root("way-dry"), .jobs = 1, .threads = 1};
    assert_ok(ig_lab_dry(&p, &e, &o, &err), &err);
    assert_true(p.seconds > 0 && p.n_impossible == 0);
    assert_false(ig_file_exists(o.store));
    ig_experiment_free(&e);
}

/* Three books of verses; a verse of German that English does not have, and the other way round. */
static void write_verses(const char *name, const char *const words[6], int lacks)
{
    char text[9000] = "";
    for (int book = 40; book < 43; book++)
        for (int v = 1; v <= 12; v++) {
            if (v == lacks)
                continue;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d001%03d\t", book, v);
            for (int k = 0; k < 4; k++)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                         words[(v * (book - 38) + k * (v % 5 + 1)) % 6], k < 3 ? " " : " .\n");
        }
    assert_ok(ig_file_write(in_root(name), text, (int64_t)strlen(text), &err), &err);
}

/* A metric of a cell; NaN: it has none. */
static double of_cell(const ig_store_result *all, const char *cell, const char *task,
                      const char *split, int64_t *n)
{
    for (int64_t i = 0; i < all->n_entry; i++)
        for (int64_t k = 0; k < all->entry[i].n_metric; k++) {
            const ig_row *m = &all->metric[all->entry[i].first_metric + k];
            if (strcmp(all->entry[i].cell.cell, cell) == 0 && strcmp(m->task, task) == 0 &&
                strcmp(m->split, split) == 0 && m->layer <= 0 &&
                (strcmp(task, "rho") == 0 || m->languages[0] == '\0')) {
                *n = m->n;
                return m->value;
            }
        }
    return (double)NAN;
}

/* Without a file: other verses of each language's development text, to the numbers of a run that
 * has them for its development text. A dry run knows of them. */
static void other_verses(void **state)
{
    (void)state;
    static const char *const en[] = {"lov", "mi", "tarun", "besh", "kol", "dabev"},
                             *const de[] = {"hut", "se", "wob", "ganz", "fel", "rim"};
    static const char *const languages[] = {
        "files: \"de=de.tsv\", languages: \"en; de(text=de, dev=de)\"",
        "languages: \"en; fake = shift\""};
    static const int64_t n_luke[] = {10, 11};
    write_verses("en.tsv", en, 3);
    write_verses("de.tsv", de, 7);
    for (int i = 0; i < 2; i++) {
        char text[1000];
        const char *store = in_root(i == 0 ? "own" : "common");
        ig_lab_plan p;
        ig_lab_result r;
        ig_store *s;
        ig_store_result all;
        int64_t n = 0, m = 0;
        snprintf(text, sizeof text,
                 "base: {preset: bert-tiny, updates: 6, batch: 8, block: 48, warmup: 3, "
                 "vocab_size: 60,\n text: en.tsv, ids: 40, dev_text: en.tsv, dev_ids: 41, %s}\n"
                 "cells: {a: {}, b: {dev_ids: 42}}\nseeds: 1\n"
                 "measure: {text: {luke: {ids: 42}}}\n",
                 languages[i]);
        ig_experiment e = read_experiment(text);
        const ig_lab_options dry = {.store = store, .jobs = 1, .threads = 1};
        assert_ok(ig_lab_dry(&p, &e, &dry, &err), &err);
        assert_int_equal(p.n_impossible, 0);
        assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
        assert_int_equal(r.n_done, 2);
        assert_ok(ig_store_open(&s, store, false, &err), &err);
        assert_ok(ig_store_read(&all, s, "e", false, &err), &err);
        assert_true(of_cell(&all, "a", "perplexity", "luke", &n) ==
                    of_cell(&all, "b", "perplexity", "dev", &m));
        assert_false(of_cell(&all, "a", "perplexity", "dev", &n) ==
                     of_cell(&all, "b", "perplexity", "dev", &m));
        assert_true(of_cell(&all, "a", "rho", "luke", &n) == of_cell(&all, "b", "rho", "dev", &m));
        assert_true(n == n_luke[i] && m == n_luke[i]);
        ig_store_result_free(&all);
        ig_store_close(s);
        /* Nothing is left to do. */
        assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
        char events[300];
        snprintf(events, sizeof events, "%s-events", store);
        assert_int_equal(n_events(events, "begun"), 2);
        assert_int_equal(n_events(events, "resumed"), 0);
        ig_experiment_free(&e);
    }
}

/* A text is identified by its bytes and by the part that is measured, not by its path. */
static void keys(void **state)
{
    (void)state;
    write_text("w.txt", 0);
    write_text("again.txt", 0);
    write_text("else.txt", 7);
    ig_experiment e = read_experiment(
        "measure: {text: {a: w.txt, b: again.txt, c: else.txt, d: {text: w.txt, ids: NT}, "
        "e: {text: w.txt, take: 3}, f: {text: w.txt, format: plain}, g: nowhere.txt, "
        "h: {text: w.txt, format: mediawiki}}}\n");
    const ig_measure_text *t = e.measure.text;
    assert_int_equal(e.measure.n_text, 8);
    assert_int_equal(strlen(t[0].key), IG_MEASURE_TEXT_KEY - 1);
    assert_string_equal(t[0].key, t[1].key);
    for (int i = 2; i < 6; i++)
        for (int k = 1; k < i; k++)
            assert_string_not_equal(t[i].key, t[k].key);
    assert_string_equal(t[6].key, "");
    assert_int_equal(t[7].format, IG_TEXT_MEDIAWIKI);
    assert_string_not_equal(t[7].key, t[0].key);
    ig_experiment_free(&e);
}

/* In the store a run's texts are named without their folders. */
static void names_without_folders(void **state)
{
    (void)state;
    ig_lab_result r;
    ig_store *s;
    ig_store_result all;
    write_text("w.txt", 0);
    ig_experiment e = read_experiment("base: {preset: bert-tiny, updates: 2, batch: 8, block: 48, "
                                      "vocab_size: 60, text: w.txt, dev_text: w.txt}\n");
    assert_ok(lab_run(&e, in_root("names"), (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, 1);
    assert_ok(ig_store_open(&s, in_root("names"), false, &err), &err);
    assert_ok(ig_store_read(&all, s, "e", true, &err), &err);
    assert_non_null(strstr(all.entry[0].run.config, "\"text\":\"w.txt\""));
    assert_non_null(strstr(all.entry[0].run.config, "\"dev_text\":\"w.txt\""));
    ig_store_result_free(&all);
    ig_store_close(s);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_and_stored),   cmocka_unit_test(anew_and_kept),
        cmocka_unit_test(some_measures),         cmocka_unit_test(on_the_way),
        cmocka_unit_test(other_verses),          cmocka_unit_test(keys),
        cmocka_unit_test(names_without_folders),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
