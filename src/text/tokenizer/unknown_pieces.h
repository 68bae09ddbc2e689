/* SPDX-License-Identifier: Apache-2.0
 *
 * The share of a text that a vocabulary does not cover. A text with 1 % or more [UNK] pieces is
 * reported, one with more than 50 % is refused unless that is allowed: it has another script,
 * another language or another Unicode normal form than the vocabulary, and a model sees nothing of
 * it. Up to IG_UNKNOWN_LEAST pieces are too few for an error, and are only reported. Tokenizers
 * without [UNK] (of bytes) cover everything.
 */
#pragma once

#include "isoglot/tokenizer.h"

/* A row of an option table for a bool. */
#define IG_UNKNOWN_OPTION(type, f)                                                                 \
    IG_FLAG(type, "allow-unknown", f, NULL,                                                        \
            "go on where more than half of a text's pieces are unknown to the vocabulary")

enum { IG_UNKNOWN_WORDS = 3, IG_UNKNOWN_WORD = 40, IG_UNKNOWN_LEAST = 100 };

/* The counts of one text; zeroed: nothing read. */
typedef struct {
    int64_t n_piece, n_unknown;
    int64_t n_inspected; /* lines with unknown pieces that were encoded again … */
    int64_t form[3];     /* … and their unknown pieces as they are, in NFC and in NFD */
    char word[IG_UNKNOWN_WORDS][IG_UNKNOWN_WORD]; /* the first unknown ones */
    int n_word;
} ig_unknown_pieces;

/* A substring of a text and its pieces. */
typedef struct {
    const char *text;
    int64_t n;
    const int32_t *id;
    int64_t n_id;
    int64_t times; /* it occurs; 0 counts as 1 */
} ig_cut_text;

ig_code ig_unknown_add(ig_unknown_pieces *u, const ig_tokenizer *t, const ig_cut_text *c,
                       ig_err *err);
/* Adds the counts of `from`, which was read after `to`. */
void ig_unknown_merge(ig_unknown_pieces *to, const ig_unknown_pieces *from);
/* Returns whether too much is unknown and that is not allowed. */
bool ig_unknown_refused(const ig_unknown_pieces *u, bool allowed);
/* Logs that much is unknown (base/log.h); IG_ERR_INPUT if it is too much and not allowed. `name`:
 * the text's file or language. */
ig_code ig_unknown_check(const ig_unknown_pieces *u, const char *name, bool allowed, ig_err *err);
