/* SPDX-License-Identifier: Apache-2.0
 *
 * A token shard: the sentences of a text as ids of one vocabulary, without special tokens, in a
 * memory-mapped file (docs/formats.md gives the bytes). Written in constant memory.
 */
#pragma once

#include "base/file.h"
#include "isoglot/error.h"

#include <stdint.h>

/* Read only. */
typedef struct ig_shard {
    ig_map map;
    int64_t n_sentence, n_token;
    int32_t vocab_size;
    uint64_t vocab_hash;
    const int32_t *id;     /* [n_token] */
    const uint64_t *start; /* [n_sentence + 1] */
} ig_shard;

/* Maps and checks a shard: magic, version, sizes, checksum, ids below the vocabulary's size. */
ig_code ig_shard_open(ig_shard **out, const char *path, ig_err *err);
void ig_shard_close(ig_shard *s);

/* Returns the ids of sentence i; valid until the shard is closed. */
const int32_t *ig_shard_sentence(const ig_shard *s, int64_t i, int32_t *n);

typedef struct ig_shard_writer ig_shard_writer;
ig_code ig_shard_create(ig_shard_writer **out, const char *path, int32_t vocab_size,
                        uint64_t vocab_hash, ig_err *err);
ig_code ig_shard_add(ig_shard_writer *w, const int32_t *id, int32_t n, ig_err *err);
/* Completes the file under its final name; frees the writer in any case. */
ig_code ig_shard_commit(ig_shard_writer *w, ig_err *err);
void ig_shard_discard(ig_shard_writer *w);
