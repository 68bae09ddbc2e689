/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the host as a device, and holds the device that models are made on.
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
                                  .run = &ig_exec_host,
                                  .plan = ig_plan_make};

static const ig_device *chosen = &ig_device_host;

const ig_device *ig_device_default(void)
{
    return chosen;
}

const ig_device *ig_device_for(const ig_bert_config *c)
{
    return chosen->lacks != NULL && chosen->lacks(c) != NULL ? &ig_device_host : chosen;
}

void ig_device_set_default(const ig_device *device)
{
    if (chosen != device) /* runs that train together all choose it again */
        chosen = device;
}

ig_code ig_device_reserve(const ig_device *device, void *block, int64_t *have, ig_room room,
                          ig_err *err)
{
    void *old;
    memcpy(&old, block, sizeof old);
    if (old != NULL && room.n <= *have)
        return IG_ERR_OK;
    int64_t n = *have < 16 ? 16 : *have;
    while (n < room.n)
        n = n > INT64_MAX / 2 ? room.n : n * 2;
    device->free(old);
    *have = 0;
    IG_TRY(device->alloc(block, n, room.size, room.what, err));
    *have = n;
    return IG_ERR_OK;
}
