/* SPDX-License-Identifier: Apache-2.0
 *
 * Dictionaries of word pairs: what is a line, what is an error, what two vocabularies know.
 */
#include "base/file.h"
#include "base/memory.h"
#include "embed/search/dictionary.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static ig_code read_text(ig_dictionary *d, const char *text, bool lowercase, ig_err *err)
{
    write_fast(path, text, (int64_t)strlen(text));
    return ig_dictionary_read(d, path, lowercase, err);
}

static const char *word(const ig_dictionary *d, int64_t pair, int side)
{
    return ig_lexicon_get(&d->word[side], d->pair[2 * pair + side]);
}

static void lines(void **state)
{
    (void)state;
    ig_dictionary d;
    ig_err err;
    assert_ok(read_text(&d,
                        "the el\nthe la\r\n  house   casa \n\nthe el\nice cream\thelado frío\n"
                        "Straße\t calle\n",
                        false, &err),
              &err);
    assert_int_equal(d.n_pair, 5);
    assert_int_equal(d.n_repeated, 1);
    assert_int_equal(d.word[0].n, 4);
    assert_string_equal(word(&d, 0, 1), "el");
    assert_string_equal(word(&d, 1, 0), "the");
    assert_string_equal(word(&d, 2, 0), "house");
    assert_string_equal(word(&d, 2, 1), "casa");
    assert_string_equal(word(&d, 3, 0), "ice cream");
    assert_string_equal(word(&d, 3, 1), "helado frío");
    assert_string_equal(word(&d, 4, 0), "Straße");
    ig_dictionary_free(&d);
    assert_ok(read_text(&d, "Haus ΟΔΟΣ\nhaus οδος\n", true, &err), &err);
    assert_int_equal(d.n_pair, 1); /* with a final sigma at the end */
    assert_int_equal(d.n_repeated, 1);
    assert_string_equal(word(&d, 0, 1), "οδος");
    ig_dictionary_free(&d);
}

/* As a world writes its own, and lexical tables with probabilities; comments between them. */
static void counts_and_comments(void **state)
{
    (void)state;
    static const char *const text[] = {
        "for\tna\t538\tDET\nbig tree\tzu\t225\tNOUN\n",
        "# made by hand\n#\nfor na 538 DET\nbig\ttree\n#x y\n# # # #\n",
        "\xEF\xBB\xBF# source target\nfor  na   .25\r\nbig tree 1e-3 x\n",
    };
    static const char *const want[][4] = {{"for", "na", "big tree", "zu"},
                                          {"for", "na", "big", "tree"},
                                          {"for", "na", "big", "tree"}};
    ig_dictionary d;
    ig_err err;
    for (int t = 0; t < 3; t++) {
        assert_ok(read_text(&d, text[t], false, &err), &err);
        assert_int_equal(d.n_pair, 2);
        for (int i = 0; i < 4; i++)
            assert_string_equal(word(&d, i / 2, i % 2), want[t][i]);
        ig_dictionary_free(&d);
    }
    assert_ok(read_text(&d, "a b\n# #\n#1\t#2\t7\n", false, &err), &err);
    assert_int_equal(d.n_pair, 3);
    assert_string_equal(word(&d, 1, 0), "#");
    assert_string_equal(word(&d, 2, 1), "#2");
    ig_dictionary_free(&d);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        uint64_t line;
    } bad[] = {
        {"a b\nc\n", "found 'c', expected a word and its translation", 2},
        {"a b c\n", "found 'a b c', expected a word", 1},
        {"a\tb\tc\n", "expected a word and its translation", 1},
        {"a\t\n", "found 'a', expected", 1},
        {"a b 0x3\n", "found 'a b 0x3', expected a word", 1},
        {"# a b\n", "found no lines", 0},
        {"x y\n\xFF z\n", "UTF-8", 2},
        {"", "found no lines, expected a pair of words in each", 0},
        {"\n \n", "found no lines", 0},
    };
    ig_dictionary d;
    ig_err err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_text(&d, bad[i].text, false, &err), IG_ERR_INPUT);
        assert_string_equal(err.where, path);
        if (strstr(err.msg, bad[i].message) == NULL)
            print_error("%s\n", err.msg);
        assert_non_null(strstr(err.msg, bad[i].message));
        assert_int_equal(err.line, bad[i].line);
        assert_int_equal(d.n_pair, 0);
        assert_null(d.pair);
    }
    write_fast(path, "a b\nc\0d e\n", 10);
    assert_int_equal(ig_dictionary_read(&d, path, false, &err), IG_ERR_INPUT);
    assert_int_equal(err.line, 2);
    assert_int_equal(ig_dictionary_read(&d, "/nowhere/x", false, &err), IG_ERR_IO);
}

static void fill(ig_lexicon *w, const char *const *words, int n)
{
    int32_t id;
    ig_err err;
    *w = (ig_lexicon){0};
    for (int i = 0; i < n; i++)
        assert_ok(ig_lexicon_add(w, words[i], (int64_t)strlen(words[i]), &id, &err), &err);
}

/* MUSE and VecMap: a source word counts when it and one of its translations are known. */
static void known(void **state)
{
    (void)state;
    static const char *const source[] = {"the", "dog", "house", "sun"};
    static const char *const target[] = {"la", "casa", "el", "hogar", "perro"};
    ig_lexicon s, t;
    ig_dictionary d;
    ig_dictionary_rows r;
    ig_err err;
    fill(&s, source, 4);
    fill(&t, target, 5);
    assert_ok(read_text(&d,
                        "house casa\nhouse hogar\nhouse vivienda\nthe el\nthe la\nthe los\n"
                        "sun sol\ncat gato\ncat casa\n",
                        false, &err),
              &err);
    assert_ok(ig_dictionary_find(&r, &d, &s, &t, &err), &err);
    assert_int_equal(r.all_pair, 9);
    assert_int_equal(r.all_query, 4);
    assert_int_equal(r.n_pair, 4);
    assert_int_equal(r.n_query, 2);
    assert_int_equal(r.unknown_source, 1); /* cat */
    assert_int_equal(r.unknown_target, 1); /* sun */
    static const int32_t pair[] = {0, 0, 0, 2, 2, 1, 2, 3}, query[] = {0, 2};
    static const int32_t answer[] = {0, 2, 1, 3};
    static const int64_t start[] = {0, 2, 4};
    assert_memory_equal(r.pair, pair, sizeof pair);
    assert_memory_equal(r.query, query, sizeof query);
    assert_memory_equal(r.answer, answer, sizeof answer);
    assert_memory_equal(r.start, start, sizeof start);
    ig_dictionary_rows_free(&r);
    assert_ok(ig_dictionary_find(&r, &d, &t, &s, &err), &err);
    assert_int_equal(r.n_pair, 0);
    assert_int_equal(r.start[0], 0);
    assert_int_equal(r.unknown_source, 4);
    ig_dictionary_rows_free(&r);
    ig_dictionary_free(&d);
    ig_lexicon_free(&s);
    ig_lexicon_free(&t);
}

static int end(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(counts_and_comments),
        cmocka_unit_test(refused),
        cmocka_unit_test(known),
    };
    snprintf(path, sizeof path, "/tmp/isoglot-test-dictionary-%ld", (long)getpid());
    return cmocka_run_group_tests(tests, NULL, end);
}
