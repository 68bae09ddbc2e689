/* SPDX-License-Identifier: Apache-2.0
 *
 * Characters by their names in HTML.
 */
#pragma once

#include <stdint.h>

/* "nbsp" without & and ; → 160; 0: no such name. */
int32_t ig_html_entity(const char *name, int64_t n);
