/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentence pairs as numbers of words; see ibm2.h.
 */
#include "measure/links/ibm2.h"

#include "base/memory.h"

#include <string.h>

void ig_bitext_free(ig_bitext *t)
{
    for (int s = 0; s < 2; s++) {
        IG_FREE(t->first[s], t->word[s]);
        ig_lexicon_free(&t->lexicon[s]);
    }
    *t = (ig_bitext){0};
}

static ig_code add_words(ig_bitext *t, int s, const char *text, ig_err *err)
{
    int64_t n = t->first[s][t->n];
    for (const char *at = text + strspn(text, " \t"); *at != '\0';) {
        const size_t size = strcspn(at, " \t");
        IG_TRY(ig_grow(&t->word[s], &t->have_word[s], n + 1, sizeof *t->word[s], "words", err));
        IG_TRY(ig_lexicon_add(&t->lexicon[s], at, (int64_t)size, &t->word[s][n], err));
        n++;
        at += size;
        at += strspn(at, " \t");
    }
    t->first[s][t->n + 1] = n;
    return IG_ERR_OK;
}

ig_code ig_bitext_add(ig_bitext *t, const char *const text[2], ig_err *err)
{
    for (int s = 0; s < 2; s++) {
        IG_TRY(ig_grow(&t->first[s], &t->have_first[s], t->n + 2, sizeof *t->first[s], "sentences",
                       err));
        IG_TRY(add_words(t, s, text[s], err));
    }
    t->n++;
    return IG_ERR_OK;
}
