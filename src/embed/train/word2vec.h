/* SPDX-License-Identifier: Apache-2.0
 *
 * word2vec (Mikolov, Chen, Corrado, Dean, "Efficient estimation of word representations in vector
 * space", 2013) and fastText (Bojanowski et al., TACL 2017) on a text, from initial values to the
 * table of vectors.
 */
#pragma once

#include "embed/train/context.h"
#include "embed/vectors/fasttext_model.h"
#include "embed/vectors/vectors.h"

/* Moves the words of `text` into *out. */
ig_code ig_word2vec(ig_vectors *out, ig_text_ids *text, const ig_context_options *o, ig_team *team,
                    ig_context_report *report, ig_err *err);

typedef struct {
    const ig_context_options *context;
    int32_t bucket, minn, maxn;
    int64_t min_count; /* for the model's record; the text has been read with it */
    const char *model; /* file for the whole model (.bin); NULL: not written */
    ig_out *out; /* the model is left there, open and flushed, for the caller to close with the
                  * related files; NULL: committed at once */
} ig_fasttext_options;

/* Vectors are means of a word's rows. Only buckets that a word of the text falls into are kept in
 * memory; the others never change from their initial values, which are written to the model
 * file. */
ig_code ig_fasttext_train(ig_vectors *out, ig_text_ids *text, const ig_fasttext_options *f,
                          ig_team *team, ig_context_report *report, ig_err *err);
