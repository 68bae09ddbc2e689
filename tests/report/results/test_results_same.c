/* SPDX-License-Identifier: Apache-2.0
 *
 * Which runs may be averaged: what of configuration and manifest must be the same, what is told in
 * a note, and what is no difference.
 */
#include "results_fixture.h"

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

static const char plain[] = "{\"seed\": 1, \"batch\": 64, \"text\": \"/a/t.tsv\"}";

/* One pair of runs of a cell; what is said when they are averaged. The number of notes. */
static int pair_of(const char *config, const char *manifest, const char *say)
{
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    char *kept = strdup(manifest);
    l.n = 0;
    lab_run(&l, "8", 0, IG_RUN_DONE, plain, lab_manifest("d1", "0.1.0", "avx512"), NULL);
    lab_run(&l, "8", 1, IG_RUN_DONE, config, kept, NULL);
    free(kept);
    lab_read(&s, &l, true);
    ig_code code = ig_results_make(&r, &s, false, &err);
    if (say == NULL)
        assert_ok(code, &err);
    else {
        assert_int_equal(code, IG_ERR_INPUT);
        if (strstr(err.msg, say) == NULL) {
            print_error("got '%s', want '%s'\n", err.msg, say);
            fail();
        }
        assert_non_null(strstr(err.msg, "cell 8: runs 0000000000000001 (seed 0) and "
                                        "0000000000000002 (seed 1)"));
        assert_null(strchr(err.msg, '\n'));
        ig_results_free(&r);
        /* Kept, but not averaged. */
        assert_ok(ig_results_make(&r, &s, true, &err), &err);
        assert_non_null(strstr(r.cell[0].mixed, say));
    }
    const int notes = r.n_note;
    ig_results_free(&r);
    ig_store_result_free(&s);
    return notes;
}

static void what_may_be_averaged(void **state)
{
    (void)state;
    const char *m = lab_manifest("d1", "0.1.0", "avx512");
    pair_of("{\"seed\": 2, \"batch\": 64, \"text\": \"/b/t.tsv\", \"threads\": 7}", m, NULL);
    m = lab_manifest("d1", "0.1.0", "avx512");
    pair_of("{\"seed\": 2, \"batch\": 65, \"text\": \"/a/t.tsv\"}", m, "config.batch");
    pair_of("{\"seed\": 2, \"text\": \"/a/t.tsv\"}", m, "config.batch");
    pair_of("{\"seed\": 2, \"batch\": 64, \"text\": \"/a/t.tsv\", \"new\": 1}", m, "config.new");
    pair_of(plain, lab_manifest("d2", "0.1.0", "avx512"), "data.train");
    pair_of(plain, lab_manifest("d1", "0.2.0", "avx512"), "program.version");
    /* Other kernels round otherwise: a note. */
    assert_int_equal(pair_of(plain, lab_manifest("d1", "0.1.0", "avx2"), NULL), 1);
    assert_int_equal(pair_of(plain, lab_manifest("d1", "0.1.0", "avx512"), NULL), 0);
    /* That more layers were measured of one is no difference. */
    assert_int_equal(pair_of(plain,
                             "{\"isoglot_manifest\": 1, \"layers\": 12, \"data\": {\"train\": "
                             "\"d1\", \"vocab\": \"v1\"}, \"measure\": {\"layers\": [0, 1, 8],"
                             " \"max_sentences\": 2000}, \"program\": {\"version\": \"0.1.0\"}}",
                             NULL),
                     0);
    /* Nor that it was measured on another text, or more pairs of languages. */
    pair_of(plain,
            "{\"isoglot_manifest\": 1, \"layers\": 12, \"data\": {\"train\": \"d1\", \"vocab\": "
            "\"v1\"}, \"measure\": {\"layers\": [0, 8], \"max_sentences\": 2000, \"pairs\": "
            "\"all\", \"text\": {\"kjv\": \"1\"}}, \"program\": {\"version\": \"0.1.0\"}}",
            NULL);
    pair_of(plain,
            "{\"layers\": 12, \"data\": {\"train\": \"d1\", \"vocab\": \"v2\"}, \"program\": "
            "{\"version\": \"0.1.0\"}, \"isoglot_manifest\": 1, \"measure\": {\"max_sentences\": "
            "500}}",
            "data.vocab, measure.max_sentences");
    pair_of(plain, "{}", "isoglot_manifest, layers, data, measure, program.version");
}

static void notes_and_versions(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    for (int i = 0; i < 2; i++) {
        const ig_row m = {"mu", "dev", "", "", 1 + i, -1, true, 500, 1, .5, 0};
        lab_run(&l, "0", i, IG_RUN_DONE, plain,
                lab_manifest("d1", "0.1.0", i == 0 ? "avx512" : "avx2"), NULL);
        lab_metrics(&l, &m, 1);
    }
    lab_read(&s, &l, true);
    assert_int_equal(ig_results_make(&r, &s, false, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "version of the measure mu"));
    ig_results_free(&r);
    assert_ok(ig_results_make(&r, &s, true, &err), &err);
    assert_int_equal(r.n_note, 1);
    assert_non_null(strstr(r.note[0], ": 'avx512', 'avx2'"));
    assert_null(strstr(r.note[0], "…")); /* there is no third */
    ig_column column[] = {{.q = quantity("mu")}};
    ig_table_spec spec = {.name = OWN("t"), .column = column, .n_column = 1};
    ig_result_table t;
    assert_ok(ig_result_table_make(&t, &r, &spec, NULL, NULL, &err), &err);
    assert_true(t.number[0].summary.n == 0 && isnan(t.number[0].summary.mean));
    assert_true(t.number[0].value[1].value == .5);
    assert_ptr_equal(t.number[0].missing, r.cell[0].mixed);
    assert_int_equal(t.n_note, 2);
    ig_result_table_free(&t);
    ig_results_free(&r);
    ig_store_result_free(&s);
}

/* If there are more than two values, the first two are reported, and that there are others. */
static void many_kernels(void **state)
{
    (void)state;
    static const char *const kernels[] = {"avx512", "avx2", "avx512", "avx2", "portable"};
    ig_err err = {0};
    ig_store_result s;
    ig_results r;
    for (int i = 0; i < 5; i++)
        lab_run(&l, "0", i, IG_RUN_DONE, plain, lab_manifest("d1", "0.1.0", kernels[i]), NULL);
    lab_read(&s, &l, true);
    assert_ok(ig_results_make(&r, &s, false, &err), &err);
    assert_int_equal(r.n_note, 1);
    assert_non_null(strstr(r.note[0], ": 'avx512', 'avx2', …"));
    ig_results_free(&r);
    ig_store_result_free(&s);
}

#define in_lab(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_lab(what_may_be_averaged),
        in_lab(notes_and_versions),
        in_lab(many_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
