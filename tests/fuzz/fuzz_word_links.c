/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as word alignments: refused with file and line, or sorted links within their sentences,
 * whose τ is between −1 and 1.
 */
#include "fuzz_file.h"
#include "analyse/links/word_order.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_err err = {0};
    ig_word_link_reader *r;
    ig_word_order w = {.variant = size > 0 ? (ig_variant)(data[0] % 3) : IG_VARIANT_FIXED};
    const char *path = fuzz_file(data, size);
    int base = size > 1 ? data[1] & 1 : 0;
    /* Damage of gzip is of the file, not of a line, and may be told at once. */
    const bool packed = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
    ig_code code = ig_word_links_open(&r, path, base, &err);
    for (bool end = false; code == IG_ERR_OK && !end;) {
        ig_word_links l;
        code = ig_word_links_next(r, &l, &end, &err);
        for (int32_t i = 0; code == IG_ERR_OK && !end && i < l.n; i++) {
            const ig_word_link *k = &l.link[i];
            IG_ASSERT(k->a >= 0 && k->b >= 0 && (l.n_a < 0 || k->a < l.n_a) &&
                      (l.n_b < 0 || k->b < l.n_b));
            IG_ASSERT(i == 0 || k[-1].a < k->a || (k[-1].a == k->a && k[-1].b < k->b));
        }
        if (code == IG_ERR_OK && !end)
            IG_ASSERT(ig_word_order_add(&w, &l, &err) == IG_ERR_OK);
    }
    IG_ASSERT(code == IG_ERR_OK || (strcmp(err.where, path) == 0 && (err.line > 0 || packed)));
    for (int64_t i = 0; i < w.n; i++)
        IG_ASSERT(w.value[i] >= -1 - 1e-12 && w.value[i] <= 1 + 1e-12);
    ig_word_order_free(&w);
    ig_word_links_close(r);
    unlink(path);
    return 0;
}
