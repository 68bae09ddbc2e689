/* SPDX-License-Identifier: Apache-2.0
 *
 * GPT-2 (Radford et al. 2019): LayerNorm before sublayers, causal attention, learned positions; its
 * matrices are stored transposed, and those of queries, keys and values as one.
 */
#include "model/family/config_json.h"

#include <math.h>
#include <stddef.h>

#define LAYER "bert.encoder.layer.#."
static const ig_family_name names[] = {
    {IG_FAMILY_NAME("wte.", "bert.embeddings.word_embeddings.")},
    {IG_FAMILY_NAME("wpe.", "bert.embeddings.position_embeddings.")},
    {IG_FAMILY_NAME("h.#.ln_1.", LAYER "attention.ln.")},
    {IG_FAMILY_NAME("h.#.ln_2.", LAYER "ln.")},
    {IG_FAMILY_NAME("h.#.attn.c_attn.", LAYER "attention.self.query."), .transposed = true,
     .joined = 3},
    {IG_FAMILY_NAME("h.#.attn.c_proj.", LAYER "attention.output.dense."), .transposed = true},
    {IG_FAMILY_NAME("h.#.mlp.c_fc.", LAYER "intermediate.dense."), .transposed = true},
    {IG_FAMILY_NAME("h.#.mlp.c_proj.", LAYER "output.dense."), .transposed = true},
    {IG_FAMILY_NAME("h.#.attn.bias",
                    "bert.embeddings.position_ids")}, /* masks that old files have */
    {IG_FAMILY_NAME("h.#.attn.masked_bias", "bert.embeddings.position_ids")},
    {IG_FAMILY_NAME("h.#.", LAYER)},
    {IG_FAMILY_NAME("ln_f.", "bert.encoder.ln.")},
    {IG_FAMILY_NAME("lm_head.", "cls.predictions.decoder.")},
    {IG_FAMILY_NAME(NULL, NULL)}};
static const ig_family_key keys[] = {{"hidden_size", "n_embd", (double)NAN},
                                     {"num_hidden_layers", "n_layer", (double)NAN},
                                     {"num_attention_heads", "n_head", (double)NAN},
                                     {"intermediate_size", "n_inner", 0},
                                     {"max_position_embeddings", "n_positions", (double)NAN},
                                     {"hidden_dropout_prob", "resid_pdrop", 0.1},
                                     {"attention_probs_dropout_prob", "attn_pdrop", 0.1},
                                     {"layer_norm_eps", "layer_norm_epsilon", 1e-5},
                                     {"hidden_act", "activation_function", IG_ACTIVATION_NEW},
                                     {"pad_token_id", "pad_token_id", -1},
                                     {"type_vocab_size", NULL, 1},
                                     {NULL, NULL, 0}};
static const ig_family_must musts[] = {
    {"scale_attn_weights", "true"}, {"scale_attn_by_inverse_layer_idx", "false"}, {NULL, NULL}};

static ig_code read_gpt2(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    (void)j;
    (void)where;
    (void)err;
    if (c->intermediate_size == 0 && c->hidden_size < 1 << 15)
        c->intermediate_size = 4 * c->hidden_size;
    return IG_ERR_OK;
}

const ig_family ig_family_gpt2 = {.type = "gpt2",
                                  .prefix = "GPT2",
                                  .usual = "LMHeadModel",
                                  .block = IG_BLOCK_PRE_NORM,
                                  .causal = true,
                                  .plain_output = true,
                                  .inside = "transformer.",
                                  .name = names,
                                  .key = keys,
                                  .must = musts,
                                  .read = read_gpt2};
