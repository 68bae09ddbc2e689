/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the vocabulary of whole words of a world's language. A trained WordPiece vocabulary of a
 * small lexicon is full of intermediate pieces that occur in no text: their rows learn nothing, and
 * no measure should count them as candidates.
 */
#include "base/memory.h"

#include "corpus/world/world.h"
#include "text/train/word_counts.h"

#include <string.h>

static ig_code words_count(const ig_world *w, int language, int64_t n_sentence, ig_word_counts *c,
                           ig_err *err)
{
    struct {
        ig_world_tree tree;
        ig_world_words words;
    } *s = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < n_sentence && code == IG_ERR_OK; i++) {
        ig_world_sentence(w, i, &s->tree);
        ig_world_linearise(w, language, &s->tree, &s->words);
        for (int k = 0; k < s->words.n && code == IG_ERR_OK; k++) {
            const char *text = s->words.text[k];
            code = ig_word_counts_add(c, text, (int64_t)strlen(text), 1, NULL, err);
        }
    }
    ig_free(s);
    return code;
}

ig_code ig_world_vocab(const ig_world *w, int language, int64_t n_sentence, char **out,
                       int64_t *size, ig_err *err)
{
    ig_word_counts c = {0};
    ig_counted_word *v = NULL;
    *out = NULL;
    ig_code code = words_count(w, language, n_sentence, &c, err);
    IG_THEN(code, ig_word_counts_sorted(&v, &c, ig_counted_by_count, err));
    IG_THEN(code, ig_counted_words_vocab(out, size, v, c.words.n, err));
    ig_word_counts_free(&c);
    ig_free(v);
    return code;
}
