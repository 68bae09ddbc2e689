/* SPDX-License-Identifier: Apache-2.0
 *
 * A table with an option of every kind, and what must hold for any struct it has filled.
 */
#pragma once

#include "base/assert.h"
#include "base/settings/options.h"

#include <math.h>

typedef struct {
    bool pad_attend, help;
    int64_t batch;
    double lr;
    char *name, *vocab, *config;
    int variant;
    ig_int_list layers;
} fuzz_config;

static const char *const fuzz_variants[] = {"fixed", "paper-text", "paper-code", NULL};

static const ig_option fuzz_rows[] = {
    {.name = "pad-attend", .kind = IG_OPT_FLAG, .offset = offsetof(fuzz_config, pad_attend)},
    {.name = "help", .kind = IG_OPT_FLAG, .offset = offsetof(fuzz_config, help)},
    {.name = "batch",
     .kind = IG_OPT_INT,
     .offset = offsetof(fuzz_config, batch),
     .def = "256",
     .min = 1,
     .max = 65536},
    {.name = "lr",
     .kind = IG_OPT_REAL,
     .offset = offsetof(fuzz_config, lr),
     .def = "2e-3",
     .max = 1},
    {.name = "name", .kind = IG_OPT_STRING, .offset = offsetof(fuzz_config, name)},
    {.name = "vocab", .kind = IG_OPT_PATH, .offset = offsetof(fuzz_config, vocab)},
    {.name = "config", .kind = IG_OPT_PATH, .offset = offsetof(fuzz_config, config)},
    {.name = "variant",
     .kind = IG_OPT_ENUM,
     .offset = offsetof(fuzz_config, variant),
     .names = fuzz_variants},
    {.name = "layers",
     .kind = IG_OPT_INTS,
     .offset = offsetof(fuzz_config, layers),
     .def = "0,8",
     .min = 0,
     .max = 64},
};
static const ig_option_table fuzz_options = IG_OPTION_TABLE(fuzz_rows);

static inline void fuzz_config_check(const fuzz_config *c)
{
    IG_ASSERT(c->batch >= 1 && c->batch <= 65536);
    IG_ASSERT(isfinite(c->lr) && c->lr >= 0 && c->lr <= 1);
    IG_ASSERT(c->variant >= 0 && c->variant < 3);
    IG_ASSERT(c->layers.n >= 0 && c->layers.n <= IG_INT_LIST_MAX);
    for (int i = 0; i < c->layers.n; i++)
        IG_ASSERT(c->layers.v[i] >= 0 && c->layers.v[i] <= 64);
}
