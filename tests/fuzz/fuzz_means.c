/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: the file of language means, of a model of 2 layers and hidden size 3. What is
 * accepted has finite means of that shape.
 */
#include "base/assert.h"
#include "fuzz_file.h"
#include "apply/edit/language_means.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { layers = 3, hidden = 3 };
    ig_language_means m = {0};
    ig_err err;
    if (ig_language_means_read(&m, fuzz_file(data, size), layers, hidden, &err) == IG_ERR_OK) {
        IG_ASSERT(m.n > 0 && m.n_layer == layers && m.d == hidden);
        for (int k = 0; k < m.n; k++)
            for (int i = 0; i < layers * hidden; i++)
                IG_ASSERT(isfinite(m.language[k].mean[i]));
    }
    ig_language_means_free(&m);
    return 0;
}
