/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests differences of cells over seeds and formats the outcome, for tables, claims and comparisons
 * of two results. Cells are independent samples: seeds that two cells share make their values
 * hardly more alike (docs/report.md), and an unpaired test can decide with five of them.
 */
#include "report/results/results_contrast.h"
#include "base/settings/json_text.h"

#include <math.h>

ig_code ig_seed_values_of(ig_seed_values *out, ig_pool *pool, const ig_results *r,
                          const ig_result_cell *c, const ig_quantity *q, int64_t step, ig_err *err)
{
    bool any = false;
    *out = (ig_seed_values){.n = c->n_entry, .layer = -1};
    IG_TRY(ig_pool_alloc(pool, &out->value, out->n, sizeof *out->value, err));
    for (int64_t i = 0; i < out->n; i++) {
        const ig_result_value v = ig_result_value_of(r, c, &c->entry[i], q, step);
        out->value[i] = v;
        if (isfinite(v.value))
            out->layer = !any || out->layer == v.layer ? v.layer : -1;
        any = any || isfinite(v.value);
    }
    return ig_seed_values_summary(&out->summary, pool, out, 1, err);
}

ig_code ig_seed_values_summary(ig_summary *out, ig_pool *pool, const ig_seed_values *v,
                               double times, ig_err *err)
{
    double *x;
    int64_t n = 0;
    IG_TRY(ig_pool_alloc(pool, &x, v->n, sizeof *x, err));
    for (int64_t i = 0; i < v->n; i++)
        if (isfinite(v->value[i].value))
            x[n++] = times * v->value[i].value;
    *out = ig_summarise(x, n);
    return IG_ERR_OK;
}

ig_contrast ig_result_difference(const ig_summary *b, const ig_summary *a, int n_test)
{
    const ig_summary s[] = {*b, {a->n, -a->mean, a->sd, -a->max, -a->min, -a->median}};
    return a->n > 0 && b->n > 0 ? ig_contrast_of(s, 2, 0, n_test) : (ig_contrast){0};
}

int64_t ig_result_seeds_needed(const ig_contrast *c, double level)
{
    const int64_t n = ig_seeds_needed(c->mean, c->sd, level, 0.8);
    return n >= 0 && n <= c->n && c->p_adjusted >= .05 ? c->n + 1 : n;
}

/* --- how they are shown ----------------------------------------------------------------------- */

int ig_contrast_digits(double sd)
{
    /* Near the end of doubles sd is infinite. */
    const int n = sd > 0 && isfinite(sd) ? 1 - (int)floor(log10(sd)) : 2;
    return n < 0 ? 0 : n > 4 ? 4 : n;
}

void ig_contrast_columns(ig_table *t, const char *difference, const char *needed)
{
    ig_table_add_column(t, "difference", difference, NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "interval", "interval", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "n", "n", NULL, IG_TABLE_RIGHT);
    ig_table_add_column(t, "p", "p", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "p_adjusted", "adjusted", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "seeds_needed", needed, NULL, IG_TABLE_RIGHT);
}

void ig_contrast_cells(ig_table *t, int64_t row, int first, const ig_contrast *c, int digits,
                       int64_t seeds_needed)
{
    enum { DIFFERENCE, INTERVAL, SEEDS, P, ADJUSTED, NEEDED };
    if (c->n > 0) {
        ig_table_number(t, row, first + DIFFERENCE, c->mean, digits);
        ig_table_at(t, row, first + DIFFERENCE)->sign = true;
        ig_table_cell *interval = ig_table_at(t, row, first + INTERVAL);
        interval->low = c->interval.low;
        interval->high = c->interval.high;
        interval->digits = digits;
        ig_table_number(t, row, first + SEEDS, (double)c->n, 0);
        ig_table_number(t, row, first + P, c->p, 4);
        ig_table_number(t, row, first + ADJUSTED, c->p_adjusted, 4);
    }
    for (int k = DIFFERENCE; k <= ADJUSTED && c->n == 0; k++)
        ig_table_at(t, row, first + k)->absent = true;
    if (seeds_needed >= 0)
        ig_table_number(t, row, first + NEEDED, (double)seeds_needed, 0);
    else
        ig_table_at(t, row, first + NEEDED)->absent = true;
}

void ig_contrast_json(json_t *to, const ig_contrast *c, int64_t seeds_needed)
{
    const struct {
        const char *key;
        double value;
    } of[] = {{"difference", c->mean},
              {"low", c->interval.low},
              {"high", c->interval.high},
              {"level", c->interval.level},
              {"p", c->p},
              {"p_adjusted", c->p_adjusted}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        json_object_set_new(to, of[i].key, c->n > 0 ? ig_json_number(of[i].value) : json_null());
    json_object_set_new(to, "seeds_needed",
                        seeds_needed >= 0 ? json_integer((json_int_t)seeds_needed) : json_null());
}
