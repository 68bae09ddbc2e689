/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: tokenizer.json. What is read cuts text into ids that are there, and the same twice.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "text/tokenizer/tokenizer_internal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "the cat sat, [MASK] aab\xC3\xA9 \xE2\x96\x81"
                               "ab xyz <s>e\xCC\x81 \xF0\x9F\x98\x80";
    ig_tokenizer *t;
    ig_err err;
    int32_t *id = NULL;
    int64_t n = 0, have = 0;
    if (ig_tokenizer_parse(&t, (const char *)data, (int64_t)size, "fuzz", NULL, &err) != IG_ERR_OK)
        return 0;
    for (int round = 0; round < 2; round++) {
        const int64_t before = n;
        /* A hostile expression may end at its limit. */
        if (ig_tokenizer_encode(t, text, sizeof text - 1, &id, &n, &have, &err) != IG_ERR_OK)
            break;
        IG_ASSERT(n - before <= (int64_t)sizeof text * 2);
        for (int64_t i = before; i < n; i++)
            IG_ASSERT(id[i] >= 0 && id[i] < ig_tokenizer_size(t));
        IG_ASSERT(round == 0 ||
                  (n == 2 * before && memcmp(id, id + before, (size_t)before * sizeof *id) == 0));
    }
    for (int32_t i = 0; i < ig_tokenizer_size(t); i++)
        (void)ig_tokenizer_continues(t, i);
    ig_free(id);
    ig_tokenizer_free(t);
    return 0;
}
