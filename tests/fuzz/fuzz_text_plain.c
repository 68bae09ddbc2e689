/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a text file, compressed or not: sentences, or an error that names the file. The last
 * byte chooses the switches.
 */
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text(data, size, IG_TEXT_AUTO, NULL, size > 0 ? data[size - 1] : 0);
    return 0;
}
