/* SPDX-License-Identifier: Apache-2.0
 *
 * From a store to the numbers of a table and a curve: values, summaries, comparisons over shared
 * seeds, the paper's numbers, what is refused and what is lacking.
 */
#include "results_fixture.h"

#include "report/shown/results_figure.h"

static lab l;

/* Fields that own their strings elsewhere. */
#define OWN(text) ((char *)(uintptr_t)(text))

static int setup(void **state)
{
    (void)state;
    lab_open(&l);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lab_close(&l);
    return 0;
}

static void near_at(double got, double want, int line)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want) + 1e-15)) {
        print_error("line %d: got %.17g, want %.17g\n", line, got, want);
        fail();
    }
}
#define near(got, want) near_at((got), (want), __LINE__)

/* mu of finished runs, seeds 0 … n − 1; NaN: not measured. */
static void cell_of(const char *name, const double *mu, int n)
{
    for (int i = 0; i < n; i++) {
        lab_run(&l, name, i, IG_RUN_DONE, "{\"seed\": 1, \"batch\": 64}",
                lab_manifest("d1", "0.1.0", "avx512"), NULL);
        const ig_row m[] = {
            {"mu", "dev", "en-fake", "", 1, -1, true, 500, 77, mu[i], 0},
            {"rho", "dev", "en-fake", "", 1, 0, true, 500, 2000, mu[i] / 2, 0},
            {"rho", "dev", "en-fake", "", 1, 8, true, 500, 2000, mu[i] * 2, 0},
            {"perplexity", "dev", "", "", 1, -1, true, 500, 9, 100 - mu[i], 0},
            {"perplexity", "dev", "en", "", 1, -1, true, 500, 9, 50 - mu[i], 0},
            {"perplexity", "train", "", "", 1, -1, true, 500, 9, 10 - mu[i], 0},
        };
        lab_metrics(&l, m, 6);
    }
}

static void numbers(void **state)
{
    (void)state;
    ig_err err = {0};
    const double a[] = {0.70, 0.72, 0.69, 0.71, 0.73}, b[] = {0.10, 0.16, 0.11, 0.09, (double)NAN},
                 c[] = {0.71, 0.70, 0.70};
    cell_of("0", a, 5);
    cell_of("8", b, 5);
    cell_of("1", c, 3);
    ig_store_result s;
    lab_read(&s, &l, true);
    ig_results r;
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    assert_int_equal(r.n_cell, 3);
    assert_string_equal(r.cell[1].name, "8");
    assert_null(r.cell[1].incomplete);
    assert_null(ig_results_cell(&r, "9"));
    assert_int_equal(r.cell[0].layer_low, 0);
    assert_int_equal(r.cell[0].layer_high, 8);
    assert_int_equal(r.n_note, 0);

    ig_column column[] = {{.q = quantity("mu")},
                          {.q = quantity("rho[high]")},
                          {.q = quantity("rho[low]")},
                          {.q = quantity("perplexity[dev,en]")},
                          {.q = quantity("perplexity[train]")},
                          {.q = quantity("seconds")},
                          {.q = quantity("rho")},
                          {.q = quantity("rho[5]")}};
    ig_table_spec spec = {.name = OWN("t"), .column = column, .n_column = 8};
    ig_reference_value value[] = {{OWN("0"), quantity("mu"), 0.70, 0.01, 0, 2, 2, 0},
                                  {OWN("1"), quantity("mu"), 0.60, (double)NAN, 0, 2, -1, 0},
                                  {OWN("8"), quantity("mu"), 0.00, 0.00, 0, 2, 2, 0}};
    ig_reference reference = {
        .source = OWN("a paper"), .verified = true, .value = value, .n_value = 3};
    ig_result_table t;
    assert_ok(ig_result_table_make(&t, &r, &spec, "0", &reference, &err), &err);
    assert_int_equal(t.n_row, 3);
    assert_ptr_equal(t.base, &r.cell[0]);

    /* The base row: its own summary, compared with nothing. */
    const ig_result_number *x = &t.number[0];
    near(x->summary.mean, 0.71);
    near(x->summary.sd, ig_summarise(a, 5).sd);
    const ig_summary five = ig_summarise(a, 5);
    const ig_interval interval = ig_interval_of_mean(&five, IG_RANGE_SHARE, 0.95);
    assert_true(x->interval.low == interval.low && x->interval.high == interval.high);
    assert_true(x->against.n == 0 && isnan(x->against.p_adjusted) && x->seeds_needed == -1);
    near(x->reference, 0.70);
    near(x->difference, 0.01);
    assert_true(x->n_value == 5 && x->value[3].seed == 3 && x->value[3].n == 77);

    /* Four of five seeds have a value. Two rows are compared with the base. */
    x = &t.number[8];
    assert_int_equal(x->summary.n, 4);
    assert_true(isnan(x->value[4].value));
    ig_summary both[] = {ig_summarise(b, 4), five};
    both[1].mean = -both[1].mean;
    ig_contrast against = ig_contrast_of(both, 2, 0, 2);
    assert_true(x->against.n == 4 && x->against.mean == against.mean && x->against.p == against.p);
    near(x->against.p_adjusted, fmin(1, 2 * against.p));
    near(x->against.interval.low, against.interval.low);

    x = &t.number[16];
    assert_true(x->against.n == 3);
    near(x->against.p_adjusted, fmin(1, 2 * x->against.p));
    assert_true(isnan(x->reference_sd) && x->reference == 0.60);
    /* 0 > 1 > 8 with us and in the paper. */
    near(t.order[0].tau_b, 1);
    assert_int_equal(t.order[0].n, 3);
    assert_int_equal(t.order[1].n, 0);

    /* Layers of μ, languages, splits; quantities of the training. */
    near(t.number[1].summary.mean, 1.42);
    assert_int_equal(t.number[1].layer, 8);
    near(t.number[2].summary.mean, 0.355);
    assert_int_equal(t.number[2].layer, 0);
    near(t.number[3].summary.mean, 50 - 0.71);
    near(t.number[4].summary.mean, 10 - 0.71);
    near(t.number[5].summary.mean, 102);
    assert_string_equal(t.number[6].missing, "measured at several layers: name one, rho[high]");
    assert_string_equal(t.number[7].missing, "not measured at layer 5");
    int layer[4];
    const ig_result_cell *all[] = {&r.cell[0], &r.cell[1]};
    assert_int_equal(ig_result_layers(layer, 4, &r, all, 2, "rho"), 2);
    assert_true(layer[0] == 0 && layer[1] == 8);
    ig_result_table_free(&t);

    /* Rows by pattern; a base that is not among them; none; none of that name. */
    char *rows[] = {OWN("[18]")};
    spec.row = rows;
    spec.n_row = 1;
    assert_ok(ig_result_table_make(&t, &r, &spec, "0", NULL, &err), &err);
    assert_int_equal(t.n_row, 2);
    near(t.base_number[0].summary.mean, 0.71);
    assert_int_equal(t.number[0].against.n, 4);
    ig_result_table_free(&t);
    spec.base = OWN("1");
    assert_ok(ig_result_table_make(&t, &r, &spec, "0", NULL, &err), &err);
    assert_string_equal(t.base->name, "1");
    ig_result_table_free(&t);
    spec.base = OWN("17");
    assert_ok(ig_result_table_make(&t, &r, &spec, "0", NULL, &err), &err);
    assert_null(t.base);
    assert_string_equal(t.note[0], "No comparison: there is no cell '17'");
    assert_int_equal(t.number[0].against.n, 0);
    ig_result_table_free(&t);
    rows[0] = OWN("88");
    assert_int_equal(ig_result_table_make(&t, &r, &spec, NULL, NULL, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "no cell is called '88'");
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* Cells are independent samples, whatever their seeds. */
static void other_seeds(void **state)
{
    (void)state;
    ig_err err = {0};
    const int seeds[2][4] = {{0, 1, 2, 5}, {1, 3, 5, 7}};
    const char *names[] = {"0", "8"};
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 4; i++) {
            const ig_row m = {
                "mu", "dev", "", "", 1, -1, true, 500, 0, 100 * c + pow(2, seeds[c][i]), 0};
            lab_run(&l, names[c], seeds[c][i], IG_RUN_DONE, "{}", "{}", NULL);
            lab_metrics(&l, &m, 1);
        }
    ig_store_result s;
    ig_results r;
    ig_result_table t;
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    ig_column column[] = {{.q = quantity("mu")}};
    ig_table_spec spec = {.name = OWN("t"), .column = column, .n_column = 1};
    assert_ok(ig_result_table_make(&t, &r, &spec, "0", NULL, &err), &err);
    assert_int_equal(t.number[1].against.n, 4);
    near(t.number[1].against.mean, 142.5 - 9.75);
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* A reversed order is reported. */
static void ordering(void **state)
{
    (void)state;
    ig_err err = {0};
    const double up[] = {0.1, 0.2, 0.3, 0.4};
    const char *names[] = {"a", "b", "c", "d"};
    ig_reference_value value[4];
    for (int i = 0; i < 4; i++) {
        cell_of(names[i], &up[i], 1);
        value[i] = (ig_reference_value){
            OWN(names[i]), quantity("mu"), i == 3 ? 0.1 : 1 - up[i], (double)NAN, 0, 1, -1, 0};
    }
    /* These numbers represent a quantity that is not measured here, once better when lower; the
     * second one is for another column. */
    ig_quantity rho = quantity("rho[high]");
    ig_reference_proxy proxy[] = {
        {.name = OWN("XNLI"), .what = OWN("accuracy"), .better = 1, .all = true},
        {.name = OWN("gap"), .what = OWN("a difference"), .better = -1, .all = true},
        {.name = OWN("NER"), .what = OWN("F1"), .better = 1, .of = &rho, .n_of = 1},
        {.name = OWN("none"), .what = OWN("said of no row"), .better = 1, .all = true}};
    ig_reference_value other[12];
    for (int i = 0; i < 12; i++)
        other[i] = (ig_reference_value){.cell = OWN(names[i % 4]),
                                        .proxy = i / 4,
                                        .mean = value[i % 4].mean,
                                        .sd = (double)NAN,
                                        .digits = 1,
                                        .sd_digits = -1};
    ig_reference reference = {.source = OWN("a paper"),
                              .verified = true,
                              .value = value,
                              .n_value = 4,
                              .proxy = proxy,
                              .n_proxy = 4,
                              .proxy_value = other,
                              .n_proxy_value = 11};
    ig_store_result s;
    ig_results r;
    ig_result_table t;
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    ig_column column[] = {{.q = quantity("mu")}};
    ig_table_spec spec = {.name = OWN("t"), .column = column, .n_column = 1};
    assert_ok(ig_result_table_make(&t, &r, &spec, NULL, &reference, &err), &err);
    near(t.order[0].tau_b, -1);
    assert_int_equal(t.n_proxy, 3);
    near(t.proxy[0].order[0].tau_b, -1);
    near(t.proxy[1].order[0].tau_b, 1);
    assert_true(t.proxy[1].order[0].n == 4 && t.proxy[2].order[0].n == 0);
    assert_true(t.proxy[0].value[3]->mean == 0.1 && t.proxy[2].value[3] == NULL);
    /* One seed: a mean, no sd, no interval. */
    assert_true(t.number[0].summary.mean == 0.1 && isnan(t.number[0].summary.sd));
    assert_true(isnan(t.number[0].interval.low));
    ig_result_table_free(&t);
    /* With a proxy a column is compared as better, the paper's own number as it is. */
    column[0].lower_is_better = true;
    assert_ok(ig_result_table_make(&t, &r, &spec, NULL, &reference, &err), &err);
    near(t.order[0].tau_b, -1);
    near(t.proxy[0].order[0].tau_b, 1);
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);
}

static const char plain[] = "{\"seed\": 1, \"batch\": 64, \"text\": \"/a/t.tsv\"}";

/* A model that went astray has a loss whose exponential is no number: its perplexity was measured.
 */
static void beyond_numbers(void **state)
{
    (void)state;
    static const char asked[] = "{\"measure\": {\"what\": [\"perplexity\", \"retrieval\"]}}",
                      not_asked[] = "{\"measure\": {\"what\": [\"retrieval\"]}}";
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    const ig_row m = {"perplexity", "dev", "", "", 1, -1, true, 500, 9, 40, 0};
    for (int i = 0; i < 3; i++) {
        lab_run(&l, "astray", i, IG_RUN_DONE, plain, asked, NULL);
        lab_run(&l, "half", i, IG_RUN_DONE, plain, asked, NULL);
        if (i > 0)
            lab_metrics(&l, &m, 1);
        lab_run(&l, "never", i, IG_RUN_DONE, plain, not_asked, NULL);
    }
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    ig_column column[] = {{.q = quantity("perplexity[dev]")}, {.q = quantity("mu")}};
    ig_table_spec spec = {.name = OWN("t"), .column = column, .n_column = 2};
    ig_result_table t;
    assert_ok(ig_result_table_make(&t, &r, &spec, NULL, NULL, &err), &err);
    assert_string_equal(t.number[0].missing, "too large for a number");
    assert_string_equal(t.number[1].missing, "not measured");
    assert_true(t.number[2].summary.n == 2 && t.number[2].missing == NULL);
    assert_string_equal(t.number[4].missing, "not measured");
    assert_int_equal(t.n_note, 2);
    assert_string_equal(t.note[0], "Cell astray: too large for a number, and in no mean: "
                                   "perplexity[dev] (3 of 3 seeds)");
    assert_string_equal(t.note[1], "Cell half: too large for a number, and in no mean: "
                                   "perplexity[dev] (1 of 3 seeds)");
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* Measures of two languages are empty where there is one, and a note says so; not where they were
 * not measured, or the other language is there. */
static void one_language(void **state)
{
    (void)state;
    static const char one[] = "{\"languages\": \"en;  ; \"}",
                      two[] = "{\"languages\": \"en; fake = shift\"}",
                      manifest[] = "{\"layers\": 12}";
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    const ig_row m = {"perplexity", "dev", "", "", 1, -1, true, 500, 9, 40, 0};
    for (int i = 0; i < 2; i++) {
        lab_run(&l, "alone", i, IG_RUN_DONE, one, manifest, NULL);
        lab_metrics(&l, &m, 1);
        lab_run(&l, "both", i, IG_RUN_DONE, two, manifest, NULL);
    }
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    ig_column column[] = {
        {.q = quantity("mu")}, {.q = quantity("rho[low]")}, {.q = quantity("perplexity[dev]")}};
    ig_table_spec spec = {.name = OWN("t"), .column = column, .n_column = 3};
    ig_result_table t;
    assert_ok(ig_result_table_make(&t, &r, &spec, NULL, NULL, &err), &err);
    assert_string_equal(t.number[0].missing, "of two languages, and the cell has one");
    assert_string_equal(t.number[1].missing, "of two languages, and the cell has one");
    assert_int_equal(t.number[2].summary.n, 2);
    assert_string_equal(t.number[3].missing, "not measured");
    assert_int_equal(t.n_note, 1);
    assert_string_equal(
        t.note[0], "Cell alone has one language, with nothing to compare it to: no mu, rho[low]");
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);
}

static void lacking(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    lab_run(&l, "0", 0, IG_RUN_DONE, plain, "{}", NULL);
    lab_run(&l, "0", 1, IG_RUN_FAILED, plain, NULL, "not enough\nmemory");
    lab_run(&l, "0", 2, IG_RUN_MISSING, NULL, NULL, NULL);
    lab_run(&l, "0", 3, IG_RUN_FAILED, plain, NULL, "not enough\nmemory");
    lab_run(&l, "0", 4, IG_RUN_FAILED, plain, NULL, "diverged");
    lab_run(&l, "1", 0, IG_RUN_RUNNING, NULL, NULL, NULL);
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    assert_string_equal(r.cell[0].incomplete,
                        "1 of 5 seeds done: seed 2 not run; seeds 1, 3 failed: not enough memory; "
                        "seed 4 failed: diverged");
    assert_string_equal(r.cell[1].incomplete, "0 of 1 seed done: seed 0 running");
    assert_int_equal(r.cell[0].n_status[IG_RUN_FAILED], 3);
    assert_int_equal(r.cell[1].layer_high, -1);
    ig_column column[] = {{.q = quantity("mu")}, {.q = quantity("rho[high]")}};
    ig_table_spec spec = {.name = OWN("t"), .column = column, .n_column = 2};
    ig_result_table t;
    assert_ok(ig_result_table_make(&t, &r, &spec, "0", NULL, &err), &err);
    assert_string_equal(t.number[0].missing, "not measured");
    assert_string_equal(t.number[1].missing, "which layers are those of μ is not known");
    assert_ptr_equal(t.number[2].missing, r.cell[1].incomplete);
    assert_int_equal(t.number[2].against.n, 0);
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);

    /* No experiment of that name: no cells, a table without rows. */
    assert_ok(ig_store_read(&s, l.s, "other", true, &err), &err);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    assert_ok(ig_result_table_make(&t, &r, &spec, "0", NULL, &err), &err);
    assert_int_equal(t.n_row, 0);
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);

    /* A manifest that is not JSON names its run. */
    lab_run(&l, "2", 0, IG_RUN_DONE, "{", "{}", NULL);
    lab_read(&s, &l, true);
    assert_int_equal(ig_results_make(&r, &s, true, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "the config of run 0000000000000007 is not JSON"));
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* Seeds with other steps; a band where there are two values; onsets by seed. */
static void curves(void **state)
{
    (void)state;
    ig_err err = {0};
    const double mu[3][5] = {{0, 0, .4, .8, .8}, {0, 0, 0, .4, .8}, {0, 0, 0, 0, .01}};
    const int64_t step[] = {0, 1, 10, 100, 1000};
    for (int seed = 0; seed < 3; seed++) {
        ig_row m[16];
        int n = 0;
        for (int i = 0; i < 5; i++) {
            if (seed == 1 && i == 1)
                continue;
            m[n++] = (ig_row){"mu", "dev", "a-b", "", 1, -1, i == 4, step[i], 1, mu[seed][i], 0};
            m[n++] = (ig_row){"perplexity",
                              "dev",
                              "",
                              "",
                              1,
                              -1,
                              i == 4,
                              step[i],
                              1,
                              exp(8 - mu[seed][i] * 5),
                              0};
            m[n++] = (ig_row){"perplexity", "train", "", "", 1, -1, i == 4, step[i] + 1, 1, 7, 0};
        }
        lab_run(&l, "0", seed, IG_RUN_DONE, plain, lab_manifest("d1", "0.1.0", "avx512"), NULL);
        lab_metrics(&l, m, n);
    }
    lab_run(&l, "0", 3, IG_RUN_FAILED, plain, NULL, "no");
    ig_store_result s;
    ig_results r;
    ig_result_curve c;
    lab_read(&s, &l, false);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    ig_quantity q = quantity("mu");
    assert_ok(ig_result_curve_make(&c, &r, &r.cell[0], &q, &(ig_onset_rule){.5, .1}, &err), &err);
    assert_int_equal(c.n, 5);
    assert_int_equal(c.n_seed, 3);
    for (int i = 0; i < 5; i++) {
        assert_true(c.step[i] == (double)step[i]);
        assert_int_equal(c.count[i], i == 1 ? 2 : 3);
    }
    near(c.mean[2], .4 / 3);
    near(c.mean[3], .4);
    near(c.sd[3], .4);
    assert_true(c.low[3] < .4 && c.high[3] > .4 && c.low[3] > 0 && c.high[3] < 1);
    assert_true(isnan(c.value[1 * 5 + 1]) && c.value[1 * 5 + 3] == .4 && c.value[2 * 5 + 4] == .01);
    /* Half of .8 is passed at 10 and at 100 (both exactly on the threshold); never by the third. */
    near(c.onset[0], 10);
    near(c.onset[1], 100);
    assert_true(isnan(c.onset[2]));
    assert_true(c.onset_all.n == 2 && c.onset_all.mean == 55);
    ig_result_curve_free(&c);

    /* A quantity that falls when it improves starts where −log of it rises. */
    q = quantity("perplexity");
    assert_ok(ig_result_curve_make(&c, &r, &r.cell[0], &q, &(ig_onset_rule){.5, .1}, &err), &err);
    assert_int_equal(c.n, 5);
    near(c.onset[0], 10);
    near(c.onset[1], 100);
    ig_result_curve_free(&c);
    q = quantity("rho[3]");
    assert_ok(ig_result_curve_make(&c, &r, &r.cell[0], &q, &(ig_onset_rule){.5, .1}, &err), &err);
    assert_true(c.n == 0 && c.n_seed == 0 && c.onset_all.n == 0);
    ig_result_curve_free(&c);
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* A pair of languages, the mean over pairs, and the value of a further text. */
static void pairs_and_texts(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    const ig_row m[] = {{"mu", "dev", "en-de", "", 1, -1, true, 1, 10, .2, 0},
                        {"mu", "dev", "en-ru", "", 1, -1, true, 1, 20, .6, 0},
                        {"mu", "kjv", "en-de", "", 1, -1, true, 1, 5, .1, 0},
                        {"mu", "kjv", "en-ru", "", 1, -1, true, 1, 5, .4, 0}};
    static const struct {
        const char *quantity;
        double value;
        int64_t n;
    } want[] = {{"mu", .4, 30},
                {"mu[en-de]", .2, 10},
                {"mu[en-ru]", .6, 20},
                {"mu[text=kjv]", .25, 10},
                {"mu[text=kjv,en-ru]", .4, 5},
                {"mu[text=other]", NAN, 0}};
    lab_run(&l, "a", 0, IG_RUN_DONE, plain, "{\"layers\": 12}", NULL);
    lab_metrics(&l, m, 4);
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const ig_quantity q = quantity(want[i].quantity);
        const ig_result_value v = ig_result_value_of(&r, &r.cell[0], &s.entry[0], &q, -1);
        if (isnan(want[i].value) ? !isnan(v.value)
                                 : fabs(v.value - want[i].value) > 1e-12 || v.n != want[i].n)
            fail_msg("%s: %g of %lld", want[i].quantity, v.value, (long long)v.n);
    }
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* A figure names its rows and its quantity: the name of a cell of axes is complete. */
static void names_in_a_figure(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    ig_figure f = {0};
    char name[] = "bars";
    static const char *const want[][2] = {{"mu[text=kjv]", "μ, kjv"},
                                          {"perplexity[dev]", "perplexity, dev"},
                                          {"perplexity[train]", "perplexity, train"},
                                          {"loss", "loss"}};
    l.label = "lang-pos; layers=2";
    lab_run(&l, "8", 0, IG_RUN_DONE, plain, "{\"layers\": 12}", NULL);
    l.label = "layers=2";
    lab_run(&l, "8/batch=64", 0, IG_RUN_DONE, plain, "{\"layers\": 12}", NULL);
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        ig_quantity q = quantity(want[i][0]);
        const ig_figure_spec spec = {
            .name = name, .kind = IG_FIG_BARS, .quantity = &q, .n_quantity = 1, .seed = -1};
        assert_ok(ig_result_figure(&f, &r, &spec, NULL, &err), &err);
        const ig_plot_values *v = &f.panel[0].as.values;
        assert_int_equal(v->n_value, 2);
        assert_string_equal(v->value[0].name, "8  lang-pos");
        assert_string_equal(v->value[1].name, "8/batch=64");
        assert_string_equal(v->x.label, want[i][1]);
        ig_figure_free(&f);
    }
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* The layers of μ of a shallow model, from its own measures and from its depth. */
static void depth(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    const ig_row m[] = {{"mu_low", "dev", "", "", 1, -1, true, 1, 0, 1, 0},
                        {"mu_high", "dev", "", "", 1, -1, true, 1, 0, 2, 0}};
    lab_run(&l, "measured", 0, IG_RUN_DONE, plain, "{\"layers\": 12}", NULL);
    lab_metrics(&l, m, 2);
    lab_run(&l, "manifest", 0, IG_RUN_DONE, plain, "{\"layers\": 2}", NULL);
    lab_run(&l, "config", 0, IG_RUN_DONE, "{\"layers\": 4}", NULL, NULL);
    lab_run(&l, "preset", 0, IG_RUN_DONE, "{\"layers\": 0}", NULL, NULL);
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    const int want[4][2] = {{1, 2}, {0, 2}, {0, 3}, {-1, -1}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r.cell[i].layer_low, want[i][0]);
        assert_int_equal(r.cell[i].layer_high, want[i][1]);
    }
    ig_results_free(&r);
    ig_store_result_free(&s);
}

#define in_lab(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_lab(numbers),           in_lab(other_seeds), in_lab(ordering), in_lab(beyond_numbers),
        in_lab(one_language),      in_lab(lacking),     in_lab(curves),   in_lab(pairs_and_texts),
        in_lab(names_in_a_figure), in_lab(depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
