/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a dump of MediaWiki: sentences, or an error that names the file; and as the markup
 * of a page: no longer than it was, lines that are not empty.
 */
#include "fuzz_text.h"

#include "corpus/read/format/wikitext.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text(data, size, IG_TEXT_MEDIAWIKI, NULL, 0);
    char *text = malloc(size + 1);
    IG_ASSERT(text != NULL);
    memcpy(text, data, size);
    const int64_t n = ig_wikitext_plain(text, (int64_t)size);
    IG_ASSERT(n >= 0 && n <= (int64_t)size);
    for (int64_t i = 0; i < n; i++)
        IG_ASSERT(text[i] != '\n' || (i > 0 && i + 1 < n && text[i + 1] != '\n'));
    free(text);
    return 0;
}
