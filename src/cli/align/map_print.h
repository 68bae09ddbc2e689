/* SPDX-License-Identifier: Apache-2.0
 *
 * What isoglot map has in hand, and how it is printed.
 */
#ifndef IG_CLI_ALIGN_MAP_PRINT_H
#define IG_CLI_ALIGN_MAP_PRINT_H

#include "cli/align/map_options.h"
#include "embed/search/dictionary.h"

#include <jansson.h>

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

#endif
