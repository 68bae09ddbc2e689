/* SPDX-License-Identifier: Apache-2.0
 *
 * Fine-tuning in the laboratory: the tasks of an experiment, each with its seeds, from the trained
 * model of a run. What is there is not done again.
 *
 *   RUN/tasks/<key>/seed-<seed>.json   scores.json of one fine-tuning (docs/finetuning.md)
 *      /tasks.json                     {NAME: {"key": …, "seeds": {"<seed>": its scores, …},
 *                                      "source": first language}}, of a grid {NAME: {"grid":
 *                                      {WAY: {"key": …, "seeds": …}}, "source": …}}; no detail
 *
 * Fine-tuned models are not kept.
 */
#pragma once

#include "lab/work/lab_kind.h"

/* Of a finished run whose manifest tells of other fine-tunings than the experiment asks for: does
 * those that are missing and tells the manifest. DONE is gone then, and to be written anew. Where
 * it stops or fails before, the run is as it was. */
ig_code ig_lab_tasks_run(const ig_lab_work *w, ig_err *err);
