/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a trace: refused, or links in order and in range.
 */
#include "corpus/trace.h"
#include "fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_err err = {0};
    ig_trace *t;
    const char *path = fuzz_file(data, size);
    if (ig_trace_open(&t, path, &err) == IG_ERR_OK) {
        for (int64_t i = 0; i < t->n_sentence; i++) {
            int32_t n;
            const ig_trace_link *l = ig_trace_links(t, i, &n);
            for (int32_t k = 0; k < n; k++)
                IG_ASSERT(l[k].piece >= 0 && l[k].from < l[k].to &&
                          (k == 0 || l[k - 1].piece <= l[k].piece));
        }
        ig_trace_close(t);
    } else {
        IG_ASSERT(strcmp(err.where, path) == 0 && err.msg[0] != '\0');
    }
    unlink(path);
    return 0;
}
