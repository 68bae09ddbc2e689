/* SPDX-License-Identifier: Apache-2.0
 *
 * A training over ranks (base/ranks/ranks.h): what rank 0 does with its model, engine and
 * optimizer, and the others, which have no data, no files and no log, with theirs.
 */
#pragma once

#include "model/engine/engine.h"
#include "train/training_settings.h"

/* Rank 0, with an engine of the model whose training begins: the others make the same model, with
 * these weights. Nothing where this process is alone. */
ig_code ig_rank_model_call(ig_engine *e, ig_bert *model, const ig_training_settings *set,
                           ig_err *err);
/* Rank 0: they free it. */
void ig_rank_model_drop(void);

/* The others: serve until rank 0 leaves. */
ig_code ig_rank_serve(int n_thread, ig_err *err);

/* Starts n − 1 ranks on what is there, with so many threads each, and joins them: rank 0 of a
 * command that no launcher has started. The others run `isoglot ` IG_RANK_COMMAND, which calls
 * _started. */
#define IG_RANK_COMMAND "__rank"
ig_code ig_rank_start(int n, int n_thread, ig_err *err);
ig_code ig_rank_started(int n_thread, ig_err *err);
/* Threads of each of n ranks on this machine: `asked`, or their share of the processors. */
int ig_rank_threads(int n, int asked);
/* The names of this CPU's kernels, in float32 and bfloat16. */
void ig_rank_kernels(char *out, size_t size);
