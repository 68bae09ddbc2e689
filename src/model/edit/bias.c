/* SPDX-License-Identifier: Apache-2.0
 *
 * A constant that a block adds to the output of a sublayer, for models whose blocks have no bias
 * there: the mean of a head or a neuron that is replaced by it. No hidden state changes here: the
 * block adds it before its norms (ig_patch).
 */
#include "model/edit/edit.h"

static int64_t n_float(int n, int d)
{
    return n == 0 || n == 1 ? d : -1;
}

const ig_edit_rule ig_edit_bias = {.name = "bias", .n_float = n_float};
