/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a unigram language model: substrings against counting every one, a text made of known
 * pieces, independence of lines' order and threads, and K et al.'s form of the pieces.
 */
#include "test.h"

#include "base/memory.h"
#include "base/rng.h"
#include "text/tokenizer/tokenizer_internal.h"
#include "text/train/unigram_seed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- substrings */

/* How often a string stands in the words, overlapping ones too. */
static int64_t count_in(const char *byte, const int64_t *start, const int64_t *count, int n_word,
                        const uint8_t *s, int32_t n)
{
    int64_t sum = 0;
    for (int w = 0; w < n_word; w++)
        for (int64_t i = start[w]; i + n <= start[w + 1]; i++)
            sum += memcmp(byte + i, s, (size_t)n) == 0 ? count[w] : 0;
    return sum;
}

static void frequent_substrings(void **state)
{
    (void)state;
    enum { WORDS = 40, MOST = 60 };
    static const char *const letter[] = {"a", "b", "\xC3\xA9", "\xE4\xB8\xAD"};
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 5, 0);
    char byte[WORDS * 64];
    int64_t start[WORDS + 1] = {0}, count[WORDS], n;
    for (int w = 0; w < WORDS; w++) {
        int64_t at = start[w];
        for (uint32_t k = 1 + ig_rng_below(&r, 18); k > 0; k--) {
            const char *c = letter[ig_rng_below(&r, 4)];
            memcpy(byte + at, c, strlen(c));
            at += (int64_t)strlen(c);
        }
        start[w + 1] = at;
        count[w] = 1 + ig_rng_below(&r, 3);
    }
    ig_seed *seed, *all;
    ig_err err;
    int64_t n_all;
    const ig_seed_words words = {(const uint8_t *)byte, start, count, WORDS};
    assert_ok(ig_unigram_seed(&all, &n_all, &words, 1 << 20, &err), &err);
    assert_ok(ig_unigram_seed(&seed, &n, &words, MOST, &err), &err);
    assert_int_equal(n, MOST);
    assert_true(n_all > MOST);
    for (int64_t i = 0; i < n_all; i++) {
        assert_int_equal(all[i].count, count_in(byte, start, count, WORDS, all[i].byte, all[i].n));
        assert_in_range(all[i].n_char, 2, 16);
        assert_true(all[i].count >= 2);
        if (i > 0)
            assert_true(all[i - 1].count * all[i - 1].n_char >= all[i].count * all[i].n_char);
        if (i < n)
            assert_true(seed[i].n == all[i].n &&
                        memcmp(seed[i].byte, all[i].byte, (size_t)all[i].n) == 0);
    }
    /* None is missing: every stretch of characters of every word. */
    for (int w = 0; w < WORDS; w++)
        for (int64_t i = start[w]; i < start[w + 1]; i++)
            for (int64_t end = i + 1, n_char = 1; end <= start[w + 1] && n_char <= 16; end++) {
                const bool whole = end == start[w + 1] || (byte[end] & 0xC0) != 0x80;
                if ((byte[i] & 0xC0) == 0x80 || !whole)
                    continue;
                const int32_t len = (int32_t)(end - i);
                const int64_t k = count_in(byte, start, count, WORDS, (uint8_t *)byte + i, len);
                bool found = n_char < 2 || k < 2;
                for (int64_t s = 0; s < n_all && !found; s++)
                    found = all[s].n == len && memcmp(all[s].byte, byte + i, (size_t)len) == 0;
                assert_true(found);
                n_char++;
            }
    ig_free(seed);
    ig_free(all);
}

/* --- training */

enum { LINES = 600 };
static char lines[LINES][80];

typedef struct {
    int next;
    bool backwards;
} source;

static ig_code next_line(void *arg, const char **line, int64_t *n, ig_err *err)
{
    source *s = arg;
    (void)err;
    *line = s->next < LINES ? lines[s->backwards ? LINES - 1 - s->next : s->next] : NULL;
    *n = *line != NULL ? (int64_t)strlen(*line) : 0;
    s->next++;
    return IG_ERR_OK;
}

static ig_tokenizer *train(ig_vocab_model model, int32_t size, bool backwards, int n_thread)
{
    ig_err err;
    ig_tokenizer *t;
    source s = {.backwards = backwards};
    ig_wordpiece_options o = {.size = size, .model = model, .n_thread = n_thread};
    assert_ok(ig_vocab_train(&t, next_line, &s, &o, NULL, &err), &err);
    return t;
}

static int setup(void **state)
{
    (void)state;
    static const char *const part[] = {"ab", "cde", "fgh"};
    ig_rng r = ig_rng_make(2, IG_STREAM_TEST, 6, 0);
    for (int i = 0; i < LINES; i++) {
        lines[i][0] = '\0';
        for (int w = 0; w < 4; w++) {
            strcat(lines[i], w > 0 ? " " : "");
            for (uint32_t k = 1 + ig_rng_below(&r, 4); k > 0; k--)
                strcat(lines[i], part[ig_rng_below(&r, 3)]);
        }
    }
    return 0;
}

/* Words made of three strings: with room for these, at the beginning of a word and inside, they
 * are what is found beside the nine characters. */
static void finds_what_words_are_made_of(void **state)
{
    (void)state;
    static const char *const want[] = {"ab",
                                       "cde",
                                       "fgh",
                                       "\xE2\x96\x81"
                                       "ab",
                                       "\xE2\x96\x81"
                                       "cde",
                                       "\xE2\x96\x81"
                                       "fgh"};
    ig_tokenizer *t = train(IG_VOCAB_UNIGRAM, 5 + 9 + 6, false, 1);
    assert_int_equal(ig_tokenizer_get_kind(t), IG_TOKENIZER_UNIGRAM);
    assert_int_equal(ig_tokenizer_size(t), 20);
    for (int i = 0; i < 6; i++)
        assert_true(ig_tokenizer_id(t, want[i]) >= 5);
    double sum = 0;
    for (int32_t i = 5; i < 20; i++) {
        assert_true(t->score[i] < 0 && (i == 5 || t->score[i] <= t->score[i - 1]));
        sum += exp(t->score[i]);
    }
    assert_true(sum > 0.9 && sum < 1.0001); /* digamma takes a little from each */
    int32_t *id = NULL;
    int64_t n = 0, have = 0;
    ig_err err;
    assert_ok(ig_tokenizer_encode(t, "cdeabfgh", 8, &id, &n, &have, &err), &err);
    assert_int_equal(n, 3);
    assert_string_equal(ig_tokenizer_piece(t, id[0]), "\xE2\x96\x81"
                                                      "cde");
    assert_string_equal(ig_tokenizer_piece(t, id[2]), "fgh");
    assert_false(ig_tokenizer_continues(t, id[0]));
    assert_true(ig_tokenizer_continues(t, id[2]));
    ig_free(id);
    ig_tokenizer_free(t);
}

/* ψ of a whole number: harmonic numbers less Euler's constant. */
static double digamma(int64_t n)
{
    double sum = -0.57721566490153286;
    for (int64_t k = 1; k < n; k++)
        sum += 1 / (double)k;
    return sum;
}

/* With room for characters alone every cut is known, so that the expected counts are counts, and a
 * score is ψ(count) − ψ(sum) (variational Bayes; Kudo 2018's program). */
static void scores_of_characters_are_digammas(void **state)
{
    (void)state;
    int64_t count[128] = {0}, sum = 0, words = 0;
    for (int i = 0; i < LINES; i++)
        for (const char *c = lines[i]; *c != '\0'; c++) {
            count[(int)*c] += *c != ' ';
            sum += *c != ' ';
            words += c == lines[i] || c[-1] == ' ';
        }
    ig_tokenizer *t = train(IG_VOCAB_UNIGRAM, 5 + 9, false, 1);
    assert_int_equal(ig_tokenizer_size(t), 14);
    for (int32_t i = 5; i < 14; i++) {
        const char *piece = ig_tokenizer_piece(t, i);
        const int64_t n = piece[0] == '\xE2' ? words : count[(int)piece[0]];
        assert_true(piece[0] == '\xE2' || piece[1] == '\0');
        assert_true(fabs((double)t->score[i] - (digamma(n) - digamma(sum + words))) < 1e-5);
    }
    ig_tokenizer_free(t);
}

/* Pieces that are expected less than half a time are gone, however much room there is: none is left
 * at the floor that the expected counts have. */
static void what_is_not_expected_is_dropped(void **state)
{
    (void)state;
    ig_tokenizer *t = train(IG_VOCAB_UNIGRAM, 2000, false, 1);
    const int32_t n = ig_tokenizer_size(t);
    assert_in_range(n, 30, 1999);
    int floor = 0;
    for (int32_t i = 5; i < n; i++)
        floor += fabs((double)t->score[i] - (double)t->score[n - 1]) < 1e-6;
    print_message("%d pieces, %d at the smallest score\n", n, floor);
    assert_true(floor < 12); /* characters that longer pieces took the place of */
    ig_tokenizer_free(t);
}

static void same_bits(void **state)
{
    (void)state;
    ig_tokenizer *a = train(IG_VOCAB_UNIGRAM, 40, false, 1),
                 *b = train(IG_VOCAB_UNIGRAM, 40, true, 3);
    assert_int_equal(ig_tokenizer_size(a), ig_tokenizer_size(b));
    assert_int_equal(ig_tokenizer_rules_hash(a), ig_tokenizer_rules_hash(b));
    for (int32_t i = 0; i < ig_tokenizer_size(a); i++)
        assert_string_equal(ig_tokenizer_piece(a, i), ig_tokenizer_piece(b, i));
    ig_tokenizer_free(a);
    ig_tokenizer_free(b);
}

static void form_of_wordpiece(void **state)
{
    (void)state;
    ig_tokenizer *u = train(IG_VOCAB_UNIGRAM, 24, false, 1),
                 *w = train(IG_VOCAB_UNIGRAM_WORDPIECE, 24, false, 1);
    assert_int_equal(ig_tokenizer_get_kind(w), IG_TOKENIZER_WORDPIECE);
    int32_t k = 5;
    for (int32_t i = 5; i < ig_tokenizer_size(u); i++) {
        const char *piece = ig_tokenizer_piece(u, i);
        char want[64];
        const bool head = strncmp(piece, "\xE2\x96\x81", 3) == 0;
        snprintf(want, sizeof want, "%s%s", head ? "" : "##", piece + (head ? 3 : 0));
        if (want[0] != '\0')
            assert_string_equal(ig_tokenizer_piece(w, k++), want);
    }
    assert_int_equal(k, ig_tokenizer_size(w));
    ig_tokenizer_free(u);
    ig_tokenizer_free(w);
}

static void too_small(void **state)
{
    (void)state;
    ig_err err;
    ig_tokenizer *t;
    source s = {0};
    ig_wordpiece_options o = {.size = 13, .model = IG_VOCAB_UNIGRAM};
    assert_int_equal(ig_vocab_train(&t, next_line, &s, &o, NULL, &err), IG_ERR_INPUT);
    assert_null(t);
    /* A word with a character that is left out does not count. */
    o.size = 20;
    o.limit_alphabet = 2;
    s.next = 0;
    assert_ok(ig_vocab_train(&t, next_line, &s, &o, NULL, &err), &err);
    ig_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequent_substrings),
        cmocka_unit_test(finds_what_words_are_made_of),
        cmocka_unit_test(scores_of_characters_are_digammas),
        cmocka_unit_test(what_is_not_expected_is_dropped),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(form_of_wordpiece),
        cmocka_unit_test(too_small),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
