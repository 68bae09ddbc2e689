/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes one map from its first pairs and judges it; where nothing but the vectors is known, tries
 * one start after another until a map is not degenerate (docs/mapping.md).
 */
#pragma once

#include "embed/judge/map_diagnose.h"
#include "embed/judge/map_isometry.h"

/* Where the first pairs of an unsupervised map come from. AUTO tries in turn, until a map is not
 * degenerate: annealing; if a random start of the diagnosis leads further (ig_map_chance.better),
 * that one; annealing of half of the words at half of the pace; similarity. */
typedef enum { IG_MAP_ANNEALING, IG_MAP_RANDOM, IG_MAP_SIMILARITY, IG_MAP_AUTO } ig_map_start;
enum { IG_MAP_MOST_STARTS = 4 };
extern const char *const ig_map_start_names[]; /* annealing random similarity auto, NULL */

typedef struct {
    ig_map_options map;        /* keep 0: 1 after annealing, else 0.1 */
    const ig_map_pairs *given; /* the first pairs; NULL: an unsupervised map, from `start` */
    /* for an unsupervised map: */
    ig_map_start start;
    const ig_steps *steps;    /* that normalised the rows */
    ig_anneal_options anneal; /* of ANNEALING and RANDOM; `random` is set by the start */
    int64_t init_words;       /* of SIMILARITY: most frequent words of each side */
    /* Judgement. AUTO judges all but its last start in any case. */
    bool judge;
    int64_t isometry_words;   /* most frequent words of each side; fewer than 3: not measured */
    ig_chance_options chance; /* most 0: not measured; `learn` follows from `map` … */
    int64_t chance_patience;  /* … with at most this patience */
    ig_diagnose_options diagnose;
} ig_ladder_options;

/* One start of an unsupervised map, and its result. */
typedef struct {
    ig_map_start start;
    int64_t words; /* of each side that it was evaluated among */
    int64_t n_round;
    double objective; /* of the last round; 0 without a round */
    bool judged, degenerate;
} ig_map_tried;

typedef struct {
    ig_map_pairs pairs; /* that the map began with */
    ig_map_result result;
    float *mapped[2]; /* [n_x, d_out], [n_z, d_out] */
    /* The judgement; n is 0 where something was not measured. */
    ig_isometry isometry;
    ig_map_health health;
    ig_map_chance chance;
    bool degenerate;
    char verdict[IG_VERDICT_SIZE];
    /* Unsupervised: the starts in turn; the fields above are of the last one. */
    int n_start;
    ig_map_tried tried[IG_MAP_MOST_STARTS];
    double seconds[3];    /* first pairs, mapping, judgement */
    ig_map_random random; /* of all starts */
} ig_ladder;

/* s: normalised rows, as they stay. Freed with ig_ladder_free, also after an error. Errors: those
 * of ig_map_run and of a lack of memory. */
ig_code ig_ladder_run(ig_ladder *out, const ig_map_spaces *s, const ig_ladder_options *o,
                      ig_err *err);
void ig_ladder_free(ig_ladder *l);

/* The mapped rows of a side (0: source, 1: target) become those of v, whose words they are of. */
void ig_ladder_take(ig_ladder *l, int side, ig_vectors *v);
