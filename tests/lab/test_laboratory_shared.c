/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages that share strings, from the experiment file to the table: τ distinct, μ distinct and
 * the share of identical pairs stand beside τ and μ, and bold goes by them; a μ that cannot be
 * computed says what it needs, before and after the run, in the table, for programs and on the
 * page.
 */
#include "lab_fixture.h"

#include "lab/report/lab_report.h"
#include "report/table/table.h"
#include "report/shown/table_results.h"

static const char needed[] = "needs a dictionary en–de: gold=FILE";

static void write_texts(void)
{
    static const char *const en[] = {"the", "dog", "house", "no", "cat", "man", "Jesus", "David"},
                             *const de[] = {"der",   "hund", "haus",  "kein",
                                            "katze", "mann", "Jesus", "David"};
    char a[40000] = "", b[40000] = "", d[1000] = "";
    for (unsigned i = 0, x = 1; i < 300; i++) {
        for (int k = 0; k < 5; k++) {
            x = x * 1103515245 + 12345;
            strcat(strcat(a, en[x >> 16 & 7]), k < 4 ? " " : "\n");
            strcat(strcat(b, de[x >> 16 & 7]), k < 4 ? " " : "\n");
        }
    }
    for (int k = 0; k < 8; k++)
        strcat(strcat(strcat(strcat(d, en[k]), " "), de[k]), "\n");
    assert_ok(ig_file_write(in_root("a.txt"), a, (int64_t)strlen(a), &err), &err);
    assert_ok(ig_file_write(in_root("b.txt"), b, (int64_t)strlen(b), &err), &err);
    assert_ok(ig_file_write(in_root("d.txt"), d, (int64_t)strlen(d), &err), &err);
}

static ig_experiment experiment(void)
{
    static char text[4000];
    snprintf(text, sizeof text,
             "base: {preset: bert-tiny, text: %s, dev_text: %s, take: 250, dev_take: 30,\n"
             "       updates: 5, batch: 16, vocab_size: 120, dev_parallel: true,\n"
             "       files: 'deu=%s; dict=%s'}\n"
             "cells:\n"
             "  shared: {languages: 'en; de(text=deu, dev=deu, gold=dict)'}\n"
             "  own: {languages: 'en; de(text=deu, dev=deu, gold=dict, vocab=own) = shift'}\n"
             "  tables: {languages: 'en; de(text=deu, dev=deu, gold=dict)', separate: words}\n"
             "  none: {languages: 'en; de(text=deu, dev=deu)'}\n"
             "  fake: {languages: 'en; fake = shift', dev_parallel: false}\n"
             "seeds: 2\n"
             "measure: {what: [retrieval, translation]}\n"
             "report: {tables: [{name: t, columns: [mu, 'tau[high]']},\n"
             "                  {name: apart, rows: [own, fake], columns: [mu, 'tau[high]']}]}\n",
             in_root("a.txt"), in_root("a.txt"), in_root("b.txt"), in_root("d.txt"));
    return read_experiment(text);
}

static const ig_result_number *number(const ig_result_table *t, const char *cell, const char *what)
{
    for (int r = 0; r < t->n_row; r++)
        for (int c = 0; c < t->n_column; c++) {
            char name[120];
            ig_quantity_format(name, sizeof name, &t->spec->column[c].q);
            if (strcmp(t->row[r]->name, cell) == 0 && strcmp(name, what) == 0)
                return &t->number[r * t->n_column + c];
        }
    fail_msg("no %s of %s", what, cell);
    return NULL;
}

static bool is_bold(const ig_table *t, const char *cell, const char *key)
{
    for (int64_t r = 0; r < t->n_row; r++)
        for (int c = 0; c < t->n_column; c++) {
            const ig_table_cell *id = ig_table_at((ig_table *)(uintptr_t)t, r, 0);
            if (id->text != NULL && strcmp(id->text, cell) == 0 &&
                strcmp(t->column[c].key, key) == 0)
                return ig_table_at((ig_table *)(uintptr_t)t, r, c)->best;
        }
    fail_msg("no %s of %s", key, cell);
    return false;
}

static bool says(const ig_result_table *t, const char *part)
{
    for (int i = 0; i < t->n_note; i++)
        if (strstr(t->note[i], part) != NULL)
            return true;
    return false;
}

static void what_is_missing_is_foreseen(void **state)
{
    (void)state;
    write_texts();
    ig_experiment e = experiment();
    ig_lab_plan p;
    const ig_lab_options o = {.store = in_root("s"), .jobs = 1, .threads = 1};
    assert_ok(ig_lab_dry(&p, &e, &o, &err), &err);
    assert_int_equal(p.n_impossible, 0);
    assert_int_equal(p.n_no_mu, 1);
    assert_string_equal(p.no_mu[0].cell, "none");
    assert_string_equal(p.no_mu[0].why, needed);
    ig_experiment_free(&e);
}

static void shared_strings_in_tables(void **state)
{
    (void)state;
    ig_experiment e = experiment();
    ig_lab_result result;
    ig_lab_report r;
    const char *store = in_root("s");
    assert_ok(lab_run(&e, store, (ig_lab_options){.jobs = 1}, &result), &err);
    assert_int_equal(result.n_done, 10);
    assert_ok(
        ig_lab_report_open(&r, &e, store, &(ig_lab_report_options){.steps = IG_LAB_FINISHED}, &err),
        &err);
    ig_result_table *t = &r.table[0];
    /* mu, mu_distinct, tau, tau_distinct, identical_share; where nothing is shared, as asked. */
    assert_int_equal(t->n_column, 5);
    assert_int_equal(r.table[1].n_column, 2);
    const double share = number(t, "shared", "identical_share")->summary.mean;
    assert_true(fabs(share - 2. / 8) < 1e-9); /* Jesus, David */
    assert_true(number(t, "own", "identical_share")->summary.mean == 0);
    assert_true(number(t, "tables", "identical_share")->summary.mean == 0);
    assert_true(number(t, "shared", "tau[high]")->summary.mean >= 2. / 8 - 1e-9);
    /* Nothing is shared: the same, though it was not measured apart. */
    const char *const apart[] = {"own", "fake", "tables"};
    for (int i = 0; i < 3; i++) {
        assert_true(number(t, apart[i], "tau_distinct[high]")->summary.mean ==
                    number(t, apart[i], "tau[high]")->summary.mean);
        assert_true(number(t, apart[i], "mu_distinct")->summary.mean ==
                    number(t, apart[i], "mu")->summary.mean);
    }
    assert_string_equal(number(t, "none", "mu")->missing, needed);
    assert_string_equal(number(t, "none", "tau[high]")->missing, needed);
    assert_true(says(t, "No mu, mu_distinct, tau[high], tau_distinct[high], identical_share: needs "
                        "a dictionary en–de: gold=FILE (cell none)"));
    assert_true(says(t, "goes by distinct"));
    assert_false(says(&r.table[1], "goes by distinct"));
    /* For programs. */
    json_t *j = ig_lab_report_json(&r);
    assert_non_null(j);
    json_decref(j);

    /* The highest τ is of shared strings; the highest τ distinct another's. */
    static const double mean[][2] = {{.5, .1}, {.3, .3}};
    const char *const cell[] = {"shared", "own"};
    for (int i = 0; i < 2; i++) {
        const char *const what[] = {"tau[high]", "tau_distinct[high]", "mu", "mu_distinct"};
        for (int k = 0; k < 4; k++)
            ((ig_result_number *)(uintptr_t)number(t, cell[i], what[k]))->summary.mean =
                mean[i][k % 2];
    }
    ig_table *out;
    const ig_result_lines show = {0};
    assert_ok(ig_table_of_results(&out, t, &show, &err), &err);
    const char *const keys[] = {"tau[high]", "tau_distinct[high]", "mu", "mu_distinct"};
    for (int k = 0; k < 4; k++) {
        assert_false(is_bold(out, "shared", keys[k]));
        assert_true(is_bold(out, "own", keys[k]));
    }
    ig_table_free(out);

    assert_ok(ig_lab_report_page(&r, in_root("page"), &err), &err);
    char *page;
    int64_t n;
    assert_ok(ig_file_read(&page, &n, in_root("page/index.html"), 1 << 24, &err), &err);
    assert_non_null(strstr(page, needed));
    assert_non_null(strstr(page, "identical"));
    ig_free(page);
    ig_lab_report_close(&r);
    ig_experiment_free(&e);
}

/* A file without tables: one of all that it measures, also of what is taken only when asked for. */
static void the_table_of_everything(void **state)
{
    (void)state;
    static const char *const want[] = {
        "mu",        "rho[low]",         "tau[low]",        "rho[high]",
        "tau[high]", "cka[low]",         "rho_mapped[low]", "tau_mapped[low]",
        "cka[high]", "rho_mapped[high]", "tau_mapped[high]"};
    ig_experiment e = read_experiment("base: {updates: 5}\nseeds: 1\n"
                                      "measure: {what: [retrieval, translation, spaces]}\n");
    ig_lab_report r;
    assert_ok(ig_lab_report_open(&r, &e, in_root("s"),
                                 &(ig_lab_report_options){.steps = IG_LAB_FINISHED}, &err),
              &err);
    assert_int_equal(r.n_table, 1);
    assert_int_equal(r.table[0].n_column, (int)(sizeof want / sizeof *want));
    for (int c = 0; c < r.table[0].n_column; c++) {
        char name[120];
        ig_quantity_format(name, sizeof name, &r.table[0].spec->column[c].q);
        assert_string_equal(name, want[c]);
    }
    ig_lab_report_close(&r);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_missing_is_foreseen),
                                       cmocka_unit_test(shared_strings_in_tables),
                                       cmocka_unit_test(the_table_of_everything)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
