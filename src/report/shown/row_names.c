/* SPDX-License-Identifier: Apache-2.0
 *
 * See row_names.h. A cell that is crossed with axes is called "8/batch=64/dropout=0" and has the
 * label of all that differs ("lang-pos; batch=64; dropout=0"), which of it is the axes' doing is
 * not said. But what is the cell's own stands in the labels of all its crossings, and what an axis
 * does does not, unless it does it always; then all rows have it.
 */
#include "report/shown/row_names.h"
#include "report/results/results_internal.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <string.h>

static const char between[] = "; ", original[] = "original";

/* The next part of a text, up to the separator; false: there is none. */
static bool next_part(const char **p, const char *separator, const char **part, size_t *n)
{
    if (**p == '\0')
        return false;
    const char *end = strstr(*p, separator);
    *part = *p;
    *n = end != NULL ? (size_t)(end - *p) : strlen(*p);
    *p = end != NULL ? end + strlen(separator) : *p + *n;
    return true;
}

/* Of a part of a name: where the value of its axis begins; NULL: it is the cell's own. */
static const char *axis_value(const char *part, size_t n)
{
    const char *equal = memchr(part, '=', n);
    return equal != NULL && equal > part ? equal + 1 : NULL;
}

static size_t id_length(const char *name)
{
    const size_t n = strcspn(name, "/");
    return axis_value(name, n) == NULL ? n : 0;
}

static int count_axes(const char *name)
{
    const char *p = name, *part;
    size_t n;
    int axes = 0;
    while (next_part(&p, "/", &part, &n))
        axes += axis_value(part, n) != NULL;
    return axes;
}

/* The i-th axis of a name, and its value. */
static void axis_at(const char *name, int i, const char **axis, size_t *n_axis, const char **value,
                    size_t *n_value)
{
    const char *p = name, *part;
    size_t n;
    while (next_part(&p, "/", &part, &n)) {
        const char *v = axis_value(part, n);
        if (v == NULL || i-- > 0)
            continue;
        *axis = part;
        *n_axis = (size_t)(v - 1 - part);
        *value = v;
        *n_value = n - (size_t)(v - part);
        return;
    }
    *axis = *value = "";
    *n_axis = *n_value = 0;
}

static bool same(const char *a, size_t n, const char *b, size_t m)
{
    return n == m && memcmp(a, b, n) == 0;
}

/* Whether a row has the axes of the first one, in their order. */
static bool same_axes(const char *a, const char *b)
{
    const int n = count_axes(a);
    bool equal = n == count_axes(b) && (id_length(a) > 0) == (id_length(b) > 0);
    for (int i = 0; i < n && equal; i++) {
        const char *x, *y, *v;
        size_t nx, ny, nv;
        axis_at(a, i, &x, &nx, &v, &nv);
        axis_at(b, i, &y, &ny, &v, &nv);
        equal = same(x, nx, y, ny);
    }
    return equal;
}

static bool has_part(const char *label, const char *part, size_t n)
{
    const char *other;
    size_t m;
    while (next_part(&label, between, &other, &m))
        if (same(part, n, other, m))
            return true;
    return false;
}

/* What a cell's label says; that of the base says nothing. */
static const char *label_of(const ig_result_cell *c)
{
    return c->label == NULL || strcmp(c->label, original) == 0 ? "" : c->label;
}

typedef struct {
    ig_row_names *out;
    ig_pool *pool;
    const ig_results *r;
    const ig_result_cell *const *cell;
    int n;
    bool axes; /* names are of axes, the same for all rows */
} work;

/* Whether a part of a row's label is the cell's own: all cells of its id have it. */
static bool is_own(const work *w, const ig_result_cell *c, const char *part, size_t n)
{
    const size_t id = id_length(c->name);
    for (int i = 0; i < w->r->n_cell + w->r->n_hidden && w->axes; i++) {
        const ig_result_cell *o = &w->r->cell[i];
        if (same(c->name, id, o->name, id_length(o->name)) && !has_part(label_of(o), part, n))
            return false;
    }
    return true;
}

static bool in_all_rows(const work *w, const char *part, size_t n)
{
    for (int i = 0; i < w->n; i++)
        if (!has_part(label_of(w->cell[i]), part, n))
            return false;
    return w->n > 1;
}

/* The label without what is told elsewhere; "original" of a cell that has no difference of its own.
 */
static ig_code own_words(const work *w, const char **out, const ig_result_cell *c, ig_err *err)
{
    const char *p = label_of(c), *part;
    size_t n;
    bool any = false;
    *out = "";
    while (next_part(&p, between, &part, &n)) {
        const bool own = is_own(w, c, part, n);
        any = any || own;
        if (own && !in_all_rows(w, part, n))
            IG_TRY(ig_pool_print(w->pool, out, err, "%s%s%.*s", *out, **out != '\0' ? between : "",
                                 (int)n, part));
    }
    if (!any && c->label != NULL && c->label[0] != '\0' && (!w->axes || id_length(c->name) > 0))
        *out = original;
    return IG_ERR_OK;
}

/* Whether two rows are of one cell, crossed with axes. */
static bool one_cell(const work *w, const ig_result_cell *a, const ig_result_cell *b)
{
    return w->axes ? same(a->name, id_length(a->name), b->name, id_length(b->name)) : a == b;
}

/* The title, and of rows of several cells with the same one in what they differ: "untrained:
 * lang-pos". */
static ig_code title_row(const work *w, const char **out, const ig_result_cell *c, ig_err *err)
{
    const char *p = label_of(c), *part;
    size_t n;
    bool shared = false;
    *out = c->title;
    for (int i = 0; i < w->n; i++)
        shared = shared || (w->cell[i]->title != NULL && strcmp(w->cell[i]->title, c->title) == 0 &&
                            !one_cell(w, w->cell[i], c));
    while (shared && next_part(&p, between, &part, &n)) {
        bool all = true;
        for (int i = 0; i < w->n; i++)
            all = all && (w->cell[i]->title == NULL || strcmp(w->cell[i]->title, c->title) != 0 ||
                          has_part(label_of(w->cell[i]), part, n));
        if (is_own(w, c, part, n) && !all)
            IG_TRY(ig_pool_print(w->pool, out, err, "%s%s%.*s", *out,
                                 *out == c->title ? ": " : between, (int)n, part));
    }
    return IG_ERR_OK;
}

static ig_code name_row(const work *w, int i, ig_err *err)
{
    const ig_result_cell *c = w->cell[i];
    ig_row_name *row = &w->out->row[i];
    const char **value;
    const size_t id = w->axes ? id_length(c->name) : strlen(c->name);
    IG_TRY(ig_pool_text(w->pool, &row->id, c->name, id, err));
    IG_TRY(own_words(w, &row->words, c, err));
    if (c->title != NULL)
        IG_TRY(title_row(w, &row->words, c, err));
    IG_TRY(ig_pool_alloc(w->pool, &value, w->out->n_axis, sizeof *value, err));
    row->value = value;
    return IG_ERR_OK;
}

static ig_code add_common(const work *w, const char *text, size_t n, ig_err *err)
{
    const char **all = &w->out->common;
    return ig_pool_print(w->pool, all, err, "%s%s%.*s", *all, **all != '\0' ? between : "", (int)n,
                         text);
}

/* Which axes tell rows apart, and what all rows have. */
static ig_code find_axes(const work *w, int **at, ig_err *err)
{
    const int n = w->axes ? count_axes(w->cell[0]->name) : 0;
    const char **axis;
    IG_TRY(ig_pool_alloc(w->pool, &axis, n, sizeof *axis, err));
    IG_TRY(ig_pool_alloc(w->pool, at, n, sizeof **at, err));
    w->out->axis = axis;
    w->out->common = "";
    for (int i = 0; i < n; i++) {
        const char *name, *value, *other;
        size_t n_name, n_value, n_other;
        bool differs = w->n == 1;
        axis_at(w->cell[0]->name, i, &name, &n_name, &value, &n_value);
        for (int k = 1; k < w->n && !differs; k++) {
            axis_at(w->cell[k]->name, i, &name, &n_name, &other, &n_other);
            differs = !same(value, n_value, other, n_other);
        }
        if (differs) {
            IG_TRY(ig_pool_text(w->pool, &axis[w->out->n_axis], name, n_name, err));
            (*at)[w->out->n_axis++] = i;
        } else
            IG_TRY(add_common(w, name, n_name + 1 + n_value, err));
    }
    return IG_ERR_OK;
}

static ig_code common_labels(const work *w, ig_err *err)
{
    const char *p = label_of(w->cell[0]), *part;
    size_t n;
    while (next_part(&p, between, &part, &n))
        if (in_all_rows(w, part, n) && is_own(w, w->cell[0], part, n) &&
            !has_part(w->out->common, part, n))
            IG_TRY(add_common(w, part, n, err));
    return IG_ERR_OK;
}

/* Rows of one cell, which axes alone tell apart. */
static ig_code one_name_for_all(const work *w, ig_err *err)
{
    ig_row_name *row = w->out->row;
    if (w->out->n_axis == 0 || w->n == 1 || row[0].id[0] == '\0')
        return IG_ERR_OK;
    for (int i = 1; i < w->n; i++)
        if (strcmp(row[i].id, row[0].id) != 0)
            return IG_ERR_OK;
    const char *told = w->out->common;
    IG_TRY(ig_pool_print(w->pool, &w->out->common, err, "cell %s%s%s%s", row[0].id,
                         strcmp(row[0].words, original) == 0 || row[0].words[0] == '\0' ? "" : ", ",
                         strcmp(row[0].words, original) == 0 ? "" : row[0].words,
                         told[0] != '\0' ? between : ""));
    IG_TRY(ig_pool_print(w->pool, &w->out->common, err, "%s%s", w->out->common, told));
    for (int i = 0; i < w->n; i++)
        row[i].id = row[i].words = "";
    return IG_ERR_OK;
}

static ig_code fill_in(work *w, ig_err *err)
{
    int *at;
    IG_TRY(ig_pool_alloc(w->pool, &w->out->row, w->n, sizeof *w->out->row, err));
    w->out->n_row = w->n;
    w->out->common = "";
    if (w->n == 0)
        return IG_ERR_OK;
    w->axes = count_axes(w->cell[0]->name) > 0;
    for (int i = 1; i < w->n && w->axes; i++)
        w->axes = same_axes(w->cell[0]->name, w->cell[i]->name);
    IG_TRY(find_axes(w, &at, err));
    for (int i = 0; i < w->n; i++) {
        IG_TRY(name_row(w, i, err));
        const char **value = (const char **)(uintptr_t)w->out->row[i].value;
        for (int k = 0; k < w->out->n_axis; k++) {
            const char *name, *v;
            size_t n_name, n_v;
            axis_at(w->cell[i]->name, at[k], &name, &n_name, &v, &n_v);
            IG_TRY(ig_pool_text(w->pool, &value[k], v, n_v, err));
        }
    }
    IG_TRY(common_labels(w, err));
    IG_TRY(one_name_for_all(w, err));
    for (int i = 0; i < w->n; i++) {
        w->out->has_id = w->out->has_id || w->out->row[i].id[0] != '\0';
        w->out->has_words = w->out->has_words || w->out->row[i].words[0] != '\0';
    }
    return IG_ERR_OK;
}

ig_code ig_row_names_make(ig_row_names *out, const ig_results *r, const ig_result_cell *const *row,
                          int n_row, ig_err *err)
{
    *out = (ig_row_names){.common = ""};
    work w = {.out = out, .pool = &out->pool, .r = r, .cell = row, .n = n_row};
    return fill_in(&w, err);
}

void ig_row_names_free(ig_row_names *n)
{
    ig_pool_free(&n->pool);
    *n = (ig_row_names){.common = ""};
}

/* Whether the values of an axis say by themselves what they are: words, not numbers, yes or no. */
static bool says_enough(const ig_row_names *n, int axis)
{
    static const char *const plain[] = {"true", "false", "yes", "no", "on", "off"};
    for (int i = 0; i < n->n_row; i++) {
        const char *v = n->row[i].value[axis];
        if (strchr("+-.0123456789", v[0]) != NULL)
            return false;
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            if (strcmp(v, plain[k]) == 0)
                return false;
    }
    return true;
}

void ig_row_name_line(char *out, size_t size, const ig_row_names *n, int row, int without)
{
    const ig_row_name *x = &n->row[row];
    const char *separator = "";
    const int n_axis = n->n_axis - (without >= 0);
    out[0] = '\0';
    if (x->id[0] != '\0') {
        ig_append(out, size, "%s", x->id);
        separator = "  ";
    }
    if (x->words[0] != '\0' && strcmp(x->words, x->id) != 0) {
        ig_append(out, size, "%s%s", separator, x->words);
        separator = ", ";
    }
    for (int i = 0; i < n->n_axis; i++)
        if (i != without) {
            const bool alone = n_axis == 1 && says_enough(n, i);
            ig_append(out, size, "%s%s%s%s", separator, alone ? "" : n->axis[i], alone ? "" : "=",
                      x->value[i]);
            separator = ", ";
        }
}
