/* SPDX-License-Identifier: Apache-2.0
 *
 * Cognates: how far stems of one meaning are apart, by the edit distance of their letters; no word
 * is shared for all that; shares include each other, and other words do not change.
 */
#include "world_task_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 20000 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance; letters are single bytes. */
static int distance(const char *a, const char *b)
{
    int row[2][IG_WORLD_WORD];
    const int n = (int)strlen(a), m = (int)strlen(b);
    for (int j = 0; j <= m; j++)
        row[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 2], *before = row[1 - i % 2];
        now[0] = i;
        for (int j = 1; j <= m; j++)
            now[j] =
                least(before[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(now[j - 1], before[j]));
    }
    return row[n % 2][m];
}

static bool is_open(const ig_world *w, int32_t lemma)
{
    const ig_upos u = ig_world_lemma_upos(w, lemma);
    return u == IG_UPOS_NOUN || u == IG_UPOS_VERB || u == IG_UPOS_ADJ || u == IG_UPOS_ADV;
}

/* Which lemmas have a stem in language x that is at most `far` from eng's; returns the number of
 * open-class lemmas. */
static int near(bool *is_near, const ig_world *w, int32_t n_lemma, int far)
{
    int n = 0;
    for (int32_t i = 0; i < n_lemma; i++) {
        is_near[i] = false;
        if (!is_open(w, i))
            continue;
        n++;
        is_near[i] = distance(ig_world_stem(w, 0, i), ig_world_stem(w, 1, i)) <= far;
    }
    return n;
}

static void shares_and_distances(void **state)
{
    static const struct {
        const char *languages;
        int share, far;
    } kind[] = {{"eng; x", 0, 2},
                {"eng; x:cognates-20", 20, 2},
                {"eng; x:cognates-60-2", 60, 2},
                {"eng; x:cognates-100-3,SOV,prefix", 100, 3}};
    static bool before[MOST], now[MOST];
    static char plain[MOST][IG_WORLD_WORD];
    (void)state;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        ig_world *w = world_make("demo", kind[k].languages, 5);
        const int32_t n_lemma = ig_world_later_lemma(w, IG_LATER_SOME);
        assert_true(n_lemma < MOST);
        const int n = near(now, w, n_lemma, kind[k].far);
        int n_near = 0, n_same = 0;
        for (int32_t i = 0; i < n_lemma; i++) {
            const char *a = ig_world_stem(w, 0, i), *b = ig_world_stem(w, 1, i);
            n_near += now[i];
            assert_true(!is_open(w, i) || strcmp(a, b) != 0);
            if (k == 0)
                strcpy(plain[i], b);
            else if (k < 3) { /* of the same grammar: the other words are as before */
                n_same += is_open(w, i) && strcmp(plain[i], b) == 0;
                assert_true(!before[i] || now[i] || k == 1);
            }
            if (now[i] && k > 0 && k < 3 && strcmp(plain[i], b) != 0)
                assert_in_range(distance(a, b), 1, 2);
        }
        /* By chance a few words of two syllables are as near; a share of n within four standard
         * deviations and those for which there is none. */
        const double share = n_near / (double)n;
        assert_true(share > kind[k].share / 100. - .08 && share < kind[k].share / 100. + .08);
        if (k == 1 || k == 2)
            assert_true(n_same >= n * (100 - kind[k].share) / 100 - n / 20);
        memcpy(before, now, sizeof before);
        ig_world_free(w);
    }
}

/* No form of the text is in both languages. */
static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void no_word_is_shared(void **state)
{
    enum { SENTENCES = 300, WORDS = 30000 };
    static char word[2][WORDS][IG_WORLD_WORD];
    static ig_world_tree t;
    static ig_world_words s;
    int n[2] = {0};
    ig_world *w = world_make("demo", "eng; x:cognates-90-1,case,agree", 6);
    (void)state;
    for (int64_t i = 0; i < SENTENCES; i++) {
        ig_world_sentence(w, i, &t);
        for (int k = 0; k < 2; k++) {
            ig_world_linearise(w, k, &t, &s);
            for (int j = 0; j < s.n && n[k] < WORDS; j++)
                if (t.node[s.node[j]].upos != IG_UPOS_PUNCT)
                    strcpy(word[k][n[k]++], s.text[j]);
        }
    }
    qsort(word[1], (size_t)n[1], sizeof *word[1], by_text);
    for (int i = 0; i < n[0]; i++)
        assert_null(bsearch(word[0][i], word[1], (size_t)n[1], sizeof *word[1], by_text));
    ig_world_free(w);
}

static void descriptions(void **state)
{
    static const char *const bad[] = {"x:cognates",       "x:cognates-0",   "x:cognates-101",
                                      "x:cognates-20-0",  "x:cognates-20-", "x:cognates-20-5",
                                      "x:cognates-20-2b", "x:cognates-a"};
    ig_world_language l[IG_WORLD_LANGUAGES], again[IG_WORLD_LANGUAGES];
    char text[600], more[600];
    int n;
    ig_err err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ig_world_languages_parse(l, &n, bad[i], &err), IG_ERR_USAGE);
    assert_ok(ig_world_languages_parse(l, &n, "x:SOV,cognates-25-3", &err), &err);
    ig_world_language_print(&l[0], text, sizeof text);
    assert_ok(ig_world_languages_parse(again, &n, text, &err), &err);
    ig_world_language_print(&again[0], more, sizeof more);
    assert_string_equal(text, more);
    assert_true(l[0].cognates == 25 && l[0].distance == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_and_distances),
                                       cmocka_unit_test(no_word_is_shared),
                                       cmocka_unit_test(descriptions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
