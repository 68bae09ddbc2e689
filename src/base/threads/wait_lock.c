/* SPDX-License-Identifier: Apache-2.0
 *
 * flock(2) with a short sleep between attempts, so that a request to stop is noticed.
 */
#include "base/threads/wait_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

ig_code ig_wait_lock(int *fd, const char *path, const volatile sig_atomic_t *stop,
                     const char *doing, ig_err *err)
{
    const struct timespec pause = {0, 20 * 1000 * 1000};
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (*fd < 0)
        return ig_fail(err, IG_ERR_IO, path, 0, "cannot create: %s", strerror(errno));
    while (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        ig_code code = IG_ERR_OK;
        if (errno != EWOULDBLOCK && errno != EINTR)
            code = ig_fail(err, IG_ERR_IO, path, 0, "cannot lock: %s", strerror(errno));
        else if (stop != NULL && *stop != 0)
            code = ig_fail(err, IG_ERR_STOPPED, path, 0, "stopped while another process %s", doing);
        if (code != IG_ERR_OK) {
            close(*fd);
            *fd = -1;
            return code;
        }
        nanosleep(&pause, NULL);
    }
    return IG_ERR_OK;
}
