/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of words over files against one table in memory, ties by bytes; and counting a text with
 * room for few words.
 */
#include "test.h"

#include "base/memory.h"
#include "base/rng.h"
#include "text/train/word_spill.h"
#include "text/train/wordpiece_count.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES = 12, ADDS = 500, WORDS = 400 };

static const char *word_of(uint32_t i)
{
    static char text[16];
    snprintf(text, sizeof text, "%s%u", i % 3 == 0 ? "w" : "\xC3\xA9", i);
    return text;
}

static int64_t total[WORDS];

/* Above: a larger count, or an equal one and smaller bytes. */
static bool is_above(uint32_t a, uint32_t b)
{
    char x[16];
    strcpy(x, word_of(a));
    return total[a] != total[b] ? total[a] > total[b] : strcmp(x, word_of(b)) < 0;
}

static void the_most_frequent(void **state)
{
    (void)state;
    for (int most = 1; most <= 2 * WORDS; most = most * 2 + 1) {
        ig_err err;
        ig_word_spill s = {0};
        ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 7, 0);
        memset(total, 0, sizeof total);
        for (int k = 0; k < TABLES; k += 2) {
            ig_word_table two[2] = {{0}};
            ig_word_table *const table[] = {&two[0], &two[1]};
            for (int i = 0; i < ADDS; i++) {
                const uint32_t w = ig_rng_below(&r, 1 + ig_rng_below(&r, WORDS));
                const char *text = word_of(w);
                const int64_t count = 1 + ig_rng_below(&r, 2);
                total[w] += count;
                assert_ok(ig_word_table_add(&two[i % 2], (const uint8_t *)text,
                                            (int64_t)strlen(text), count, NULL, &err),
                          &err);
            }
            assert_ok(ig_word_spill_add(&s, table, 2, &err), &err);
            assert_int_equal(two[0].n_word + two[1].n_word, 0);
        }
        assert_int_equal(s.n, TABLES / 2);
        ig_word_table out = {0};
        int64_t n_type, want_type = 0;
        assert_ok(ig_word_spill_take(&s, &out, most, &n_type, &err), &err);
        for (uint32_t i = 0; i < WORDS; i++) {
            int64_t above = 0;
            if (total[i] == 0)
                continue;
            want_type++;
            for (uint32_t j = 0; j < WORDS; j++)
                above += total[j] > 0 && is_above(j, i);
            int64_t found = -1;
            for (int64_t w = 0; w < out.n_word && found < 0; w++)
                if ((size_t)out.word[w].n == strlen(word_of(i)) &&
                    memcmp(out.byte + out.word[w].start, word_of(i), strlen(word_of(i))) == 0)
                    found = w;
            assert_int_equal(found >= 0, above < most);
            if (found >= 0)
                assert_int_equal(out.word[found].count, total[i]);
        }
        assert_int_equal(n_type, want_type);
        assert_int_equal(out.n_word, want_type < most ? want_type : most);
        ig_word_table_free(&out);
        ig_word_spill_free(&s);
    }
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

static ig_word_table count(int64_t most, int n_thread, ig_wordpiece_report *report)
{
    ig_err err;
    ig_word_table t;
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
        ig_word_table all = count(0, n_thread, &r), few = count(7, n_thread, &r);
        assert_int_equal(all.n_word, 1 + 5 + 7 + LINES);
        assert_int_equal(r.n_type, all.n_word);
        assert_int_equal(r.n_rare, all.n_word - 7);
        assert_int_equal(r.n_word, 4 * LINES);
        static const char *const want[] = {"a0", "b0", "b1", "b2", "b3", "b4", "often"};
        assert_int_equal(few.n_word, 7);
        for (int i = 0; i < 7; i++)
            assert_memory_equal(few.byte + few.word[i].start, want[i], strlen(want[i]));
        assert_int_equal(few.word[6].count, LINES);
        ig_word_table_free(&all);
        ig_word_table_free(&few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_frequent),
        cmocka_unit_test(a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
