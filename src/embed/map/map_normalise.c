/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of normalisation, one pass over the rows each; sums over words go through 16 fixed lanes.
 */
#include "embed/map/map_normalise.h"

#include "base/memory.h"
#include "base/settings/options.h"

#include <math.h>
#include <string.h>

enum { LANES = 16 };

const char *const ig_step_names[] = {
    "none", "unit", "center", "unit-dimensions", "center-dimensions", "iterative", NULL};

ig_code ig_steps_parse(ig_steps *out, const char *text, const char *where, ig_err *err)
{
    *out = (ig_steps){0};
    for (const char *at = text;;) {
        size_t n = strcspn(at, ",");
        char word[32] = "";
        int found = -1;
        if (n < sizeof word)
            memcpy(word, at, n);
        for (int i = 0; i < IG_STEP_N; i++)
            if (strcmp(word, ig_step_names[i]) == 0)
                found = i;
        if (found < 0) {
            ig_fail(err, IG_ERR_USAGE, where, 0,
                    "found '%.40s', expected a list of unit, center, unit-dimensions, "
                    "center-dimensions, iterative, or none",
                    text);
            return ig_hint_nearest(err, word, ig_step_names, IG_STEP_N);
        }
        if (out->n == IG_STEPS_MAX)
            return ig_fail(err, IG_ERR_USAGE, where, 0, "more than %d steps", IG_STEPS_MAX);
        if (found != IG_STEP_NONE)
            out->step[out->n++] = (ig_step)found;
        if (at[n] == '\0')
            return IG_ERR_OK;
        at += n + 1;
    }
}

void ig_steps_done_free(ig_steps_done *s)
{
    IG_FREE(s->step, s->value);
    *s = (ig_steps_done){0};
}

typedef struct {
    float *x;
    int64_t n;
    int d;
    ig_step step;
    double *sum; /* [LANES, d] */
    const double *value;
} pass;

static void rows_of(const pass *p, int64_t lane, int64_t *from, int64_t *to)
{
    *from = p->n * lane / LANES;
    *to = p->n * (lane + 1) / LANES;
}

static void sum_lane(void *arg, int64_t lane, int i_thread)
{
    const pass *p = arg;
    double *sum = p->sum + lane * p->d;
    int64_t from, to;
    (void)i_thread;
    memset(sum, 0, (size_t)p->d * sizeof *sum);
    for (rows_of(p, lane, &from, &to); from < to; from++) {
        const float *x = p->x + from * p->d;
        if (p->step == IG_STEP_CENTER)
            for (int c = 0; c < p->d; c++)
                sum[c] += (double)x[c];
        else
            for (int c = 0; c < p->d; c++)
                sum[c] += (double)x[c] * (double)x[c];
    }
}

static void row_step(const pass *p, float *x)
{
    double sum = 0;
    switch (p->step) {
    case IG_STEP_UNIT:
        for (int c = 0; c < p->d; c++)
            sum += (double)x[c] * (double)x[c];
        sum = sum > 0 ? 1 / sqrt(sum) : 0;
        for (int c = 0; c < p->d; c++)
            x[c] = (float)((double)x[c] * sum);
        break;
    case IG_STEP_CENTER:
        for (int c = 0; c < p->d; c++)
            x[c] = (float)((double)x[c] - p->value[c]);
        break;
    case IG_STEP_UNIT_DIMENSIONS:
        for (int c = 0; c < p->d; c++)
            x[c] = (float)((double)x[c] * p->value[c]);
        break;
    default:
        for (int c = 0; c < p->d; c++)
            sum += (double)x[c];
        sum /= p->d;
        for (int c = 0; c < p->d; c++)
            x[c] = (float)((double)x[c] - sum);
        break;
    }
}

static void step_lane(void *arg, int64_t lane, int i_thread)
{
    const pass *p = arg;
    int64_t from, to;
    (void)i_thread;
    for (rows_of(p, lane, &from, &to); from < to; from++)
        row_step(p, p->x + from * p->d);
}

/* The mean, or the factors of the dimensions, into the first lane. */
static void sums(pass *p, ig_team *team)
{
    ig_team_for(team, LANES, sum_lane, p);
    for (int lane = 1; lane < LANES; lane++)
        for (int c = 0; c < p->d; c++)
            p->sum[c] += p->sum[(int64_t)lane * p->d + c];
    for (int c = 0; c < p->d; c++)
        if (p->step == IG_STEP_CENTER)
            p->sum[c] /= (double)p->n;
        else
            p->sum[c] = p->sum[c] > 0 ? 1 / sqrt(p->sum[c]) : 0;
    p->value = p->sum;
}

static ig_code note(ig_steps_done *done, const pass *p, ig_err *err)
{
    if (done == NULL)
        return IG_ERR_OK;
    done->d = p->d;
    IG_TRY(ig_grow(&done->step, &done->have, done->n + 1, sizeof *done->step, "steps", err));
    IG_TRY(ig_grow(&done->value, &done->have_value, ((int64_t)done->n + 1) * p->d,
                   sizeof *done->value, "means", err));
    done->step[done->n] = p->step;
    if (p->value != NULL)
        memcpy(done->value + (int64_t)done->n * p->d, p->value, (size_t)p->d * sizeof *p->value);
    done->n++;
    return IG_ERR_OK;
}

static ig_code one(pass *p, ig_step step, ig_steps_done *done, ig_team *team, ig_err *err)
{
    p->step = step;
    p->value = NULL;
    if (step == IG_STEP_CENTER || step == IG_STEP_UNIT_DIMENSIONS)
        sums(p, team);
    ig_team_for(team, LANES, step_lane, p);
    return note(done, p, err);
}

static ig_code iterative(pass *p, ig_steps_done *done, ig_team *team, ig_err *err)
{
    for (int round = 0; round < IG_STEP_ROUNDS; round++) {
        double length = 0;
        IG_TRY(one(p, IG_STEP_UNIT, done, team, err));
        p->step = IG_STEP_CENTER;
        sums(p, team);
        for (int c = 0; c < p->d; c++)
            length += p->sum[c] * p->sum[c];
        if (length < 1e-12)
            return IG_ERR_OK;
        IG_TRY(one(p, IG_STEP_CENTER, done, team, err));
    }
    return one(p, IG_STEP_UNIT, done, team, err);
}

ig_code ig_steps_apply(const ig_steps *s, ig_map_side of, ig_steps_done *done, ig_team *team,
                       ig_err *err)
{
    pass p = {.x = of.x, .n = of.n, .d = of.d};
    if (of.n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&p.sum, (int64_t)LANES * of.d, sizeof *p.sum, "means", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < s->n && code == IG_ERR_OK; i++)
        code = s->step[i] == IG_STEP_ITERATIVE ? iterative(&p, done, team, err)
                                               : one(&p, s->step[i], done, team, err);
    ig_free(p.sum);
    return code;
}
