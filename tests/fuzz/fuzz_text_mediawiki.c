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
    int64_t n = (int64_t)size;
    ig_wiki_site *site;
    ig_err err = {0};
    IG_ASSERT(ig_wiki_site_new(&site, &err) == IG_ERR_OK);
    IG_ASSERT(ig_wikitext_plain(site, text, &n, &err) == IG_ERR_OK);
    ig_wiki_site_free(site);
    IG_ASSERT(n >= 0 && n <= (int64_t)size);
    for (int64_t i = 0; i < n; i++)
        IG_ASSERT(text[i] != '\n' || (i > 0 && i + 1 < n && text[i + 1] != '\n'));
    free(text);
    return 0;
}
