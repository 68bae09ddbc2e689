/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting a text and keeping the most frequent words, ties by bytes; and sorted counts against
 * brute force.
 */
#include "test.h"

#include "base/memory.h"
#include "base/rng.h"
#include "text/train/wordpiece_count.h"

#include <stdlib.h>
#include <string.h>

enum { ADDS = 6000, WORDS = 400 };

/* In each order every word stands once, with the sum of what was added, before none that is to
 * stand before it. */
static void sorted(void **state)
{
    (void)state;
    ig_err err;
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 7, 0);
    ig_word_counts c = {0};
    int64_t total[WORDS] = {0};
    for (int i = 0; i < ADDS; i++) {
        char text[16];
        const uint32_t w = ig_rng_below(&r, 1 + ig_rng_below(&r, WORDS));
        const int64_t count = 1 + ig_rng_below(&r, 2);
        const int n = snprintf(text, sizeof text, "%s%u", w % 3 == 0 ? "w" : "\xC3\xA9", w);
        total[w] += count;
        assert_ok(ig_word_counts_add(&c, text, n, count, NULL, &err), &err);
    }
    int32_t n_type = 0;
    for (int w = 0; w < WORDS; w++)
        n_type += total[w] > 0;
    assert_int_equal(c.words.n, n_type);
    for (int by_count = 0; by_count < 2; by_count++) {
        ig_counted_word *list;
        assert_ok(ig_word_counts_sorted(&list, &c,
                                        by_count ? ig_counted_by_count : ig_counted_by_bytes, &err),
                  &err);
        for (int32_t i = 0; i < n_type; i++) {
            const int w = atoi(list[i].word + (list[i].word[0] == 'w' ? 1 : 2));
            assert_string_equal(list[i].word, ig_lexicon_get(&c.words, list[i].id));
            assert_int_equal(list[i].count, total[w]);
            if (i == 0)
                continue;
            const bool behind = strcmp(list[i - 1].word, list[i].word) < 0;
            assert_true(!by_count ? behind
                                  : list[i - 1].count > list[i].count ||
                                        (list[i - 1].count == list[i].count && behind));
        }
        ig_free(list);
    }
    ig_word_counts_free(&c);
}

enum { LINES = 30 };
static ig_code next_line(void *source, const char **line, int64_t *n, ig_err *err)
{
    static char text[200];
    int *i = source;
    (void)err;
    *line = NULL;
    if (*i == LINES)
        return IG_ERR_OK;
    snprintf(text, sizeof text, "a%d b%d c%d often", *i % 7, *i % 5, *i);
    *line = text;
    *n = (int64_t)strlen(text);
    ++*i;
    return IG_ERR_OK;
}

static ig_word_counts count(int64_t most, int n_thread, ig_wordpiece_report *report)
{
    ig_err err;
    ig_word_counts t;
    int from = 0;
    ig_wordpiece_options o = {.max_words = most, .n_thread = n_thread};
    *report = (ig_wordpiece_report){0};
    assert_ok(ig_count_words(&t, next_line, &from, &o, report, &err), &err);
    return t;
}

/* often 30, b0 .. b4 6 each, a0, a1 5 each, the others a 4, c 1. */
static void a_text(void **state)
{
    (void)state;
    for (int n_thread = 1; n_thread <= 3; n_thread++) {
        ig_wordpiece_report r;
        ig_word_counts all = count(0, n_thread, &r), few = count(7, n_thread, &r);
        assert_int_equal(all.words.n, 1 + 5 + 7 + LINES);
        assert_int_equal(r.n_type, all.words.n);
        assert_int_equal(r.n_rare, all.words.n - 7);
        assert_int_equal(r.n_word, 4 * LINES);
        static const char *const want[] = {"often", "b0", "b1", "b2", "b3", "b4", "a0"};
        assert_int_equal(few.words.n, 7);
        for (int32_t i = 0; i < 7; i++)
            assert_string_equal(ig_lexicon_get(&few.words, i), want[i]);
        assert_int_equal(few.count[0], LINES);
        ig_word_counts_free(&all);
        ig_word_counts_free(&few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted),
        cmocka_unit_test(a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
