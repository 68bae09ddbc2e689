/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers of an experiment file share: copies of texts, the list of its cells in messages.
 */
#include "experiment/experiment_parts.h"

#include "base/memory.h"
#include "base/settings/options.h"

#include <stdio.h>
#include <string.h>

ig_code ig_experiment_copy(char **out, const char *text, ig_err *err)
{
    size_t n = strlen(text) + 1;
    IG_TRY(ig_alloc(out, (int64_t)n, 1, "experiment", err));
    memcpy(*out, text, n);
    return IG_ERR_OK;
}

/* "a, b, c, …" of the cells' names, as long as there is room. */
static void list_cells(char *out, int size, const ig_experiment *e)
{
    int used = 0;
    out[0] = '\0';
    for (int i = 0; i < e->n_cell; i++) {
        int n = (int)strlen(e->cell[i].name);
        if (used + n + 8 > size) {
            snprintf(out + used, (size_t)(size - used), "%s…", i > 0 ? ", " : "");
            return;
        }
        used += sprintf(out + used, "%s%s", i > 0 ? ", " : "", e->cell[i].name);
    }
}

void ig_experiment_hint_cell(ig_err *err, const ig_experiment *e, const char *name)
{
    enum { most = 512 };
    const char *known[most];
    int n = e->n_cell < most ? e->n_cell : most;
    char list[200];
    for (int i = 0; i < n; i++)
        known[i] = e->cell[i].name;
    const char *near = ig_nearest(name, known, n);
    list_cells(list, sizeof list, e);
    if (near != NULL)
        ig_hint(err, "did you mean '%s'?", near);
    else
        ig_hint(err, "cells are %s", list);
}
