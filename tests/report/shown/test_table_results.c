/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of results as people read it: what is bold, which digits, which columns name a row.
 */
#include "results_fixture.h"

#include "base/file.h"
#include "report/shown/row_names.h"
#include "report/shown/table_results.h"

#include <stdlib.h>

/* Fields that own their strings elsewhere. */
#define OWN(text) ((char *)(uintptr_t)(text))

typedef struct {
    lab l;
    ig_store_result stored;
    ig_results results;
    ig_column column[4];
    ig_table_spec spec;
    ig_result_table numbers;
    ig_table *table;
} fixture;

static void add_column(fixture *f, const char *quantity, int better)
{
    ig_err err = {0};
    ig_column *c = &f->column[f->spec.n_column++];
    assert_ok(ig_quantity_parse(&c->q, quantity, "test", 0, &err), &err);
    c->digits = -1;
    c->higher_is_better = better > 0;
    c->lower_is_better = better < 0;
}

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    lab_open(&f->l);
    f->spec.name = OWN("t");
    f->spec.column = f->column;
}

/* A finished run of a cell with a value of μ and of perplexity. */
static void run(fixture *f, const char *cell, int64_t seed, double mu, double perplexity)
{
    const ig_row m[] = {{"mu", "dev", "en-fake", "", 1, -1, true, 500, 77, mu, 0},
                        {"perplexity", "dev", "", "", 1, -1, true, 500, 9, perplexity, 0}};
    lab_run(&f->l, cell, seed, IG_RUN_DONE, "{\"batch\": 64}",
            lab_manifest("d1", "0.1.0", "avx512"), NULL);
    lab_metrics(&f->l, m, 2);
}

static void make(fixture *f, const ig_reference *reference, const ig_result_lines *show)
{
    ig_err err = {0};
    lab_read(&f->stored, &f->l, true);
    assert_ok(ig_results_make(&f->results, &f->stored, false, &err), &err);
    assert_ok(ig_result_table_make(&f->numbers, &f->results, &f->spec, NULL, reference, &err),
              &err);
    assert_ok(ig_table_of_results(&f->table, &f->numbers, show, &err), &err);
}

static void end(fixture *f)
{
    ig_table_free(f->table);
    ig_result_table_free(&f->numbers);
    ig_results_free(&f->results);
    ig_store_result_free(&f->stored);
    lab_close(&f->l);
}

static int column_of(const ig_table *t, const char *key)
{
    for (int c = 0; c < t->n_column; c++)
        if (strcmp(t->column[c].key, key) == 0)
            return c;
    fail_msg("no column %s", key);
    return -1;
}

static const ig_table_cell *cell_at(const ig_table *t, int64_t row, const char *key)
{
    return &t->cell[row * t->n_column + column_of(t, key)];
}

/* One seed is never the best, however good, and takes the mark from nobody. */
static void one_seed_is_not_bold(void **state)
{
    (void)state;
    const ig_result_lines none = {0};
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    add_column(&f, "perplexity[dev]", -1);
    run(&f, "a", 0, .90, 10);
    run(&f, "b", 0, .52, 30);
    run(&f, "b", 1, .50, 32);
    run(&f, "c", 0, .40, 20);
    run(&f, "c", 1, .42, 21);
    make(&f, NULL, &none);
    assert_false(cell_at(f.table, 0, "mu")->best);
    assert_true(cell_at(f.table, 1, "mu")->best);
    assert_false(cell_at(f.table, 2, "mu")->best);
    assert_false(cell_at(f.table, 0, "perplexity[dev]")->best);
    assert_true(cell_at(f.table, 2, "perplexity[dev]")->best);
    assert_true(isnan(f.numbers.number[0].interval.low));
    assert_true(isfinite(f.numbers.number[2].interval.low));
    end(&f);

    /* Among cells with one seed each none is the best, and no note is written. */
    begin(&f);
    add_column(&f, "mu", 1);
    run(&f, "a", 0, .90, 10);
    run(&f, "b", 0, .52, 30);
    make(&f, NULL, &none);
    assert_false(cell_at(f.table, 0, "mu")->best || cell_at(f.table, 1, "mu")->best);
    for (int i = 0; i < f.table->n_note; i++)
        assert_null(strstr(f.table->note[i], "the best of a column"));
    end(&f);
}

static const ig_result_lines paper = {.paper = true};

static void labelled(fixture *f, const char *cell, const char *label, double mu, double perplexity)
{
    f->l.label = label;
    run(f, cell, 0, mu, perplexity);
    run(f, cell, 1, mu + .02, perplexity * 1.01);
}

static const char *text_at(const fixture *f, int64_t row, const char *key)
{
    const char *text = cell_at(f->table, row, key)->text;
    return text != NULL ? text : "";
}

static bool has_note(const ig_table *t, const char *text)
{
    for (int i = 0; i < t->n_note; i++)
        if (strcmp(t->note[i], text) == 0)
            return true;
    return false;
}

static bool has_column(const ig_table *t, const char *key)
{
    for (int c = 0; c < t->n_column; c++)
        if (strcmp(t->column[c].key, key) == 0)
            return true;
    return false;
}

/* Each axis has a column; its effect is not repeated in words, and what all rows have is reported
 * once, below. */
static void axes_have_columns(void **state)
{
    (void)state;
    const ig_result_lines none = {0};
    static const char *const cell[] = {"0/pad=no/batch=64/steps=9", "0/pad=yes/batch=64/steps=9",
                                       "8/pad=no/batch=64/steps=9", "8/pad=yes/batch=64/steps=9"};
    static const char *const label[] = {"batch=64; hidden=32", "pad; batch=64; hidden=32",
                                        "lang-pos; batch=64; hidden=32",
                                        "lang-pos; pad; batch=64; hidden=32"};
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    for (int i = 0; i < 4; i++)
        labelled(&f, cell[i], label[i], .1 * i, 30);
    make(&f, NULL, &none);
    assert_true(has_column(f.table, "pad") && !has_column(f.table, "batch"));
    for (int i = 0; i < 4; i++) {
        assert_string_equal(text_at(&f, i, "cell"), i < 2 ? "0" : "8");
        assert_string_equal(text_at(&f, i, "label"), i < 2 ? "" : "lang-pos");
        assert_string_equal(text_at(&f, i, "pad"), i % 2 == 0 ? "no" : "yes");
    }
    assert_true(has_note(f.table, "All rows: batch=64; steps=9; hidden=32"));

    /* Spread side by side. */
    ig_err err = {0};
    ig_table_free(f.table);
    f.spec.pivot = OWN("pad");
    assert_ok(ig_table_of_results(&f.table, &f.numbers, &none, &err), &err);
    assert_int_equal(f.table->n_row, 2);
    assert_true(!has_column(f.table, "pad") && has_column(f.table, "label"));
    assert_string_equal(text_at(&f, 1, "label"), "lang-pos");
    assert_string_equal(f.table->column[column_of(f.table, "mu/pad=yes")].title, "yes");
    assert_string_equal(f.table->column[column_of(f.table, "mu/pad=yes")].group, "μ by pad");
    for (int i = 0; i < 4; i++) {
        const ig_table_cell *x = cell_at(f.table, i / 2, i % 2 == 0 ? "mu/pad=no" : "mu/pad=yes");
        assert_true(fabs(x->value - (.1 * i + .01)) < 1e-12 && x->best == (i >= 2));
    }
    ig_table_free(f.table);
    f.spec.pivot = OWN("steps"); /* of which there is one value */
    assert_ok(ig_table_of_results(&f.table, &f.numbers, &none, &err), &err);
    assert_int_equal(f.table->n_row, 4);
    ig_table_free(f.table);
    f.spec.pivot = OWN("bad");
    assert_int_equal(ig_table_of_results(&f.table, &f.numbers, &none, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "pivot: its rows have no axis 'bad'");
    assert_string_equal(err.hint, "choose from: pad, seed");
    end(&f);
}

/* The seeds of all rows are after each mean; lines below a row, marks and stars are the mean's. */
static void seeds_have_columns(void **state)
{
    (void)state;
    const ig_result_lines all = {.interval = true};
    static const char *const keys[] = {"mu", "mu/seed=0", "mu/seed=2", "mu/seed=11"};
    static const double value[2][4] = {{.5, .4, (double)NAN, .6}, {.25, .2, .3, (double)NAN}};
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    run(&f, "a", 11, .6, 30);
    run(&f, "a", 0, .4, 30);
    run(&f, "b", 2, .3, 30);
    run(&f, "b", 0, .2, 30);
    run(&f, "b", 5, (double)NAN, 30); /* without a value no seed has a column */
    f.spec.pivot = OWN(IG_PIVOT_SEED);
    make(&f, NULL, &all);
    assert_int_equal(f.table->n_row, 4); /* an interval below each */
    assert_false(has_column(f.table, "mu/seed=5"));
    assert_string_equal(f.table->column[column_of(f.table, "mu/seed=11")].title, "seed 11");
    assert_string_equal(f.table->column[column_of(f.table, "mu")].title, "μ");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            const ig_table_cell *x = cell_at(f.table, 2 * i, keys[k]);
            assert_int_equal(x->absent, isnan(value[i][k]));
            assert_true(x->absent || fabs(x->value - value[i][k]) < 1e-12);
            assert_int_equal(x->best, i == 0 && k == 0);
            assert_int_equal(isfinite(x->sd), k == 0);
            assert_int_equal(isfinite(cell_at(f.table, 2 * i + 1, keys[k])->low), k == 0);
        }
    end(&f);
}

/* Axes alone: their columns are all that names a row, and lines below stand in the first of them.
 * Missing crossings are empty. */
static void axes_alone(void **state)
{
    (void)state;
    const ig_result_lines all = {.interval = true};
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    add_column(&f, "perplexity[dev]", -1);
    labelled(&f, "batch=64/size=a", "original", .5, 30);
    labelled(&f, "batch=64/size=b", "hidden=9", .4, 30);
    labelled(&f, "batch=256/size=a", "batch=256", .3, 30);
    make(&f, NULL, &all);
    assert_false(has_column(f.table, "cell") || has_column(f.table, "label"));
    assert_string_equal(text_at(&f, 0, "batch"), "64");
    assert_string_equal(text_at(&f, 2, "size"), "b");
    assert_string_equal(text_at(&f, 1, "batch"), "95 % interval");
    ig_err err = {0};
    ig_table_free(f.table);
    f.spec.pivot = OWN("size");
    assert_ok(ig_table_of_results(&f.table, &f.numbers, &all, &err), &err);
    assert_int_equal(f.table->n_row, 4);
    assert_true(cell_at(f.table, 2, "mu/size=b")->absent);
    assert_true(fabs(cell_at(f.table, 2, "perplexity[dev]/size=a")->value - 30.15) < 1e-9);
    end(&f);
}

/* The file's own words for a cell, and where several share them, in what they differ. */
static void titles(void **state)
{
    (void)state;
    ig_err err = {0};
    static const char *const name[] = {"0", "18", "19", "20"};
    static const char *const label[] = {"original", "updates=2; batch=2",
                                        "updates=2; lang-pos; batch=2", "layers=4"};
    static const char *const title[] = {NULL, "untrained", "untrained", "four layers"};
    static const char *const want[] = {"original", "untrained", "untrained: lang-pos",
                                       "four layers"};
    char line[80];
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    for (int i = 0; i < 4; i++)
        labelled(&f, name[i], label[i], .1, 30);
    lab_read(&f.stored, &f.l, true);
    assert_ok(ig_results_make(&f.results, &f.stored, false, &err), &err);
    const ig_result_cell *row[4];
    for (int i = 0; i < 4; i++) {
        f.results.cell[i].title = title[i];
        row[i] = &f.results.cell[i];
    }
    ig_row_names n;
    assert_ok(ig_row_names_make(&n, &f.results, row, 4, &err), &err);
    for (int i = 0; i < 4; i++)
        assert_string_equal(n.row[i].words, want[i]);
    ig_row_name_line(line, sizeof line, &n, 2, -1);
    assert_string_equal(line, "19  untrained: lang-pos");
    ig_row_names_free(&n);
    end(&f);
}

/* A row in a figure: with the axis where its values do not speak for themselves. */
static void lines(void **state)
{
    (void)state;
    ig_err err = {0};
    static const char *const name[] = {"8/kind=learned/batch=64", "8/kind=rotary/batch=64",
                                       "8/kind=learned/batch=256"};
    const ig_result_cell *row[3];
    char line[80];
    ig_row_names n;
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    for (int i = 0; i < 3; i++)
        labelled(&f, name[i], "lang-pos; kind", .1, 30);
    lab_read(&f.stored, &f.l, true);
    assert_ok(ig_results_make(&f.results, &f.stored, false, &err), &err);
    for (int i = 0; i < 3; i++)
        row[i] = &f.results.cell[i];
    assert_ok(ig_row_names_make(&n, &f.results, row, 3, &err), &err);
    ig_row_name_line(line, sizeof line, &n, 1, -1);
    assert_string_equal(line, "kind=rotary, batch=64");
    ig_row_name_line(line, sizeof line, &n, 1, 1); /* over batch */
    assert_string_equal(line, "rotary");
    ig_row_name_line(line, sizeof line, &n, 1, 0);
    assert_string_equal(line, "batch=64");
    ig_row_name_line(line, 7, &n, 1, 0);
    assert_string_equal(line, "batch=");
    ig_row_names_free(&n);
    assert_ok(ig_row_names_make(&n, &f.results, row, 1, &err), &err);
    ig_row_name_line(line, sizeof line, &n, 0, -1);
    assert_string_equal(line, "8  lang-pos; kind, kind=learned, batch=64");
    ig_row_names_free(&n);
    f.results.cell[0].label = ""; /* nobody knows */
    assert_ok(ig_row_names_make(&n, &f.results, row, 1, &err), &err);
    assert_string_equal(n.row[0].words, "");
    ig_row_names_free(&n);
    f.results.cell[0].label = f.results.cell[1].label;
    assert_ok(ig_row_names_make(&n, &f.results, row, 2, &err), &err);
    ig_row_name_line(line, sizeof line, &n, 0, -1);
    assert_string_equal(line, "learned");
    assert_string_equal(n.common, "cell 8; batch=64; lang-pos; kind");
    ig_row_names_free(&n);
    end(&f);
}

/* Missing runs are reported with whole names, and once for all rows. */
static void lacking(void **state)
{
    (void)state;
    const ig_result_lines none = {0};
    static char name[20][64];
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    run(&f, "done", 0, .1, 30);
    run(&f, "done", 1, .1, 30);
    for (int i = 0; i < 20; i++) {
        snprintf(name[i], sizeof name[i], "a-cell-with-a-name-of-more-than-forty-letters/batch=%d",
                 i);
        lab_run(&f.l, name[i], 0, IG_RUN_MISSING, NULL, NULL, NULL);
    }
    make(&f, NULL, &none);
    const char *note = f.table->note[0], *end_of_names = strstr(note, ", \xE2\x80\xA6): ");
    assert_int_equal(strncmp(note, "20 cells (a-cell", 16), 0);
    assert_non_null(end_of_names);
    assert_int_equal(strncmp(end_of_names - 9, "batch=", 6) == 0 ||
                         strncmp(end_of_names - 8, "batch=", 6) == 0 ||
                         strncmp(end_of_names - 7, "batch=", 6) == 0,
                     1);
    end(&f);
    begin(&f);
    add_column(&f, "mu", 1);
    for (int i = 0; i < 2; i++)
        lab_run(&f.l, i == 0 ? "a" : "b", 0, IG_RUN_MISSING, NULL, NULL, NULL);
    make(&f, NULL, &none);
    assert_true(has_note(f.table, "All 2 cells: 0 of 1 seed done: seed 0 not run"));
    for (int i = 0; i < f.table->n_note; i++)
        assert_null(strstr(f.table->note[i], "Mean"));
    end(&f);
}

/* Our numbers have the digits that most rows of their column want, the paper's its own. */
static void digits(void **state)
{
    (void)state;
    ig_err err = {0};
    char path[300];
    ig_reference r;
    static const char text[] =
        "source: A\nrows:\n  a: {mu: 0.70, \"perplexity[dev]\": [217, 7.8]}\n"
        "  b: {mu: 0.7, \"perplexity[dev]\": [9.125, 1e-1]}\n";
    fixture f;
    begin(&f);
    add_column(&f, "mu", 1);
    add_column(&f, "perplexity[dev]", -1);
    run(&f, "a", 0, .5, 210);
    run(&f, "a", 1, .5, 230);
    run(&f, "b", 0, .5, 9.1);
    run(&f, "b", 1, .5, 9.9);
    run(&f, "c", 0, .5, 9.1);
    run(&f, "c", 1, .5, 9.8);
    snprintf(path, sizeof path, "%s/ref.yaml", f.l.dir);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
    assert_ok(ig_reference_read(&r, path, &err), &err);
    make(&f, &r, &paper);
    for (int64_t i = 0, body = 0; i < f.table->n_row; i++) {
        const ig_table_cell *x = cell_at(f.table, i, "perplexity[dev]");
        const ig_table_cell *mu = cell_at(f.table, i, "mu");
        if (f.table->row[i].kind == IG_ROW_BODY) {
            assert_int_equal(x->digits, 2);
            assert_int_equal(mu->digits, 2);
            body++;
        } else if (strcmp(f.table->row[i].key, "paper") == 0) {
            assert_int_equal(x->digits, body == 1 ? 0 : 3);
            assert_int_equal(x->sd_digits, body == 1 ? 1 : -1);
            assert_int_equal(mu->digits, body == 1 ? 2 : 1);
        }
    }
    ig_table_free(f.table);

    /* Beside ours instead: no lines below, and a dash where the paper has no number. */
    static const ig_result_lines beside = {.paper = true, .beside = true};
    assert_ok(ig_table_of_results(&f.table, &f.numbers, &beside, &err), &err);
    assert_int_equal(column_of(f.table, "mu/paper"), column_of(f.table, "mu") + 1);
    for (int64_t i = 0; i < f.table->n_row; i++)
        assert_true(f.table->row[i].kind != IG_ROW_SUB);
    assert_float_equal(cell_at(f.table, 0, "perplexity[dev]/paper")->value, 217, 0);
    assert_float_equal(cell_at(f.table, 0, "perplexity[dev]/paper")->sd, 7.8, 0);
    assert_int_equal(cell_at(f.table, 1, "perplexity[dev]/paper")->digits, 3);
    assert_float_equal(cell_at(f.table, 1, "mu/paper")->value, .7, 0);
    assert_true(cell_at(f.table, 2, "mu/paper")->absent);
    ig_reference_free(&r);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed_is_not_bold),
        cmocka_unit_test(axes_have_columns),
        cmocka_unit_test(seeds_have_columns),
        cmocka_unit_test(axes_alone),
        cmocka_unit_test(titles),
        cmocka_unit_test(digits),
        cmocka_unit_test(lines),
        cmocka_unit_test(lacking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
