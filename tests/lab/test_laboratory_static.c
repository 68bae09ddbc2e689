/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells with static vectors: every trainer as a run of the store beside a BERT, kept, gone on with
 * after a kill, the same bits on any number of threads, told by status, dry run and report; and
 * what a BERT finds that they do not where two languages share no word (Liu et al. 2020, Figure 3).
 */
#include "lab_fixture.h"
#include "measured_fixture.h"

#include "base/log.h"
#include "lab/report/lab_report.h"
#include "apply/folder/run_folder.h"
#include "run/train/run_measures.h"

#include <sys/stat.h>

#define BASE                                                                                       \
    "base: {preset: bert-tiny, world: demo, world_words: true, world_sentences: 300, dev_take: "   \
    "20,\n       batch: 32, block: 32, instances: stream, updates: 20, warmup: 3,\n"               \
    "       languages: 'en; x(world=SOV+post)'}\n"
#define CELLS                                                                                      \
    "cells:\n  bert: {}\n  w2v: {trainer: word2vec}\n  ft: {trainer: fasttext}\n"                  \
    "  glove: {trainer: glove, embed_window: 7, embed_dim: 20}\n"
static const char text[] =
    BASE CELLS "seeds: 2\nmeasure: {what: [words]}\n"
               "report: {tables: [{name: t, columns: ['mrr[low]', 'mrr[high]', 'p_at_1[high]', "
               "'mrr_open[high]']}]}\n";

static const char *run_dir(const char *store, const ig_lab_state *s)
{
    static char dir[600];
    snprintf(dir, sizeof dir, "%s/runs/%s", store, s->address);
    return dir;
}

/* Vectors, measures and words of every static run are the same in both stores. */
static void same_static(const ig_experiment *e, const char *a, const char *b)
{
    static const char *const files[] = {"measures.jsonl", "vectors.bin", "words.json"};
    ig_lab_state *s;
    int n, n_static = 0;
    assert_ok(ig_lab_status(&s, &n, e, b, &err), &err);
    for (int i = 0; i < n; i++) {
        if (s[i].status != IG_RUN_DONE)
            fail_msg("%s is %s: %s", s[i].address, ig_run_status_name(s[i].status), s[i].message);
        for (int k = 0; k < 3 && strcmp(e->cell[s[i].cell].name, "bert") != 0; k++, n_static++) {
            char x[700], y[700];
            snprintf(x, sizeof x, "%s/%s", run_dir(a, &s[i]), files[k]);
            snprintf(y, sizeof y, "%s/%s", run_dir(b, &s[i]), files[k]);
            same_file(x, y);
        }
    }
    assert_true(n_static > 0);
    ig_free(s);
}

static void check_hash(const json_t *manifest, const char *key, const char *dir)
{
    char hex[IG_SHA256_HEX], path[700];
    const json_t *f = json_object_get(manifest, key);
    const char *name = json_string_value(json_object_get(f, "path"));
    if (name == NULL)
        fail_msg("manifest.json lacks %s", key);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_ok(ig_sha256_file(hex, path, &err), &err);
    assert_string_equal(hex, json_string_value(json_object_get(f, "sha256")));
}

static void folders(const ig_experiment *e, const char *store)
{
    ig_lab_state *s;
    int n;
    assert_ok(ig_lab_status(&s, &n, e, store, &err), &err);
    assert_int_equal(n, 8);
    for (int i = 0; i < n; i++) {
        const char *dir = run_dir(store, &s[i]);
        json_t *m;
        assert_true(s[i].status == IG_RUN_DONE && ig_folder_has(dir, "DONE"));
        assert_ok(ig_folder_json(&m, dir, "manifest.json", &err), &err);
        const json_t *files = json_object_get(json_object_get(m, "data"), "files");
        assert_non_null(json_object_get(files, "vocab.txt"));
        assert_non_null(json_object_get(files, "train-x.shard"));
        check_hash(m, "words", dir);
        if (strcmp(e->cell[s[i].cell].name, "bert") != 0) {
            check_hash(m, "vectors", dir);
            assert_string_equal(json_string_value(json_object_get(m, "kind")), "embed");
        }
        json_decref(m);
    }
    ig_free(s);
}

/* A table has both: a BERT's layers, and static vectors in the column of every layer. */
static void reported(const ig_experiment *e, const char *store)
{
    ig_lab_report r;
    assert_ok(
        ig_lab_report_open(&r, e, store, &(ig_lab_report_options){.steps = IG_LAB_FINISHED}, &err),
        &err);
    const ig_result_table *t = &r.table[0];
    assert_true(t->n_row == 4 && t->n_column == 4);
    for (int i = 0; i < t->n_row; i++)
        for (int k = 0; k < t->n_column; k++) {
            const ig_result_number *n = &t->number[i * t->n_column + k];
            assert_true(n->summary.n == 2 && n->summary.mean >= 0 && n->summary.mean <= 1);
            assert_int_equal(n->layer, i > 0 ? -1 : k == 0 ? 0 : 2);
            assert_true(n->value[0].n > 40);
        }
    for (int i = 1; i < t->n_row; i++)
        assert_true(t->number[4 * i].summary.mean == t->number[4 * i + 1].summary.mean);
    ig_lab_report_close(&r);
}

/* A run that was killed after its training, and one that was killed before, go on to the same. */
static void killed(const ig_experiment *e, const char *store, const char *other)
{
    static const char *const lost[] = {"DONE", "manifest.json", "measures.jsonl", "words.json"};
    ig_lab_state *s;
    ig_lab_result r;
    int n;
    assert_ok(ig_lab_status(&s, &n, e, store, &err), &err);
    for (int i = 0; i < n; i++) {
        const char *dir = run_dir(store, &s[i]);
        if (strcmp(e->cell[s[i].cell].name, "bert") == 0)
            continue;
        for (size_t k = 0; k < sizeof lost / sizeof *lost; k++)
            ig_lab_remove_in(dir, lost[k]);
        if (s[i].seed == 1)
            ig_lab_remove_in(dir, "vectors.bin");
    }
    ig_free(s);
    assert_ok(lab_run(e, store, (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, 8);
    same_static(e, other, store);
}

static void a_store(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(text);
    ig_lab_result r;
    ig_lab_plan p;
    const ig_lab_options dry = {.store = in_root("dry"), .jobs = 1, .threads = 1};
    assert_ok(ig_lab_dry(&p, &e, &dry, &err), &err);
    assert_int_equal(p.n_run, 8);
    assert_int_equal(p.n_shape, 4);
    assert_int_equal(p.n_impossible, 0);
    assert_true(p.seconds > 0);
    assert_ok(lab_run(&e, in_root("store"), (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, 8);
    folders(&e, in_root("store"));
    reported(&e, in_root("store"));
    /* Nothing is missing: nothing is done. */
    const int begun = n_events(in_root("store-events"), "begun");
    assert_ok(lab_run(&e, in_root("store"), (ig_lab_options){0}, &r), &err);
    assert_int_equal(n_events(in_root("store-events"), "begun"), begun);
    /* Three threads, the static cells alone. */
    ig_lab_options o = {.store = in_root("threads"), .jobs = 1, .threads = 3};
    o.selector = "w2v,ft,glove";
    assert_ok(ig_lab_run(&r, &e, &o, &err), &err);
    assert_int_equal(r.n_done, 6);
    o.selector = "bert";
    assert_ok(ig_lab_run(&r, &e, &o, &err), &err);
    same_static(&e, in_root("store"), in_root("threads"));
    killed(&e, in_root("store"), in_root("threads"));
    ig_experiment_free(&e);
}

/* A stop before the training leaves a run that is to be gone on with; a kill of all leaves nothing
 * half. */
static void stopped(void **state)
{
    (void)state;
    static volatile sig_atomic_t stop = 1;
    ig_experiment e =
        read_experiment(BASE "cells:\n  w2v: {trainer: word2vec, embed_epochs: 2000}\n"
                             "seeds: 1\nmeasure: {what: [words]}\n");
    ig_lab_state *s;
    ig_lab_result r;
    int n, status;
    (void)lab_run(&e, in_root("stopped"), (ig_lab_options){.stop = &stop}, &r);
    assert_int_equal(r.n_done, 0);
    pid_t child = lab_start(&e, in_root("stopped"), (ig_lab_options){0});
    pause_ms(700);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    pause_ms(100);
    assert_ok(ig_lab_status(&s, &n, &e, in_root("stopped"), &err), &err);
    assert_true(n == 1 && s[0].status != IG_RUN_DONE && s[0].status != IG_RUN_FAILED);
    assert_false(ig_folder_has(run_dir(in_root("stopped"), &s[0]), "vectors.bin"));
    ig_free(s);
    /* max_time ends a training that cannot save. */
    assert_int_equal(lab_run(&e, in_root("stopped"), (ig_lab_options){.max_time = 0.3}, &r),
                     IG_ERR_STOPPED);
    assert_true(r.stopped);
    ig_experiment_free(&e);
}

static void mistakes(void **state)
{
    (void)state;
    ig_experiment e;
    static const char nothing[] = BASE CELLS "seeds: 1\n";
    assert_ok(ig_file_write(in_root("m.yaml"), nothing, (int64_t)strlen(nothing), &err), &err);
    assert_int_equal(ig_experiment_read(&e, in_root("m.yaml"), NULL, 0, root, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "cell 'w2v' has static vectors, of which nothing is measured"));
    static const char over[] = BASE CELLS
        "seeds: 1\nmeasure: {what: [words]}\n"
        "report: {figures: [{name: f, kind: curves, over: take, values: ['mrr[low]']}]}\n";
    assert_ok(ig_file_write(in_root("m.yaml"), over, (int64_t)strlen(over), &err), &err);
    assert_int_equal(ig_experiment_read(&e, in_root("m.yaml"), NULL, 0, root, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "over: cell 'bert' has no number of an axis 'take'"));
    /* A dictionary that is not known fails the run, with a message, and no other. */
    ig_lab_result r;
    ig_lab_state *s;
    int n;
    assert_ok(ig_file_write(in_root("a.txt"), "a b a b\n", 8, &err), &err);
    e = read_experiment(
        "base: {trainer: glove, embed_dim: 2, text: a.txt, files: 'o=a.txt', vocab_size: 30, "
        "dev_take: 1,\n"
        "       words_min_count: 1}\n"
        "cells:\n  good: {languages: 'en; x = shift'}\n  bad: {languages: 'en; x(text=o)'}\n"
        "seeds: 1\nmeasure: {what: [words]}\n");
    assert_ok(lab_run(&e, in_root("bad"), (ig_lab_options){0}, &r), &err);
    assert_ok(ig_lab_status(&s, &n, &e, in_root("bad"), &err), &err);
    assert_int_equal(s[0].status, IG_RUN_DONE);
    assert_int_equal(s[1].status, IG_RUN_FAILED);
    assert_non_null(strstr(s[1].message, "no dictionary of 'en' and 'x'"));
    ig_free(s);
    ig_experiment_free(&e);
}

/* A finished BERT is asked for words afterwards: measured from the kept model, not trained again.
 */
static void words_afterwards(void **state)
{
    (void)state;
    ig_lab_result r;
    ig_lab_state *s;
    ig_run_measures m;
    struct stat before, after;
    char path[700];
    int n;
    ig_experiment e = read_experiment(BASE "seeds: 1\nmeasure: {what: [translation]}\n");
    assert_ok(lab_run(&e, in_root("later"), (ig_lab_options){0}, &r), &err);
    assert_ok(ig_lab_status(&s, &n, &e, in_root("later"), &err), &err);
    snprintf(path, sizeof path, "%s/model/model.safetensors", run_dir(in_root("later"), &s[0]));
    assert_int_equal(stat(path, &before), 0);
    ig_experiment_free(&e);
    e = read_experiment(BASE "seeds: 1\nmeasure: {what: [words, translation], layers: [1]}\n");
    assert_ok(lab_run(&e, in_root("later"), (ig_lab_options){0}, &r), &err);
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtime == after.st_mtime);
    assert_ok(ig_run_measures_read(&m, run_dir(in_root("later"), &s[0]), false, &err), &err);
    for (int l = 0; l < 3; l++)
        assert_true(isfinite(in_rows(&m.rows, -1, "mrr", "dev", "en-x", l)));
    ig_run_measures_free(&m);
    ig_free(s);
    ig_experiment_free(&e);
}

/* Languages that share nothing but punctuation: a BERT finds many words, static vectors few more
 * than chance (MRR .06 of 87 candidates). */
static void the_paper_in_small(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(
        "base: {preset: bert-tiny, world: demo, world_words: true, world_sentences: 300,\n"
        "       dev_take: 20, batch: 128, block: 16, instances: stream, updates: 120, lr: 4e-3,\n"
        "       mask_prob: 0.3, languages: 'en; x(world=SOV+post)', embed_epochs: 20}\n"
        "cells: {bert: {}, w2v: {trainer: word2vec}, glove: {trainer: glove}}\n"
        "seeds: 2\nmeasure: {what: [words]}\n"
        "report: {tables: [{name: t, columns: ['mrr[high]']}]}\n");
    ig_lab_result r;
    ig_lab_report report;
    assert_ok(lab_run(&e, in_root("paper"), (ig_lab_options){0}, &r), &err);
    assert_ok(ig_lab_report_open(&report, &e, in_root("paper"),
                                 &(ig_lab_report_options){.steps = IG_LAB_FINISHED}, &err),
              &err);
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < 2; s++) {
            const double mrr = report.table[0].number[i].value[s].value;
            print_message("%s:%d  MRR %.3f\n", e.cell[i].name, s, mrr);
            assert_true(i == 0 ? mrr > 0.18 : mrr < 0.14);
        }
    ig_lab_report_close(&report);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store), cmocka_unit_test(stopped), cmocka_unit_test(mistakes),
        cmocka_unit_test(words_afterwards), cmocka_unit_test(the_paper_in_small)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
