/* SPDX-License-Identifier: Apache-2.0
 *
 * A shift: h + v, e.g. α(mean of one language − mean of another) (Liu et al., "A Study of
 * Cross-Lingual Ability and Language-specific Information in Multilingual BERT", §4.2), or minus a
 * mean.
 */
#include "model/edit/edit.h"

static int64_t n_float(int n, int d)
{
    return n == 1 ? d : -1;
}

static void add_shift(const ig_edit_call *c)
{
    c->x->run->shift_rows(c->x, c->v, c->e->data, c->m, c->d);
}

const ig_edit_rule ig_edit_shift = {.name = "shift", .n_float = n_float, .run = add_shift};
