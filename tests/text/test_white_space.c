/* SPDX-License-Identifier: Apache-2.0
 *
 * White space: the characters at which Python 3's str.split() cuts, and what readers make of them.
 */
#include "test.h"

#include "corpus/read/text_stats.h"
#include "analyse/links/ibm2.h"
#include "text/sentence.h"
#include "text/utf8.h"
#include "text/white_space.h"

#include <stdlib.h>
#include <string.h>

/* [c for c in range(0x110000) if chr(c).isspace()] */
static const uint32_t white[] = {0x9,    0xA,    0xB,    0xC,    0xD,    0x1C,   0x1D,   0x1E,
                                 0x1F,   0x20,   0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002,
                                 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A,
                                 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
enum { N_WHITE = sizeof white / sizeof *white };

static void as_python(void **state)
{
    (void)state;
    int k = 0;
    for (uint32_t c = 0; c < 0x110000; c++) {
        const bool is = k < N_WHITE && c == white[k];
        if (ig_is_white_space(c) != is)
            fail_msg("U+%04X", c);
        k += is;
    }
    assert_int_equal(k, N_WHITE);
}

static void words(void **state)
{
    (void)state;
    static const char text[] = "\xC2\xA0"
                               "ab c\xE3\x80\x80\xC3\xA9\t";
    const char *at = text, *const end = text + sizeof text - 1;
    int64_t n;
    assert_ptr_equal(ig_next_word(&at, end, &n), text + 2);
    assert_int_equal(n, 2);
    assert_ptr_equal(ig_next_word(&at, end, &n), text + 5);
    assert_int_equal(n, 1);
    assert_ptr_equal(ig_next_word(&at, end, &n), text + 9);
    assert_int_equal(n, 2);
    assert_null(ig_next_word(&at, end, &n));
    assert_int_equal(ig_n_words(text, sizeof text - 1), 3);
    assert_int_equal(ig_n_words("", 0), 0);
    assert_true(ig_is_blank("\xC2\xA0 \xE2\x80\xA8", 6));
    assert_false(ig_is_blank(" a", 2));
    /* No-break spaces of zero width join. */
    assert_int_equal(ig_n_words("a\xEF\xBB\xBF"
                                "b\xE2\x80\x8B"
                                "c",
                                9),
                     1);
}

/* Every reader of words cuts "x<c>y" into two at each of them, but a line's end. */
static void readers_agree(void **state)
{
    (void)state;
    for (int k = 0; k < N_WHITE; k++) {
        char text[8] = "x", clean[8];
        int n = 1 + ig_utf8_put((uint8_t *)text + 1, white[k]);
        text[n++] = 'y';
        text[n] = '\0';
        ig_err err = {0};
        assert_int_equal(ig_text_clean(clean, text, n, false), 3);
        assert_memory_equal(clean, "x y", 3);
        ig_bitext b = {0};
        assert_ok(ig_bitext_add(&b, (const char *const[]){text, "z"}, &err), &err);
        assert_int_equal(b.first[0][1], 2);
        ig_bitext_free(&b);
        ig_text_counter *c;
        ig_text_stats stats;
        assert_ok(ig_text_counter_new(&c, &err), &err);
        assert_ok(ig_text_counter_add(c, text, n, &err), &err);
        assert_ok(ig_text_counter_finish(c, &stats, &err), &err);
        assert_int_equal(stats.n_token, 2);
        ig_text_counter_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_python),
        cmocka_unit_test(words),
        cmocka_unit_test(readers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
