/* SPDX-License-Identifier: Apache-2.0
 *
 * What Hugging Face `tokenizers` calls normalizers: a list of steps, each of which changes a text.
 */
#pragma once

#include "text/charsmap.h"
#include "text/normalize.h"

#include <stdbool.h>

typedef enum {
    IG_TEXT_NFC,
    IG_TEXT_NFD,
    IG_TEXT_NFKC,
    IG_TEXT_NFKD,
    IG_TEXT_LOWERCASE,     /* each character by itself, no final sigma */
    IG_TEXT_STRIP_ACCENTS, /* category M goes */
    IG_TEXT_NMT,           /* controls go, unusual blanks become spaces */
    IG_TEXT_CHARSMAP,
    IG_TEXT_REPLACE,      /* a string by another */
    IG_TEXT_REPLACE_RUNS, /* at least so many times the character `what`, or white space */
    IG_TEXT_STRIP,        /* white space at the ends goes */
    IG_TEXT_PREPEND,      /* a string before a text that is not empty */
    IG_TEXT_BERT          /* BertNormalizer */
} ig_text_step_kind;

typedef struct {
    ig_text_step_kind kind;
    ig_charsmap *map;
    ig_chars *chars;      /* BERT; owned */
    char *what, *with;    /* REPLACE, REPLACE_RUNS, PREPEND (with alone) */
    void *normal, *known; /* NFC …: ICU's form, and the characters it changes; owned */
    int32_t least;        /* REPLACE_RUNS */
    bool blank;           /* REPLACE_RUNS: of white space */
    bool left, right;     /* STRIP */
} ig_text_step;

/* Zeroed memory is an empty list. */
typedef struct {
    ig_text_step *step;
    int n;
    int64_t have;
} ig_text_steps;

/* Takes over what the step holds, also after an error. */
ig_code ig_text_steps_add(ig_text_steps *s, ig_text_step step, ig_err *err);
void ig_text_steps_free(ig_text_steps *s);
/* Changes *text by all steps; *spare is a second text to write to, whatever it holds. */
ig_code ig_text_steps_apply(const ig_text_steps *s, ig_byte_text *text, ig_byte_text *spare,
                            ig_err *err);
