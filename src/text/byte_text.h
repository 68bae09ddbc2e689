/* SPDX-License-Identifier: Apache-2.0
 *
 * A growable buffer of UTF-8.
 */
#pragma once

#include "base/memory.h"
#include "isoglot/error.h"
#include "text/utf8.h"

#include <string.h>

/* Zeroed memory is an empty text; `text` is freed with ig_free. */
typedef struct {
    uint8_t *text;
    int64_t n, have;
} ig_byte_text;

static inline ig_code ig_byte_text_add(ig_byte_text *t, const void *bytes, int64_t n, ig_err *err)
{
    IG_TRY(ig_grow(&t->text, &t->have, t->n + n + 1, 1, "text", err));
    if (n > 0)
        memcpy(t->text + t->n, bytes, (size_t)n);
    t->n += n;
    return IG_ERR_OK;
}

static inline ig_code ig_byte_text_put(ig_byte_text *t, uint32_t c, ig_err *err)
{
    uint8_t bytes[4];
    return ig_byte_text_add(t, bytes, ig_utf8_put(bytes, c), err);
}
