/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptions of languages: what is read, what is refused, and where the mistake is.
 */
#include "test.h"

#include "corpus/language/language_spec.h"

#include <string.h>

static ig_language_words l[8];

static void properties_are_read(void **state)
{
    (void)state;
    ig_err err = {0};
    int n;
    assert_ok(
        ig_language_spec_parse(
            l, &n, 8,
            " en ; de( text = deu, share=0.5,vocab=own ,dev=kjv, take=10)= drop:2 | tokenize | "
            "shift;x(world=SOV+post) ; y(world)=tokenize; z = invert | tokenize;",
            &err),
        &err);
    assert_int_equal(n, 5);
    assert_string_equal(l[0].name, "en");
    assert_true(l[0].words[0] == '\0' && l[0].pipeline[0] == '\0' && l[0].share == 1);
    assert_string_equal(l[1].name, "de");
    assert_string_equal(l[1].text, "deu");
    assert_string_equal(l[1].dev, "kjv");
    assert_string_equal(l[1].vocab, "own");
    assert_true(l[1].share == 0.5 && l[1].take == 10);
    assert_string_equal(l[1].words, "drop:2");
    assert_string_equal(l[1].pipeline, "shift");
    assert_true(l[2].world && l[3].world && !l[4].world);
    assert_string_equal(l[2].grammar, "SOV,post");
    assert_string_equal(l[3].grammar, "");
    assert_string_equal(l[4].words, "invert");
    assert_string_equal(l[4].pipeline, "");
    assert_false(ig_language_words_any(l, 1));
    assert_true(ig_language_words_any(l, 2));
    assert_false(ig_language_words_any(l + 3, 0));
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    const char *const bad[][3] = {
        {"en; fake = shfit", "character 12: unknown transform 'shfit'", "did you mean 'shift'?"},
        {"en; fake = codepoint | tokenize", "character 12: unknown transform of words 'codepoint'",
         "did you mean 'codepoints'?"},
        {"en; fake = codepoints | shift", "character 12: unknown transform 'codepoints'",
         "stand before 'tokenize'"},
        {"a; b = shift | | invert", "character 16: nothing here, expected a transform", ""},
        {"a; b = tokenize |", "character 17: nothing after '|'", ""},
        {"a; b = | tokenize", "character 8: nothing here", ""},
        {"a(txt=x)", "character 3: 'txt' is not a property", "did you mean 'text'?"},
        {"a(text=x, text=y)", "character 11: text is given twice", ""},
        {"ä; é = shift | äé", "character 16: unknown transform 'äé'", ""},
        {"ä(vocab=é) = äé | tokenize", "character 14: unknown transform of words 'äé'", ""},
        {"ä; é = invert | äé | tokenize", "character 17: unknown transform of words 'äé'", ""},
        {"a = switch:é,1 | ä | tokenize", "character 18: unknown transform of words 'ä'", ""},
        {"a(text)", "character 3: text has no value", ""},
        {"a(text=a b)", "character 8: text is 'a b', expected a name", ""},
        {"a(share=0)", "character 9: share is '0', expected a number above 0", ""},
        {"a(take=x)", "take is 'x'", ""},
        {"a(text=x", "character 2: '(' without ')'", ""},
        {"a(text=x) shift", "character 11: found 'shift', expected '='", ""},
        {"a; a", "character 4: two languages are called 'a'", ""},
        {"= shift", "character 1: language 1 has no name", ""},
        {"a(world=SOW)", "SOW", ""},
        {"a(world=SOV, text=b)", "has a world and a text", ""},
        {" ; ", "found none", ""},
        {"a;b;c;d;e;f;g;h;i", "character 17: more than 8 languages", ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_err err = {0};
        int n;
        assert_int_equal(ig_language_spec_parse(l, &n, 8, bad[i][0], &err), IG_ERR_USAGE);
        if (strstr(err.msg, bad[i][1]) == NULL || strstr(err.hint, bad[i][2]) == NULL)
            fail_msg("'%s': '%s', '%s' do not say '%s', '%s'", bad[i][0], err.msg, err.hint,
                     bad[i][1], bad[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_are_read),
        cmocka_unit_test(mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
