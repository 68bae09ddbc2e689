/* SPDX-License-Identifier: Apache-2.0
 *
 * Llama (Touvron et al. 2023), and models of its blocks: Qwen3 (Yang et al. 2025), EuroBERT
 * (Boizard et al. 2025; attention to both sides) and the text model of Gemma 3 (Gemma Team 2025),
 * which EmbeddingGemma makes attend to both sides, too.
 */
#include "model/family/config_json.h"

#include <math.h>
#include <stddef.h>

static const ig_family_name names[] = {
    {IG_FAMILY_NAME("embed_tokens.", "bert.embeddings.word_embeddings.")},
    {IG_FAMILY_NAME("layers.", "bert.encoder.layer.")},
    {IG_FAMILY_NAME("norm.", "bert.encoder.ln.")},
    {IG_FAMILY_NAME("lm_head.weight", "cls.predictions.decoder.weight")},
    {IG_FAMILY_NAME("lm_head.bias", "cls.predictions.bias")},
    {IG_FAMILY_NAME(NULL, NULL)}};
#define KEYS(eps, act, usual, pad)                                                                 \
    {"hidden_act", act, usual}, {"layer_norm_eps", "rms_norm_eps", eps},                           \
        {"hidden_dropout_prob", NULL, 0},                                                          \
        {"attention_probs_dropout_prob", "attention_dropout", 0},                                  \
        {"pad_token_id", "pad_token_id", pad}, {"type_vocab_size", NULL, 1},                       \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }
static const ig_family_key llama_keys[] = {KEYS(1e-6, "hidden_act", IG_ACTIVATION_SILU, -1)},
                           eurobert_keys[] = {KEYS(1e-5, "hidden_act", IG_ACTIVATION_SILU, 128001)},
                           gemma_keys[] = {KEYS(1e-6, "hidden_activation", IG_ACTIVATION_TANH, 0)};
static const ig_family_must llama_musts[] = {{"pretraining_tp", "1"}, {NULL, NULL}};
static const ig_family_must qwen3_musts[] = {{"use_sliding_window", "false"}, {NULL, NULL}};
static const ig_family_must gemma_musts[] = {{"attn_logit_softcapping", "null"},
                                             {"final_logit_softcapping", "null"},
                                             {"is_causal", "true"},
                                             {NULL, NULL}};

/* Shape and biases; `head`: columns of a head where the file does not say. */
static ig_code read_shape(ig_bert_config *c, const json_t *j, int32_t head, int32_t n_kv,
                          const char *where, ig_err *err)
{
    IG_TRY(ig_json_int(j, "head_dim", head, &c->head_dim, where, err));
    IG_TRY(ig_json_int(j, "num_key_value_heads", n_kv, &c->num_key_value_heads, where, err));
    c->no_attention_bias = !ig_json_flag(j, "attention_bias", false);
    c->no_ffn_bias = !ig_json_flag(j, "mlp_bias", false);
    c->no_norm_bias = c->no_decoder_bias = true;
    return IG_ERR_OK;
}

static ig_code read_llama(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    IG_TRY(read_shape(c, j, 0, 0, where, err));
    return ig_json_rope(c, j, (double[]){10000, 0}, where, err);
}

static ig_code read_eurobert(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    IG_TRY(read_llama(c, j, where, err));
    c->no_decoder_bias = c->no_ffn_bias; /* as its program has it */
    return IG_ERR_OK;
}

static ig_code read_qwen3(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    IG_TRY(read_shape(c, j, 128, 0, where, err));
    IG_TRY(ig_json_layer_types(c, j, 0, 0, where, err));
    for (int l = 0; l < c->num_hidden_layers && l < IG_BERT_MAX_LAYER; l++)
        if ((c->local[l / 64] >> l % 64 & 1) != 0)
            return ig_fail(
                err, IG_ERR_INPUT, where, 0,
                "\"layer_types\" has \"sliding_attention\", expected \"full_attention\": "
                "nothing else is computed here");
    return ig_json_rope(c, j, (double[]){10000, 0}, where, err);
}

static ig_code read_gemma3(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    int32_t window, pattern;
    float scalar;
    IG_TRY(read_shape(c, j, 256, 4, where, err));
    IG_TRY(ig_json_int(j, "sliding_window", 4096, &window, where, err));
    IG_TRY(ig_json_int(j, "sliding_window_pattern", 6, &pattern, where, err));
    IG_TRY(ig_json_float(j, "query_pre_attn_scalar", 256, &scalar, where, err));
    c->causal = !ig_json_flag(j, "use_bidirectional_attention", false);
    c->attention_scale = 1 / sqrtf(scalar);
    c->local_window = c->causal ? window - 1 : window / 2;
    c->untied = c->head[IG_HEAD_MASKED].n_label >= 0; /* its words are not scaled (checkpoint.c) */
    if (c->local_window < 1 || !(scalar > 0))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is %g, expected %s",
                       c->local_window < 1 ? "sliding_window" : "query_pre_attn_scalar",
                       c->local_window < 1 ? (double)window : (double)scalar,
                       c->local_window < 1 ? "2 or more" : "more than 0");
    IG_TRY(ig_json_layer_types(c, j, pattern, pattern - 1, where, err));
    const json_t *local = json_object_get(j, "rope_local_base_freq");
    const double theta[2] = {1e6, json_is_number(local) ? json_number_value(local) : 10000};
    return ig_json_rope(c, j, theta, where, err);
}

const ig_family ig_family_llama = {.type = "llama",
                                   .prefix = "Llama",
                                   .usual = "ForCausalLM",
                                   .block = IG_BLOCK_LLAMA,
                                   .position = IG_POSITION_ROTARY,
                                   .causal = true,
                                   .plain_output = true,
                                   .untied = true,
                                   .inside = "model.",
                                   .name = names,
                                   .key = llama_keys,
                                   .must = llama_musts,
                                   .read = read_llama};
const ig_family ig_family_qwen3 = {.type = "qwen3",
                                   .prefix = "Qwen3",
                                   .usual = "ForCausalLM",
                                   .block = IG_BLOCK_QWEN3,
                                   .position = IG_POSITION_ROTARY,
                                   .causal = true,
                                   .plain_output = true,
                                   .untied = true,
                                   .inside = "model.",
                                   .name = names,
                                   .key = llama_keys,
                                   .must = qwen3_musts,
                                   .read = read_qwen3};
const ig_family ig_family_eurobert = {.type = "eurobert",
                                      .prefix = "EuroBert",
                                      .usual = "ForMaskedLM",
                                      .block = IG_BLOCK_LLAMA,
                                      .position = IG_POSITION_ROTARY,
                                      .plain_output = true,
                                      .untied = true,
                                      .inside = "model.",
                                      .name = names,
                                      .key = eurobert_keys,
                                      .must = llama_musts,
                                      .read = read_eurobert};

static const ig_family_name gemma_names[] = {
    {IG_FAMILY_NAME("embed_tokens.", "bert.embeddings.word_embeddings.")},
    {IG_FAMILY_NAME("layers.#.input_layernorm.", "bert.encoder.layer.#.input_layernorm."),
     .plus_one = true},
    {IG_FAMILY_NAME("layers.#.post_attention_layernorm.",
                    "bert.encoder.layer.#.post_attention_layernorm."),
     .plus_one = true},
    {IG_FAMILY_NAME("layers.#.pre_feedforward_layernorm.",
                    "bert.encoder.layer.#.pre_feedforward_layernorm."),
     .plus_one = true},
    {IG_FAMILY_NAME("layers.#.post_feedforward_layernorm.",
                    "bert.encoder.layer.#.post_feedforward_layernorm."),
     .plus_one = true},
    {IG_FAMILY_NAME("layers.#.self_attn.q_norm.", "bert.encoder.layer.#.self_attn.q_norm."),
     .plus_one = true},
    {IG_FAMILY_NAME("layers.#.self_attn.k_norm.", "bert.encoder.layer.#.self_attn.k_norm."),
     .plus_one = true},
    {IG_FAMILY_NAME("layers.", "bert.encoder.layer.")},
    {IG_FAMILY_NAME("norm.", "bert.encoder.ln."), .plus_one = true},
    {IG_FAMILY_NAME("lm_head.weight", "cls.predictions.decoder.weight")},
    {IG_FAMILY_NAME(NULL, NULL)}};
const ig_family ig_family_gemma3 = {.type = "gemma3_text",
                                    .prefix = "Gemma3",
                                    .usual = "TextModel",
                                    .block = IG_BLOCK_GEMMA3,
                                    .position = IG_POSITION_ROTARY,
                                    .causal = true,
                                    .plain_output = true,
                                    .scaled_words = true,
                                    .inside = "model.",
                                    .name = gemma_names,
                                    .key = gemma_keys,
                                    .must = gemma_musts,
                                    .read = read_gemma3};
