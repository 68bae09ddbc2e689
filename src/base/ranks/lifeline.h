/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection from rank 0 to each other rank, on which nothing is sent while all goes well: it
 * ends when a process ends, so that the others learn of it within seconds, wherever they wait, and
 * say so in one line. TCP with keep-alive, since a machine that is lost sends no word.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>

enum { IG_LIFELINE_ADDRESS = 512 };

/* Rank 0: opens the door; *address is for the others. "" where there is none to open. */
void ig_lifeline_listen(char address[IG_LIFELINE_ADDRESS]);
/* Rank 0: takes the others' connections; `names` [n] of ranks, for messages, are borrowed. The
 * others: connect. A rank that cannot be reached is not watched. */
void ig_lifeline_accept(int n, char *const *names);
void ig_lifeline_connect(const char *address, int self, const char *name_of_0);
/* From now on the loss of a rank ends this process by SIGKILL in place of an exit code, for those
 * who watch it (lab/work/lab_process.h). */
void ig_lifeline_killed(void);
/* From now on an end is no loss. */
void ig_lifeline_leaving(void);
/* Rank 0: ends the others at once, with this exit code. */
void ig_lifeline_end_others(int code);
/* Another rank: rank 0 reports the error and all end. False: there is no connection. */
bool ig_lifeline_report(const ig_err *err);
