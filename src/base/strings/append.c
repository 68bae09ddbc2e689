/* SPDX-License-Identifier: Apache-2.0
 *
 * Appends to text in an array by vsnprintf.
 */
#include "base/strings/append.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ig_append(char *out, size_t size, const char *fmt, ...)
{
    const size_t used = strlen(out);
    va_list list;
    va_start(list, fmt);
    vsnprintf(out + used, size - used, fmt, list);
    va_end(list);
}

void ig_append_name(char *out, size_t size, const char *name)
{
    ig_append(out, size, "%s%s", out[0] != '\0' ? ", " : "", name);
}

ig_code ig_copy_text(char **out, const char *text, const char *what, ig_err *err)
{
    const size_t n = strlen(text) + 1;
    IG_TRY(ig_alloc(out, (int64_t)n, 1, what, err));
    memcpy(*out, text, n);
    return IG_ERR_OK;
}
