/* SPDX-License-Identifier: Apache-2.0
 *
 * A substitution: the states of some tokens are given, e.g. those of another model at this place
 * (Conneau et al. 2020, §5.1.2). No gradient goes back through them.
 */
#include "base/order.h"
#include "model/edit/edit.h"

#include <stdlib.h>

static int64_t n_float(int n, int d)
{
    return n >= 0 ? (int64_t)n * d : -1;
}

/* The row of the data that replaces row i of the call; −1: none. */
static int64_t data_row(const ig_edit_call *c, int i)
{
    const int32_t token = c->first + (c->kept == NULL ? i : c->kept[i]), *row = c->e->row;
    const int32_t *at = bsearch(&token, row, (size_t)c->e->edit.n, sizeof *row, ig_by_int32);
    return at == NULL ? -1 : at - row;
}

static void put_rows(const ig_edit_call *c)
{
    for (int i = 0; i < c->m; i++) {
        const int64_t from = data_row(c, i);
        if (from >= 0)
            c->x->run->copy(c->x, c->v + (int64_t)i * c->d, c->e->data + from * c->d, c->d);
    }
}

static void back(const ig_edit_call *c)
{
    for (int i = 0; i < c->m; i++)
        if (data_row(c, i) >= 0)
            c->x->run->zero(c->x, c->v + (int64_t)i * c->d, c->d);
}

const ig_edit_rule ig_edit_rows = {
    .name = "rows", .n_float = n_float, .run = put_rows, .back = back};
