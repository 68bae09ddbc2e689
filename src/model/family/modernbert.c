/* SPDX-License-Identifier: Apache-2.0
 *
 * ModernBERT (Warner et al. 2024) and mmBERT (Marone et al. 2025): rotary positions, attention that
 * is local in all but every third layer, gated FFNs, no biases.
 */
#include "model/family/config_json.h"

#include <stddef.h>

static const ig_family_name names[] = {
    {IG_FAMILY_NAME("embeddings.tok_embeddings.", "bert.embeddings.word_embeddings.")},
    {IG_FAMILY_NAME("embeddings.norm.", "bert.embeddings.LayerNorm.")},
    {IG_FAMILY_NAME("layers.", "bert.encoder.layer.")},
    {IG_FAMILY_NAME("final_norm.", "bert.encoder.ln.")},
    {IG_FAMILY_NAME("head.dense.", "cls.predictions.transform.dense.")},
    {IG_FAMILY_NAME("head.norm.", "cls.predictions.transform.LayerNorm.")},
    {IG_FAMILY_NAME("decoder.weight", "cls.predictions.decoder.weight")},
    {IG_FAMILY_NAME("decoder.bias", "cls.predictions.bias")},
    {IG_FAMILY_NAME(NULL, NULL)}};
static const ig_family_key keys[] = {{"hidden_act", "hidden_activation", 0},
                                     {"layer_norm_eps", "norm_eps", 1e-5},
                                     {"hidden_dropout_prob", "mlp_dropout", 0},
                                     {"attention_probs_dropout_prob", "attention_dropout", 0},
                                     {"pad_token_id", "pad_token_id", 50283},
                                     {"type_vocab_size", NULL, 1},
                                     {NULL, NULL, 0}};
static const ig_family_must musts[] = {{"classifier_activation", "\"gelu\""}, {NULL, NULL}};

static ig_code read_modernbert(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    int32_t around, every;
    c->no_attention_bias = !ig_json_flag(j, "attention_bias", false);
    c->no_ffn_bias = !ig_json_flag(j, "mlp_bias", false);
    c->no_norm_bias = !ig_json_flag(j, "norm_bias", false);
    c->no_head_bias = !ig_json_flag(j, "classifier_bias", false);
    c->no_decoder_bias = !ig_json_flag(j, "decoder_bias", true);
    IG_TRY(ig_json_int(j, "local_attention", 128, &around, where, err));
    IG_TRY(ig_json_int(j, "global_attn_every_n_layers", 3, &every, where, err));
    c->local_window = around / 2;
    IG_TRY(ig_json_layer_types(c, j, every, 0, where, err));
    if (around < 2)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"local_attention\" is %d, expected 2 or more",
                       around);
    double theta[2] = {160000, 10000};
    const json_t *global = json_object_get(j, "global_rope_theta"),
                 *local = json_object_get(j, "local_rope_theta");
    theta[0] = json_is_number(global) ? json_number_value(global) : theta[0];
    theta[1] = json_is_number(local) ? json_number_value(local) : theta[1];
    return ig_json_rope(c, j, theta, where, err);
}

const ig_family ig_family_modernbert = {.type = "modernbert",
                                        .prefix = "ModernBert",
                                        .usual = "ForMaskedLM",
                                        .block = IG_BLOCK_MODERN,
                                        .position = IG_POSITION_ROTARY,
                                        .inside = "model.",
                                        .name = names,
                                        .key = keys,
                                        .must = musts,
                                        .read = read_modernbert};
