/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and frees the parts of a report specification; patterns of cells as the shell has them
 * (fnmatch(3)).
 */
#include "report/table/spec.h"
#include "base/memory.h"
#include "base/number_text.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ig_figure_kind_names[] = {"curves", "layers", "positions", "tokens",
                                            "states", "bars",   NULL};
_Static_assert(sizeof ig_figure_kind_names / sizeof *ig_figure_kind_names == IG_N_FIG + 1,
               "a name for each kind");

bool ig_cell_matches(const char *cell, char *const *pattern, int n)
{
    for (int i = 0; i < n; i++)
        if (fnmatch(pattern[i], cell, 0) == 0)
            return true;
    return n == 0;
}

/* Where the part of the axis begins; NULL: there is none. */
static const char *find_axis(const char *cell, const char *axis)
{
    const size_t n = strlen(axis);
    for (const char *p = cell; p != NULL; p = strchr(p, '/')) {
        p += *p == '/';
        if (strncmp(p, axis, n) == 0 && p[n] == '=')
            return p;
    }
    return NULL;
}

double ig_cell_axis(const char *cell, const char *axis)
{
    static const char letter[] = "kMG";
    const char *p = find_axis(cell, axis);
    const char *end;
    double x;
    if (p == NULL || !ig_number_parse(&x, p + strlen(axis) + 1, &end))
        return (double)NAN;
    const char *unit = *end != '\0' && *end != '/' ? strchr(letter, *end) : NULL;
    if (unit != NULL) {
        x *= pow(1000, (double)(unit - letter) + 1);
        end++;
    }
    return (*end == '\0' || *end == '/') && isfinite(x) ? x : (double)NAN;
}

bool ig_cell_has_axis(const char *cell, const char *axis)
{
    return find_axis(cell, axis) != NULL;
}

void ig_report_spec_free(ig_report_spec *s)
{
    for (int i = 0; i < s->n_table && s->table != NULL; i++) {
        ig_table_spec *t = &s->table[i];
        IG_FREE(t->name, t->title, t->caption, t->base, t->reference, t->correlate, t->pivot);
        ig_free_list(t->row, t->n_row);
        for (int k = 0; k < t->n_column && t->column != NULL; k++)
            ig_free(t->column[k].title);
        ig_free(t->column);
    }
    for (int i = 0; i < s->n_figure && s->figure != NULL; i++) {
        ig_figure_spec *f = &s->figure[i];
        IG_FREE(f->name, f->title, f->caption, f->over);
        ig_free_list(f->cell, f->n_cell);
        ig_free(f->quantity);
    }
    IG_FREE(s->table, s->figure);
    *s = (ig_report_spec){0};
}
