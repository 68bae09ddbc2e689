/* SPDX-License-Identifier: Apache-2.0
 *
 * A WordPiece vocabulary trained on a source of lines, as the text of a vocab.txt.
 */
#pragma once

#include "text/train/wordpiece_count.h"
#include "text/train/wordpiece_train.h"

static ig_code wordpiece_text(char **out, int64_t *n, ig_text_source_fn *next, void *source,
                              const ig_wordpiece_options *options, ig_wordpiece_report *report,
                              ig_err *err)
{
    ig_trained t = {0};
    ig_word_counts words;
    ig_code code = ig_count_words(&words, next, source, options, &t.report, err);
    IG_THEN(code, ig_merges_train(&t, &words, options, err));
    if (report != NULL)
        *report = t.report;
    *out = t.text;
    *n = t.n;
    ig_word_counts_free(&words);
    ig_bpe_free(&t.bpe);
    return code;
}
