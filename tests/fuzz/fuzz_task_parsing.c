/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the file of a parsing task: refused with the file, or sentences that have words.
 */
#include "fuzz_task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_task("parsing", data, size);
    fuzz_task("parsing\nsubtypes: true\nwithout_words: skip", data, size);
    return 0;
}
