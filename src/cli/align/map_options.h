/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of isoglot map: its table and what the library gets of it.
 */
#pragma once

#include "base/settings/options.h"
#include "embed/judge/map_ladder.h"
#include "embed/search/dictionary.h"

#include <jansson.h>

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
    ig_ladder_options o; /* what the user says of it; the rest follows (ig_map_config_resolve) */
    char *normalise, *dictionary, *out_source, *out_target, *save_map;
    int64_t first;
    ig_map_mode mode;
    ig_vec_format format, as;
    int threads;
    bool json;
} ig_map_config;

extern const ig_option ig_map_option_table[];
enum { IG_MAP_N_OPTION = 43 };

/* Without what points elsewhere: first pairs, steps, words, how chance is annealed. */
ig_ladder_options ig_map_config_resolve(const ig_map_config *c);

/* What isoglot map has in hand, and how it is printed. */
typedef struct {
    const ig_map_config *c;
    ig_team *team;
    ig_vectors side[2]; /* source, target; normalised, at the end mapped */
    ig_steps steps;
    ig_steps_done done[2];
    ig_map_pairs pairs; /* of a dictionary, or of spelling */
    ig_dictionary dictionary;
    ig_dictionary_rows rows;
    ig_ladder ladder;
    double seconds[2]; /* reading, first pairs that are read */
} ig_map_work;

/* Whether the mode begins with a dictionary. */
bool ig_map_reads_dictionary(const ig_map_config *c);

/* `set`: the settings. */
ig_code ig_map_print_json(const ig_map_work *w, json_t *set, ig_err *err);
void ig_map_print_text(const ig_map_work *w, const json_t *set);
