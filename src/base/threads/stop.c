/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to stop: by a caller's function, or by a signal for the whole process.
 */
#include "base/threads/stop.h"

#include <stddef.h>

bool ig_stop_requested(const ig_stop *s)
{
    return s != NULL && s->asked != NULL && s->asked(s->arg);
}

ig_code ig_stop_check(const ig_stop *s, const char *what, ig_err *err)
{
    return ig_stop_requested(s)
               ? ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped before the end of %s", what)
               : IG_ERR_OK;
}

static const volatile sig_atomic_t *watched;

void ig_stop_watch(const volatile sig_atomic_t *asked)
{
    watched = asked;
}

bool ig_stop_signalled(void)
{
    return watched != NULL && *watched != 0;
}
