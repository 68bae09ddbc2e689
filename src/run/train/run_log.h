/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's log.jsonl: a line of JSON for each event. It is cut back to where it was
 * when the checkpoint was made, so a resumed run's log has every line once.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Zeroed: closed. */
typedef struct {
    FILE *file;
    char *path;
    int64_t *bytes; /* its length, kept in the state of the training */
} ig_run_log;

/* Opens DIR/log.jsonl at *bytes, which must outlive the log. A shorter file is IG_ERR_INPUT. */
ig_code ig_run_log_open(ig_run_log *log, const char *dir, int64_t *bytes, ig_err *err);
/* One line; *bytes grows by it. Frees j; NULL: there was no memory for it. */
ig_code ig_run_log_line(ig_run_log *log, json_t *j, ig_err *err);
/* All lines are on the disk. */
ig_code ig_run_log_sync(const ig_run_log *log, ig_err *err);
void ig_run_log_close(ig_run_log *log);
