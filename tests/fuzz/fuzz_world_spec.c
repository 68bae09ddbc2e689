/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptions of languages: whatever the bytes, the parser answers with an error or with languages
 * whose printed form parses to the same again.
 */
#include "base/assert.h"
#include "corpus/world/world.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[2048];
    if (size >= sizeof spec)
        return 0;
    memcpy(spec, data, size);
    spec[size] = '\0';
    ig_world_language l[IG_WORLD_LANGUAGES], again[IG_WORLD_LANGUAGES];
    int n, one;
    ig_err err = {0};
    if (ig_world_languages_parse(l, &n, spec, &err) != IG_ERR_OK) {
        IG_ASSERT(err.msg[0] != '\0');
        return 0;
    }
    IG_ASSERT(n >= 1 && n <= IG_WORLD_LANGUAGES);
    for (int i = 0; i < n; i++) {
        char text[1024], text_again[1024];
        ig_world_language_print(&l[i], text, sizeof text);
        IG_ASSERT(ig_world_languages_parse(again, &one, text, &err) == IG_ERR_OK && one == 1);
        ig_world_language_print(&again[0], text_again, sizeof text_again);
        IG_ASSERT(strcmp(text, text_again) == 0);
    }
    return 0;
}
