/* SPDX-License-Identifier: Apache-2.0
 *
 * See stop.h.
 */
#include "base/threads/stop.h"

#include <stddef.h>

bool ig_stop_asked(const ig_stop *s)
{
    return s != NULL && s->asked != NULL && s->asked(s->arg);
}

ig_code ig_stop_check(const ig_stop *s, const char *what, ig_err *err)
{
    return ig_stop_asked(s)
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
