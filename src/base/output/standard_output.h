/* SPDX-License-Identifier: Apache-2.0
 *
 * "-" as the name of a file to write: all of it goes to standard output when it is complete. What
 * else the program prints there goes to standard error from then on, so that the two do not mix.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdio.h>

/* A temporary file without a name, at any place of which one may write. */
ig_code ig_standard_output_open(FILE **fp, ig_err *err);
/* Closes it, with `keep` after copying it to standard output. */
ig_code ig_standard_output_close(FILE *fp, bool keep, ig_err *err);
