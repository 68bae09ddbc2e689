/* SPDX-License-Identifier: Apache-2.0
 *
 * A table on standard output, as wide and as bold as what is there takes.
 */
#pragma once

#include "report/table/table.h"

/* Prints t and frees it. Off a terminal as wide as the table is, without escape sequences. */
ig_code ig_table_print(ig_table *t, ig_err *err);
/* A number of a table that is printed as it comes: a blank, then its columns; "-" for none. */
void ig_print_number(double x, int width, int digits);
