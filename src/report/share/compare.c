/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs the cells of two sets of results and tests each quantity over their seeds.
 */
#include "report/share/compare.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/settings/options.h"
#include "report/results/results_internal.h"

#include <math.h>
#include <string.h>

typedef struct {
    ig_comparison *out;
    const ig_comparison_of *of;
    ig_pool *pool;
    ig_err *err;
} work;

/* --- which cells ------------------------------------------------------------------------------ */

static ig_code find(const ig_result_cell **out, const work *w, const ig_results *r,
                    const char *name)
{
    const char **names;
    *out = ig_results_cell(r, name);
    if (*out != NULL)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(w->pool, &names, r->n_cell, sizeof *names, w->err));
    for (int i = 0; i < r->n_cell; i++)
        names[i] = r->cell[i].name;
    ig_fail(w->err, IG_ERR_USAGE, "--cell", 0, "%s has no cell '%.80s'",
            r == w->of->a ? "the first" : "the second", name);
    return ig_hint_nearest(w->err, name, names, r->n_cell);
}

/* "8/batch=64" is a name, "8=9" are two: where A has no cell of the whole name, the first '=' whose
 * left side is one parts them. */
static ig_code named_pair(work *w, const char *text)
{
    ig_compared_cells *c = &w->out->cells[w->out->n_cells++];
    const char *left = text, *right = text;
    for (const char *p = strchr(text, '='); p != NULL && ig_results_cell(w->of->a, text) == NULL;
         p = strchr(p + 1, '=')) {
        IG_TRY(ig_pool_text(w->pool, &left, text, (size_t)(p - text), w->err));
        right = p + 1;
        if (ig_results_cell(w->of->a, left) != NULL)
            break;
    }
    IG_TRY(find(&c->a, w, w->of->a, left));
    return find(&c->b, w, w->of->b, right);
}

static ig_code choose_cells(work *w)
{
    ig_comparison *out = w->out;
    const ig_results *side[] = {w->of->a, w->of->b};
    const int room = w->of->n_pair > 0 ? w->of->n_pair : side[0]->n_cell;
    IG_TRY(ig_pool_alloc(w->pool, &out->cells, room, sizeof *out->cells, w->err));
    for (int i = 0; i < w->of->n_pair; i++)
        IG_TRY(named_pair(w, w->of->pair[i]));
    for (int s = 0; s < 2 && w->of->n_pair == 0; s++) {
        IG_TRY(
            ig_pool_alloc(w->pool, &out->only[s], side[s]->n_cell, sizeof *out->only[s], w->err));
        for (int i = 0; i < side[s]->n_cell; i++) {
            const ig_result_cell *c = &side[s]->cell[i],
                                 *other = ig_results_cell(side[1 - s], c->name);
            if (other == NULL)
                out->only[s][out->n_only[s]++] = c->name;
            else if (s == 0)
                out->cells[out->n_cells++] = (ig_compared_cells){c, other};
        }
    }
    return IG_ERR_OK;
}

/* --- the values of one cell and quantity ------------------------------------------------------ */

/* Both means and why they cannot be compared. */
static ig_code gather(work *w, ig_compared *c)
{
    const ig_result_cell *a = c->cells->a, *b = c->cells->b;
    const char *mixed = a->mixed != NULL ? a->mixed : b->mixed;
    ig_seed_values x, y;
    IG_TRY(ig_seed_values_of(&x, w->pool, w->of->a, a, c->q, -1, w->err));
    IG_TRY(ig_seed_values_of(&y, w->pool, w->of->b, b, c->q, -1, w->err));
    c->a = x.summary;
    c->b = y.summary;
    c->seeds_needed = -1;
    c->neither = c->a.n == 0 && c->b.n == 0;
    c->missing = mixed != NULL ? mixed
                 : c->neither  ? "not measured"
                 : c->b.n == 0 ? "not measured in B"
                 : c->a.n == 0 ? "not measured in A"
                               : NULL;
    return IG_ERR_OK;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* All cells of a quantity, each one of as many tests as there are. */
static ig_code test(work *w, int quantity)
{
    ig_comparison *out = w->out;
    int n = 0;
    for (int i = 0; i < out->n_cells; i++) {
        ig_compared *c = &out->value[i * out->n_quantity + quantity];
        *c = (ig_compared){.cells = &out->cells[i], .q = &w->of->q[quantity]};
        IG_TRY(gather(w, c));
        n += c->missing == NULL;
    }
    for (int i = 0; i < out->n_cells; i++) {
        ig_compared *c = &out->value[i * out->n_quantity + quantity];
        if (c->missing != NULL)
            continue;
        c->tested = ig_result_difference(&c->b, &c->a, n);
        c->seeds_needed = ig_result_seeds_needed(&c->tested);
    }
    return IG_ERR_OK;
}

ig_code ig_comparison_make(ig_comparison *out, const ig_comparison_of *of, ig_err *err)
{
    work w = {out, of, &out->pool, err};
    *out = (ig_comparison){.n_quantity = of->n_q};
    IG_TRY(choose_cells(&w));
    IG_TRY(ig_pool_alloc(w.pool, &out->value, (int64_t)out->n_cells * out->n_quantity,
                         sizeof *out->value, err));
    for (int i = 0; i < out->n_quantity; i++)
        IG_TRY(test(&w, i));
    return ig_comparison_settings(out, err);
}

void ig_comparison_free(ig_comparison *c)
{
    ig_pool_free(&c->pool);
    ig_free(c->setting);
    *c = (ig_comparison){0};
}
