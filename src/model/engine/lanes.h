/* SPDX-License-Identifier: Apache-2.0
 *
 * Who computes which shard next. The shards of a lane add to one gradient, so they are run in their
 * order and never two at a time, whoever runs them: a result does not depend on the threads. A
 * thread keeps a lane, whose gradient is in its cache, until few lanes are left; the last ones go
 * from hand to hand, a shard at a time, so that all threads end together.
 */
#pragma once

#include "model/engine/shards.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    int n_lane, n_shard; /* shards of each lane */
    int n_kept, next;    /* lanes that are kept, and the first of them that nobody has begun */
    int done[IG_LANES_MAX];
    bool busy[IG_LANES_MAX];
} ig_lanes;

void ig_lanes_begin(ig_lanes *l, int n_lane, int n_shard, int n_thread);
/* The calling thread, which has done a shard of lane `held` (−1: none yet), gets the lane and the
 * number within it of its next one. False: there is none that others do not take care of. */
bool ig_lanes_next(ig_lanes *l, int held, int *lane, int *shard);
void ig_lanes_end(ig_lanes *l);
