/* SPDX-License-Identifier: Apache-2.0
 *
 * Cleaning and sentence breaking: cases written by hand, and that no character is lost or moved.
 */
#include "test.h"

#include "base/rng.h"
#include "text/sentence.h"

#include <stdlib.h>
#include <string.h>

static void cleaning(void **state)
{
    (void)state;
    static const struct {
        const char *in, *kept, *stripped;
    } c[] = {
        {"", "", ""},
        {" \t ", "", ""},
        {"a", "a", "a"},
        {"  a \t\t b\xC2\xA0\xE2\x80\x83\x63 ", "a b c", "a b c"},
        {"“Go,” he said (to ‘them’).", "“Go,” he said (to ‘them’).", "Go, he said to them."},
        {"( a )", "( a )", "a"},
        {"don’t", "don’t", "dont"},
        {"a “ b", "a “ b", "a b"},
        {"\"x\" 'y' [z]", "\"x\" 'y' [z]", "\"x\" 'y' [z]"},
        {"日 本　語", "日 本 語", "日 本 語"},
        {"\x01z", "\x01z", "\x01z"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        char out[64] = "";
        size_t n = strlen(c[i].in);
        int64_t k = ig_text_clean(out, c[i].in, (int64_t)n, false);
        assert_int_equal(k, strlen(c[i].kept));
        assert_memory_equal(out, c[i].kept, (size_t)k);
        memcpy(out, c[i].in, n);
        k = ig_text_clean(out, out, (int64_t)n, true); /* in place */
        assert_int_equal(k, strlen(c[i].stripped));
        assert_memory_equal(out, c[i].stripped, (size_t)k);
    }
}

/* The sentences of `text`, joined with " | ". */
static const char *broken(const char *text, const char *locale, bool abbreviations, bool clauses)
{
    static char out[1024];
    ig_err err = {0};
    ig_sentence_breaker *b;
    const char *s;
    int64_t n, at = 0;
    assert_ok(ig_sentence_breaker_new(&b, locale, abbreviations, clauses, &err), &err);
    assert_ok(ig_sentence_begin(b, "An earlier text. It is not used up.", 35, &err), &err);
    assert_true(ig_sentence_next(b, &s, &n));
    assert_ok(ig_sentence_begin(b, text, (int64_t)strlen(text), &err), &err);
    while (ig_sentence_next(b, &s, &n))
        at += snprintf(out + at, sizeof out - (size_t)at, "%s%.*s", at > 0 ? " | " : "", (int)n, s);
    assert_false(ig_sentence_next(b, &s, &n));
    ig_sentence_breaker_free(b);
    out[at] = '\0';
    return out;
}

static void breaks(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain, *clauses;
    } c[] = {
        {"", "", ""},
        {"   ", "", ""},
        {"one", "one", "one"},
        {"One. Two! Three? four", "One. | Two! | Three? | four", "One. | Two! | Three? | four"},
        {"A: b; c.", "A: b; c.", "A: | b; | c."},
        {"At 10:30 it;was", "At 10:30 it;was", "At 10:30 it;was"},
        {"He said “Go.” Then he went.", "He said “Go.” | Then he went.",
         "He said “Go.” | Then he went."},
        {"It cost 3.5 pounds. Yes", "It cost 3.5 pounds. | Yes", "It cost 3.5 pounds. | Yes"},
        {"Words... and more", "Words... and more", "Words... and more"},
        {"太初有道。道與神同在；道就是神。", "太初有道。 | 道與神同在；道就是神。",
         "太初有道。 | 道與神同在； | 道就是神。"},
        {"क्या है? हाँ। ठीक", "क्या है? | हाँ। | ठीक", "क्या है? | हाँ। | ठीक"},
        {"; ;", "; ;", "; | ;"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        assert_string_equal(broken(c[i].text, NULL, false, false), c[i].plain);
        assert_string_equal(broken(c[i].text, "en", false, true), c[i].clauses);
    }
    assert_string_equal(broken("Mr. Smith came. He sat.", "en", false, false),
                        "Mr. | Smith came. | He sat.");
    assert_string_equal(broken("Mr. Smith came. He sat.", "en", true, false),
                        "Mr. Smith came. | He sat.");
}

/* Random texts of marks, letters and spaces: the sentences lie in the text one after another,
 * begin and end with no space, and only white space lies between them. */
static void nothing_is_lost(void **state)
{
    (void)state;
    static const char *const part[] = {"a",  "B",  ".",        "!", "?", ";", ":",
                                       " ",  " ",  "  ",       "”", "(", ")", "3",
                                       "。", "；", "\xC2\xA0", "é", "-", ",", "Mr."};
    ig_err err = {0};
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 0, 0);
    ig_sentence_breaker *b[2];
    assert_ok(ig_sentence_breaker_new(&b[0], "en", false, false, &err), &err);
    assert_ok(ig_sentence_breaker_new(&b[1], "en", true, true, &err), &err);
    for (int round = 0; round < 3000; round++) {
        char text[200] = "";
        int k = (int)ig_rng_below(&r, 40);
        for (int i = 0; i < k; i++)
            strcat(text, part[ig_rng_below(&r, sizeof part / sizeof *part)]);
        int64_t size = (int64_t)strlen(text);
        for (int v = 0; v < 2; v++) {
            const char *s, *at = text;
            int64_t n;
            assert_ok(ig_sentence_begin(b[v], text, size, &err), &err);
            while (ig_sentence_next(b[v], &s, &n)) {
                char none[8];
                assert_true(n > 0 && s >= at && s + n <= text + size);
                assert_int_equal(ig_text_clean(none, at, s - at, false), 0);
                assert_true(*s != ' ' && s[n - 1] != ' ');
                at = s + n;
            }
            char none[8];
            assert_int_equal(ig_text_clean(none, at, text + size - at, false), 0);
        }
    }
    ig_sentence_breaker_free(b[0]);
    ig_sentence_breaker_free(b[1]);
    ig_sentence_breaker_free(NULL);
}

static void bad_locale(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_sentence_breaker *b;
    assert_int_equal(ig_sentence_breaker_new(&b, "en@lb=strict", false, false, &err), IG_ERR_USAGE);
    char longer[200];
    memset(longer, 'x', 199);
    longer[199] = '\0';
    assert_int_equal(ig_sentence_breaker_new(&b, longer, true, false, &err), IG_ERR_USAGE);
    assert_null(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleaning),
        cmocka_unit_test(breaks),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(bad_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
