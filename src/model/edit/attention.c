/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention patched: a block's pattern is uniform, or the one that another model has for the same
 * tokens (Vig et al. 2020, "Investigating Gender Bias in Language Models Using Causal Mediation
 * Analysis": interventions on attention). No state changes here: the block puts the other queries
 * and keys in the place of its own (ig_patch).
 */
#include "model/edit/edit.h"

static int64_t n_float(int n, int d)
{
    (void)d;
    return n == 0 ? 0 : -1;
}

const ig_edit_rule ig_edit_attention = {.name = "attention", .n_float = n_float};
