/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as a file: what is written of a store is read back bit by bit, in any order of runs, and
 * gives the same tables; the same results are the same bytes; a file of version 1 gives the rows
 * that its quantities name.
 */
#include "report_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/results/results_data.h"
#include "report/results/results_file.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

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

/* All rows of the finished runs of the fixture, from the last run to the first when backwards. */
static void write_all(bool backwards)
{
    ig_err err;
    const ig_store_result *of = &f.stored;
    FILE *fp = fopen(path, "w");
    assert_non_null(fp);
    int64_t n_run = 0;
    for (int64_t i = 0; i < of->n_entry; i++)
        n_run += of->entry[i].run.status == IG_RUN_DONE;
    assert_ok(ig_result_file_begin(fp, "table1", n_run, &err), &err);
    for (int64_t i = 0; i < of->n_entry; i++) {
        ig_store_entry e = of->entry[backwards ? of->n_entry - 1 - i : i];
        e.run.settings = digits;
        if (e.run.status == IG_RUN_DONE)
            assert_ok(ig_result_file_put(fp, &e, NULL, ig_store_rows(of, &e), e.n_metric, &err),
                      &err);
    }
    assert_int_equal(fclose(fp), 0);
}

static const ig_store_entry *find(const ig_store_result *s, const ig_store_entry *e)
{
    for (int64_t i = 0; i < s->n_entry; i++)
        if (strcmp(s->entry[i].cell.address, e->cell.address) == 0)
            return &s->entry[i];
    return NULL;
}

/* The table of these runs beside those that are not finished, as CSV with all digits. */
static char *table_of(const ig_store_result *file)
{
    ig_err err;
    ig_results r;
    ig_result_table t;
    ig_table *tidy;
    char *text;
    size_t size;
    ig_store_entry *e = calloc((size_t)f.stored.n_entry, sizeof *e);
    for (int64_t i = 0; i < f.stored.n_entry; i++) {
        const ig_store_entry *run = find(file, &f.stored.entry[i]);
        const bool done = f.stored.entry[i].run.status == IG_RUN_DONE;
        assert_true(!done || run != NULL);
        e[i] = done ? *run : f.stored.entry[i];
        e[i].cell.order = f.stored.entry[i].cell.order;
        if (!done)
            e[i].n_metric = 0;
    }
    const ig_store_result s = {.entry = e,
                               .n_entry = f.stored.n_entry,
                               .metric = file->metric,
                               .n_metric = file->n_metric};
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

static void same_table(void **state)
{
    (void)state;
    ig_err err;
    char *want = table_of(&f.stored);
    for (int backwards = 0; backwards < 2; backwards++) {
        ig_result_file file;
        write_all(backwards);
        assert_ok(ig_result_file_read(&file, path, &err), &err);
        assert_int_equal(file.stored.n_entry, REPORT_ROWS * REPORT_SEEDS - 2);
        assert_int_equal(file.n_experiment, 1);
        char *got = table_of(&file.stored);
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
    write_all(false);
    assert_ok(ig_result_file_read(&file, path, &err), &err);
    for (int64_t i = 0; i < f.stored.n_entry; i++) {
        const ig_store_entry *a = &f.stored.entry[i];
        const ig_store_entry *b = find(&file.stored, a);
        if (a->run.status != IG_RUN_DONE) {
            assert_null(b);
            continue;
        }
        assert_int_equal(a->cell.seed, b->cell.seed);
        assert_string_equal(a->cell.label, b->cell.label);
        assert_string_equal(b->run.settings, digits);
        assert_true(a->run.seconds == b->run.seconds && a->run.updates == b->run.updates &&
                    a->run.tokens == b->run.tokens && a->run.peak_memory == b->run.peak_memory &&
                    a->run.tokens_per_second == b->run.tokens_per_second);
        assert_int_equal(a->n_metric, b->n_metric);
        for (int64_t k = 0; k < a->n_metric; k++) {
            const ig_row *x = &f.stored.metric[a->first_metric + k],
                         *y = &file.stored.metric[b->first_metric + k];
            assert_int_equal(ig_row_compare(x, y), 0);
            assert_true(memcmp(&x->value, &y->value, sizeof x->value) == 0);
            assert_true(x->n == y->n && y->last && x->task_version == y->task_version);
        }
    }
    ig_result_file_free(&file);
}

/* A row is of a quantity by its text, tags, languages and layer: of the layers of μ by number or
 * name; of several languages where none is named. */
static void wanted(void **state)
{
    (void)state;
    ig_err err;
    const ig_result_cell *c = &f.results.cell[0];
    static const struct {
        const char *quantity;
        bool takes;
    } of[] = {{"rho[high]", true},      {"rho[8]", true},      {"rho", true},
              {"rho[low]", false},      {"tau[high]", false},  {"rho[8,text=kjv]", false},
              {"rho[8,en-fake]", true}, {"rho[8,en-b]", false}};
    const ig_row row = {.task = "rho", .split = "dev", .languages = "en-fake", .layer = 8};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ig_quantity q;
        assert_ok(ig_quantity_parse(&q, of[i].quantity, "", 0, &err), &err);
        assert_int_equal(ig_result_takes(&row, &q, c), of[i].takes);
    }
    ig_quantity q;
    const ig_row way = {
        .task = "accuracy", .split = "nli", .languages = "en", .tags = "lr=1e-5", .layer = -1};
    assert_ok(ig_quantity_parse(&q, "accuracy[task=nli/lr=1e-5,en]", "", 0, &err), &err);
    assert_true(ig_result_takes(&way, &q, c));
    const ig_quantity back = ig_quantity_of(&way);
    assert_true(ig_quantity_same(&back, &q));
    assert_ok(ig_quantity_parse(&q, "accuracy[task=nli,en]", "", 0, &err), &err);
    assert_false(ig_result_takes(&way, &q, c));
}

/* A file of version 1 named quantities: its values are rows, the layers of μ too. */
static void old_form(void **state)
{
    (void)state;
    static const char text[] =
        "{\"isoglot_results\":1,\"experiment\":\"e\"}\n"
        "{\"run\":\"0123456789abcdef\",\"cell\":\"a\",\"label\":\"l\",\"seed\":3,\"settings\":"
        "\"fedcba9876543210\",\"date\":\"2026-11-24T20:27:40Z\",\"mu_layers\":[0,6],\"updates\":50}"
        "\n"
        "{\"run\":\"0123456789abcdef\",\"cell\":\"a\",\"seed\":3,\"quantity\":\"tau[high]\","
        "\"layer\":6,\"step\":50,\"n\":7,\"task_version\":2,\"value\":0.1}\n"
        "{\"run\":\"0123456789abcdef\",\"cell\":\"a\",\"seed\":3,\"quantity\":"
        "\"accuracy[task=nli/lr=1e-5,select=last,en]\",\"step\":20,\"last\":false,\"value\":1}\n";
    ig_err err;
    ig_result_file file;
    assert_ok(ig_file_write(path, text, sizeof text - 1, &err), &err);
    assert_ok(ig_result_file_read(&file, path, &err), &err);
    assert_int_equal(file.stored.n_entry, 1);
    assert_string_equal(file.stored.entry[0].run.date, "2026-11-24T20:27:40Z");
    assert_int_equal(file.stored.entry[0].run.line, 2);
    assert_int_equal(file.stored.n_metric, 4);
    const ig_row *m = file.stored.metric;
    assert_string_equal(m[0].tags, "lr=1e-5;select=last");
    assert_true(strcmp(m[0].split, "nli") == 0 && !m[0].last && m[0].step == 20);
    assert_true(strcmp(m[1].task, "mu_high") == 0 && m[1].value == 6 && m[1].step == 50);
    assert_true(strcmp(m[2].task, "mu_low") == 0 && m[2].value == 0 && m[2].last);
    assert_true(strcmp(m[3].split, "dev") == 0 && m[3].layer == 6 && m[3].n == 7 &&
                m[3].task_version == 2 && m[3].value == 0.1);
    ig_result_file_free(&file);
}

/* A line for every row, and for what the columns of the run say of it. */
static void as_csv(void **state)
{
    (void)state;
    ig_err err;
    char *s;
    size_t size;
    const ig_store_entry *e = &f.stored.entry[0];
    FILE *fp = open_memstream(&s, &size);
    assert_ok(ig_result_file_csv(fp, NULL, NULL, 0, &err), &err);
    assert_ok(ig_result_file_csv(fp, e, ig_store_rows(&f.stored, e), e->n_metric, &err), &err);
    fclose(fp);
    int n_line = 0;
    for (const char *at = s; (at = strstr(at, "\r\n")) != NULL; at += 2)
        n_line++;
    assert_int_equal(n_line, 1 + 5 + REPORT_METRICS);
    assert_null(strstr(s, "nan"));
    assert_non_null(strstr(s, ",rho,dev,en-fake,,8,13500,1,10000,"));
    free(s);
}

/* Rows of two ways of fine-tuning, two seeds each, in two languages; x is a target. */
static const ig_row *tuned_rows(int *n)
{
    static ig_row row[40];
    static char tags[40][80];
    static const double test[2][2] = {{.5, .7}, {.6, .9}}, dev[2][2] = {{.3, .4}, {.2, .3}};
    *n = 0;
    for (int way = 0; way < 2; way++)
        for (int seed = 0; seed < 2; seed++)
            for (int l = 0; l < 2; l++)
                for (int on = 0; on < 2; on++) {
                    snprintf(tags[*n], sizeof *tags, "lr=%d;tuning=%d;by=last%s", way + 1, seed,
                             on == 0  ? ""
                             : l == 0 ? ";on=source-dev"
                                      : ";on=dev");
                    row[*n] =
                        (ig_row){.task = "accuracy",
                                 .split = "nli",
                                 .languages = l == 0 ? "en" : "x",
                                 .tags = tags[*n],
                                 .task_version = 1,
                                 .layer = -1,
                                 .last = true,
                                 .n = 60,
                                 /* The target's own development data prefer the other, and more. */
                                 .value = on == 0 ? test[way][seed] - l * .1
                                                  : dev[l == 0 ? way : 1 - way][seed] * (1 + l)};
                    ++*n;
                }
    return row;
}

static void means_over_tunings(void **state)
{
    (void)state;
    static const struct {
        const char *quantity;
        double value;
        int64_t n;
    } want[] = {{"accuracy[task=nli/lr=2,en]", .75, 60},
                {"accuracy[task=nli,en]", .6, 60}, /* lr=1 is better on dev */
                {"accuracy[task=nli,x]", .5, 60},  /* … of the source */
                {"accuracy[task=nli,best=2,en]", (.6 + .75) / 2, 60},
                {"accuracy[task=nli,select=last,x]", .5, 60},
                {"tuning_sd[task=nli/lr=1,en]", .1414213562373095, 2},
                {"tuning_sd[task=nli,of=accuracy,en]", .1414213562373095, 2},
                {"accuracy[task=nli,select=target-dev,x]", (double)NAN, 0}, /* not kept */
                {"accuracy[task=nli/lr=3,en]", (double)NAN, 0}};
    ig_err err;
    int n;
    ig_row_set rows = {0};
    const ig_row *row = tuned_rows(&n);
    for (int i = 0; i < n; i++)
        assert_ok(ig_row_set_put(&rows, &row[i], &err), &err);
    assert_ok(ig_row_set_order(&rows, 0, "rows", &err), &err);
    ig_store_entry e = {.cell = {"e", "a", "a", 0, 0, "0123456789abcdef"},
                        .run = {.address = "0123456789abcdef", .status = IG_RUN_DONE},
                        .n_metric = rows.n};
    const ig_store_result s = {.entry = &e, .n_entry = 1, .metric = rows.row, .n_metric = rows.n};
    ig_results r;
    assert_ok(ig_results_make(&r, &s, true, &err), &err);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        ig_quantity q;
        assert_ok(ig_quantity_parse(&q, want[i].quantity, "", 0, &err), &err);
        const ig_result_value v = ig_result_value_of(&r, &r.cell[0], &e, &q, -1);
        if (isfinite(want[i].value) ? !(fabs(v.value - want[i].value) < 1e-12) : isfinite(v.value))
            fail_msg("%s is %.17g, expected %.17g", want[i].quantity, v.value, want[i].value);
        assert_int_equal(v.n, want[i].n);
        /* An export of the quantity has the rows that it is made of. */
        ig_row_set some = {0};
        for (int64_t k = 0; k < rows.n; k++)
            if (ig_result_takes(&rows.row[k], &q, &r.cell[0]))
                assert_ok(ig_row_set_put(&some, &rows.row[k], &err), &err);
        assert_true(some.n < rows.n || strstr(want[i].quantity, "lr") == NULL);
        ig_store_entry less = e;
        less.n_metric = some.n;
        const ig_store_result kept = {
            .entry = &less, .n_entry = 1, .metric = some.row, .n_metric = some.n};
        ig_results of;
        assert_ok(ig_results_make(&of, &kept, true, &err), &err);
        const ig_result_value again = ig_result_value_of(&of, &of.cell[0], &less, &q, -1);
        assert_true(again.value == v.value || (isnan(v.value) && isnan(again.value)));
        ig_results_free(&of);
        ig_row_set_free(&some);
    }
    ig_results_free(&r);
    ig_row_set_free(&rows);
}

/* A lost byte is reported, or is one of a text or a number. */
static void lost_bytes(void **state)
{
    (void)state;
    ig_err err;
    char *text;
    int64_t size;
    int refused = 0;
    write_all(false);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_table), cmocka_unit_test(same_bits),
        cmocka_unit_test(wanted),     cmocka_unit_test(old_form),
        cmocka_unit_test(as_csv),     cmocka_unit_test(means_over_tunings),
        cmocka_unit_test(lost_bytes)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
