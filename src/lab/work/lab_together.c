/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs that train together on a GPU: a thread for each, which does all that a process does for a
 * run that is alone.
 */
#include "base/memory.h"
#include "base/number_text.h"
#include "lab/work/lab_kind.h"
#include "model/device/cuda/device_cuda.h"
#include "model/device/cuda/queue.h"

#include <pthread.h>

typedef struct {
    ig_lab_job *job;
    ig_lab_slot *slot;
    const volatile sig_atomic_t *stop;
    pthread_t thread;
    bool joins, started;
} member;

static void *work(void *arg)
{
    const member *m = arg;
    ig_lab_slot *s = m->slot;
    IG_PLAIN_NUMBERS;
    ig_code code = m->joins ? ig_cuda_join(&s->err) : IG_ERR_OK;
    IG_THEN(code, ig_lab_child(m->job, s, m->stop, &s->err));
    ig_cuda_leave();
    s->err.code = code;
    s->ended = true;
    return NULL;
}

ig_code ig_lab_children(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                        ig_err *err)
{
    const ig_lab_group *g = arg;
    IG_OWNED member *m = NULL;
    if (g->n == 1)
        return ig_lab_child(g->job, slot, stop, err);
    IG_TRY(ig_alloc(&m, g->n, sizeof *m, "runs", err));
    /* Where there is no such card each run says so. */
    const bool joins = ig_device_choose(g->job[0].device, NULL) == IG_ERR_OK;
    for (int i = 0; i < g->n; i++) {
        m[i] = (member){&g->job[i], &slot[i], stop, .joins = joins};
        g->job[i].together = g->n;
        m[i].started = joins && pthread_create(&m[i].thread, NULL, work, &m[i]) == 0;
    }
    for (int i = 0; i < g->n; i++)
        if (m[i].started)
            pthread_join(m[i].thread, NULL);
        else
            work(&m[i]);
    return slot->err.code;
}
