/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks up the tables of a model's tensors: sizes of dimensions, operands of products, and how
 * large ones are run.
 */
#include "model/param_row.h"

#include "model/block/block.h"
#include "model/head/head.h"

#include <stddef.h>

#define IG_BLOCK_ROW(id, table) &ig_block_##table,
const ig_block *const ig_blocks[IG_N_BLOCK] = {IG_BLOCK_LIST(IG_BLOCK_ROW)};
#undef IG_BLOCK_ROW

ig_param_table ig_param_table_of(const ig_bert_config *c, int head)
{
    if (head == IG_OF_BLOCK)
        return (ig_param_table){ig_blocks[c->block]->param, ig_blocks[c->block]->n_param};
    const bool there = ig_bert_config_n_label(c, (ig_head_kind)head) > 0;
    return (ig_param_table){ig_heads[head]->param, there ? ig_heads[head]->n_param : 0};
}

int32_t ig_param_dim(const ig_bert_config *c, int head, ig_dim d)
{
    switch (d) {
    case IG_DIM_D:
        return c->hidden_size;
    case IG_DIM_F:
        return c->intermediate_size;
    case IG_DIM_V:
        return c->vocab_size;
    case IG_DIM_P:
        return c->max_position_embeddings;
    case IG_DIM_S:
        return c->type_vocab_size;
    case IG_DIM_DISTANCES:
        return 2 * c->max_position_embeddings - 1;
    case IG_DIM_HEAD:
        return ig_bert_head_dim(c);
    case IG_DIM_E:
        return ig_bert_embedding(c);
    case IG_DIM_Q:
        return ig_bert_query_dim(c);
    case IG_DIM_KV:
        return (ig_bert_qkv_dim(c) - ig_bert_query_dim(c)) / 2;
    case IG_DIM_QKV:
        return ig_bert_qkv_dim(c);
    case IG_DIM_2F:
        return 2 * c->intermediate_size;
    case IG_DIM_HEADS:
        return c->num_attention_heads;
    case IG_DIM_BUCKETS:
        return c->position_buckets;
    case IG_DIM_LAYERS:
        return c->num_hidden_layers;
    case IG_DIM_LABELS:
        return ig_bert_config_n_label(c, (ig_head_kind)head);
    case IG_DIM_1:
        return 1;
    default:
        return head < 0 ? 1 : ig_heads[head]->size(c, (int)d - (int)IG_DIM_OWN);
    }
}

bool ig_param_product(const ig_bert_config *c, int head, int i, int *n_out, int *n_in)
{
    const ig_param_table t = ig_param_table_of(c, head);
    const ig_param_row *row = &t.row[i];
    if (!row->product || row->joined || !(row->when == NULL || row->when(c) || row->tied))
        return false;
    *n_in = ig_param_dim(c, head, row->cols);
    *n_out = 0;
    do
        *n_out += ig_param_dim(c, head, t.row[i++].rows);
    while (i < t.n && t.row[i].joined);
    return true;
}

double ig_param_products(const ig_bert_config *c, int head)
{
    double sum = 0;
    for (int i = 0, n_out, n_in; i < ig_param_table_of(c, head).n; i++)
        if (ig_param_product(c, head, i, &n_out, &n_in))
            sum += (double)n_out * (double)n_in;
    return sum;
}

enum {
    lane_block_weights = 1 << 18, /* a block with more weights than this is run by the team */
    lane_tokens = 384,
    lane_head_rows = 128,
    team_tokens = 2048,
    team_head_rows = 256,
    team_lane_tokens = 1024
};

/* A small model's shard is sized for one core's L2, so that its
 * activations of one layer and that layer's weights stay there; a large model's is as large as
 * memory reasonably allows, because its products amortise the weights over the rows. */
ig_plan ig_plan_make(const ig_bert_config *c)
{
    if (ig_param_products(c, IG_OF_BLOCK) > lane_block_weights)
        return (ig_plan){.split = true,
                         .target = team_tokens,
                         .head_rows = team_head_rows,
                         .lane_tokens = team_lane_tokens};
    return (ig_plan){.split = false, .target = lane_tokens, .head_rows = lane_head_rows};
}
