/* SPDX-License-Identifier: Apache-2.0
 *
 * The program and the machine that made a result, as recorded with it.
 */
#pragma once

#include "model/engine/engine.h"

#include <jansson.h>

/* Version, commit, compiler, CPU, the kernel chosen for each op where products have this precision,
 * the libraries: `isoglot info --json`. ig_engine_ops() must have a table for it. NULL: no
 * memory. */
json_t *ig_program_json(ig_precision precision);
