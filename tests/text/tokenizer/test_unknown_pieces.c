/* SPDX-License-Identifier: Apache-2.0
 *
 * Unknown pieces of texts, counted by hand: shares at the limits, words, normal forms, merged
 * parts, tokenizers that know everything.
 */
#include "test.h"

#include "isoglot/memory.h"
#include "text/tokenizer/unknown_pieces.h"

#include <stdlib.h>
#include <string.h>

static ig_err err;

static ig_tokenizer *tokenizer(const char *pieces)
{
    ig_tokenizer *t;
    assert_ok(ig_tokenizer_parse(&t, pieces, (int64_t)strlen(pieces), "vocab.txt",
                                 &(ig_tokenizer_options){.lowercase = false}, &err),
              &err);
    return t;
}

static void add(ig_unknown_pieces *u, const ig_tokenizer *t, const char *text, int64_t times)
{
    int32_t *id = NULL;
    int64_t n = 0, have = 0;
    assert_ok(ig_tokenizer_encode(t, text, (int64_t)strlen(text), &id, &n, &have, &err), &err);
    assert_ok(ig_unknown_add(u, t, &(ig_cut_text){text, (int64_t)strlen(text), id, n, times}, &err),
              &err);
    ig_free(id);
}

#define SPECIAL "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

static void shares(void **state)
{
    (void)state;
    ig_tokenizer *t = tokenizer(SPECIAL "a\nb\n##b\n");
    ig_unknown_pieces u = {0};
    assert_int_equal(ig_unknown_check(&u, "none", false, &err), IG_ERR_OK);
    add(&u, t, "ab a x", 0); /* a ##b a [UNK] */
    assert_true(u.n_piece == 4 && u.n_unknown == 1 && u.n_word == 1);
    assert_string_equal(u.word[0], "x");
    assert_int_equal(ig_unknown_check(&u, "few", false, &err), IG_ERR_OK);
    add(&u, t, "y  x\ty", 1);
    assert_true(u.n_piece == 7 && u.n_unknown == 4 && u.n_word == 2);
    assert_int_equal(ig_unknown_check(&u, "few", false, &err), IG_ERR_OK);
    ig_unknown_pieces few = u;
    few.n_piece = IG_UNKNOWN_LEAST - 1;
    few.n_unknown = few.n_piece;
    assert_false(ig_unknown_refused(&few, false));
    few.n_piece++;
    assert_true(ig_unknown_refused(&few, false) && !ig_unknown_refused(&few, true));
    u.n_piece *= 100; /* as of a hundred such texts */
    u.n_unknown *= 100;
    assert_int_equal(ig_unknown_check(&u, "f.txt", false, &err), IG_ERR_INPUT);
    assert_string_equal(err.where, "f.txt");
    assert_string_equal(err.msg, "57.1 % of the pieces are unknown to the vocabulary, such as 'x', "
                                 "'y', expected at most half");
    assert_non_null(strstr(err.hint, "--allow-unknown"));
    assert_int_equal(ig_unknown_check(&u, "f.txt", true, &err), IG_ERR_OK);
    add(&u, t, "a", 100); /* a half is not more */
    assert_int_equal(ig_unknown_check(&u, "f.txt", false, &err), IG_ERR_OK);
    add(&u, t, "z", 3); /* a word that stands there three times */
    assert_true(u.n_piece == 803 && u.n_unknown == 403);
    assert_true(ig_unknown_refused(&u, false));
    ig_tokenizer_free(t);
}

/* A part that is read by itself comes to the same; long words are cut between characters. */
static void parts(void **state)
{
    (void)state;
    ig_tokenizer *t = tokenizer(SPECIAL "a\n");
    ig_unknown_pieces all = {0}, part[2] = {{0}}, sum = {0};
    static const char *const text[] = {"a b b c", "c d e e a"};
    for (int i = 0; i < 2; i++) {
        add(&all, t, text[i], 1);
        add(&part[i], t, text[i], 1);
        ig_unknown_merge(&sum, &part[i]);
    }
    assert_memory_equal(&all, &sum, sizeof all);
    ig_unknown_pieces u = {0};
    add(&u, t,
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4",
        1);
    assert_int_equal(strlen(u.word[0]), 36 + 3);
    assert_string_equal(u.word[0] + 34, "\xC3\xA4\xE2\x80\xA6");
    ig_tokenizer_free(t);
}

static void normal_forms(void **state)
{
    (void)state;
    static const char nfc[] = "sch\xC3\xB6n", nfd[] = "scho\xCC\x88n";
    for (int i = 0; i < 2; i++) {
        char pieces[128];
        snprintf(pieces, sizeof pieces, SPECIAL "%s\nund\n", i == 0 ? nfc : nfd);
        ig_tokenizer *t = tokenizer(pieces);
        ig_unknown_pieces u = {0};
        add(&u, t, i == 0 ? nfd : nfc, 100);
        assert_true(u.form[0] == 1 && u.form[1] == (i == 1) && u.form[2] == (i == 0));
        assert_int_equal(ig_unknown_check(&u, "f", false, &err), IG_ERR_INPUT);
        assert_non_null(strstr(err.msg, i == 0 ? "normal form NFC" : "normal form NFD"));
        assert_non_null(strstr(err.hint, i == 0 ? "uconv -x nfc" : "uconv -x nfd"));
        ig_unknown_pieces other = {0};
        add(&other, t, "xyz", 100);
        assert_int_equal(ig_unknown_check(&other, "f", false, &err), IG_ERR_INPUT);
        assert_null(strstr(err.msg, "normal form"));
        ig_tokenizer_free(t);
    }
}

/* Bytes, and bytes where no piece fits: nothing is unknown. */
static void no_unknown_piece(void **state)
{
    (void)state;
    static const char *const json[] = {
        "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"<s>\": 0, \"a\": 1, \"\xC3\x83\": 2, "
        "\"\xC2\xB6\": 3}, \"merges\": []}, \"pre_tokenizer\": {\"type\": \"ByteLevel\", "
        "\"add_prefix_space\": false, \"trim_offsets\": true, \"use_regex\": true}, \"decoder\": "
        "{\"type\": \"ByteLevel\"}}"};
    for (size_t i = 0; i < sizeof json / sizeof *json; i++) {
        ig_tokenizer *t;
        ig_code code =
            ig_tokenizer_parse(&t, json[i], (int64_t)strlen(json[i]), "tokenizer.json", NULL, &err);
        assert_ok(code, &err);
        ig_unknown_pieces u = {0};
        add(&u, t, "a\xC3\xB6", 1);
        assert_true(u.n_piece == 3 && u.n_unknown == 0);
        ig_tokenizer_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares), cmocka_unit_test(parts),
                                       cmocka_unit_test(normal_forms),
                                       cmocka_unit_test(no_unknown_piece)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
