/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock for work that several processes may start at the same time and only one should do.
 */
#pragma once

#include "isoglot/error.h"

#include <signal.h>

/* Waits for the lock of the file at `path`, which is made if it does not exist; closing *fd
 * releases it. If *stop becomes non-zero meanwhile (may be NULL): IG_ERR_STOPPED, "stopped while
 * another process <doing>". */
ig_code ig_wait_lock(int *fd, const char *path, const volatile sig_atomic_t *stop,
                     const char *doing, ig_err *err);
