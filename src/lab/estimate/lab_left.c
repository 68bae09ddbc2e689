/* SPDX-License-Identifier: Apache-2.0
 *
 * How long what is left of an experiment will take, from the folders alone: runs of one shape take
 * as long as those that are finished, a run that goes on has the rest of that before it, and as
 * many go on at once as do now. A shape of which none is finished is guessed from the others, and
 * where none is, from how far the running ones have come.
 */
#include "base/memory.h"
#include "lab/estimate/lab_estimate.h"
#include "lab/runs/lab_list.h"

#include <math.h>

static double share_left(const ig_lab_state *s)
{
    return s->n_step > 0 && s->step > 0 ? 1 - (double)s->step / (double)s->n_step : 1;
}

/* Seconds of a whole run that goes on, by what it has done since it was begun. */
static double whole_of(const ig_lab_state *s)
{
    const double done = 1 - share_left(s);
    return s->seconds > 0 && done > 0 ? s->seconds / done : (double)NAN;
}

static double sum_up(ig_lab_estimate *t, const ig_lab_state *s, int n, const ig_experiment *e)
{
    double sum = 0, longest = 0;
    int running = 0;
    for (int i = 0; i < n; i++)
        if (s[i].status == IG_RUN_DONE && s[i].seconds > 0)
            ig_lab_estimate_finished(t, i, s[i].seconds);
    for (int i = 0; i < n; i++) {
        const bool goes_on = s[i].status == IG_RUN_RUNNING;
        running += goes_on;
        if (s[i].status == IG_RUN_DONE || s[i].status == IG_RUN_FAILED ||
            (!goes_on && (e->cell[s[i].cell].needs & IG_NEEDS_GPU) != 0))
            continue;
        double whole = ig_lab_estimate_whole(t, i);
        for (int k = 0; k < n && isnan(whole); k++)
            if (s[k].status == IG_RUN_RUNNING && !isnan(whole_of(&s[k])))
                whole = whole_of(&s[k]) * t->weight[i] / t->weight[k];
        const double left = whole * share_left(&s[i]);
        sum += left;
        longest = goes_on && left > longest ? left : longest;
    }
    sum /= running > 1 ? running : 1;
    return sum < longest ? longest : sum;
}

ig_code ig_lab_time_left(double *seconds, const ig_lab_state *s, int n, const ig_experiment *e,
                         ig_err *err)
{
    ig_lab_estimate t;
    ig_lab_list l = {.n = n};
    *seconds = n > 0 ? (double)NAN : 0;
    if (n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&l.item, n, sizeof *l.item, "estimate", err));
    for (int i = 0; i < n; i++)
        l.item[i].cell = s[i].cell;
    ig_code code = ig_lab_estimate_new(&t, &l, e, err);
    if (code == IG_ERR_OK) {
        *seconds = sum_up(&t, s, n, e);
        ig_lab_estimate_free(&t);
    }
    ig_free(l.item);
    return code;
}
