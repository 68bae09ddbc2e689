/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: files of word vectors of every format. What is accepted is finite, finds each of its
 * words, and is the same with a limit on the rows.
 */
#include "base/assert.h"
#include "embed/vectors/vectors.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *data, size_t size, ig_vec_format format)
{
    ig_vectors v, first;
    ig_err err;
    if (ig_vectors_parse(&v, &(ig_vec_memory){data, (int64_t)size, "fuzz"}, format, 0, NULL,
                         &err) != IG_ERR_OK)
        return;
    IG_ASSERT(v.n > 0 && v.d > 0);
    for (int32_t i = 0; i < v.n; i++)
        IG_ASSERT(ig_lexicon_find(&v.words, ig_lexicon_get(&v.words, i),
                                  ig_lexicon_size(&v.words, i)) == i);
    /* fastText's are sums of finite numbers, which may overflow. */
    if (ig_vectors_detect(data, (int64_t)size) != IG_VEC_FASTTEXT)
        for (int64_t i = 0; i < (int64_t)v.n * v.d; i++)
            IG_ASSERT(isfinite(v.x[i]));
    int32_t half = (v.n + 1) / 2;
    IG_ASSERT(ig_vectors_parse(&first, &(ig_vec_memory){data, (int64_t)size, "fuzz"}, format, half,
                               NULL, &err) == IG_ERR_OK);
    IG_ASSERT(first.n == half &&
              memcmp(first.x, v.x, sizeof(float) * (size_t)half * (size_t)v.d) == 0);
    ig_vectors_free(&first);
    ig_vectors_free(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size, IG_VEC_AUTO);
    if (!(size >= 4 && ig_vectors_detect(data, (int64_t)size) == IG_VEC_FASTTEXT))
        check(data, size, IG_VEC_BINARY);
    return 0;
}
