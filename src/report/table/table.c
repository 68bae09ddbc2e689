/* SPDX-License-Identifier: Apache-2.0
 *
 * Building a table: columns, rows, cells, and the strings they own. Missing memory is recorded and
 * reported by the writers (ig_table_check), as stdio keeps the error of a stream.
 */
#include "report/table/table.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/pool.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

struct ig_table_own {
    ig_pool strings;
    int64_t column_size, row_size, cell_size, note_size;
    ig_table_cell spare; /* result of _at when memory runs out */
    bool failed;
};

const ig_table_cell ig_table_no_cell = {.value = (double)NAN,
                                        .sd = (double)NAN,
                                        .low = (double)NAN,
                                        .high = (double)NAN,
                                        .sd_digits = -1};

static const char *keep_copy(ig_table *t, const char *s)
{
    const char *copy = NULL;
    if (s != NULL && ig_pool_text(&t->own->strings, &copy, s, strlen(s), NULL) != IG_ERR_OK) {
        t->own->failed = true;
        return "";
    }
    return copy;
}

static const char *keep_formatted(ig_table *t, const char *fmt, va_list list)
    __attribute__((format(printf, 2, 0)));
static const char *keep_formatted(ig_table *t, const char *fmt, va_list list)
{
    va_list again;
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, fmt, list);
    char *s = NULL;
    if (n >= 0 && ig_pool_alloc(&t->own->strings, &s, n + 1, 1, NULL) == IG_ERR_OK)
        vsnprintf(s, (size_t)n + 1, fmt, again);
    else
        t->own->failed = true;
    va_end(again);
    return s != NULL ? s : "";
}

const char *ig_table_keep(ig_table *t, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    const char *s = keep_formatted(t, fmt, list);
    va_end(list);
    return s;
}

ig_code ig_table_new(ig_table **out, const char *name, const char *title, const char *caption,
                     ig_err *err)
{
    ig_table *t = NULL;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "a table", err));
    ig_code code = ig_alloc(&t->own, 1, sizeof *t->own, "a table", err);
    if (code != IG_ERR_OK) {
        ig_free(t);
        return code;
    }
    t->own->spare = ig_table_no_cell;
    t->name = keep_copy(t, name);
    t->title = keep_copy(t, title);
    t->caption = keep_copy(t, caption);
    *out = t;
    return IG_ERR_OK;
}

void ig_table_free(ig_table *t)
{
    if (t == NULL)
        return;
    ig_pool_free(&t->own->strings);
    IG_FREE(t->own, t->column, t->row, t->cell, t->note, t);
}

/* Grows an array by one element; false, and the table failed, when memory runs out. */
static bool grow(ig_table *t, void *array, int64_t *have, int64_t need, size_t size)
{
    if (ig_grow(array, have, need, size, "a table", NULL) == IG_ERR_OK)
        return true;
    t->own->failed = true;
    return false;
}

int ig_table_add_column(ig_table *t, const char *key, const char *title, const char *group,
                        ig_table_align align)
{
    IG_ASSERT(t->n_row == 0); /* columns come before rows */
    if (!grow(t, &t->column, &t->own->column_size, t->n_column + 1, sizeof *t->column))
        return 0;
    t->column[t->n_column] = (ig_table_column){.key = keep_copy(t, key),
                                               .title = keep_copy(t, title),
                                               .group = keep_copy(t, group),
                                               .align = align};
    return t->n_column++;
}

int ig_table_add_row_head(ig_table *t, const char *key, const char *title)
{
    int c = ig_table_add_column(t, key, title, NULL, IG_TABLE_LEFT);
    if (!t->own->failed)
        t->column[c].row_head = true;
    return c;
}

int64_t ig_table_add_row(ig_table *t, ig_row_kind kind, const char *key)
{
    int64_t cells = t->n_row * t->n_column;
    if (!grow(t, &t->row, &t->own->row_size, t->n_row + 1, sizeof *t->row) ||
        !grow(t, &t->cell, &t->own->cell_size, cells + t->n_column, sizeof *t->cell))
        return 0;
    t->row[t->n_row] = (ig_table_row){.kind = kind, .key = keep_copy(t, key)};
    for (int c = 0; c < t->n_column; c++)
        t->cell[cells + c] = ig_table_no_cell;
    return t->n_row++;
}

void ig_table_add_note(ig_table *t, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    const char *s = keep_formatted(t, fmt, list);
    va_end(list);
    if (grow(t, &t->note, &t->own->note_size, t->n_note + 1, sizeof *t->note))
        t->note[t->n_note++] = s;
}

ig_table_cell *ig_table_at(ig_table *t, int64_t row, int column)
{
    if (t->own->failed)
        return &t->own->spare;
    IG_ASSERT(row >= 0 && row < t->n_row && column >= 0 && column < t->n_column);
    return &t->cell[row * t->n_column + column];
}

void ig_table_text(ig_table *t, int64_t row, int column, const char *text)
{
    ig_table_at(t, row, column)->text = keep_copy(t, text);
}

void ig_table_number(ig_table *t, int64_t row, int column, double value, int digits)
{
    ig_table_cell *c = ig_table_at(t, row, column);
    c->value = value;
    c->digits = digits;
}

ig_code ig_table_check(const ig_table *t, ig_err *err)
{
    if (t->own->failed)
        return ig_fail(err, IG_ERR_MEMORY, t->name != NULL ? t->name : "a table", 0,
                       "not enough memory for the table");
    return IG_ERR_OK;
}
