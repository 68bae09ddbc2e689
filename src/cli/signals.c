/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that stop a long command after saving; see signals.h. The handler calls only what
 * POSIX calls async-signal-safe.
 */
#include "cli/signals.h"

#include "base/threads/stop.h"
#include "isoglot/error.h"

#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t requested;
static struct sigaction before[2];
static const int caught[2] = {SIGINT, SIGTERM};
static const char *answer = "\nstopping after this update; once more stops at once\n";

static void handle(int signal_number)
{
    if (requested != 0) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* takes effect when this handler returns */
        return;
    }
    requested = 1;
    if (answer != NULL && write(STDERR_FILENO, answer, strlen(answer)) < 0)
        return; /* nobody reads; the request stands */
}

/* A page of a mapped file that cannot be had is BUS_ADRERR; any other SIGBUS is a mistake of the
 * program and dies as such. */
static void cannot_read(int signal_number, siginfo_t *info, void *context)
{
    static const char line[] = "isoglot: error: cannot read a mapped file: the disk failed, or the "
                               "file was cut while it was read\n";
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        _exit(IG_ERR_IO); /* nobody reads */
    _exit(IG_ERR_IO);
}

void ig_signals_failed_reads(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = cannot_read;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

void ig_signals_answer(const char *text)
{
    answer = text;
}

const volatile sig_atomic_t *ig_signals_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    /* Without SA_RESTART: a blocked write to a pipe must not be resumed. */
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    requested = 0;
    for (int i = 0; i < 2; i++)
        sigaction(caught[i], &action, &before[i]);
    ig_stop_watch(&requested);
    return &requested;
}

bool ig_signals_asked(void)
{
    return requested != 0;
}

void ig_signals_release(void)
{
    ig_stop_watch(NULL);
    for (int i = 0; i < 2; i++)
        sigaction(caught[i], &before[i], NULL);
}
