/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_timing.h.
 */
#include "lab/estimate/lab_timing.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdio.h>
#include <time.h>

bool ig_lab_late(const ig_lab_clock *c, double share)
{
    return c->answer_seconds > 0 && ig_clock() - c->begun > share * c->answer_seconds;
}

ig_code ig_lab_nap(const ig_lab_clock *c, ig_err *err)
{
    const struct timespec short_time = {0, 10 * 1000 * 1000};
    nanosleep(&short_time, NULL);
    if (c->stop != NULL && *c->stop != 0)
        return ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped; nothing was written");
    return IG_ERR_OK;
}

/* Waits for the processes; all they do is thrown away, so a stop does not wait for them. */
static ig_code gather(ig_lab_timed *out, ig_lab_process *p, int n, const ig_lab_clock *clock,
                      ig_err *err)
{
    for (int k = 0; k < n; k++) {
        int killed;
        while (!ig_lab_process_ended(&p[k], false, &killed)) {
            IG_TRY(ig_lab_nap(clock, err));
            if (ig_lab_late(clock, 1))
                return IG_ERR_OK;
        }
        if (p[k].slot->err.code != IG_ERR_OK && out->why.code == IG_ERR_OK)
            out->why = p[k].slot->err;
    }
    out->in_time = true;
    return IG_ERR_OK;
}

static void sum_up(ig_lab_timed *out, const ig_lab_process *p, int n)
{
    for (int k = 0; k < n; k++) {
        const double *x = p[k].slot->number;
        out->seconds += x[0] / n;
        out->memory = out->memory < (int64_t)x[1] ? (int64_t)x[1] : out->memory;
        out->n_parameter = out->n_parameter < (int64_t)x[2] ? (int64_t)x[2] : out->n_parameter;
    }
    snprintf(out->said, sizeof out->said, "%s", p[0].slot->said);
}

ig_code ig_lab_time_at_once(ig_lab_timed *out, ig_lab_child_fn *fn, void *arg, int jobs,
                            const ig_lab_clock *clock, ig_err *err)
{
    ig_lab_process *p;
    int n = 0;
    *out = (ig_lab_timed){0};
    IG_TRY(ig_alloc(&p, jobs, sizeof *p, "jobs", err));
    ig_code code = IG_ERR_OK;
    while (n < jobs && code == IG_ERR_OK) {
        code = ig_lab_process_start(&p[n], fn, arg, err);
        n += code == IG_ERR_OK;
    }
    IG_THEN(code, gather(out, p, n, clock, err));
    if (code == IG_ERR_OK && out->in_time && out->why.code == IG_ERR_OK)
        sum_up(out, p, n);
    for (int k = 0; k < n; k++)
        ig_lab_process_close(&p[k]);
    ig_free(p);
    return code;
}
