/* SPDX-License-Identifier: Apache-2.0
 *
 * See states_options.h.
 */
#include "cli/model/states_options.h"

ig_code ig_states_config_resolve(ig_states_options *o, const ig_states_config *c, ig_err *err)
{
    *o = (ig_states_options){.model = c->model,
                             .lowercase = c->lowercase,
                             .n_thread = (int)c->threads,
                             .precision = (ig_precision)(c->precision % IG_N_PRECISION)};
    return c->model != NULL ? IG_ERR_OK
                            : ig_fail(err, IG_ERR_USAGE, "--model", 0,
                                      "not given, expected a run or a BERT's folder");
}
