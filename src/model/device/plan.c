/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's plan; see plan.h. A small model's shard is sized for one core's L2, so that its
 * activations of one layer and that layer's weights stay there; a large model's is as large as
 * memory reasonably allows, because its products amortise the weights over the rows.
 */
#include "model/device/plan.h"

enum {
    lane_block_weights = 1 << 18, /* a block with more weights than this is run by the team */
    lane_tokens = 384,
    lane_head_rows = 128,
    team_tokens = 2048,
    team_head_rows = 256
};

ig_plan ig_plan_make(const ig_bert_config *c)
{
    const int64_t d = c->hidden_size, f = c->intermediate_size;
    if (4 * d * d + 2 * d * f > lane_block_weights)
        return (ig_plan){.split = true, .target = team_tokens, .head_rows = team_head_rows};
    return (ig_plan){.split = false, .target = lane_tokens, .head_rows = lane_head_rows};
}
