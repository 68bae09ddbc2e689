/* SPDX-License-Identifier: Apache-2.0
 *
 * ModernBERT (Warner et al. 2024) and mmBERT (Marone et al. 2025): rotary positions, attention that
 * is local in all but every third layer, gated FFNs, no biases.
 */
#include "model/family/config_json.h"

#include "base/log.h"
#include "model/bert_params.h"
#include "model/checkpoint_head.h"

#include <stddef.h>
#include <string.h>

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
/* Heads have the blocks' activation, but GELU where that is SiLU. With another the head for words
 * is not computed, the encoder is; a classifier is refused. */
static ig_code set_head(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    const char *block, *head;
    IG_TRY(ig_json_string(j, "hidden_activation", &block, where, err));
    IG_TRY(ig_json_string(j, "classifier_activation", &head, where, err));
    block = block != NULL ? block : "gelu";
    head = head != NULL ? head : "gelu";
    block = c->silu ? "gelu" : block;
    if (strcmp(block, head) == 0)
        return IG_ERR_OK;
    if (c->head[IG_HEAD_SEQUENCE].pooler != IG_POOLER_USUAL ||
        c->head[IG_HEAD_TOKEN].pooler != IG_POOLER_USUAL)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"classifier_activation\" is \"%.40s\", expected \"%.40s\"%s", head, block,
                       c->silu ? ": a head with another is not computed here"
                               : ", that of \"hidden_activation\"");
    if (ig_bert_config_n_label(c, IG_HEAD_MASKED) > 0)
        ig_warn_once("%s: \"classifier_activation\" is \"%.40s\": a head for words with another "
                     "than \"%.40s\" is not computed here, the encoder is used without it",
                     where, head, block);
    c->head[IG_HEAD_MASKED].n_label = -1;
    return IG_ERR_OK;
}

static ig_code read_modernbert(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    int32_t around, every;
    IG_TRY(set_head(c, j, where, err));
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

static json_t *rope(double theta)
{
    return json_pack("{s:s, s:f}", "rope_type", "default", "rope_theta", theta);
}

int ig_family_write_modernbert(json_t *j, const ig_bert_config *c)
{
    json_t *types = json_array();
    int bad = 0;
    for (int l = 0; l < c->num_hidden_layers; l++)
        bad |= json_array_append_new(
            types, json_string(ig_bert_is_local(c, l) ? "sliding_attention" : "full_attention"));
    json_t *own = json_pack(
        "{s:o, s:i, s:{s:o, s:o}, s:b, s:b, s:b, s:b, s:b, s:s, s:o}", "layer_types", types,
        "local_attention", 2 * c->local_window, "rope_parameters", "full_attention",
        rope(c->rope_theta[0]), "sliding_attention", rope(c->rope_theta[1]), "attention_bias",
        (int)!c->no_attention_bias, "mlp_bias", (int)!c->no_ffn_bias, "norm_bias",
        (int)!c->no_norm_bias, "classifier_bias", (int)!c->no_head_bias, "decoder_bias",
        (int)!c->no_decoder_bias, "classifier_activation", c->gelu_tanh ? "gelu_new" : "gelu",
        "embedding_dropout", ig_json_real(c->hidden_dropout_prob));
    bad |= own == NULL || json_object_update(j, own) != 0;
    /* Without these transformers takes ids of its own, which may be outside the vocabulary. */
    static const char *const ids[] = {"cls_token_id", "sep_token_id", "bos_token_id",
                                      "eos_token_id"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        bad |= json_object_set_new(j, ids[i], json_null());
    json_decref(own);
    return bad;
}

static const ig_pooler_kind labels[2] = {IG_POOLER_NORM, IG_POOLER_NORM};

const ig_family ig_family_modernbert = {.type = "modernbert",
                                        .prefix = "ModernBert",
                                        .usual = "ForMaskedLM",
                                        .label = labels,
                                        .block = IG_BLOCK_MODERN,
                                        .position = IG_POSITION_ROTARY,
                                        .inside = "model.",
                                        .name = names,
                                        .key = keys,
                                        .read = read_modernbert};
