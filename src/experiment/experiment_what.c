/* SPDX-License-Identifier: Apache-2.0
 *
 * `what:` of an experiment file: measures by their names, of the whole experiment or of one text.
 */
#include "experiment/experiment_parts.h"

#include <stdio.h>

/* "alignment, retrieval, … or distinct". */
static void known_measures(char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < IG_MEASURE_N && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 k == 0                  ? ""
                                 : k == IG_MEASURE_N - 1 ? " or "
                                                         : ", ",
                                 ig_measure_names[k]);
}

ig_code ig_experiment_read_what(ig_measure_set *what, const ig_yaml *v, ig_err *err)
{
    int n = v->kind == IG_YAML_LIST ? v->n : 1;
    *what = 0;
    if (n == 0)
        return ig_yaml_fail(v, err, "what: found nothing, expected what to measure");
    for (int i = 0; i < n; i++) {
        const ig_yaml *e = v->kind == IG_YAML_LIST ? v->item[i] : v;
        const int k = ig_measure_find(e->text);
        if (k < 0) {
            char known[400];
            known_measures(known, sizeof known);
            ig_yaml_wrong(e, "what", known, err);
            return e->kind == IG_YAML_SCALAR
                       ? ig_hint_nearest(err, e->text, ig_measure_names, IG_MEASURE_N)
                       : IG_ERR_USAGE;
        }
        if (ig_measure_requested(*what, k))
            return ig_yaml_fail(e, err, "what: %s is there twice", ig_measure_names[k]);
        *what |= (ig_measure_set)1 << k;
    }
    return IG_ERR_OK;
}
