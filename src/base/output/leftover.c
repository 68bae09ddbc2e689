/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes temporary files of dead processes. Nothing here is an error: a file that cannot be
 * removed stays for the next attempt.
 */
#include "base/output/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = ".tmp-";

void ig_leftover_hold(int fd)
{
    (void)flock(fd, LOCK_EX | LOCK_NB);
}

/* Returns the process of NAME.tmp-PID or NAME.tmp-PID-N; 0: another name. */
static long process_of(const char *name)
{
    const char *at = NULL;
    for (const char *p = strstr(name, mark); p != NULL; p = strstr(p + 1, mark))
        at = p + sizeof mark - 1;
    if (at == NULL || *at < '1' || *at > '9')
        return 0;
    char *end;
    errno = 0;
    const long pid = strtol(at, &end, 10);
    if (*end == '-' && end[1] >= '1' && end[1] <= '9')
        end += 1 + strspn(end + 1, "0123456789");
    return *end == '\0' && errno == 0 && pid <= INT_MAX ? pid : 0;
}

/* A process that was killed and not yet waited for (a zombie) is not alive. */
static bool is_alive(long pid)
{
    char path[64], text[512];
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')'); /* "PID (NAME) STATE …" */
    return name_end == NULL || name_end[1] != ' ' || strchr("ZX", name_end[2]) == NULL;
}

/* Removes a regular file that no process has locked. */
static bool remove_dead(int dir, const char *name)
{
    struct stat st;
    const int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool dead = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                      flock(fd, LOCK_EX | LOCK_NB) == 0;
    const bool gone = dead && unlinkat(dir, name, 0) == 0;
    close(fd);
    return gone;
}

/* base NULL: of all files. */
static int64_t remove_in(const char *dir, const char *base)
{
    int64_t n = 0;
    const size_t length = base != NULL ? strlen(base) : 0;
    DIR *d = opendir(dir);
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (base != NULL && (strncmp(e->d_name, base, length) != 0 ||
                             strncmp(e->d_name + length, mark, sizeof mark - 1) != 0 ||
                             strstr(e->d_name + length + 1, mark) != NULL))
            continue;
        const long pid = process_of(e->d_name);
        n += pid > 0 && !is_alive(pid) && remove_dead(dirfd(d), e->d_name);
    }
    if (d != NULL)
        closedir(d);
    return n;
}

int64_t ig_leftovers_in(const char *dir)
{
    return remove_in(dir, NULL);
}

int64_t ig_leftovers_of(const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t n = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof dir)
        return 0;
    memcpy(dir, path, n);
    dir[n] = '\0';
    return remove_in(n > 0 ? dir : ".", slash != NULL ? slash + 1 : path);
}
