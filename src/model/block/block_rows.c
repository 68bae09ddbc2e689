/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of blocks, one table each: BERT's (Devlin et al. 2019), MegatronBERT's (Shoeybi et al.
 * 2019, fig. 7), ModernBERT's (Warner et al. 2024, §2.1), Llama's (Touvron et al. 2023, §2.2),
 * Qwen3's (Yang et al. 2025, §2) and Gemma 3's (Gemma Team 2025, §2), as transformers computes
 * them.
 */
#include "model/block/bert_block.h"

#define MATRIX(n, rows, cols)                                                                      \
    IG_ROW_MATRIX(IG_PART_LAYER, n ".weight", IG_DIM_##rows, IG_DIM_##cols), .product = true
#define BIAS(n, rows, inputs) IG_ROW_BIAS(IG_PART_LAYER, n ".bias", IG_DIM_##rows, IG_DIM_##inputs)
#define NORM_W(n) IG_ROW_NORM_W(IG_PART_LAYER, n)
#define NORM_B(n) IG_ROW_NORM_B(IG_PART_LAYER, n)
#define HEAD_NORM(n)                                                                               \
    .name = n ".weight", .rows = IG_DIM_HEAD, .init = IG_INIT_ONE, .part = IG_PART_LAYER

static bool has_attention_bias(const ig_bert_config *c)
{
    return !c->no_attention_bias;
}
static bool has_ffn_bias(const ig_bert_config *c)
{
    return !c->no_ffn_bias;
}
static bool has_norm_bias(const ig_bert_config *c)
{
    return !c->no_norm_bias;
}

/* --- BERT, and with LayerNorm before the sublayers --- */

#define BERT_ROWS(norm1, norm2)                                                                    \
    {                                                                                              \
        [QUERY_W] = {MATRIX("attention.self.query", D, D)},                                        \
        [KEY_W] = {MATRIX("attention.self.key", D, D), .joined = true},                            \
        [VALUE_W] = {MATRIX("attention.self.value", D, D), .joined = true},                        \
        [QUERY_B] = {BIAS("attention.self.query", D, D)},                                          \
        [KEY_B] = {BIAS("attention.self.key", D, D), .joined = true},                              \
        [VALUE_B] = {BIAS("attention.self.value", D, D), .joined = true},                          \
        [DISTANCE] = {"attention.self.distance_embedding.weight",                                  \
                      IG_DIM_DISTANCES,                                                            \
                      IG_DIM_HEAD,                                                                 \
                      IG_INIT_EMBEDDING,                                                           \
                      .decay = true,                                                               \
                      .part = IG_PART_DISTANCES,                                                   \
                      .when = ig_bert_is_relative},                                                \
        [OUT_W] = {MATRIX("attention.output.dense", D, D)},                                        \
        [OUT_B] = {BIAS("attention.output.dense", D, D)}, [NORM1_W] = {NORM_W(norm1)},             \
        [NORM1_B] = {NORM_B(norm1)}, [UP_W] = {MATRIX("intermediate.dense", F, D)},                \
        [UP_B] = {BIAS("intermediate.dense", F, D)}, [DOWN_W] = {MATRIX("output.dense", D, F)},    \
        [DOWN_B] = {BIAS("output.dense", D, F)}, [NORM2_W] = {NORM_W(norm2)},                      \
        [NORM2_B] = {NORM_B(norm2)},                                                               \
    }

static const ig_param_row post_rows[IG_N_BLOCK_PARAM] =
    BERT_ROWS("attention.output.LayerNorm", "output.LayerNorm");
static const ig_param_row pre_rows[IG_N_BLOCK_PARAM] = BERT_ROWS("attention.ln", "ln");

static ig_norm_place post_norm_of(const ig_bert_offsets *outside,
                                  const ig_bert_layer_offsets *layers, int l, int n_layer)
{
    (void)n_layer;
    return l == 0 ? (ig_norm_place){outside->outside[0], outside->outside[1]}
                  : (ig_norm_place){layers[l - 1].at[NORM2_W], layers[l - 1].at[NORM2_B]};
}

static ig_norm_place pre_norm_of(const ig_bert_offsets *outside,
                                 const ig_bert_layer_offsets *layers, int l, int n_layer)
{
    return l == n_layer ? (ig_norm_place){outside->outside[2], outside->outside[3]}
                        : (ig_norm_place){layers[l].at[NORM1_W], layers[l].at[NORM1_B]};
}

#define SHARED                                                                                     \
    .n_param = IG_N_BLOCK_PARAM, .room = ig_bert_block_room, .queries = ig_bert_block_queries,     \
    .forward = ig_bert_block_forward, .inner = ig_bert_block_inner

/* The LayerNorm of the embeddings. */
#define EMBEDDING_W                                                                                \
    .name = "bert.embeddings.LayerNorm.weight", .rows = IG_DIM_E, .init = IG_INIT_ONE,             \
    .part = IG_PART_NORM
#define EMBEDDING_B                                                                                \
    .name = "bert.embeddings.LayerNorm.bias", .rows = IG_DIM_E, .init = IG_INIT_ZERO,              \
    .part = IG_PART_NORM

const ig_block ig_block_post_norm = {.param = post_rows,
                                     .outside = {{EMBEDDING_W}, {EMBEDDING_B}},
                                     .norm = post_norm_of,
                                     .backward = ig_bert_block_backward,
                                     SHARED};
const ig_block ig_block_pre_norm = {
    .param = pre_rows,
    .outside = {[2] = {IG_ROW_NORM_W(IG_PART_HEAD, "bert.encoder.ln")},
                {IG_ROW_NORM_B(IG_PART_HEAD, "bert.encoder.ln")}},
    .stream = true,
    .norm = pre_norm_of,
    .backward = ig_bert_block_backward,
    SHARED};

/* --- ModernBERT: the first block reads the embeddings without a LayerNorm of its own --- */

static const ig_param_row modern_rows[IG_N_BLOCK_PARAM] = {
    [QUERY_W] = {MATRIX("attn.Wqkv", QKV, D)},
    [QUERY_B] = {BIAS("attn.Wqkv", QKV, D), .when = has_attention_bias},
    [OUT_W] = {MATRIX("attn.Wo", D, Q)},
    [OUT_B] = {BIAS("attn.Wo", D, Q), .when = has_attention_bias},
    [NORM1_W] = {NORM_W("attn_norm"), .not_first = true},
    [NORM1_B] = {NORM_B("attn_norm"), .not_first = true, .when = has_norm_bias},
    [UP_W] = {MATRIX("mlp.Wi", 2F, D)},
    [UP_B] = {BIAS("mlp.Wi", 2F, D), .when = has_ffn_bias},
    [DOWN_W] = {MATRIX("mlp.Wo", D, F)},
    [DOWN_B] = {BIAS("mlp.Wo", D, F), .when = has_ffn_bias},
    [NORM2_W] = {NORM_W("mlp_norm")},
    [NORM2_B] = {NORM_B("mlp_norm"), .when = has_norm_bias},
};

static ig_norm_place modern_norm_of(const ig_bert_offsets *outside,
                                    const ig_bert_layer_offsets *layers, int l, int n_layer)
{
    return l == 0 ? (ig_norm_place){outside->outside[0], outside->outside[1]}
                  : pre_norm_of(outside, layers, l, n_layer);
}

const ig_block ig_block_modern = {
    .param = modern_rows,
    .outside = {{EMBEDDING_W},
                {EMBEDDING_B, .when = has_norm_bias},
                {IG_ROW_NORM_W(IG_PART_HEAD, "bert.encoder.ln")},
                {IG_ROW_NORM_B(IG_PART_HEAD, "bert.encoder.ln"), .when = has_norm_bias}},
    .stream = true,
    .gated = true,
    .plain_first = true,
    .half_rotary = true,
    .norm = modern_norm_of,
    .backward = ig_bert_block_backward,
    SHARED};

/* --- Llama and its kin --- */

#define LLAMA_ROWS(norm2)                                                                          \
    [QUERY_W] = {MATRIX("self_attn.q_proj", Q, D)},                                                \
    [KEY_W] = {MATRIX("self_attn.k_proj", KV, D), .joined = true},                                 \
    [VALUE_W] = {MATRIX("self_attn.v_proj", KV, D), .joined = true},                               \
    [QUERY_B] = {BIAS("self_attn.q_proj", Q, D), .when = has_attention_bias},                      \
    [KEY_B] = {BIAS("self_attn.k_proj", KV, D), .when = has_attention_bias, .joined = true},       \
    [VALUE_B] = {BIAS("self_attn.v_proj", KV, D), .when = has_attention_bias, .joined = true},     \
    [OUT_W] = {MATRIX("self_attn.o_proj", D, Q)},                                                  \
    [OUT_B] = {BIAS("self_attn.o_proj", D, Q), .when = has_attention_bias},                        \
    [NORM1_W] = {NORM_W("input_layernorm")}, [UP_W] = {MATRIX("mlp.gate_proj", F, D)},             \
    [UP_W2] = {MATRIX("mlp.up_proj", F, D), .joined = true},                                       \
    [UP_B] = {BIAS("mlp.gate_proj", F, D), .when = has_ffn_bias},                                  \
    [UP_B2] = {BIAS("mlp.up_proj", F, D), .when = has_ffn_bias, .joined = true},                   \
    [DOWN_W] = {MATRIX("mlp.down_proj", D, F)},                                                    \
    [DOWN_B] = {BIAS("mlp.down_proj", D, F), .when = has_ffn_bias}, [NORM2_W] = {NORM_W(norm2)}
#define QK_NORMS                                                                                   \
    [QUERY_NORM] = {HEAD_NORM("self_attn.q_norm")}, [KEY_NORM] = {HEAD_NORM("self_attn.k_norm")}
#define RMS                                                                                        \
    .outside = {[2] = {IG_ROW_NORM_W(IG_PART_HEAD, "bert.encoder.ln")}}, .stream = true,           \
    .gated = true, .rms = true, .half_rotary = true, .norm = pre_norm_of, SHARED

static const ig_param_row llama_rows[IG_N_BLOCK_PARAM] = {LLAMA_ROWS("post_attention_layernorm")};
static const ig_param_row qwen3_rows[IG_N_BLOCK_PARAM] = {LLAMA_ROWS("post_attention_layernorm"),
                                                          QK_NORMS};
static const ig_param_row gemma3_rows[IG_N_BLOCK_PARAM] = {
    LLAMA_ROWS("pre_feedforward_layernorm"),
    QK_NORMS, [AFTER1] = {NORM_W("post_attention_layernorm")},
    [AFTER2] = {NORM_W("post_feedforward_layernorm")}};

const ig_block ig_block_llama = {.param = llama_rows, RMS};
const ig_block ig_block_qwen3 = {.param = qwen3_rows, RMS};
const ig_block ig_block_gemma3 = {.param = gemma3_rows, RMS};
