/* SPDX-License-Identifier: Apache-2.0
 *
 * Shards handed out to threads: each once, those of a lane in their order and never two at a time,
 * and nobody waits while there is work.
 */
#include "base/threads/team.h"
#include "model/engine/lanes.h"
#include "test.h"

#include <stdatomic.h>
#include <string.h>

enum { most_shards = 5 };

typedef struct {
    ig_lanes lanes;
    _Atomic int in_lane[IG_LANES_MAX], done[IG_LANES_MAX], wrong;
} handed;

static void work(void *arg, int64_t i_task, int i_thread)
{
    handed *h = arg;
    int lane = -1, shard;
    (void)i_task;
    while (ig_lanes_next(&h->lanes, lane, &lane, &shard)) {
        h->wrong += atomic_fetch_add(&h->in_lane[lane], 1) != 0;
        h->wrong += atomic_load(&h->done[lane]) != shard;
        for (volatile int i = 0; i < 2000 * (1 + i_thread + lane); i++)
            ;
        atomic_fetch_add(&h->done[lane], 1);
        atomic_fetch_sub(&h->in_lane[lane], 1);
    }
}

static void each_once_in_order(void **state)
{
    (void)state;
    ig_err err;
    for (int n_thread = 1; n_thread <= 9; n_thread += n_thread < 4 ? 1 : 5) {
        ig_team *team;
        assert_ok(ig_team_new(&team, n_thread, &err), &err);
        for (int n_lane = 1; n_lane <= IG_LANES_MAX; n_lane += n_lane < 8 ? 1 : 28)
            for (int n_shard = 1; n_shard <= most_shards; n_shard++) {
                handed h = {.wrong = 0};
                ig_lanes_begin(&h.lanes, n_lane, n_shard, n_thread);
                ig_team_for(team, n_thread, work, &h);
                ig_lanes_end(&h.lanes);
                assert_int_equal(h.wrong, 0);
                for (int i = 0; i < IG_LANES_MAX; i++)
                    assert_int_equal(h.done[i], i < n_lane ? n_shard : 0);
            }
        ig_team_free(team);
    }
}

/* Two threads, of which one is held up in its first shard: the other does all there is but what
 * comes after that shard, keeps the lanes it has begun, and evens out the last ones. */
static void one_is_slow(void **state)
{
    (void)state;
    ig_lanes l;
    int slow, shard, lane = -1, order[32], n = 0;
    ig_lanes_begin(&l, 8, 3, 2);
    assert_true(ig_lanes_next(&l, -1, &slow, &shard));
    assert_int_equal(slow, 0);
    while (ig_lanes_next(&l, lane, &lane, &shard)) {
        assert_true(n < 32 && lane != slow);
        order[n++] = lane;
    }
    static const int want[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7};
    assert_int_equal(n, 21);
    assert_memory_equal(order, want, sizeof want);
    assert_true(ig_lanes_next(&l, slow, &slow, &shard));
    assert_true(slow == 0 && shard == 1);
    ig_lanes_end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once_in_order),
        cmocka_unit_test(one_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
