/* SPDX-License-Identifier: Apache-2.0
 *
 * Cosines of two languages' positions: planted matrices whose numbers are known, a literal reading
 * of the definitions, tables of models with positions of each kind of one's own, why there is
 * nothing to measure where they are shared.
 */
#include "measure_fixture.h"

#include "analyse/positions.h"
#include "base/memory.h"
#include "measure/missing.h"
#include "measure/position_cosines.h"
#include "model/bert_params.h"

#include <math.h>

enum { N = 60, FREQUENT = 42, OWN = 16 };

static double c[N * N];
static ig_err err;

static ig_position_cosines of(int n_frequent)
{
    ig_position_cosines p;
    assert_ok(ig_position_cosines_of(&p, c, N, n_frequent, &err), &err);
    assert_int_equal(p.n, N);
    assert_int_equal(p.n_frequent, n_frequent);
    return p;
}

static void is(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("got %.17g, want %.17g", got, want);
}

/* Noise below .5, from which a planted cosine stands out. */
static void noise(uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N * N; i++)
        c[i] = .5 * ig_rng_unit(&r);
}

static void a_diagonal(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i * N + j] = i != j ? .25 : i < FREQUENT ? 1 : .75;
    const ig_position_cosines p = of(FREQUENT);
    is(p.nearest, 1);
    is(p.nearest_rare, 1);
    is(p.diagonal, .75);
    is(p.diagonal_rare, .5);
    is(p.order, 1);
}

/* Each position of the one language, up to its length, lies at the mirrored one of the other. */
static void an_anti_diagonal_of_any_length(void **state)
{
    (void)state;
    for (int length = FREQUENT - 1; length <= FREQUENT;
         length++) { /* odd: the middle is the same */
        noise(2);
        for (int i = 0; i < length; i++)
            c[i * N + length - 1 - i] = .9;
        const ig_position_cosines p = of(length);
        is(p.nearest, length % 2 == 1 ? 1. / length : 0);
        is(p.order, -1);
        assert_true(p.diagonal < .1 && p.nearest_rare < .2);
    }
}

/* The diagonal of the frequent ones alone; the rare ones look random. */
static void weakens_at_the_end(void **state)
{
    (void)state;
    noise(3);
    for (int i = 0; i < FREQUENT; i++)
        c[i * N + i] = .9;
    const ig_position_cosines p = of(FREQUENT);
    is(p.nearest, 1);
    is(p.order, 1);
    assert_true(p.diagonal > .6 && p.diagonal < .7);
    assert_true(p.nearest_rare < .15 && fabs(p.diagonal_rare) < .1);
}

/* That frequent positions are all alike and rare ones are not is no diagonal. */
static void blocks_are_no_diagonal(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i * N + j] = i < FREQUENT && j < FREQUENT ? .8 : .1;
    const ig_position_cosines p = of(FREQUENT);
    is(p.diagonal, 0);
    is(p.diagonal_rare, 0);
    is(p.nearest, 1. / FREQUENT); /* the first of equals */
    is(p.nearest_rare, 0);
    assert_true(isnan(p.order)); /* all have the same nearest */
}

static void nothing_to_average(void **state)
{
    (void)state;
    noise(4);
    ig_position_cosines p = of(N);
    assert_true(isfinite(p.nearest) && isfinite(p.diagonal) && isfinite(p.order));
    assert_true(isnan(p.nearest_rare) && isnan(p.diagonal_rare));
    p = of(0);
    assert_true(isnan(p.nearest) && isnan(p.diagonal) && isnan(p.order));
    assert_true(isfinite(p.nearest_rare) && isfinite(p.diagonal_rare));
    p = of(1);
    assert_true(isfinite(p.nearest) && isnan(p.diagonal) && isnan(p.order));
}

/* Concordant less discordant pairs over √(pairs × pairs that are not tied), in one way. */
static double order_read_literally(const int *nearest, int n)
{
    double sum = 0, untied = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            sum += (nearest[i] > nearest[j]) - (nearest[i] < nearest[j]);
            untied += nearest[i] != nearest[j];
        }
    return sum / sqrt(n * (n - 1) / 2. * untied);
}

static void read_literally(const ig_position_cosines *got, int n_frequent)
{
    int nearest[2][N];
    double hits[2] = {0}, same[2] = {0}, others[2] = {0};
    for (int i = 0; i < N; i++) {
        const int part = i >= n_frequent;
        for (int way = 0; way < 2; way++) {
            nearest[way][i] = -1;
            for (int j = N - 1; j >= 0; j--) {
                bool best = true;
                for (int k = 0; k < N; k++)
                    best = best &&
                           (way == 0 ? c[i * N + k] <= c[i * N + j] : c[k * N + i] <= c[j * N + i]);
                nearest[way][i] = best ? j : nearest[way][i];
            }
            hits[part] += nearest[way][i] == i;
        }
        same[part] += c[i * N + i];
        for (int j = 0; j < N; j++)
            others[part] += (j >= n_frequent) == part && j != i ? c[i * N + j] : 0;
    }
    const double n[] = {n_frequent, N - n_frequent};
    is(got->nearest, hits[0] / (2 * n[0]));
    is(got->nearest_rare, hits[1] / (2 * n[1]));
    is(got->diagonal, same[0] / n[0] - others[0] / (n[0] * (n[0] - 1)));
    is(got->diagonal_rare, same[1] / n[1] - others[1] / (n[1] * (n[1] - 1)));
    is(got->order, (order_read_literally(nearest[0], n_frequent) +
                    order_read_literally(nearest[1], n_frequent)) /
                       2);
}

static void equals_the_definitions(void **state)
{
    (void)state;
    for (int seed = 0; seed < 8; seed++) {
        noise(10 + (uint64_t)seed);
        for (int i = 0; i < N; i++) {
            c[i * N + i] += .05 * seed * (i < 30);
            if (seed % 2 == 1) /* ties */
                for (int j = 0; j < N; j++)
                    c[i * N + j] = floor(c[i * N + j] * 20) / 20;
        }
        const ig_position_cosines p = of(FREQUENT - 3 * seed);
        read_literally(&p, FREQUENT - 3 * seed);
    }
}

/* ---- models ---- */

static ig_measure_result measure_table(const char *pipeline, ig_bert_config shape, float noise_of)
{
    lab l = lab_open(distinct_words(300, 1, 20), pipeline, &shape, 2);
    ig_measure_options o = plain();
    o.what = IG_MEASURE_BIT(positions);
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 0, 0);
    const bool own = shape.separate.positions;
    int32_t d;
    float *first = table(l.model, "bert.embeddings.position_embeddings.weight", &d), *second;
    if (own)
        second = ig_bert_weights(l.model) + ig_bert_get_offsets(l.model, 1).position;
    else
        second = first + (ptrdiff_t)ig_corpus_language(l.corpus, 1)->pos_offset * d;
    for (int32_t i = 0; i < OWN * d && second != first; i++)
        second[i] = first[i] + noise_of * (float)ig_rng_normal(&r);
    const ig_measure_result m = measure(&l, &o);
    lab_close(&l);
    return m;
}

/* The first OWN of 40 are copies; sentences of 1 to 20 words have 3 to 22 positions. */
static void the_table_of_a_model(void **state)
{
    (void)state;
    for (int separate = 0; separate < 2; separate++) {
        ig_bert_config shape = tiny();
        shape.separate.positions = separate == 1;
        shape.n_language = separate == 1 ? 2 : shape.n_language;
        const ig_measure_result m =
            measure_table(separate == 1 ? "shift" : "shift | positions", shape, 0);
        const double nearest = ig_measure_value(&m, "positions_nearest", -1);
        assert_int_equal(n_of(&m, "positions_nearest", "dev", m.pair, -1), 22);
        assert_int_equal(n_of(&m, "positions_nearest_rare", "dev", m.pair, -1), BLOCK - 22);
        assert_true(nearest >= (double)OWN / 22 && nearest < .85);
        assert_true(ig_measure_value(&m, "positions_nearest_rare", -1) < .2 &&
                    ig_measure_value(&m, "positions_diagonal", -1) > .5);
        assert_string_equal(m.no_positions, "");
        json_t *j = ig_measure_json(&m);
        assert_null(json_object_get(json_object_get(j, "missing"), "positions"));
        json_decref(j);
    }
}

static void positions_in_common(void **state)
{
    (void)state;
    static const struct {
        const char *pipeline;
        ig_position_kind kind;
        const char *say;
    } of[] = {{"shift", IG_POSITION_LEARNED,
               "needs positions of each language's own: lang-pos, or separate=positions"},
              {"shift", IG_POSITION_SINUSOIDAL,
               "needs position embeddings that are learned: found position-type sinusoidal"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ig_bert_config shape = tiny();
        lab l;
        ig_measure_options o = plain();
        shape.position = of[i].kind;
        o.what = IG_MEASURE_BIT(positions);
        l = lab_open(distinct_words(20, 1, 20), of[i].pipeline, &shape, 2);
        const ig_measure_result m = measure(&l, &o);
        assert_true(isnan(ig_measure_value(&m, "positions_nearest", -1)));
        json_t *j = ig_measure_json(&m);
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(j, "missing"), "positions")),
            of[i].say);
        json_decref(j);
        lab_close(&l);
    }
}

/* The figure of the same matrix agrees (lab/report/run_figure.c). */
static void as_the_figure(void **state)
{
    (void)state;
    static double both[4 * N * N];
    for (int t = 0; t < 20; t++) {
        noise(30 + (uint64_t)t);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                both[(int64_t)i * 2 * N + N + j] = c[i * N + j];
                both[(int64_t)(N + j) * 2 * N + i] = c[i * N + j];
            }
        /* A diagonal that is clear, or one of which noise hides much. */
        for (int i = 0; i < 20; i++)
            both[(int64_t)i * 2 * N + N + i] = both[(int64_t)(N + i) * 2 * N + i] = c[i * N + i] =
                t == 0 ? .7 : .49;
        const ig_position_cosines p = of(N);
        const ig_position_summary s = ig_position_summarise(both, N);
        is(p.nearest, s.nearest);
        is(p.diagonal, s.same - s.between);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diagonal),           cmocka_unit_test(an_anti_diagonal_of_any_length),
        cmocka_unit_test(weakens_at_the_end),   cmocka_unit_test(blocks_are_no_diagonal),
        cmocka_unit_test(nothing_to_average),   cmocka_unit_test(equals_the_definitions),
        cmocka_unit_test(the_table_of_a_model), cmocka_unit_test(positions_in_common),
        cmocka_unit_test(as_the_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
