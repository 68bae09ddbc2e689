/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that appears complete or not at all, compressed when its name says so (.zst, .gz, .xz).
 * The same text gives the same bytes.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct ig_sink ig_sink;

ig_code ig_sink_open(ig_sink **out, const char *path, ig_err *err);
ig_code ig_sink_write(ig_sink *s, const void *data, int64_t n, ig_err *err);
/* Renames the file to its final name if `code` is IG_ERR_OK, otherwise removes it; returns the
 * first error. Frees s, which may be NULL. */
ig_code ig_sink_close(ig_sink *s, ig_code code, ig_err *err);
