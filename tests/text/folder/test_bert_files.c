/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a BertTokenizer: pieces that would lose a row are refused, and what is written is
 * read as the same tokenizer.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "text/folder/bert_files.h"
#include "text/folder/tokenizer_folder.h"
#include "text/tokenizer/tokenizer_internal.h"

#include <string.h>

static void written_and_read(void **state)
{
    (void)state;
    const char *good[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "::a"},
               *twice[] = {"a", "b", "a"}, *broken[] = {"a", "b\n"};
    static const char pieces[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n::a\n";
    static const ig_tokenizer_options how[] = {
        {0},
        {.lowercase = true},
        {.lowercase = true, .accents = IG_ACCENTS_KEEP},
        {.accents = IG_ACCENTS_STRIP, .join_ideographs = true}};
    ig_bert_tokenizer_use use = {.max_length = 128};
    char *dir, *path, *text;
    int64_t size;
    ig_err err = {0};
    assert_ok(ig_dir_temporary(&dir, "bert-", &err), &err);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        ig_tokenizer *t;
        assert_ok(ig_tokenizer_parse(&t, pieces, (int64_t)strlen(pieces), "here", &how[i], &err),
                  &err);
        assert_ok(ig_bert_tokenizer_write(dir, good, 7, t, &use, &err), &err);
        if (i == 0) {
            assert_int_equal(ig_bert_tokenizer_write(dir, twice, 3, t, &use, &err), IG_ERR_INPUT);
            assert_int_equal(ig_bert_tokenizer_write(dir, broken, 2, t, &use, &err), IG_ERR_INPUT);
            assert_int_equal(err.line, 2);
            err = (ig_err){0};
        }
        ig_tokenizer_free(t);
        assert_ok(ig_tokenizer_open(&t, dir, NULL, &err), &err);
        const ig_tokenizer_options o = ig_tokenizer_get_options(t);
        assert_true(o.lowercase == how[i].lowercase && o.accents == how[i].accents &&
                    o.join_ideographs == how[i].join_ideographs && !o.keep_controls);
        assert_true(ig_tokenizer_is_bert(t));
        ig_tokenizer_free(t);
    }
    /* transformers has no BertTokenizer for a ModernBERT: the same rules and pieces in one file. */
    use.modern = true;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        ig_tokenizer *lines, *rules;
        ig_tokenizer_choice choice;
        assert_ok(
            ig_tokenizer_parse(&lines, pieces, (int64_t)strlen(pieces), "here", &how[i], &err),
            &err);
        assert_ok(ig_bert_tokenizer_write(dir, good, 7, lines, &use, &err), &err);
        assert_ok(ig_tokenizer_folder_open(&rules, &choice, dir, NULL, &err), &err);
        assert_string_equal(choice.file, "tokenizer.json");
        assert_string_equal(choice.class_name, "PreTrainedTokenizerFast");
        assert_false(choice.types);
        assert_int_equal(ig_tokenizer_size(rules), 7);
        assert_int_equal(ig_tokenizer_id(rules, "::a"), 6);
        const ig_tokenizer_options was = ig_tokenizer_get_options(lines),
                                   now = ig_tokenizer_get_options(rules);
        const ig_chars_rules a = ig_tokenizer_chars(&was), b = ig_tokenizer_chars(&now);
        assert_true(a.lowercase == b.lowercase && a.strip_accents == b.strip_accents &&
                    a.join_ideographs == b.join_ideographs && !b.keep_controls);
        ig_tokenizer_free(lines);
        ig_tokenizer_free(rules);
    }
    assert_ok(ig_path_join(&path, dir, "vocab.txt", &err), &err);
    assert_ok(ig_file_read(&text, &size, path, 100, &err), &err);
    assert_string_equal(text, pieces);
    ig_free(text);
    ig_free(path);
    assert_ok(ig_dir_remove(dir, &err), &err);
    ig_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
