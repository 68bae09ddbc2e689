/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps between spaces: singular values by their definition, each formula against numpy
 * (tools/reference_maps.py), and properties: a rotation is recovered, CSLS of a space with itself
 * is the identity, induced pairs are those of brute force, RCSLS goes downhill.
 */
#include "base/numeric/singular.h"
#include "embed/induce/map_induce.h"
#include "map_fixture.h"
#include "test.h"

#include <float.h>

static void check_singular(const double *a, int n)
{
    ig_err err;
    const size_t square = (size_t)n * (size_t)n;
    double *u = calloc(3 * square + (size_t)n, sizeof *u), *v = u + square, *back = v + square,
           *s = back + square, scale = 0;
    assert_ok(ig_singular(a, n, u, s, v, &err), &err);
    for (size_t i = 0; i < square; i++)
        scale = fmax(scale, fabs(a[i]));
    for (int i = 0; i < n; i++) {
        assert_true(s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]));
        for (int j = 0; j < n; j++) {
            double uu = 0, vv = 0, product = 0;
            for (int k = 0; k < n; k++) {
                uu += u[i * n + k] * u[j * n + k];
                vv += v[i * n + k] * v[j * n + k];
                product += s[k] * u[k * n + i] * v[k * n + j];
            }
            assert_true(fabs(uu - (i == j)) <= 1e-13 * n);
            assert_true(fabs(vv - (i == j)) <= 1e-13 * n);
            assert_true(fabs(product - a[i * n + j]) <= 1e-14 * n * n * scale);
        }
    }
    free(u);
}

static void singular_values(void **state)
{
    (void)state;
    static const int size[] = {1, 2, 3, 5, 17, 40};
    for (size_t t = 0; t < sizeof size / sizeof *size; t++) {
        const int n = size[t];
        double *a = calloc((size_t)(n * n), sizeof *a);
        ig_rng r = ig_rng_make(1, IG_STREAM_TEST, (uint32_t)n, 0);
        check_singular(a, n); /* zeros */
        for (int i = 0; i < n * n; i++)
            a[i] = ig_rng_normal(&r);
        check_singular(a, n);
        for (int i = 0; i < n; i++) /* columns of very different lengths */
            for (int j = 0; j < n; j++)
                a[i * n + j] *= pow(10, -12.0 * j / n);
        check_singular(a, n);
        for (int i = 0; i < n; i++) /* rank 2 at most */
            for (int j = 0; j < n; j++)
                a[i * n + j] = (i + 1) * (j % 3) + 0.5 * i * i * (j % 2);
        check_singular(a, n);
        free(a);
    }
    double bad[4] = {1, NAN, 0, 1}, u[4], v[4], s[2];
    ig_err err;
    assert_int_equal(ig_singular(bad, 2, u, s, v, &err), IG_ERR_NUMERIC);
}

/* Small singular values to their own precision: of a diagonal times a rotation they are known. */
static void small_singular_values(void **state)
{
    (void)state;
    enum { N = 12 };
    double w[N * N], a[N * N], u[N * N], v[N * N], s[N];
    ig_err err;
    fixture_rotation(w, N, 3);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = pow(10, -i) * w[i * N + j];
    assert_ok(ig_singular(a, N, u, s, v, &err), &err);
    for (int i = 0; i < N; i++)
        assert_true(fabs(s[i] / pow(10, -i) - 1) < 1e-4);
}

enum { N = 14, M = 12, D = 4, PAIRS = 10 };
static float ref_x[N * D], ref_z[M * D];
static int32_t ref_source[PAIRS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
               ref_target[PAIRS] = {1, 0, 3, 2, 5, 4, 7, 6, 9, 8};
static const ig_map_pairs ref_pairs = {.n = PAIRS, .source = ref_source, .target = ref_target};

static ig_map_spaces reference(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            ref_x[i * D + k] =
                (float)(sin(0.7 * i + 1.3 * k) * (k + 1) + 0.25 * ((i * (k + 3)) % 7));
    for (int i = 0; i < M; i++)
        for (int k = 0; k < D; k++)
            ref_z[i * D + k] = (float)(cos(0.5 * i * (k + 1)) + 0.3 * ((i + 2 * k) % 5) - 0.1 * k);
    fixture_normalise(ref_x, N, D);
    fixture_normalise(ref_z, M, D);
    return (ig_map_spaces){.x = ref_x, .z = ref_z, .n_x = N, .n_z = M, .d = D, .ops = ig_ops_ref()};
}

/* Vectors are float32, so figures of them are right to a few 1e-7 of numbers of size 1, times the
 * conditions of the whitening (4 here). */
static void close_to(double got, double want)
{
    if (!(fabs(got - want) <= 4e-6)) {
        print_error("got %.12g, want %.12g\n", got, want);
        fail();
    }
}

static double row_dot(const float *a, int i, const float *b, int j, int d)
{
    double sum = 0;
    for (int k = 0; k < d; k++)
        sum += (double)a[i * d + k] * (double)b[j * d + k];
    return sum;
}

static void numpy_normalises_and_turns_alike(void **state)
{
    (void)state;
    static const double row[] = {0.176181616174, 0.0034177833694, -0.982685030184,
                                 -0.0572580852949},
                        column[] = {-0.673792838278, 0.197664068646, 0.460676146374,
                                    -0.542871637879},
                        turn[] = {
                            -0.153510936252, -0.950430770042, 0.0595910552106, 0.263751113643,
                            0.726268269556,  -0.214965753259, 0.466112476861,  -0.457234386805,
                            -0.34235826679,  0.184879096988,  0.881413257401,  0.267808152106,
                            -0.575985772609, -0.127635401754, 0.047945122074,  -0.806009217838};
    ig_map_spaces s = reference();
    double w[D * D];
    ig_err err;
    for (int k = 0; k < D; k++) {
        close_to((double)ref_x[3 * D + k], row[k]);
        close_to((double)ref_z[5 * D + k], column[k]);
    }
    assert_ok(ig_map_procrustes(w, &s, &ref_pairs, &err), &err);
    for (int i = 0; i < D * D; i++)
        close_to(w[i], turn[i]);
}

static void mapped(float *x, float *z, const ig_map_spaces *s, const ig_map_steps *o, int want_d,
                   double *singular)
{
    double a_x[D * D], a_z[D * D];
    int d;
    ig_err err;
    assert_ok(ig_map_multi_step(&(ig_multi_step){a_x, a_z, &d, singular}, s, &ref_pairs, o, &err),
              &err);
    assert_int_equal(d, want_d);
    assert_ok(ig_map_apply(x, s->x, N, (ig_map_matrix){a_x, d}, ig_map_with(s), &err), &err);
    assert_ok(ig_map_apply(z, s->z, M, (ig_map_matrix){a_z, d}, ig_map_with(s), &err), &err);
}

static void numpy_maps_in_steps_alike(void **state)
{
    (void)state;
    static const double value[] = {0.939690582494, 0.822577765288, 0.375897570455, 0.240198854889},
                        want[2][5] = {{0.38122028066, -0.194946473107, 0.33608237749,
                                       -0.00855579866249, -0.472545863652},
                                      {0.248331911716, 0.086726798418, 0.280660220264,
                                       0.0495025579728, -0.446419471513}};
    ig_map_spaces s = reference();
    float x[N * D], z[M * D];
    double singular[D];
    ig_map_steps o = {true, 0.5, 0.3, IG_DEWHITEN_SOURCE, IG_DEWHITEN_TARGET, 0};
    for (int t = 0; t < 2; t++) {
        const int d = t == 0 ? D : 2;
        o.dim = t == 0 ? 0 : 2;
        mapped(x, z, &s, &o, d, singular);
        close_to(row_dot(x, 0, z, 0, d), want[t][0]);
        close_to(row_dot(x, 3, z, 7, d), want[t][1]);
        close_to(row_dot(x, 13, z, 11, d), want[t][2]);
        close_to(row_dot(x, 2, x, 9, d), want[t][3]);
        close_to(row_dot(z, 1, z, 4, d), want[t][4]);
    }
    for (int k = 0; k < D; k++)
        close_to(singular[k], value[k]);
    o.dim = 0;
    o.dewhiten_x = IG_DEWHITEN_TARGET;
    mapped(x, z, &s, &o, D, singular);
    close_to(row_dot(x, 1, x, 2, D), 0.0100152225073);
    close_to(row_dot(x, 4, x, 8, D), 0.103973493327);
}

/* Fewer words than dimensions: what the words do not span is left out, by their number even where
 * one stands in two pairs. */
static void numpy_maps_few_words_alike(void **state)
{
    (void)state;
    static int32_t source[] = {0, 1, 2, 2}, target[] = {1, 0, 3, 5};
    static const double want[2][5] = {
        {0.51214984576, -0.344865508817, -0.0643574998227, 0.104536916622, -0.47751894623},
        {0.521232193878, 0.0465643117963, 0.00783911972904, 0.104536916622, -0.794503694101}};
    const ig_map_spaces s = reference();
    const ig_map_steps o = {true, 0.5, 0.5, IG_DEWHITEN_SOURCE, IG_DEWHITEN_TARGET, 0};
    double a_x[D * D], a_z[D * D], singular[D];
    float x[N * D], z[M * D];
    ig_err err;
    for (int t = 0; t < 2; t++) {
        const ig_map_pairs p = {.n = 3 + t, .source = source, .target = target};
        int d;
        assert_ok(ig_map_multi_step(&(ig_multi_step){a_x, a_z, &d, singular}, &s, &p, &o, &err),
                  &err);
        assert_ok(ig_map_apply(x, s.x, N, (ig_map_matrix){a_x, d}, ig_map_with(&s), &err), &err);
        assert_ok(ig_map_apply(z, s.z, M, (ig_map_matrix){a_z, d}, ig_map_with(&s), &err), &err);
        close_to(row_dot(x, 0, z, 0, d), want[t][0]);
        close_to(row_dot(x, 3, z, 7, d), want[t][1]);
        close_to(row_dot(x, 13, z, 11, d), want[t][2]);
        close_to(row_dot(x, 2, x, 9, d), want[t][3]);
        close_to(row_dot(z, 1, z, 4, d), want[t][4]);
        for (int k = 0; k < D; k++)
            close_to(singular[k], k < 3);
        assert_true(singular[3] == 0);
    }
}

/* Turned and blurred, 60 dimensions. The formulas in numpy (thin decompositions, pseudo-inverses)
 * find all the other words from 20 pairs on; rounding that is taken for a direction a tenth. */
static void few_pairs_find_the_other_words(void **state)
{
    (void)state;
    enum { WORDS = 500, DIM = 60 };
    static double w[DIM * DIM];
    int32_t order[WORDS];
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    ig_rng_permutation(&r, order, WORDS);
    fixture_rotation(w, DIM, 6);
    float *x = fixture_space(WORDS, DIM, 4), *z = fixture_copy(x, WORDS, DIM, w, order, 0.05);
    fixture_normalise(x, WORDS, DIM);
    fixture_normalise(z, WORDS, DIM);
    const ig_map_spaces s = {
        .x = x, .z = z, .n_x = WORDS, .n_z = WORDS, .d = DIM, .ops = ig_ops_best()};
    for (int few = 20; few < DIM; few += 19) {
        ig_map_options o = fixture_options();
        ig_map_pairs p = {0};
        ig_map_result map;
        ig_err err;
        o.learn = false;
        for (int32_t i = 0; i < few; i++)
            assert_ok(ig_map_pairs_add(&p, i, order[i], &err), &err);
        assert_ok(ig_map_run(&map, &s, &p, &o, &err), &err);
        float *a = calloc(2 * WORDS * DIM, sizeof *a), *b = a + WORDS * DIM;
        assert_ok(ig_map_apply(a, x, WORDS, (ig_map_matrix){map.a_x, DIM}, ig_map_with(&s), &err),
                  &err);
        assert_ok(ig_map_apply(b, z, WORDS, (ig_map_matrix){map.a_z, DIM}, ig_map_with(&s), &err),
                  &err);
        int found = 0;
        for (int i = few; i < WORDS; i++) {
            int best = 0;
            double most = -2;
            for (int j = 0; j < WORDS; j++) {
                const double cosine = row_dot(a, i, b, j, DIM) / sqrt(row_dot(b, j, b, j, DIM));
                best = cosine > most ? j : best;
                most = fmax(cosine, most);
            }
            found += best == order[i];
        }
        print_message("%d pairs: %d of %d\n", few, found, WORDS - few);
        assert_true(found >= 0.97 * (WORDS - few));
        free(a);
        ig_map_result_free(&map);
        ig_map_pairs_free(&p);
    }
    free(x);
    free(z);
}

/* The two spaces with their parts exchanged are mapped to the same place: what the second gets back
 * of the whitening is what the first one gets the other way round. */
static void either_space_may_be_the_first(void **state)
{
    (void)state;
    ig_map_spaces s = reference();
    const ig_map_pairs back = {.n = PAIRS, .source = ref_target, .target = ref_source};
    const ig_map_spaces t = {.x = s.z, .z = s.x, .n_x = M, .n_z = N, .d = D, .ops = s.ops};
    for (int how = 0; how < 4; how++) {
        const ig_dewhiten of[] = {IG_DEWHITEN_SOURCE, IG_DEWHITEN_TARGET};
        const ig_map_steps o = {true, 0.5, 0.3, of[how & 1], of[how >> 1], 0},
                           turned_o = {true, 0.3, 0.5, of[1 - (how >> 1)], of[1 - (how & 1)], 0};
        float x[N * D], z[M * D], x2[N * D], z2[M * D];
        double singular[D], a_x[D * D], a_z[D * D];
        int d;
        ig_err err;
        mapped(x, z, &s, &o, D, singular);
        assert_ok(
            ig_map_multi_step(&(ig_multi_step){a_z, a_x, &d, singular}, &t, &back, &turned_o, &err),
            &err);
        assert_ok(ig_map_apply(x2, s.x, N, (ig_map_matrix){a_x, d}, ig_map_with(&s), &err), &err);
        assert_ok(ig_map_apply(z2, s.z, M, (ig_map_matrix){a_z, d}, ig_map_with(&s), &err), &err);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++) {
                const double want = row_dot(x, i, z, j, D);
                assert_true(fabs(row_dot(x2, i, z2, j, D) - want) < 1e-4 * (1 + fabs(want)));
            }
    }
}

/* Without whitening and re-weighting the steps are Procrustes, seen from another basis. */
static void plain_steps_are_procrustes(void **state)
{
    (void)state;
    ig_map_spaces s = reference();
    float x[N * D], z[M * D], y[N * D];
    double w[D * D], singular[D];
    ig_err err;
    const ig_map_steps o = {0};
    mapped(x, z, &s, &o, D, singular);
    assert_ok(ig_map_procrustes(w, &s, &ref_pairs, &err), &err);
    assert_ok(ig_map_apply(y, s.x, N, (ig_map_matrix){w, D}, ig_map_with(&s), &err), &err);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            close_to(row_dot(x, i, z, j, D), row_dot(y, i, ref_z, j, D));
}

/* All by brute force in double. Products of the reference backend are rounded once, so near ties
 * could differ; the made-up vectors have none. */
static void induces_what_brute_force_does(void **state)
{
    (void)state;
    enum { A = 300, B = 270, K = 7, DIM = 9 };
    float *x = fixture_space(A, DIM, 1), *z = fixture_space(B, DIM, 2);
    double *s = calloc(A * B, sizeof *s), r_x[A] = {0}, r_z[B] = {0}, best = 0;
    ig_induce induce;
    ig_err err;
    fixture_normalise(x, A, DIM);
    fixture_normalise(z, B, DIM);
    for (int i = 0; i < A * B; i++)
        s[i] = row_dot(x, i / B, z, i % B, DIM);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side == 0 ? A : B); i++) {
            const int n = side == 0 ? B : A;
            double v[A];
            for (int j = 0; j < n; j++)
                v[j] = side == 0 ? s[i * B + j] : s[j * B + i];
            for (int k = 0; k < K; k++) {
                int top = 0;
                for (int j = 1; j < n; j++)
                    top = v[j] > v[top] ? j : top;
                best += k == 0 && side == 0 ? v[top] / A : 0;
                (side == 0 ? r_x : r_z)[i] += v[top] / K;
                v[top] = -9;
            }
        }
    assert_ok(ig_induce_new(&induce, A, B, K, (ig_vector_work){DIM, ig_ops_best(), NULL}, &err),
              &err);
    assert_ok(ig_induce_run(&induce, x, z, NULL, &err), &err);
    assert_true(fabs(induce.objective[0] - best) < 1e-6);
    for (int i = 0; i < A; i++) {
        int top = 0;
        for (int j = 1; j < B; j++)
            top = s[i * B + j] - r_z[j] / 2 > s[i * B + top] - r_z[top] / 2 ? j : top;
        assert_int_equal(induce.forward[i], top);
    }
    for (int j = 0; j < B; j++) {
        int top = 0;
        for (int i = 1; i < A; i++)
            top = s[i * B + j] - r_x[i] / 2 > s[top * B + j] - r_x[top] / 2 ? i : top;
        assert_int_equal(induce.backward[j], top);
    }
    /* With chance: about the share asked for keeps its best, and the best kept is never better. */
    int32_t *before = calloc(A, sizeof *before), kept = 0;
    memcpy(before, induce.forward, A * sizeof *before);
    const ig_retrieve_dropout half = {
        .keep = 0.5, .key = ig_rng_key_make(5, IG_STREAM_MAP), .round = 1};
    assert_ok(ig_induce_run(&induce, x, z, &half, &err), &err);
    for (int i = 0; i < A; i++) {
        int j = induce.forward[i];
        kept += j == before[i];
        assert_true(s[i * B + j] - r_z[j] / 2 <= s[i * B + before[i]] - r_z[before[i]] / 2 + 1e-6);
    }
    assert_in_range(kept, A / 2 - 45, A / 2 + 45); /* five standard deviations */
    ig_induce_free(&induce);
    free(before);
    free(s);
    free(x);
    free(z);
}

/* Reusing the round before gives the same as two walks from nothing, bit for bit, while a map moves
 * a little or a lot; also where words have the same vector. */
static void next_is_run(int d)
{
    enum { A = 700, B = 650 };
    const size_t row = (size_t)d * sizeof(float);
    static const double keep[] = {0.1, 0.5, 1}, step[] = {0, 0.003, 0.5};
    ig_induce one, two;
    ig_err err;
    float *x = fixture_space(A, d, 1), *z = fixture_space(B, d, 2);
    ig_rng r = ig_rng_make(12, IG_STREAM_TEST, 0, 0);
    int64_t again = 0;
    fixture_normalise(x, A, d);
    fixture_normalise(z, B, d);
    memcpy(z + 3 * d, z + 7 * d, row);
    memcpy(z + 600 * d, z + 7 * d, row);
    memcpy(x + 650 * d, x + 2 * d, row);
    assert_ok(ig_induce_new(&one, A, B, 10, (ig_vector_work){d, ig_ops_best(), NULL}, &err), &err);
    assert_ok(ig_induce_new(&two, A, B, 10, (ig_vector_work){d, ig_ops_best(), NULL}, &err), &err);
    for (uint32_t round = 0; round < 9; round++) {
        for (int i = 0; i < A * d; i++)
            x[i] += (float)(step[round / 3] * ig_rng_normal(&r));
        const ig_retrieve_dropout drop = {
            .keep = keep[round % 3], .key = ig_rng_key_make(3, IG_STREAM_MAP), .round = round};
        assert_ok(ig_induce_next(&one, x, z, &drop, &err), &err);
        assert_ok(ig_induce_run(&two, x, z, &drop, &err), &err);
        assert_memory_equal(one.forward, two.forward, A * sizeof(int32_t));
        assert_memory_equal(one.backward, two.backward, B * sizeof(int32_t));
        assert_memory_equal(one.mean[0], two.mean[0], A * sizeof(float));
        assert_memory_equal(one.mean[1], two.mean[1], B * sizeof(float));
        assert_memory_equal(one.objective, two.objective, sizeof one.objective);
        if (round == 1 || round == 2) /* nothing moved: nothing is asked twice but ties */
            assert_true(one.n_again[0] + one.n_again[1] < 20);
        again += round > 2 ? one.n_again[0] + one.n_again[1] : 0;
    }
    assert_true(again > 0 && again < 6 * (A + B)); /* both ways were gone */
    /* Words that many were near no longer are: nothing but their penalties' fall brings them up. */
    fixture_normalise(x, A, d);
    for (int i = 0; i < 300; i++)
        memcpy(x + i * d, z + i % 30 * d, row);
    assert_ok(ig_induce_next(&one, x, z, NULL, &err), &err);
    memset(x, 0, 300 * row);
    assert_ok(ig_induce_next(&one, x, z, NULL, &err), &err);
    assert_ok(ig_induce_run(&two, x, z, NULL, &err), &err);
    assert_memory_equal(one.forward, two.forward, A * sizeof(int32_t));
    ig_induce_free(&one);
    ig_induce_free(&two);
    free(x);
    free(z);
}

static void what_the_round_before_had_changes_nothing(void **state)
{
    (void)state;
    next_is_run(12);
    next_is_run(61);
}

static void csls_of_a_space_with_itself_is_the_identity(void **state)
{
    (void)state;
    enum { A = 500, DIM = 16 };
    float *x = fixture_space(A, DIM, 1);
    ig_induce induce;
    ig_err err;
    fixture_normalise(x, A, DIM);
    assert_ok(ig_induce_new(&induce, A, A, 10, (ig_vector_work){DIM, ig_ops_best(), NULL}, &err),
              &err);
    assert_ok(ig_induce_run(&induce, x, x, NULL, &err), &err);
    for (int i = 0; i < A; i++)
        assert_true(induce.forward[i] == i && induce.backward[i] == i);
    assert_true(fabs(induce.objective[0] - 1) < 1e-5 && fabs(induce.objective[1] - 1) < 1e-5);
    ig_induce_free(&induce);
    free(x);
}

/* First pairs follow what the spaces share, not what is small in each and its own: similarities are
 * the root of X Xᵀ, in which directions count by their length, not each alike. */
static void first_pairs_weigh_directions_by_length(void **state)
{
    (void)state;
    enum { A = 600, DIM = 24, SHARED = 8 };
    float *x = fixture_space(A, DIM, 6), *y = malloc(A * DIM * sizeof *y);
    double w[DIM * DIM];
    int32_t order[A], right = 0;
    ig_err err;
    ig_rng r = ig_rng_make(9, IG_STREAM_TEST, 0, 0);
    const ig_steps steps = {1, {IG_STEP_UNIT}};
    ig_map_pairs seed = {0};
    fixture_rotation(w, DIM, 7);
    ig_rng_permutation(&r, order, A);
    memcpy(y, x, A * DIM * sizeof *y);
    for (int i = 0; i < A * DIM; i++)
        if (i % DIM >= SHARED) {
            x[i] = (float)(0.03 * ig_rng_normal(&r));
            y[i] = (float)(0.03 * ig_rng_normal(&r));
        }
    float *z = fixture_copy(y, A, DIM, w, order, 0);
    const ig_map_spaces s = {.x = x, .z = z, .n_x = A, .n_z = A, .d = DIM, .ops = ig_ops_best()};
    assert_ok(ig_map_seed_similarity(&seed, &s, 4000, 10, &steps, &err), &err);
    for (int64_t i = 0; i < seed.n; i++)
        right += order[seed.source[i]] == seed.target[i];
    assert_true(right > seed.n * 0.9);
    ig_map_pairs_free(&seed);
    free(x);
    free(y);
    free(z);
}

/* Pairs of a rotation give back the rotation, to the rounding of float32 vectors. */
static void a_rotation_is_recovered(void **state)
{
    (void)state;
    enum { A = 400, DIM = 24 };
    float *x = fixture_space(A, DIM, 3);
    double w[DIM * DIM], got[DIM * DIM];
    int32_t order[A];
    ig_err err;
    fixture_normalise(x, A, DIM);
    fixture_rotation(w, DIM, 2);
    for (int i = 0; i < A; i++)
        order[i] = i;
    float *z = fixture_copy(x, A, DIM, w, order, 0);
    const ig_map_spaces s = {.x = x, .z = z, .n_x = A, .n_z = A, .d = DIM, .ops = ig_ops_best()};
    const ig_map_pairs p = {.n = A, .source = order, .target = order};
    assert_ok(ig_map_procrustes(got, &s, &p, &err), &err);
    for (int i = 0; i < DIM * DIM; i++)
        assert_true(fabs(got[i] - w[i]) < 1e-6);
    free(x);
    free(z);
}

/* Nothing is known but the vectors: turned, in another order, and blurred a little. */
static void a_turned_space_is_found_without_a_dictionary(void **state)
{
    (void)state;
    enum { A = 600, DIM = 24 };
    float *x = fixture_space(A, DIM, 4);
    double w[DIM * DIM];
    int32_t order[A], right = 0;
    ig_err err;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    const ig_steps steps = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};
    ig_map_pairs seed = {0};
    ig_map_result result;
    ig_map_options o = fixture_options();
    fixture_rotation(w, DIM, 5);
    ig_rng_permutation(&r, order, A);
    float *z = fixture_copy(x, A, DIM, w, order, 0.05);
    fixture_normalise(x, A, DIM);
    fixture_normalise(z, A, DIM);
    const ig_map_spaces s = {.x = x, .z = z, .n_x = A, .n_z = A, .d = DIM, .ops = ig_ops_best()};
    assert_ok(ig_map_seed_similarity(&seed, &s, 4000, 10, &steps, &err), &err);
    assert_int_equal(seed.n, 2 * A);
    assert_ok(ig_map_run(&result, &s, &seed, &o, &err), &err);
    assert_true(result.converged && result.n_round > 25);
    for (int64_t i = 0; i < result.pairs.n; i++)
        right += order[result.pairs.source[i]] == result.pairs.target[i];
    assert_true(right > result.pairs.n * 0.99);
    ig_map_result_free(&result);
    ig_map_pairs_free(&seed);
    free(x);
    free(z);
}

static void seeds_by_spelling(void **state)
{
    (void)state;
    static const char *const word[2][6] = {{"the", "12", "x7", "7", "end", "3"},
                                           {"7", "el", "the", "x7", "03", "12"}};
    ig_lexicon w[2] = {{0}, {0}};
    ig_map_pairs p = {0};
    ig_err err;
    int32_t id;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 6; i++)
            assert_ok(
                ig_lexicon_add(&w[side], word[side][i], (int64_t)strlen(word[side][i]), &id, &err),
                &err);
    assert_ok(ig_map_seed_identical(&p, &w[0], &w[1], &err), &err);
    assert_int_equal(p.n, 4);
    assert_true(p.source[0] == 0 && p.target[0] == 2 && p.source[2] == 2 && p.target[2] == 3);
    p.n = 0;
    assert_ok(ig_map_seed_numerals(&p, &w[0], &w[1], &err), &err);
    assert_int_equal(p.n, 2);
    assert_true(p.source[0] == 1 && p.target[0] == 5 && p.source[1] == 3 && p.target[1] == 0);
    ig_map_pairs_free(&p);
    ig_lexicon_free(&w[0]);
    ig_lexicon_free(&w[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values),
        cmocka_unit_test(small_singular_values),
        cmocka_unit_test(numpy_normalises_and_turns_alike),
        cmocka_unit_test(numpy_maps_in_steps_alike),
        cmocka_unit_test(numpy_maps_few_words_alike),
        cmocka_unit_test(few_pairs_find_the_other_words),
        cmocka_unit_test(either_space_may_be_the_first),
        cmocka_unit_test(plain_steps_are_procrustes),
        cmocka_unit_test(induces_what_brute_force_does),
        cmocka_unit_test(what_the_round_before_had_changes_nothing),
        cmocka_unit_test(csls_of_a_space_with_itself_is_the_identity),
        cmocka_unit_test(a_rotation_is_recovered),
        cmocka_unit_test(a_turned_space_is_found_without_a_dictionary),
        cmocka_unit_test(first_pairs_weigh_directions_by_length),
        cmocka_unit_test(seeds_by_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
