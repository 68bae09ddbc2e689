/* SPDX-License-Identifier: Apache-2.0
 *
 * config.json of a Hugging Face BERT folder.
 */
#pragma once

#include "isoglot/bert.h"
#include "model/family/family.h"

#include <jansson.h>

/* Returns which of the families that are written computes the same; IG_FAMILY_OWN: none. */
ig_bert_family ig_bert_family_of(const ig_bert_config *c);
/* The class of transformers that opens a folder of such a model as what it is, "BertForMaskedLM";
 * for a model whose languages have their own parts, that of the first language's. NULL: none
 * does. */
const char *ig_bert_opens_as(const ig_bert_config *c);
/* Likewise for the folder that has this config.json, which may declare RoBERTa or a related model;
 * into `room`, or a text of `config`. */
const char *ig_bert_folder_opens_as(char *room, size_t n, const ig_bert_config *c,
                                    const json_t *config);

/* Reads the text of a config.json. Keys that do not concern the encoder are ignored; models that
 * this program does not compute (another activation, relative positions, a decoder) are refused.
 * Keys that a published file may leave out have the defaults of transformers. */
ig_code ig_bert_config_parse(ig_bert_config *c, const char *text, int64_t size, const char *where,
                             ig_err *err);
/* *extra (may be NULL) gets the whole JSON object, owned by the caller. */
ig_code ig_bert_config_read(ig_bert_config *c, const char *dir, json_t **extra, ig_err *err);
/* Writes it as BertForMaskedLM; `extra` (may be NULL): further keys. */
ig_code ig_bert_config_write(const ig_bert_config *c, const char *dir, const json_t *extra,
                             ig_err *err);
