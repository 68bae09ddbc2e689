/* SPDX-License-Identifier: Apache-2.0
 *
 * The task of a run's languages, for which an experiment fine-tunes its models.
 */
#pragma once

#include "corpus/world/world_task.h"
#include "run/run_config.h"

/* Writes a task into a folder, with the names of the run's languages: it trains on the first and
 * has development and test data of all. Each language's data go through its transforms of words, as
 * its text did; steps that count words count those of the run's training text. With a TASK.yaml,
 * whose files may lie below `root` (ig_task_read), the data are those that it has of a language,
 * else, for one that is made of the run's own text, those of the first language; one with a text of
 * its own and no data is left out. Without (NULL) the task is one of the generated world that the
 * run is trained on; IG_ERR_USAGE where the run has a text. Transforms of pieces (shift, …) are the
 * model's own and are done to each sequence (apply/model_languages.h). */
ig_code ig_run_task_write(const ig_run_config *c, const char *task, const char *root,
                          const ig_world_task_options *world, const char *dir, ig_err *err);
