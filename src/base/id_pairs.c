/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts and renumbers pairs of ids. The order is total, so the instability of qsort has no effect.
 */
#include "base/id_pairs.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

int64_t ig_id_pairs_unique(int32_t *pairs, int64_t n)
{
    if (n == 0)
        return 0;
    qsort(pairs, (size_t)n, 2 * sizeof *pairs, ig_by_int32_pair);
    int64_t kept = 1;
    for (int64_t i = 1; i < n; i++)
        if (ig_by_int32_pair(pairs + 2 * i, pairs + 2 * kept - 2) != 0)
            memmove(pairs + 2 * kept++, pairs + 2 * i, 2 * sizeof *pairs);
    return kept;
}

ig_code ig_id_pairs_number(int32_t **id, int64_t *n_id, int32_t *pairs, int64_t n, int side,
                           ig_err *err)
{
    int64_t kept = 0;
    IG_TRY(ig_alloc(id, n, sizeof **id, "words", err));
    for (int64_t i = 0; i < n; i++)
        (*id)[i] = pairs[2 * i + side];
    qsort(*id, (size_t)n, sizeof **id, ig_by_int32);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || (*id)[i] != (*id)[kept - 1])
            (*id)[kept++] = (*id)[i];
    for (int64_t i = 0; i < n; i++) {
        const int32_t *at =
            bsearch(&pairs[2 * i + side], *id, (size_t)kept, sizeof **id, ig_by_int32);
        pairs[2 * i + side] = (int32_t)(at - *id);
    }
    *n_id = kept;
    return IG_ERR_OK;
}
