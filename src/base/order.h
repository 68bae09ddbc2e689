/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons for qsort and bsearch, the lesser first.
 */
#pragma once

#include <stdint.h>

int ig_by_int32(const void *a, const void *b);
int ig_by_int64(const void *a, const void *b);
int ig_by_double(const void *a, const void *b);
/* Two int32_t: by the first, equal ones by the second. */
int ig_by_int32_pair(const void *a, const void *b);
/* x before y (negative), the same (0) or behind it: by bytes, then the shorter first. */
int ig_compare_bytes(const uint8_t *x, int32_t n_x, const uint8_t *y, int32_t n_y);
/* Elements that point at texts: by bytes. */
int ig_by_text(const void *a, const void *b);
