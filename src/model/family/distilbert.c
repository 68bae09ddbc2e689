/* SPDX-License-Identifier: Apache-2.0
 *
 * DistilBERT (Sanh et al. 2019): a BERT without segments.
 */
#include "model/family/family.h"

#include <math.h>
#include <stddef.h>

#define LAYER "bert.encoder.layer.#."
static const ig_family_name names[] = {
    {IG_FAMILY_NAME("embeddings.", "bert.embeddings.")},
    {IG_FAMILY_NAME("transformer.layer.#.attention.q_lin.", LAYER "attention.self.query.")},
    {IG_FAMILY_NAME("transformer.layer.#.attention.k_lin.", LAYER "attention.self.key.")},
    {IG_FAMILY_NAME("transformer.layer.#.attention.v_lin.", LAYER "attention.self.value.")},
    {IG_FAMILY_NAME("transformer.layer.#.attention.out_lin.", LAYER "attention.output.dense.")},
    {IG_FAMILY_NAME("transformer.layer.#.sa_layer_norm.", LAYER "attention.output.LayerNorm.")},
    {IG_FAMILY_NAME("transformer.layer.#.ffn.lin1.", LAYER "intermediate.dense.")},
    {IG_FAMILY_NAME("transformer.layer.#.ffn.lin2.", LAYER "output.dense.")},
    {IG_FAMILY_NAME("transformer.layer.#.output_layer_norm.", LAYER "output.LayerNorm.")},
    {IG_FAMILY_NAME("transformer.layer.#.", LAYER)},
    {IG_FAMILY_NAME("vocab_transform.", "cls.predictions.transform.dense.")},
    {IG_FAMILY_NAME("vocab_layer_norm.", "cls.predictions.transform.LayerNorm.")},
    {IG_FAMILY_NAME("vocab_projector.weight", "cls.predictions.decoder.weight")},
    {IG_FAMILY_NAME("vocab_projector.bias", "cls.predictions.bias")},
    {IG_FAMILY_NAME("pre_classifier.", "bert.pooler.dense.")},
    {IG_FAMILY_NAME("classifier.", "classifier.")},
    {IG_FAMILY_NAME(NULL, NULL)}};
static const ig_family_key keys[] = {{"hidden_size", "dim", (double)NAN},
                                     {"num_hidden_layers", "n_layers", (double)NAN},
                                     {"num_attention_heads", "n_heads", (double)NAN},
                                     {"intermediate_size", "hidden_dim", (double)NAN},
                                     {"hidden_dropout_prob", "dropout", 0.1},
                                     {"attention_probs_dropout_prob", "attention_dropout", 0.1},
                                     {"hidden_act", "activation", 0},
                                     {"layer_norm_eps", NULL, 1e-12},
                                     {"type_vocab_size", NULL, 1},
                                     {NULL, NULL, 0}};
static const ig_pooler_kind labels[2] = {IG_POOLER_RELU, IG_POOLER_USUAL};

const ig_family ig_family_distilbert = {.type = "distilbert",
                                        .prefix = "DistilBert",
                                        .usual = "ForMaskedLM",
                                        .label = labels,
                                        .inside = "distilbert.",
                                        .name = names,
                                        .key = keys};
