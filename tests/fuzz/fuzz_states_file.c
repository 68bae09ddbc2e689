/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: files of states, alone and joined with themselves by ids.
 */
#include "apply/states_file.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    const ig_named_text file[] = {{"a", path}, {"b", path}};
    ig_file_states f;
    ig_err err;
    (void)ig_file_states_read(&f, &(ig_states_files){.file = file, .n = 2, .take = 5}, &err);
    ig_file_states_free(&f);
    return 0;
}
