/* SPDX-License-Identifier: Apache-2.0
 *
 * The annealed start of a map: what its formulas say, worked out anew in double; a pair of spaces
 * that similarity alone does not bring together; what frequency is worth.
 */
#include "embed/map/map_anneal.h"
#include "embed/map/map_polar.h"
#include "map_fixture.h"
#include "test.h"

#include <math.h>

static const ig_steps steps = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};

/* ---- the formulas, in loops ---- */

enum { N = 70, D = 6, K = 4 };

static double largest_mean(const double *v, int stride)
{
    double best[K];
    int have = 0;
    for (int j = 0; j < N; j++) {
        double x = v[j * stride];
        int p = have < K ? have++ : K - 1;
        if (p == K - 1 && have == K && j >= K && x <= best[K - 1])
            continue;
        for (; p > 0 && best[p - 1] < x; p--)
            best[p] = best[p - 1];
        best[p] = x;
    }
    double sum = 0;
    for (int c = 0; c < K; c++)
        sum += best[c];
    return sum / K;
}

static void csls(double *c)
{
    double r[N], s[N];
    for (int i = 0; i < N; i++) {
        r[i] = largest_mean(c + i * N, 1);
        s[i] = largest_mean(c + i, N);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i * N + j] -= r[i] / 2 + s[j] / 2;
}

static void sinkhorn(double *p)
{
    for (int sweep = 0; sweep < 5; sweep++) {
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += p[i * N + j];
            for (int j = 0; j < N; j++)
                p[i * N + j] /= sum;
        }
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int i = 0; i < N; i++)
                sum += p[i * N + j];
            for (int i = 0; i < N; i++)
                p[i * N + j] /= sum;
        }
    }
}

static void soften(double *p, double temperature, double kappa)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            p[i * N + j] =
                exp(p[i * N + j] / temperature - kappa * fabs(log(10. + i) - log(10. + j)));
    sinkhorn(p);
}

static void by_the_formulas(int32_t *forward, int32_t *backward, const float *x, const float *z,
                            const ig_anneal_options *o, const double *first)
{
    static double p[N * N], turned[N * D], cross[D * D], w[D * D];
    ig_err err;
    memcpy(p, first, sizeof p);
    soften(p, o->from, o->frequency);
    for (double temperature = o->from;; temperature *= o->factor) {
        memset(cross, 0, sizeof cross);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int a = 0; a < D; a++)
                    for (int b = 0; b < D; b++)
                        cross[a * D + b] +=
                            (double)x[i * D + a] * p[i * N + j] * (double)z[j * D + b];
        assert_ok(ig_map_orthogonal(w, cross, D, &err), &err);
        for (int i = 0; i < N; i++)
            for (int b = 0; b < D; b++) {
                turned[i * D + b] = 0;
                for (int a = 0; a < D; a++)
                    turned[i * D + b] += (double)x[i * D + a] * w[a * D + b];
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                p[i * N + j] = 0;
                for (int b = 0; b < D; b++)
                    p[i * N + j] += turned[i * D + b] * (double)z[j * D + b];
            }
        if (!(temperature > o->to))
            break;
        soften(p, temperature, o->frequency);
    }
    csls(p);
    for (int i = 0; i < N; i++)
        for (int j = forward[i] = 0; j < N; j++)
            forward[i] = p[i * N + j] > p[i * N + forward[i]] ? j : forward[i];
    for (int j = 0; j < N; j++)
        for (int i = backward[j] = 0; i < N; i++)
            backward[j] = p[i * N + j] > p[backward[j] * N + j] ? i : backward[j];
}

/* Products of the sorted rows of √(X Xᵀ), made in double from an eigendecomposition by another
 * road: √G of the Gram matrix G by Newton's iteration would lose digits, so G = Σ λ v vᵀ is left to
 * ig_map_power, which has a test of its own. */
static void similarity(double *out, const float *x)
{
    static double gram[N * N];
    int rank = N;
    ig_err err;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gram[i * N + j] = 0;
            for (int c = 0; c < D; c++)
                gram[i * N + j] += (double)x[i * D + c] * (double)x[j * D + c];
        }
    assert_ok(ig_map_power(out, gram, 0.5, N, &rank, &err), &err);
    for (int i = 0; i < N; i++)
        for (int a = 1; a < N; a++)
            for (int b = a; b > 0 && out[i * N + b - 1] < out[i * N + b]; b--) {
                double t = out[i * N + b];
                out[i * N + b] = out[i * N + b - 1];
                out[i * N + b - 1] = t;
            }
    for (int step = 0; step < 3; step++) {
        for (int c = 0; c < N && step == 1; c++) {
            double mean = 0;
            for (int i = 0; i < N; i++)
                mean += out[i * N + c] / N;
            for (int i = 0; i < N; i++)
                out[i * N + c] -= mean;
        }
        for (int i = 0; i < N && step != 1; i++) {
            double square = 0;
            for (int c = 0; c < N; c++)
                square += out[i * N + c] * out[i * N + c];
            for (int c = 0; c < N; c++)
                out[i * N + c] /= sqrt(square);
        }
    }
}

static void pairs_are_those_of_the_formulas(void **state)
{
    (void)state;
    static double a[N * N], b[N * N], first[N * N];
    static const ig_anneal_options kind[] = {{N, K, 0.4, 0.05, 0.9, 1, false, 0, 0},
                                             {N, K, 0.2, 0.02, 0.8, 0, false, 0, 0},
                                             {N, K, 1, 0.3, 0.7, 3, false, 0, 0}};
    int32_t forward[N], backward[N];
    ig_err err;
    float *x = fixture_space(N, D, 1), *z = fixture_space(N + 9, D, 2);
    fixture_normalise(x, N, D);
    fixture_normalise(z, N + 9, D);
    const ig_map_spaces s = {.x = x, .z = z, .n_x = N, .n_z = N + 9, .d = D, .ops = ig_ops_best()};
    similarity(a, x);
    similarity(b, z);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            first[i * N + j] = 0;
            for (int c = 0; c < N; c++)
                first[i * N + j] += a[i * N + c] * b[j * N + c];
        }
    for (int k = 0; k < 3; k++) {
        ig_map_pairs p = {0};
        by_the_formulas(forward, backward, x, z, &kind[k], first);
        assert_ok(ig_map_seed_annealed(&p, &s, &kind[k], &steps, &err), &err);
        assert_int_equal(p.n, 2 * N);
        int same = 0;
        for (int i = 0; i < N; i++)
            same += (p.source[i] == i && p.target[i] == forward[i]) +
                    (p.target[N + i] == i && p.source[N + i] == backward[i]);
        /* Unrelated spaces: float32 may turn a close call. */
        assert_true(same >= 2 * N - 2);
        ig_map_pairs_free(&p);
    }
    free(x);
    free(z);
}

static void the_polar_factor_is_that_of_the_singular_vectors(void **state)
{
    (void)state;
    enum { SIZE = 130 };
    static double c[SIZE * SIZE], want[SIZE * SIZE], got[SIZE * SIZE];
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    ig_err err;
    for (int kind = 0; kind < 2; kind++) {
        /* Random; then with columns that fall over four orders of magnitude. */
        for (int i = 0; i < SIZE * SIZE; i++)
            c[i] = ig_rng_normal(&r) * (kind == 0 ? 7 : pow(10, -4. * (i % SIZE) / SIZE));
        assert_ok(ig_map_orthogonal(want, c, SIZE, &err), &err);
        assert_ok(ig_map_polar(got, c, SIZE, ig_ops_best(), NULL, &err), &err);
        double most = 0;
        for (int i = 0; i < SIZE * SIZE; i++)
            most = fmax(most, fabs(got[i] - want[i]));
        /* Rounding of float32 over the smallest singular value; an element is about 0.09. */
        assert_true(most < (kind == 0 ? 1e-3 : 2e-2));
    }
    memset(c, 0, sizeof c);
    assert_ok(ig_map_polar(got, c, SIZE, ig_ops_best(), NULL, &err), &err);
    assert_memory_equal(got, c, sizeof got);
    c[5] = (double)NAN;
    assert_int_equal(ig_map_polar(got, c, SIZE, ig_ops_best(), NULL, &err), IG_ERR_NUMERIC);
}

/* With full rank it is a rotation near that of the singular vectors; where a direction is missing
 * it is that one. */
static void a_rotation_is_whole(void **state)
{
    (void)state;
    enum { SIZE = 70 };
    static double c[SIZE * SIZE], want[SIZE * SIZE], got[SIZE * SIZE], square[SIZE * SIZE];
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 0, 0);
    ig_err err;
    for (int missing = 0; missing < 2; missing++) {
        for (int i = 0; i < SIZE * SIZE; i++)
            c[i] = missing && i % SIZE == 3 ? 0 : ig_rng_normal(&r);
        assert_ok(ig_map_orthogonal(want, c, SIZE, &err), &err);
        assert_ok(ig_map_rotation(got, c, SIZE, ig_ops_best(), NULL, &err), &err);
        ig_map_multiply(square, got, true, got, false, SIZE);
        for (int i = 0; i < SIZE * SIZE; i++) {
            assert_true(fabs(square[i] - (i % (SIZE + 1) == 0)) < 1e-5);
            assert_true(fabs(got[i] - want[i]) < 1e-3);
        }
        if (missing)
            assert_memory_equal(got, want, sizeof got);
    }
}

/* ---- what it is for ---- */

enum { WORDS = SANITIZED ? 300 : 600, DIM = 24 };

/* By so much the temperature falls at each step. */
static const double fall = SANITIZED ? 0.95 : 0.98;

typedef struct {
    double annealed, ordered, shuffled, similar;
} found;

static double right(const ig_map_pairs *p, const int32_t *order)
{
    int64_t n = 0;
    for (int64_t i = 0; i < p->n; i++)
        n += order[p->source[i]] == p->target[i];
    return (double)n / (double)p->n;
}

/* Share of right first pairs: a copy turned and blurred; each word's rank moved by a factor of e to
 * the power of at most `moved`, or anywhere. */
static void look(found *f, double noise, double moved)
{
    const ig_anneal_options with = {WORDS, 10, 0.4, 0.02, fall, 1, false, 0, 0},
                            without = {WORDS, 10, 0.4, 0.02, fall, 0, false, 0, 0};
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    double w[DIM * DIM], key[WORDS];
    int32_t order[WORDS];
    ig_err err;
    for (int kind = 0; kind < 2; kind++) {
        float *x = fixture_space(WORDS, DIM, 4);
        fixture_rotation(w, DIM, 5);
        for (int i = 0; i < WORDS; i++)
            key[i] = log(10. + i) + moved * (2 * ig_rng_unit(&r) - 1);
        if (kind == 1)
            ig_rng_permutation(&r, order, WORDS);
        else
            for (int i = 0; i < WORDS; i++)
                for (int j = order[i] = 0; j < WORDS; j++)
                    order[i] += key[j] < key[i];
        float *z = fixture_copy(x, WORDS, DIM, w, order, noise);
        fixture_normalise(x, WORDS, DIM);
        fixture_normalise(z, WORDS, DIM);
        const ig_map_spaces s = {
            .x = x, .z = z, .n_x = WORDS, .n_z = WORDS, .d = DIM, .ops = ig_ops_best()};
        ig_map_pairs p = {0};
        assert_ok(ig_map_seed_annealed(&p, &s, &with, &steps, &err), &err);
        *(kind == 0 ? &f->annealed : &f->shuffled) = right(&p, order);
        p.n = 0;
        if (kind == 0) {
            assert_ok(ig_map_seed_annealed(&p, &s, &without, &steps, &err), &err);
            f->ordered = right(&p, order);
            p.n = 0;
            assert_ok(ig_map_seed_similarity(&p, &s, WORDS, 10, &steps, &err), &err);
            f->similar = right(&p, order);
        }
        ig_map_pairs_free(&p);
        free(x);
        free(z);
    }
}

static void blurred_spaces_are_brought_together(void **state)
{
    (void)state;
    found f;
    /* Much noise for sorted similarities, little for soft pairs, whatever the order of the words.
     */
    look(&f, 0.5, 0.5);
    assert_true(f.annealed > 0.98 && f.ordered > 0.98 && f.shuffled > 0.98 && f.similar < 0.2);
    /* Beyond that the ranks tell; but those of few words do not. */
    if (SANITIZED)
        return;
    look(&f, 1.5, 0.5);
    assert_true(f.annealed > 0.3 && f.ordered < 0.1 && f.shuffled < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_formulas),
        cmocka_unit_test(the_polar_factor_is_that_of_the_singular_vectors),
        cmocka_unit_test(a_rotation_is_whole),
        cmocka_unit_test(blurred_spaces_are_brought_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
