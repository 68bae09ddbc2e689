/* SPDX-License-Identifier: Apache-2.0
 *
 * A command that a launcher of MPI has started as several processes: rank 0 runs it, the others
 * serve it and end with it.
 */
#pragma once

#include "base/settings/options.h"

/* Joins the other ranks, where there are some, or starts them where `wanted` is above 1 and no
 * launcher has started this process; all must have the same settings but threads.
 * *served: this is another rank, which has served, and the command is over. *threads is this
 * process's share of the processors where it is 0. */
ig_code ig_ranked(bool *served, const ig_option_table *t, const void *config, int64_t *threads,
                  int64_t wanted, ig_err *err);
/* The command of a rank that another has started (IG_RANK_COMMAND). */
ig_code ig_ranked_started(const char *threads, ig_err *err);
/* At the end of the program: all leave, with the exit code. */
void ig_ranked_end(ig_code code);
/* Returns whether rank 0 says what went wrong in place of this process; one that fails before it
 * meets the others waits until rank 0 has, and says it itself where rank 0 did not fail. */
bool ig_ranked_silent(const ig_command *c);
