/* SPDX-License-Identifier: Apache-2.0
 *
 * `tasks:` of an experiment: fine-tuning from each cell's model, with the known answer of a world:
 * a model that shares everything transfers to its other language, one that shares nothing does not.
 * A pre-training is done once, whatever is fine-tuned from it, and a fine-tuning too.
 */
#include "lab_fixture.h"

#include "base/settings/json_file.h"
#include "lab/estimate/cost.h"
#include "lab/report/lab_report_parts.h"
#include "report/figure/figure.h"

#include <math.h>
#include <sys/stat.h>

#define UPDATES IF_SANITIZED("120", "300")
#define BASE                                                                                       \
    "base: {preset: bert-tiny, world: tasks, world_sentences: 800, updates: " UPDATES              \
    ", batch: 16,\n"                                                                               \
    "       block: 48, vocab_size: 400, dev_take: 20, lr: 2e-3}\n"                                 \
    "measure: {what: [retrieval], take: 20}\n"
#define TAGS "{world: tags, train: 200, dev: 30, test: 60, epochs: 6, lr: 2e-3, seeds: "

/* Runs the experiment; *address of its first run. */
static void run_with(const char *text, const char *store, int n_run, char *address)
{
    ig_lab_result r;
    ig_lab_state *s;
    int n;
    ig_experiment e = read_experiment(text);
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, n_run);
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    for (int i = 0; i < n; i++)
        assert_int_equal(s[i].status, IG_RUN_DONE);
    memcpy(address, s[0].address, IG_ADDRESS);
    ig_free(s);
    ig_experiment_free(&e);
}

/* A score of the finished runs of a cell, as results have it, and how many have one. Tags follow
 * the split: "t;select=last". */
static double score(const char *store, const char *cell, const char *task, const char *split,
                    const char *language, int *found)
{
    ig_store *s;
    ig_store_result all;
    ig_results r;
    double value = (double)NAN;
    ig_quantity q = {.layer = IG_LAYER_NONE};
    snprintf(q.task, sizeof q.task, "%s", task);
    snprintf(q.split, sizeof q.split, "%.*s", (int)strcspn(split, ";"), split);
    snprintf(q.tags, sizeof q.tags, "%s", strchr(split, ';') != NULL ? strchr(split, ';') + 1 : "");
    snprintf(q.languages, sizeof q.languages, "%s", language);
    *found = 0;
    assert_ok(ig_store_open(&s, store, false, &err), &err);
    assert_ok(ig_store_read(&all, s, "e", false, &err), &err);
    assert_ok(ig_results_make(&r, &all, true, &err), &err);
    const ig_result_cell *c = ig_results_cell(&r, cell);
    for (int64_t i = 0; c != NULL && i < c->n_entry; i++) {
        const ig_result_value v = ig_result_value_of(&r, c, &c->entry[i], &q, -1);
        if (isfinite(v.value)) {
            assert_int_equal(v.layer, -1);
            value = v.value;
            ++*found;
        }
    }
    ig_results_free(&r);
    ig_store_result_free(&all);
    ig_store_close(s);
    return value;
}

/* When a file of a run was written, in ns; −1: it is not there. */
static int64_t written(const char *store, const char *address, const char *name)
{
    char path[900];
    struct stat st;
    snprintf(path, sizeof path, "%s/runs/%s/%s", store, address, name);
    return stat(path, &st) == 0 ? (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : -1;
}

static void transfer(void **state)
{
    (void)state;
    const char *store = in_root("transfer");
    char address[IG_ADDRESS];
    int n;
    run_with(BASE "cells: {shared: {}, apart: {separate: all}}\nseeds: 1\n"
                  "tasks: {t: " TAGS "2}}\n",
             store, 2, address);
    /* Both learn the language that they are trained in. What is not told by anything is below the
     * most frequent tag. */
    const double majority = score(store, "apart", "majority", "t", "fake", &n);
    assert_int_equal(n, 1);
    assert_true(majority > .1 && majority < .33);
    const double chance = score(store, "apart", "random", "t", "fake", &n);
    assert_true(chance > 0 && chance < majority);
    assert_true(score(store, "shared", "accuracy", "t", "en", &n) > .85);
    assert_int_equal(n, 1);
    assert_true(score(store, "apart", "accuracy", "t", "en", &n) > .85);
    assert_true(score(store, "shared", "accuracy", "t", "fake", &n) > .4);
    assert_true(score(store, "apart", "accuracy", "t", "fake", &n) <= majority + .03);
    assert_true(score(store, "apart", "tuning_sd", "t", "fake", &n) > 0);
    assert_int_equal(n, 1);
}

static void trained_once(void **state)
{
    (void)state;
    const char *store = in_root("once");
    char plain[IG_ADDRESS], with[IG_ADDRESS];
    int n;
    run_with(BASE "cells: {a: {}}\nseeds: 1\n", store, 1, plain);
    const int64_t model =
        written(store, plain, "checkpoints/step-00000" UPDATES "/model.safetensors");
    const int64_t measures = written(store, plain, "measures.jsonl");
    assert_true(model > 0 && measures > 0);
    run_with(BASE "cells: {a: {}}\nseeds: 1\ntasks: {t: " TAGS "1}}\n", store, 1, with);
    assert_string_equal(plain, with);
    assert_int_equal(written(store, with, "checkpoints/step-00000" UPDATES "/model.safetensors"),
                     model);
    assert_int_equal(written(store, with, "measures.jsonl"), measures);
    const double one = score(store, "a", "accuracy", "t", "fake", &n);
    assert_int_equal(n, 1);
    (void)score(store, "a", "tuning_sd", "t", "fake", &n);
    assert_int_equal(n, 0); /* one seed has no spread */

    /* Another seed: the first is not done again. */
    ig_experiment e = read_experiment(BASE "cells: {a: {}}\nseeds: 1\ntasks: {t: " TAGS "1}}\n");
    char done[200];
    snprintf(done, sizeof done, "tasks/%s/seed-0.json", e.task[0].tuning[0].key);
    ig_experiment_free(&e);
    const int64_t first = written(store, with, done);
    assert_true(first > 0);
    run_with(BASE "cells: {a: {}}\nseeds: 1\ntasks: {t: " TAGS "2}}\n", store, 1, with);
    assert_string_equal(plain, with);
    assert_int_equal(written(store, with, done), first);
    assert_int_equal(written(store, with, "checkpoints/step-00000" UPDATES "/model.safetensors"),
                     model);
    (void)score(store, "a", "tuning_sd", "t", "fake", &n);
    assert_int_equal(n, 1);

    /* Another experiment's task of another name leaves the scores of this one. */
    run_with(BASE "cells: {a: {}}\nseeds: 1\ntasks: {u: " TAGS "[0]}}\n", store, 1, with);
    assert_true(score(store, "a", "accuracy", "u", "fake", &n) == one);
    (void)score(store, "a", "tuning_sd", "t", "fake", &n);
    assert_int_equal(n, 1);

    /* And to that one nothing is missing. */
    ig_lab_state *s;
    e = read_experiment(BASE "cells: {a: {}}\nseeds: 1\ntasks: {t: " TAGS "2}}\n");
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    assert_int_equal(s[0].status, IG_RUN_DONE);
    ig_free(s);
    ig_experiment_free(&e);
}

/* Mean over two seeds of a number in scores.json: "a/b/c". */
static double in_files(const char *store, const char *address, const char *key, const char *path)
{
    double sum = 0;
    for (int seed = 0; seed < 2; seed++) {
        char file[900], part[64];
        json_t *j;
        snprintf(file, sizeof file, "%s/runs/%s/tasks/%s/seed-%d.json", store, address, key, seed);
        assert_ok(ig_json_read(&j, file, &err), &err);
        const json_t *x = j;
        for (const char *p = path; p != NULL; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL) {
            snprintf(part, sizeof part, "%.*s", (int)strcspn(p, "/"), p);
            x = json_is_array(x) ? json_array_get(x, (size_t)atoi(part)) : json_object_get(x, part);
        }
        if (!json_is_number(x))
            fail_msg("%s: no number at %s", file, path);
        sum += json_number_value(x) / 2;
        json_decref(j);
    }
    return sum;
}

/* One pre-training, several ways of fine-tuning; what is chosen among them, and among the models of
 * one. */
static void grid(void **state)
{
    (void)state;
    static const char text[] =
        BASE "cells: {a: {}}\nseeds: 1\n"
             "tasks: {t: {world: tags, train: 200, dev: 30, test: 60, epochs: 4, seeds: 2,\n"
             "  lr: [1e-5, 2e-3, 1e-3], eval_every: 5}}\n"
             "report: {tables: [{name: t, columns: ['accuracy[task=t,en]', "
             "'accuracy[task=t/lr=1e-5,en]',\n"
             "  'accuracy[best=2,task=t,en]', 'accuracy[task=t,select=target-dev,best=2,fake]',\n"
             "  'label_f1[task=t,fake,label=NOUN]', 'accuracy[task=t,length=10,fake]']}]}\n";
    const char *store = in_root("grid");
    char address[IG_ADDRESS], path[100];
    const char *key[3];
    int n;
    run_with(BASE "cells: {a: {}}\nseeds: 1\n", store, 1, address);
    const int64_t model =
        written(store, address, "checkpoints/step-00000" UPDATES "/model.safetensors");
    run_with(text, store, 1, address);
    assert_int_equal(written(store, address, "checkpoints/step-00000" UPDATES "/model.safetensors"),
                     model);
    ig_experiment e = read_experiment(text);
    assert_int_equal(e.task[0].n_tuning, 3);
    static const char *const names[] = {"lr=1e-5", "lr=2e-3", "lr=1e-3"};
    for (int i = 0; i < 3; i++) {
        key[i] = e.task[0].tuning[i].key;
        assert_string_equal(e.task[0].tuning[i].name, names[i]);
        snprintf(path, sizeof path, "t;%s", names[i]);
        assert_float_equal(score(store, "a", "accuracy", path, "fake", &n),
                           in_files(store, address, key[i], "scores/fake/test/accuracy"), 1e-9);
        assert_int_equal(n, 1);
    }
    /* By hand: the two that learn fast enough, in the order of their development scores. */
    static const char *const select[] = {"last", "source-dev", "target-dev"};
    for (int s = 0; s < 3; s++)
        for (int l = 0; l < 2; l++) {
            const char *language = l == 0 ? "en" : "fake";
            double dev[3], test[3];
            int best = 0, worst = 0;
            for (int i = 0; i < 3; i++) {
                snprintf(path, sizeof path, "selected/%s/scores/%s/dev/accuracy", select[s],
                         s == 2 ? language : "en");
                dev[i] = in_files(store, address, key[i], path);
                snprintf(path, sizeof path, "selected/%s/scores/%s/test/accuracy", select[s],
                         language);
                test[i] = in_files(store, address, key[i], path);
                best = dev[i] > dev[best] ? i : best;
                worst = dev[i] <= dev[worst] ? i : worst;
            }
            assert_true(dev[0] < dev[1] && dev[0] < dev[2]); /* 1e-5 learns nothing */
            const int second = 3 - best - worst;
            snprintf(path, sizeof path, "t;select=%s", select[s]);
            assert_float_equal(score(store, "a", "accuracy", path, language, &n), test[best], 1e-9);
            assert_int_equal(n, 1);
            if (s == 0) /* what the fine-tuning itself says */
                assert_float_equal(score(store, "a", "accuracy", "t", language, &n), test[best],
                                   1e-9);
            snprintf(path, sizeof path, "t;select=%s;best=2", select[s]);
            assert_float_equal(score(store, "a", "accuracy", path, language, &n),
                               (test[best] + test[second]) / 2, 1e-9);
        }
    /* Behind a score. */
    assert_float_equal(score(store, "a", "label_f1", "t;lr=2e-3;label=NOUN", "fake", &n),
                       in_files(store, address, key[1], "scores/fake/test/detail/by_label/NOUN/f1"),
                       1e-9);
    assert_float_equal(
        score(store, "a", "accuracy", "t;lr=2e-3;length=10", "fake", &n),
        in_files(store, address, key[1], "scores/fake/test/detail/by_length/0/accuracy"), 1e-9);
    assert_true(score(store, "a", "tuning_sd", "t;lr=2e-3;of=f1.conlleval", "fake", &n) > 0);
    ig_experiment_free(&e);
}

/* How much of the spread is between pre-trainings: of equal groups, by hand. */
static void components(void **state)
{
    (void)state;
    static const char text[] = BASE "cells: {a: {}}\nseeds: 3\ntasks: {t: " TAGS
                                    "2}}\nreport: {tables: [{name: t, columns: "
                                    "['accuracy[task=t,fake]']}]}\n";
    const char *store = in_root("components");
    char address[IG_ADDRESS];
    run_with(text, store, 3, address);
    ig_experiment e = read_experiment(text);
    ig_lab_report r;
    assert_ok(
        ig_lab_report_open(&r, &e, store, &(ig_lab_report_options){.steps = IG_LAB_FINISHED}, &err),
        &err);
    const ig_result_number *x = &r.table[0].number[0];
    ig_lab_state *s;
    int n;
    double within = 0;
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    for (int i = 0; i < 3; i++) {
        double one[2];
        for (int k = 0; k < 2; k++) {
            char file[900];
            json_t *j;
            snprintf(file, sizeof file, "%s/runs/%s/tasks/%s/seed-%d.json", store, s[i].address,
                     e.task[0].tuning[0].key, k);
            assert_ok(ig_json_read(&j, file, &err), &err);
            const json_t *fake = json_object_get(json_object_get(j, "scores"), "fake");
            const json_t *test = json_object_get(fake, "test");
            one[k] = json_number_value(json_object_get(test, "accuracy"));
            json_decref(j);
        }
        within += (one[0] - one[1]) * (one[0] - one[1]) / 2 / 3;
    }
    const double between = x->summary.sd * x->summary.sd - within / 2;
    assert_int_equal(x->parts.n, 6);
    assert_float_equal(x->parts.within, within, 1e-12);
    assert_float_equal(x->parts.between, between > 0 ? between : 0, 1e-12);
    bool parts = false, baselines = false;
    for (int i = 0; i < r.table[0].n_note; i++) {
        parts = parts || strstr(r.table[0].note[i], "between pre-trainings") != NULL;
        baselines = baselines || strstr(r.table[0].note[i], "t fake 0.") != NULL;
    }
    assert_true(parts && baselines);
    ig_free(s);
    ig_lab_report_close(&r);
    ig_experiment_free(&e);
}

/* A task that fails leaves the training as it was. */
static void failing(void **state)
{
    (void)state;
    static const char task[] =
        "kind: single\nlabels: [a, b]\ntrain: {en: t.tsv}\ntest: {en: t.tsv}\n",
                      bad[] = "the dog\ta\nthe cat\tc\n", good[] = "the dog\ta\nthe cat\tb\n",
                      text[] =
                          BASE "cells: {a: {}}\nseeds: 1\ntasks: {t: {task: t.yaml, epochs: 1}}\n";
    const char *store = in_root("failing");
    ig_lab_result r;
    ig_lab_state *s;
    int n;
    char address[IG_ADDRESS];
    assert_ok(ig_file_write(in_root("t.yaml"), task, sizeof task - 1, &err), &err);

    /* A file that is not there is told before anything is done. */
    ig_experiment e = read_experiment(text);
    assert_int_equal(ig_experiment_check(&e, &err), IG_ERR_IO);
    assert_string_equal(err.where, "t.tsv"); /* below the data root */
    ig_experiment_free(&e);

    assert_ok(ig_file_write(in_root("t.tsv"), bad, sizeof bad - 1, &err), &err);
    e = read_experiment(text);
    assert_ok(ig_experiment_check(&e, &err), &err);
    for (int i = 0; i < 2; i++) { /* not tried again unless that is asked for */
        assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
        assert_int_equal(r.n_failed, 1);
        assert_int_equal(n_events(in_root("failing-events"), "begun"), 1);
    }
    assert_ok(ig_lab_status(&s, &n, &e, store, &err), &err);
    assert_int_equal(s[0].status, IG_RUN_FAILED);
    assert_non_null(strstr(s[0].message, "found label 'c'"));
    memcpy(address, s[0].address, sizeof address);
    ig_free(s);
    ig_experiment_free(&e);
    const int64_t model = written(store, address,
                                  "checkpoints/step-00000" UPDATES "/model.safetensors"),
                  measures = written(store, address, "measures.jsonl");
    assert_true(model > 0 && measures > 0);

    assert_ok(ig_file_write(in_root("t.tsv"), good, sizeof good - 1, &err), &err);
    e = read_experiment(text);
    assert_ok(lab_run(&e, store, (ig_lab_options){.retry = true}, &r), &err);
    assert_int_equal(r.n_done, 1);
    assert_int_equal(written(store, address, "measures.jsonl"), measures);
    assert_int_equal(written(store, address, "checkpoints/step-00000" UPDATES "/model.safetensors"),
                     model);
    assert_true(score(store, "a", "accuracy", "t", "en", &n) >= 0);
    assert_int_equal(n, 1);
    ig_experiment_free(&e);
}

static void plan_of(ig_lab_plan *p, const char *text, const char *store)
{
    ig_experiment e = read_experiment(text);
    const ig_lab_options o = {.store = store, .jobs = 1, .threads = 1};
    assert_ok(ig_lab_dry(p, &e, &o, &err), &err);
    ig_experiment_free(&e);
}

/* A dry run estimates both stages, and only what is missing. */
static void estimated(void **state)
{
    (void)state;
    static const char plain[] = BASE "cells: {a: {}, b: {lang_pos: true}}\nseeds: 2\n",
                      tuned[] = BASE "cells: {a: {}, b: {lang_pos: true}}\nseeds: 2\n"
                                     "tasks: {t: " TAGS "3}}\n",
                      longer[] = BASE "cells: {a: {}, b: {lang_pos: true}}\nseeds: 2\n"
                                      "tasks: {t: {world: tags, train: 200, dev: 30, test: 60, "
                                      "epochs: 9000, lr: 2e-3, seeds: 3}}\n";
    const char *store = in_root("estimated");
    char address[IG_ADDRESS];
    ig_lab_plan p, q;
    plan_of(&p, plain, store);
    assert_int_equal(p.n_tuning, 0);
    assert_true(p.tuning_core_seconds == 0);
    plan_of(&p, tuned, store);
    assert_int_equal(p.n_tuning, 2 * 2 * 3);
    assert_int_equal(p.n_impossible, 0);
    assert_true(p.tuning_core_seconds > 0 && p.tuning_core_seconds < p.core_seconds);
    /* By updates and evaluations: 1500 times the epochs take far longer. */
    plan_of(&q, longer, store);
    assert_true(q.tuning_core_seconds > 5 * p.tuning_core_seconds);

    /* Neither training nor fine-tuning is counted. */
    run_with(plain, store, 4, address);
    plan_of(&p, tuned, store);
    assert_int_equal(p.n_tuning, 12);
    assert_int_equal(p.n_shape, 0);
    assert_int_equal(p.n_recorded, 4);
    assert_true(p.core_seconds == p.tuning_core_seconds && p.core_seconds > 0);
    run_with(tuned, store, 4, address);
    plan_of(&p, tuned, store);
    assert_int_equal(p.n_tuning, 0);
    assert_true(p.core_seconds == 0);
    plan_of(&p, BASE "cells: {a: {}}\nseeds: 2\ntasks: {t: " TAGS "5}}\n", store);
    assert_int_equal(p.n_tuning, 2 * 2);
}

/* A dry run reports a task that will fail, at its cell. */
static void foreseen(void **state)
{
    (void)state;
    static const char task[] = "kind: single\nlabels: [a]\ntrain: {en: f.tsv}\n",
                      bad[] = "the dog\ta\nthe cat\tc\n";
    ig_lab_plan p;
    assert_ok(ig_file_write(in_root("f.yaml"), task, sizeof task - 1, &err), &err);
    assert_ok(ig_file_write(in_root("f.tsv"), bad, sizeof bad - 1, &err), &err);
    plan_of(&p, BASE "cells: {a: {}, b: {lang_pos: true}}\nseeds: 2\ntasks: {t: {task: f.yaml}}\n",
            in_root("foreseen"));
    assert_int_equal(p.n_impossible, 4);
    assert_int_equal(p.why.code, IG_ERR_INPUT);
    assert_non_null(strstr(p.problem, "found label 'c'"));
}

/* The BERT's training takes some hundred times as long as fine-tuning, and both runs' fine-tunings
 * take equally long: when both are trained, the time of one predicts that of the other. */
static void left_of_trained(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(
        "base: {preset: bert-tiny, world: tasks, world_sentences: 800, updates: 3000, batch: 16}\n"
        "cells: {bert: {}, w2v: {trainer: word2vec}}\nseeds: 1\nmeasure: {what: [words]}\n"
        "tasks: {t: " TAGS "2}}\n");
    const bool both[2] = {true, true};
    double whole[2];
    ig_hash_cache *cache;
    ig_lab_list l;
    assert_ok(ig_hash_cache_new(&cache, &err), &err);
    assert_ok(ig_lab_list_make(&l, &e,
                               &(ig_lab_listed){.store = in_root("left"),
                                                .selector = NULL,
                                                .order = IG_LAB_FILE_ORDER},
                               cache, &err),
              &err);
    assert_int_equal(l.n, 2);
    for (int i = 0; i < 2; i++) {
        ig_costs t;
        assert_ok(ig_costs_new(&t, &l, &e, i == 0 ? both : NULL, &err), &err);
        ig_costs_finished(&t, 1, 10);
        assert_true(ig_costs_whole(&t, 1) == 10);
        whole[i] = ig_costs_whole(&t, 0);
        ig_costs_free(&t);
    }
    assert_true(whole[0] > 5 && whole[0] < 20);
    assert_true(whole[1] > 2 * whole[0]);
    ig_lab_list_free(&l);
    ig_hash_cache_free(cache);
    ig_experiment_free(&e);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *tasks, *message;
    } bad[] = {
        {"tasks: {t: {seeds: 2}}", "no task for 't', expected task: TASK.yaml or world: TASK"},
        {"tasks: {t: {world: nouns}}", "expected tags, entities, trees, entailment or minimal"},
        {"tasks: {t: {world: tags, seed: 2}}", "expected seeds"},
        {"tasks: {t: {world: tags, lr: []}}", "lr: found a list, expected values"},
        {"tasks: {t: {world: tags, lr: [1e-5, 1e-5]}}", "'lr=1e-5' is there twice"},
        {"tasks: {t: {world: tags, lr: [1e-5, .00001]}}", "lr=1e-5 and lr=.00001 are the same"},
        {"tasks: {t: {world: tags, lr: [1e-5, [2e-5]]}}", "a list of values"},
        {"tasks: {t: {world: tags, freeze: ['layers 1', all]}}", "names without blanks"},
        {"tasks: {t: {world: tags, freeze: {a b: all}}}", "names without blanks"},
        {"tasks: {t: {world: tags, batch: [1, 2, 3, 4, 5, 6, 7, 8, 9], epochs: [1, 2, 3, 4, 5, 6, "
         "7, 8]}}",
         "72 ways of fine-tuning, expected at most 64"},
        {"tasks: {a: {world: tags, length: [32, 64]}}", "length: found a list, expected one value"},
        {"tasks: {t: {world: tags}}\n"
         "report: {tables: [{name: t, columns: ['accuracy[task=t,best=2,en]']}]}",
         "best= is of a grid"},
        {"tasks: {t: {world: tags, lr: [1e-5, 2e-5]}}\n"
         "report: {tables: [{name: t, columns: ['accuracy[task=t/lr=1e-4,en]']}]}",
         "task 't' has no 'lr=1e-4'"},
        {"tasks: {t: {world: tags}}\n"
         "report: {tables: [{name: t, columns: ['accuracy[task=t,select=dev,en]']}]}",
         "expected last, source-dev or target-dev"},
        {"tasks: {t: {world: tags}}\n"
         "report: {tables: [{name: t, columns: ['accuracy[select=last]']}]}",
         "expected task=NAME"},
        {"tasks: {t: {world: tags}}\n"
         "report: {tables: [{name: t, columns: ['label_f1[task=t,en]']}]}",
         "expected label=NAME"},
        {"tasks: {t: {world: tags, seeds: [1, 1]}}", "seeds: 1 is there twice"},
        {"tasks: {t: {world: tags, epoch: 2}}", "unknown key 'epoch'"},
        {"tasks: {t: {world: tags, epochs: two}}", "epochs"},
        {"tasks: {'a b': {world: tags}}", "expected a name"},
        {"tasks: {t: {task: x.yaml, train: 3}}", "are for tasks of a world"},
        {"tasks: {t: {task: other.yaml}}", "found no training data of 'en'"},
        {"tasks: {t: {world: tags}}\n"
         "report: {tables: [{name: t, columns: ['accuracy[task=u,en]']}]}",
         "no task 'u'"},
        {"tasks: {t: {world: tags}}\nreport: {tables: [{name: t, columns: ['las[task=t]']}]}",
         "expected a language"},
        {"report: {tables: [{name: t, columns: [las]}]}", "expected a task"},
        {"report: {tables: [{name: t, columns: ['mu[task=t]']}]}", "is no score of a task"},
        {"report: {tables: [{name: t, columns: ['own[low]']}]}", "expected a name"},
    };
    static const char other[] = "kind: single\ntrain: {fr: fr.tsv}\ntest: {en: fr.tsv}\n",
                      rows[] = "un chat\ta\nun chien\tb\n";
    assert_ok(ig_file_write(in_root("other.yaml"), other, sizeof other - 1, &err), &err);
    assert_ok(ig_file_write(in_root("fr.tsv"), rows, sizeof rows - 1, &err), &err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[900];
        ig_experiment e;
        snprintf(text, sizeof text, BASE "cells: {a: {}}\n%s\n", bad[i].tasks);
        assert_ok(ig_file_write(in_root("bad.yaml"), text, (int64_t)strlen(text), &err), &err);
        assert_int_equal(ig_experiment_read(&e, in_root("bad.yaml"), NULL, 0, root, &err),
                         IG_ERR_USAGE);
        if (strstr(err.msg, bad[i].message) == NULL)
            fail_msg("%s: %s", bad[i].tasks, err.msg);
    }
}

/* What a task or a model cannot do is refused when the file is read, not after the training. */
static void before_the_training(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *task, *message;
    } bad[] = {
        {"causal_share: 1", "world: entailment", "but cell 'a' is causal"},
        {"causal_share: 0.5", "world: entailment", NULL},
        {"causal_share: 1", "world: minimal", NULL},
        {"languages: \"en; x = codepoints | tokenize\", shift_special: true", "world: tags",
         "x: transform 'specials' needs a block of its own"},
        {"languages: \"en; x = shift | specials\"", "world: tags", NULL},
        {"languages: \"en(vocab=own); x\", shift_special: true", "world: tags", NULL},
        {"layers: 2", "world: tags, edit: \"{kind: centre, layer: 3}\"",
         "edit: no layer 3 in cell 'a'"},
        {"layers: 2", "world: tags, edit: \"{kind: heads, list: '3:0'}\"",
         "edit: cell 'a': list: found '3:0', expected layer:head"},
        {"layers: 2", "world: tags, edit: \"{kind: heads, list: '2:0'}\"", NULL},
        {"files: en=other.yaml, languages: en(text=en)", "world: tags",
         "world: cell 'a' has a text, expected task: TASK.yaml"},
        {"files: en=other.yaml, languages: eng(world=agree); en(text=en)", "world: tags", NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[900];
        ig_experiment e;
        snprintf(text, sizeof text, BASE "cells: {a: {%s}}\ntasks: {t: {%s}}\n", bad[i].cell,
                 bad[i].task);
        assert_ok(ig_file_write(in_root("before.yaml"), text, (int64_t)strlen(text), &err), &err);
        const ig_code code = ig_experiment_read(&e, in_root("before.yaml"), NULL, 0, root, &err);
        if (bad[i].message == NULL) {
            assert_ok(code, &err);
            ig_experiment_free(&e);
        } else if (code != IG_ERR_USAGE || strstr(err.msg, bad[i].message) == NULL) {
            fail_msg("%s: %s", bad[i].task, err.msg);
        }
    }
}

static void trees_are_needed(void **state)
{
    (void)state;
    static const char cell[] =
        BASE "cells: {a: {languages: 'en; x(world=agree) = hop:4 | tokenize'}}\n";
    static const char *const task[] = {"minimal", "tags", "trees"};
    for (int i = 0; i < 3; i++) {
        char text[900];
        ig_experiment e;
        snprintf(text, sizeof text, "%stasks: {t: {world: %s}}\n", cell, task[i]);
        assert_ok(ig_file_write(in_root("hop.yaml"), text, (int64_t)strlen(text), &err), &err);
        const ig_code code = ig_experiment_read(&e, in_root("hop.yaml"), NULL, 0, root, &err);
        assert_int_equal(code, IG_ERR_USAGE);
        assert_non_null(
            strstr(err.msg, i == 2 ? "'x' of cell 'a' is made by 'hop', which reads it"
                                   : "'x' of cell 'a' is made by 'hop', which reads them"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(transfer),
                                       cmocka_unit_test(trained_once),
                                       cmocka_unit_test(grid),
                                       cmocka_unit_test(components),
                                       cmocka_unit_test(failing),
                                       cmocka_unit_test(estimated),
                                       cmocka_unit_test(foreseen),
                                       cmocka_unit_test(left_of_trained),
                                       cmocka_unit_test(mistakes),
                                       cmocka_unit_test(before_the_training),
                                       cmocka_unit_test(trees_are_needed)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
