/* SPDX-License-Identifier: Apache-2.0
 *
 * The starts of a map: a single start is its parts in a row, bit for bit; related spaces need one
 * start, unrelated ones climb through all, and each start leaves the spaces to the next as they
 * were.
 */
#include "embed/judge/map_ladder.h"
#include "map_fixture.h"
#include "test.h"

enum { N = SANITIZED ? 160 : 240, D = 16 };

static const ig_steps steps = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};

typedef struct {
    float *x, *z;
    ig_map_spaces s;
} spaces;

/* related: the target is the source, turned and blurred a little. */
static spaces make(bool related)
{
    double w[D * D];
    int32_t order[N];
    spaces p = {.x = fixture_space(N, D, 1)};
    for (int32_t i = 0; i < N; i++)
        order[i] = i;
    fixture_rotation(w, D, 2);
    p.z = related ? fixture_copy(p.x, N, D, w, order, 0.05) : fixture_space(N, D, 3);
    fixture_normalise(p.x, N, D);
    fixture_normalise(p.z, N, D);
    p.s = (ig_map_spaces){.x = p.x, .z = p.z, .n_x = N, .n_z = N, .d = D, .ops = ig_ops_best()};
    return p;
}

static ig_ladder_options options(ig_map_start start)
{
    ig_ladder_options o = {
        .map = fixture_options(),
        .start = start,
        .steps = &steps,
        .anneal = {.words = N, .k = 10, .from = 0.4, .to = 0.02, .factor = 0.95, .frequency = 1},
        .init_words = N,
        .judge = true,
        .isometry_words = 50,
        .chance = {.most = N, .k = 10, .seed = 1},
        .chance_patience = 3,
        .diagnose = {.blind = true, .most = N, .k = 10, .seed = 1}};
    o.map.keep = 0;
    return o;
}

static void same_maps(const ig_ladder *a, const ig_map_result *r, const ig_map_spaces *s)
{
    static float y[N * D];
    ig_err err;
    assert_int_equal(a->result.d_out, r->d_out);
    assert_int_equal(a->result.n_round, r->n_round);
    for (int side = 0; side < 2; side++) {
        const ig_map_matrix by = {side == 0 ? r->a_x : r->a_z, r->d_out};
        assert_ok(ig_map_apply(y, side == 0 ? s->x : s->z, N, by, ig_map_with(s), &err), &err);
        assert_memory_equal(a->mapped[side], y, sizeof *y * (size_t)(N * r->d_out));
    }
}

static void one_start_is_its_parts(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        spaces p = make(true);
        ig_ladder_options o = options(IG_MAP_SIMILARITY);
        ig_map_options map = o.map;
        ig_map_pairs first = {0};
        ig_map_result r;
        ig_ladder l;
        ig_err err;
        if (given)
            for (int32_t i = 0; i < 40; i++)
                assert_ok(ig_map_pairs_add(&first, 3 * i, 3 * i, &err), &err);
        else
            assert_ok(ig_map_seed_similarity(&first, &p.s, N, map.k, &steps, &err), &err);
        o.given = given ? &first : NULL;
        map.keep = 0.1;
        assert_ok(ig_map_run(&r, &p.s, &first, &map, &err), &err);
        assert_ok(ig_ladder_run(&l, &p.s, &o, &err), &err);
        same_maps(&l, &r, &p.s);
        assert_int_equal(l.pairs.n, first.n);
        assert_int_equal(l.n_start, given ? 0 : 1);
        assert_int_equal(l.isometry.n, 50);
        /* The rows go to the vectors they are of. */
        ig_vectors v = {.n = N, .d = D, .x = p.x};
        const float *const mapped = l.mapped[0];
        assert_ok(ig_alloc(&v.x, N * D, sizeof *v.x, "rows", &err), &err);
        ig_ladder_take(&l, 0, &v);
        assert_true(v.x == mapped && v.d == l.result.d_out && l.mapped[0] == NULL);
        ig_free(v.x);
        ig_ladder_free(&l);
        ig_map_result_free(&r);
        ig_map_pairs_free(&first);
        free(p.x);
        free(p.z);
    }
}

static void related_spaces_need_one_start(void **state)
{
    (void)state;
    spaces p = make(true);
    ig_ladder_options o = options(IG_MAP_AUTO);
    ig_ladder l;
    ig_err err;
    o.judge = false; /* AUTO has to know all the same */
    assert_ok(ig_ladder_run(&l, &p.s, &o, &err), &err);
    assert_false(l.degenerate);
    assert_int_equal(l.n_start, 1);
    assert_true(l.tried[0].start == IG_MAP_ANNEALING && l.tried[0].judged);
    assert_int_equal(l.tried[0].words, N);
    assert_int_equal(l.tried[0].n_round, l.result.n_round);
    ig_ladder_free(&l);
    free(p.x);
    free(p.z);
}

static void unrelated_spaces_climb_to_the_last_start(void **state)
{
    (void)state;
    spaces p = make(false);
    ig_ladder_options o = options(IG_MAP_AUTO);
    ig_ladder l, alone;
    ig_err err;
    o.judge = false;
    assert_ok(ig_ladder_run(&l, &p.s, &o, &err), &err);
    const int n = l.n_start;
    assert_true(n == 3 || n == 4);
    assert_int_equal(l.tried[0].start, IG_MAP_ANNEALING);
    assert_true(n == 3 || l.tried[1].start == IG_MAP_RANDOM);
    assert_int_equal(l.tried[n - 2].start, IG_MAP_ANNEALING);
    assert_int_equal(l.tried[n - 2].words, N / 2);
    assert_int_equal(l.tried[n - 1].start, IG_MAP_SIMILARITY);
    for (int i = 0; i < n - 1; i++)
        assert_true(l.tried[i].judged && (i == 0 || l.tried[i].degenerate));
    assert_false(l.tried[n - 1].judged);
    /* The attempt before has left no trace. */
    o.start = IG_MAP_SIMILARITY;
    assert_ok(ig_ladder_run(&alone, &p.s, &o, &err), &err);
    same_maps(&l, &alone.result, &p.s);
    assert_int_equal(l.pairs.n, alone.pairs.n);
    assert_true(alone.chance.n == 0 && alone.health.n == 0);
    ig_ladder_free(&alone);
    ig_ladder_free(&l);
    free(p.x);
    free(p.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_start_is_its_parts),
                                       cmocka_unit_test(related_spaces_need_one_start),
                                       cmocka_unit_test(unrelated_spaces_climb_to_the_last_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
