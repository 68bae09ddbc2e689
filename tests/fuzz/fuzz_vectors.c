/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: files of word vectors of every format. What is accepted is finite, finds each of its
 * words, and is the same with a limit on the words.
 */
#include "base/assert.h"
#include "base/log.h"
#include "embed/vectors/vectors.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *data, size_t size, ig_vec_how how)
{
    ig_vectors v, first;
    ig_err err;
    const ig_vec_memory file = {data, (int64_t)size, "fuzz"};
    if (ig_vectors_parse(&v, &file, how, NULL, &err) != IG_ERR_OK)
        return;
    IG_ASSERT(v.n > 0 && v.d > 0);
    for (int32_t i = 0; i < v.n; i++)
        IG_ASSERT(ig_lexicon_find(&v.words, ig_lexicon_get(&v.words, i),
                                  ig_lexicon_size(&v.words, i)) == i);
    /* fastText's are sums of finite numbers, which may overflow. */
    if (ig_vectors_detect(data, (int64_t)size) != IG_VEC_FASTTEXT)
        for (int64_t i = 0; i < (int64_t)v.n * v.d; i++)
            IG_ASSERT(isfinite(v.x[i]));
    how.max_word = (v.n + 1) / 2;
    IG_ASSERT(ig_vectors_parse(&first, &file, how, NULL, &err) == IG_ERR_OK);
    IG_ASSERT(first.n == how.max_word &&
              memcmp(first.x, v.x, sizeof(float) * (size_t)first.n * (size_t)v.d) == 0);
    ig_vectors_free(&first);
    ig_vectors_free(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_log_set_level(IG_LOG_QUIET);
    for (int skip = 0; skip < 2; skip++) {
        check(data, size, (ig_vec_how){.skip_bad = skip == 1});
        if (!(size >= 4 && ig_vectors_detect(data, (int64_t)size) == IG_VEC_FASTTEXT))
            check(data, size, (ig_vec_how){.format = IG_VEC_BINARY, .skip_bad = skip == 1});
    }
    return 0;
}
