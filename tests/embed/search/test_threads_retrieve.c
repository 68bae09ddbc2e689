/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval gives the same bits on 1, 2 and 4 threads: lists both ways, with ties and with dropout,
 * penalties, ranks.
 */
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "embed/search/retrieve.h"
#include "test.h"

#include <string.h>

enum { NA = 700, NB = 9000, D = 12, KA = 6, KB = 3 };

typedef struct {
    int32_t a[NA * KA], b[NB * KB];
    float sa[NA * KA], sb[NB * KB], csls[NB], softmax[NB];
    int64_t rank[NA];
} outcome;

static void all(outcome *o, const float *x, const float *y, int n_thread)
{
    static int64_t start[NA + 1];
    static int32_t right[NA];
    const ig_ops *ops = ig_ops_best();
    const ig_retrieve_side a = {x, NULL, NA}, b = {y, NULL, NB};
    const ig_retrieve_dropout drop = {
        .keep = 0.2, .key = ig_rng_key_make(1, IG_STREAM_TEST), .round = 3};
    ig_team *team;
    ig_err err;
    for (int i = 0; i <= NA; i++)
        start[i] = i;
    for (int i = 0; i < NA; i++)
        right[i] = i * 11 % NB;
    memset(o, 0, sizeof *o);
    assert_ok(ig_team_new(&team, n_thread, &err), &err);
    assert_ok(ig_retrieve_penalty(o->csls, (ig_retrieve_criterion){IG_RETRIEVE_CSLS, 10, 0}, &a, &b,
                                  (ig_vector_work){D, ops, team}, &err),
              &err);
    assert_ok(ig_retrieve_penalty(o->softmax, (ig_retrieve_criterion){IG_RETRIEVE_SOFTMAX, 0, 30},
                                  &a, &b, (ig_vector_work){D, ops, team}, &err),
              &err);
    ig_retrieve_want want[2] = {{KA, o->csls, o->a, o->sa, NULL}, {KB, NULL, o->b, o->sb, NULL}};
    assert_ok(ig_retrieve_top(&a, &b, want,
                              n_thread == 1 ? NULL : &(ig_retrieve_dropout){.keep = 1},
                              (ig_vector_work){D, ops, team}, &err),
              &err);
    assert_ok(ig_retrieve_rank(o->rank, &a, &b, &(ig_retrieve_gold){start, right, o->softmax},
                               (ig_vector_work){D, ops, team}, &err),
              &err);
    /* Behind the first lists' halves, the answers with dropout. */
    static int32_t da[NA * KA], db[NB * KB];
    ig_retrieve_want dropped[2] = {{KA, NULL, da, o->sa, NULL}, {KB, o->csls, db, o->sb, NULL}};
    assert_ok(ig_retrieve_top(&a, &b, dropped, &drop, (ig_vector_work){D, ops, team}, &err), &err);
    for (int i = 0; i < NA * KA; i++)
        o->a[i] = o->a[i] * 31 + da[i];
    for (int i = 0; i < NB * KB; i++)
        o->b[i] = o->b[i] * 31 + db[i];
    ig_team_free(team);
}

static void same_bits(void **state)
{
    (void)state;
    static outcome one, other;
    static float x[NA * D], y[NB * D];
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 3, 0);
    ig_err err;
    /* Coarse values: many inner products are equal. */
    for (int i = 0; i < NA * D; i++)
        x[i] = (float)ig_rng_below(&r, 2) - 0.5f;
    for (int i = 0; i < NB * D; i++)
        y[i] = (float)ig_rng_below(&r, 2) - 0.5f;
    assert_ok(ig_unit_rows(x, NA, D, "t", &err), &err);
    assert_ok(ig_unit_rows(y, NB, D, "t", &err), &err);
    all(&one, x, y, 1);
    for (int n = SANITIZED ? 4 : 2; n <= 4; n += 2) {
        all(&other, x, y, n);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
