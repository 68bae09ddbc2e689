/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that no instance of a run has, because its sentences are longer than a sequence.
 */
#pragma once

#include "run/data/language_data.h"

/* Logs, for each text, how many tokens training does not see, and how many evaluation does not. */
void ig_lost_tokens_warn(const ig_language_data *d, const ig_run_objective *o, bool evaluated);
