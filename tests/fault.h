/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults on purpose: a disk that is full after n bytes (the process's limit on file sizes, so that
 * the write really fails in the kernel), a process killed in the middle, and what then lies in a
 * folder.
 */
#pragma once

#include "test.h"

#include "base/file.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* From now on no file grows beyond `bytes`: write(2) fails with EFBIG. −1: no limit again. */
static inline void fault_file_size(int64_t bytes)
{
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = bytes < 0 ? r.rlim_max : (rlim_t)bytes;
    signal(SIGXFSZ, bytes < 0 ? SIG_DFL : SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

/* Runs fn(arg) in a child that must not return but be killed, by itself, with SIGKILL. */
static inline void fault_killed(void (*fn)(void *arg), void *arg)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        fn(arg);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A new empty folder; removed with ig_dir_remove. */
static inline void fault_folder(char *path, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(path, size, "%s/isoglot-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
    assert_non_null(mkdtemp(path));
}

/* Number of entries in a folder. */
static inline int fault_count(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

/* The file holds exactly this text. */
static inline void fault_holds(const char *path, const char *text)
{
    char *got;
    int64_t size;
    ig_err err;
    assert_ok(ig_file_read(&got, &size, path, 1 << 20, &err), &err);
    assert_int_equal(size, strlen(text));
    assert_string_equal(got, text);
    free(got);
}
