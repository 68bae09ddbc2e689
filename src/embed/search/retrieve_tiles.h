/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside retrieval: the walk over all inner products of two sides in tiles.
 */
#pragma once

#include "embed/search/retrieve.h"

enum {
    IG_TILE_CHUNK = 8192, /* candidates that are packed at a time, a multiple of IG_TILE_COLUMNS */
    IG_TILE_COLUMNS = 256
};

/* Products of query row0 + i with candidate column0 + j: s[i · ld + j]. */
typedef struct {
    const float *s;
    int64_t row0, column0;
    int n_row, n_column, ld;
    int i_thread;
} ig_tile;

/* Consumes a tile. Tiles of one row of queries come one after the other from left to right;
 * different rows of queries come from different threads at the same time. row0 is a multiple of 3,
 * and so is n_row except at the end: queries that belong together in threes stay together. */
typedef void ig_tile_fn(void *arg, const ig_tile *t);
/* Called by one thread before the first (begin) and after the last tile of the candidates first ..
 * first + n − 1; may be NULL. */
typedef void ig_chunk_fn(void *arg, int64_t first, int n);

typedef struct {
    ig_tile_fn *use;
    ig_chunk_fn *begin, *end;
    void *arg;
    const ig_stop *stop; /* polled before each row of tiles; NULL: never */
} ig_tile_user;

/* Errors: no memory, and IG_ERR_STOPPED. */
ig_code ig_tiles_run(const ig_retrieve_side *a, const ig_retrieve_side *b, const ig_tile_user *user,
                     ig_vector_work with, ig_err *err);
