/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a token shard, as they are and with the two checksums made true: refused with a
 * byte, or every sentence lies inside the file and every id inside the vocabulary.
 */
#include "fuzz_file.h"

#include "base/file.h"
#include "corpus/read/shard.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_and_walk(const uint8_t *data, size_t size)
{
    ig_err err = {0};
    ig_shard *s;
    const char *path = fuzz_file(data, size);
    if (ig_shard_open(&s, path, &err) != IG_ERR_OK) {
        IG_ASSERT(strstr(err.msg, "byte ") != NULL && strcmp(err.where, path) == 0);
    } else {
        int64_t sum = 0;
        for (int64_t i = 0; i < s->n_sentence; i++) {
            int32_t n;
            const int32_t *id = ig_shard_sentence(s, i, &n);
            IG_ASSERT(n >= 0);
            sum += n;
            for (int32_t j = 0; j < n; j++)
                IG_ASSERT(id[j] >= 0 && id[j] < s->vocab_size);
        }
        IG_ASSERT(sum == s->n_token);
        ig_shard_close(s);
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_and_walk(data, size);
    if (size < 64)
        return 0;
    uint8_t *forged = malloc(size);
    IG_ASSERT(forged != NULL);
    memcpy(forged, data, size);
    uint64_t h = 0;
    for (size_t at = 64; at < size; at += 65536)
        h = ig_hash(forged + at, (int64_t)(size - at < 65536 ? size - at : 65536), h);
    memcpy(forged + 40, &h, 8);
    h = ig_hash(forged, 56, 0);
    memcpy(forged + 56, &h, 8);
    open_and_walk(forged, size);
    free(forged);
    return 0;
}
