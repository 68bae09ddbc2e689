/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons of numbers and texts.
 */
#include "base/order.h"

#include <string.h>

int ig_by_int32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int ig_by_int64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int ig_by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int ig_by_int32_pair(const void *a, const void *b)
{
    const int first = ig_by_int32(a, b);
    return first != 0 ? first : ig_by_int32((const int32_t *)a + 1, (const int32_t *)b + 1);
}

int ig_compare_bytes(const uint8_t *x, int32_t n_x, const uint8_t *y, int32_t n_y)
{
    const int c = memcmp(x, y, (size_t)(n_x < n_y ? n_x : n_y));
    return c != 0 ? c : (n_x > n_y) - (n_x < n_y);
}

int ig_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
