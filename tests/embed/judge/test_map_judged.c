/* SPDX-License-Identifier: Apache-2.0
 *
 * A judged map is its parts in a row, bit for bit, with first pairs given or by similarity.
 */
#include "embed/judge/map_judged.h"
#include "map_fixture.h"
#include "test.h"

enum { N = SANITIZED ? 160 : 240, D = 16 };

static const ig_steps steps = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};

typedef struct {
    float *x, *z;
    ig_map_spaces s;
} spaces;

/* The target is the source, turned and blurred a little. */
static spaces make(void)
{
    double w[D * D];
    int32_t order[N];
    spaces p = {.x = fixture_space(N, D, 1)};
    for (int32_t i = 0; i < N; i++)
        order[i] = i;
    fixture_rotation(w, D, 2);
    p.z = fixture_copy(p.x, N, D, w, order, 0.05);
    fixture_normalise(p.x, N, D);
    fixture_normalise(p.z, N, D);
    p.s = (ig_map_spaces){.x = p.x, .z = p.z, .n_x = N, .n_z = N, .d = D, .ops = ig_ops_best()};
    return p;
}

static ig_judged_options options(void)
{
    ig_judged_options o = {.map = fixture_options(),
                           .steps = &steps,
                           .init_words = N,
                           .judge = true,
                           .chance = {.most = N, .k = 10, .seed = 1},
                           .chance_patience = 3,
                           .diagnose = {.blind = true, .most = N, .k = 10, .seed = 1}};
    return o;
}

static void same_maps(const ig_judged_map *a, const ig_map_result *r, const ig_map_spaces *s)
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

static void a_map_is_its_parts(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        spaces p = make();
        ig_judged_options o = options();
        ig_map_options map = o.map;
        ig_map_pairs first = {0};
        ig_map_result r;
        ig_judged_map l;
        ig_err err;
        if (given)
            for (int32_t i = 0; i < 40; i++)
                assert_ok(ig_map_pairs_add(&first, 3 * i, 3 * i, &err), &err);
        else
            assert_ok(ig_map_seed_similarity(&first, &p.s, N, map.k, &steps, &err), &err);
        o.given = given ? &first : NULL;
        assert_ok(ig_map_run(&r, &p.s, &first, &map, &err), &err);
        assert_ok(ig_judged_map_make(&l, &p.s, &o, &err), &err);
        same_maps(&l, &r, &p.s);
        assert_int_equal(l.pairs.n, first.n);
        assert_int_equal(l.chance.n, N);
        assert_false(l.degenerate);
        /* The rows go to the vectors they are of. */
        ig_vectors v = {.n = N, .d = D, .x = p.x};
        const float *const mapped = l.mapped[0];
        assert_ok(ig_alloc(&v.x, N * D, sizeof *v.x, "rows", &err), &err);
        ig_judged_map_take(&l, 0, &v);
        assert_true(v.x == mapped && v.d == l.result.d_out && l.mapped[0] == NULL);
        ig_free(v.x);
        ig_judged_map_free(&l);
        ig_map_result_free(&r);
        ig_map_pairs_free(&first);
        free(p.x);
        free(p.z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_map_is_its_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
