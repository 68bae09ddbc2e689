/* SPDX-License-Identifier: Apache-2.0
 *
 * Any two texts, parted by a zero byte, as configuration and manifest of two runs of a cell: they
 * may be averaged or not, which is told in one line; a run may always be averaged with itself.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "report/results/results.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text[2];
    ig_err err = {0};
    ig_results r;
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t first = zero != NULL ? (size_t)(zero - data) : size;
    const size_t n[] = {first, zero != NULL ? size - first - 1 : 0};
    for (int i = 0; i < 2; i++) {
        IG_ASSERT(ig_alloc(&text[i], (int64_t)n[i] + 1, 1, "text", NULL) == IG_ERR_OK);
        if (n[i] > 0)
            memcpy(text[i], i == 0 ? data : zero + 1, n[i]);
    }
    ig_store_entry e[2] = {0};
    for (int same = 0; same < 2; same++) {
        for (int i = 0; i < 2; i++) {
            e[i].cell = (ig_store_cell){"e", "0", "original", 0, i, "0123456789abcdef"};
            e[i].run = (ig_store_run){.address = "0123456789abcdef",
                                      .status = IG_RUN_DONE,
                                      .seed = i,
                                      .config = same || i == 0 ? text[0] : text[1],
                                      .manifest = same || i == 0 ? text[1] : text[0]};
        }
        const ig_store_result s = {.entry = e, .n_entry = 2};
        ig_code code = ig_results_make(&r, &s, false, &err);
        IG_ASSERT(code == IG_ERR_OK || (code == IG_ERR_INPUT && err.msg[0] != '\0'));
        IG_ASSERT(!same || code == IG_ERR_OK || strstr(err.msg, "is not JSON") != NULL);
        ig_results_free(&r);
    }
    ig_free(text[0]);
    ig_free(text[1]);
    return 0;
}
