/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of words on writing as it is: letters and endings keep to their script, words are cut
 * between characters as a reader sees them, what is spared is spared, and resampled text has the
 * frequencies of the text also for words that end lines.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "corpus/read/sentences.h"
#include "corpus/words/word_step.h"
#include "text/normalize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

static ig_err err;

/* The words of a text between blanks, as a sentence; word k covers the units of word k. */
static void words(ig_phrase *p, const char *text)
{
    assert_ok(ig_phrase_clear(p, &err), &err);
    while (*text != '\0') {
        const size_t n = strcspn(text, " ");
        assert_ok(ig_phrase_add(p, text, (int64_t)n, &err), &err);
        assert_ok(ig_phrase_cover_units(p, (p->n - 1) * IG_TRACE_UNIT, p->n * IG_TRACE_UNIT, &err),
                  &err);
        text += n + (text[n] == ' ');
    }
}

/* A pipeline that has seen the n lines, each `times` times. */
static void make(ig_word_pipeline *p, const char *steps, const char *const *line, int n, int times)
{
    static const ig_file_finder no_files = {0};
    ig_phrase s = {0};
    assert_ok(ig_word_pipeline_parse(p, steps, "x", 1, &err), &err);
    assert_ok(ig_word_pipeline_begin(p, 1, "x", &no_files, &err), &err);
    for (int step = ig_word_pipeline_sees(p, 0); step < p->n;
         step = ig_word_pipeline_sees(p, step + 1)) {
        for (int i = 0; i < n * times; i++) {
            words(&s, line[i % n]);
            assert_ok(ig_word_pipeline_see(p, step, i, &s, &err), &err);
        }
        assert_ok(ig_word_pipeline_ready(p, step, &err), &err);
    }
    ig_phrase_free(&s);
}

/* Returns the transformed line number i; words separated by blanks. */
static const char *run(ig_word_pipeline *p, int64_t i, const char *line)
{
    static char text[4096];
    const ig_phrase *out;
    ig_phrase s = {0};
    words(&s, line);
    assert_ok(ig_word_pipeline_run(p, i, &s, &out, &err), &err);
    text[0] = '\0';
    for (int32_t k = 0; k < out->n; k++) {
        if (k > 0)
            strcat(text, " ");
        strcat(text, ig_phrase_word(out, k));
    }
    ig_phrase_free(&s);
    return text;
}

/* The script of the first letter that has one of its own, from byte `from` on. */
static UScriptCode script_at(const char *word, int32_t *from)
{
    UErrorCode e = U_ZERO_ERROR;
    UChar32 c;
    U8_NEXT(word, *from, -1, c);
    const UScriptCode s = uscript_getScript(c, &e);
    assert_true(U_SUCCESS(e));
    return s;
}

static const char *const mixed[] = {"in the beginning God created the heaven and the earth",
                                    "в начале сотворил Бог небо и землю",
                                    "ἐν ἀρχῇ ἦν ὁ λόγος καὶ ὁ λόγος ἦν πρὸς τὸν Θεόν",
                                    "בראשית ברא אלהים את השמים ואת הארץ",
                                    "आदि में परमेश्वर ने आकाश और पृथ्वी की सृष्टि की",
                                    "起 初 神 创 造 天 地"};
enum { N_MIXED = sizeof mixed / sizeof *mixed };

/* Letter by letter the same script, some letters others, capitals where there were some. */
static void a_cipher_keeps_scripts_apart(void **state)
{
    (void)state;
    ig_word_pipeline p;
    make(&p, "cipher", mixed, N_MIXED, 1);
    for (int i = 0; i < N_MIXED; i++) {
        const char *out = run(&p, i, mixed[i]);
        int32_t a = 0, b = 0;
        while (mixed[i][a] != '\0')
            assert_int_equal(script_at(mixed[i], &a), script_at(out, &b));
        assert_int_equal(out[b], '\0');
        assert_string_not_equal(out, mixed[i]);
    }
    ig_word_pipeline_free(&p);
}

static void an_ending_is_of_its_words_script(void **state)
{
    (void)state;
    ig_word_pipeline p;
    make(&p, "affix:64,1", mixed, N_MIXED, 1);
    for (int i = 0; i < N_MIXED; i++) {
        char was[64], is[64];
        const char *a = mixed[i], *b = run(&p, i, mixed[i]);
        int n = 0;
        while (sscanf(a, "%63s%n", was, &n) == 1) {
            int m = 0, letters = 0;
            assert_int_equal(sscanf(b, "%63s%n", is, &m), 1);
            assert_memory_equal(is, was, strlen(was));
            int32_t from = 0;
            const UScriptCode own = script_at(was, &from);
            for (from = (int32_t)strlen(was); is[from] != '\0'; letters++)
                assert_int_equal(script_at(is, &from), own);
            assert_int_equal(letters, 3);
            a += n;
            b += m;
        }
    }
    ig_word_pipeline_free(&p);
    /* As many endings as were asked for, in every script with letters enough. */
    const char *const line[] = {"и"};
    make(&p, "affix:5,1", mixed, N_MIXED, 1);
    char seen[8][64];
    int n = 0;
    for (int i = 0; i < 200; i++) {
        const char *out = run(&p, i, line[0]);
        int k = 0;
        while (k < n && strcmp(seen[k], out) != 0)
            k++;
        if (k == n) {
            assert_true(n < 5);
            strcpy(seen[n++], out);
        }
    }
    assert_int_equal(n, 5);
    ig_word_pipeline_free(&p);
}

/* Devanagari with vowel signs, a letter with two combining accents, a flag: where the cut may be.
 */
static void words_are_split_between_clusters(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        const char *part[3]; /* its clusters */
    } of[] = {{"कीमि", {"की", "मि", ""}},
              {"e\xCC\x81\xCC\xA3o\xCC\x88", {"e\xCC\x81\xCC\xA3", "o\xCC\x88", ""}},
              {"a\xCC\x8A"
               "bc\xCC\xA7",
               {"a\xCC\x8A", "b", "c\xCC\xA7"}}};
    ig_word_pipeline p;
    make(&p, "split:1", NULL, 0, 0);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char first[64], second[64];
        snprintf(first, sizeof first, "%s %s%s", of[i].part[0], of[i].part[1], of[i].part[2]);
        snprintf(second, sizeof second, "%s%s %s", of[i].part[0], of[i].part[1], of[i].part[2]);
        const char *out = run(&p, 0, of[i].word);
        if (strcmp(out, first) != 0 && (of[i].part[2][0] == '\0' || strcmp(out, second) != 0))
            fail_msg("'%s' became '%s'", of[i].word, out);
    }
    /* One cluster of two code points is one character, and stays. */
    assert_string_equal(run(&p, 0, "की"), "की");
    ig_word_pipeline_free(&p);
}

static void dropping_spares_what_it_says(void **state)
{
    (void)state;
    static const char *const line[] = {", , , , 12 12 12 12 the the the . . . .",
                                       "the house , the 12 ."};
    ig_word_pipeline p;
    make(&p, "drop:2", line, 2, 1); /* "the" and "house": words alone are counted */
    assert_string_equal(run(&p, 0, "the house , the 12 ."), ", 12 .");
    assert_string_equal(run(&p, 0, "the house the"), "the"); /* one word is spared */
    assert_string_equal(run(&p, 0, "The house"), "The");     /* another word: it was never seen */
    ig_word_pipeline_free(&p);
}

/* Every line is "a (b c) …": a closing bracket nearly always ends a line, once another follows. */
static void a_lines_end_is_an_event(void **state)
{
    (void)state;
    static const char *const line[] = {"he said ( so it was told )",
                                       "she went to the house .",
                                       "and it was so .",
                                       "he was in the house ( of his father )",
                                       "so she said that it was told to him .",
                                       "( it was so ) )"};
    enum { LINES = 6, TIMES = 40 };
    for (int order = 2; order <= 4; order++) {
        char steps[16];
        ig_word_pipeline p;
        snprintf(steps, sizeof steps, "ngrams:%d", order);
        make(&p, steps, line, LINES, TIMES);
        int closing[2] = {0}, stop[2] = {0}, n = 0;
        for (int i = 0; i < LINES * TIMES; i++) {
            const char *text[2] = {line[i % LINES], run(&p, i, line[i % LINES])};
            for (int k = 0; k < 2; k++) {
                const char *last = strrchr(text[k], ' ') + 1;
                int length = 1;
                for (const char *c = text[k]; *c != '\0'; c++) {
                    closing[k] += *c == ')';
                    stop[k] += *c == '.';
                    length += *c == ' ';
                }
                n = k == 0 ? length : n;
                assert_int_equal(length, n);
                assert_true(strcmp(last, ")") == 0 || strcmp(last, ".") == 0);
            }
        }
        /* Before, brackets ran on: more than four times as many. 160 and 120 are expected of 240
         * lines, a standard deviation below 12. */
        assert_true(abs(closing[1] - closing[0]) < 48);
        assert_true(abs(stop[1] - stop[0]) < 48);
        ig_word_pipeline_free(&p);
    }
}

/* The Bible in Basic English, verses as lines: no frequent word moves far from its frequency, and
 * ")" stays as rare as it is. */
static void frequencies_of_a_bible(void **state)
{
    (void)state;
    const char *shared = getenv("ISOGLOT_TEST_SHARED");
    static const ig_file_finder no_files = {0};
    char bbe[512];
    snprintf(bbe, sizeof bbe, "%s/data/bible/eng-bbe.tsv.zst",
             shared != NULL ? shared : IG_SOURCE_DIR "/../shared");
    if (!ig_file_exists(bbe)) {
        skip_here("no %s", bbe);
        skip();
    }
    ig_chars *chars;
    ig_word_pipeline p;
    ig_phrase s = {0};
    const char *path[] = {bbe};
    const ig_sentence_options o = {.whole_lines = true};
    const char *const word[] = {")", ".", ",", "the", "and", "Lord", "said", "?"};
    enum { WORDS = sizeof word / sizeof *word };
    int64_t count[2][WORDS] = {{0}};
    assert_ok(ig_chars_new(&chars, &(ig_chars_rules){0}, &err), &err);
    assert_ok(ig_word_pipeline_parse(&p, "ngrams", "x", 1, &err), &err);
    assert_ok(ig_word_pipeline_begin(&p, 1, "x", &no_files, &err), &err);
    for (int pass = 0; pass < 2; pass++) {
        ig_sentences *text;
        const char *t;
        int64_t n, i = 0;
        assert_ok(ig_sentences_open(&text, path, 1, &o, &err), &err);
        for (;; i++) {
            const ig_phrase *out = &s;
            assert_ok(ig_sentences_next(text, &t, &n, &err), &err);
            if (t == NULL)
                break;
            assert_ok(ig_phrase_clear(&s, &err), &err);
            assert_ok(ig_phrase_read(&s, chars, t, n, &err), &err);
            if (pass == 0)
                assert_ok(ig_word_pipeline_see(&p, 0, i, &s, &err), &err);
            else
                assert_ok(ig_word_pipeline_run(&p, i, &s, &out, &err), &err);
            for (int32_t k = 0; k < out->n; k++)
                for (int w = 0; w < WORDS; w++)
                    count[pass][w] += strcmp(ig_phrase_word(out, k), word[w]) == 0;
        }
        ig_sentences_close(text);
        if (pass == 0)
            assert_ok(ig_word_pipeline_ready(&p, 0, &err), &err);
    }
    for (int w = 0; w < WORDS; w++)
        print_message("%s: %lld in the text, %lld drawn\n", word[w], (long long)count[0][w],
                      (long long)count[1][w]);
    /* Six standard deviations of independent draws; counts that depend on each other vary more. */
    for (int w = 0; w < WORDS; w++)
        assert_true(llabs(count[1][w] - count[0][w]) < 6 * (int64_t)sqrt((double)count[0][w]));
    ig_word_pipeline_free(&p);
    ig_phrase_free(&s);
    ig_chars_free(chars);
}

static ig_code a_school(void *arg, const char *name, ig_pair_fn *each, void *each_arg, ig_err *e)
{
    (void)arg;
    (void)name;
    IG_TRY(each(each_arg, "он", "he", e));
    return each(each_arg, "école", "school", e);
}

/* A word is looked up in lower case, whatever its letters. */
static void switching_lowers_every_script(void **state)
{
    (void)state;
    const ig_file_finder files = {.dictionary = a_school};
    ig_word_pipeline p;
    assert_ok(ig_word_pipeline_parse(&p, "switch:d,1", "x", 1, &err), &err);
    assert_ok(ig_word_pipeline_begin(&p, 1, "x", &files, &err), &err);
    assert_string_equal(run(&p, 0, "Он ОН École ÉCOLE école Ов"), "he he school school school Ов");
    ig_word_pipeline_free(&p);
}

/* A word that no dictionary has room for, and its pair. */
static void long_words_have_no_homograph(void **state)
{
    (void)state;
    static char line[3 * IG_WORD_BYTES];
    const char *const one[] = {line};
    char to[2 * IG_WORD_BYTES] = "";
    ig_word_pipeline p;
    for (size_t n = IG_WORD_BYTES - 1; n <= IG_WORD_BYTES + 200; n += 201) {
        memset(line, 'a', 2 * n + 1);
        line[n] = ' ';
        strcpy(line + 2 * n + 1, " b");
        make(&p, "homographs:1", one, 1, 1);
        assert_int_equal(ig_word_pipeline_map(&p, "b", false, to), n < IG_WORD_BYTES);
        assert_int_equal(to[IG_WORD_BYTES], '\0');
        assert_memory_equal(run(&p, 0, "b"), line, n);
        ig_word_pipeline_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cipher_keeps_scripts_apart),
        cmocka_unit_test(an_ending_is_of_its_words_script),
        cmocka_unit_test(words_are_split_between_clusters),
        cmocka_unit_test(dropping_spares_what_it_says),
        cmocka_unit_test(switching_lowers_every_script),
        cmocka_unit_test(long_words_have_no_homograph),
        cmocka_unit_test(a_lines_end_is_an_event),
        cmocka_unit_test(frequencies_of_a_bible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
