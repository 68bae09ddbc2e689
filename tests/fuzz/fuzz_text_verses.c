/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a file of verses, read alone and joined with itself by id.
 */
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text(data, size, IG_TEXT_VERSES, "NT,01001", 0);
    char path[64];
    strcpy(path, fuzz_file(data, size));
    ig_err err = {0};
    ig_verse_join *j;
    ig_text_record r[2];
    int32_t before = -1;
    ig_code code = ig_verse_join_open(&j, (char *[]){path, path}, 2, NULL, &err);
    while (code == IG_ERR_OK && (code = ig_verse_join_next(j, r, &err)) == IG_ERR_OK &&
           r[0].text != NULL) {
        IG_ASSERT(r[0].id == r[1].id && r[0].id > before && r[0].n == r[1].n);
        before = r[0].id;
    }
    IG_ASSERT(code == IG_ERR_OK || strcmp(err.where, path) == 0);
    ig_verse_join_close(j);
    unlink(path);
    return 0;
}
