/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which thread computes which shard next. The shards of a lane add to one gradient, so they
 * run in order and never two at a time, on any thread: a result does not depend on the threads. A
 * thread keeps a lane, whose gradient is in its cache, until few lanes are left; the last ones go
 * from hand to hand, a shard at a time, so that all threads end together.
 */
#pragma once

#include "model/engine/shards.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    int n_lane, n_shard; /* shards of each lane */
    int n_kept, next;    /* lanes that are kept, and the first of them that no thread has started */
    int done[IG_LANES_MAX];
    bool busy[IG_LANES_MAX];
} ig_lanes;

void ig_lanes_begin(ig_lanes *l, int n_lane, int n_shard, int n_thread);
/* Called by a thread that has finished a shard of lane `held` (−1: none yet): gives the lane of its
 * next shard and the number within it. False: none is left for it. */
bool ig_lanes_next(ig_lanes *l, int held, int *lane, int *shard);
void ig_lanes_end(ig_lanes *l);
