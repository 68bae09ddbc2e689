/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a file that is read whole, compressed or not: what it holds, or an error that names
 * it. What is not compressed comes as it is.
 */
#include "fuzz_file.h"

#include "corpus/read/whole_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_err err = {0};
    ig_whole w;
    const char *path = fuzz_file(data, size);
    if (ig_whole_open(&w, path, &err) == IG_ERR_OK) {
        unsigned sum = 0;
        for (int64_t i = 0; i < w.size; i++)
            sum += w.data[i];
        IG_ASSERT(sum == 0 || w.size > 0);
        if (w.own == NULL && size > 0)
            IG_ASSERT(w.size == (int64_t)size && memcmp(w.data, data, size) == 0);
        ig_whole_close(&w);
    } else {
        IG_ASSERT(err.msg[0] != '\0' && strcmp(err.where, path) == 0);
        IG_ASSERT(w.data == NULL && w.own == NULL && w.size == 0);
    }
    unlink(path);
    return 0;
}
