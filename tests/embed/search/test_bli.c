/* SPDX-License-Identifier: Apache-2.0
 *
 * Word translation against numpy (tests/data/bli, made by tools/reference_bli.py), and by
 * properties.
 */
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "embed/search/bli.h"
#include "test.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

#define DATA IG_TEST_DATA "/bli/"

static json_t *expected;

static void read_unit(ig_vectors *v, const char *path)
{
    ig_err err;
    assert_ok(ig_vectors_read(v, path, (ig_vec_how){0}, NULL, &err), &err);
    assert_ok(ig_unit_rows(v->x, v->n, v->d, path, &err), &err);
}

/* The ranks are whole numbers, so the shares agree to the rounding of the sum. */
static void check_scores(const ig_bli_score *s, const char *candidates, const char *method)
{
    static const char *const at[] = {"p@1", "p@5", "p@10", "mrr"};
    const json_t *j = json_object_get(json_object_get(expected, candidates), method);
    for (int k = 0; k < 4; k++)
        assert_true(fabs((k < 3 ? s->p[k] : s->mrr) -
                         json_number_value(json_object_get(j, at[k]))) < 1e-12);
}

typedef struct {
    ig_vectors v[2];
    ig_dictionary d;
    ig_dictionary_rows rows;
} setting;

static void begin(setting *s)
{
    ig_err err;
    read_unit(&s->v[0], DATA "source.vec");
    read_unit(&s->v[1], DATA "target.vec");
    assert_ok(ig_dictionary_read(&s->d, DATA "dictionary.txt", false, &err), &err);
    assert_ok(ig_dictionary_find(&s->rows, &s->d, &s->v[0].words, &s->v[1].words, &err), &err);
}

static void end(setting *s)
{
    ig_dictionary_rows_free(&s->rows);
    ig_dictionary_free(&s->d);
    ig_vectors_free(&s->v[0]);
    ig_vectors_free(&s->v[1]);
}

static void numpy(void **state)
{
    (void)state;
    setting s;
    ig_bli_result r;
    ig_err err;
    begin(&s);
    assert_int_equal(s.rows.n_query, json_integer_value(json_object_get(expected, "n_query")));
    assert_int_equal(s.rows.n_pair, json_integer_value(json_object_get(expected, "n_pair")));
    assert_int_equal(s.d.n_repeated, 6);
    ig_bli_options o = {.method = {true, true, true}, .csls_k = 10, .beta = 30, .n_answer = 3};
    assert_ok(ig_bli(&r, s.v, &s.rows, &o, (ig_vector_work){s.v[0].d, ig_ops_best(), NULL}, &err),
              &err);
    for (int m = 0; m < IG_RETRIEVE_N; m++) {
        check_scores(&r.of[m], "all", ig_retrieve_method_names[m]);
        for (int64_t i = 0; i < r.n_query; i++) { /* answers and ranks are of one order */
            bool right = false;
            for (int64_t k = s.rows.start[i]; k < s.rows.start[i + 1]; k++)
                right |= r.of[m].answer[3 * i] == s.rows.answer[k];
            assert_int_equal(right, r.of[m].rank[i] == 0);
        }
    }
    assert_int_equal(r.n_candidate, s.v[1].n);
    ig_bli_free(&r);
    o = (ig_bli_options){.method = {true}, .dictionary_candidates = true, .n_answer = 1};
    assert_ok(ig_bli(&r, s.v, &s.rows, &o, (ig_vector_work){s.v[0].d, ig_ops_best(), NULL}, &err),
              &err);
    check_scores(&r.of[0], "dictionary", "nn");
    assert_true(isnan(r.of[IG_RETRIEVE_CSLS].mrr));
    assert_null(r.of[IG_RETRIEVE_CSLS].rank);
    for (int64_t i = 0; i < r.n_query; i++)
        if (r.of[0].rank[i] == 0) {
            bool right = false;
            for (int64_t k = s.rows.start[i]; k < s.rows.start[i + 1]; k++)
                right |= r.of[0].answer[i] == s.rows.answer[k];
            assert_true(right);
        }
    ig_bli_free(&r);
    end(&s);
}

/* A space with itself: each word translates to itself. Nothing known: one clear error. */
static void ends(void **state)
{
    (void)state;
    setting s;
    ig_bli_result r;
    ig_dictionary_rows none;
    ig_err err = {0};
    begin(&s);
    static int32_t query[150], answer[150];
    static int64_t start[151];
    for (int i = 0; i < 150; i++) {
        query[i] = answer[i] = i;
        start[i + 1] = i + 1;
    }
    ig_dictionary_rows same = {
        .n_pair = 150, .n_query = 150, .query = query, .answer = answer, .start = start};
    ig_bli_options o = {.method = {true, true, true}, .csls_k = 10, .beta = 30};
    assert_ok(ig_bli(&r, (ig_vectors[]){s.v[0], s.v[0]}, &same, &o,
                     (ig_vector_work){s.v[0].d, ig_ops_best(), NULL}, &err),
              &err);
    for (int m = 0; m < IG_RETRIEVE_N; m++)
        assert_true(r.of[m].p[0] == 1 && r.of[m].mrr == 1);
    ig_bli_free(&r);
    assert_ok(ig_dictionary_find(&none, &s.d, &s.v[1].words, &s.v[0].words, &err), &err);
    assert_int_equal(ig_bli(&r, (ig_vectors[]){s.v[1], s.v[0]}, &none, &o,
                            (ig_vector_work){s.v[1].d, ig_ops_best(), NULL}, &err),
                     IG_ERR_INPUT);
    assert_string_equal(err.msg, "of 113 pairs of the dictionary none has a vector for both words");
    ig_dictionary_rows_free(&none);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy),
        cmocka_unit_test(ends),
    };
    expected = json_load_file(DATA "expected.json", 0, NULL);
    int failed = expected == NULL ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(expected);
    return failed;
}
