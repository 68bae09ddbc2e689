/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the host as a device, and holds the device that models are made on.
 */
#include "model/device/device.h"

#include "base/memory.h"

#include <string.h>

enum {
    lane_block_weights = 1 << 18, /* a block with more weights than this is run by the team */
    lane_tokens = 384,
    lane_head_rows = 128,
    team_tokens = 2048,
    team_head_rows = 256
};

/* A small model's shard is sized for one core's L2, so that its
 * activations of one layer and that layer's weights stay there; a large model's is as large as
 * memory reasonably allows, because its products amortise the weights over the rows. */
ig_plan ig_plan_make(const ig_bert_config *c)
{
    const int64_t d = c->hidden_size, f = c->intermediate_size;
    if (4 * d * d + 2 * d * f > lane_block_weights)
        return (ig_plan){.split = true, .target = team_tokens, .head_rows = team_head_rows};
    return (ig_plan){.split = false, .target = lane_tokens, .head_rows = lane_head_rows};
}

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

void ig_device_set_default(const ig_device *device)
{
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
