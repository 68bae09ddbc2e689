/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of the page with their runs, each under an anchor of its own with the values it gave.
 */
#include "report/page/page_parts.h"
#include "report/shown/table_results.h"

#include <math.h>
#include <string.h>
#include <time.h>

typedef struct {
    const ig_result_table *t; /* NULL: none */
    int row;
} place;

/* The first table that has the cell gives the columns of its runs. */
static place place_of(const ig_page *p, const ig_result_cell *c)
{
    for (int i = 0; i < p->n_table; i++)
        for (int r = 0; r < p->table[i].n_row; r++)
            if (p->table[i].row[r] == c)
                return (place){&p->table[i], r};
    return (place){0};
}

static json_t *columns(const ig_result_table *t)
{
    json_t *all = json_array();
    for (int c = 0; t != NULL && c < t->n_column; c++) {
        char title[128];
        ig_result_title(title, sizeof title, t, c);
        json_array_append_new(all, ig_page_text(title));
    }
    return all;
}

/* The value of one run in a column: that of its seed and address. */
static json_t *value(place in, int c, int64_t i, const ig_store_entry *e)
{
    const ig_column *column = &in.t->spec->column[c];
    const ig_result_number *n = &in.t->number[in.row * in.t->n_column + c];
    if (i >= n->n_value || strcmp(n->value[i].address, e->cell.address) != 0 ||
        !isfinite(n->value[i].value))
        return json_string("\xE2\x80\x93");
    double x = n->value[i].value;
    const int digits = ig_result_digits(column, n);
    if (strcmp(column->q.task, "peak_memory") == 0)
        x /= 1 << 20;
    return json_sprintf("%.*f", digits < 3 && fabs(x) <= 1 ? 3 : digits, x);
}

/* "3 min"; what a run that is not done is. */
static json_t *time_of(const ig_store_run *run)
{
    const double seconds = run->seconds;
    const long long s = seconds > 0 && seconds < 1e15 ? llround(seconds) : 0;
    return run->status != IG_RUN_DONE ? json_string(ig_run_status_name(run->status))
           : seconds < 10             ? json_sprintf("%.1f s", seconds)
           : s < 120                  ? json_sprintf("%lld s", s)
           : s < 7200                 ? json_sprintf("%lld min", (s + 30) / 60)
                                      : json_sprintf("%.1f h", seconds / 3600);
}

static json_t *machine_of(int k)
{
    return k < 0 ? json_null() : json_pack("{s:i, s:o}", "index", k, "letter", ig_page_letter(k));
}

static json_t *run_json(const ig_store_entry *e, int machine, place in, int64_t i)
{
    const bool done = e->run.status == IG_RUN_DONE;
    char when[40] = "";
    const time_t at = (time_t)e->run.finished;
    struct tm tm;
    if (done && e->run.finished > 0 && gmtime_r(&at, &tm) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
    json_t *values = json_array();
    for (int k = 0; in.t != NULL && k < in.t->n_column; k++)
        json_array_append_new(values, value(in, k, i, e));
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:s, s:o}", "seed", (json_int_t)e->cell.seed, "address",
        ig_page_text(e->cell.address), "values", values, "time", time_of(&e->run), "rate",
        done && isfinite(e->run.tokens_per_second) ? json_sprintf("%.0f", e->run.tokens_per_second)
                                                   : json_null(),
        "finished", when, "machine", machine_of(machine));
}

void ig_page_runs(json_t *data, const ig_page *p, const int *of_run)
{
    for (int i = 0; i < p->results->n_cell; i++) {
        const ig_result_cell *c = &p->results->cell[i];
        json_t *cell = json_array_get(json_object_get(data, "cells"), (size_t)i);
        json_t *runs = json_array();
        const place in = place_of(p, c);
        for (int64_t k = 0; k < c->n_entry; k++)
            json_array_append_new(
                runs,
                run_json(&c->entry[k], of_run[&c->entry[k] - p->results->store->entry], in, k));
        json_object_set_new(cell, "name", ig_page_text(c->name));
        json_object_set_new(cell, "label", ig_page_text(c->label));
        json_object_set_new(cell, "lacking", ig_page_text(c->incomplete));
        json_object_set_new(cell, "mixed", ig_page_text(c->mixed));
        json_object_set_new(cell, "columns", columns(in.t));
        json_object_set_new(cell, "runs", runs);
    }
}
