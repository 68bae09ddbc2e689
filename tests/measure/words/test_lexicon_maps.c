/* SPDX-License-Identifier: Apache-2.0
 *
 * A dictionary's words through a map: a planted rotation is found both ways though only half of the
 * words tell it; any listed translation is right; words of the second side that the map was learned
 * from do not ask; against P@1 counted out word by word; partners at random are not found.
 */
#include "test.h"

#include "base/id_pairs.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "embed/map/map_linear.h"
#include "embed/map/map_normalise.h"
#include "measure/words/lexicon_maps.h"

#include <math.h>
#include <string.h>

enum { N = 120, D = 12, MOST = 2 * N };

static float x[2][N * D];
static ig_err err;

/* The second side is the first with its dimensions in another order, and noise. */
static void draw(double noise, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N * D; i++)
        x[0][i] = (float)ig_rng_normal(&r);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            x[1][i * D + (5 * k + 3) % D] = x[0][i * D + k] + (float)(noise * ig_rng_normal(&r));
}

static ig_lexicon_score map(const int32_t *pair, int64_t n, int n_thread)
{
    ig_lexicon_score s;
    ig_team *team;
    const ig_lexicon_space space = {.pair = pair, .n_pair = n, .x = {x[0], x[1]}, .d = D};
    assert_ok(ig_team_new(&team, n_thread, &err), &err);
    assert_ok(ig_lexicon_map(&s, &space, &(ig_retrieval_with){ig_ops_best(), team, NULL}, &err),
              &err);
    ig_team_free(team);
    return s;
}

static void a_rotation_is_found(void **state)
{
    (void)state;
    int32_t pair[MOST];
    for (int i = 0; i < N; i++)
        pair[2 * i] = pair[2 * i + 1] = i;
    draw(0, 3);
    const ig_lexicon_score s = map(pair, N, 1), again = map(pair, N, 3);
    for (int k = 0; k < 2; k++) {
        assert_true(s.csls[k] == 1 && s.cosine[k] == 1);
        assert_int_equal(s.n_query[k], N / 2);
    }
    assert_memory_equal(&s, &again, sizeof s);
    /* Partners at random share nothing. */
    for (int i = 0; i < N; i++)
        pair[2 * i + 1] = (i * 77 + 13) % N;
    const ig_lexicon_score wrong = map(pair, N, 1);
    assert_true(wrong.csls[0] < .1 && wrong.csls[1] < .1);
}

/* Word i of 0 … N−1 has translation i and, for every third i, also i + 1: either is right. Words of
 * the second side beside a training word are not tested. */
static void translations(void **state)
{
    (void)state;
    int32_t pair[4 * N];
    bool learned[N] = {false}, asks[N] = {false};
    int64_t n = 0, want = 0;
    for (int i = 0; i < N; i++) {
        pair[2 * n] = i;
        pair[2 * n++ + 1] = i;
        if (i % 3 == 0 && i + 1 < N) {
            pair[2 * n] = i;
            pair[2 * n++ + 1] = i + 1;
        }
    }
    draw(0, 5);
    for (int64_t i = 0; i < n; i++)
        (pair[2 * i] % 2 == 0 ? learned : asks)[pair[2 * i + 1]] = true;
    for (int i = 0; i < N; i++)
        want += asks[i] && !learned[i];
    const ig_lexicon_score s = map(pair, n, 1);
    assert_int_equal(s.n_query[0], N / 2);
    assert_int_equal(s.n_query[1], want);
    assert_true(want > 10 && want < N / 2);
    assert_true(s.cosine[0] > .95 && s.cosine[1] > .95);
}

/* The nearest by cosine less half the mean of the ten nearest of the other side. */
static int nearest(const float *from, const float *to, int i, bool csls, const double *penalty)
{
    int best = -1;
    double most = 0;
    for (int j = 0; j < N; j++) {
        double c = 0;
        for (int k = 0; k < D; k++)
            c += (double)from[i * D + k] * (double)to[j * D + k];
        c -= csls ? penalty[j] : 0;
        if (best < 0 || c > most) {
            most = c;
            best = j;
        }
    }
    return best;
}

static void penalties(double *out, const float *of, const float *among)
{
    for (int j = 0; j < N; j++) {
        double top[N], sum = 0;
        for (int i = 0; i < N; i++) {
            double c = 0;
            for (int k = 0; k < D; k++)
                c += (double)of[j * D + k] * (double)among[i * D + k];
            int at = i;
            for (; at > 0 && top[at - 1] < c; at--)
                top[at] = top[at - 1];
            top[at] = c;
        }
        for (int i = 0; i < 10; i++)
            sum += top[i];
        out[j] = sum / 20;
    }
}

static void as_counted_out(void **state)
{
    (void)state;
    static const ig_steps steps = {.n = 1, .step = {IG_STEP_ITERATIVE}};
    int32_t pair[MOST];
    float y[2][N * D], mapped[N * D];
    double w[D * D], penalty[2][N];
    ig_map_pairs learn = {0};
    ig_team *team;
    for (int i = 0; i < N; i++)
        pair[2 * i] = pair[2 * i + 1] = i;
    draw(.8, 7);
    assert_ok(ig_team_new(&team, 1, &err), &err);
    memcpy(y, x, sizeof y);
    for (int k = 0; k < 2; k++)
        assert_ok(ig_steps_apply(&steps, (ig_map_side){y[k], N, D}, NULL, team, &err), &err);
    for (int i = 0; i < N; i += 2)
        assert_ok(ig_map_pairs_add(&learn, i, i, &err), &err);
    const ig_map_spaces spaces = {
        .x = y[0], .z = y[1], .n_x = N, .n_z = N, .d = D, .ops = ig_ops_best(), .team = team};
    assert_ok(ig_map_procrustes(w, &spaces, &learn, &err), &err);
    assert_ok(ig_map_apply(mapped, y[0], N, (ig_map_matrix){w, D}, ig_map_with(&spaces), &err),
              &err);
    assert_ok(ig_unit_rows(mapped, N, D, "test", &err), &err);
    assert_ok(ig_unit_rows(y[1], N, D, "test", &err), &err);
    penalties(penalty[0], y[1], mapped);
    penalties(penalty[1], mapped, y[1]);
    int right[2][2] = {{0}};
    for (int i = 1; i < N; i += 2)
        for (int csls = 0; csls < 2; csls++) {
            right[0][csls] += nearest(mapped, y[1], i, csls, penalty[0]) == i;
            right[1][csls] += nearest(y[1], mapped, i, csls, penalty[1]) == i;
        }
    const ig_lexicon_score s = map(pair, N, 1);
    for (int k = 0; k < 2; k++) {
        assert_true(s.cosine[k] == right[k][0] / (N / 2.0));
        assert_true(s.csls[k] == right[k][1] / (N / 2.0));
        assert_true(s.csls[k] > .1 && s.csls[k] < 1);
    }
    ig_map_pairs_free(&learn);
    ig_team_free(team);
}

/* A word without a vector neither teaches nor asks. */
static void words_without_vectors(void **state)
{
    (void)state;
    int32_t pair[MOST];
    for (int i = 0; i < N; i++)
        pair[2 * i] = pair[2 * i + 1] = i;
    draw(0, 3);
    memset(x[0] + 10 * D, 0, 20 * D * sizeof **x);
    memset(x[1] + 29 * D, 0, 11 * D * sizeof **x);
    const ig_lexicon_score s = map(pair, N, 1);
    for (int k = 0; k < 2; k++) {
        assert_true(s.csls[k] == 1);
        assert_int_equal(s.n_query[k], (N - 30) / 2);
    }
}

static void too_few(void **state)
{
    (void)state;
    const int32_t pair[] = {4, 4};
    const ig_lexicon_score s = map(pair, 1, 1);
    assert_true(isnan(s.csls[0]) && isnan(s.cosine[1]) && s.n_query[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotation_is_found), cmocka_unit_test(translations),
        cmocka_unit_test(as_counted_out), cmocka_unit_test(words_without_vectors),
        cmocka_unit_test(too_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
