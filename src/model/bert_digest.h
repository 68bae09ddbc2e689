/* SPDX-License-Identifier: Apache-2.0
 *
 * A digest of an encoder's weights, by which files made from its states recognise it.
 */
#pragma once

#include "isoglot/bert.h"

enum { IG_BERT_DIGEST = 17 };
/* The first 16 digits of the SHA-256 over names, shapes and values of the embeddings and the
 * blocks, whatever heads the model has. */
ig_code ig_bert_digest(char out[IG_BERT_DIGEST], const ig_bert *m, ig_err *err);
