/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as descriptions of languages: refused in one line with a place, or pipelines whose
 * normal form parses to itself.
 */
#include "base/assert.h"
#include "corpus/language/language_spec.h"
#include "corpus/language/transform.h"
#include "../words_printed.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ig_language_words l[32];
    char text[2048], out[2048], again[2048];
    ig_err err = {0};
    int n;
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (ig_language_spec_parse(l, &n, 32, text, &err) != IG_ERR_OK) {
        IG_ASSERT(err.msg[0] != '\0');
        return 0;
    }
    IG_ASSERT(n >= 1 && n <= 32);
    for (int i = 0; i < n; i++) {
        ig_word_pipeline p, q;
        ig_pipeline r;
        IG_ASSERT(l[i].name[0] != '\0' && l[i].share > 0);
        IG_ASSERT(ig_pipeline_parse(&r, l[i].pipeline, "fuzz", 0, &err) == IG_ERR_OK);
        IG_ASSERT(ig_word_pipeline_parse(&p, l[i].words, "fuzz", 1, &err) == IG_ERR_OK);
        words_printed(&p, out, sizeof out);
        IG_ASSERT(ig_word_pipeline_parse(&q, out, "fuzz", 1, &err) == IG_ERR_OK);
        words_printed(&q, again, sizeof again);
        IG_ASSERT(p.n == q.n && strcmp(out, again) == 0);
        ig_word_pipeline_free(&p);
        ig_word_pipeline_free(&q);
    }
    return 0;
}
