/* SPDX-License-Identifier: Apache-2.0
 *
 * Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011). A draw is a pure function of (seed, stream, counter): it
 * is independent of the order of evaluation, of threads and of earlier draws. One stream per
 * purpose, so that a change of one part of an experiment leaves every other draw unchanged.
 */
#pragma once

#include <stdint.h>

/* The numbers are part of every result: append, never renumber. */
typedef enum {
    IG_STREAM_INIT = 1,      /* initial weights */
    IG_STREAM_SHUFFLE = 2,   /* order of the sentences in an epoch */
    IG_STREAM_MASK = 3,      /* which tokens are masked, and with what, in training */
    IG_STREAM_DROPOUT = 4,   /* dropout in training */
    IG_STREAM_EVAL = 5,      /* masks of an evaluation */
    IG_STREAM_WORLD = 6,     /* generated worlds */
    IG_STREAM_TRANSFORM = 7, /* transforms of a language */
    IG_STREAM_SAMPLE = 8,    /* subsampling of data */
    IG_STREAM_STATS = 9,     /* bootstrap samples */
    IG_STREAM_TEST = 10,     /* the tests' own */
    IG_STREAM_EMBED = 11,    /* static embeddings: initial values, windows, negatives, order */
    IG_STREAM_PAIRS = 12,    /* which sentences are a pair */
    IG_STREAM_MAP = 13       /* maps between spaces: pairs left out, samples of the diagnosis */
} ig_stream;

typedef struct {
    uint32_t k[2];
} ig_rng_key;

/* Returns the key of one stream of one seed (the seed's 64 bits and the stream, mixed by one Philox
 * block). */
ig_rng_key ig_rng_key_make(uint64_t seed, ig_stream stream);

/* One block: 128 random bits for the counter (c0, c1, c2, c3). */
void ig_philox(ig_rng_key key, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t out[4]);

/* A sequence over the counters (n, 0, hi, lo), n = 0, 1, ...: for code that draws one number after
 * another. */
typedef struct {
    ig_rng_key key;
    uint32_t hi, lo;
    uint32_t n;
    uint32_t have;
    uint32_t block[4];
} ig_rng;

ig_rng ig_rng_make(uint64_t seed, ig_stream stream, uint32_t hi, uint32_t lo);
uint32_t ig_rng_u32(ig_rng *r);
/* Uniform in [0, 1), 53 bits. */
double ig_rng_unit(ig_rng *r);
/* Uniform in [0, n), n ≥ 1, without bias (Lemire's multiply and reject). */
uint32_t ig_rng_below(ig_rng *r, uint32_t n);
/* Returns a standard normal number (Box–Muller; draws two, uses one). */
double ig_rng_normal(ig_rng *r);
/* Makes a uniformly random permutation of 0..n-1 (Fisher–Yates from the top). */
void ig_rng_permutation(ig_rng *r, int32_t *out, int32_t n);
