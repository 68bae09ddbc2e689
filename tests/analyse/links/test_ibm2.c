/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignments by IBM Model 2: the likelihood never falls, numbers by a literal transcription of
 * the formulas, a planted dictionary is found, the same links for any team, rules of
 * symmetrisation.
 */
#include "test.h"

#include "base/memory.h"
#include "base/rng.h"
#include "analyse/links/ibm2.h"
#include "analyse/links/symmetrise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sentences over `vocab` words; side 1 says each word of side 0 by its own word, some neighbours
 * exchanged, some words left out. gold[w] of side 1's words. */
static void planted(ig_bitext *t, int32_t *gold, int n, int vocab)
{
    ig_rng r = ig_rng_make(9, IG_STREAM_EVAL, 0, 0);
    ig_err err = {0};
    int64_t n_gold = 0;
    for (int p = 0; p < n; p++) {
        char a[400] = "", b[400] = "";
        int word[20], order[20];
        const int m = 3 + (int)ig_rng_below(&r, 12);
        for (int i = 0; i < m; i++) {
            word[i] = (int)ig_rng_below(&r, (uint32_t)vocab);
            order[i] = i;
            sprintf(a + strlen(a), " a%d", word[i]);
        }
        for (int i = 0; i + 1 < m; i += 1 + (int)ig_rng_below(&r, 4)) {
            const int keep = order[i];
            order[i] = order[i + 1];
            order[i + 1] = keep;
        }
        for (int i = 0; i < m; i++)
            if (i == 0 || ig_rng_below(&r, 10) > 0) {
                sprintf(b + strlen(b), " b%d", word[order[i]]);
                gold[n_gold++] = order[i];
            }
        assert_ok(ig_bitext_add(t, (const char *const[]){a, b}, &err), &err);
    }
}

static void finds_what_was_planted(void **state)
{
    (void)state;
    enum { N = 400 };
    static int32_t gold[N * 20], got[3][N * 20];
    ig_bitext t = {0};
    ig_err err = {0};
    ig_ibm2_report r;
    planted(&t, gold, N, 60);
    const int64_t n = t.first[1][t.n];
    ig_ibm2_options o = {.iterations = 8, .alpha = 0.01, .none = 0.08, .tension = 4};
    for (int k = 0; k < 3; k++) {
        ig_team *team = NULL;
        assert_ok(ig_team_new(&team, k == 0 ? 1 : k + 2, &err), &err);
        assert_ok(ig_ibm2_align(got[k], &r, &(ig_ibm2_task){&t, 0}, &o, team, &err), &err);
        ig_team_free(team);
        assert_memory_equal(got[0], got[k], (size_t)n * sizeof **got);
    }
    int64_t right = 0; /* a word that stands there twice is right either way */
    for (int64_t p = 0; p < t.n; p++)
        for (int64_t i = t.first[1][p]; i < t.first[1][p + 1]; i++) {
            const int32_t *word = t.word[0] + t.first[0][p];
            right += got[0][i] >= 0 && word[got[0][i]] == word[gold[i]];
        }
    assert_true((double)right > 0.98 * (double)n);
    assert_true(r.tension > 4 && r.tension < 40);
    ig_bitext_free(&t);
}

static void likelihood_never_falls(void **state)
{
    (void)state;
    enum { N = 150 };
    static int32_t gold[N * 20], got[N * 20];
    ig_bitext t = {0};
    ig_err err = {0};
    ig_ibm2_report r;
    planted(&t, gold, N, 80);
    for (int from = 0; from < 2; from++)
        for (int tension = 1; tension < 20; tension += 9) {
            const ig_ibm2_options o = {.iterations = 30, .none = 0.08, .tension = tension};
            assert_ok(ig_ibm2_align(got, &r, &(ig_ibm2_task){&t, from}, &o, NULL, &err), &err);
            for (int k = 1; k < o.iterations; k++)
                if (!(r.log_likelihood[k] > r.log_likelihood[k - 1] - 1e-3))
                    fail_msg("update %d: %.9g after %.9g", k, r.log_likelihood[k],
                             r.log_likelihood[k - 1]);
            assert_true(r.log_likelihood[29] > r.log_likelihood[0] + 100);
        }
    ig_bitext_free(&t);
}

/* ψ as the slope of log Γ. */
static double slope(double x)
{
    return (lgamma(x + 1e-5) - lgamma(x - 1e-5)) / 2e-5;
}

/* Three iterations with a fixed tension, as Dyer et al. 2013 write them: §3.1's prior with its sums
 * written out, expected counts, shares; with alpha above 0 the variational estimate (§3.2) over the
 * words that a word stands beside. */
static void formulas(double alpha)
{
    static const char *const text[3][2] = {
        {"the old house", "das alte Haus"}, {"the house", "Haus das"}, {"old", "alte ja"}};
    static const int words[3][2][3] = {
        {{1, 2, 3}, {0, 1, 2}}, {{1, 3}, {2, 0}}, {{2}, {1, 3}}}; /* of from: 0 is none */
    static const int size[3][2] = {{3, 3}, {2, 2}, {1, 2}};
    double prob[4][4], count[4][4], want[4];
    int32_t link[7];
    for (int e = 0; e < 4; e++)
        for (int f = 0; f < 4; f++)
            prob[e][f] = 0.25;
    for (int round = 0; round < 4; round++) {
        int at = 0;
        memset(count, 0, sizeof count);
        want[round] = 0;
        for (int p = 0; p < 3; p++)
            for (int j = 1; j <= size[p][1]; j++) {
                const int n = size[p][0], m = size[p][1], f = words[p][1][j - 1];
                double w[4], z = 0, sum;
                for (int i = 1; i <= n; i++)
                    z += exp(-3 * fabs((double)i / n - (double)j / m));
                sum = w[0] = 0.1 * prob[0][f];
                for (int i = 1; i <= n; i++)
                    sum += w[i] = 0.9 * exp(-3 * fabs((double)i / n - (double)j / m)) / z *
                                  prob[words[p][0][i - 1]][f];
                want[round] += log(sum);
                int best = 0;
                for (int i = 1; i <= n; i++)
                    best = w[i] > w[best] ? i : best;
                link[at++] = best - 1;
                for (int i = 0; i <= n; i++)
                    count[i == 0 ? 0 : words[p][0][i - 1]][f] += w[i] / sum;
            }
        for (int e = 0; e < 4; e++) {
            double all = 0;
            for (int f = 0; f < 4; f++) /* a word beside another has a count above 0 */
                all += count[e][f] > 0 ? count[e][f] + alpha : 0;
            for (int f = 0; f < 4; f++)
                if (alpha > 0)
                    prob[e][f] = count[e][f] > 0 ? exp(slope(count[e][f] + alpha) - slope(all)) : 0;
                else
                    prob[e][f] = count[e][f] / all;
        }
    }
    ig_bitext t = {0};
    ig_err err = {0};
    ig_ibm2_report r;
    int32_t got[7];
    for (int p = 0; p < 3; p++)
        assert_ok(ig_bitext_add(&t, text[p], &err), &err);
    const ig_ibm2_options o = {
        .iterations = 3, .alpha = alpha, .none = 0.1, .tension = 3, .fixed_tension = true};
    assert_ok(ig_ibm2_align(got, &r, &(ig_ibm2_task){&t, 0}, &o, NULL, &err), &err);
    for (int k = 0; k < 3; k++)
        if (!(fabs(r.log_likelihood[k] - want[k]) < 1e-6))
            fail_msg("round %d: %.12g, expected %.12g", k, r.log_likelihood[k], want[k]);
    assert_memory_equal(got, link, sizeof got);
    ig_bitext_free(&t);
}

static void as_the_formulas_say(void **state)
{
    (void)state;
    formulas(0);
    formulas(.5);
}

static void empty_sentences(void **state)
{
    (void)state;
    ig_bitext t = {0};
    ig_err err = {0};
    ig_ibm2_report r;
    int32_t got[2];
    const ig_ibm2_options o = {.iterations = 2, .alpha = 0.01, .none = 0.08, .tension = 4};
    assert_int_equal(ig_ibm2_align(got, &r, &(ig_ibm2_task){&t, 0}, &o, NULL, &err), IG_ERR_INPUT);
    assert_ok(ig_bitext_add(&t, (const char *const[]){"", " x\t"}, &err), &err);
    assert_int_equal(ig_ibm2_align(got, &r, &(ig_ibm2_task){&t, 0}, &o, NULL, &err), IG_ERR_INPUT);
    assert_ok(ig_bitext_add(&t, (const char *const[]){"a", "x"}, &err), &err);
    assert_ok(ig_ibm2_align(got, &r, &(ig_ibm2_task){&t, 0}, &o, NULL, &err), &err);
    assert_int_equal(got[0], -1);
    assert_int_equal(got[1], 0);
    ig_bitext_free(&t);
}

static void rules(void **state)
{
    (void)state;
    static const int32_t a_of[] = {0, 2, 2, 4, -1}, b_of[] = {0, 0, 1, 4, -1};
    static const struct {
        int n;
        int32_t pair[14];
    } want[] = {
        {6, {0, 0, 1, 0, 2, 1, 2, 2, 3, 4, 4, 3}},
        {2, {0, 0, 2, 1}},
        {6, {0, 0, 1, 0, 2, 1, 2, 2, 3, 4, 4, 3}},
        {4, {0, 0, 2, 1, 2, 2, 4, 3}},
        {4, {0, 0, 1, 0, 2, 1, 3, 4}},
    };
    ig_err err = {0};
    for (int rule = 0; rule < 5; rule++) {
        int32_t pair[20], n;
        assert_ok(ig_links_symmetrise(pair, &n, &(ig_both_links){a_of, 5, b_of, 5},
                                      (ig_links_rule)rule, &err),
                  &err);
        assert_int_equal(n, want[rule].n);
        assert_memory_equal(pair, want[rule].pair, (size_t)(2 * n) * sizeof *pair);
    }
    /* A link far from all others of which one word has a link already is not taken by the last
     * rule; the union has it. */
    static const int32_t far_a[] = {0, -1, -1, 0}, far_b[] = {0, -1, -1, -1};
    int32_t pair[16], n;
    assert_ok(ig_links_symmetrise(pair, &n, &(ig_both_links){far_a, 4, far_b, 4},
                                  IG_LINKS_GROW_DIAG_FINAL_AND, &err),
              &err);
    assert_int_equal(n, 1);
    assert_ok(
        ig_links_symmetrise(pair, &n, &(ig_both_links){far_a, 4, far_b, 4}, IG_LINKS_UNION, &err),
        &err);
    assert_int_equal(n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_planted),
        cmocka_unit_test(likelihood_never_falls),
        cmocka_unit_test(as_the_formulas_say),
        cmocka_unit_test(empty_sentences),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
