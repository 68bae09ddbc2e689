/* SPDX-License-Identifier: Apache-2.0
 *
 * Ctrl-C and SIGTERM: the first requests a stop, the second ends the program. SIGBUS: a mapped
 * file became unreadable.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Sets the message on stderr at the first one, if it is not that the training stops; with the line
 * ends around it; NULL: none. Called before _catch; not copied. */
void ig_signals_answer(const char *text);
/* From now on the first SIGINT or SIGTERM sets *result and says so on stderr; the next one kills.
 */
const volatile sig_atomic_t *ig_signals_catch(void);
/* Returns whether one has arrived since. */
bool ig_signals_asked(void);
/* As before _catch. */
void ig_signals_release(void);
/* From now on a disk that fails below a mapped file, or a file that was cut while it is read, ends
 * the process with a line on stderr and IG_ERR_IO. */
void ig_signals_failed_reads(void);
