/* SPDX-License-Identifier: Apache-2.0
 *
 * What Hugging Face `tokenizers` calls pre-tokenizers: a list of steps, each of which cuts the
 * parts of a text into smaller ones, and may change them.
 */
#pragma once

#include "text/byte_text.h"

#include <stdbool.h>

typedef enum {
    IG_SPLIT_WHITE_SPACE, /* at white space, which goes */
    IG_SPLIT_WORDS,       /* runs of \w; runs of what is neither that nor white space */
    IG_SPLIT_BERT,        /* at white space, which goes, and around punctuation, as BERT */
    IG_SPLIT_DIGITS,      /* runs of category N, or each of them alone, from the rest */
    IG_SPLIT_METASPACE,   /* spaces become `mark`; each begins a part */
    IG_SPLIT_BYTES        /* a character for each byte, parts as GPT-2's */
} ig_split_kind;

typedef struct {
    ig_split_kind kind;
    char mark[8]; /* METASPACE: UTF-8 */
    bool before;  /* a space, or the mark, before a part that does not begin with one */
    bool cut;     /* METASPACE: whether parts are cut; BYTES: by GPT-2's expression */
    bool alone;   /* DIGITS */
} ig_split_step;

/* Zeroed memory is an empty list. */
typedef struct {
    ig_split_step *step;
    int n;
    int64_t have;
} ig_split_steps;

/* A text in parts: part i ends before byte end[i]. No part is empty. Freed with
 * ig_text_parts_free. */
typedef struct {
    ig_byte_text text;
    int64_t *end;
    int64_t n, have;
} ig_text_parts;
void ig_text_parts_free(ig_text_parts *p);

ig_code ig_split_steps_add(ig_split_steps *s, ig_split_step step, ig_err *err);
void ig_split_steps_free(ig_split_steps *s);
/* Cuts n bytes of well-formed UTF-8; *parts is written anew, *spare is a second one. */
ig_code ig_split_steps_apply(const ig_split_steps *s, const uint8_t *text, int64_t n,
                             ig_text_parts *parts, ig_text_parts *spare, ig_err *err);

/* The character that stands for a byte in byte-level BPE (Radford et al. 2019). */
uint32_t ig_byte_character(uint8_t byte);
/* Whether it goes on a word: \w of the peer's expressions. */
bool ig_char_is_word(uint32_t c);
