/* SPDX-License-Identifier: Apache-2.0
 *
 * Names the rows of a table. A cell that is crossed with axes is called "8/batch=64/dropout=0", and
 * its label lists all differences ("lang-pos; batch=64; dropout=0") without saying which of them
 * come from axes. The cell's own differences are in the labels of all its crossings; those of an
 * axis are not, unless the axis always makes them, and then all rows have them.
 */
#include "report/shown/row_names.h"
#include "base/strings/append.h"

#include <string.h>

static const char between[] = "; ", original[] = "original";

/* A piece of a text. */
typedef struct {
    const char *at;
    size_t n;
} piece;

/* The next part of a text, up to the separator; false: there is none. */
static bool next_part(const char **p, const char *separator, piece *part)
{
    if (**p == '\0')
        return false;
    const char *end = strstr(*p, separator);
    *part = (piece){*p, end != NULL ? (size_t)(end - *p) : strlen(*p)};
    *p = end != NULL ? end + strlen(separator) : *p + part->n;
    return true;
}

/* The axis and value that a part of a name has; false: it is the cell's own. */
static bool parts_axis(piece part, piece *axis, piece *value)
{
    const char *equal = memchr(part.at, '=', part.n);
    if (equal == NULL || equal == part.at)
        return false;
    *axis = (piece){part.at, (size_t)(equal - part.at)};
    *value = (piece){equal + 1, part.n - axis->n - 1};
    return true;
}

static piece id_of(const char *name)
{
    piece id = {name, strcspn(name, "/")}, axis, value;
    if (parts_axis(id, &axis, &value))
        id.n = 0;
    return id;
}

/* The i-th axis of a name, and its value; false: it has no more. */
static bool axis_at(const char *name, int i, piece *axis, piece *value)
{
    piece part;
    while (next_part(&name, "/", &part))
        if (parts_axis(part, axis, value) && i-- == 0)
            return true;
    *axis = *value = (piece){"", 0};
    return false;
}

static int count_axes(const char *name)
{
    piece axis, value;
    int axes = 0;
    while (axis_at(name, axes, &axis, &value))
        axes++;
    return axes;
}

static bool same(piece a, piece b)
{
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

/* Returns whether a row has the axes of the first one, in their order. */
static bool same_axes(const char *a, const char *b)
{
    const int n = count_axes(a);
    bool equal = n == count_axes(b) && (id_of(a).n > 0) == (id_of(b).n > 0);
    for (int i = 0; i < n && equal; i++) {
        piece x, y, v;
        axis_at(a, i, &x, &v);
        axis_at(b, i, &y, &v);
        equal = same(x, y);
    }
    return equal;
}

static bool has_part(const char *label, piece part)
{
    piece other;
    while (next_part(&label, between, &other))
        if (same(part, other))
            return true;
    return false;
}

/* The label of a cell; the base's label says nothing. */
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

/* Returns whether a part of a row's label is the cell's own: all cells of its id have it. */
static bool is_own(const work *w, const ig_result_cell *c, piece part)
{
    for (int i = 0; i < w->r->n_cell + w->r->n_hidden && w->axes; i++) {
        const ig_result_cell *o = &w->r->cell[i];
        if (same(id_of(c->name), id_of(o->name)) && !has_part(label_of(o), part))
            return false;
    }
    return true;
}

static bool in_all_rows(const work *w, piece part)
{
    for (int i = 0; i < w->n; i++)
        if (!has_part(label_of(w->cell[i]), part))
            return false;
    return w->n > 1;
}

/* The label without parts shown elsewhere; "original" for a cell without a difference of its own.
 */
static ig_code own_words(const work *w, const char **out, const ig_result_cell *c, ig_err *err)
{
    const char *p = label_of(c);
    piece part;
    bool any = false;
    *out = "";
    while (next_part(&p, between, &part)) {
        const bool own = is_own(w, c, part);
        any = any || own;
        if (own && !in_all_rows(w, part))
            IG_TRY(ig_pool_print(w->pool, out, err, "%s%s%.*s", *out, **out != '\0' ? between : "",
                                 (int)part.n, part.at));
    }
    if (!any && c->label != NULL && c->label[0] != '\0' && (!w->axes || id_of(c->name).n > 0))
        *out = original;
    return IG_ERR_OK;
}

/* Returns whether two rows are of one cell, crossed with axes. */
static bool one_cell(const work *w, const ig_result_cell *a, const ig_result_cell *b)
{
    return w->axes ? same(id_of(a->name), id_of(b->name)) : a == b;
}

/* The title, and of rows of several cells with the same one in what they differ: "untrained:
 * lang-pos". */
static ig_code title_row(const work *w, const char **out, const ig_result_cell *c, ig_err *err)
{
    const char *p = label_of(c);
    piece part;
    bool shared = false;
    *out = c->title;
    for (int i = 0; i < w->n; i++)
        shared = shared || (w->cell[i]->title != NULL && strcmp(w->cell[i]->title, c->title) == 0 &&
                            !one_cell(w, w->cell[i], c));
    while (shared && next_part(&p, between, &part)) {
        bool all = true;
        for (int i = 0; i < w->n; i++)
            all = all && (w->cell[i]->title == NULL || strcmp(w->cell[i]->title, c->title) != 0 ||
                          has_part(label_of(w->cell[i]), part));
        if (is_own(w, c, part) && !all)
            IG_TRY(ig_pool_print(w->pool, out, err, "%s%s%.*s", *out,
                                 *out == c->title ? ": " : between, (int)part.n, part.at));
    }
    return IG_ERR_OK;
}

/* at: of the axes that distinguish rows. */
static ig_code name_row(const work *w, int i, const int *at, ig_err *err)
{
    const ig_result_cell *c = w->cell[i];
    ig_row_name *row = &w->out->row[i];
    const size_t id = w->axes ? id_of(c->name).n : strlen(c->name);
    IG_TRY(ig_pool_text(w->pool, &row->id, c->name, id, err));
    IG_TRY(own_words(w, &row->words, c, err));
    if (c->title != NULL)
        IG_TRY(title_row(w, &row->words, c, err));
    IG_TRY(ig_pool_alloc(w->pool, &row->value, w->out->n_axis, sizeof *row->value, err));
    for (int k = 0; k < w->out->n_axis; k++) {
        piece axis, value;
        axis_at(c->name, at[k], &axis, &value);
        IG_TRY(ig_pool_text(w->pool, &row->value[k], value.at, value.n, err));
    }
    return IG_ERR_OK;
}

static ig_code add_common(const work *w, piece p, ig_err *err)
{
    const char **all = &w->out->common;
    return ig_pool_print(w->pool, all, err, "%s%s%.*s", *all, **all != '\0' ? between : "",
                         (int)p.n, p.at);
}

/* Finds the axes that distinguish rows, and what all rows have in common. */
static ig_code find_axes(const work *w, int **at, ig_err *err)
{
    const int n = w->axes ? count_axes(w->cell[0]->name) : 0;
    IG_TRY(ig_pool_alloc(w->pool, &w->out->axis, n, sizeof *w->out->axis, err));
    IG_TRY(ig_pool_alloc(w->pool, at, n, sizeof **at, err));
    for (int i = 0; i < n; i++) {
        piece axis, value, other;
        bool differs = w->n == 1;
        axis_at(w->cell[0]->name, i, &axis, &value);
        for (int k = 1; k < w->n && !differs; k++) {
            axis_at(w->cell[k]->name, i, &axis, &other);
            differs = !same(value, other);
        }
        if (differs) {
            IG_TRY(ig_pool_text(w->pool, &w->out->axis[w->out->n_axis], axis.at, axis.n, err));
            (*at)[w->out->n_axis++] = i;
        } else
            IG_TRY(add_common(w, (piece){axis.at, axis.n + 1 + value.n}, err));
    }
    return IG_ERR_OK;
}

static ig_code common_labels(const work *w, ig_err *err)
{
    const char *p = label_of(w->cell[0]);
    piece part;
    while (next_part(&p, between, &part))
        if (in_all_rows(w, part) && is_own(w, w->cell[0], part) && !has_part(w->out->common, part))
            IG_TRY(add_common(w, part, err));
    return IG_ERR_OK;
}

/* Names rows of one cell, which only the axes distinguish. */
static ig_code one_name_for_all(const work *w, ig_err *err)
{
    ig_row_name *row = w->out->row;
    if (w->out->n_axis == 0 || w->n == 1 || row[0].id[0] == '\0')
        return IG_ERR_OK;
    for (int i = 1; i < w->n; i++)
        if (strcmp(row[i].id, row[0].id) != 0)
            return IG_ERR_OK;
    const char *rest = w->out->common;
    IG_TRY(ig_pool_print(w->pool, &w->out->common, err, "cell %s%s%s%s", row[0].id,
                         strcmp(row[0].words, original) == 0 || row[0].words[0] == '\0' ? "" : ", ",
                         strcmp(row[0].words, original) == 0 ? "" : row[0].words,
                         rest[0] != '\0' ? between : ""));
    IG_TRY(ig_pool_print(w->pool, &w->out->common, err, "%s%s", w->out->common, rest));
    for (int i = 0; i < w->n; i++)
        row[i].id = row[i].words = "";
    return IG_ERR_OK;
}

ig_code ig_row_names_make(ig_row_names *out, const ig_results *r, const ig_result_cell *const *row,
                          int n_row, ig_err *err)
{
    work w = {.out = out, .pool = &out->pool, .r = r, .cell = row, .n = n_row};
    int *at;
    *out = (ig_row_names){.common = "", .n_row = n_row};
    IG_TRY(ig_pool_alloc(w.pool, &out->row, n_row, sizeof *out->row, err));
    if (n_row == 0)
        return IG_ERR_OK;
    w.axes = count_axes(row[0]->name) > 0;
    for (int i = 1; i < n_row && w.axes; i++)
        w.axes = same_axes(row[0]->name, row[i]->name);
    IG_TRY(find_axes(&w, &at, err));
    for (int i = 0; i < n_row; i++)
        IG_TRY(name_row(&w, i, at, err));
    IG_TRY(common_labels(&w, err));
    IG_TRY(one_name_for_all(&w, err));
    for (int i = 0; i < n_row; i++) {
        out->has_id = out->has_id || out->row[i].id[0] != '\0';
        out->has_words = out->has_words || out->row[i].words[0] != '\0';
    }
    return IG_ERR_OK;
}

void ig_row_names_free(ig_row_names *n)
{
    ig_pool_free(&n->pool);
    *n = (ig_row_names){.common = ""};
}

/* Returns whether the values of an axis say by themselves what they are: words, not numbers, yes or
 * no. */
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
