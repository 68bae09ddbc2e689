/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes one map from its first pairs, applies it and judges it (docs/mapping.md).
 */
#pragma once

#include "embed/judge/map_diagnose.h"
#include "embed/map/map_normalise.h"

typedef struct {
    ig_map_options map;
    const ig_map_pairs *given; /* the first pairs; NULL: an unsupervised map, by similarity, … */
    int64_t init_words;        /* … of the most frequent words of each side … */
    const ig_steps *steps;     /* … normalised as the rows were */
    bool judge;
    ig_chance_options chance; /* most 0: not measured; `learn` follows from `map` … */
    int64_t chance_patience;  /* … with at most this patience */
    ig_diagnose_options diagnose;
} ig_judged_options;

typedef struct {
    ig_map_pairs pairs; /* that the map began with */
    ig_map_result result;
    float *mapped[2]; /* [n_x, d_out], [n_z, d_out] */
    /* The judgement; n is 0 where something was not measured. */
    ig_map_health health;
    ig_map_chance chance;
    bool degenerate;
    char verdict[IG_VERDICT_SIZE];
    double seconds[3]; /* first pairs, mapping, judgement */
} ig_judged_map;

/* s: normalised rows, as they stay. Freed with ig_judged_map_free, also after an error. Errors:
 * those of ig_map_run and of a lack of memory. */
ig_code ig_judged_map_make(ig_judged_map *out, const ig_map_spaces *s, const ig_judged_options *o,
                           ig_err *err);
void ig_judged_map_free(ig_judged_map *m);

/* The mapped rows of a side (0: source, 1: target) become those of v, whose words they are of. */
void ig_judged_map_take(ig_judged_map *m, int side, ig_vectors *v);
