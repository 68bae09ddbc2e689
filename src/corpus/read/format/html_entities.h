/* SPDX-License-Identifier: Apache-2.0
 *
 * Characters by their names in HTML.
 */
#pragma once

#include <stdint.h>

/* Returns the character of a name without & and ;, such as 160 for "nbsp"; 0: unknown name. */
int32_t ig_html_entity(const char *name, int64_t n);
