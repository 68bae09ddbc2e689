/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures of one model as a table for people.
 */
#ifndef IG_CLI_MEASURE_TABLE_H
#define IG_CLI_MEASURE_TABLE_H

#include "measure/measure.h"

#include <stdio.h>

void ig_measure_table(FILE *fp, const ig_measure_result *r);

#endif
