/* SPDX-License-Identifier: Apache-2.0
 *
 * The struct as it is, whose pointers only say which arrays there are, then these.
 */
#include "model/ranks/batch_wire.h"

#include "base/assert.h"

#include <stddef.h>

/* The arrays of a batch in order, and their lengths. */
enum { N_ARRAY = 5 + 3 * IG_N_HEAD };
typedef struct {
    const int32_t **at;
    int64_t n;
} array;

static void arrays_of(array *out, ig_batch *b)
{
    int k = 0;
    out[k++] = (array){&b->seq_start, (int64_t)b->n_seq + 1};
    out[k++] = (array){&b->id, b->n_tok};
    out[k++] = (array){&b->pos, b->n_tok};
    out[k++] = (array){&b->seg, b->n_tok};
    out[k++] = (array){&b->language, b->n_seq};
    for (int h = 0; h < IG_N_HEAD; h++) {
        ig_targets *t = &b->target[h];
        out[k++] = (array){&t->row, t->n};
        out[k++] = (array){&t->label, t->n};
        out[k++] = (array){&t->head, t->n};
    }
    IG_ASSERT(k == N_ARRAY);
}

ig_code ig_batch_put(ig_wire *w, const ig_batch *b, ig_err *err)
{
    ig_batch copy = *b;
    array all[N_ARRAY];
    arrays_of(all, &copy);
    IG_TRY(ig_wire_put(w, b, sizeof *b, err));
    for (int k = 0; k < N_ARRAY; k++)
        if (*all[k].at != NULL)
            IG_TRY(ig_wire_put(w, *all[k].at, all[k].n * (int64_t)sizeof(int32_t), err));
    return IG_ERR_OK;
}

void ig_batch_take(ig_batch *b, ig_wire *w)
{
    array all[N_ARRAY];
    ig_wire_take(w, b, sizeof *b);
    arrays_of(all, b);
    for (int k = 0; k < N_ARRAY; k++)
        if (*all[k].at != NULL) {
            *all[k].at = ig_wire_at(w, all[k].n * (int64_t)sizeof(int32_t));
            IG_ASSERT(*all[k].at != NULL);
        }
}
