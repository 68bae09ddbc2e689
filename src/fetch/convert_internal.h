/* SPDX-License-Identifier: Apache-2.0
 *
 * The converters of verses, of one file each; see convert.h.
 */
#ifndef IG_FETCH_CONVERT_INTERNAL_H
#define IG_FETCH_CONVERT_INTERNAL_H

#include "isoglot/error.h"

#include <stdint.h>

ig_code ig_convert_vpl(const char *in, const char *out, int64_t *n_line, ig_err *err);
ig_code ig_convert_vref(const char *reference, const char *in, const char *out, int64_t *n_line,
                        ig_err *err);

#endif
