/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the hidden size that brings a model nearest to a number of parameters.
 */
#include "isoglot/bert.h"

static int64_t value_of(ig_bert_config *c, int32_t hidden, bool keep_ffn)
{
    c->hidden_size = hidden;
    if (!keep_ffn)
        c->intermediate_size = 4 * hidden;
    return ig_bert_config_n_value(c);
}

void ig_bert_config_solve(ig_bert_config *c, int64_t wanted, bool keep_ffn)
{
    const int32_t step = c->num_attention_heads * (c->position == IG_POSITION_ROTARY ? 2 : 1);
    int32_t low = 1, high = (1 << 15) / step; /* in steps; the number rises with the size */
    while (low < high) {
        const int32_t mid = (low + high) / 2;
        if (value_of(c, mid * step, keep_ffn) < wanted)
            low = mid + 1;
        else
            high = mid;
    }
    const int64_t above = value_of(c, low * step, keep_ffn) - wanted;
    if (low > 1 && wanted - value_of(c, (low - 1) * step, keep_ffn) <= above)
        low--;
    (void)value_of(c, low * step, keep_ffn);
}
