/* SPDX-License-Identifier: Apache-2.0
 *
 * "-" as the name of an output file: the whole file goes to standard output when it is complete.
 * The program's other output goes to standard error from then on, so that the two do not mix.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Opens a temporary file without a name, in any writable folder. */
ig_code ig_standard_output_open(FILE **fp, ig_err *err);
/* Closes it, with `keep` after copying it to standard output. */
ig_code ig_standard_output_close(FILE *fp, bool keep, ig_err *err);
