/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a model in words: which are frozen, and how fast the others learn.
 */
#pragma once

#include "train/optimizer.h"

/* One entry of a list "words, embeddings, layers 1-6, separate, head, all", each with "=FACTOR"
 * where the list is of rates. words: their table, part of the embeddings. separate: what languages
 * have of their own; all: everything but the head. */
typedef struct {
    double words, embeddings, separate, head, all; /* NaN: not named */
    double layer[IG_BERT_MAX_LAYER];
} ig_parts;

/* Parts are divided by ',' or ';'. `factors`: of a list without any, the value of what is named is
 * 1. IG_ERR_USAGE at `where` names the part that is unknown. Text NULL: none. */
ig_code ig_parts_parse(ig_parts *out, const char *text, bool factors, int n_layer,
                       const char *where, ig_err *err);

/* The same of parts that get new weights; with "permute" among them the pieces get each other's
 * rows, which is no part of `out` and not beside new words. */
ig_code ig_parts_parse_new(ig_parts *out, bool *permute, const char *text, int n_layer,
                           const char *where, ig_err *err);

/* The value of a tensor's part: its layer's or the embeddings' over separate's over that of all;
 * NaN: not named. */
double ig_parts_value(const ig_parts *p, const ig_bert_param *param);

/* Returns whether nothing but the head is trained. */
bool ig_parts_encoder_frozen(const ig_parts *freeze, int n_layer);
