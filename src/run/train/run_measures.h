/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures of a run: DIR/measures.jsonl, from the first checkpoint to the finished model. Each
 * checkpoint that was measured has a line {"isoglot_measures": 3, "step", "last", …}, which says
 * how it was measured, and after it a line for each row (store/row.h). The file is cut back to the
 * checkpoint that a stopped run resumes from, so a resumed run has every line once; nothing in it
 * depends on the clock: the same run gives the same bytes. Runs of before have measures.json
 * (store/old_measures.h), which is read, and converted when they are measured again.
 */
#pragma once

#include "run/train/run_train.h"

/* Truncates the file to the lines of at most `step` updates (−1: none), and removes a partial line
 * left by a killed process. */
ig_code ig_run_measures_cut(const char *dir, int64_t step, ig_err *err);
/* The measures of a checkpoint. */
typedef struct {
    int64_t step;
    const ig_row_set *rows; /* borrowed; their step and last are this checkpoint's */
    json_t *about;          /* of its line; freed by the call; NULL: nothing more */
} ig_run_measured;
/* Adds a checkpoint. */
ig_code ig_run_measures_add(const char *dir, const ig_run_measured *m, ig_err *err);
/* Adds the finished model, in place of one that was there. by_batch: as of _read. */
ig_code ig_run_measures_finish(const char *dir, const ig_run_measured *m, bool by_batch,
                               ig_err *err);
/* Finds whether a checkpoint of that step is there. */
ig_code ig_run_measures_has(bool *has, const char *dir, int64_t step, ig_err *err);
/* Finds whether the last line of such a log is {"step": step, "eval": …}; it has `bytes` at most.
 */
ig_code ig_run_measures_logged(bool *has, const char *log, int64_t bytes, int64_t step,
                               ig_err *err);

typedef struct {
    int64_t step;
    bool last;
} ig_run_checkpoint;
/* Freed with ig_run_measures_free. */
typedef struct {
    ig_row_set rows;
    ig_run_checkpoint *at; /* [n] ascending */
    int64_t n, capacity;
} ig_run_measures;
/* All of DIR/measures.jsonl, of a run that is not DONE but a line that is still being written;
 * where there is none, of measures.json. Neither is IG_ERR_IO. by_batch: in a file of version 0.2
 * the run's own perplexity is the mean over batches. */
ig_code ig_run_measures_read(ig_run_measures *m, const char *dir, bool by_batch, ig_err *err);
void ig_run_measures_free(ig_run_measures *m);
/* The name of the file that a run has, or else would have. */
const char *ig_run_measures_name(const char *dir);
