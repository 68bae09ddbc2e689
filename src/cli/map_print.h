/* SPDX-License-Identifier: Apache-2.0
 *
 * What isoglot map has in hand, and how it is printed.
 */
#ifndef IG_CLI_MAP_PRINT_H
#define IG_CLI_MAP_PRINT_H

#include "cli/map_options.h"
#include "embed/search/dictionary.h"
#include "embed/judge/map_diagnose.h"
#include "embed/judge/map_isometry.h"

#include <jansson.h>

/* One start of an unsupervised map, and how that ended. */
typedef struct {
    ig_map_start start;
    int64_t words; /* of each side that it was asked to be among */
    int64_t n_round;
    double objective; /* of the last round */
    bool judged, degenerate;
} ig_map_tried;

typedef struct {
    const ig_map_config *c;
    ig_team *team;
    ig_vectors side[2]; /* source, target; normalised, later mapped */
    float *before[2];   /* of the two, as they were before they were mapped */
    ig_steps steps;
    ig_steps_done done[2];
    ig_map_spaces spaces;
    ig_map_pairs pairs;
    ig_dictionary dictionary;
    ig_dictionary_rows rows;
    ig_map_result result;
    ig_isometry isometry;
    ig_map_health health;
    ig_map_chance chance;
    ig_map_random random; /* of all starts */
    bool degenerate;
    char verdict[IG_VERDICT_SIZE];
    /* Unsupervised: what it was begun with, in turn; the last one's map is the one above. */
    int n_start;
    ig_map_tried tried[IG_MAP_MOST_STARTS];
    double seconds[4]; /* reading, first pairs, mapping, diagnosis */
} ig_map_work;

/* Whether the mode begins with a dictionary. */
bool ig_map_reads_dictionary(const ig_map_config *c);

/* `set`: the settings. */
ig_code ig_map_print_json(const ig_map_work *w, json_t *set, ig_err *err);
void ig_map_print_text(const ig_map_work *w, const json_t *set);

#endif
