/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentence pairs as numbers of words; see ibm2.h.
 */
#include "analyse/links/ibm2.h"

#include "base/memory.h"
#include "text/white_space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ig_bitext_free(ig_bitext *t)
{
    for (int s = 0; s < 2; s++) {
        IG_FREE(t->first[s], t->word[s]);
        ig_lexicon_free(&t->lexicon[s]);
    }
    *t = (ig_bitext){0};
}

static ig_code add_word(ig_bitext *t, int s, const char *word, int64_t size, ig_err *err)
{
    const int64_t n = t->first[s][t->n + 1]++;
    IG_TRY(ig_grow(&t->word[s], &t->have_word[s], n + 1, sizeof *t->word[s], "words", err));
    return ig_lexicon_add(&t->lexicon[s], word, size, &t->word[s][n], err);
}

static ig_code begin(ig_bitext *t, int s, ig_err *err)
{
    IG_TRY(
        ig_grow(&t->first[s], &t->have_first[s], t->n + 2, sizeof *t->first[s], "sentences", err));
    t->first[s][t->n + 1] = t->first[s][t->n];
    return IG_ERR_OK;
}

ig_code ig_bitext_add(ig_bitext *t, const char *const text[2], ig_err *err)
{
    for (int s = 0; s < 2; s++) {
        IG_TRY(begin(t, s, err));
        const char *at = text[s], *word, *const end = at + strlen(at);
        for (int64_t size; (word = ig_next_word(&at, end, &size)) != NULL;)
            IG_TRY(add_word(t, s, word, size, err));
    }
    t->n++;
    return IG_ERR_OK;
}

ig_code ig_bitext_add_numbers(ig_bitext *t, int side, const int32_t *number, int32_t n, ig_err *err)
{
    char word[16];
    IG_TRY(begin(t, side, err));
    for (int32_t i = 0; i < n; i++) {
        const int size = snprintf(word, sizeof word, "%d", number[i]);
        IG_TRY(add_word(t, side, word, size, err));
    }
    t->n += side;
    return IG_ERR_OK;
}

int32_t ig_bitext_number(const ig_bitext *t, int side, int32_t word)
{
    return atoi(ig_lexicon_get(&t->lexicon[side], word));
}
