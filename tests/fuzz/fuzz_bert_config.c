/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: config.json of a model folder.
 */
#include "model/checkpoint_config.h"

#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_bert_config c;
    ig_err err;
    (void)ig_bert_config_parse(&c, (const char *)data, (int64_t)size, "fuzz", &err);
    return 0;
}
