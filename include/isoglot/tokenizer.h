/* SPDX-License-Identifier: Apache-2.0
 *
 * WordPiece tokenization exactly as Hugging Face's BertTokenizer does it (cased and uncased), and
 * its training. Text is UTF-8; invalid bytes count as U+FFFD, as in Python's errors="replace".
 */
#ifndef ISOGLOT_TOKENIZER_H
#define ISOGLOT_TOKENIZER_H

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ig_tokenizer ig_tokenizer;

typedef struct {
    bool lowercase;     /* BertTokenizer's do_lower_case: lower case and accents stripped */
    bool keep_controls; /* clean_text=False of the papers' vocabulary training; default false */
} ig_tokenizer_options;

/* Reads a vocab.txt (a piece a line, id = line − 1). Must hold [UNK]; [PAD], [CLS], [SEP], [MASK] are −1
 * where missing. Freed with ig_tokenizer_free; may be used by several threads at once. */
ig_code ig_tokenizer_load(ig_tokenizer **out, const char *path, const ig_tokenizer_options *options,
                          ig_err *err);
/* The same from n bytes in memory; `where` names them in messages. */
ig_code ig_tokenizer_parse(ig_tokenizer **out, const char *data, int64_t n, const char *where,
                           const ig_tokenizer_options *options, ig_err *err);
void ig_tokenizer_free(ig_tokenizer *t);

int32_t ig_tokenizer_size(const ig_tokenizer *t);
/* NUL-terminated piece of an id; NULL when out of range. */
const char *ig_tokenizer_piece(const ig_tokenizer *t, int32_t id);
/* −1: no such piece. */
int32_t ig_tokenizer_id(const ig_tokenizer *t, const char *piece);

/* Appends the ids of `text` [n bytes] to *ids, which holds *n_id of *have (grown with ig_grow; freed by
 * the caller with ig_free). No [CLS] or [SEP]. */
ig_code ig_tokenizer_encode(const ig_tokenizer *t, const char *text, int64_t n, int32_t **ids,
                            int64_t *n_id, int64_t *have, ig_err *err);

#ifdef __cplusplus
}
#endif

#endif
