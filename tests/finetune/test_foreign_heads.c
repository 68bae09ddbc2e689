/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifiers in the shapes that transformers' programs leave (tests/data/classifiers, written by
 * tools/foreign_heads.py): log softmax of their logits against transformers', and their labels.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "finetune/predict.h"
#include "finetune/tuned_record.h"
#include "isoglot/batch.h"
#include "model/bert_params.h"
#include "model/engine/engine.h"

#include <math.h>
#include <string.h>

#define DATA IG_TEST_DATA "/classifiers/"
enum { MOST = 64, N_LABEL = 3 };

/* One text as a batch, whose targets all have this label. */
static void predict(ig_engine *e, ig_head_kind head, const json_t *text, int32_t label)
{
    int32_t id[MOST], seg[MOST], pos[MOST], row[MOST], of[MOST], start[2] = {0};
    ig_err err;
    const json_t *ids = json_object_get(text, "ids"), *logp = json_object_get(text, "logp");
    const int32_t n = (int32_t)json_array_size(ids), n_row = (int32_t)json_array_size(logp);
    assert_true(n <= MOST && n_row <= n);
    for (int32_t i = 0; i < n; i++) {
        id[i] = (int32_t)json_integer_value(json_array_get(ids, (size_t)i));
        seg[i] = (int32_t)json_integer_value(
            json_array_get(json_object_get(text, "segments"), (size_t)i));
        pos[i] = row[i] = i;
        of[i] = label;
    }
    start[1] = n;
    ig_batch b = {.n_seq = 1, .n_tok = n, .seq_start = start, .id = id, .pos = pos, .seg = seg};
    b.target[head] = (ig_targets){.n = n_row, .row = row, .label = of};
    assert_ok(ig_engine_predict(e, &b, &err), &err);
    const ig_head_result r = ig_engine_result(e, head);
    assert_int_equal(r.n, n_row);
    for (int32_t i = 0; i < n_row; i++) {
        /* Both sides compute in float32, two layers deep; six decimals are recorded. */
        const double want =
            json_number_value(json_array_get(json_array_get(logp, (size_t)i), (size_t)label));
        if (fabs(want + r.nll[i]) > 2e-5)
            fail_msg("token %d, label %d: %.7f, expected %.7f", i, label, -r.nll[i], want);
    }
}

static void as_transformers(void **state)
{
    static const struct {
        const char *name, *first;
        ig_head_kind head;
    } model[] = {{"bert", "entailment", IG_HEAD_SEQUENCE},
                 {"roberta", "entailment", IG_HEAD_SEQUENCE},
                 {"xlmr", "entailment", IG_HEAD_SEQUENCE},
                 {"words", "O", IG_HEAD_TOKEN},
                 {"distilbert", "entailment", IG_HEAD_SEQUENCE},
                 {"electra", "entailment", IG_HEAD_SEQUENCE},
                 {"mpnet", "entailment", IG_HEAD_SEQUENCE},
                 {"modernbert", "entailment", IG_HEAD_SEQUENCE},
                 {"modern-words", "O", IG_HEAD_TOKEN}};
    (void)state;
    json_t *expected;
    ig_err err;
    ig_team *team;
    assert_ok(ig_json_read(&expected, DATA "expected.json", &err), &err);
    assert_ok(ig_team_new(&team, 1, &err), &err);
    for (size_t k = 0; k < sizeof model / sizeof *model; k++) {
        char path[512];
        ig_encoder m;
        ig_tuned_record r;
        ig_engine *e;
        snprintf(path, sizeof path, DATA "%s", model[k].name);
        assert_ok(ig_encoder_open(&m, path, false, &err), &err);
        assert_ok(ig_tuned_record_read(&r, &m, -1, &err), &err);
        assert_int_equal(r.head, model[k].head);
        assert_true(r.defaults && r.named && r.kind_known == (r.head == IG_HEAD_TOKEN));
        assert_int_equal(r.labels.n, N_LABEL);
        assert_string_equal(r.labels.name[0], model[k].first);
        assert_ok(ig_engine_new(&e, m.model, team, NULL, IG_PRECISION_F32, &err), &err);
        const json_t *texts = json_object_get(expected, model[k].name);
        assert_true(json_array_size(texts) >= 20);
        for (size_t i = 0; i < json_array_size(texts); i++)
            for (int32_t label = 0; label < N_LABEL; label++)
                predict(e, r.head, json_array_get(texts, i), label);
        ig_engine_free(e);
        ig_tuned_record_free(&r);
        ig_encoder_close(&m);
    }
    ig_team_free(team);
    json_decref(expected);
}

static ig_code no_line(void *arg, const char *line, ig_err *err)
{
    (void)arg;
    (void)err;
    fail_msg("printed %s", line);
    return IG_ERR_OK;
}

/* Weights are numbers, but the scores that they give are not: no label is printed. */
static void not_finite(void **state)
{
    ig_bert *m;
    ig_err err;
    ig_tokenizer *t;
    ig_tokenizer_choice choice;
    char *dir, *path, text[] = "the cat\n";
    json_t *config;
    (void)state;
    assert_ok(ig_dir_temporary(&dir, "heads", &err), &err);
    assert_ok(ig_json_read(&config, DATA "bert/config.json", &err), &err);
    assert_ok(ig_bert_load(&m, DATA "bert", NULL, &err), &err);
    const ig_bert_param *p = ig_bert_param_find(m, "classifier.weight");
    for (int j = 0; j < p->rows * p->cols; j++)
        ig_bert_weights(m)[p->offset + j] = j % 2 == 0 ? 3e38f : -3e38f;
    assert_ok(ig_bert_save(m, dir, config, &err), &err);
    assert_ok(ig_tokenizer_folder_open(&t, &choice, DATA "bert", NULL, &err), &err);
    assert_ok(ig_tokenizer_folder_copy(t, &choice, DATA "bert", dir, NULL, &err), &err);
    assert_ok(ig_path_join(&path, dir, "in", &err), &err);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
    const ig_predict_options o = {.model = dir, .file = path, .n_thread = 1};
    assert_int_equal(ig_predict(&o, no_line, NULL, &err), IG_ERR_NUMERIC);
    assert_ok(ig_dir_remove(dir, &err), &err);
    IG_FREE(dir, path);
    json_decref(config);
    ig_tokenizer_free(t);
    ig_bert_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_transformers),
                                       cmocka_unit_test(not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
