/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a head in config.json, under "isoglot", "model", "head": the fields of an
 * ig_head_config that are not 0, under their names.
 */
#pragma once

#include "isoglot/bert.h"

#include <jansson.h>

/* The shortest decimal that is this float, so that .1 is written as 0.1. */
json_t *ig_json_real(float x);

/* An object; NULL where everything is 0, or without memory (then *bad is set). */
json_t *ig_head_settings_write(const ig_head_config *h, bool *bad);
/* Reads such an object, or NULL; n_label is left as it is. A key that is unknown or has a value of
 * another kind is an error (input); ranges are checked with the configuration. */
ig_code ig_head_settings_read(ig_head_config *h, const json_t *j, const char *where, ig_err *err);
