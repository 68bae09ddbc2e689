/* SPDX-License-Identifier: Apache-2.0
 *
 * How a device runs a model: its shards in lanes or its ops over the team, and how large shards
 * are. Depends on the device and the model, never on threads.
 */
#pragma once

#include "isoglot/bert.h"

#include <stdbool.h>

typedef struct {
    bool split;    /* team mode: ops are cut over the team, shards run one after another */
    int target;    /* tokens of a shard */
    int head_rows; /* targets that a head takes at a time */
} ig_plan;

/* The host's, by the weights of a block: a device has its own (ig_device.plan). */
ig_plan ig_plan_make(const ig_bert_config *c);
