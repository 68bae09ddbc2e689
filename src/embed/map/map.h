/* SPDX-License-Identifier: Apache-2.0
 *
 * Two spaces of word vectors into one: orthogonal Procrustes, the multi-step map with or without
 * self-learning (Artetxe, Labaka, Agirre, AAAI 2018 and ACL 2018). docs/mapping.md lists what
 * agrees with the authors' programs.
 */
#pragma once

#include "embed/map/map_linear.h"
#include "embed/vectors/vectors.h"

typedef enum {
    IG_MAP_MULTI_STEP, /* whitening … de-whitening, as VecMap does */
    IG_MAP_ORTHOGONAL, /* Procrustes */
    IG_MAP_METHOD_N
} ig_map_method;
extern const char *const ig_map_method_names[]; /* vecmap procrustes, NULL */

typedef enum { IG_MAP_UNION, IG_MAP_FORWARD, IG_MAP_BACKWARD, IG_MAP_MUTUAL } ig_map_direction;
extern const char *const ig_map_direction_names[]; /* union forward backward mutual, NULL */

typedef struct {
    ig_map_method method;
    ig_map_steps steps; /* of MULTI_STEP */
    /* Self-learning: pairs are induced from the map, a map is made from the pairs, orthogonal until
     * the last one, which is of `method`. */
    bool learn;
    int64_t cutoff; /* most frequent words of each side that pairs are induced among; 0: all */
    int k;          /* neighbours of CSLS; 0: by cosine */
    ig_map_direction direction;
    double keep, keep_factor; /* share of pairs that may be chosen, and its factor … */
    int64_t patience;         /* … after so many rounds without … */
    double threshold;         /* … so much more */
    int64_t max_round;        /* 0: no limit */
    /* Refinement, after self-learning if there is any: this many rounds of inducing pairs among the
     * cutoff's words and making an orthogonal map from them. */
    int64_t refine;
    ig_map_direction refine_direction;
    uint64_t seed;
} ig_map_options;

/* One round of self-learning or of refinement. */
typedef struct {
    double objective; /* mean of best cosines */
    double keep;
    int64_t n_pair;
} ig_map_round;

typedef struct {
    int d, d_out;
    double *a_x, *a_z;  /* [d] of the last map's cross-products; zeros without MULTI_STEP */
    double *singular;   /* [d] of the last map's cross-products; MULTI_STEP only, else zeros */
    ig_map_pairs pairs; /* that the last map was made from */
    int64_t n_round, have_round;
    ig_map_round *round;
    bool converged; /* false: stopped by max_round */
} ig_map_result;
void ig_map_result_free(ig_map_result *r);

/* Learns the map from the pairs `seed`. The rows of s are normalised. Freed with
 * ig_map_result_free, also after an error. Fewer than one pair is IG_ERR_INPUT. */
ig_code ig_map_run(ig_map_result *out, const ig_map_spaces *s, const ig_map_pairs *seed,
                   const ig_map_options *o, ig_err *err);
