/* SPDX-License-Identifier: Apache-2.0
 *
 * Words counted and sorted: see word_list.h.
 */
#include "corpus/words/word_list.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

ig_code ig_word_counts_add(ig_word_counts *c, const char *word, int64_t n, ig_err *err)
{
    int32_t id;
    IG_TRY(ig_lexicon_add(&c->words, word, n, &id, err));
    IG_TRY(ig_grow(&c->count, &c->have, c->words.n, sizeof *c->count, "words", err));
    c->count[id]++;
    return IG_ERR_OK;
}

void ig_word_counts_free(ig_word_counts *c)
{
    ig_lexicon_free(&c->words);
    ig_free(c->count);
}

static int by_count(const void *a, const void *b)
{
    const ig_counted_word *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->word, y->word);
}

void ig_counted_words_sort(ig_counted_word *w, int64_t n)
{
    if (n > 0)
        qsort(w, (size_t)n, sizeof *w, by_count);
}

ig_code ig_word_counts_sorted(ig_counted_word **out, const ig_word_counts *c, ig_err *err)
{
    IG_TRY(ig_alloc(out, c->words.n, sizeof **out, "words", err));
    for (int32_t i = 0; i < c->words.n; i++)
        (*out)[i] = (ig_counted_word){ig_lexicon_get(&c->words, i), c->count[i], i};
    ig_counted_words_sort(*out, c->words.n);
    return IG_ERR_OK;
}

ig_code ig_counted_words_vocab(char **out, int64_t *size, const ig_counted_word *w, int64_t n,
                               int64_t most, ig_err *err)
{
    static const char special[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    int64_t room = (int64_t)sizeof special;
    for (int64_t i = 0; i < n; i++)
        room += (int64_t)strlen(w[i].word) + 1;
    IG_TRY(ig_alloc(out, room, 1, "vocabulary", err));
    *size = (int64_t)strlen(special);
    memcpy(*out, special, (size_t)*size);
    for (int64_t i = 0; i < n && (most <= 0 || i < most - 5); i++) {
        const size_t bytes = strlen(w[i].word);
        memcpy(*out + *size, w[i].word, bytes);
        *size += (int64_t)bytes;
        (*out)[(*size)++] = '\n';
    }
    return IG_ERR_OK;
}

static ig_code count_line(ig_word_counts *c, const char *line, int64_t n, ig_err *err)
{
    for (int64_t from = 0, to = 0; from < n; from = to + 1) {
        for (to = from; to < n && line[to] != ' ';)
            to++;
        if (to > from)
            IG_TRY(ig_word_counts_add(c, line + from, to - from, err));
    }
    return IG_ERR_OK;
}

ig_code ig_word_list(char **out, int64_t *size, ig_text_source_fn *next, void *source, int64_t most,
                     ig_err *err)
{
    ig_word_counts c = {0};
    ig_counted_word *all = NULL;
    const char *line;
    int64_t n = 0;
    *out = NULL;
    ig_code code;
    while ((code = next(source, &line, &n, err)) == IG_ERR_OK && line != NULL)
        if ((code = count_line(&c, line, n, err)) != IG_ERR_OK)
            break;
    IG_THEN(code, ig_word_counts_sorted(&all, &c, err));
    IG_THEN(code, ig_counted_words_vocab(out, size, all, c.words.n, most, err));
    ig_word_counts_free(&c);
    ig_free(all);
    return code;
}
