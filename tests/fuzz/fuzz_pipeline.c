/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a pipeline: refused with a message, or its normal form parses to itself and its
 * selection stays inside the text.
 */
#include "base/assert.h"
#include "corpus/language/transform.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024], out[1024], again[1024];
    ig_err err = {0};
    ig_pipeline p, q;
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (ig_pipeline_parse(&p, text, "fuzz", 0, &err) != IG_ERR_OK) {
        IG_ASSERT(err.msg[0] != '\0' && strcmp(err.where, "fuzz") == 0);
        return 0;
    }
    ig_pipeline_print(&p, out, sizeof out);
    IG_ASSERT(ig_pipeline_parse(&q, out, "fuzz", 0, &err) == IG_ERR_OK);
    ig_pipeline_print(&q, again, sizeof again);
    IG_ASSERT(p.n == q.n && strcmp(out, again) == 0);
    for (int64_t n = 0; n < 40; n++) {
        int64_t left = ig_pipeline_count(&p, n), before = -1;
        IG_ASSERT(left >= 0 && left <= n);
        for (int64_t i = 0; i < left; i++) {
            int64_t from = ig_pipeline_select(&p, n, i);
            IG_ASSERT(from > before && from < n);
            before = from;
        }
    }
    return 0;
}
