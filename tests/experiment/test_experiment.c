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
    ig_experiment e =
        read_good("title: T\n"
                  "base: {preset: bert-tiny, updates: 100, pad_attend: true}\n"
                  "seeds: [3, 1]\n"
                  "cells:\n"
                  "  '0': {}\n"
                  "  '1': {lang_pos: true, title: first}\n"
                  "  '8': {like: '1', shift-special: true, no_random: fixed}\n"
                  "  '8c': {like: '8', no_random: paper-code, lang_pos: null}\n"
                  "  '9': {like: '8', inv_order: true, seeds: 1, needs: gpu}\n"
                  "  p: {pad_attend: null, batch: 64, files: 'x=x.txt; d=/d.txt', languages: "
                  "'a; b(text=x) = shift'}\n"
                  "  long: {updates: null, epochs: 7, lr: 1e-4}\n"
                  "  same-pad: {pad_attend: true, text: a.txt, ids: NT}\n"
                  "  pieces: {vocab_model: bpe}\n");
    cells(&e,
          "0 original|1 lang-pos|8 lang-pos; shift-special; no-random|"
          "8c shift-special; no-random=paper-code|"
          "9 inv-order; lang-pos; shift-special; no-random|"
          "p files=x=x.txt; d=/d.txt; languages=a; b(text=x) = shift; pad-attend=false; batch=64|"
          "long epochs=7; lr=0.0001|same-pad text=a.txt; ids=NT|pieces vocab-model=bpe");
    assert_string_equal(e.title, "T");
    assert_string_equal(e.name, "e");
    assert_int_equal(e.base, 0);
    assert_string_equal(e.cell[1].title, "first");
    assert_null(e.cell[0].title);
    assert_int_equal(e.cell[0].n_seed, 2);
    assert_int_equal(e.cell[0].seed[0], 3);
    assert_int_equal(e.cell[0].config.optimisation.seed, 3);
    assert_int_equal(e.cell[0].config.optimisation.updates, 100);
    assert_true(e.cell[0].config.objective.batching.pad_attend);
    assert_int_equal(e.cell[4].n_seed, 1);
    assert_int_equal(e.cell[4].needs, IG_NEEDS_GPU);
    assert_int_equal(e.cell[4].line, 9);
    assert_int_equal(e.cell[4].n_key, 4);
    assert_string_equal(e.cell[4].key[3], "no-random");
    assert_false(e.cell[5].config.objective.batching.pad_attend);
    assert_int_equal(e.cell[6].config.optimisation.epochs, 7);
    assert_int_equal(e.cell[6].config.optimisation.updates, 0);
    char want[256];
    snprintf(want, sizeof want, "%s/a.txt", dir);
    assert_string_equal(e.cell[7].config.data.text, want);

    ig_run_config c;
    assert_ok(ig_experiment_config(&c, &e, 7, 42, &err), &err);
    assert_int_equal(c.optimisation.seed, 42);
    assert_string_equal(c.data.text, want);
    assert_true(c.data.text != e.cell[7].config.data.text);
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
    e = read_good(
        "seeds: 3\naxes: {size: {small: {}, wide: {hidden: 128, heads: 2, seeds: [7]}}}\n");
    cells(&e, "size=small original|size=wide hidden=128; heads=2");
    assert_int_equal(e.cell[0].n_seed, 3);
    assert_int_equal(e.cell[1].n_seed, 1);
    assert_int_equal(e.cell[1].seed[0], 7);
    ig_experiment_free(&e);
    e = read_good("base: {}\n");
    cells(&e, "base original");
    assert_int_equal(e.cell[0].config.optimisation.epochs, 100);
    assert_int_equal(e.cell[0].n_seed, 1);
    ig_experiment_free(&e);
}

/* Mappings are merged key by key, lists and scalars replaced, null takes out. */
static void files_extend_files(void **state)
{
    (void)state;
    ig_experiment e;
    assert_ok(ig_dir_make(path_of("sub"), &err), &err);
    write_file("sub/one.yaml",
               "title: one\nquestion: Q\nbase: {updates: 7, batch: 9, lr: 1e-3}\n"
               "seeds: 3\naxes: {warmup: [1, 2]}\n"
               "cells: {a: {}, b: {lang_pos: true, inv_order: true}, c: {block: 9}}\n");
    write_file("sub/two.yaml", "extends: one.yaml\nbase: {batch: null, lr: 1e-4}\n"
                               "cells: {b: {inv_order: null, block: 32}, c: null}\n");
    write_file("three.yaml", "base: {lr: 5e-4}\nseeds: [8]\n");
    write_file("e.yaml", "extends: [sub/two.yaml, three.yaml]\ntitle: mine\naxes: null\n"
                         "cells: {d: {like: b, shift_special: true}}\n");
    assert_ok(read_variant(&e, "e.yaml", NULL), &err);
    cells(&e, "a original|b lang-pos; block=32|d lang-pos; shift-special; block=32");
    assert_string_equal(e.title, "mine");
    assert_string_equal(e.question, "Q");
    assert_int_equal(e.cell[0].config.optimisation.updates, 7);
    assert_int_equal(e.cell[0].config.objective.batching.batch, 256);
    assert_true(e.cell[0].config.optimisation.lr == 5e-4);
    assert_int_equal(e.cell[0].n_seed, 1);
    assert_int_equal(e.cell[0].seed[0], 8);
    ig_experiment_free(&e);
    /* Extending a file twice is not a cycle. */
    write_file("e.yaml", "extends: [three.yaml, sub/two.yaml, three.yaml]\n");
    assert_ok(read_variant(&e, "e.yaml", NULL), &err);
    assert_true(e.cell[0].config.optimisation.lr == 5e-4);
    ig_experiment_free(&e);
}

static void variants_in_their_order(void **state)
{
    (void)state;
    ig_experiment e;
    const char *const ab[] = {"a", "b"}, *const ba[] = {"b", "a"};
    write_file("e.yaml",
               "base: {text: t.txt, ids: NT, batch: 1}\ncells: {x: {}, y: {lr: 1}}\n"
               "variants:\n  a: {base: {batch: 2, text: null, ids: null, dev_ids: null}}\n"
               "  b: {title: B, base: {batch: 3}, cells: {y: null, z: {lr: 2}}, seeds: 2}\n"
               "  nothing:\n");
    assert_ok(ig_experiment_read(&e, path_of("e.yaml"), ab, 2, dir, &err), &err);
    assert_string_equal(e.name, "e:a,b");
    assert_int_equal(e.cell[0].config.objective.batching.batch, 3);
    assert_null(e.cell[0].config.data.text);
    assert_string_equal(e.title, "B");
    cells(&e, "x original|z lr=2");
    assert_int_equal(e.n_variant, 3);
    assert_string_equal(e.variant[1], "b");
    ig_experiment_free(&e);
    assert_ok(ig_experiment_read(&e, path_of("e.yaml"), ba, 2, dir, &err), &err);
    assert_int_equal(e.cell[0].config.objective.batching.batch, 2);
    ig_experiment_free(&e);
    assert_ok(read_variant(&e, "e.yaml", "nothing"), &err);
    cells(&e, "x original|y lr=1");

    /* Missing data are told only when asked for, with the variant that needs none. */
    assert_int_equal(ig_experiment_check(&e, &err), IG_ERR_IO);
    assert_string_equal(err.where, "t.txt");
    assert_non_null(strstr(err.msg, dir));
    assert_non_null(strstr(err.hint, "--variant a needs no data"));
    ig_experiment_free(&e);
    assert_ok(read_variant(&e, "e.yaml", "a"), &err);
    assert_ok(ig_experiment_check(&e, &err), &err);
    ig_experiment_free(&e);

    /* One that not all cells take: with the cell and its line. */
    write_file("f.yaml", "base: {text: t.txt}\ncells:\n  w: {text: null}\n  x: {batch: 2}\n"
                         "variants: {a: {base: {text: null}}}\n");
    assert_ok(read_variant(&e, "f.yaml", NULL), &err);
    assert_int_equal(ig_experiment_check(&e, &err), IG_ERR_IO);
    assert_string_equal(err.where, path_of("f.yaml"));
    assert_int_equal(err.line, 4);
    assert_non_null(strstr(err.msg, "cell 'x': t.txt: no such file below the data root "));
    assert_non_null(strstr(err.hint, "--variant a needs no data"));
    ig_experiment_free(&e);
}

/* Removing a key from a variant does not remove it from the file that the variant is applied to. */
static void out_of_a_variant(void **state)
{
    (void)state;
    ig_experiment e;
    write_file("p.yaml", "cells: {x: {}, y: {lr: 1}}\n"
                         "variants: {v: {cells: {x: {block: 9}, y: {block: 9}}}}\n");
    write_file("e.yaml", "extends: p.yaml\nvariants: {v: {cells: {y: null}}}\n");
    assert_ok(read_variant(&e, "e.yaml", "v"), &err);
    cells(&e, "x block=9|y lr=1");
    ig_experiment_free(&e);
}

/* A cell that needs static embeddings declares it, and is a cell like any other. */
static void cells_that_need_embeddings(void **state)
{
    (void)state;
    ig_run_config c;
    ig_experiment e = read_good("cells: {a: {}, b: {knn_replace: 1, block: 64, needs: embed}}\n");
    cells(&e, "a original|b block=64; knn-replace=1");
    assert_int_equal(e.cell[1].needs, IG_NEEDS_EMBED);
    assert_ok(ig_experiment_config(&c, &e, 1, 0, &err), &err);
    assert_int_equal(c.objective.knn_replace, 1);
    ig_run_config_free(&c);
    ig_experiment_free(&e);
}

/* For grids of any shape: as many cells as the product says, names and labels all different, each
 * cell's settings those of its parts. */
static void counts(void **state)
{
    (void)state;
    for (int n_cell = 0; n_cell < 4; n_cell++)
        for (int n_a = 0; n_a < 4; n_a++)
            for (int n_b = 0; n_b < 4; n_b++) {
                char text[2048] = "base: {updates: 3}\n";
                size_t n = strlen(text);
                if (n_a + n_b > 0)
                    n += (size_t)sprintf(text + n, "axes:\n");
                for (int i = 0; i < n_a; i++)
                    n += (size_t)sprintf(text + n, "%s%d", i == 0 ? "  batch: [" : ", ", 8 << i);
                if (n_a > 0)
                    n += (size_t)sprintf(text + n, "]\n");
                for (int i = 0; i < n_b; i++)
                    n += (size_t)sprintf(text + n, "%sv%d: {warmup: %d}", i == 0 ? "  w: {" : ", ",
                                         i, i + 1);
                if (n_b > 0)
                    n += (size_t)sprintf(text + n, "}\n");
                for (int i = 0; i < n_cell; i++)
                    n += (size_t)sprintf(text + n, "%s  c%d: {block: %d}\n",
                                         i == 0 ? "cells:\n" : "", i, 20 + i);
                ig_experiment e = read_good(text);
                int want = (n_cell > 0 ? n_cell : 1) * (n_a > 0 ? n_a : 1) * (n_b > 0 ? n_b : 1);
                assert_int_equal(e.n_cell, want);
                for (int i = 0; i < e.n_cell; i++) {
                    const ig_run_config *c = &e.cell[i].config;
                    int b = n_b > 0 ? i % n_b : 0, a = n_a > 0 ? i / (n_b > 0 ? n_b : 1) % n_a : 0;
                    int at = i / ((n_b > 0 ? n_b : 1) * (n_a > 0 ? n_a : 1));
                    assert_int_equal(c->optimisation.warmup, n_b > 0 ? b + 1 : 50);
                    assert_int_equal(c->objective.batching.batch, n_a > 0 ? 8 << a : 256);
                    assert_int_equal(c->objective.block, n_cell > 0 ? 20 + at : 128);
                    for (int k = 0; k < i; k++) {
                        assert_string_not_equal(e.cell[i].name, e.cell[k].name);
                        assert_string_not_equal(e.cell[i].label, e.cell[k].label);
                    }
                }
                ig_experiment_free(&e);
            }
}

/* A cell's "config" is a base that gives the same cell again. */
static void json_reads_back(void **state)
{
    (void)state;
    ig_experiment e =
        read_good("title: T\nbase: {updates: 30}\nseeds: [4, 2]\n"
                  "cells: {a: {}, b: {lang_pos: true, lr: 1.1e-3, text: x.txt, needs: gpu}}\n"
                  "measure: {layers: [1], checkpoints: log}\n"
                  "report:\n  tables: [{name: t, columns: [mu, \"rho[2]\"], rows: [b]}]\n"
                  "  figures: [{name: f, kind: curves, values: [mu], onset: true}]\n");
    json_t *j = ig_experiment_json(&e);
    assert_non_null(j);
    json_t *b = json_array_get(json_object_get(j, "cells"), 1);
    assert_string_equal(json_string_value(json_object_get(b, "label")),
                        "text=x.txt; lang-pos; lr=0.0011");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(b, "seeds"), 0)), 4);
    assert_int_equal(json_array_size(json_object_get(b, "differs")), 3);
    assert_string_equal(json_string_value(json_array_get(json_object_get(b, "needs"), 0)), "gpu");
    assert_string_equal(json_string_value(json_object_get(j, "base")), "a");
    const json_t *report = json_object_get(j, "report");
    const json_t *t = json_array_get(json_object_get(report, "tables"), 0);
    const json_t *column = json_array_get(json_object_get(t, "columns"), 1);
    assert_string_equal(json_string_value(json_object_get(column, "value")), "rho[2]");
    const json_t *f = json_array_get(json_object_get(report, "figures"), 0);
    assert_string_equal(json_string_value(json_object_get(f, "kind")), "curves");
    assert_int_equal(json_array_size(json_object_get(json_object_get(j, "measure"), "layers")), 2);

    json_t *again = json_pack("{s:O, s:O}", "base", json_object_get(b, "config"), "seeds",
                              json_object_get(b, "seeds"));
    char *text = json_dumps(again, JSON_REAL_PRECISION(17));
    ig_experiment e2 = read_good(text);
    ig_run_config x, y;
    assert_ok(ig_experiment_config(&x, &e, 1, 2, &err), &err);
    assert_ok(ig_experiment_config(&y, &e2, 0, 2, &err), &err);
    json_t *jx = ig_options_json(&ig_run_options, &x);
    json_t *jy = ig_options_json(&ig_run_options, &y);
    assert_true(json_equal(jx, jy));
    json_decref(jx);
    json_decref(jy);
    ig_run_config_free(&x);
    ig_run_config_free(&y);
    free(text);
    json_decref(again);
    json_decref(j);
    ig_experiment_free(&e);
    ig_experiment_free(&e2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_and_labels),
        cmocka_unit_test(axes_are_crossed),
        cmocka_unit_test(files_extend_files),
        cmocka_unit_test(variants_in_their_order),
        cmocka_unit_test(out_of_a_variant),
        cmocka_unit_test(cells_that_need_embeddings),
        cmocka_unit_test(counts),
        cmocka_unit_test(json_reads_back),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
