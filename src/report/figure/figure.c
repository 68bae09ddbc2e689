/* SPDX-License-Identifier: Apache-2.0
 *
 * A figure: its memory, its files. What it looks like is in draw.c.
 */
#include "report/figure/figure.h"

#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct owned {
    struct owned *next;
    char pad[IG_ALIGN - sizeof(void *)];
} owned;

ig_code ig_figure_alloc(ig_figure *f, void *out, int64_t count, size_t size, ig_err *err)
{
    owned *block = NULL;
    void *p = NULL;
    memcpy(out, &p, sizeof p);
    if (count < 0 || (size > 0 && (uint64_t)count > (INT64_MAX - sizeof *block) / size))
        return ig_fail(err, IG_ERR_MEMORY, "figure", 0, "%lld × %zu bytes", (long long)count, size);
    IG_TRY(ig_alloc(&block, (int64_t)sizeof *block + count * (int64_t)size, 1, "figure", err));
    block->next = f->memory;
    f->memory = block;
    p = block + 1;
    memcpy(out, &p, sizeof p);
    return IG_ERR_OK;
}

ig_code ig_figure_text(ig_figure *f, const char **out, ig_err *err, const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    *out = NULL;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        return ig_fail(err, IG_ERR_INPUT, "figure", 0, "a text that cannot be formatted");
    IG_TRY(ig_figure_alloc(f, &text, (int64_t)n + 1, 1, err));
    va_start(args, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    *out = text;
    return IG_ERR_OK;
}

ig_code ig_figure_panels(ig_figure *f, ig_plot_kind kind, int n, ig_panel **first, ig_err *err)
{
    ig_panel *all = NULL;
    *first = NULL;
    if (n < 0 || n > IG_FIGURE_MAX_PANEL - f->n_panel)
        return ig_fail(err, IG_ERR_USAGE, "figure", 0, "more than %d panels", IG_FIGURE_MAX_PANEL);
    const ig_plot_axis axis = {.low = (double)NAN, .high = (double)NAN};
    IG_TRY(ig_figure_alloc(f, &all, f->n_panel + n, sizeof *all, err));
    if (f->n_panel > 0)
        memcpy(all, f->panel, (size_t)f->n_panel * sizeof *all);
    for (int i = f->n_panel; i < f->n_panel + n; i++) {
        all[i].kind = kind;
        if (kind == IG_PLOT_CURVES) {
            all[i].as.curves.x = axis;
            all[i].as.curves.y = axis;
        } else if (kind == IG_PLOT_VALUES) {
            all[i].as.values.x = axis;
        } else if (kind == IG_PLOT_MATRIX) {
            all[i].as.matrix.low = (double)NAN;
            all[i].as.matrix.high = (double)NAN;
            all[i].as.matrix.digits = -1;
        }
    }
    *first = all + f->n_panel;
    f->panel = all;
    f->n_panel += n;
    return IG_ERR_OK;
}

ig_code ig_figure_series(ig_figure *f, ig_plot_series **out, int n, ig_err *err)
{
    IG_TRY(ig_figure_alloc(f, out, n, sizeof **out, err));
    for (int i = 0; i < n; i++) {
        (*out)[i].onset = (*out)[i].onset_low = (*out)[i].onset_high = (double)NAN;
        (*out)[i].style = i;
    }
    return IG_ERR_OK;
}

void ig_figure_free(ig_figure *f)
{
    for (owned *block = f->memory, *next; block != NULL; block = next) {
        next = block->next;
        ig_free(block);
    }
    *f = (ig_figure){0};
}

/* --- ways out -------------------------------------------------------------------------------- */

ig_code ig_figure_svg(char **out, const ig_figure *f, const char *id, ig_err *err)
{
    const ig_figure_output o = {.format = IG_FIGURE_SVG, .id = id, .transparent = true};
    return ig_figure_render(out, NULL, f, &o, err);
}

ig_code ig_figure_format_of(ig_figure_format *format, const char *path, ig_err *err)
{
    static const char *const suffix[] = {".svg", ".pdf", ".png"};
    size_t n = strlen(path);
    for (int i = 0; i < 3; i++)
        if (n > 4 && strcmp(path + n - 4, suffix[i]) == 0) {
            *format = (ig_figure_format)i;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_USAGE, path, 0,
                   "the format of the figure is not known, expected a name in .svg, .pdf or .png");
}

ig_code ig_figure_write(const ig_figure *f, const char *path, double dpi, ig_err *err)
{
    ig_figure_output o = {.dpi = dpi};
    char *bytes;
    int64_t n;
    IG_TRY(ig_figure_format_of(&o.format, path, err));
    IG_TRY(ig_figure_render(&bytes, &n, f, &o, err));
    ig_code code = ig_file_write(path, bytes, n, err);
    ig_free(bytes);
    return code;
}
