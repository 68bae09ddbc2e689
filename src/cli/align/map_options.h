/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of isoglot map: its table and what the library gets of it.
 */
#ifndef IG_CLI_ALIGN_MAP_OPTIONS_H
#define IG_CLI_ALIGN_MAP_OPTIONS_H

#include "base/settings/options.h"
#include "embed/judge/map_ladder.h"

/* What the first map is made from. */
typedef enum {
    IG_MAP_UNSUPERVISED,
    IG_MAP_SUPERVISED,
    IG_MAP_SEMI_SUPERVISED,
    IG_MAP_IDENTICAL,
    IG_MAP_NUMERALS
} ig_map_mode;
extern const char *const ig_map_mode_names[];

typedef struct {
    char *normalise, *dictionary, *out_source, *out_target, *save_map;
    int64_t first, init_words, cutoff, k, patience, max_round, refine, dim, rcsls_rounds,
        rcsls_words, anneal_words, diagnose_words, chance_words, isometry_words, seed, threads;
    double keep, keep_factor, threshold, temperature, temperature_end, temperature_factor,
        frequency, reweight_source, reweight_target, rcsls_rate;
    int mode, start, method, direction, dewhiten_source, dewhiten_target, format, as;
    bool whiten, spectral, json, diagnose;
} ig_map_config;

extern const ig_option ig_map_option_table[];
enum { IG_MAP_N_OPTION = 43 };

/* Without what points elsewhere: first pairs, steps, words, how chance is annealed. */
ig_ladder_options ig_map_config_resolve(const ig_map_config *c);

#endif
