/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a table of pairs and as one of single texts: refused with the file, or a task whose
 * sentences all have words and a label.
 */
#include "fuzz_task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_task("pair", data, size);
    fuzz_task("single", data, size);
    fuzz_task("pair\ndev_from_test: 2", data, size);
    fuzz_task("single\ncolumns: [label, _, text, language]\nwithout_words: skip\nlabels: [a, b]",
              data, size);
    return 0;
}
