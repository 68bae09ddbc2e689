/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiments from file to finished store: order, sharing of work and of data, failures and their
 * retry, stopping, a full disk, what folders say and what the store then has.
 */
#include "lab_fixture.h"
#include "measured_fixture.h"

#include "lab/estimate/cost.h"
#include "lab/report/lab_report.h"
#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "run/train/run_measures.h"

#include <math.h>

#include <sys/stat.h>

static const char tiny[] = TINY_BASE TINY_CELLS "seeds: 2\n" TINY_MEASURE;

/* All runs, once; the result every other test is compared with. */
static const char *reference(const ig_experiment *e)
{
    static bool made;
    static char store[300];
    if (!made) {
        ig_lab_result r;
        snprintf(store, sizeof store, "%s", in_root("reference"));
        assert_ok(lab_run(e, store, (ig_lab_options){0}, &r), &err);
        assert_int_equal(r.n_run, 4);
        assert_int_equal(r.n_done, 4);
        assert_int_equal(r.n_failed + r.n_missing + r.n_skipped, 0);
        made = true;
    }
    return store;
}

static void first_seeds_first(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(tiny);
    char *text;
    int64_t n;
    ig_lab_result r;
    assert_ok(lab_run(&e, in_root("order"), (ig_lab_options){.jobs = 1}, &r), &err);
    assert_ok(ig_file_read(&text, &n, in_root("order-events"), 1 << 20, &err), &err);
    assert_string_equal(text,
                        "begun original:0 \ndone original:0 \nbegun apart:0 \ndone apart:0 \n"
                        "begun original:1 \ndone original:1 \nbegun apart:1 \ndone apart:1 \n");
    ig_free(text);
    same_results(&e, reference(&e), in_root("order"));

    /* Nothing is missing: nothing is done. */
    assert_ok(lab_run(&e, in_root("order"), (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, 4);
    assert_int_equal(n_events(in_root("order-events"), "begun"), 4);
    ig_experiment_free(&e);
}

/* The content of a run's folder, and that all runs use the same data. */
static void folders(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(tiny);
    const char *store = reference(&e);
    ig_lab_state *s;
    int n;
    char dir[400], first[400], path[600];
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    assert_int_equal(n, 4);
    snprintf(path, sizeof path, "%s/data", store);
    assert_int_equal(fault_count(path), 2); /* one folder and its lock: all runs share them */
    struct stat one = {0};
    for (int i = 0; i < n; i++) {
        json_t *m;
        struct stat st;
        snprintf(dir, sizeof dir, "%s/runs/%s", store, s[i].address);
        assert_true(ig_folder_has(dir, "DONE") && ig_folder_has(dir, "run.json"));
        assert_int_equal(s[i].step, 30);
        assert_ok(ig_folder_json(&m, dir, "manifest.json", &err), &err);
        static const char *const keys[] = {"address", "config",  "data",       "model",
                                           "measure", "program", "host",       "threads",
                                           "updates", "time",    "peak_memory"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (json_object_get(m, keys[k]) == NULL)
                fail_msg("manifest.json lacks %s", keys[k]);
        assert_string_equal(json_string_value(json_object_get(m, "address")), s[i].address);
        char hex[IG_SHA256_HEX];
        const json_t *model = json_object_get(m, "model");
        snprintf(path, sizeof path, "%s/%s/model.safetensors", dir,
                 json_string_value(json_object_get(model, "path")));
        assert_ok(ig_sha256_file(hex, path, &err), &err);
        assert_string_equal(hex, json_string_value(json_object_get(model, "sha256")));
        snprintf(path, sizeof path, "%s/data/train.shard", dir);
        assert_int_equal(stat(path, &st), 0);
        if (i > 0)
            assert_true(st.st_ino == one.st_ino);
        one = st;
        json_decref(m);
    }
    snprintf(first, sizeof first, "%s/runs/%s", store, s[0].address);
    assert_false(ig_run_dir_busy(first));
    ig_free(s);
    ig_experiment_free(&e);
}

/* Two processes on one store share the work and do nothing twice, and both see all of it done. */
static void two_at_once(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(tiny);
    const char *store = in_root("two");
    pid_t a = lab_start(&e, store, (ig_lab_options){0}),
          b = lab_start(&e, store, (ig_lab_options){0});
    assert_int_equal(exit_code(a), 0);
    assert_int_equal(exit_code(b), 0);
    assert_int_equal(n_events(in_root("two-events"), "done"), 4);
    assert_int_equal(n_events(in_root("two-events"), "resumed"), 0);
    same_results(&e, reference(&e), in_root("two"));
    ig_experiment_free(&e);
}

/* A failed run keeps its message and stops nobody; it is tried again only when asked for. */
static void failure_and_retry(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(
        TINY_BASE "cells:\n  a: {}\n  far: {languages: 'en; fake = shift | positions:500'}\n"
                  "  b: {batch: 8}\nseeds: 1\n");
    ig_lab_result r;
    ig_lab_state *s;
    int n;
    const char *store = in_root("failing");
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, 2);
    assert_int_equal(r.n_failed, 1);
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    assert_int_equal(s[1].status, IG_RUN_FAILED);
    assert_string_equal(s[1].message, "max-positions: found 512, but language 'fake' has positions "
                                      "from 500 to 547");
    ig_free(s);
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    assert_int_equal(n_events(in_root("failing-events"), "failed"), 1);
    assert_ok(lab_run(&e, store, (ig_lab_options){.retry = true}, &r), &err);
    assert_int_equal(n_events(in_root("failing-events"), "failed"), 2);
    assert_int_equal(n_events(in_root("failing-events"), "begun"), 4);
    assert_int_equal(r.n_failed, 1);
    ig_experiment_free(&e);
}

/* The disk is full after so many bytes of a file: the command stops with the reason, no run has
 * failed and no other is begun, nothing is left under a final name, and with room again the same
 * command ends with the same bits. */
static void full_disk(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(tiny);
    ig_lab_result r;
    const char *store = in_root("full");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fault_file_size(50000);
        ig_code code = lab_run(&e, store, (ig_lab_options){.worker = true}, &r);
        _exit(code == IG_ERR_IO && r.n_done == 0 && r.n_failed == 0 && r.n_missing == 4 &&
                      strstr(err.msg, "File too large") != NULL &&
                      strstr(err.hint, "0 of 4 runs are done; with room again") != NULL
                  ? 0
                  : 1);
    }
    assert_int_equal(exit_code(child), 0);
    ig_lab_state *s;
    int n;
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    for (int i = 0; i < n; i++) {
        char dir[400];
        snprintf(dir, sizeof dir, "%s/runs/%s", store, s[i].address);
        assert_true(s[i].status == IG_RUN_MISSING || s[i].status == IG_RUN_STOPPED);
        assert_false(ig_folder_has(dir, "failed.json"));
        assert_false(ig_folder_has(dir, "model") || ig_folder_has(dir, "DONE"));
        int64_t *steps;
        int n_step;
        assert_ok(ig_run_checkpoints(&steps, &n_step, dir, false, &err), &err);
        assert_int_equal(n_step, 0);
        ig_free(steps);
    }
    ig_free(s);
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    same_results(&e, reference(&e), store);
    ig_experiment_free(&e);
}

/* Time is up, or somebody asked: all running ones are saved, and go on. */
static void stop_and_go_on(void **state)
{
    (void)state;
    static volatile sig_atomic_t stop = 1;
    ig_experiment e = read_experiment(tiny);
    ig_lab_result r;
    const char *store = in_root("stopped");
    assert_int_equal(lab_run(&e, store, (ig_lab_options){.stop = &stop}, &r), IG_ERR_STOPPED);
    assert_true(r.stopped && r.n_missing == 4);
    int rounds = 0;
    for (double t = 0.05; rounds < 60; rounds++, t *= 1.15) {
        ig_code code = lab_run(&e, store, (ig_lab_options){.max_time = t}, &r);
        if (code == IG_ERR_OK)
            break;
        assert_int_equal(code, IG_ERR_STOPPED);
        ig_lab_state *s;
        int n;
        assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
        for (int i = 0; i < n; i++)
            assert_true(s[i].status == IG_RUN_DONE || s[i].status == IG_RUN_STOPPED ||
                        s[i].status == IG_RUN_MISSING);
        ig_free(s);
    }
    assert_true(rounds > 0);
    same_results(&e, reference(&e), store);
    ig_experiment_free(&e);
}

/* A run with other measures is only measured again at its end, or trained again for measures during
 * training; never twice for existing ones. */
static void other_measures(void **state)
{
    (void)state;
    static const char cells[] = TINY_BASE "cells: {a: {}}\nseeds: 1\n";
    char text[2000];
    ig_lab_result r;
    const char *store = in_root("measures");
    char events[400];
    snprintf(events, sizeof events, "%s-events", store);
    static const struct {
        const char *measure;
        int n_work;     /* so far */
        size_t n_entry; /* checkpoints in measures.jsonl */
    } cases[] = {{"{what: [retrieval]}", 1, 1},
                 {"{what: [retrieval, translation]}", 2, 1},
                 {"{what: [translation]}", 2, 1},
                 {"{what: [retrieval], layers: all}", 3, 1},
                 {"{what: [retrieval], checkpoints: [5, 20]}", 4, 3},
                 {"{what: [retrieval], checkpoints: [20]}", 4, 3},
                 {"{what: [retrieval], checkpoints: [20], curve_take: 7}", 5, 3},
                 {"{}", 6, 3},
                 {"{what: [retrieval, translation], layers: all}", 6, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%smeasure: %s\n", cells, cases[i].measure);
        ig_experiment e = read_experiment(text);
        assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
        assert_int_equal(r.n_done, 1);
        const int n_work = n_events(events, "begun") + n_events(events, "resumed");
        if (n_work != cases[i].n_work)
            fail_msg("%s: worked %d times, expected %d", cases[i].measure, n_work, cases[i].n_work);
        ig_lab_state *s;
        int n;
        ig_run_measures m;
        char dir[400];
        assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
        snprintf(dir, sizeof dir, "%s/runs/%s", store, s[0].address);
        assert_ok(ig_run_measures_read(&m, dir, false, &err), &err);
        assert_int_equal(m.n, cases[i].n_entry);
        ig_run_measures_free(&m);
        ig_free(s);
        ig_experiment_free(&e);
    }
}

/* The store has what the folders have, also when it is made anew. */
static void collected(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(tiny);
    char store[300];
    snprintf(store, sizeof store, "%s", reference(&e));
    for (int round = 0; round < 2; round++) {
        ig_store *s;
        ig_store_result all;
        char path[400];
        if (round == 1) {
            snprintf(path, sizeof path, "%s/store.sqlite", store);
            assert_int_equal(unlink(path), 0);
        }
        assert_ok(ig_store_open(&s, store, true, &err), &err);
        if (round == 1)
            assert_ok(ig_lab_collect(s, &e, store, false, &err), &err);
        assert_ok(ig_store_read(&all, s, "e", false, &err), &err);
        assert_int_equal(all.n_entry, 4);
        for (int64_t i = 0; i < all.n_entry; i++) {
            const ig_store_entry *x = &all.entry[i];
            assert_int_equal(x->run.status, IG_RUN_DONE);
            assert_int_equal(x->run.updates, 30);
            assert_true(x->run.seconds > 0 && x->run.finished > 0);
            char dir[400];
            ig_run_measures of;
            snprintf(dir, sizeof dir, "%s/runs/%s", store, x->run.address);
            assert_ok(ig_run_measures_read(&of, dir, false, &err), &err);
            const double mu = in_rows(&of.rows, -1, "mu", "dev", "en-fake", -1);
            int n_mu = 0, n_loss = 0;
            for (int64_t k = 0; k < x->n_metric; k++) {
                const ig_row *m = &all.metric[x->first_metric + k];
                n_mu += strcmp(m->task, "mu") == 0;
                n_loss += strcmp(m->task, "loss") == 0;
                if (strcmp(m->task, "mu") == 0 && m->last)
                    assert_true(m->value == mu);
            }
            assert_int_equal(n_mu, 7); /* 0, 1, 2, 5, 10, 20, and the last, 30 */
            assert_true(n_loss >= 3);
            ig_run_measures_free(&of);
        }
        ig_store_result_free(&all);
        ig_store_close(s);
    }
    ig_experiment_free(&e);
}

static void spoil(const char *dir, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_ok(ig_file_write(path, "{", 1, &err), &err);
}

/* If the files of a finished run are damaged, that run fails and says how to proceed, and the
 * others stay; run again it has the same bits as before. A file that is not a store is reported
 * before anything runs. */
static void damaged(void **state)
{
    (void)state;
    static const char *const files[] = {"measures.jsonl", "manifest.json"};
    ig_experiment e = read_experiment(TINY_BASE "cells: {a: {}, b: {lang_pos: true}}\nseeds: 1\n");
    ig_lab_result r;
    ig_lab_state *s;
    ig_store *db;
    ig_store_result all;
    int n;
    char dir[400], measures[500], log[500], *before, *after;
    int64_t size, same;
    const char *store = in_root("damaged");
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    snprintf(dir, sizeof dir, "%s/runs/%s", store, s[0].address);
    ig_free(s);
    snprintf(measures, sizeof measures, "%s/measures.jsonl", dir);
    assert_ok(ig_file_read(&before, &size, measures, 1 << 24, &err), &err);
    for (size_t i = 0; i < 2; i++) {
        spoil(dir, files[i]);
        assert_ok(ig_store_open(&db, store, true, &err), &err);
        assert_ok(ig_lab_collect(db, &e, store, true, &err), &err);
        assert_ok(ig_store_read(&all, db, "e", false, &err), &err);
        assert_int_equal(all.n_entry, 2);
        assert_int_equal(all.entry[0].run.status, IG_RUN_FAILED);
        assert_int_equal(all.entry[0].n_metric, 0);
        assert_non_null(strstr(all.entry[0].run.message, files[i]));
        assert_non_null(strstr(all.entry[0].run.message, "--retry makes the run again"));
        assert_int_equal(all.entry[1].run.status, IG_RUN_DONE);
        assert_true(all.entry[1].n_metric > 10);
        ig_store_result_free(&all);
        ig_store_close(db);
    }
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    assert_int_equal(s[0].status, IG_RUN_FAILED);
    assert_string_equal(s[0].message, "damaged: manifest.json: string or '}' expected near end of "
                                      "file; --retry makes the run again");
    assert_int_equal(s[1].status, IG_RUN_DONE);
    ig_free(s);
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    assert_true(r.n_done == 1 && r.n_failed == 1);
    assert_ok(lab_run(&e, store, (ig_lab_options){.retry = true}, &r), &err);
    assert_true(r.n_done == 2 && r.n_failed == 0);
    assert_ok(ig_file_read(&after, &same, measures, 1 << 24, &err), &err);
    assert_true(size == same && memcmp(before, after, (size_t)size) == 0);
    ig_free(after);

    /* A file that is not there is damage too; and damage that only reading finds. */
    snprintf(log, sizeof log, "%s/log.jsonl", dir);
    assert_int_equal(unlink(log), 0);
    assert_ok(ig_store_open(&db, store, true, &err), &err);
    assert_ok(ig_lab_collect(db, &e, store, true, &err), &err);
    assert_ok(ig_store_read(&all, db, "e", false, &err), &err);
    assert_int_equal(all.entry[0].run.status, IG_RUN_FAILED);
    assert_string_equal(all.entry[0].run.message,
                        "damaged: log.jsonl: is missing; --retry makes the run again");
    assert_int_equal(all.entry[1].run.status, IG_RUN_DONE);
    ig_store_result_free(&all);
    ig_store_close(db);
    assert_ok(lab_run(&e, store, (ig_lab_options){.retry = true}, &r), &err);
    assert_true(r.n_done == 2 && access(log, F_OK) == 0);
    spoil(dir, "measures.jsonl");
    assert_ok(lab_run(&e, store, (ig_lab_options){.retry = true}, &r), &err);
    assert_ok(ig_file_read(&after, &same, measures, 1 << 24, &err), &err);
    assert_true(r.n_done == 2 && size == same && memcmp(before, after, (size_t)size) == 0);
    ig_free(before);
    ig_free(after);

    assert_ok(ig_dir_make(in_root("none"), &err), &err);
    spoil(in_root("none"), "store.sqlite");
    assert_int_equal(lab_run(&e, in_root("none"), (ig_lab_options){0}, &r), IG_ERR_INPUT);
    assert_int_equal(n_events(in_root("none-events"), "begun"), 0);
    assert_int_equal(ig_lab_status(&s, &n, &e, in_root("none/store.sqlite"), &err), IG_ERR_IO);
    assert_string_equal(err.msg, "found a file, expected a folder");
    ig_experiment_free(&e);
}

static void dry(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(tiny);
    ig_lab_plan p;
    const ig_lab_options o = {.store = in_root("dry"), .jobs = 2, .threads = 1};
    assert_ok(ig_lab_dry(&p, &e, &o, &err), &err);
    assert_int_equal(p.n_cell, 2);
    assert_int_equal(p.n_run, 4);
    assert_int_equal(p.n_done, 0);
    assert_int_equal(p.n_shape, 1); /* the switches of the paper cost nothing */
    assert_true(p.largest_parameters > 10000 && p.memory > 1 << 20);
    assert_true(p.seconds > 0 && p.core_seconds >= p.seconds);
    assert_false(ig_file_exists(o.store));

    /* Finished runs of the same shape tell how long the others take: nothing is timed. */
    ig_lab_result r;
    ig_lab_state *s;
    int n;
    double seconds = 0;
    assert_ok(lab_run(&e, o.store, (ig_lab_options){.selector = "a*", .jobs = 1}, &r), &err);
    assert_ok(ig_lab_status(&s, &n, &e, o.store, &err), &err);
    for (int i = 0; i < n; i++)
        seconds += s[i].status == IG_RUN_DONE ? s[i].seconds / r.n_done : 0;
    ig_free(s);
    assert_ok(
        ig_lab_dry(&p, &e, &(ig_lab_options){.store = o.store, .jobs = 1, .threads = 1}, &err),
        &err);
    assert_int_equal(p.n_recorded, r.n_done);
    assert_int_equal(p.n_shape, 0);
    assert_true(p.largest_parameters > 10000 && p.memory > 1 << 20);
    assert_true(fabs(p.seconds - (4 - r.n_done) * seconds) < 1e-9 * p.seconds);
    ig_experiment_free(&e);
}

/* What cannot be timed in time: nothing is known, or the seconds that committed results recorded of
 * the same settings; of others they say nothing. */
static void dry_recorded(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(tiny);
    const char *store = in_root("recorded");
    ig_lab_result result;
    ig_lab_report r;
    ig_lab_plan p;
    double seconds = 0;
    const ig_lab_options late = {
        .store = in_root("late"), .jobs = 1, .threads = 1, .answer_seconds = 1e-9};
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &result), &err);
    assert_ok(ig_lab_dry(&p, &e, &late, &err), &err);
    assert_true(p.n_untimed == 1 && p.n_shape == 0 && isnan(p.seconds) && p.operations > 0);

    assert_ok(ig_lab_report_open(&r, &e, store, &(ig_lab_report_options){0}, &err), &err);
    for (int64_t i = 0; i < r.stored.n_entry; i++)
        seconds += r.stored.entry[i].run.seconds;
    assert_ok(ig_dir_make(in_root("results"), &err), &err);
    FILE *fp = fopen(in_root("results/e.jsonl"), "w");
    assert_non_null(fp);
    assert_ok(ig_lab_export(fp, &r, &(ig_lab_export_options){0}, &err), &err);
    fclose(fp);
    ig_lab_report_close(&r);
    assert_ok(ig_lab_dry(&p, &e, &late, &err), &err);
    assert_true(p.n_untimed == 1 && fabs(p.core_seconds - seconds) < 1e-6 * seconds);
    ig_experiment_free(&e);
    char other[2000];
    snprintf(other, sizeof other, "%s", tiny);
    char *updates = strstr(other, "updates: 30");
    assert_non_null(updates);
    updates[10] = '1';
    e = read_experiment(other);
    assert_ok(ig_lab_dry(&p, &e, &late, &err), &err);
    assert_true(isnan(p.seconds));
    ig_experiment_free(&e);
    unlink(in_root("results/e.jsonl"));
}

/* Cells of two sizes are two shapes, also where the hidden size is solved for. */
static void dry_sizes(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(
        "base: {preset: bert-tiny, hidden: null, world: demo, world_sentences: 60, dev_take: 20, "
        "vocab_size: 120, updates: 2, batch: 8}\n"
        "cells:\n  small: {parameters: 30000}\n  large: {parameters: 120000}\n"
        "seeds: 1\n" TINY_MEASURE);
    ig_lab_plan p;
    assert_ok(ig_lab_dry(&p, &e, &(ig_lab_options){.store = in_root("sizes"), .jobs = 1}, &err),
              &err);
    assert_int_equal(p.n_shape, 2);
    assert_true(p.largest_parameters > 90000);
    ig_experiment_free(&e);
}

/* Ten of twenty updates took 10 s; the begin and measuring at 0 and 5 took 6 s more. Ahead are ten
 * updates, and measuring at 15 and at the end. */
static void time_left(void **state)
{
    (void)state;
    int shape = 0;
    bool trained = false;
    double train = 1, tuning = 0;
    ig_cost_shape of = {.operations = 1};
    ig_costs t = {.n = 1,
                  .n_shape = 1,
                  .shape = &shape,
                  .train = &train,
                  .tune = &tuning,
                  .trained = &trained,
                  .of = &of};
    static ig_lab_slot slot;
    const ig_measure_plan plan = {
        .at = {.kind = IG_CHECKPOINTS_LIST, .step = {.n = 3, .v = {0, 5, 15}}}};
    atomic_store(&slot.step, 10);
    atomic_store(&slot.n_step, 20);
    atomic_store(&slot.first_step, 0);
    atomic_store(&slot.train_seconds, 10.0);
    const double left = ig_costs_running(&t, 0, &slot, 16, &plan);
    assert_true(fabs(left - (10 + 2 * 2)) < 1e-9);
    /* Gone on with at update 4, a second an update: what an earlier process did is not its time. */
    atomic_store(&slot.first_step, 4);
    atomic_store(&slot.train_seconds, 6.0);
    assert_true(fabs(ig_costs_running(&t, 0, &slot, 8, &plan) - (10 + 2 * 1)) < 1e-9);
    atomic_store(&slot.first_step, 0);
    atomic_store(&slot.train_seconds, 10.0);
    /* Fine-tunings of half the weight take 10 s more; when it is trained, 4 s of these are over. */
    tuning = 0.5;
    assert_true(fabs(ig_costs_running(&t, 0, &slot, 16, &plan) - (left + 10)) < 1e-9);
    atomic_store(&slot.step, 20);
    atomic_store(&slot.train_seconds, 20.0);
    assert_true(fabs(ig_costs_running(&t, 0, &slot, 24, &plan) - 6) < 1e-9);
}

static void jobs_and_threads(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(
        TINY_BASE "cells:\n  a: {}\n  big: {preset: bert-base, needs: gpu}\nseeds: [7]\n");
    ig_lab_list l;
    ig_hash_cache *cache;
    assert_ok(ig_hash_cache_new(&cache, &err), &err);
    assert_ok(ig_lab_list_make(&l, &e, &(ig_lab_listed){root, NULL, IG_LAB_WORK_ORDER, false},
                               cache, &err),
              &err);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.n_skipped, 1);
    ig_lab_list_free(&l);
    assert_ok(ig_lab_list_make(&l, &e, &(ig_lab_listed){root, "big", IG_LAB_WORK_ORDER, false},
                               cache, &err),
              &err);
    assert_int_equal(l.n, 1); /* but when it is asked for by name */
    ig_lab_list_free(&l);
    assert_ok(ig_lab_list_make(&l, &e, &(ig_lab_listed){root, NULL, IG_LAB_WORK_ORDER, true}, cache,
                               &err),
              &err);
    assert_int_equal(l.n, 2); /* or there is a GPU */
    assert_int_equal(l.n_skipped, 0);
    ig_lab_list_free(&l);
    assert_ok(ig_lab_list_make(&l, &e, &(ig_lab_listed){root, "*:7", IG_LAB_WORK_ORDER, false},
                               cache, &err),
              &err);
    assert_int_equal(l.n, 1);
    ig_lab_list_free(&l);
    assert_ok(ig_lab_list_make(&l, &e, &(ig_lab_listed){root, NULL, IG_LAB_FILE_ORDER, false},
                               cache, &err),
              &err);
    assert_int_equal(l.n, 2);
    ig_lab_list_free(&l);
    ig_hash_cache_free(cache);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_seeds_first), cmocka_unit_test(folders),
        cmocka_unit_test(two_at_once),       cmocka_unit_test(failure_and_retry),
        cmocka_unit_test(full_disk),         cmocka_unit_test(stop_and_go_on),
        cmocka_unit_test(other_measures),    cmocka_unit_test(collected),
        cmocka_unit_test(damaged),           cmocka_unit_test(dry),
        cmocka_unit_test(dry_recorded),      cmocka_unit_test(dry_sizes),
        cmocka_unit_test(time_left),         cmocka_unit_test(jobs_and_threads),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
