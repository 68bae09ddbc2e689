/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether long work shall stop: it asks at places of its own, a second of work apart at most.
 */
#pragma once

#include "isoglot/error.h"

#include <signal.h>
#include <stdbool.h>

/* `asked` is called from any thread, and once true stays so. */
typedef struct {
    bool (*asked)(const void *arg);
    const void *arg;
} ig_stop;

/* s NULL, or without `asked`: never. */
bool ig_stop_asked(const ig_stop *s);
/* What a signal sets to ask the whole process to stop (NULL: nothing does), so that who is waiting
 * for input when the signal comes need not wait for it any longer. */
void ig_stop_watch(const volatile sig_atomic_t *asked);
bool ig_stop_signalled(void);
/* IG_ERR_STOPPED, "stopped before the end of <what>", where it was asked. */
ig_code ig_stop_check(const ig_stop *s, const char *what, ig_err *err);
