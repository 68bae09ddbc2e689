/* SPDX-License-Identifier: Apache-2.0
 *
 * Predictions of a fine-tuned model for a file: a label for each line of texts or pairs, a label
 * for each word of columns or of CoNLL-U.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>

typedef struct {
    const char *model;       /* folder of a fine-tuned model */
    const char *language;    /* of the model; NULL: its first */
    const char *file;        /* "-": standard input */
    int kind;                /* ig_predict_kinds: the content of the file */
    const char *edit;        /* of hidden states (apply/edit/edit_spec.h); NULL: none */
    int n_thread, precision; /* ig_precision_names */
    const char *device;      /* of ig_device_choose; NULL: the one that is chosen */
    bool allow_unknown;      /* text/tokenizer/unknown_pieces.h */
    bool scores;             /* also the logit of each label */
} ig_predict_options;

/* auto, then ig_task_kind_names; NULL. */
extern const char *const ig_predict_kinds[];

/* A line of the output, without its end. */
typedef ig_code ig_predict_line_fn(void *arg, const char *line, ig_err *err);

/* Predicts a file. Texts: the label. Words (one a line, in the first column of tabs or spaces, an
 * empty line after a sentence): word, tab, label. CoNLL-U (ten columns): the line with the label as
 * UPOS, or the head and its relation as HEAD and DEPREL; lines of multiword tokens, empty nodes and
 * comments unchanged. With `scores`, after the label "LABEL=LOGIT" of each label, tabs between; not
 * of CoNLL-U, nor of heads whose predictions depend on each other. A word that the model did not
 * read has the label "_" and no logits. Independent of the number of threads. */
ig_code ig_predict(const ig_predict_options *o, ig_predict_line_fn *put, void *arg, ig_err *err);
