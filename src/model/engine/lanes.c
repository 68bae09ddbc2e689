/* SPDX-License-Identifier: Apache-2.0
 *
 * Shards handed out under a lock: a few dozen times an update, milliseconds apart. The locking
 * keeps each lane's shards in order.
 */
#include "model/engine/lanes.h"

void ig_lanes_begin(ig_lanes *l, int n_lane, int n_shard, int n_thread)
{
    const int shared = n_thread < 2 ? 0 : 2 * n_thread < n_lane ? 2 * n_thread : n_lane;
    *l = (ig_lanes){.n_lane = n_lane, .n_shard = n_shard, .n_kept = n_lane - shared};
    pthread_mutex_init(&l->lock, NULL);
}

/* The lane to continue with: the current one, a kept one that no thread has started, or the one
 * that has most shards left. −1: none. */
static int choose(ig_lanes *l, int held)
{
    if (held >= 0 && held < l->n_kept && l->done[held] < l->n_shard)
        return held;
    if (l->next < l->n_kept)
        return l->next++;
    int best = -1;
    for (int i = l->n_kept; i < l->n_lane; i++)
        if (!l->busy[i] && l->done[i] < l->n_shard && (best < 0 || l->done[i] < l->done[best]))
            best = i;
    return best;
}

bool ig_lanes_next(ig_lanes *l, int held, int *lane, int *shard)
{
    pthread_mutex_lock(&l->lock);
    if (held >= 0) {
        l->busy[held] = false;
        l->done[held]++;
    }
    *lane = choose(l, held);
    if (*lane >= 0) {
        l->busy[*lane] = true;
        *shard = l->done[*lane];
    }
    pthread_mutex_unlock(&l->lock);
    return *lane >= 0;
}

void ig_lanes_end(ig_lanes *l)
{
    pthread_mutex_destroy(&l->lock);
}
