/* SPDX-License-Identifier: Apache-2.0
 *
 * The vocabulary of whole words of a world's language. A trained WordPiece vocabulary of a small
 * lexicon is full of pieces on the way to a word, which no text ever shows: rows that learn nothing
 * and candidates that no measure should count.
 */
#include "corpus/world/world.h"

#include "base/memory.h"
#include "corpus/world/world_count.h"
#include "corpus/world/world_language.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t count;
    char text[IG_WORLD_WORD];
} word;

/* Most frequent first, ties by bytes. */
static int by_count(const void *a, const void *b)
{
    const word *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->text, y->text);
}

static ig_code words_count(const ig_world *w, int language, int64_t n_sentence, ig_world_table *t,
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
            code = ig_world_table_add(t, key + 1, err);
        }
    }
    ig_free(s);
    return code;
}

ig_code ig_world_vocab(const ig_world *w, int language, int64_t n_sentence, char **out,
                       int64_t *size, ig_err *err)
{
    static const char special[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    ig_world_table t = {0};
    word *v = NULL;
    *out = NULL;
    ig_code code = words_count(w, language, n_sentence, &t, err);
    const int64_t n = ig_world_table_sort(&t);
    if (code != IG_ERR_OK || (code = ig_alloc(&v, n, sizeof *v, "vocabulary", err)) != IG_ERR_OK ||
        (code = ig_alloc(out, (int64_t)sizeof special + n * (IG_WORLD_WORD + 1), 1, "vocabulary",
                         err)) != IG_ERR_OK)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = t.e[i].key - 1;
        v[i].count = t.e[i].count;
        ig_world_form_text(w, language, (int32_t)(key >> 14), (uint32_t)(key >> 1 & 0x1fff),
                           v[i].text);
        if (key & 1)
            ig_world_capitalise(ig_world_get_language(w, language)->script, v[i].text);
    }
    if (n > 0)
        qsort(v, (size_t)n, sizeof *v, by_count);
    int64_t at = (int64_t)strlen(special);
    memcpy(*out, special, (size_t)at);
    for (int64_t i = 0; i < n; i++) {
        const size_t bytes = strlen(v[i].text);
        memcpy(*out + at, v[i].text, bytes);
        at += (int64_t)bytes;
        (*out)[at++] = '\n';
    }
    *size = at;
done:
    IG_FREE(t.e, v);
    return code;
}
