/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of corpora: a folder that goes away, and shards of random sentences.
 */
#pragma once

#include "test.h"

#include "base/file.h"
#include "base/rng.h"
#include "corpus/read/shard.h"
#include "isoglot/corpus.h"

#include <stdlib.h>
#include <string.h>

static char fixture_dir[64];

static inline const char *fixture_path(const char *name)
{
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", fixture_dir, name);
    return path[next];
}

static inline int fixture_setup(void **state)
{
    (void)state;
    strcpy(fixture_dir, "/tmp/isoglot-test-XXXXXX");
    return mkdtemp(fixture_dir) == NULL ? -1 : 0;
}

static inline int fixture_teardown(void **state)
{
    (void)state;
    ig_err err;
    return ig_dir_remove(fixture_dir, &err) == IG_ERR_OK ? 0 : -1;
}

/* n sentences of 0..most tokens: content 5..vocab−1 and now and then [UNK] (1). */
static inline ig_shard *fixture_shard(const char *name, int64_t n, int32_t most, int32_t vocab,
                                      uint32_t seed)
{
    ig_err err = {0};
    ig_shard_writer *w;
    ig_shard *s;
    char path[256];
    strcpy(path, fixture_path(name));
    int32_t *id = malloc(sizeof *id * ((size_t)most + 1));
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 0, 0);
    assert_ok(ig_shard_create(&w, path, vocab, 7, &err), &err);
    for (int64_t i = 0; i < n; i++) {
        int32_t k = (int32_t)ig_rng_below(&r, (uint32_t)most + 1);
        for (int32_t j = 0; j < k; j++)
            id[j] =
                ig_rng_below(&r, 12) == 0 ? 1 : 5 + (int32_t)ig_rng_below(&r, (uint32_t)vocab - 5);
        assert_ok(ig_shard_add(w, id, k, &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&s, path, &err), &err);
    free(id);
    return s;
}

static inline ig_corpus_options fixture_options(int32_t vocab, int32_t block)
{
    return (ig_corpus_options){.base_vocab = vocab,
                               .pad = 0,
                               .unk = 1,
                               .cls = 2,
                               .sep = 3,
                               .mask = 4,
                               .block = block,
                               .seed = 5};
}
