/* SPDX-License-Identifier: Apache-2.0
 *
 * Output of the program beside its result: messages and a progress line, on stderr. Only the cli/
 * folder and this file print; the progress line appears only if stderr is a terminal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum { IG_LOG_QUIET = 0, IG_LOG_NORMAL = 1, IG_LOG_VERBOSE = 2 } ig_log_level;

void ig_log_set_level(ig_log_level level);
/* -1: if stderr is a terminal (default); 0: never; 1: always. */
void ig_log_set_progress(int on);
/* Prints a line on stderr (a newline is added) if the level is at least `level`. Erases and redraws
 * the progress line. */
void ig_log(ig_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints "warning: …" if the level is normal or more; each text only once, as inputs are opened
 * more than once. */
void ig_warn_once(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* One progress line at a time, drawn at most ten times a second: what, bar, done/total (total 0:
 * unknown, no bar), done per second, time left, note. A first call with done > 1 is the start of
 * resumed work: what was done before counts neither for the rate nor for the time left. */
void ig_progress_begin(const char *what, int64_t total);
/* Reports done of total; `note` (may be NULL) is shown unchanged ("loss 3.21  41 200 tok/s"). */
void ig_progress(int64_t done, const char *note);
void ig_progress_end(void);

/* Shows several lines, drawn below all messages and rewritten in place, where one bar is not
 * enough. Shown only where a progress line would be; each line is truncated to the terminal's
 * width. NULL erases them. Not together with ig_progress. */
void ig_board(const char *lines);
/* Returns whether progress is shown at all. */
bool ig_progress_shown(void);

/* Returns the seconds of a monotonic clock. */
double ig_clock(void);
