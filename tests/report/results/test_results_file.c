/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as a file: what is written of a store is read back bit by bit, in any order of runs, and
 * gives the same tables; the same results are the same bytes; values that two names have are
 * written once.
 */
#include "report_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/results/results_data.h"
#include "report/results/results_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { QUANTITIES = 6 };
static report_fixture f;
static char path[64];

static int setup(void **state)
{
    (void)state;
    report_make(&f);
    snprintf(path, sizeof path, "/tmp/isoglot-results-%ld", (long)getpid());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    report_free(&f);
    remove(path);
    return 0;
}

static const char digits[] = "0123456789abcdef";

/* The finished runs of the fixture with these quantities, from the last to the first when
 * backwards. */
static void write_all(const ig_quantity *q, int n_q, bool backwards)
{
    ig_err err;
    const ig_result_wanted what = {.final = q, .n_final = n_q};
    FILE *fp = fopen(path, "w");
    assert_non_null(fp);
    assert_ok(ig_result_file_begin(fp, "table1", &err), &err);
    for (int i = 0; i < f.results.n_cell; i++) {
        const ig_result_cell *c = &f.results.cell[backwards ? f.results.n_cell - 1 - i : i];
        for (int64_t k = 0; k < c->n_entry; k++) {
            const ig_result_written run = {&f.results, c,
                                           &c->entry[backwards ? c->n_entry - 1 - k : k], digits};
            ig_result_line *line;
            int64_t n;
            if (run.entry->run.status != IG_RUN_DONE)
                continue;
            assert_ok(ig_result_lines_of(&line, &n, &run, &what, &err), &err);
            assert_ok(ig_result_file_put(fp, &run, line, n, &err), &err);
            ig_free(line);
        }
    }
    assert_int_equal(fclose(fp), 0);
}

static const ig_result_file_run *find(const ig_result_file *file, const ig_store_entry *e)
{
    for (int64_t i = 0; i < file->n_run; i++)
        if (strcmp(file->run[i].entry.cell.address, e->cell.address) == 0)
            return &file->run[i];
    return NULL;
}

/* The table of the file's runs beside those that are not finished, as CSV with all digits. */
static char *table_of(const ig_result_file *file)
{
    ig_err err;
    ig_results r;
    ig_result_table t;
    ig_table *tidy;
    char *text;
    size_t size;
    ig_store_entry *e = calloc((size_t)f.stored.n_entry, sizeof *e);
    for (int64_t i = 0; i < f.stored.n_entry; i++) {
        const ig_result_file_run *run = find(file, &f.stored.entry[i]);
        e[i] = run != NULL ? run->entry : f.stored.entry[i];
        e[i].cell.order = f.stored.entry[i].cell.order;
        if (run == NULL)
            e[i].n_metric = 0;
    }
    const ig_store_result s = {e, f.stored.n_entry, file->metric, file->n_metric, NULL};
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    assert_ok(ig_result_table_make(&t, &r, &f.spec, NULL, &f.reference, &err), &err);
    assert_ok(ig_result_table_tidy(&tidy, &t, &err), &err);
    FILE *fp = open_memstream(&text, &size);
    assert_ok(ig_table_csv(fp, tidy, true, &err), &err);
    for (int i = 0; i < t.n_note; i++)
        fprintf(fp, "%s\n", t.note[i]);
    fclose(fp);
    ig_table_free(tidy);
    ig_result_table_free(&t);
    ig_results_free(&r);
    free(e);
    return text;
}

static char *table_of_store(void)
{
    ig_result_file all = {.metric = f.stored.metric, .n_metric = f.stored.n_metric};
    all.run = calloc((size_t)f.stored.n_entry, sizeof *all.run);
    for (int64_t i = 0; i < f.stored.n_entry; i++)
        if (f.stored.entry[i].run.status == IG_RUN_DONE)
            all.run[all.n_run++].entry = f.stored.entry[i];
    char *text = table_of(&all);
    free(all.run);
    return text;
}

static void same_table(void **state)
{
    (void)state;
    ig_err err;
    ig_quantity q[QUANTITIES];
    char *want = table_of_store();
    for (int i = 0; i < QUANTITIES; i++)
        q[i] = f.column[i].q;
    for (int backwards = 0; backwards < 2; backwards++) {
        ig_result_file file;
        write_all(q, QUANTITIES, backwards);
        assert_ok(ig_result_file_read(&file, path, &err), &err);
        assert_int_equal(file.n_run, REPORT_ROWS * REPORT_SEEDS - 2);
        assert_int_equal(file.n_experiment, 1);
        char *got = table_of(&file);
        assert_string_equal(got, want);
        free(got);
        ig_result_file_free(&file);
    }
    free(want);
}

/* Every metric of the store comes back with its bits, and the run with what it cost. */
static void same_bits(void **state)
{
    (void)state;
    ig_err err;
    ig_result_file file;
    ig_quantity q[QUANTITIES];
    for (int i = 0; i < QUANTITIES; i++)
        q[i] = f.column[i].q;
    write_all(q, QUANTITIES, false);
    assert_ok(ig_result_file_read(&file, path, &err), &err);
    for (int64_t i = 0; i < f.stored.n_entry; i++) {
        const ig_store_entry *a = &f.stored.entry[i];
        const ig_result_file_run *run = find(&file, a);
        if (a->run.status != IG_RUN_DONE) {
            assert_null(run);
            continue;
        }
        const ig_store_entry *b = &run->entry;
        assert_int_equal(a->cell.seed, b->cell.seed);
        assert_string_equal(a->cell.label, b->cell.label);
        assert_string_equal(run->settings, digits);
        assert_true(a->run.seconds == b->run.seconds && a->run.updates == b->run.updates &&
                    a->run.tokens == b->run.tokens && a->run.peak_memory == b->run.peak_memory &&
                    a->run.tokens_per_second == b->run.tokens_per_second);
        assert_int_equal(a->n_metric, b->n_metric);
        for (int64_t k = 0; k < a->n_metric; k++) {
            const ig_row *x = &f.stored.metric[a->first_metric + k],
                         *y = &file.metric[b->first_metric + k];
            assert_string_equal(x->task, y->task);
            assert_string_equal(x->split, y->split);
            assert_int_equal(x->layer, y->layer);
            assert_true(memcmp(&x->value, &y->value, sizeof x->value) == 0);
            if (strncmp(x->task, "mu_", 3) != 0)
                assert_true(x->n == y->n && x->step == y->step && y->last);
        }
    }
    ig_result_file_free(&file);
}

/* rho[high] is rho[8] here: one value, under the name requested first; numbers of the run are no
 * values. A value requested twice is written once. */
static void once(void **state)
{
    (void)state;
    ig_err err;
    static const char *const names[] = {"rho[high]", "rho[8]", "rho[high]",
                                        "seconds",   "mu_low", "tau[high]"};
    enum { N = sizeof names / sizeof *names };
    ig_quantity q[N];
    ig_result_line *line;
    int64_t n;
    for (int i = 0; i < N; i++)
        assert_ok(ig_quantity_parse(&q[i], names[i], "", 0, &err), &err);
    const ig_result_wanted what = {.final = q, .n_final = N};
    const ig_result_cell *c = &f.results.cell[0];
    const ig_result_written run = {&f.results, c, &c->entry[0], digits};
    assert_ok(ig_result_lines_of(&line, &n, &run, &what, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(line[0].quantity.layer, IG_LAYER_HIGH);
    assert_int_equal(line[0].layer, 8);
    ig_free(line);
}

/* A lost byte is reported, or is one of a text or a number. */
static void lost_bytes(void **state)
{
    (void)state;
    ig_err err;
    ig_quantity q = f.column[0].q;
    char *text;
    int64_t size;
    int refused = 0;
    write_all(&q, 1, false);
    assert_ok(ig_file_read(&text, &size, path, 1 << 20, &err), &err);
    for (size = size > 1500 ? 1500 : size; text[size - 1] != '\n';)
        size--; /* whole lines */
    for (int64_t at = 0; at < size; at++) {
        FILE *fp = fopen(path, "w");
        fwrite(text, 1, (size_t)at, fp);
        fwrite(text + at + 1, 1, (size_t)(size - at - 1), fp);
        assert_int_equal(fclose(fp), 0);
        ig_result_file file;
        const ig_code code = ig_result_file_read(&file, path, &err);
        assert_true(code == IG_ERR_OK || code == IG_ERR_INPUT);
        if (code != IG_ERR_OK)
            assert_string_equal(err.where, path);
        if (strchr("{}[]\":,\n", text[at]) != NULL)
            assert_int_equal(code, IG_ERR_INPUT);
        refused += code != IG_ERR_OK;
        ig_result_file_free(&file);
    }
    assert_true(refused > size / 4);
    ig_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_table), cmocka_unit_test(same_bits),
                                       cmocka_unit_test(once), cmocka_unit_test(lost_bytes)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
