/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports a failed assertion with file, line and expression, and aborts.
 */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void ig_assert_failed(const char *file, int line, const char *expr)
{
    fprintf(stderr, "isoglot: bug: %s:%d: assertion failed: %s\n", file, line, expr);
    abort();
}
