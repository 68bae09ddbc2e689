/* SPDX-License-Identifier: Apache-2.0
 *
 * Applies edits given as settings to a model. Means, subspaces and maps are learned from
 * text, in the states that the edits before it leave.
 */
#pragma once

#include "apply/edit/edit_spec.h"
#include "apply/edit/edit_units.h"
#include "apply/states.h"

/* The model or run that is edited. */
typedef struct {
    ig_states_parts parts; /* tokenizer NULL: that of `dir`, where an edit has a text */
    const char *dir;       /* the model's folder; may be NULL */
    bool mixed; /* sequences of several languages will come: a model that does not distinguish them
                   has no edit of one of them */
    ig_stop stop;
} ig_edit_on;

/* The edits as the engine has them, and what takes them back. Zeroed: none. Freed with
 * ig_made_edits_free, not before an engine has run with them for the last time. */
typedef struct {
    ig_edit *edit; /* [n] */
    int n;
    int64_t have;
    ig_pool pool;                      /* of their data */
    ig_bert *model[IG_EDIT_SPECS_MAX]; /* that an edit of the settings has read; NULL: none */
    float *weights;                    /* as they were; NULL: they still are */
    ig_edit_units units;               /* of edits of heads and neurons */
    float *constants;                  /* [L, 2, D] of means that no bias holds: those of BIAS */
} ig_made_edits;

/* Makes the edits in their order and leaves them in the engine. parts.corpus (NULL: none) is what
 * is learned from where an edit has neither means nor a text: the run's training text. A layer or
 * language that the model does not have is IG_ERR_USAGE, a file that does not fit it IG_ERR_INPUT.
 * After an error the model is not to be used. The same edits for any number of threads. */
ig_code ig_edits_make(ig_made_edits *made, const ig_edit_specs *specs, const ig_edit_on *on,
                      ig_err *err);
/* The engine without edits, the model with its weights as they were. Frees `made`. */
ig_code ig_edits_undo(ig_made_edits *made, const ig_edit_on *on, ig_err *err);
void ig_made_edits_free(ig_made_edits *made);

/* Applies the edits of weights only; the others need an engine. `made` with these specs. */
ig_code ig_edits_change_weights(ig_bert *m, const ig_edit_specs *specs, const ig_made_edits *made,
                                ig_err *err);
