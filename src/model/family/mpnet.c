/* SPDX-License-Identifier: Apache-2.0
 *
 * MPNet (Song et al. 2020): a BERT without segments, with RoBERTa's positions, whose attention adds
 * a learned number for each distance to the scores, the same in every layer.
 */
#include "model/family/config_json.h"

#include <stddef.h>

#define LAYER "bert.encoder.layer.#."
static const ig_family_name names[] = {
    {IG_FAMILY_NAME("embeddings.", "bert.embeddings.")},
    {IG_FAMILY_NAME("encoder.layer.#.attention.attn.q.", LAYER "attention.self.query.")},
    {IG_FAMILY_NAME("encoder.layer.#.attention.attn.k.", LAYER "attention.self.key.")},
    {IG_FAMILY_NAME("encoder.layer.#.attention.attn.v.", LAYER "attention.self.value.")},
    {IG_FAMILY_NAME("encoder.layer.#.attention.attn.o.", LAYER "attention.output.dense.")},
    {IG_FAMILY_NAME("encoder.layer.#.attention.LayerNorm.", LAYER "attention.output.LayerNorm.")},
    {IG_FAMILY_NAME("encoder.", "bert.encoder.")},
    {IG_FAMILY_NAME("pooler.", "bert.pooler.")},
    {IG_FAMILY_NAME("lm_head.dense.", "cls.predictions.transform.dense.")},
    {IG_FAMILY_NAME("lm_head.layer_norm.", "cls.predictions.transform.LayerNorm.")},
    {IG_FAMILY_NAME("lm_head.", "cls.predictions.")},
    {IG_FAMILY_NAME("classifier.dense.", "bert.pooler.dense.")},
    {IG_FAMILY_NAME("classifier.out_proj.", "classifier.")},
    {IG_FAMILY_NAME("classifier.", "classifier.")},
    {IG_FAMILY_NAME(NULL, NULL)}};
static const ig_family_key keys[] = {
    {"type_vocab_size", NULL, 1}, {"pad_token_id", "pad_token_id", 1}, {NULL, NULL, 0}};
static const ig_family_must musts[] = {{"relative_attention_num_buckets", "32"}, {NULL, NULL}};

static ig_code read_mpnet(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    enum { padding = 1 }; /* in its positions, whatever pad_token_id is */
    (void)j;
    c->position_buckets = 32;
    c->first_position = padding + 1;
    if (c->max_position_embeddings <= c->first_position)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"max_position_embeddings\" is %d, expected more than %d",
                       c->max_position_embeddings, c->first_position);
    c->max_position_embeddings -= c->first_position;
    return IG_ERR_OK;
}

static const ig_pooler_kind labels[2] = {IG_POOLER_USUAL, IG_POOLER_USUAL};

const ig_family ig_family_mpnet = {.type = "mpnet",
                                   .prefix = "MPNet",
                                   .usual = "ForMaskedLM",
                                   .label = labels,
                                   .inside = "mpnet.",
                                   .name = names,
                                   .key = keys,
                                   .must = musts,
                                   .read = read_mpnet};
