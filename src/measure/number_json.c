/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the measures' JSON (measure/measure.h) that several measures have.
 */
#include "measure/measure.h"

#include <math.h>

json_t *ig_measure_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *way(const ig_retrieval_way *w)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "p@1", ig_measure_number(w->p[0]), "p@5",
                     ig_measure_number(w->p[1]), "p@10", ig_measure_number(w->p[2]), "n_queries",
                     (json_int_t)w->n_query, "n_candidates", (json_int_t)w->n_candidate, "ties",
                     (json_int_t)w->n_tie);
}

json_t *ig_retrieval_json(const ig_retrieval_score *s)
{
    return json_pack("{s:o, s:o}", "forward", way(&s->way[0]), "backward", way(&s->way[1]));
}
