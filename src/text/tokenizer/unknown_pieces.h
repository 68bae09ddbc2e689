/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a text a vocabulary does not know. A text of which a hundredth of the pieces is [UNK]
 * is reported, one of which more than a half is refused unless that is allowed: it has another
 * script, another language or another Unicode normal form than the vocabulary, and a model sees
 * nothing of it. So few pieces as IG_UNKNOWN_LEAST say little, and are only reported. Tokenizers
 * without [UNK] (of bytes) know everything.
 */
#pragma once

#include "isoglot/tokenizer.h"

/* A row of an option table for a bool. */
#define IG_UNKNOWN_OPTION(type, f)                                                                 \
    IG_FLAG(type, "allow-unknown", f, NULL,                                                        \
            "go on where more than half of a text's pieces are unknown to the vocabulary")

enum { IG_UNKNOWN_WORDS = 3, IG_UNKNOWN_WORD = 40, IG_UNKNOWN_LEAST = 100 };

/* Of one text; zeroed: nothing read. */
typedef struct {
    int64_t n_piece, n_unknown;
    int64_t n_looked; /* lines with unknown pieces that were cut again … */
    int64_t form[3];  /* … and their unknown pieces as they are, in NFC and in NFD */
    char word[IG_UNKNOWN_WORDS][IG_UNKNOWN_WORD]; /* the first unknown ones */
    int n_word;
} ig_unknown_pieces;

/* A stretch of text and its pieces. */
typedef struct {
    const char *text;
    int64_t n;
    const int32_t *id;
    int64_t n_id;
    int64_t times; /* it occurs; 0 counts as 1 */
} ig_cut_text;

ig_code ig_unknown_add(ig_unknown_pieces *u, const ig_tokenizer *t, const ig_cut_text *c,
                       ig_err *err);
/* What `from` has read comes behind what `to` has. */
void ig_unknown_merge(ig_unknown_pieces *to, const ig_unknown_pieces *from);
/* Whether it is too much and not allowed. */
bool ig_unknown_refused(const ig_unknown_pieces *u, bool allowed);
/* Says so where it is much (base/log.h); IG_ERR_INPUT where it is too much and not allowed. `name`:
 * the text's file or language. */
ig_code ig_unknown_check(const ig_unknown_pieces *u, const char *name, bool allowed, ig_err *err);
