/* SPDX-License-Identifier: Apache-2.0
 *
 * Folders with settings of every kind: pieces, pairs and types as transformers' AutoTokenizer has
 * them (tests/data/tokenizer/folders.json, which tools/tokenizer_folders.py writes); a copy of a
 * folder gives the same; what is refused says why; what was chosen is shown.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "text/folder/tokenizer_folder.h"
#include "text/tokenizer/word_cut.h"

#include <string.h>

static char *dir;
static json_t *all;

static int set_up(void **state)
{
    (void)state;
    ig_err err;
    return ig_json_read(&all, IG_TEST_DATA "/tokenizer/folders.json", &err) == IG_ERR_OK &&
                   ig_dir_temporary(&dir, "folder-", &err) == IG_ERR_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ig_err err;
    json_decref(all);
    (void)ig_dir_remove(dir, &err);
    ig_free(dir);
    return 0;
}

/* A text in which each of the shared marks stands for its own text; freed with ig_free. */
static char *with_shared(const char *text)
{
    const json_t *shared = json_object_get(all, "shared");
    char *out;
    int64_t n = 0;
    ig_err err;
    assert_ok(ig_alloc(&out, 1 << 16, 1, "text", &err), &err);
    for (const char *key, *p = text; *p != '\0';) {
        const json_t *v = NULL, *found = NULL;
        size_t n_key = 1;
        json_object_foreach((json_t *)(uintptr_t)shared, key, v)
        {
            if (strncmp(p, key, strlen(key)) == 0) {
                found = v;
                n_key = strlen(key);
                break;
            }
        }
        const size_t size = found != NULL ? json_string_length(found) : 1;
        assert_true(n + (int64_t)size < 1 << 16);
        memcpy(out + n, found != NULL ? json_string_value(found) : p, size);
        n += (int64_t)size;
        p += n_key;
    }
    return out;
}

/* Writes the folder of a case into folder `name` of the test's. */
static char *make_folder(const json_t *of, const char *name)
{
    char *path, *file;
    const char *key;
    const json_t *v;
    ig_err err;
    assert_ok(ig_path_join(&path, dir, name, &err), &err);
    assert_ok(ig_dir_remove(path, &err), &err);
    assert_ok(ig_dir_make(path, &err), &err);
    json_object_foreach(json_object_get(of, "files"), key, v)
    {
        char *text, foreign[256];
        int64_t n;
        const char *said = json_string_value(v);
        if (strcmp(said, "@xlmr") == 0 || strcmp(said, "@roberta") == 0) {
            snprintf(foreign, sizeof foreign, IG_TEST_DATA "/foreign/%s/tokenizer.json", said + 1);
            assert_ok(ig_file_read(&text, &n, foreign, 1 << 20, &err), &err);
        } else {
            text = with_shared(said);
            n = (int64_t)strlen(text);
        }
        assert_ok(ig_path_join(&file, path, key, &err), &err);
        FILE *f = fopen(file, "wb"); /* without waiting for the disk */
        assert_non_null(f);
        assert_int_equal(fwrite(text, 1, (size_t)n, f), n);
        assert_int_equal(fclose(f), 0);
        ig_free(text);
        ig_free(file);
    }
    return path;
}

static void put(ig_ids *out, int32_t *type, int32_t id, int32_t of)
{
    ig_err err;
    type[out->n] = of;
    assert_ok(ig_ids_add(out, id, &err), &err);
}

/* Texts in their template, as a model sees them. */
static void sequence(const ig_tokenizer *t, const json_t *texts, size_t first, int n_text,
                     ig_ids *out, int32_t type[512])
{
    const ig_template *of = ig_tokenizer_template(t, n_text == 2);
    ig_err err;
    out->n = 0;
    assert_int_equal(of->n_text, n_text);
    for (int k = 0; k <= n_text; k++) {
        for (int i = 0; i < of->n[k]; i++)
            put(out, type, of->token[k][i].id, of->token[k][i].type);
        if (k == n_text)
            break;
        const json_t *text = json_array_get(texts, first + (size_t)k);
        const int64_t from = out->n;
        assert_ok(ig_tokenizer_encode(t, json_string_value(text), (int64_t)json_string_length(text),
                                      &out->id, &out->n, &out->have, &err),
                  &err);
        for (int64_t i = from; i < out->n; i++)
            type[i] = of->type[k];
    }
}

static void compare(const char *name, const char *what, const json_t *want, const int32_t *found,
                    int64_t n)
{
    for (int64_t i = 0; i < n || (size_t)i < json_array_size(want); i++) {
        const json_t *v = json_array_get(want, (size_t)i);
        if (v == NULL || i >= n || json_integer_value(v) != found[i])
            fail_msg("%s, %s: %d at %d, expected %d", name, what, i < n ? found[i] : -1, (int)i,
                     v != NULL ? (int)json_integer_value(v) : -1);
    }
}

static void compare_all(const json_t *of, const ig_tokenizer *t)
{
    const json_t *texts = json_object_get(all, "texts"), *ids = json_object_get(of, "ids"),
                 *pairs = json_object_get(of, "pairs"), *types = json_object_get(of, "types");
    const char *name = json_string_value(json_object_get(of, "name"));
    ig_ids found = {0};
    int32_t type[512];
    for (size_t i = 0; i < json_array_size(texts); i++) {
        sequence(t, texts, i, 1, &found, type);
        compare(name, "ids", json_array_get(ids, i), found.id, found.n);
        if (i >= json_array_size(pairs))
            continue;
        sequence(t, texts, i, 2, &found, type);
        compare(name, "pairs", json_array_get(pairs, i), found.id, found.n);
        compare(name, "types", json_array_get(types, i), type, found.n);
    }
    ig_free(found.id);
}

/* A copy says all that was chosen, and is the same for another model_type. */
static void compare_copy(const json_t *of, const ig_tokenizer *t, const ig_tokenizer_choice *choice,
                         const char *folder)
{
    ig_tokenizer *again;
    ig_tokenizer_choice second;
    ig_err err = {0};
    json_t *bare = json_pack("{s:{s:s}}", "files", "config.json",
                             "{\"model_type\":\"bert\",\"vocab_size\":361}");
    char *copy = make_folder(bare, "b");
    assert_ok(ig_tokenizer_folder_copy(t, choice, folder, copy,
                                       &(ig_tokenizer_use){.max_length = 17}, &err),
              &err);
    assert_ok(ig_tokenizer_folder_open(&again, &second, copy, NULL, &err), &err);
    compare_all(of, again);
    assert_string_equal(second.class_name, choice->class_name);
    assert_string_equal(second.class_from, "tokenizer_config.json");
    assert_true(second.has_config && second.bert == choice->bert && second.types == choice->types);
    json_decref(bare);
    ig_tokenizer_free(again);
    ig_free(copy);
}

static void as_transformers(void **state)
{
    (void)state;
    size_t i;
    json_t *of;
    int n_refused = 0;
    assert_true(json_array_size(json_object_get(all, "cases")) > 80);
    json_array_foreach(json_object_get(all, "cases"), i, of)
    {
        const char *name = json_string_value(json_object_get(of, "name"));
        ig_tokenizer *t;
        ig_tokenizer_choice choice;
        ig_err err = {0};
        char *folder = make_folder(of, "a");
        const ig_code code = ig_tokenizer_folder_open(&t, &choice, folder, NULL, &err);
        if (json_is_null(json_object_get(of, "ids"))) {
            assert_int_equal(code, IG_ERR_INPUT);
            assert_null(t);
            n_refused++;
            ig_free(folder);
            continue;
        }
        if (code != IG_ERR_OK)
            fail_msg("%s: %s: %s", name, err.where, err.msg);
        compare_all(of, t);
        /* Writing waits for the disk: a copy of one in four, and of all published shapes. */
        if (i % 4 == 0 || strncmp(name, "xlmr", 4) == 0 || strncmp(name, "roberta", 7) == 0)
            compare_copy(of, t, &choice, folder);
        ig_tokenizer_free(t);
        ig_free(folder);
    }
    assert_int_equal(n_refused, 8);
}
/* A folder with vocab.txt, or what else `files` says. */
static ig_code open_with(ig_tokenizer **t, ig_tokenizer_choice *choice, json_t *files,
                         bool lowercase, ig_err *err)
{
    json_t *of = json_pack("{s:o}", "files", files);
    if (json_object_get(files, "config.json") == NULL)
        json_object_set_new(files, "config.json", json_string("{}"));
    if (json_object_get(files, "vocab.txt") == NULL &&
        json_object_get(files, "tokenizer.json") == NULL)
        json_object_set_new(files, "vocab.txt",
                            json_string("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nA\n"));
    char *path = make_folder(of, "c");
    const ig_code code = ig_tokenizer_folder_open(
        t, choice, path, &(ig_tokenizer_options){.lowercase = lowercase}, err);
    json_decref(of);
    ig_free(path);
    return code;
}

/* A ModernBERT with a vocab.txt alone, which transformers does not open: a copy has rules. */
static void rules_for_a_copy(void **state)
{
    (void)state;
    ig_tokenizer *t, *again;
    ig_tokenizer_choice choice, second;
    ig_err err = {0};
    char *from, *to;
    static const char config[] = "{\"model_type\":\"modernbert\"}";
    assert_ok(open_with(&t, &choice,
                        json_pack("{s:s, s:s}", "config.json", config, "tokenizer_config.json",
                                  "{\"tokenizer_class\":\"BertTokenizer\"}"),
                        false, &err),
              &err);
    assert_ok(ig_path_join(&from, dir, "c", &err), &err);
    json_t *bare = json_pack("{s:{s:s}}", "files", "config.json", config);
    to = make_folder(bare, "d");
    assert_ok(ig_tokenizer_folder_copy(t, &choice, from, to, NULL, &err), &err);
    assert_ok(ig_tokenizer_folder_open(&again, &second, to, NULL, &err), &err);
    assert_string_equal(second.file, "tokenizer.json");
    assert_string_equal(second.class_name, "PreTrainedTokenizerFast");
    assert_false(second.types);
    assert_int_equal(ig_tokenizer_size(again), ig_tokenizer_size(t));
    assert_true(ig_tokenizer_get_options(again).lowercase);
    json_decref(bare);
    ig_tokenizer_free(t);
    ig_tokenizer_free(again);
    ig_free(from);
    ig_free(to);
}

static void refused(void **state)
{
    (void)state;
#define MODEL                                                                                      \
    "\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\","                                   \
    "\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":100,"                       \
    "\"vocab\":{\"[UNK]\":0,\"[CLS]\":1,\"[SEP]\":2}}"
    static const struct {
        const char *file, *text, *says;
    } bad[] = {
        {"tokenizer_config.json", "[]", "expected a JSON object"},
        {"tokenizer_config.json", "{", "expected near end of file"},
        {"tokenizer_config.json", "{\"tokenizer_class\":\"BertJapaneseTokenizer\"}",
         "tokenizer_class is \"BertJapaneseTokenizer\", which is not read here"},
        {"tokenizer_config.json", "{\"do_basic_tokenize\":false}",
         "do_basic_tokenize is false, expected true"},
        {"tokenizer_config.json", "{\"never_split\":[\"x\"]}", "never_split is [\"x\"]"},
        {"tokenizer_config.json", "{\"split_special_tokens\":true}", "expected false"},
        {"tokenizer_config.json", "{\"truncation_side\":\"left\"}", "expected right"},
        {"tokenizer_config.json", "{\"strip_accents\":1}", "expected null, true or false"},
        {"tokenizer_config.json", "{\"tokenize_chinese_chars\":\"yes\"}", "expected true or false"},
        {"tokenizer_config.json", "{\"cls_token\":5}", "cls_token is 5.0, expected a token"},
        {"tokenizer_config.json", "{\"tokenizer_class\":\"XLMRobertaTokenizer\"}",
         "found a vocab.txt, expected a tokenizer.json"},
        {"config.json", "{\"model_type\":\"roformer\"}",
         "the tokenizer of its model_type is \"RoFormerTokenizer\""},
        {"config.json", "{\"tokenizer_class\":\"PhobertTokenizer\"}", "PhobertTokenizer"},
        {"added_tokens.json", "{\"<x>\":9}", "\"<x>\" has id 9, expected 7"},
        {"vocab.txt", "\xEF\xBB\xBF[PAD]\n[UNK]\n", "found a byte order mark"},
        {"vocab.txt", "[PAD]\n[CLS]\n", "no [UNK] among its 2 pieces"},
        {"tokenizer.json", "{}", "not a tokenizer.json: it has no \"model\""},
        {"tokenizer.json",
         "{" MODEL ",\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},"
         "\"normalizer\":{\"type\":\"NFC\"}}",
         "normalizer is {\"type\":\"NFC\"}, expected BertNormalizer, as the class is"},
        {"tokenizer.json",
         "{" MODEL ",\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,"
         "\"handle_chinese_chars\":true,\"lowercase\":true},"
         "\"pre_tokenizer\":{\"type\":\"Whitespace\"}}",
         "expected BertPreTokenizer, as the class is"},
        {"tokenizer.json", "{\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"a\",\"vocab\":{}}}",
         "model.type is WordLevel, expected WordPiece"},
    };
#undef MODEL
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_err err = {0};
        ig_tokenizer *t;
        const ig_code code =
            open_with(&t, NULL, json_pack("{s:s}", bad[i].file, bad[i].text), false, &err);
        if (code != IG_ERR_INPUT || strstr(err.msg, bad[i].says) == NULL)
            fail_msg("%s %s: %d '%s' lacks '%s'", bad[i].file, bad[i].text, code, err.msg,
                     bad[i].says);
        if (strcmp(bad[i].file, "config.json") == 0)
            assert_non_null(strstr(err.where, "/config.json")); /* the file that names it */
        assert_null(t);
    }
}

static void rows(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_tokenizer *t;
    /* A row that no piece uses is none of the tokenizer's; an added token needs one. */
    assert_int_equal(open_with(&t, NULL,
                               json_pack("{s:s, s:s}", "config.json", "{\"vocab_size\":7}",
                                         "added_tokens.json", "{\"<x>\":7}"),
                               false, &err),
                     IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "has id 7, but the model has 7 rows"));
    assert_ok(open_with(&t, NULL,
                        json_pack("{s:s, s:s}", "config.json", "{\"vocab_size\":9}",
                                  "added_tokens.json", "{\"<x>\":7}"),
                        false, &err),
              &err);
    assert_int_equal(ig_tokenizer_size(t), 8);
    assert_int_equal(ig_tokenizer_id(t, "<x>"), 7);
    ig_tokenizer_free(t);
}

/* Files of a tokenizer that is not read here: what to do is said. */
static void other_files(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_tokenizer *t;
    json_t *of = json_pack("{s:{s:s, s:s}}", "files", "config.json", "{}", "vocab.json", "{}");
    char *path = make_folder(of, "e");
    assert_int_equal(ig_tokenizer_open(&t, path, NULL, &err), IG_ERR_IO);
    assert_non_null(strstr(err.msg, "found neither vocab.txt nor tokenizer.json"));
    assert_non_null(strstr(err.hint, "makes a tokenizer.json of vocab.json"));
    json_decref(of);
    ig_free(path);
}

static void what_was_chosen(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_tokenizer *t;
    ig_tokenizer_choice choice;
    char *text;
    assert_ok(open_with(&t, &choice, json_object(), false, &err), &err);
    assert_ok(ig_tokenizer_choice_text(&text, t, &choice, &err), &err);
    assert_string_equal(text, "BertTokenizer (from model_type) of vocab.txt, WordPiece, 7 pieces; "
                              "lower case, accents stripped; there is no tokenizer_config.json; "
                              "pairs [CLS] a [SEP] b [SEP]");
    ig_free(text);
    ig_tokenizer_free(t);
    assert_ok(open_with(&t, &choice,
                        json_pack("{s:s}", "tokenizer_config.json",
                                  "{\"do_lower_case\":false,\"strip_accents\":true,"
                                  "\"tokenize_chinese_chars\":false}"),
                        false, &err),
              &err);
    json_t *j = ig_tokenizer_choice_json(t, &choice);
    assert_true(json_is_false(json_object_get(j, "lowercase")));
    assert_true(json_is_true(json_object_get(j, "strip_accents")));
    assert_true(json_is_false(json_object_get(j, "tokenize_chinese_chars")));
    assert_true(json_is_true(json_object_get(j, "tokenizer_config")));
    json_decref(j);
    ig_tokenizer_free(t);
    /* Lower case that is asked for, and one that the tokenizer cannot have. */
    assert_ok(open_with(&t, &choice,
                        json_pack("{s:s}", "tokenizer_config.json", "{\"do_lower_case\":false}"),
                        true, &err),
              &err);
    assert_true(ig_tokenizer_get_options(t).lowercase);
    ig_tokenizer_free(t);
    ig_tokenizer_options lower = {.lowercase = true};
    assert_int_equal(ig_tokenizer_open(&t, IG_TEST_DATA "/foreign/xlmr", &lower, &err),
                     IG_ERR_USAGE);
}

/* The copy keeps what it does not know, and numbers stay what they are. */
static void other_settings_stay(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_tokenizer *t;
    ig_tokenizer_choice choice;
    json_t *of = json_pack("{s:{s:s, s:s, s:s}}", "files", "config.json", "{}", "vocab.txt",
                           "[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\n", "tokenizer_config.json",
                           "{\"stride\":3,\"x\":{\"y\":[2,0.5]},\"model_max_length\":1e30}");
    char *path = make_folder(of, "c"), *copy, *file;
    json_t *j;
    assert_ok(ig_path_join(&copy, dir, "d", &err), &err);
    assert_ok(ig_dir_make(copy, &err), &err);
    assert_ok(ig_tokenizer_folder_open(&t, &choice, path, NULL, &err), &err);
    assert_ok(ig_tokenizer_folder_copy(t, &choice, path, copy, NULL, &err), &err);
    assert_ok(ig_path_join(&file, copy, "tokenizer_config.json", &err), &err);
    assert_ok(ig_json_read(&j, file, &err), &err);
    json_t *want = json_pack("{s:i, s:{s:[i,f]}, s:f, s:s, s:b, s:b, s:n}", "stride", 3, "x", "y",
                             2, 0.5, "model_max_length", 1e30, "tokenizer_class", "BertTokenizer",
                             "do_lower_case", 1, "tokenize_chinese_chars", 1, "strip_accents");
    assert_true(json_equal(j, want));
    json_decref(want);
    json_decref(j);
    json_decref(of);
    ig_tokenizer_free(t);
    ig_free(path);
    ig_free(copy);
    ig_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_transformers), cmocka_unit_test(rules_for_a_copy),
        cmocka_unit_test(refused),         cmocka_unit_test(rows),
        cmocka_unit_test(what_was_chosen), cmocka_unit_test(other_settings_stay),
        cmocka_unit_test(other_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
