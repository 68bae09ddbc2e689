/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts words in a hash table and sorts them, by bytes or by count.
 */
#include "text/train/word_counts.h"

#include "base/memory.h"
#include "text/tokenizer/vocab.h"
#include "text/white_space.h"

#include <stdlib.h>
#include <string.h>

ig_code ig_word_counts_add(ig_word_counts *c, const char *word, int64_t n, int64_t count,
                           int32_t *id, ig_err *err)
{
    int32_t own;
    IG_TRY(ig_lexicon_add(&c->words, word, n, &own, err));
    IG_TRY(ig_grow(&c->count, &c->have, c->words.n, sizeof *c->count, "words", err));
    c->count[own] += count;
    if (id != NULL)
        *id = own;
    return IG_ERR_OK;
}

void ig_word_counts_free(ig_word_counts *c)
{
    ig_lexicon_free(&c->words);
    ig_free(c->count);
    *c = (ig_word_counts){0};
}

int64_t ig_word_counts_total(const ig_word_counts *c)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < c->words.n; i++)
        sum += c->count[i];
    return sum;
}

int ig_counted_by_bytes(const void *a, const void *b)
{
    const ig_counted_word *x = a, *y = b;
    return strcmp(x->word, y->word);
}

int ig_counted_by_count(const void *a, const void *b)
{
    const ig_counted_word *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp(x->word, y->word);
}

ig_code ig_word_counts_sorted(ig_counted_word **out, const ig_word_counts *c,
                              int (*order)(const void *, const void *), ig_err *err)
{
    IG_TRY(ig_alloc(out, c->words.n, sizeof **out, "words", err));
    for (int32_t i = 0; i < c->words.n; i++)
        (*out)[i] = (ig_counted_word){ig_lexicon_get(&c->words, i), c->count[i], i};
    qsort(*out, (size_t)c->words.n, sizeof **out, order);
    return IG_ERR_OK;
}

ig_code ig_counted_words_vocab(char **out, int64_t *size, const ig_counted_word *w, int64_t n,
                               ig_err *err)
{
    static const char special[] = IG_BERT_TOKEN_LINES;
    int64_t room = (int64_t)sizeof special;
    for (int64_t i = 0; i < n; i++)
        room += (int64_t)strlen(w[i].word) + 1;
    IG_TRY(ig_alloc(out, room, 1, "vocabulary", err));
    *size = (int64_t)strlen(special);
    memcpy(*out, special, (size_t)*size);
    for (int64_t i = 0; i < n; i++) {
        const size_t bytes = strlen(w[i].word);
        memcpy(*out + *size, w[i].word, bytes);
        *size += (int64_t)bytes;
        (*out)[(*size)++] = '\n';
    }
    return IG_ERR_OK;
}

static ig_code count_line(ig_word_counts *c, const char *line, int64_t n, ig_err *err)
{
    const char *word, *const end = line + n;
    for (int64_t size; (word = ig_next_word(&line, end, &size)) != NULL;)
        IG_TRY(ig_word_counts_add(c, word, size, 1, NULL, err));
    return IG_ERR_OK;
}

ig_code ig_word_list(char **out, int64_t *size, ig_text_source_fn *next, void *source, ig_err *err)
{
    ig_word_counts c = {0};
    IG_OWNED ig_counted_word *all = NULL;
    const char *line;
    int64_t n = 0;
    *out = NULL;
    ig_code code;
    while ((code = next(source, &line, &n, err)) == IG_ERR_OK && line != NULL)
        if ((code = count_line(&c, line, n, err)) != IG_ERR_OK)
            break;
    IG_THEN(code, ig_word_counts_sorted(&all, &c, ig_counted_by_count, err));
    IG_THEN(code, ig_counted_words_vocab(out, size, all, c.words.n, err));
    ig_word_counts_free(&c);
    return code;
}

static int by_count(const void *a, const void *b)
{
    const ig_char_count *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : (x->c > y->c) - (x->c < y->c);
}

ig_code ig_chars_by_count(ig_char_count **out, int32_t *n, const int64_t *seen, uint32_t n_code,
                          ig_err *err)
{
    int32_t all = 0;
    for (uint32_t c = 0; c < n_code; c++)
        all += seen[c] > 0;
    IG_TRY(ig_alloc(out, all, sizeof **out, "characters", err));
    *n = 0;
    for (uint32_t c = 0; c < n_code; c++)
        if (seen[c] > 0)
            (*out)[(*n)++] = (ig_char_count){seen[c], c};
    qsort(*out, (size_t)all, sizeof **out, by_count);
    return IG_ERR_OK;
}
