/* SPDX-License-Identifier: Apache-2.0
 *
 * A task of a generated world (docs/world-tasks.md) in memory.
 */
#pragma once

#include "corpus/world/world_task.h"
#include "task/task.h"

/* Which world: that of a run whose text is a world has these settings (world, world_seed) and the
 * language `eng`. */
typedef struct {
    const char *preset;    /* of ig_world_preset_names */
    const char *languages; /* "eng; x:SOV"; the first trains */
    int64_t seed;
    ig_world_task_options task;
} ig_task_world;

/* Writes its files into a folder, where they stay, and reads them. */
ig_code ig_task_from_world(ig_task **out, const ig_task_world *spec, const char *dir, ig_err *err);
