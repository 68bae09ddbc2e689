/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the lines of a table of results, and the columns of a quantity: one, in a pivot one for
 * each value of the axis, or one for each seed after that of their mean.
 */
#include "base/memory.h"
#include "base/strings/append.h"
#include "report/shown/table_parts.h"

#include <math.h>
#include <string.h>

/* Returns which of the values of the spread axis a row has; 0 without a pivot. */
static int across_of(const ig_table_builder *b, int row)
{
    for (int a = 0; a < b->n_across && b->pivot >= 0; a++)
        if (strcmp(b->across[a], b->names.row[row].value[b->pivot]) == 0)
            return a;
    return 0;
}

/* Returns whether two rows differ in the spread axis alone. */
static bool one_line(const ig_table_builder *b, int row, int other)
{
    const ig_row_name *x = &b->names.row[row], *y = &b->names.row[other];
    if (b->pivot < 0 || strcmp(x->id, y->id) != 0)
        return false;
    for (int i = 0; i < b->names.n_axis; i++)
        if (i != b->pivot && strcmp(x->value[i], y->value[i]) != 0)
            return false;
    return true;
}

static ig_code no_such_axis(const ig_table_builder *b, const char *axis, ig_err *err)
{
    char list[200] = "";
    for (int i = 0; i < b->names.n_axis; i++)
        ig_append_name(list, sizeof list, b->names.axis[i]);
    ig_append_name(list, sizeof list, IG_PIVOT_SEED);
    ig_fail(err, IG_ERR_USAGE, b->t->spec->name, 0, "pivot: its rows have no axis '%.60s'", axis);
    return ig_hint(err, "choose from: %s", list);
}

/* Lists the seeds that have a value, ascending, after a column for their mean. */
static ig_code spread_seeds(ig_table_builder *b, ig_err *err)
{
    const int n_number = b->t->n_row * b->t->n_column;
    int64_t n_value = 0;
    for (int i = 0; i < n_number; i++)
        n_value += b->t->number[i].n_value;
    IG_TRY(ig_alloc(&b->seed, n_value + 1, sizeof *b->seed, "seeds", err));
    IG_TRY(ig_alloc(&b->across, n_value + 1, sizeof *b->across, "seeds", err));
    for (int i = 0; i < n_number; i++)
        for (int k = 0; k < b->t->number[i].n_value; k++) {
            const ig_result_value *v = &b->t->number[i].value[k];
            int at = b->n_across;
            while (at > 1 && b->seed[at - 1] > v->seed)
                at--;
            if (!isfinite(v->value) || (at > 1 && b->seed[at - 1] == v->seed))
                continue;
            memmove(&b->seed[at + 1], &b->seed[at], (size_t)(b->n_across - at) * sizeof *b->seed);
            b->seed[at] = v->seed;
            b->n_across++;
        }
    for (int i = 1; i < b->n_across; i++)
        b->across[i] = ig_table_keep(b->out, "%lld", (long long)b->seed[i]);
    return IG_ERR_OK;
}

static ig_code spread_axis(ig_table_builder *b, const char *axis, ig_err *err)
{
    const int n_row = b->t->n_row;
    for (int i = 0; i < b->names.n_axis && axis != NULL; i++)
        if (strcmp(b->names.axis[i], axis) == 0)
            b->pivot = i;
    /* Where all rows have one value there is nothing to spread. */
    for (int row = 0; row < n_row && axis != NULL && b->pivot < 0; row++)
        if (!ig_cell_has_axis(b->t->row[row]->name, axis))
            return no_such_axis(b, axis, err);
    IG_TRY(ig_alloc(&b->across, n_row, sizeof *b->across, "pivot", err));
    for (int row = 0, n = 0; row < n_row && b->pivot >= 0; row++) {
        b->n_across = n;
        const int a = across_of(b, row);
        if (n == 0 || strcmp(b->across[a], b->names.row[row].value[b->pivot]) != 0)
            b->across[n++] = b->names.row[row].value[b->pivot];
        b->n_across = n;
    }
    return IG_ERR_OK;
}

ig_code ig_builder_spread(ig_table_builder *b, ig_err *err)
{
    const char *axis = b->t->spec->pivot;
    const int n_row = b->t->n_row;
    b->pivot = -1;
    b->n_across = 1;
    if (axis != NULL && strcmp(axis, IG_PIVOT_SEED) == 0)
        IG_TRY(spread_seeds(b, err));
    else
        IG_TRY(spread_axis(b, axis, err));
    IG_TRY(ig_alloc(&b->place, (int64_t)n_row * b->n_across, sizeof *b->place, "table", err));
    for (int i = 0; i < n_row * b->n_across; i++)
        b->place[i] = -1;
    for (int row = 0; row < n_row; row++) {
        int line = b->n_line;
        for (int k = 0; k < b->n_line && b->pivot >= 0; k++)
            if (one_line(b, row, ig_builder_first_row(b, k)))
                line = k;
        b->n_line += line == b->n_line;
        for (int a = 0; a < b->n_across && b->seed != NULL; a++)
            b->place[line * b->n_across + a] = row;
        b->place[line * b->n_across + across_of(b, row)] = row;
    }
    return IG_ERR_OK;
}
