/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of isoglot map: the table of options, and the options of the library.
 */
#pragma once

#include "base/settings/options.h"
#include "embed/judge/map_judged.h"

/* Source of the initial map. */
typedef enum {
    IG_MAP_UNSUPERVISED,
    IG_MAP_SUPERVISED,
    IG_MAP_SEMI_SUPERVISED,
    IG_MAP_IDENTICAL,
    IG_MAP_NUMERALS
} ig_map_mode;
extern const char *const ig_map_mode_names[];

typedef struct {
    ig_judged_options o; /* what the user says of it; the rest follows (ig_map_config_resolve) */
    char *normalise, *dictionary, *out_source, *out_target, *save_map;
    int64_t first;
    ig_map_mode mode;
    ig_vec_format format, as;
    int threads;
    bool json, skip_bad;
} ig_map_config;

extern const ig_option_table ig_map_option_table;

/* Without what points elsewhere: first pairs, steps, words. */
ig_judged_options ig_map_config_resolve(const ig_map_config *c);
