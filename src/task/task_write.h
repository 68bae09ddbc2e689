/* SPDX-License-Identifier: Apache-2.0
 *
 * A task as files that ig_task_read reads as the same task.
 */
#pragma once

#include "task/task.h"

/* Writes LANGUAGE.SPLIT.tsv, .conll or .conllu of every set and TASK.yaml into a folder, which is
 * made. Every file appears complete or not at all. Spans as IOB2 (before ig_task_use_bioul). Tabs
 * and ends of lines in texts become spaces. IG_ERR_USAGE: a language whose name cannot be a file's.
 */
ig_code ig_task_write(const ig_task *t, const char *dir, ig_err *err);
