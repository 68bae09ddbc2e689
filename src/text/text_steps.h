/* SPDX-License-Identifier: Apache-2.0
 *
 * The normalizers of Hugging Face `tokenizers`: a list of steps, each of which changes a text.
 */
#pragma once

#include "text/charsmap.h"
#include "text/normalize.h"
#include "text/text_regex.h"

#include <stdbool.h>

typedef enum {
    IG_TEXT_NFC,
    IG_TEXT_NFD,
    IG_TEXT_NFKC,
    IG_TEXT_NFKD,
    IG_TEXT_LOWERCASE,     /* each character by itself, no final sigma */
    IG_TEXT_STRIP_ACCENTS, /* deletes category M */
    IG_TEXT_NMT,           /* deletes controls, replaces unusual blanks by spaces */
    IG_TEXT_CHARSMAP,
    IG_TEXT_REPLACE,       /* one string by another */
    IG_TEXT_REPLACE_RUNS,  /* at least `least` times the character `what`, or white space */
    IG_TEXT_REPLACE_REGEX, /* what matches an expression */
    IG_TEXT_STRIP,         /* deletes white space at the ends */
    IG_TEXT_PREPEND,       /* adds a string before a text that is not empty */
    IG_TEXT_BERT           /* BertNormalizer */
} ig_text_step_kind;

typedef struct {
    ig_text_step_kind kind;
    ig_charsmap *map;
    ig_chars *chars;      /* BERT; owned */
    ig_text_regex *regex; /* REPLACE_REGEX; owned */
    char *what, *with;    /* REPLACE, REPLACE_RUNS, PREPEND (with alone) */
    void *normal, *known; /* NFC …: ICU's form, and the characters it changes; owned */
    int32_t least;        /* REPLACE_RUNS */
    bool blank;           /* REPLACE_RUNS: white space instead of `what` */
    bool left, right;     /* STRIP */
} ig_text_step;

/* Zeroed memory is an empty list. */
typedef struct {
    ig_text_step *step;
    int n;
    int64_t have;
} ig_text_steps;

/* Appends a step and takes ownership of its members, also after an error. */
ig_code ig_text_steps_add(ig_text_steps *s, ig_text_step step, ig_err *err);
void ig_text_steps_free(ig_text_steps *s);
/* Applies all steps to *text; *spare is overwritten. *kept becomes false if the text no longer
 * begins with what its first character became, as `tokenizers` counts that. */
ig_code ig_text_steps_apply(const ig_text_steps *s, ig_byte_text *text, ig_byte_text *spare,
                            bool *kept, ig_err *err);
