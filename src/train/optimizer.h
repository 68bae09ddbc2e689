/* SPDX-License-Identifier: Apache-2.0
 *
 * AdamW (Loshchilov & Hutter 2019) over a model's block of parameters, with clipping by the global
 * norm and the conventions of the papers' programs (ig_adam_rule).
 */
#pragma once

#include "base/ranks/ranks.h"
#include "base/threads/team.h"
#include "isoglot/bert.h"
#include "tensor/ops.h"
#include "train/training_settings.h"

/* How one tensor is trained: a factor of the learning rate, its weight decay (times that rate), or
 * not at all: then it neither moves nor decays, nor counts in the gradient's norm. */
typedef struct {
    double rate, decay;
    bool frozen;
} ig_param_group;

typedef struct ig_optimizer ig_optimizer;

/* Borrows model, ops and team. Moments are 0. */
ig_code ig_optimizer_new(ig_optimizer **out, ig_bert *model, const ig_optimizer_options *options,
                         const ig_ops *ops, ig_team *team, ig_err *err);
/* The same over all ranks (base/ranks/ranks.h): rank 0 makes the steps, in which the others serve;
 * each has the moments of its slice of the parameters alone. `gradient` below is then that of the
 * own slice. */
ig_code ig_optimizer_new_spread(ig_optimizer **out, ig_bert *model,
                                const ig_optimizer_options *options, const ig_ops *ops,
                                ig_team *team, ig_err *err);
void ig_optimizer_free(ig_optimizer *o);

/* Sets the group of a parameter of the model. The default is rate 1, the options' decay where the
 * tensor has one, and frozen where the model fixes the tensor. */
void ig_optimizer_set_group(ig_optimizer *o, const ig_bert_param *p, const ig_param_group *g);
ig_param_group ig_optimizer_get_group(const ig_optimizer *o, const ig_bert_param *p);

/* Makes one update with learning rate lr. `gradient` is laid out as the weights and on their
 * device. *norm (may be NULL) gets its norm before clipping: sums of squares in double over pieces
 * fixed by the tensors' shapes, added in order, so that any number of threads gives the same bits.
 * A gradient that is not finite is IG_ERR_NUMERIC, names the tensor, and changes nothing. The
 * caller informs its engine that the weights changed. */
ig_code ig_optimizer_step(ig_optimizer *o, const float *gradient, double lr, double *norm,
                          ig_err *err);

/* Updates only the parts of these languages and the shared ones (`active` [languages]; NULL: all):
 * other languages' own parts are neither moved nor decayed, and do not age, as if they were not in
 * the model (an optimizer of PyTorch where a gradient is None). Bias corrections count the updates
 * that a part has had. */
ig_code ig_optimizer_step_languages(ig_optimizer *o, const float *gradient, const bool *active,
                                    double lr, double *norm, ig_err *err);
/* Number of updates of each language's parts so far [languages of the model]. */
int64_t *ig_optimizer_language_steps(ig_optimizer *o);

/* For the state of a run: updates made so far, in, and Adam's moments of a parameter, copied out
 * and in; which 0: the first, 1: the second. */
void ig_optimizer_set_n_step(ig_optimizer *o, int64_t n_step);
void ig_optimizer_get_moment(ig_optimizer *o, int which, const ig_bert_param *p, float *out);
void ig_optimizer_set_moment(ig_optimizer *o, int which, const ig_bert_param *p,
                             const float *values);

/* Another rank: what the call (model/ranks/calls.h) asks of the optimizer. */
void ig_optimizer_serve(ig_optimizer *o, int what, ig_wire *w, const float *gradient);
