/* SPDX-License-Identifier: Apache-2.0
 *
 * The pre-tokenizers of Hugging Face `tokenizers`: a list of steps, each of which splits the parts
 * of a text into smaller ones, and may change them.
 */
#pragma once

#include "text/byte_text.h"
#include "text/text_regex.h"

#include <stdbool.h>

typedef enum {
    IG_SPLIT_WHITE_SPACE, /* at white space, which is dropped */
    IG_SPLIT_WORDS,       /* runs of \w; runs of characters that are neither that nor white space */
    IG_SPLIT_BERT,        /* at white space, which is dropped, and around punctuation, as BERT */
    IG_SPLIT_DIGITS,      /* separates category N from other characters, in runs or one by one */
    IG_SPLIT_METASPACE,   /* spaces become `mark`; each begins a part */
    IG_SPLIT_PATTERN,     /* at an expression or a string */
    IG_SPLIT_BYTES        /* a character for each byte, parts as GPT-2's */
} ig_split_kind;

/* Says what becomes of a PATTERN's matches. */
typedef enum {
    IG_SPLIT_REMOVED,
    IG_SPLIT_ISOLATED, /* a part each */
    IG_SPLIT_WITH_PREVIOUS,
    IG_SPLIT_WITH_NEXT,
    IG_SPLIT_CONTIGUOUS /* adjacent ones are one part */
} ig_split_behaviour;

typedef struct {
    ig_split_kind kind;
    char mark[8];         /* METASPACE: UTF-8 */
    bool before;          /* a space, or the mark, before a part that does not begin with one */
    bool first;           /* METASPACE: `before` of the first part of a text alone */
    bool cut;             /* METASPACE: whether to split; BYTES: by GPT-2's expression */
    bool alone;           /* DIGITS */
    ig_text_regex *regex; /* PATTERN; owned. NULL: `text` */
    char *text;           /* owned */
    ig_split_behaviour behaviour;
    bool invert; /* what does not match counts as a match */
} ig_split_step;

/* Zeroed memory is an empty list. */
typedef struct {
    ig_split_step *step;
    int n;
    int64_t have;
} ig_split_steps;

/* A text in parts: part i ends before byte end[i]. No part is empty. `text.text` and `end` are
 * freed with ig_free. */
typedef struct {
    ig_byte_text text;
    int64_t *end;
    int64_t n, have;
} ig_text_parts;

void ig_split_step_free(ig_split_step *s);
void ig_split_steps_free(ig_split_steps *s);
/* A text, and whether it is the first part of what is split. */
typedef struct {
    const uint8_t *text; /* well-formed UTF-8 */
    int64_t n;
    bool first;
} ig_split_text;
/* Splits a text into *parts; *spare is overwritten. */
ig_code ig_split_steps_apply(const ig_split_steps *s, const ig_split_text *text,
                             ig_text_parts *parts, ig_text_parts *spare, ig_err *err);

/* Returns the character that represents a byte in byte-level BPE (Radford et al. 2019). */
uint32_t ig_byte_character(uint8_t byte);
/* Returns whether a character is a word character: \w in the expressions of `tokenizers`. */
bool ig_char_is_word(uint32_t c);
