/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimated times against the seconds that the committed results of this repository recorded.
 */
#include "test.h"

#include "base/file.h"
#include "lab/estimate/cost.h"
#include "lab/report/lab_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ig_err err;

static void assert_near(double is, double expected)
{
    if (!(fabs(is - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, expected %.12g", is, expected);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of each cell of an experiment estimated / recorded: by its own shape, by the other cells, and by
 * operations alone. */
typedef struct {
    double same[64], others[64], alone[64];
    int n;
} ratios;

static void add(ratios *of, const char *folder, const char *file, const char *results,
                const char *variant, const char *set)
{
    char path[500], from[500];
    const char *const name[] = {from};
    ig_experiment e;
    ig_lab_report r;
    ig_costs c;
    snprintf(path, sizeof path, IG_SOURCE_DIR "/experiments/%s/%s.yaml", folder, file);
    snprintf(from, sizeof from, IG_SOURCE_DIR "/experiments/%s/results/%s.jsonl", folder, results);
    const ig_experiment_request asked = {
        .variant = &variant, .n_variant = variant != NULL, .set = &set, .n_set = set != NULL};
    assert_ok(ig_experiment_read_request(&e, path, &asked, &err), &err);
    assert_ok(ig_lab_report_open(&r, &e, NULL,
                                 &(ig_lab_report_options){.results = name, .n_results = 1}, &err),
              &err);
    assert_ok(ig_lab_cell_costs(&c, &e, &r.results, &err), &err);
    for (int i = 0; i < e.n_cell; i++) {
        const ig_result_cell *got = ig_results_cell(&r.results, e.cell[i].name);
        double sum = 0, n = 0;
        for (int64_t k = 0; got != NULL && k < got->n_entry; k++)
            if (got->entry[k].run.status == IG_RUN_DONE) {
                sum += got->entry[k].run.seconds;
                n++;
            }
        if (!(sum > 0))
            continue;
        ig_cost_shape *s = &c.of[c.shape[i]], keep = *s;
        of->same[of->n] = ig_costs_whole(&c, i) / (sum / n);
        s->n_finished = 0;
        of->others[of->n] = ig_costs_whole(&c, i) / (sum / n);
        *s = keep;
        of->alone[of->n++] = c.train[i] / IG_COST_RATE / (sum / n);
    }
    ig_costs_free(&c);
    ig_lab_report_close(&r);
    ig_experiment_free(&e);
}

/* The median lies within a factor of the truth. */
static void median_within(double *ratio, int n, double factor)
{
    assert_true(n > 0);
    qsort(ratio, (size_t)n, sizeof *ratio, by_value);
    if (!(ratio[n / 2] > 1 / factor && ratio[n / 2] < factor))
        fail_msg("the median of %d is %.2f, expected at most a factor of %.1f", n, ratio[n / 2],
                 factor);
}

/* Sentences of 8 and of 22 tokens, blocks, copies, and static vectors: full blocks of 128
 * tokens, counted where sentences of 8 are trained, are far off. */
static void as_recorded(void **state)
{
    (void)state;
    ratios of = {.n = 0};
    add(&of, "k2020", "mini", "mini", NULL, "precision=bfloat16");
    add(&of, "dufter2020", "table1", "table1-copies", "copies", NULL);
    add(&of, "conneau2020", "bibles", "bibles", NULL, "precision=bfloat16");
    add(&of, "liu2020", "size", "size-world", "world", NULL);
    assert_in_range(of.n, 30, 60);
    for (int i = 0; i < of.n; i++)
        if (!(of.same[i] > 1 / 1.5 && of.same[i] < 1.5))
            fail_msg("cell %d: %.2f of the recorded seconds", i, of.same[i]);
    double others[64];
    int n = 0;
    for (int i = 0; i < of.n; i++)
        if (isfinite(of.others[i]))
            others[n++] = of.others[i];
    median_within(others, n, 1.5);
    median_within(of.alone, of.n, 3);
}

static void read_text(ig_experiment *e, const char *text)
{
    char path[] = "/tmp/isoglot-cost-XXXXXX.yaml";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
    assert_ok(ig_experiment_read(e, path, NULL, 0, NULL, &err), &err);
    unlink(path);
}

/* Operations: blocks are full, sentences are not; twice the updates are twice the work; the time of
 * one shape gives that of the others; fine-tunings follow the training. */
static void by_operations(void **state)
{
    (void)state;
    static const char text[] =
        "base: {preset: bert-tiny, world: tasks, world_sentences: 800, updates: 100, batch: 16, "
        "block: 64}\n"
        "cells: {lines: {}, stream: {instances: stream}, twice: {updates: 200}, lang: {lang_pos: "
        "true}}\nseeds: 1\ntasks: {t: {world: tags, train: 80, dev: 20, test: 20, epochs: 2}}\n";
    ig_experiment e;
    ig_costs c;
    ig_lab_item item[4] = {{.cell = 0}, {.cell = 1}, {.cell = 2}, {.cell = 3}};
    const ig_lab_list l = {.item = item, .n = 4};
    const bool trained[4] = {false, false, false, true};
    read_text(&e, text);
    assert_ok(ig_costs_new(&c, &l, &e, NULL, &err), &err);
    assert_int_equal(c.n_shape, 3);
    assert_int_equal(c.shape[0], c.shape[3]); /* the switch costs nothing */
    assert_near(c.train[1] / c.train[0], 64. / 8);
    assert_near(c.train[2] / c.train[0], 2);
    assert_true(isnan(ig_costs_whole(&c, 0)));
    assert_near(ig_costs_guess(&c, 0), (c.train[0] + c.tune[0]) / IG_COST_RATE);
    ig_costs_training(&c, 0, 10);
    const double more = c.tune[0] / c.train[0];
    assert_true(more > 0);
    assert_near(ig_costs_whole(&c, 3), 10 * (1 + more));
    assert_near(ig_costs_whole(&c, 2), 10 * (2 + more));
    ig_costs_finished(&c, 0, 30); /* the mean of both */
    assert_near(ig_costs_whole(&c, 0), (10 * (1 + more) + 30) / 2);
    ig_costs_free(&c);

    /* Trained before: only its fine-tunings are left, at the rate of its training. */
    assert_ok(ig_costs_new(&c, &l, &e, trained, &err), &err);
    assert_int_equal(c.n_shape, 4);
    ig_costs_training(&c, 3, 10);
    assert_near(ig_costs_whole(&c, 3), 10 * more);
    assert_near(ig_costs_whole(&c, 0), 10 * (1 + more));
    ig_costs_free(&c);
    ig_experiment_free(&e);
}

/* A share of parallel sentences in pairs, each twice as long; next words, all of which are
 * predicted. */
static void what_is_trained_on(void **state)
{
    (void)state;
    ig_experiment e;
    ig_costs c;
    ig_lab_item item[5] = {{.cell = 0}, {.cell = 1}, {.cell = 2}, {.cell = 3}, {.cell = 4}};
    const ig_lab_list l = {.item = item, .n = 5};
    read_text(
        &e,
        "base: {preset: bert-tiny, world: tasks, world_sentences: 800, updates: 100, batch: 16, "
        "block: 64, languages: \"en; fr = shift\"}\n"
        "cells: {none: {}, all: {tlm: en-fr}, half: {tlm: en-fr, tlm_share: .5}, epochs: {tlm: "
        "en-fr, updates: null, epochs: 1}, causal: {causal_share: 1}}\nseeds: 1\n");
    assert_ok(ig_costs_new(&c, &l, &e, NULL, &err), &err);
    assert_int_equal(c.n_shape, 5);
    assert_near(c.train[1] / c.train[0], (1 + 2 * .5) / (1 + .5));
    assert_near(c.train[2] / c.train[0], (1 + 2 * .25) / (1 + .25));
    assert_near(c.train[3] / c.train[1], 1600 * 1.5 / (100 * 16));
    assert_true(c.train[4] > 1.2 * c.train[0]);
    ig_costs_free(&c);
    ig_experiment_free(&e);
}

/* The time of an untrained control is that of measuring: no rate for what is trained. */
static void not_by_controls(void **state)
{
    (void)state;
    ig_experiment e;
    ig_costs c;
    ig_lab_item item[2] = {{.cell = 0}, {.cell = 1}};
    const ig_lab_list l = {.item = item, .n = 2};
    read_text(&e, "base: {preset: bert-tiny, world: tasks, world_sentences: 800, batch: 16}\n"
                  "cells: {base: {updates: 4000}, untrained: {updates: 2}}\nseeds: 1\n");
    assert_ok(ig_costs_new(&c, &l, &e, NULL, &err), &err);
    ig_costs_finished(&c, 1, 60);
    assert_near(ig_costs_whole(&c, 0), 60 + c.train[0] / IG_COST_RATE);
    ig_costs_finished(&c, 0, 500);
    assert_near(ig_costs_whole(&c, 0), 500);
    ig_costs_free(&c);
    ig_experiment_free(&e);
}

/* Nor do its few updates say how long its fine-tunings take. */
static void tunings_of_controls(void **state)
{
    (void)state;
    ig_experiment e;
    ig_costs c;
    ig_lab_item item[2] = {{.cell = 0}, {.cell = 1}};
    const ig_lab_list l = {.item = item, .n = 2};
    read_text(&e, "base: {preset: bert-tiny, world: tasks, world_sentences: 800, batch: 16}\n"
                  "cells: {base: {updates: 4000}, untrained: {updates: 2}}\nseeds: 1\n"
                  "tasks: {t: {world: tags, train: 2000, dev: 20, test: 20, epochs: 2}}\n");
    assert_ok(ig_costs_new(&c, &l, &e, NULL, &err), &err);
    ig_costs_training(&c, 1, 1);
    assert_true(isnan(ig_costs_whole(&c, 0)));
    ig_costs_training(&c, 0, 500);
    assert_near(ig_costs_whole(&c, 1), 500 * (c.train[1] + c.tune[1]) / c.train[0]);
    ig_costs_free(&c);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_recorded), cmocka_unit_test(by_operations),
        cmocka_unit_test(what_is_trained_on), cmocka_unit_test(not_by_controls),
        cmocka_unit_test(tunings_of_controls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
