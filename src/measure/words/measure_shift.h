/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures `shift` and `away`: translation token by token by the difference of two languages'
 * means, at every layer measured and several α, of `away` −1 (Liu et al., "A Study of Cross-Lingual
 * Ability and Language-specific Information in Multilingual BERT", §4.2, Tables 2 and 3, Figures 7
 * and 8).
 */
#pragma once

#include "measure/measure.h"
#include "apply/edit/edit_make.h"

/* Settings of the shift; borrowed. The edits are those that the engine has: means are learned after
 * them, and it has them again afterwards. */
typedef struct {
    const ig_corpus *text; /* that means are learned from: the training text */
    const ig_edit *edit;   /* [n_edit] */
    int n_edit;
} ig_shift_of;

/* The hook of ig_measure_with; `of` must stay in memory. */
ig_measure_above ig_measure_shift(const ig_shift_of *of);
