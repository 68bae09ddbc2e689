/* SPDX-License-Identifier: Apache-2.0
 *
 * Fine-tuning in the laboratory: the tasks of an experiment, each with its seeds, from the trained
 * model of a run. What is there is not done again.
 *
 *   RUN/tasks/<key>/seed-<seed>.json   scores.json of one fine-tuning (docs/finetuning.md)
 *      /tasks/<key>/step-<step>/…      of a checkpoint
 *      /tasks.json                     {NAME: {"key": …, "seeds": {"<seed>": its scores, …},
 *                                      "source": first language}}, of a grid {NAME: {"grid":
 *                                      {WAY: {"key": …, "seeds": …}}, "source": …}}; no detail;
 *                                      "checkpoints": {"<step>": as of the finished model}
 *
 * Fine-tuned models are not kept.
 */
#pragma once

#include "lab/work/lab_kind.h"

/* Makes the missing fine-tunings of a finished run whose manifest has others than the experiment
 * requests, and updates the manifest. DONE is removed, to be written again. If this stops or fails
 * before, the run is unchanged. */
ig_code ig_lab_tasks_run(const ig_lab_work *w, ig_err *err);
