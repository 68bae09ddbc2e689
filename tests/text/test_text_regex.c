/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of tokenizer.json: spans written out by hand, for each class of characters and for
 * what a match of nothing does; what is refused is in test_pipelines.c.
 */
#include "text/text_regex.h"
#include "base/memory.h"
#include "test.h"

#include <string.h>

/* The matches in brackets, the rest as it is. */
static void marked(const char *pattern, const char *text, const char *expected)
{
    ig_text_regex *r;
    ig_text_spans s = {0};
    ig_err err;
    char out[256] = "";
    assert_ok(ig_text_regex_new(&r, pattern, "key", "where", &err), &err);
    assert_ok(ig_text_regex_spans(r, (const uint8_t *)text, (int64_t)strlen(text), &s, &err), &err);
    int64_t end = 0;
    for (int64_t i = 0; i < s.n; i++) {
        assert_int_equal(s.span[i].from, end);
        end = s.span[i].to;
        const size_t at = strlen(out);
        snprintf(out + at, sizeof out - at, s.span[i].match ? "[%.*s]" : "%.*s",
                 (int)(end - s.span[i].from), text + s.span[i].from);
    }
    assert_int_equal(end, (int64_t)strlen(text));
    if (strcmp(out, expected) != 0)
        fail_msg("%s in '%s' gives '%s', expected '%s'", pattern, text, out, expected);
    ig_free(s.span);
    ig_text_regex_free(r);
}

static void classes(void **state)
{
    (void)state;
    marked("\\s",
           "a b\xC2\xA0"
           "c\xE3\x80\x80\xC2\x85"
           "d\xE2\x80\x8B"
           "e",
           "a[ ]b[\xC2\xA0]c[\xE3\x80\x80][\xC2\x85]d\xE2\x80\x8B"
           "e");
    marked("\\S+",
           " a\xC2\xA0"
           "b",
           " [a]\xC2\xA0[b]");
    marked("\\w+",
           "a_1\xCC\x81-\xD9\xA3\xE2\x80\x8D"
           "b",
           "[a_1\xCC\x81]-[\xD9\xA3]\xE2\x80\x8D[b]");
    marked("\\w+", "x\xC2\xB2-\xC2\xBD\xE2\x85\x93", "[x\xC2\xB2]-[\xC2\xBD]\xE2\x85\x93");
    marked("[\\w]+", "x\xC2\xB2-\xC2\xBD", "[x]\xC2\xB2-\xC2\xBD");
    marked("\\W+", "x\xC2\xB2-_\xC2\xBD,", "x\xC2\xB2[-]_\xC2\xBD[,]");
    marked("[\\W_]+", "x\xC2\xB2-_\xC2\xBD,", "x[\xC2\xB2-_\xC2\xBD,]");
    marked("[^\\W\\d_]+", "x\xC2\xB2-_1y", "[x]\xC2\xB2-_1[y]");
    marked("\\D", "1\xD9\xA3\xC2\xBD", "1\xD9\xA3[\xC2\xBD]");
    marked("\\d", "1\xD9\xA3\xC2\xBD", "[1][\xD9\xA3]\xC2\xBD");
    marked("\\p{N}+",
           "1\xD9\xA3\xC2\xBD"
           "a",
           "[1\xD9\xA3\xC2\xBD]a");
    marked("[^\\s\\p{L}]+",
           "a1,\xC2\xA0"
           "b",
           "a[1,]\xC2\xA0"
           "b");
    marked("[&${}#|.\\-]+", "a$&{}#|.-b", "a[$&{}#|.-]b");
}

static void forms(void **state)
{
    (void)state;
    marked("(?i:'s|'t)", "it's IT'S can'T", "it['s] IT['S] can['T]");
    marked("a{2,3}", "a aa aaaaa", "a [aa] [aaa][aa]");
    marked("\\s+(?!\\S)|\\s+", "a   b  ", "a[  ][ ]b[  ]");
    marked("(?<=a)b|(?<!a)c", "abcbac", "a[b][c]bac");
    marked("(?:ab|c)+|(d)", "ababcd", "[ababc][d]");
    marked("a++a|b", "aaab", "aaa[b]");
    marked("x*", "axb", "[]a[x]b[]");
    marked("\\.|\\[|\\^", "a.[^", "a[.][[][^]");
    marked("a", "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes), cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
