/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimal pairs: log-likelihoods against one prediction for each token, asked for alone; accuracy
 * by phenomenon and its interval; the files of BLiMP and MultiBLiMP; a task without training, in a
 * folder and again.
 */
#include "engine_fixture.h" /* before an err for all */

#include "twin_fixture.h"

#include "finetune/minimal.h"

#include <math.h>

enum { N_PAIR = 6 };
static const char *const pairs[N_PAIR][3] = {
    {"a b c", "a c b", "order"},    {"ab e f", "ab f e", "order"},
    {"c cab a", "c cba a", "form"}, {"e", "f", "form"},
    {"g h abc", "g h acb", "form"}, {"a b", "a b", "form"} /* a tie is wrong */};
/* Their pieces: 5 a, 6 b, 7 c, 8 ##a, 9 ##b, 10 ##c, 11 e, 12 f, 13 g, 14 h. */
static const int32_t ids[N_PAIR][2][8] = {{{5, 6, 7}, {5, 7, 6}},
                                          {{5, 9, 11, 12}, {5, 9, 12, 11}},
                                          {{7, 7, 8, 9, 5}, {7, 7, 9, 8, 5}},
                                          {{11}, {12}},
                                          {{13, 14, 5, 9, 10}, {13, 14, 5, 10, 9}},
                                          {{5, 6}, {5, 6}}};

static char dir[256], yaml[300];

static void write_model(bool causal)
{
    ig_bert_config c = ig_bert_config_small(N_PIECE);
    char path[300], text[300] = "";
    ig_bert *m;
    c.hidden_size = 12;
    c.num_attention_heads = 2;
    c.intermediate_size = 16;
    c.num_hidden_layers = 2;
    c.max_position_embeddings = POSITIONS;
    c.causal = causal;
    strcpy(dir, fixture_path(causal ? "causal" : "masked"));
    assert_ok(ig_bert_new(&m, &c, 5, &err), &err);
    stir(m, .5, causal ? 4 : 3);
    assert_ok(ig_dir_make(dir, &err), &err);
    assert_ok(ig_bert_save(m, dir, NULL, &err), &err);
    ig_bert_free(m);
    for (int i = 0; i < N_PIECE; i++)
        sprintf(text + strlen(text), "%s\n", piece[i]);
    snprintf(path, sizeof path, "%s/vocab.txt", dir);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
}

static void write_file(const char *name, const char *text)
{
    assert_ok(ig_file_write(fixture_path(name), text, (int64_t)strlen(text), &err), &err);
}

static void write_task(const char *more)
{
    char text[1000] = "phenomenon\tlanguage\tsen\twrong_sen\tverb\n";
    for (int i = 0; i < N_PAIR; i++)
        sprintf(text + strlen(text), "%s\ten\t%s\t%s\tx\n", pairs[i][2], pairs[i][0], pairs[i][1]);
    write_file("en.tsv", text);
    snprintf(text, sizeof text, "kind: minimal_pairs\n%stest: {en: en.tsv}\n", more);
    write_file("TASK.yaml", text);
    strcpy(yaml, fixture_path("TASK.yaml"));
}

/* The folder's tokenizer as GPT-2's class reads it: nothing around a text. */
static void write_bare_tokenizer(void)
{
    char path[300], text[1000] = "{\"added_tokens\":[],\"normalizer\":null,\"pre_tokenizer\":"
                                 "{\"type\":\"WhitespaceSplit\"},\"post_processor\":null,\"model\":"
                                 "{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\","
                                 "\"continuing_subword_prefix\":\"##\","
                                 "\"max_input_chars_per_word\":100,\"vocab\":{";
    for (int i = 0; i < N_PIECE; i++)
        sprintf(text + strlen(text), "%s\"%s\":%d", i > 0 ? "," : "", i == 4 ? "no mask" : piece[i],
                i);
    strcat(text, "}}}");
    snprintf(path, sizeof path, "%s/tokenizer.json", dir);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
    strcpy(text, "{\"tokenizer_class\":\"PreTrainedTokenizerFast\",\"unk_token\":\"[UNK]\"}");
    snprintf(path, sizeof path, "%s/tokenizer_config.json", dir);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
    snprintf(path, sizeof path, "%s/vocab.txt", dir);
    assert_int_equal(remove(path), 0);
}

/* −log p of the token at place `at` of [CLS] pieces [SEP] with the tokens first to last masked; of
 * a causal model given those before it. */
static double nll_of(const int32_t *id, int n, int at, int first, int last, bool causal)
{
    static ig_bert *m[2];
    static ig_engine *e[2];
    int32_t seq[12] = {2}, pos[12], seg[12] = {0}, row = at - causal, label;
    const int32_t start[] = {0, n + 2};
    if (m[causal] == NULL) {
        assert_ok(ig_bert_load(&m[causal], dir, NULL, &err), &err);
        e[causal] = make_engine(m[causal], NULL, NULL);
    }
    for (int i = 0; i < n + 2; i++) {
        pos[i] = i;
        seq[i] = i == 0 ? 2 : i <= n ? id[i - 1] : 3;
    }
    label = seq[at];
    for (int i = first; i <= last; i++)
        seq[i] = 4;
    ig_batch b = {
        .n_seq = 1, .n_tok = n + 2, .seq_start = start, .id = seq, .pos = pos, .seg = seg};
    b.target[IG_HEAD_MASKED] = (ig_targets){1, &row, &label, NULL};
    assert_ok(ig_engine_predict(e[causal], &b, &err), &err);
    return ig_engine_result(e[causal], IG_HEAD_MASKED).nll[0];
}

static double likelihood(const int32_t *id, bool causal, bool word)
{
    double sum = 0;
    int n = 0;
    while (n < 8 && id[n] != 0)
        n++;
    for (int at = 1; at <= n + causal; at++) {
        int last = at;
        while (word && last < n && id[last] >= 8 && id[last] <= 10)
            last++;
        sum += causal ? nll_of(id, n, at, 1, 0, true) : nll_of(id, n, at, at, last, false);
    }
    return sum;
}

static double number(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);
    assert_true(json_is_number(v));
    return json_number_value(v);
}

static void check(bool causal, bool word)
{
    json_t *result;
    double margin = 0;
    int right[2] = {0};
    write_model(causal);
    write_task(word ? "masking: word\n" : "");
    ig_task *t;
    assert_ok(ig_task_read(yaml, NULL, &t, &err), &err);
    const ig_finetune_config c = {.model = dir, .task = yaml, .threads = 1};
    assert_ok(ig_minimal_pairs(&result, &c, t, NULL, &err), &err);
    for (int i = 0; i < N_PAIR; i++) {
        const double good = likelihood(ids[i][0], causal, word),
                     bad = likelihood(ids[i][1], causal, word);
        margin += (bad - good) / N_PAIR;
        right[strcmp(pairs[i][2], "form") == 0] += good < bad && i != N_PAIR - 1;
    }
    const json_t *one = json_object_get(json_object_get(json_object_get(result, "scores"), "en"),
                                        "test"),
                 *by = json_object_get(json_object_get(one, "detail"), "by_label");
    assert_true(fabs(number(one, "margin") - margin) < 1e-5);
    assert_true(fabs(number(one, "accuracy") - (right[0] + right[1]) / 6.) < 1e-12);
    assert_true(number(one, "n") == 6 && number(one, "ties") == 1 && number(one, "cut") == 0);
    const json_t *of[] = {json_object_get(by, "order"), json_object_get(by, "form")};
    for (int k = 0; k < 2; k++) {
        const double n = k == 0 ? 2 : 4, p = right[k] / n, z = 1.959963984540054;
        const double middle = (p + z * z / (2 * n)) / (1 + z * z / n),
                     half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
        const json_t *i = json_object_get(of[k], "interval");
        assert_true(number(of[k], "n") == n && number(of[k], "accuracy") == p);
        assert_true(fabs(json_number_value(json_array_get(i, 0)) - (middle - half)) < 1e-6);
        assert_true(fabs(json_number_value(json_array_get(i, 1)) - (middle + half)) < 1e-6);
    }
    json_decref(result);
    ig_task_free(t);
}

static void masked_models(void **state)
{
    (void)state;
    check(false, false);
}
static void words_are_masked_to_their_end(void **state)
{
    (void)state;
    check(false, true);
}
static void causal_models_are_exact(void **state)
{
    (void)state;
    check(true, false);
}

/* Of a model that has no tokens around a text, none is there, and the first token has no
 * probability. A masked model needs [MASK]. */
static void no_special_tokens(void **state)
{
    (void)state;
    json_t *result;
    double margin = 0;
    ig_task *t;
    ig_bert *m;
    write_model(true);
    write_bare_tokenizer();
    write_task("");
    assert_ok(ig_task_read(yaml, NULL, &t, &err), &err);
    ig_finetune_config c = {.model = dir, .task = yaml, .threads = 1};
    assert_ok(ig_minimal_pairs(&result, &c, t, NULL, &err), &err);
    assert_ok(ig_bert_load(&m, dir, NULL, &err), &err);
    ig_engine *e = make_engine(m, NULL, NULL);
    for (int i = 0; i < N_PAIR; i++)
        for (int k = 0; k < 2; k++) {
            int32_t n = 0, pos[8], seg[8] = {0}, row[8], label[8];
            while (n < 8 && ids[i][k][n] != 0)
                n++;
            const int32_t start[] = {0, n};
            for (int32_t j = 0; j < n; j++) {
                pos[j] = row[j] = j;
                label[j] = j + 1 < n ? ids[i][k][j + 1] : 0;
            }
            ig_batch b = {.n_seq = 1,
                          .n_tok = n,
                          .seq_start = start,
                          .id = ids[i][k],
                          .pos = pos,
                          .seg = seg};
            b.target[IG_HEAD_MASKED] = (ig_targets){n - 1, row, label, NULL};
            if (n < 2)
                continue; /* "e" and "f": nothing is predicted, a tie */
            assert_ok(ig_engine_predict(e, &b, &err), &err);
            for (int32_t j = 0; j + 1 < n; j++)
                margin += (k == 0 ? -1 : 1) * ig_engine_result(e, IG_HEAD_MASKED).nll[j] / N_PAIR;
        }
    const json_t *one =
        json_object_get(json_object_get(json_object_get(result, "scores"), "en"), "test");
    assert_true(fabs(number(one, "margin") - margin) < 1e-5);
    assert_true(number(one, "ties") == 2);
    json_decref(result);
    ig_engine_free(e);
    ig_bert_free(m);
    write_model(false);
    write_bare_tokenizer();
    assert_int_equal(ig_minimal_pairs(&result, &c, t, NULL, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "its tokenizer has no [MASK]"));
    ig_task_free(t);
}

/* BLiMP's lines: other fields are not read. */
static void files_of_blimp(void **state)
{
    ig_task *t;
    (void)state;
    write_file("b.jsonl",
               "{\"sentence_good\": \"a b\", \"sentence_bad\": \"b a\", \"field\": \"syntax\", "
               "\"linguistics_term\": \"island_effects\", \"UID\": \"adjunct_island\", "
               "\"pairID\": \"0\"}\n"
               "{\"sentence_good\": \"c\", \"sentence_bad\": \"e\", \"field\": \"syntax\", "
               "\"linguistics_term\": \"binding\", \"UID\": \"x\", \"pairID\": \"1\"}\n");
    write_file("TASK.yaml", "kind: minimal_pairs\ntest: {en: b.jsonl}\n");
    assert_ok(ig_task_read(fixture_path("TASK.yaml"), NULL, &t, &err), &err);
    assert_int_equal(t->set[0].n, 2);
    assert_string_equal(t->set[0].text[0], "a b");
    assert_string_equal(t->set[0].text[3], "e");
    assert_int_equal(t->labels.n, 2);
    assert_string_equal(t->labels.name[t->set[0].label[0]], "island_effects");
    ig_task_free(t);
    static const char *const bad[][2] = {
        {"kind: minimal_pairs\nscheme: iob2\ntest: {en: b.jsonl}\n", "scheme"},
        {"kind: pair\nmasking: word\ntest: {en: b.jsonl}\n", "masking"},
        {"kind: minimal_pairs\ntrain: {en: b.jsonl}\n", "minimal_pairs train nothing"},
        {"kind: minimal_pairs\nmasking: piece\ntest: {en: b.jsonl}\n", "expected token or word"},
        {"kind: minimal_pairs\ncolumns: {good: 1, bad: 2}\ntest: {en: b.jsonl}\n", "columns"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("TASK.yaml", bad[i][0]);
        assert_int_equal(ig_task_read(fixture_path("TASK.yaml"), NULL, &t, &err), IG_ERR_USAGE);
        assert_non_null(strstr(err.msg, bad[i][1]));
    }
}

/* The same call again finds the scores; another model does not. */
static void in_a_folder(void **state)
{
    char out[256];
    json_t *first, *again;
    unsigned char given[IG_OPTION_MAX] = {0};
    ig_finetune_config c = {0};
    (void)state;
    write_model(false);
    write_task("");
    strcpy(out, fixture_path("scores"));
    assert_ok(ig_options_default(&ig_finetune_options, &c, &err), &err);
    char *const kept[] = {c.model, c.task, c.out};
    c.model = dir;
    c.task = yaml;
    c.out = out;
    assert_ok(ig_finetune(&first, &c, given, NULL, &err), &err);
    assert_ok(ig_finetune(&again, &c, given, NULL, &err), &err);
    assert_true(
        json_equal(json_object_get(first, "main_score"), json_object_get(again, "main_score")));
    write_model(true);
    c.model = dir;
    json_t *other = NULL;
    assert_int_equal(ig_finetune(&other, &c, given, NULL, &err), IG_ERR_USAGE);
    assert_null(other);
    json_decref(first);
    json_decref(again);
    c.model = kept[0];
    c.task = kept[1];
    c.out = kept[2];
    ig_options_free(&ig_finetune_options, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masked_models),
        cmocka_unit_test(words_are_masked_to_their_end),
        cmocka_unit_test(causal_models_are_exact),
        cmocka_unit_test(files_of_blimp),
        cmocka_unit_test(in_a_folder),
        cmocka_unit_test(no_special_tokens) /* last: its folders have another tokenizer */};
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
