/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks and watches processes. PR_SET_PDEATHSIG ends a child with its parent (Linux); elsewhere it
 * notices at its next update that it has another parent.
 */
#define _GNU_SOURCE 1
#include "lab/work/lab_process.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static volatile sig_atomic_t stop_requested;

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

static void set_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = request_stop;
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, NULL);
}

/* A file without a name for what a child says. */
static int nameless_file(void)
{
    FILE *f = tmpfile();
    if (f == NULL)
        return -1;
    int fd = dup(fileno(f));
    fclose(f);
    return fd;
}

static void child_main(const ig_lab_process *p, pid_t parent, ig_lab_child_fn *fn, void *arg)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
    set_signals();
    if (p->said >= 0) {
        dup2(p->said, STDOUT_FILENO);
        dup2(p->said, STDERR_FILENO);
    }
    ig_log_set_level(IG_LOG_QUIET);
    ig_log_set_progress(0);
    ig_code code = fn(arg, p->slot, &stop_requested, &p->slot->err);
    p->slot->err.code = code;
    p->slot->ended = true;
    _exit(0);
}

ig_code ig_lab_process_start(ig_lab_process *p, int n, ig_lab_child_fn *fn, void *arg, ig_err *err)
{
    *p = (ig_lab_process){.n = n, .said = -1};
    void *shared = mmap(NULL, (size_t)n * sizeof *p->slot, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return ig_fail(err, IG_ERR_MEMORY, "", 0, "cannot share memory with a run: %s",
                       strerror(errno));
    p->slot = shared;
    p->said = nameless_file();
    p->start = ig_clock();
    fflush(NULL);
    pid_t parent = getpid();
    sigset_t all, before;
    /* Until the child has its own handlers, a signal must not find the parent's in it. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    stop_requested = 0;
    p->pid = fork();
    if (p->pid == 0) {
        set_signals();
        sigprocmask(SIG_SETMASK, &before, NULL);
        child_main(p, parent, fn, arg);
    }
    int why = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (p->pid < 0) {
        p->pid = 0;
        ig_lab_process_close(p);
        return ig_fail(err, IG_ERR_IO, "", 0, "cannot start a process: %s", strerror(why));
    }
    return IG_ERR_OK;
}

/* The last line that a crashed child wrote, if any. */
static void last_words(int fd, char *out, size_t room)
{
    char text[512];
    out[0] = '\0';
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    if (size <= 0)
        return;
    off_t from = size > (off_t)sizeof text - 1 ? size - (off_t)(sizeof text - 1) : 0;
    ssize_t n = pread(fd, text, sizeof text - 1, from);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    if (n <= 0)
        return;
    text[n] = '\0';
    const char *line = strrchr(text, '\n');
    snprintf(out, room, ": %.200s", line != NULL ? line + 1 : text);
}

bool ig_lab_process_ended(ig_lab_process *p, bool wait, int *killed)
{
    int status;
    *killed = 0;
    if (p->pid == 0)
        return true;
    pid_t got;
    do
        got = waitpid(p->pid, &status, wait ? 0 : WNOHANG);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return false;
    p->pid = 0;
    char words[256];
    last_words(p->said, words, sizeof words);
    *killed = got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    for (int i = 0; i < p->n; i++) {
        ig_err *why = &p->slot[i].err;
        if (p->slot[i].ended)
            continue;
        if (*killed != 0)
            ig_fail(why, IG_ERR_IO, "", 0, "the process was ended by signal %d (%s)%s%s", *killed,
                    strsignal(*killed),
                    *killed == SIGKILL ? ", by somebody or for want of memory" : "", words);
        else
            ig_fail(why, IG_ERR_IO, "", 0, "the process ended without a result%s", words);
    }
    return true;
}

void ig_lab_process_signal(const ig_lab_process *p, int signal_number)
{
    if (p->pid > 0)
        kill(p->pid, signal_number);
}

void ig_lab_process_close(ig_lab_process *p)
{
    if (p->pid > 0) {
        int killed;
        kill(p->pid, SIGKILL);
        ig_lab_process_ended(p, true, &killed);
    }
    if (p->said >= 0 && p->slot != NULL)
        close(p->said);
    if (p->slot != NULL)
        munmap(p->slot, (size_t)p->n * sizeof *p->slot);
    *p = (ig_lab_process){.said = -1};
}
