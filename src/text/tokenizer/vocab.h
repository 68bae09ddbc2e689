/* SPDX-License-Identifier: Apache-2.0
 *
 * vocab.txt: one piece a line; the line number, from 0, is its id.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* BERT's special tokens in the order of ig_tokenizer_role, and as the first lines of a vocab.txt.
 */
enum { IG_N_BERT_TOKEN = 5 };
extern const char *const ig_bert_tokens[IG_N_BERT_TOKEN];
#define IG_BERT_TOKEN_LINES "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

/* The pieces in id order, NUL-terminated, in one block. */
typedef struct {
    char *text;
    int64_t *start; /* [n + 1] piece i is text + start[i], start[i + 1] − start[i] − 1 bytes long */
    int32_t n;
} ig_vocab;

/* Line ends are LF or CR LF, the last may be missing; white space before them is dropped; an empty
 * line is a piece that nothing matches. Errors with the line: ill-formed UTF-8, a NUL, a carriage
 * return inside a line, a byte order mark. `where` names the source. */
ig_code ig_vocab_parse(ig_vocab *out, const char *data, int64_t n, const char *where, ig_err *err);
void ig_vocab_free(ig_vocab *v);
