/* SPDX-License-Identifier: Apache-2.0
 *
 * See id_pairs.h. The order is total, so qsort's being unstable shows nowhere.
 */
#include "base/id_pairs.h"
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
