/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment files that are right: cells and axes become resolved settings, labels are computed,
 * files extend files, variants are applied in their order, reports are read whole.
 */
#include "experiment_fixture.h"

/* Cells by name and label, in order: "0 original|1 lang-pos". */
static void cells(const ig_experiment *e, const char *want)
{
    char got[2048] = "";
    for (int i = 0; i < e->n_cell; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s %s", i > 0 ? "|" : "",
                 e->cell[i].name, e->cell[i].label);
    assert_string_equal(got, want);
}

static void cells_and_labels(void **state)
{
    (void)state;
    ig_experiment e = read_good("title: T\n"
                                "base: {preset: bert-tiny, updates: 100, pad_attend: true}\n"
                                "seeds: [3, 1]\n"
                                "cells:\n"
                                "  '0': {}\n"
                                "  '1': {lang_pos: true, title: first}\n"
                                "  '8': {like: '1', shift-special: true, no_random: fixed}\n"
                                "  '8c': {like: '8', no_random: paper-code, lang_pos: null}\n"
                                "  '9': {like: '8', inv_order: true, seeds: 1, needs: gpu}\n"
                                "  p: {pad_attend: null, batch: 64, languages: 'a; b = shift'}\n"
                                "  long: {updates: null, epochs: 7, lr: 1e-4}\n"
                                "  same-pad: {pad_attend: true, text: a.txt, ids: NT}\n");
    cells(&e, "0 original|1 lang-pos|8 lang-pos; shift-special; no-random|"
              "8c shift-special; no-random=paper-code|"
              "9 inv-order; lang-pos; shift-special; no-random|"
              "p languages=a; b = shift; pad-attend=false; batch=64|"
              "long epochs=7; lr=0.0001|same-pad text=a.txt; ids=NT");
    assert_string_equal(e.title, "T");
    assert_string_equal(e.name, "e");
    assert_int_equal(e.base, 0);
    assert_string_equal(e.cell[1].title, "first");
    assert_null(e.cell[0].title);
    assert_int_equal(e.cell[0].n_seed, 2);
    assert_int_equal(e.cell[0].seed[0], 3);
    assert_int_equal(e.cell[0].config.seed, 3);
    assert_int_equal(e.cell[0].config.updates, 100);
    assert_true(e.cell[0].config.pad_attend);
    assert_int_equal(e.cell[4].n_seed, 1);
    assert_int_equal(e.cell[4].needs, IG_NEEDS_GPU);
    assert_int_equal(e.cell[4].line, 9);
    assert_int_equal(e.cell[4].n_key, 4);
    assert_string_equal(e.cell[4].key[3], "no-random");
    assert_false(e.cell[5].config.pad_attend);
    assert_int_equal(e.cell[6].config.epochs, 7);
    assert_int_equal(e.cell[6].config.updates, 0);
    char want[256];
    snprintf(want, sizeof want, "%s/a.txt", dir);
    assert_string_equal(e.cell[7].config.text, want);

    ig_run_config c;
    assert_ok(ig_experiment_config(&c, &e, 7, 42, &err), &err);
    assert_int_equal(c.seed, 42);
    assert_string_equal(c.text, want);
    assert_true(c.text != e.cell[7].config.text);
    ig_run_config_free(&c);
    ig_experiment_free(&e);
}

static void axes_are_crossed(void **state)
{
    (void)state;
    ig_experiment e = read_good("base: {updates: 5}\n"
                                "axes:\n"
                                "  batch: [64, 256]\n"
                                "  size: {small: {}, wide: {hidden: 128, heads: 2}}\n");
    cells(&e, "batch=64/size=small batch=64|batch=64/size=wide hidden=128; heads=2; batch=64|"
              "batch=256/size=small original|batch=256/size=wide hidden=128; heads=2");
    assert_int_equal(e.base, 2);
    ig_experiment_free(&e);
    e = read_good("axes: {batch: [64, 256], lr: [1e-3]}\ncells: {a: {}, b: {lang_pos: true}}\n");
    cells(&e, "a/batch=64/lr=1e-3 batch=64; lr=0.001|a/batch=256/lr=1e-3 lr=0.001|"
              "b/batch=64/lr=1e-3 lang-pos; batch=64; lr=0.001|"
              "b/batch=256/lr=1e-3 lang-pos; lr=0.001");
    assert_int_equal(e.base, -1);
    ig_experiment_free(&e);
    e = read_good("base: {}\n");
    cells(&e, "base original");
    assert_int_equal(e.cell[0].config.epochs, 100);
    assert_int_equal(e.cell[0].n_seed, 1);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_and_labels),
        cmocka_unit_test(axes_are_crossed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
