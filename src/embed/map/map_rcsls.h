/* SPDX-License-Identifier: Apache-2.0
 *
 * Relaxed CSLS (Joulin, Bojanowski, Mikolov, Jégou, Grave, "Loss in translation: learning bilingual
 * word mapping with a retrieval criterion", EMNLP 2018): the matrix that makes the CSLS of the
 * pairs large.
 */
#pragma once

#include "embed/map/map_linear.h"

typedef struct {
    int k;         /* neighbours */
    int64_t words; /* of each side among which neighbours are searched; 0: all */
    int64_t rounds;
    double
        rate; /* of the gradient; halved when a step makes the loss larger, and the step undone */
    bool spectral; /* singular values above 1 become 1 after each step: the convex relaxation */
} ig_rcsls_options;

/* Called with the loss of every round's matrix. */
typedef struct {
    ig_code (*note)(void *arg, double loss, ig_err *err);
    void *arg;
} ig_rcsls_listener;

/* w[d, d] is the start and becomes the result. The loss is the mean over pairs of −2 x W yᵀ + mean
 * of the k best x W zᵀ + mean of the k best u W yᵀ. Steps end when the rate falls below 1e-4. */
ig_code ig_map_rcsls(double *w, const ig_map_spaces *s, const ig_map_pairs *p,
                     const ig_rcsls_options *o, const ig_rcsls_listener *l, ig_err *err);
