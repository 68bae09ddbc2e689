/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the device of a GPU: memory and ops by the queue, the module by dlopen (POSIX).
 */
#include "model/device/cuda/device_cuda.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/ranks/ranks.h"
#include "model/device/cuda/exec_cuda.h"
#include "model/device/cuda/queue.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ig_code alloc(void *out, int64_t count, size_t size, const char *what, ig_err *err)
{
    void *p = NULL;
    int64_t bytes;
    if (!__builtin_mul_overflow(count, (int64_t)size, &bytes))
        p = ig_cuda_alloc(bytes < IG_ALIGN ? IG_ALIGN : bytes);
    memcpy(out, &p, sizeof p);
    if (p != NULL)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_MEMORY, what, 0, "no memory for %lld × %zu bytes on %s",
                   (long long)count, size, ig_cuda_in_use()->name);
}

/* A whole batch is a shard, as far as memory goes; as many rows of logits at a time as are 256
 * MB. */
static ig_plan plan(const ig_bert_config *c)
{
    const int rows = (64 << 20) / (c->vocab_size > 0 ? c->vocab_size : 1);
    return (ig_plan){.split = true,
                     .gpu = true,
                     .target = 1 << 15,
                     .head_rows = rows < 64     ? 64
                                  : rows > 8192 ? 8192
                                                : rows};
}

static const char *lacks(const ig_bert_config *c)
{
    if (ig_bert_config_n_label(c, IG_HEAD_CRF) > 0)
        return "a CRF";
    if (ig_bert_config_n_label(c, IG_HEAD_PARSER) > 0)
        return "a parser";
    for (int h = 0; h < IG_N_HEAD; h++)
        if (c->head[h].lstm_layers > 0)
            return "an LSTM";
    if (c->hidden_size > 16384)
        return "more than 16384 columns";
    return NULL;
}

static ig_device device = {.alloc = alloc,
                           .free = ig_cuda_free,
                           .upload = ig_cuda_upload,
                           .download = ig_cuda_download,
                           .run = &ig_exec_cuda,
                           .plan = plan,
                           .check = ig_cuda_check,
                           .reserve = ig_cuda_reserve,
                           .lacks = lacks};

const ig_device *ig_cuda_device_unopened(void)
{
    return &device;
}

const ig_device *ig_cuda_device_of(const ig_cuda_driver *driver)
{
    ig_cuda_use(driver);
    device.name = driver->name;
    return &device;
}

/* The module, at the first place that has it. */
static void *load(const char **why)
{
    static const char *const places[] = {"/libisoglot-cuda.so",
                                         "/../lib/isoglot/libisoglot-cuda.so"};
    const char *named = getenv("ISOGLOT_CUDA_MODULE");
    char program[PATH_MAX], path[PATH_MAX + 64];
    void *module = NULL;
    if (named != NULL && named[0] != '\0') {
        module = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        *why = dlerror();
        return module;
    }
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n < 0 ? 0 : n] = '\0';
    char *last = strrchr(program, '/');
    if (last != NULL)
        *last = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places && module == NULL && last != NULL; i++) {
        snprintf(path, sizeof path, "%s%s", program, places[i]);
        if (access(path, F_OK) == 0) {
            module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            *why = dlerror();
            return module;
        }
    }
    module = dlopen("libisoglot-cuda.so", RTLD_NOW | RTLD_LOCAL);
    *why = dlerror();
    return module;
}

ig_code ig_cuda_device(const ig_device **out, int card, ig_err *err)
{
    const char *why = NULL;
    ig_cuda_open_fn *open;
    *out = &device;
    if (ig_cuda_in_use() != NULL)
        return IG_ERR_OK;
    void *module = load(&why);
    if (module == NULL)
        return ig_fail(err, IG_ERR_DEVICE, "device", 0, "no module for CUDA can be loaded: %s",
                       why != NULL ? why : "unknown reason");
    const int64_t *layout = dlsym(module, "ig_cuda_layout");
    void *address = dlsym(module, "ig_cuda_open");
    memcpy(&open, &address, sizeof open);
    if (layout == NULL || address == NULL || *layout != IG_CUDA_LAYOUT)
        return ig_fail(err, IG_ERR_DEVICE, "device", 0,
                       "the module for CUDA was built with another isoglot");
    const ig_cuda_driver *driver = open(card, &why);
    if (driver == NULL)
        return ig_fail(err, IG_ERR_DEVICE, "device", 0, "card %d: %s", card, why);
    ig_cuda_device_of(driver);
    return IG_ERR_OK;
}

ig_code ig_device_card(int *card, const char *name, ig_err *err)
{
    const bool numbered = strncmp(name, "cuda:", 5) == 0 && name[5] != '\0' && strlen(name) <= 8;
    bool right = numbered || strcmp(name, "cuda") == 0;
    int n = 0;
    for (const char *p = numbered ? name + 5 : ""; right && *p != '\0'; p++) {
        right = *p >= '0' && *p <= '9';
        n = 10 * n + (*p - '0');
    }
    *card = right ? n : -1;
    return right || strcmp(name, "cpu") == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "device", 0, "found '%s', expected cpu, cuda or cuda:N",
                         name);
}

void ig_device_report(const char *asked, const ig_bert_config *c)
{
    int card;
    const char *what = asked != NULL ? lacks(c) : NULL;
    if (what != NULL && ig_device_card(&card, asked, NULL) == IG_ERR_OK && card >= 0)
        ig_log(IG_LOG_NORMAL, "no kernel of a GPU for %s: computed on the CPU", what);
}

ig_code ig_device_choose(const char *name, ig_err *err)
{
    const ig_device *chosen = &ig_device_host;
    int card;
    if (name == NULL || name[0] == '\0')
        return IG_ERR_OK;
    IG_TRY(ig_device_card(&card, name, err));
    if (card >= 0 && ig_ranks_launched())
        return ig_fail(err, IG_ERR_USAGE, "device", 0, "found '%s', expected cpu: ranks use no GPU",
                       name);
    if (card >= 0)
        IG_TRY(ig_cuda_device(&chosen, card, err));
    ig_device_set_default(chosen);
    return IG_ERR_OK;
}
