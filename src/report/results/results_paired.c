/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests paired differences over seeds and formats the outcome, for tables, claims and comparisons
 * of two results.
 */
#include "report/results/results_paired.h"
#include "base/settings/json_text.h"

#include <math.h>

enum { LEAST_PAIRS = 6 };
/* Seeds every random draw here, so that the same results give the same table. */
static const uint64_t stats_seed = 0;

ig_code ig_seed_values_of(ig_seed_values *out, ig_pool *pool, const ig_results *r,
                          const ig_result_cell *c, const ig_quantity *q, ig_err *err)
{
    out->n = c->n_entry;
    IG_TRY(ig_pool_alloc(pool, &out->value, out->n, sizeof *out->value, err));
    for (int64_t i = 0; i < out->n; i++)
        out->value[i] = ig_result_value_of(r, c, &c->entry[i], q, -1);
    return IG_ERR_OK;
}

ig_code ig_seed_values_pair(ig_pairs *out, ig_pool *pool, const ig_seed_values *a,
                            const ig_seed_values *b, ig_err *err)
{
    double *x, *y;
    *out = (ig_pairs){0};
    IG_TRY(ig_pool_alloc(pool, &x, a->n, sizeof *x, err));
    IG_TRY(ig_pool_alloc(pool, &y, a->n, sizeof *y, err));
    for (int64_t i = 0, k = 0; i < a->n && k < b->n;) {
        const ig_result_value *v = &a->value[i], *w = &b->value[k];
        if (v->seed == w->seed && isfinite(v->value) && isfinite(w->value)) {
            x[out->n] = v->value;
            y[out->n++] = w->value;
        }
        i += v->seed <= w->seed;
        k += w->seed <= v->seed;
    }
    out->a = x;
    out->b = y;
    return IG_ERR_OK;
}

ig_code ig_result_test(ig_paired **out, ig_pool *pool, const ig_pairs *p, int n, ig_err *err)
{
    ig_pairs *pairs;
    ig_paired *tested;
    int m = 0;
    IG_TRY(ig_pool_alloc(pool, out, n, sizeof **out, err));
    IG_TRY(ig_pool_alloc(pool, &pairs, n, sizeof *pairs, err));
    IG_TRY(ig_pool_alloc(pool, &tested, n, sizeof *tested, err));
    for (int i = 0; i < n; i++)
        if (p[i].n > 0)
            pairs[m++] = p[i];
    IG_TRY(ig_paired_compare_all(tested, pairs, m, stats_seed, err));
    IG_TRY(ig_holm(tested, m, err));
    for (int i = 0, k = 0; i < n; i++)
        if (p[i].n > 0)
            (*out)[i] = tested[k++];
    return IG_ERR_OK;
}

int64_t ig_result_seeds_needed(const ig_paired *p)
{
    const int64_t n = ig_seeds_needed(p->mean, p->sd, 0.05, 0.8);
    return n >= 0 && n < LEAST_PAIRS ? LEAST_PAIRS : n;
}

/* --- how they are shown ----------------------------------------------------------------------- */

int ig_paired_digits(double sd)
{
    /* Near the end of doubles sd is infinite. */
    const int n = sd > 0 && isfinite(sd) ? 1 - (int)floor(log10(sd)) : 2;
    return n < 0 ? 0 : n > 4 ? 4 : n;
}

void ig_paired_columns(ig_table *t, const char *difference, const char *needed)
{
    ig_table_add_column(t, "difference", difference, NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "interval", "95 %", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "n", "n", NULL, IG_TABLE_RIGHT);
    ig_table_add_column(t, "p", "p", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "p_holm", "Holm", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "seeds_needed", needed, NULL, IG_TABLE_RIGHT);
}

void ig_paired_cells(ig_table *t, int64_t row, int first, const ig_paired *p, int digits,
                     int64_t seeds_needed)
{
    enum { DIFFERENCE, INTERVAL, SEEDS, P, HOLM, NEEDED };
    if (p->n > 0) {
        ig_table_number(t, row, first + DIFFERENCE, p->mean, digits);
        ig_table_at(t, row, first + DIFFERENCE)->sign = true;
        ig_table_cell *interval = ig_table_at(t, row, first + INTERVAL);
        interval->low = p->interval.low;
        interval->high = p->interval.high;
        interval->digits = digits;
        ig_table_number(t, row, first + SEEDS, (double)p->n, 0);
        ig_table_number(t, row, first + P, p->p, 4);
        ig_table_number(t, row, first + HOLM, p->p_holm, 4);
    }
    for (int k = DIFFERENCE; k <= HOLM && p->n == 0; k++)
        ig_table_at(t, row, first + k)->absent = true;
    if (seeds_needed >= 0)
        ig_table_number(t, row, first + NEEDED, (double)seeds_needed, 0);
    else
        ig_table_at(t, row, first + NEEDED)->absent = true;
}

void ig_paired_json(json_t *to, const ig_paired *p, int64_t seeds_needed)
{
    const struct {
        const char *key;
        double value;
    } of[] = {{"difference", p->mean},
              {"low", p->interval.low},
              {"high", p->interval.high},
              {"p", p->p},
              {"p_holm", p->p_holm}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        json_object_set_new(to, of[i].key, p->n > 0 ? ig_json_number(of[i].value) : json_null());
    json_object_set_new(to, "seeds_needed",
                        seeds_needed >= 0 ? json_integer((json_int_t)seeds_needed) : json_null());
}
