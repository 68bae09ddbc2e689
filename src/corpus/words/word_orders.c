/* SPDX-License-Identifier: Apache-2.0
 *
 * Inversion, the two permutations of K et al. 2020 (§4.2 and their program, which differs from it)
 * and local shuffling (Lample et al. 2018).
 */
#include "corpus/words/word_orders.h"

#include "base/order.h"

#include <stdlib.h>

static void in_place(int32_t *order, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
}

void ig_order_invert(int32_t *order, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        order[i] = n - 1 - i;
}

void ig_order_swap(ig_rng *r, double share, int32_t *order, int32_t n)
{
    in_place(order, n);
    const int32_t times = n < 2 ? 0 : (int32_t)((double)(n - 1) * share);
    for (int32_t k = 0; k < times; k++) {
        int32_t i = (int32_t)ig_rng_below(r, (uint32_t)n);
        int32_t j = (int32_t)ig_rng_below(r, (uint32_t)n - 1);
        j += j >= i;
        const int32_t held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
}

void ig_order_permute(ig_rng *r, double share, int32_t *order, int32_t *work, int32_t n)
{
    /* The first k of a random permutation are a random set of positions, in a random order. */
    const int32_t k = (int32_t)((double)n * share);
    int32_t *chosen = order;
    ig_rng_permutation(r, work, n);
    for (int32_t i = 0; i < k; i++)
        chosen[i] = work[i];
    qsort(chosen, (size_t)k, sizeof *chosen, ig_by_int32);
    /* From the end, since `chosen` is in the memory of the result: chosen[i] ≥ i. */
    for (int32_t place = n - 1, i = k - 1; place >= 0; place--)
        if (i >= 0 && chosen[i] == place)
            order[place] = work[i--];
        else
            order[place] = place;
}

void ig_order_window(ig_rng *r, int32_t far, int32_t *order, double *key, int32_t n)
{
    /* Insertion sort: an element passes at most 2 · far others. */
    for (int32_t i = 0; i < n; i++) {
        const double own = i + ig_rng_unit(r) * ((double)far + 1);
        int32_t at = i;
        for (; at > 0 && key[at - 1] > own; at--) {
            key[at] = key[at - 1];
            order[at] = order[at - 1];
        }
        key[at] = own;
        order[at] = i;
    }
}
