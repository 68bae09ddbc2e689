/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the cost of a batch: floating-point operations of the model over real tokens, and the
 * memory this engine uses.
 */
#include "model/engine/engine.h"
#include "model/engine/shards.h"
#include "model/engine/state.h"
#include "model/engine/weights.h"
#include "model/head/head.h"

double ig_engine_train_flop(const ig_bert_config *c, const ig_batch *b)
{
    const double d = c->hidden_size;
    double attention = 0, head = 0; /* scores and context: 2 · 2 T² D over a sequence's heads */
    for (int i = 0; i < b->n_seq; i++) {
        double t = b->seq_start[i + 1] - b->seq_start[i];
        attention += 4 * d * (c->causal || b->causal ? t * (t + 1) / 2 : t * t);
    }
    const double block = 2 * ig_param_products(c, IG_OF_BLOCK) * b->n_tok + attention;
    for (int h = 0; h < IG_N_HEAD; h++)
        head += 2 * ig_param_products(c, h) * b->target[h].n;
    /* No gradient passes through an encoder under frozen heads. */
    return (ig_heads_train_states(c, b) ? 3 : 1) * block * c->num_hidden_layers + 3 * head;
}

int64_t ig_engine_device_memory(const ig_device *device, const ig_bert_config *c, int32_t n_tok,
                                int32_t longest)
{
    enum { COPIES = 4, PARTS = 21 << 20 /* of sums, or a matrix in bfloat16 */ };
    const ig_plan plan = device->plan(c);
    const int64_t tok = n_tok < plan.target + longest ? n_tok : plan.target + longest,
                  values = ig_bert_config_n_value(c) * (int64_t)sizeof(float);
    ig_state_size z = {.n_tok = (int)tok,
                       .n_seq = (int)tok,
                       .longest = longest,
                       .probs = tok * longest * c->num_attention_heads,
                       .head_rows = tok < plan.head_rows ? (int)tok : plan.head_rows,
                       .train = true,
                       .room = plan.gpu};
    int64_t bytes = COPIES * values + ig_state_bytes(c, &z);
    z.train = false;
    return bytes + ig_state_bytes(c, &z) + PARTS;
}

int64_t ig_engine_memory(const ig_bert_config *c, int32_t n_tok, int32_t longest, int n_thread)
{
    const ig_plan plan = ig_device_for(c)->plan(c);
    const ig_ops *ops = ig_ops_best();
    int64_t n_lane = 1, n = ((int64_t)n_tok + plan.target / 2) / plan.target, tok = n_tok;
    if (!plan.split && n > 1) {
        n_lane = n < IG_LANES_MAX ? n : IG_LANES_MAX;
        tok = plan.target * 3 / 2 + longest;
    } else if (tok > plan.target + longest)
        tok = plan.target + longest;
    const ig_state_size z = {.n_tok = (int)tok,
                             .n_seq = (int)tok,
                             .longest = longest,
                             .probs = tok * longest * c->num_attention_heads,
                             .head_rows = plan.head_rows,
                             .train = true,
                             .room = plan.gpu};
    return ig_state_bytes(c, &z) * (plan.split ? 1 : n_thread) +
           ig_bert_config_n_value(c) * (int64_t)sizeof(float) * n_lane +
           (plan.gpu     ? 0
            : plan.split ? ig_weights_room(c, ops, tok) * (int64_t)sizeof(float) +
                               ig_weights_to_infer(c, ops)
                         : ig_weights_bytes(c, ops, IG_PACK_ALL));
}
