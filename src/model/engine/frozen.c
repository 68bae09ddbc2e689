/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks up whether a tensor is frozen.
 */
#include "model/engine/frozen.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>

void ig_frozen_free(ig_frozen *f)
{
    IG_FREE(f->from, f->floor, f->said);
    *f = (ig_frozen){0};
}

bool ig_frozen_at(const ig_frozen *f, int64_t offset)
{
    return f->n > 0 &&
           bsearch(&offset, f->from, (size_t)f->n, sizeof *f->from, ig_by_int64) != NULL;
}

int ig_frozen_floor(const ig_frozen *f, int language)
{
    return f->floor != NULL ? f->floor[language] : -1;
}
