/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the parts of a report specification; patterns of cells as the shell has them
 * (fnmatch(3)).
 */
#include "report/table/spec.h"
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
