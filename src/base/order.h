/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons for qsort and bsearch, the lesser first.
 */
#pragma once

#include <stdint.h>

int ig_by_int32(const void *a, const void *b);
int ig_by_int64(const void *a, const void *b);
int ig_by_double(const void *a, const void *b);
/* Compares two int32_t: by the first, equal ones by the second. */
int ig_by_int32_pair(const void *a, const void *b);
/* Compares x with y by bytes, then the shorter first: negative, 0 or positive. */
int ig_compare_bytes(const uint8_t *x, int32_t n_x, const uint8_t *y, int32_t n_y);
/* Compares elements that point to texts: by bytes. */
int ig_by_text(const void *a, const void *b);
