/* SPDX-License-Identifier: Apache-2.0
 *
 * What a result should carry along of the program and the machine that made it.
 */
#pragma once

#include <jansson.h>

/* Version, commit, compiler, CPU, the kernel chosen for each op, the libraries: `isoglot info
 * --json`. ig_ops_best() must have a table. NULL: no memory. */
json_t *ig_program_json(void);
