/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of results as people read it: what is bold, which digits, which columns name a row.
 */
#include "results_fixture.h"

#include "report/table_results.h"

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
    const ig_store_metric m[] = {{"mu", "dev", "en-fake", 1, -1, true, 500, 77, mu},
                                 {"perplexity", "dev", "", 1, -1, true, 500, 9, perplexity}};
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

    /* Of cells with one seed each nothing is the best, and nothing is said of it. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed_is_not_bold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
