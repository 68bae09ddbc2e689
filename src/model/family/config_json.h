/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of config.json by key; errors name the key.
 */
#pragma once

#include "model/family/family.h"

/* "rope_scaling", "rope_theta" and what transformers 5 has in their place, "rope_parameters";
 * `usual`: the base where the file has none, and that of local layers. After the sizes. */
ig_code ig_json_rope(ig_bert_config *c, const json_t *j, const double usual[2], const char *where,
                     ig_err *err);
/* "layer_types" into c->local; without it every n-th layer is global, beginning with the first-th
 * (from 0), n 0: all. */
ig_code ig_json_layer_types(ig_bert_config *c, const json_t *j, int n, int first, const char *where,
                            ig_err *err);

ig_code ig_json_int(const json_t *j, const char *key, int32_t usual, int32_t *out,
                    const char *where, ig_err *err);
ig_code ig_json_need_int(const json_t *j, const char *key, int32_t *out, const char *where,
                         ig_err *err);
ig_code ig_json_float(const json_t *j, const char *key, float usual, float *out, const char *where,
                      ig_err *err);
ig_code ig_json_string(const json_t *j, const char *key, const char **out, const char *where,
                       ig_err *err);
/* Returns whether the key is true, with a default. */
bool ig_json_flag(const json_t *j, const char *key, bool usual);
