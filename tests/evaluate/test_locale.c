/* SPDX-License-Identifier: Apache-2.0
 *
 * The public library in a program that has set a locale with another decimal point: a run has the
 * same bytes, and its model, vectors and errors are read and written the same.
 */
#include "locale_fixture.h"

#include "isoglot/memory.h"
#include "isoglot/model.h"
#include "isoglot/vector_file.h"

#include <jansson.h>

static const char settings[] =
    "preset: bert-tiny\nworld: demo\nworld_sentences: 200\ndev_take: 40\nvocab_size: 150\n"
    "updates: 3\nbatch: 16\nlog_every: 1\nlr: 2.5e-3\nmask_prob: 0.25\nadam_eps: 1.5e-7\nthreads: "
    "2\n"
    "languages: 'en; de = shift:anchors=0.25'\n";

/* A file of the run, without what a clock says. */
static char *content(const char *run, const char *name)
{
    char path[600], *text;
    int64_t n;
    snprintf(path, sizeof path, "%s/%s", run, name);
    assert_ok(ig_file_read(&text, &n, path, 1 << 24, &err), &err);
    for (char *p = text; (p = strstr(p, "tokens_per_second")) != NULL;) {
        const char *end = p + strcspn(p, ",}\n");
        memmove(p, end, strlen(end) + 1);
    }
    return text;
}

static void train(const char *run)
{
    assert_ok(ig_model_train(in_root("settings.yaml"), run, NULL, &err), &err);
}

static float *encode(const char *run)
{
    static const char *const text[] = {"the house", "a tree"};
    ig_model *m;
    assert_ok(ig_model_open(&m, run, &(ig_model_options){.n_thread = 1}, &err), &err);
    const int layer = 1;
    float *x = calloc((size_t)(2 * ig_model_size(m)), sizeof *x);
    assert_non_null(x);
    assert_ok(ig_model_encode(m, x, text, 2, &(ig_encode_options){.layer = &layer, .n_layer = 1},
                              NULL, &err),
              &err);
    ig_model_close(m);
    return x;
}

static void a_run(void **state)
{
    (void)state;
    static const char *const file[] = {"log.jsonl", "model/config.json", "data/vocab.txt",
                                       "eval.json"};
    write_text("settings.yaml", settings);
    train(in_root("plain"));
    float *x = encode(in_root("plain"));
    for (int i = 0; i < N_LOCALE; i++) {
        if (!in_locale(i))
            continue;
        const char *run = in_root(locale_names[i]);
        train(run);
        float *y = encode(run);
        assert_memory_equal(x, y, 2 * sizeof *x);
        free(y);
        char *json;
        assert_ok(ig_model_measure(&json, run, &err), &err);
        in_c_locale();
        json_t *j = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
        assert_true(json_array_size(json_object_get(j, "rows")) > 0);
        json_decref(j);
        ig_free(json);
        for (size_t k = 0; k + 1 < sizeof file / sizeof *file; k++) {
            char *a = content(in_root("plain"), file[k]), *b = content(run, file[k]);
            assert_string_equal(a, b);
            ig_free(a);
            ig_free(b);
        }
    }
    free(x);
}

static void vectors_and_errors(void **state)
{
    (void)state;
    write_text("a.vec", "2 2\na 0.5 -1.00000000000000000000001e-30\nb 1.5 2\n");
    write_text("bad.yaml", "lr: 2,5\n");
    for (int i = 0; i < N_LOCALE; i++) {
        if (!in_locale(i))
            continue;
        ig_word_vectors *v;
        assert_ok(ig_word_vectors_open(&v, in_root("a.vec"), 0, &err), &err);
        const float *x = ig_word_vectors_rows(v);
        assert_true(x[0] == .5f && x[1] == -1e-30f && x[2] == 1.5f);
        ig_word_vectors_close(v);
        assert_int_equal(ig_model_train(in_root("bad.yaml"), in_root("none"), NULL, &err),
                         IG_ERR_USAGE);
        assert_non_null(strstr(err.msg, "found '2,5'"));
        in_c_locale();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run),
                                       cmocka_unit_test(vectors_and_errors)};
    return cmocka_run_group_tests(tests, locales_setup, locales_teardown);
}
