/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of single heads and neurons, as edits of weights: the columns that read a unit's output
 * become 0, so that it contributes nothing, or its mean, which moves to the bias; and so do the
 * rows that make it, unless several heads share them. A fine-tuning then leaves it as it is: each
 * gradient has the other's zero as a factor.
 */
#pragma once

#include "apply/edit/edit_spec.h"
#include "apply/states.h"

/* A unit: head or neuron `number`, from 0, of a layer, from 1. */
typedef struct {
    int spec; /* the edit that it is of */
    int layer, number;
    const float *fill; /* what it outputs instead: [D/H] of a head, [1] of a neuron; NULL: zeros */
} ig_edit_unit;

typedef struct {
    ig_edit_unit *unit; /* [n] */
    int64_t n, have;
} ig_edit_units;

/* Holds what statistics of units are made from, if a rule or a mean asks for them. */
typedef struct {
    ig_states_parts parts; /* with the edits so far */
    const ig_states_source *source;
    int n_source;
    ig_stop stop;
} ig_edit_units_text;

/* Returns whether it has to see a text. */
bool ig_edit_units_look(const ig_edit_spec *e);
/* Checks whether a model of this shape has the units that are listed, if any are: else
 * IG_ERR_USAGE. */
ig_code ig_edit_units_check(const ig_edit_spec *e, const ig_bert_config *c, ig_err *err);
/* Adds the units of edit number `spec`; their fills are of the pool. One that the model does not
 * have is IG_ERR_USAGE. */
ig_code ig_edit_units_find(ig_edit_units *out, ig_pool *pool, const ig_edit_spec *e, int spec,
                           const ig_edit_units_text *text, ig_err *err);
/* Changes the weights by the units of edit number `spec`. Where a block has no bias that a mean
 * could move to, what it adds to a sublayer's output is added to constants[L, 2, D], of attention
 * and of the FFN; constants NULL: such a mean is IG_ERR_USAGE. */
ig_code ig_edit_units_apply(ig_bert *m, const ig_edit_units *units, const ig_edit_spec *e, int spec,
                            float *constants, ig_err *err);
