/* SPDX-License-Identifier: Apache-2.0
 *
 * ELECTRA (Clark et al. 2020): a BERT whose embeddings may be smaller than its states, and are then
 * taken to their size by a matrix.
 */
#include "model/family/config_json.h"

#include <stddef.h>

static const ig_family_name names[] = {
    {IG_FAMILY_NAME("embeddings_project.", "bert.embeddings_project.")},
    {IG_FAMILY_NAME("embeddings.", "bert.embeddings.")},
    {IG_FAMILY_NAME("encoder.", "bert.encoder.")},
    {IG_FAMILY_NAME("classifier.dense.", "bert.pooler.dense.")},
    {IG_FAMILY_NAME("classifier.out_proj.", "classifier.")},
    {IG_FAMILY_NAME("classifier.", "classifier.")},
    {IG_FAMILY_NAME(NULL, NULL)}};
static const ig_family_must musts[] = {
    {"is_decoder", "false"}, {"position_embedding_type", "\"absolute\""}, {NULL, NULL}};

static ig_code read_electra(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    c->head[IG_HEAD_MASKED].n_label = -1; /* the generator's is of the embeddings' size */
    return ig_json_int(j, "embedding_size", 128, &c->embedding_size, where, err);
}

static const ig_pooler_kind labels[2] = {IG_POOLER_GELU, IG_POOLER_USUAL};

const ig_family ig_family_electra = {.type = "electra",
                                     .prefix = "Electra",
                                     .usual = "Model",
                                     .label = labels,
                                     .inside = "electra.",
                                     .name = names,
                                     .must = musts,
                                     .read = read_electra};
