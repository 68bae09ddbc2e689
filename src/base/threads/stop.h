/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to stop long work, which checks for one at least once for a second of work.
 */
#pragma once

#include "isoglot/error.h"

#include <signal.h>
#include <stdbool.h>

/* `asked` is called from any thread, and stays true after the first time. */
typedef struct {
    bool (*asked)(const void *arg);
    const void *arg;
} ig_stop;

/* s NULL, or without `asked`: never. */
bool ig_stop_requested(const ig_stop *s);
/* Sets the variable by which a signal requests the whole process to stop (NULL: none), so that a
 * read of input that is interrupted by the signal is not repeated. */
void ig_stop_watch(const volatile sig_atomic_t *asked);
bool ig_stop_signalled(void);
/* Fails with IG_ERR_STOPPED, "stopped before the end of <what>", after a request. */
ig_code ig_stop_check(const ig_stop *s, const char *what, ig_err *err);
