/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements replicas: a thread for each run, a queue of kernels for each thread.
 */
#include "run/train/run_replicas.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "model/device/cuda/device_cuda.h"
#include "model/device/cuda/queue.h"

#include <pthread.h>
#include <stdio.h>

typedef struct {
    ig_run_config config; /* the others' but for its folder and seed */
    char out[IG_PATH];
    const volatile sig_atomic_t *stop;
    ig_run_result *result;
    pthread_t thread;
    bool started;
    ig_code code;
    ig_err err;
} replica;

static void *train(void *arg)
{
    replica *a = arg;
    IG_PLAIN_NUMBERS;
    a->code = ig_cuda_join(&a->err);
    IG_THEN(a->code, ig_run_train(&a->config, a->stop, a->result, &a->err));
    ig_cuda_leave();
    return NULL;
}

static ig_code prepare(replica *a, const ig_run_config *c, int64_t i, ig_err *err)
{
    char seed[32];
    a->config = *c;
    a->config.optimisation.seed = c->optimisation.seed + i;
    a->config.threads = 1; /* the host has little to do */
    snprintf(seed, sizeof seed, "%lld", (long long)a->config.optimisation.seed);
    IG_TRY(ig_folder_path(a->out, c->out, err, "%s", seed));
    a->config.out = a->out;
    return IG_ERR_OK;
}

ig_code ig_run_replicas(const ig_run_config *c, const volatile sig_atomic_t *stop, ig_run_result *r,
                        ig_err *err)
{
    IG_OWNED replica *a = NULL;
    int card = -1;
    for (int64_t i = 0; i < c->replicas; i++)
        r[i] = (ig_run_result){.resumed_from = -1};
    if (c->device != NULL)
        IG_TRY(ig_device_card(&card, c->device, err));
    if (card < 0)
        return ig_fail(err, IG_ERR_USAGE, "replicas", 0,
                       "train together on a GPU alone: found the device cpu, expected cuda");
    IG_TRY(ig_device_choose(c->device, err));
    IG_TRY(ig_dir_make(c->out, err));
    IG_TRY(ig_alloc(&a, c->replicas, sizeof *a, "replicas", err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < c->replicas && code == IG_ERR_OK; i++) {
        a[i].stop = stop;
        a[i].result = &r[i];
        code = prepare(&a[i], c, i, err);
        if (code == IG_ERR_OK)
            a[i].started = pthread_create(&a[i].thread, NULL, train, &a[i]) == 0;
        if (code == IG_ERR_OK && !a[i].started)
            code = ig_fail(err, IG_ERR_MEMORY, "replicas", 0, "no thread for one of them");
    }
    for (int64_t i = 0; i < c->replicas; i++)
        if (a[i].started)
            pthread_join(a[i].thread, NULL);
    for (int64_t i = 0; i < c->replicas && code == IG_ERR_OK; i++) {
        code = a[i].code;
        if (code != IG_ERR_OK && err != NULL)
            *err = a[i].err;
    }
    return code;
}
