/* SPDX-License-Identifier: Apache-2.0
 *
 * The vocabulary of whole words of a world's language. A trained WordPiece vocabulary of a small
 * lexicon is full of pieces on the way to a word, which no text ever shows: rows that learn nothing
 * and candidates that no measure should count.
 */
#include "corpus/world/world.h"

#include "base/memory.h"
#include "base/count_table.h"
#include "corpus/world/world_language.h"
#include "text/train/word_counts.h"

#include <stdlib.h>

static ig_code words_count(const ig_world *w, int language, int64_t n_sentence, ig_count_table *t,
                           ig_err *err)
{
    struct {
        ig_world_tree tree;
        ig_world_words words;
    } *s = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    ig_code code = IG_ERR_OK;
    /* A capital at the start of a sentence makes another token of the word. */
    const bool capitals = ig_world_get_language(w, language)->capitals;
    for (int64_t i = 0; i < n_sentence && code == IG_ERR_OK; i++) {
        ig_world_sentence(w, i, &s->tree);
        ig_world_linearise(w, language, &s->tree, &s->words);
        for (int k = 0; k < s->words.n && code == IG_ERR_OK; k++) {
            const ig_world_node *n = &s->tree.node[s->words.node[k]];
            const bool changed = capitals && k == 0 && n->upos != IG_UPOS_PROPN;
            const uint64_t key = (uint64_t)n->lemma << 14 | s->words.form[k] << 1 | changed;
            code = ig_count_add(t, key + 1, NULL, err);
        }
    }
    ig_free(s);
    return code;
}

ig_code ig_world_vocab(const ig_world *w, int language, int64_t n_sentence, char **out,
                       int64_t *size, ig_err *err)
{
    ig_count_table t = {0};
    char(*text)[IG_WORLD_WORD] = NULL;
    ig_counted_word *v = NULL;
    *out = NULL;
    ig_code code = words_count(w, language, n_sentence, &t, err);
    const int64_t n = ig_count_sort(&t);
    IG_THEN(code, ig_alloc(&text, n, sizeof *text, "vocabulary", err));
    IG_THEN(code, ig_alloc(&v, n, sizeof *v, "vocabulary", err));
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        const uint64_t key = t.e[i].key - 1;
        v[i] = (ig_counted_word){.word = text[i], .count = t.e[i].count};
        ig_world_form_text(w, language, (int32_t)(key >> 14), (uint32_t)(key >> 1 & 0x1fff),
                           text[i]);
        if (key & 1)
            ig_world_capitalise(ig_world_get_language(w, language)->script, text[i]);
    }
    if (code == IG_ERR_OK) {
        if (n > 0)
            qsort(v, (size_t)n, sizeof *v, ig_counted_by_count);
        code = ig_counted_words_vocab(out, size, v, n, err);
    }
    IG_FREE(t.e, text, v);
    return code;
}
