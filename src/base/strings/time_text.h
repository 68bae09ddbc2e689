/* SPDX-License-Identifier: Apache-2.0
 *
 * Durations as text.
 */
#pragma once

#include "isoglot/error.h"

enum { IG_TIME_TEXT = 48 };

/* Parses "90", "90s", "1.5h", "1h30m", "2d": seconds; units d, h, m (or min), s, each once, from
 * large to small. NULL: 0. Otherwise IG_ERR_USAGE at `where`. */
ig_code ig_time_parse(double *seconds, const char *text, const char *where, ig_err *err);
/* Prints "0.4 s", "12 s", "3 min 05 s", "2 h 09 min", "3 d 4 h"; "?" if it is not a number. */
const char *ig_time_text(char out[IG_TIME_TEXT], double seconds);
