/* SPDX-License-Identifier: Apache-2.0
 *
 * See id_pairs.h. The order is total, so qsort's being unstable shows nowhere.
 */
#include "base/id_pairs.h"

#include <stdlib.h>
#include <string.h>

static int by_both(const void *x, const void *y)
{
    const int32_t *p = x, *q = y;
    for (int i = 0; i < 2; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

int64_t ig_id_pairs_unique(int32_t *pairs, int64_t n)
{
    if (n == 0)
        return 0;
    qsort(pairs, (size_t)n, 2 * sizeof *pairs, by_both);
    int64_t kept = 1;
    for (int64_t i = 1; i < n; i++)
        if (by_both(pairs + 2 * i, pairs + 2 * kept - 2) != 0)
            memmove(pairs + 2 * kept++, pairs + 2 * i, 2 * sizeof *pairs);
    return kept;
}
