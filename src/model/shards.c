/* SPDX-License-Identifier: Apache-2.0
 *
 * Cutting a batch; see shards.h. A small model's shard is sized for one core's L2, so that its
 * activations of one layer and that layer's weights stay there; a large model's is as large as
 * memory reasonably allows, because its products amortise the weights over the rows.
 */
#include "model/shards.h"
#include "base/memory.h"

enum {
    lane_block_weights = 1 << 18, /* a block with more weights than this is run by the team */
    lane_tokens = 256,
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

/* First sequence that begins at or after the token, or the one before where that is nearer. */
static int32_t nearest_start(const ig_batch *b, int32_t from, int64_t token)
{
    int32_t s = from;
    while (s < b->n_seq && b->seq_start[s] < token)
        s++;
    if (s > from && token - b->seq_start[s - 1] < b->seq_start[s] - token)
        s--;
    return s;
}

ig_code ig_shards_cut(ig_shards *s, const ig_plan *plan, const ig_batch *b, ig_err *err)
{
    int64_t n = ((int64_t)b->n_tok + plan->target / 2) / plan->target;
    if (n < 1)
        n = 1;
    s->n_lane = 1;
    if (!plan->split) {
        s->n_lane = n < IG_LANES_MAX ? (int)n : IG_LANES_MAX;
        n = (n + s->n_lane - 1) / s->n_lane * s->n_lane;
    }
    IG_TRY(ig_grow(&s->first, &s->have, n + 1, sizeof *s->first, "shards", err));
    IG_TRY(ig_grow(&s->pred, &s->have_pred, n + 1, sizeof *s->pred, "shards", err));
    s->n_shard = (int)n;
    s->first[0] = 0;
    s->pred[0] = 0;
    for (int i = 1; i <= s->n_shard; i++) {
        s->first[i] = i == s->n_shard
                          ? b->n_seq
                          : nearest_start(b, s->first[i - 1], (int64_t)b->n_tok * i / s->n_shard);
        int32_t p = s->pred[i - 1];
        while (p < b->n_pred && b->pred_row[p] < b->seq_start[s->first[i]])
            p++;
        s->pred[i] = p;
    }
    return IG_ERR_OK;
}

void ig_shards_free(ig_shards *s)
{
    ig_free(s->first);
    ig_free(s->pred);
    *s = (ig_shards){0};
}

int ig_lane_first(const ig_shards *s, int lane)
{
    return s->n_shard / s->n_lane * lane;
}
