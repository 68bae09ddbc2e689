/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a dictionary: refused with the file, or pairs that are different, whose words are
 * not empty, and which its own vocabularies know completely.
 */
#include "embed/search/dictionary.h"
#include "fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_dictionary d;
    ig_dictionary_rows r;
    ig_err err = {0};
    const char *path = fuzz_file(data, size);
    ig_code code = ig_dictionary_read(&d, path, size > 0 && (data[0] & 1), &err);
    unlink(path);
    if (code != IG_ERR_OK) {
        IG_ASSERT(strcmp(err.where, path) == 0 && d.pair == NULL);
        return 0;
    }
    IG_ASSERT(d.n_pair > 0);
    for (int s = 0; s < 2; s++)
        for (int32_t i = 0; i < d.word[s].n; i++)
            IG_ASSERT(ig_lexicon_size(&d.word[s], i) > 0);
    IG_ASSERT(ig_dictionary_find(&r, &d, &d.word[0], &d.word[1], &err) == IG_ERR_OK);
    IG_ASSERT(r.n_pair == d.n_pair && r.n_query == d.word[0].n);
    for (int64_t i = 1; i < r.n_pair; i++)
        IG_ASSERT(r.pair[2 * i] > r.pair[2 * i - 2] ||
                  (r.pair[2 * i] == r.pair[2 * i - 2] && r.pair[2 * i + 1] > r.pair[2 * i - 1]));
    ig_dictionary_rows_free(&r);
    ig_dictionary_free(&d);
    return 0;
}
