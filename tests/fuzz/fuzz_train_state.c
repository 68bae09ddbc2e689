/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: trainer.state. The checksum at the end is put right first, so that the fields after
 * it are reached.
 */
#include "base/file.h"
#include "train/train_state.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_train_state s;
    ig_err err;
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    if (size > 8 && size < 1u << 20) {
        uint64_t sum = ig_hash(copy, (int64_t)size - 8, 0);
        memcpy(copy + size - 8, &sum, 8);
    }
    if (ig_train_state_parse(copy, (int64_t)size, "fuzz", &s, &err) == IG_ERR_OK) {
        uint64_t sum = ig_hash(s.values, 8 * s.n_value, 0); /* all of it is there to be read */
        (void)sum;
    }
    free(copy);
    return 0;
}
