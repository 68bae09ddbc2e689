/* SPDX-License-Identifier: Apache-2.0
 *
 * Sampling of languages: an epoch of a given number of sentences, of which each language has the
 * part p_k ∝ share_k · n_k^alpha (Lample & Conneau 2019, §3.1; Conneau et al. 2020; K et al. 2020
 * with alpha = .7). They draw at random; here the parts are exact, so an epoch is determined by
 * its number alone. The sentences of a language are read in passes, each in an order of its own,
 * and the next epoch continues after the last.
 */
#pragma once

#include <stdint.h>

/* Computes part[n_language + 1]: part[k + 1] − part[k] sentences of language k, which has size[k] ≥
 * 1, in an epoch of `epoch` sentences. Largest remainders, ties to the earlier language; at least
 * one each if `epoch` is large enough. share NULL: all 1. */
void ig_sampling_parts(int64_t *part, const int64_t *size, const double *share, int n_language,
                       double alpha, int64_t epoch);

/* Sentences of a language in an epoch: quota of size. */
typedef struct {
    int64_t quota, size, epoch;
    uint64_t seed;
    int language;
} ig_sampling_share;
/* Fills out[quota] with numbers of sentences, each with its pass above bit 32. work[size]. */
void ig_sampling_draw(int64_t *out, const ig_sampling_share *s, int32_t *work);
