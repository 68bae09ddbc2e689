/* SPDX-License-Identifier: Apache-2.0
 *
 * Examples packed into batches, without padding: in the order of a training, and in one for
 * predicting.
 */
#pragma once

#include "apply/states.h"
#include "finetune/input/examples.h"
#include "task/score/baseline.h"

/* Room for a batch; zeroed: none yet. */
typedef struct {
    int32_t *seq_start, *id, *pos, *seg, *language, *row, *label, *head;
    int64_t *target; /* [targets] the example's target that each is */
    int64_t *from;   /* [targets] the target that its sequence's first one is */
    int64_t *base;   /* [targets] ig_examples.base of its sequence */
    int64_t have[11];
} ig_example_batch;

/* The micro-batches of a training: every pass over the examples in an order of its own, drawn from
 * IG_STREAM_SHUFFLE; an epoch's last batch may be smaller. */
typedef struct {
    const ig_examples *examples;
    ig_head_kind head;
    int64_t batch;      /* examples of a micro-batch */
    int64_t epoch_size; /* examples of an epoch; 0: all */
    uint64_t seed;
    /* its own */
    ig_example_batch room;
    int64_t *which;
    int32_t *order; /* of pass `pass` */
    int64_t pass;
} ig_example_order;

ig_code ig_example_order_open(ig_example_order *o, ig_err *err);
void ig_example_order_close(ig_example_order *o);
int64_t ig_example_order_steps(const ig_example_order *o);
/* For ig_trainer_source. */
ig_code ig_example_order_get(void *order, int64_t i, ig_batch *out, ig_err *err);

/* −log p of the labels of n units: those that are in a sequence and whose label is known. */
typedef struct {
    double nll;
    int64_t n;
} ig_example_loss;
/* out->label[n_unit] = the likeliest label of each unit; −1: in no sequence. out->head[n_unit]
 * (NULL but for trees): the head, 0 ROOT, else its place in the sentence, from 1; the words of a
 * sentence, in however many sequences, are one tree (tree_join.h). *loss may be NULL. */
ig_code ig_examples_predict(const ig_prediction *out, ig_example_loss *loss, const ig_examples *e,
                            const ig_states_parts *with, ig_head_kind head, ig_err *err);
