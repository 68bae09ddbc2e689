/* SPDX-License-Identifier: Apache-2.0
 *
 * A task as files that ig_task_read reads as the same task.
 */
#pragma once

#include "task/task.h"

/* Writes LANGUAGE.SPLIT.tsv, .conll or .conllu of every set and TASK.yaml into a new folder. Every
 * file appears complete or not at all. Spans as IOB2 (before ig_task_use_bioul). Tabs and line ends
 * in texts become spaces. IG_ERR_USAGE: a language whose name cannot be a file name. */
ig_code ig_task_write(const ig_task *t, const char *dir, ig_err *err);
