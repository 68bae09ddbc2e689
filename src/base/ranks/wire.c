/* SPDX-License-Identifier: Apache-2.0
 *
 * A message is a block that grows.
 */
#include "base/ranks/wire.h"

#include "base/assert.h"
#include "base/memory.h"

#include <string.h>

static int64_t whole(int64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

void ig_wire_clear(ig_wire *w)
{
    w->n = w->at = 0;
}

void ig_wire_free(ig_wire *w)
{
    ig_free(w->data);
    *w = (ig_wire){0};
}

ig_code ig_wire_put(ig_wire *w, const void *data, int64_t bytes, ig_err *err)
{
    IG_TRY(ig_grow(&w->data, &w->have, w->n + whole(bytes), 1, "message to ranks", err));
    if (bytes > 0)
        memcpy(w->data + w->n, data, (size_t)bytes);
    w->n += whole(bytes);
    return IG_ERR_OK;
}

const void *ig_wire_at(ig_wire *w, int64_t bytes)
{
    if (bytes < 0 || whole(bytes) > w->n - w->at)
        return NULL;
    const void *from = w->data + w->at;
    w->at += whole(bytes);
    return from;
}

void ig_wire_take(ig_wire *w, void *out, int64_t bytes)
{
    const void *from = ig_wire_at(w, bytes);
    IG_ASSERT(from != NULL);
    if (bytes > 0)
        memcpy(out, from, (size_t)bytes);
}
