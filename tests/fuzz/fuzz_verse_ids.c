/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a set of verses: refused with a message, or ranges of eight digits.
 */
#include "base/assert.h"
#include "corpus/read/verse_ids.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512];
    ig_err err = {0};
    ig_verse_set s;
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (ig_verse_set_parse(&s, text, "ids", &err) != IG_ERR_OK) {
        IG_ASSERT(err.msg[0] != '\0' && strcmp(err.where, "ids") == 0);
        return 0;
    }
    for (int i = 0; i < s.n; i++) {
        IG_ASSERT(s.range[i][0] >= 0 && s.range[i][0] <= s.range[i][1] &&
                  s.range[i][1] <= 99999999);
        IG_ASSERT(ig_verse_set_has(&s, s.range[i][0]) && ig_verse_set_has(&s, s.range[i][1]));
    }
    return 0;
}
