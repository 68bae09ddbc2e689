/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of a model whose hidden dimensions stand in another order: what it computes is the same,
 * its states are rotated at every layer.
 */
#pragma once

#include "test.h"

#include "isoglot/bert.h"

#include <string.h>

enum { TWIST_D = 16 };

static inline int moved(int i)
{
    return (i * 7 + 3) % TWIST_D;
}

static inline bool ends(const char *name, const char *with)
{
    const size_t n = strlen(name), k = strlen(with);
    return n >= k && strcmp(name + n - k, with) == 0;
}

/* Moves the columns of tensors that read a state, and the rows or values of those that write one;
 * the rest is copied.
 */
static inline void twist(float *to, const float *from, const ig_bert_param *p)
{
    const bool reads = ends(p->name, "query.weight") || ends(p->name, "key.weight") ||
                       ends(p->name, "value.weight") ||
                       ends(p->name, "intermediate.dense.weight") ||
                       ends(p->name, "embeddings.weight"),
               writes = strstr(p->name, "LayerNorm") != NULL || strstr(p->name, "output.dense");
    assert_true(reads || writes || ends(p->name, ".bias") || strstr(p->name, "cls.") != NULL);
    memcpy(to, from, (size_t)p->rows * (size_t)p->cols * sizeof *to);
    for (int r = 0; r < p->rows && (reads || writes) && strstr(p->name, "cls.") == NULL; r++)
        for (int c = 0; c < p->cols; c++)
            to[(writes ? moved(r) : r) * p->cols + (reads ? moved(c) : c)] = from[r * p->cols + c];
}
