/* SPDX-License-Identifier: Apache-2.0
 *
 * The host as a device, and which device models are made on; see device.h.
 */
#include "model/device/device.h"
#include "base/memory.h"

#include <string.h>

static void copy(void *to, const void *from, int64_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, (size_t)bytes);
}

const ig_device ig_device_host = {.name = "host",
                                  .alloc = ig_alloc,
                                  .free = ig_free,
                                  .upload = copy,
                                  .download = copy,
                                  .lanes = &ig_exec_lanes,
                                  .team = &ig_exec_team,
                                  .plan = ig_plan_make};

static const ig_device *chosen = &ig_device_host;

const ig_device *ig_device_default(void)
{
    return chosen;
}

void ig_device_set_default(const ig_device *device)
{
    chosen = device;
}

ig_code ig_device_reserve(const ig_device *device, void *block, int64_t *have, int64_t need,
                          size_t size, const char *what, ig_err *err)
{
    void *old;
    memcpy(&old, block, sizeof old);
    if (old != NULL && need <= *have)
        return IG_ERR_OK;
    int64_t n = *have < 16 ? 16 : *have;
    while (n < need)
        n = n > INT64_MAX / 2 ? need : n * 2;
    device->free(old);
    *have = 0;
    IG_TRY(device->alloc(block, n, size, what, err));
    *have = n;
    return IG_ERR_OK;
}
