/* SPDX-License-Identifier: Apache-2.0
 *
 * The Hungarian method by shortest augmenting paths with potentials (Jonker & Volgenant 1987, §2;
 * Kuhn 1955), on costs −sim. The rows are the shorter side; row by row, the cheapest path to a free
 * column is found and turned around. Index 0 of the potentials and partners means "none".
 */
#include "analyse/links/assignment.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void ig_assignment_free(ig_assignment_memory *m)
{
    IG_FREE(m->number, m->index);
    *m = (ig_assignment_memory){0};
}

typedef struct {
    const float *sim;
    int ld;
    bool turned; /* rows are the second side */
    int32_t n, m;
    double *u, *v, *least;      /* potentials of rows [n + 1] and columns [m + 1]; [m + 1] */
    int32_t *row, *before, *in; /* of a column: its row, the column before it on the path; tree */
} problem;

static double cost(const problem *p, int32_t i, int32_t j)
{
    const float *s = p->sim;
    return -(double)(p->turned ? s[(int64_t)(j - 1) * p->ld + i - 1]
                               : s[(int64_t)(i - 1) * p->ld + j - 1]);
}

static void add_row(problem *p, int32_t i)
{
    int32_t j0 = 0;
    p->row[0] = i;
    for (int32_t j = 0; j <= p->m; j++) {
        p->least[j] = (double)INFINITY;
        p->in[j] = 0;
    }
    do {
        int32_t i0 = p->row[j0], next = 0;
        double delta = (double)INFINITY;
        p->in[j0] = 1;
        for (int32_t j = 1; j <= p->m; j++) {
            if (p->in[j])
                continue;
            double c = cost(p, i0, j) - p->u[i0] - p->v[j];
            if (c < p->least[j]) {
                p->least[j] = c;
                p->before[j] = j0;
            }
            if (p->least[j] < delta) {
                delta = p->least[j];
                next = j;
            }
        }
        for (int32_t j = 0; j <= p->m; j++) {
            if (p->in[j]) {
                p->u[p->row[j]] += delta;
                p->v[j] -= delta;
            } else {
                p->least[j] -= delta;
            }
        }
        j0 = next;
    } while (p->row[j0] != 0);
    for (; j0 != 0; j0 = p->before[j0])
        p->row[j0] = p->row[p->before[j0]];
}

ig_code ig_assignment(int32_t *pairs, int32_t *n, const ig_score_matrix *sim,
                      ig_assignment_memory *m, ig_err *err)
{
    const int32_t na = sim->na, nb = sim->nb;
    problem p = {.sim = sim->at, .ld = sim->ld, .turned = na > nb};
    p.n = p.turned ? nb : na;
    p.m = p.turned ? na : nb;
    *n = p.n;
    int64_t numbers = p.n + 1 + 2 * ((int64_t)p.m + 1), indices = 3 * ((int64_t)p.m + 1);
    IG_TRY(ig_grow(&m->number, &m->have_number, numbers, sizeof *m->number, "assignment", err));
    IG_TRY(ig_grow(&m->index, &m->have_index, indices, sizeof *m->index, "assignment", err));
    memset(m->number, 0, (size_t)numbers * sizeof *m->number);
    memset(m->index, 0, (size_t)indices * sizeof *m->index);
    p.u = m->number;
    p.v = p.u + p.n + 1;
    p.least = p.v + p.m + 1;
    p.row = m->index;
    p.before = p.row + p.m + 1;
    p.in = p.before + p.m + 1;
    for (int32_t i = 1; i <= p.n; i++)
        add_row(&p, i);
    int32_t at = 0;
    if (p.turned) { /* columns are the first side, in order already */
        for (int32_t j = 1; j <= p.m; j++)
            if (p.row[j] != 0) {
                pairs[2 * at] = j - 1;
                pairs[2 * at++ + 1] = p.row[j] - 1;
            }
    } else {
        for (int32_t j = 1; j <= p.m; j++)
            if (p.row[j] != 0)
                pairs[2 * (p.row[j] - 1)] = p.row[j] - 1, pairs[2 * (p.row[j] - 1) + 1] = j - 1;
    }
    return IG_ERR_OK;
}
