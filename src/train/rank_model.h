/* SPDX-License-Identifier: Apache-2.0
 *
 * A training over ranks (base/ranks/ranks.h): what rank 0 does with its model, engine and
 * optimizer, and the others, which have no data, no files and no log, with theirs.
 */
#pragma once

#include "base/threads/team.h"
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
