/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives the size of a tensor's dimension.
 */
#include "model/param_row.h"

int32_t ig_param_dim(const ig_bert_config *c, ig_dim d)
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
        return c->hidden_size / c->num_attention_heads;
    case IG_DIM_LAYERS:
        return c->num_hidden_layers;
    case IG_DIM_1:
    case IG_DIM_LABELS:
    case IG_DIM_OWN:
        break;
    }
    return 1;
}
