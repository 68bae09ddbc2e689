/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the file of a tagging task: refused with the file, or sentences that have words.
 */
#include "fuzz_task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_task("tagging", data, size);
    fuzz_task("tagging\nscheme: plain\nwithout_words: skip\ncolumns: [tag, word]", data, size);
    fuzz_task("tagging\ndev_from_test: 1", data, size);
    fuzz_task("tagging\nwords: xtreme", data, size);
    fuzz_task("tagging\nodd_tags: outside", data, size);
    fuzz_task("tagging\ncolumns: {word: 2, tag: 3}\nrename: {a: O, \"0\": O}", data, size);
    return 0;
}
