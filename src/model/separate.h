/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of a model's parts that each language has separately, in words: "embeddings; layers=1-3;
 * output".
 */
#pragma once

#include "isoglot/bert.h"

#include <stddef.h>

/* Parts separated by ';': words, positions, segments, norm (the LayerNorm of the embeddings),
 * embeddings (these four), specials (the special tokens; of the vocabulary, not of the model:
 * ig_bert_separate_any does not count it), layers=A-B,C (from 1), head (between the last layer and
 * the decoder), output (the decoder and its bias), bias (that alone), all. NULL and "" are none. A
 * part that is unknown, named twice or not one of n_layer layers is IG_ERR_USAGE. */
ig_code ig_bert_separate_parse(ig_bert_separate *s, const char *text, int n_layer,
                               const char *where, ig_err *err);
/* Prints the normal form: parsing it gives the same parts. 4096 bytes suffice for any that fits a
 * command line. */
void ig_bert_separate_print(const ig_bert_separate *s, int n_layer, char *out, size_t size);
bool ig_bert_separate_any(const ig_bert_separate *s);
/* layer from 0 */
bool ig_bert_separate_layer(const ig_bert_separate *s, int layer);
