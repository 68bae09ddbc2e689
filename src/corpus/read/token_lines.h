/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes lines of text as lines of tokens, in bounded memory, with any number of threads.
 */
#pragma once

#include "base/threads/team.h"
#include "corpus/read/line_reader.h"
#include "isoglot/tokenizer.h"

#include <stdbool.h>

typedef struct {
    bool ids;           /* numbers instead of pieces */
    bool special;       /* with the tokenizer's special tokens around each line */
    bool pair;          /* a line is two texts separated by a tab */
    bool json;          /* a line is an object, with an array of `pieces` or `ids` */
    bool allow_unknown; /* otherwise an input with too many of them is an error before a batch is
                           written */
} ig_token_format;

/* Writes one line of tokens, with single spaces or as JSON, for each line of `in`, in their order,
 * to standard output. With `special`, a vocabulary without [CLS] or [SEP] is an error, with `pair`
 * a line without a tab. `team` may be NULL. */
ig_code ig_token_lines(ig_line_reader *in, const ig_tokenizer *t, const ig_token_format *format,
                       ig_team *team, ig_err *err);
