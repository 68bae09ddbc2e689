/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that ask a long command to save and stop; see signals.h. The handler calls only what
 * POSIX calls async-signal-safe.
 */
#include "cli/signals.h"

#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked;
static struct sigaction before[2];
static const int caught[2] = {SIGINT, SIGTERM};
static const char *answer = "\nstopping after this update; once more stops at once\n";

static void ask(int signal_number)
{
    if (asked != 0) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* takes effect when this handler returns */
        return;
    }
    asked = 1;
    if (write(STDERR_FILENO, answer, strlen(answer)) < 0)
        return; /* nobody reads; the request stands */
}

void ig_signals_answer(const char *text)
{
    answer = text;
}

const volatile sig_atomic_t *ig_signals_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    asked = 0;
    for (int i = 0; i < 2; i++)
        sigaction(caught[i], &action, &before[i]);
    return &asked;
}

void ig_signals_release(void)
{
    for (int i = 0; i < 2; i++)
        sigaction(caught[i], &before[i], NULL);
}
