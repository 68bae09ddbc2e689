/* SPDX-License-Identifier: Apache-2.0
 *
 * trainer.state: the state that a training needs beside the model's weights to resume bit for bit.
 * A function of update, seed and options gives everything random, so there is no generator to
 * store. The bytes are in docs/formats.md.
 */
#pragma once

#include "train/optimizer.h"

typedef struct {
    int64_t update;        /* updates made */
    uint64_t weights_hash; /* of the model that it belongs to; set by writing */
    int64_t log_bytes;     /* length of log.jsonl when this was written */
    /* since the last line of the log */
    double loss;
    int64_t n_pred, n_right, n_token;
    double line_seconds, line_loss; /* line_loss: mean of the last line, natural */
    double seconds;                 /* of training so far */
    int64_t total_token;            /* seen so far */
    double total_flop;
    /* set by reading, and written from the optimizer */
    int64_t n_language; /* 0: the model has no separate parts */
    int64_t language_step[IG_BERT_MAX_LANGUAGE];
    /* Adam's moments, m[n_value], then v, in the bytes that were parsed; not aligned */
    int64_t n_value;
    const uint8_t *values;
} ig_train_state;

bool ig_train_weights_finite(const ig_bert *model);

/* DIR/trainer.state, written atomically, with Adam's moments. */
ig_code ig_train_state_write(const char *dir, ig_train_state *s, ig_optimizer *o,
                             const ig_bert *model, ig_err *err);
/* Reads it back into the optimizer. A file that is cut off, changed, foreign, or of another model
 * or update is IG_ERR_INPUT and leaves the optimizer unchanged. */
ig_code ig_train_state_read(const char *dir, int64_t update, ig_train_state *s, ig_optimizer *o,
                            const ig_bert *model, ig_err *err);
/* Checks and parses the bytes. */
ig_code ig_train_state_parse(const uint8_t *data, int64_t size, const char *where,
                             ig_train_state *s, ig_err *err);
