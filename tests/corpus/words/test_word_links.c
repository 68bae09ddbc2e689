/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of word alignments: both forms, both bases, possible links, every mistake with its line;
 * and the scores against a gold standard.
 */
#include "corpus/words/word_links.h"
#include "fault.h"
#include "analyse/links/alignment_error.h"

/* In double; NaN is near nothing. */
#define assert_near(got, want, tolerance) assert_true(fabs((got) - (want)) <= (tolerance))

static char dir[256], path[300];

static int set_up(void **state)
{
    (void)state;
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/links", dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ig_err err;
    assert_ok(ig_dir_remove(dir, &err), &err);
    return 0;
}

/* Reads all; writes what it read as text, "a-b" sure, "apb" possible, lines parted by '|'. */
static ig_code read_all(const char *text, int base, char *out, size_t size, ig_err *err)
{
    ig_word_link_reader *r;
    size_t used = 0;
    write_fast(path, text, (int64_t)strlen(text));
    out[0] = '\0';
    ig_code code = ig_word_links_open(&r, path, base, err);
    for (bool end = false; code == IG_ERR_OK && !end;) {
        ig_word_links l;
        code = ig_word_links_next(r, &l, &end, err);
        for (int32_t i = 0; i < l.n && code == IG_ERR_OK && !end; i++)
            used += (size_t)snprintf(out + used, size - used, "%s%d%c%d", i > 0 ? " " : "",
                                     l.link[i].a, l.link[i].possible ? 'p' : '-', l.link[i].b);
        if (code == IG_ERR_OK && !end)
            used += (size_t)snprintf(out + used, size - used, "(%d,%d)|", l.n_a, l.n_b);
    }
    ig_word_links_close(r);
    return code;
}

static void test_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int base;
        const char *want;
    } cases[] = {
        {"0-0 1-2\n\n2-0 1-1 0-5\n", 0, "0-0 1-2(-1,-1)|(-1,-1)|0-5 1-1 2-0(-1,-1)|"},
        {"1-1  2p3 3?1 \r\n", 1, "0-0 1p2 2p0(-1,-1)|"},
        {"0p0 0-0 1p1 1p1\n", 0, "0-0 1p1(-1,-1)|"},
        {"a b  c\td\t2-0 0-0\nx\ty\t\n", 0, "0-0 2-0(3,1)|(1,1)|"},
        {"", 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[300];
        ig_err err = {0};
        assert_ok(read_all(cases[i].text, cases[i].base, got, sizeof got, &err), &err);
        assert_string_equal(got, cases[i].want);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int base;
        uint64_t line;
        const char *part, *hint;
    } cases[] = {
        {"0-0\n0-x\n", 0, 2, "found '0-x', expected links such as 0-1, or 0p1", ""},
        {"0\n", 0, 1, "found '0'", ""},
        {"-0-1\n", 0, 1, "found '-0-1'", ""},
        {"0-1-2\n", 0, 1, "found '0-1-2'", ""},
        {"0--1\n", 0, 1, "found '0--1'", ""},
        {"0-1,1-1\n", 0, 1, "found '0-1,1-1'", ""},
        {"a b c\n", 0, 1, "found 'a', expected", ""},
        {"0-12345678\n", 0, 1, "found '0-12345678'", ""},
        {"0-9999999\n", 0, 1, "found link 0-9999999, expected places from 0", ""},
        {"1-1\n0-1\n", 1, 2, "found link 0-1", "do the places count from 0? --base 0"},
        {"a b\tc d\t0-0 2-2\n", 0, 1, "found link 2-2, expected places from 0 to 1 and 1",
         "do the places count from 1? --base 1"},
        {"a b\tc d\n", 0, 1, "found 2 columns, expected links alone, or", ""},
        {"a\tb\t0-0\tx\n", 0, 1, "found at least 4 columns", ""},
        {"a\tb\t0-0\n0-0\n", 0, 2, "found 1 column, expected two sentences and their links", ""},
        {"0-0\na\tb\t0-0\n", 0, 2, "found 3 columns, expected links alone", ""},
        {"0-0 \xFF\n", 0, 1, "expected UTF-8",
         "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[300];
        ig_err err = {0};
        assert_int_equal(read_all(cases[i].text, cases[i].base, got, sizeof got, &err),
                         IG_ERR_INPUT);
        if (strstr(err.msg, cases[i].part) == NULL || err.line != cases[i].line)
            fail_msg("case %zu: line %llu: '%s'", i, (unsigned long long)err.line, err.msg);
        assert_string_equal(err.hint, cases[i].hint);
        assert_string_equal(err.where, path);
    }
}

static void test_error_rate(void **state)
{
    (void)state;
    static const ig_word_link gold[] = {{0, 0, false}, {1, 1, false}, {1, 2, true}, {3, 3, false}};
    static const ig_word_link mine[] = {{0, 0, false}, {1, 2, false}, {2, 2, false}};
    ig_alignment_error e = {0};
    ig_word_links g = {.link = gold, .n = 4}, m = {.link = mine, .n = 3}, none = {0};
    ig_alignment_error_add(&e, &m, &g);
    assert_int_equal(e.n_sure, 3);
    assert_int_equal(e.n_possible, 4);
    assert_int_equal(e.right_sure, 1);
    assert_int_equal(e.right_possible, 2);
    ig_alignment_error_score s = ig_alignment_error_get(&e);
    assert_near(s.precision, 2.0 / 3, 1e-15);
    assert_near(s.recall, 1.0 / 3, 1e-15);
    assert_near(s.f1, 4.0 / 9, 1e-15);
    assert_near(s.aer, 1 - 3.0 / 6, 1e-15);
    /* Gold against itself; where all is sure AER is 1 − F1. */
    ig_alignment_error same = {0};
    ig_alignment_error_add(&same, &g, &g);
    assert_near(ig_alignment_error_get(&same).precision, 1, 0);
    assert_near(ig_alignment_error_get(&same).aer, 0, 0);
    ig_alignment_error sure = {0};
    g.n = 2;
    ig_alignment_error_add(&sure, &m, &g);
    s = ig_alignment_error_get(&sure);
    assert_near(s.aer, 1 - s.f1, 1e-15);
    /* Nothing found, nothing to find. */
    ig_alignment_error empty = {0};
    ig_alignment_error_add(&empty, &none, &none);
    assert_true(isnan(ig_alignment_error_get(&empty).aer));
    ig_alignment_error blind = {0};
    ig_alignment_error_add(&blind, &none, &g);
    assert_true(isnan(ig_alignment_error_get(&blind).precision));
    assert_near(ig_alignment_error_get(&blind).recall, 0, 0);
    assert_near(ig_alignment_error_get(&blind).aer, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_error_rate)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
