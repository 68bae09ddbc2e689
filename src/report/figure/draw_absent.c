/* SPDX-License-Identifier: Apache-2.0
 *
 * In place of draw.c where figures are left out of the build (cmake/parts.cmake).
 */
#include "report/figure/figure.h"

ig_code ig_figure_render(char **out, int64_t *n, const ig_figure *f, const ig_figure_output *o,
                         ig_err *err)
{
    (void)n, (void)f, (void)o;
    *out = NULL;
    ig_fail(err, IG_ERR_IO, "", 0, "figures are not in this program");
    return ig_hint(err, "build it with -DIG_WITH_FIGURES=ON, which needs pango and cairo");
}
