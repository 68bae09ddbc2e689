/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps are the same bits on 1, 2 and 4 threads, by each method; another seed gives others.
 */
#include "embed/judge/map_diagnose.h"
#include "map_fixture.h"
#include "test.h"

enum { A = 500, B = 430, DIM = 12 };

static void make(double *w, ig_map_health *h, int kind, int n_thread, uint64_t seed)
{
    const ig_steps steps = {2, {IG_STEP_ITERATIVE, IG_STEP_UNIT}};
    float *x = fixture_space(A, DIM, 1), *z = fixture_space(B, DIM, 2);
    ig_map_options o = fixture_options();
    ig_map_pairs first = {0};
    ig_map_result map;
    ig_team *team;
    ig_err err;
    assert_ok(ig_team_new(&team, n_thread, &err), &err);
    assert_ok(ig_steps_apply(&steps, (ig_map_side){x, A, DIM}, NULL, team, &err), &err);
    assert_ok(ig_steps_apply(&steps, (ig_map_side){z, B, DIM}, NULL, team, &err), &err);
    const ig_map_spaces s = {
        .x = x, .z = z, .n_x = A, .n_z = B, .d = DIM, .ops = ig_ops_best(), .team = team};
    o.method = (ig_map_method)kind;
    o.max_round = SANITIZED ? 5 : 12;
    o.patience = 2;
    o.seed = seed;
    assert_ok(ig_map_seed_similarity(&first, &s, 300, 10, &steps, &err), &err);
    assert_ok(ig_map_run(&map, &s, &first, &o, &err), &err);
    memcpy(w, map.a_x, DIM * DIM * sizeof *w);
    memcpy(w + DIM * DIM, map.a_z, DIM * DIM * sizeof *w);
    const ig_diagnose_options d = {.most = 400, .k = 10, .seed = 1};
    assert_ok(ig_map_diagnose(h, &s, &d, &err), &err);
    ig_map_result_free(&map);
    ig_map_pairs_free(&first);
    ig_team_free(team);
    free(x);
    free(z);
}

static void same_bits(void **state)
{
    (void)state;
    static const int threads[] = {2, 4};
    double w[2 * DIM * DIM], other[2 * DIM * DIM];
    ig_map_health h, health;
    for (int kind = 0; kind < IG_MAP_METHOD_N; kind++) {
        make(w, &h, kind, 1, 1);
        for (int i = SANITIZED; i < 2; i++) {
            make(other, &health, kind, threads[i], 1);
            assert_memory_equal(w, other, sizeof w);
            assert_memory_equal(h.objective, health.objective, sizeof h.objective);
            assert_memory_equal(&h.relational, &health.relational, sizeof h.relational);
        }
        make(other, &health, kind, 1, 2);
        assert_memory_not_equal(w, other, sizeof w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
