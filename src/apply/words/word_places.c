/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds words in a corpus and averages their hidden states (Liu et al. 2020, "A Study", §3.1.1).
 */
#include "apply/words/word_places.h"

#include "base/memory.h"
#include "base/pool.h"

#include <string.h>

enum { ID_BYTES = 4 };

/* A sentence cut into words. */
typedef struct {
    int32_t id[IG_SEQUENCE_MAX];
    uint32_t origin[IG_SEQUENCE_MAX], word[IG_SEQUENCE_MAX];
    int32_t start[IG_SEQUENCE_MAX + 1], number[IG_SEQUENCE_MAX]; /* [n]; −1: not looked for */
    int32_t n;
    char key[IG_SEQUENCE_MAX * ID_BYTES + 1];
} sentence;

void ig_word_places_new(ig_word_places *p, const ig_corpus *c, const ig_tokenizer *t, int language)
{
    *p = (ig_word_places){.corpus = c, .tokenizer = t, .language = language};
}

void ig_word_places_free(ig_word_places *p)
{
    ig_lexicon_free(&p->key);
    ig_lexicon_free(&p->bare);
    IG_FREE(p->count, p->early, p->piece, p->start, p->number);
    *p = (ig_word_places){0};
}

/* Ids as text without NUL, seven bits a byte. */
static int64_t write_key(char *key, const int32_t *id, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < ID_BYTES; k++)
            *key++ = (char)(0x80 | (id[i] >> 7 * k & 0x7f));
    *key = '\0';
    return n * ID_BYTES;
}

static ig_code put(ig_word_places *p, const int32_t *id, int64_t n, int32_t *number, ig_err *err)
{
    IG_OWNED char *key = NULL;
    const int32_t before = p->key.n;
    IG_TRY(ig_alloc(&key, n * ID_BYTES + 1, 1, "word", err));
    IG_TRY(ig_lexicon_add(&p->key, key, write_key(key, id, n), number, err));
    if (*number < before)
        return IG_ERR_OK;
    const int64_t words = p->key.n, from = before > 0 ? p->start[before] : 0;
    IG_TRY(ig_grow(&p->count, &p->have_count, words, sizeof *p->count, "words", err));
    IG_TRY(ig_grow(&p->early, &p->have_early, words, sizeof *p->early, "words", err));
    IG_TRY(ig_grow(&p->start, &p->have_start, words + 1, sizeof *p->start, "words", err));
    IG_TRY(ig_grow(&p->piece, &p->have_piece, from + n, sizeof *p->piece, "words", err));
    memcpy(p->piece + from, id, (size_t)n * sizeof *id);
    p->count[before] = p->early[before] = 0;
    p->start[before] = from;
    p->start[before + 1] = from + n;
    return IG_ERR_OK;
}

/* Cuts a word into ids of the corpus; *n is 0 where one of them is not known. */
static ig_code cut(const ig_word_places *p, const char *word, int32_t **id, int64_t *n, ig_err *err)
{
    const int32_t unk = ig_tokenizer_special(p->tokenizer, IG_TOKENIZER_UNK);
    int64_t have = 0;
    *n = 0;
    IG_TRY(ig_tokenizer_encode(p->tokenizer, word, (int64_t)strlen(word), id, n, &have, err));
    bool known = *n <= IG_SEQUENCE_MAX;
    for (int64_t i = 0; i < *n && known; i++) {
        known = (*id)[i] != unk;
        (*id)[i] = known ? ig_corpus_id(p->corpus, p->language, (*id)[i]) : -1;
        known = (*id)[i] >= 0;
    }
    *n = known ? *n : 0;
    return IG_ERR_OK;
}

/* Finds the word without a blank before it, too. */
static ig_code put_bare(ig_word_places *p, const char *word, int32_t number, ig_err *err)
{
    IG_OWNED int32_t *id = NULL;
    IG_OWNED char *key = NULL;
    int64_t n;
    int32_t at;
    IG_TRY(cut(p, word, &id, &n, err));
    if (n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&key, n * ID_BYTES + 1, 1, "word", err));
    IG_TRY(ig_lexicon_add(&p->bare, key, write_key(key, id, n), &at, err));
    IG_TRY(ig_grow(&p->number, &p->have_number, (int64_t)at + 1, sizeof *p->number, "words", err));
    p->number[at] = number;
    return IG_ERR_OK;
}

ig_code ig_word_places_add(ig_word_places *p, const char *word, int32_t *number, ig_err *err)
{
    const bool blank = ig_tokenizer_has_own_split(p->tokenizer);
    IG_OWNED int32_t *id = NULL;
    ig_pool pool = {0};
    const char *spaced = word;
    int64_t n = 0;
    *number = -1;
    ig_code code = blank ? ig_pool_print(&pool, &spaced, err, " %s", word) : IG_ERR_OK;
    IG_THEN(code, cut(p, spaced, &id, &n, err));
    if (code == IG_ERR_OK && n > 0)
        code = put(p, id, n, number, err);
    if (code == IG_ERR_OK && blank && *number >= 0)
        code = put_bare(p, word, *number, err);
    ig_pool_free(&pool);
    return code;
}

/* The pieces of word w of the sentence in the order of the text. */
static void sort_pieces(int32_t *id, const sentence *s, int32_t w)
{
    const int32_t from = s->start[w], n = s->start[w + 1] - from;
    uint32_t at[IG_SEQUENCE_MAX];
    for (int32_t i = 0; i < n; i++) {
        int32_t j = i;
        for (; j > 0 && at[j - 1] > s->origin[from + i]; j--) {
            at[j] = at[j - 1];
            id[j] = id[j - 1];
        }
        at[j] = s->origin[from + i];
        id[j] = s->id[from + i];
    }
}

static void read_sentence(sentence *s, const ig_word_places *p, int64_t i)
{
    int32_t id[IG_SEQUENCE_MAX];
    const int32_t n =
        ig_corpus_content(p->corpus, p->language, i, IG_SEQUENCE_MAX, s->id, s->origin, s->word);
    s->n = 0;
    for (int32_t t = 0; t < n; t++)
        if (t == 0 || s->word[t] != s->word[t - 1])
            s->start[s->n++] = t;
    s->start[s->n] = n;
    for (int32_t w = 0; w < s->n; w++) {
        sort_pieces(id, s, w);
        const int64_t size = write_key(s->key, id, s->start[w + 1] - s->start[w]);
        s->number[w] = ig_lexicon_find(&p->key, s->key, size);
        const int32_t bare = s->number[w] < 0 ? ig_lexicon_find(&p->bare, s->key, size) : -1;
        if (bare >= 0)
            s->number[w] = p->number[bare];
    }
}

ig_code ig_word_places_count(ig_word_places *p, int64_t early, ig_err *err)
{
    IG_OWNED sentence *s = NULL;
    const int64_t n = ig_corpus_n_sequence(p->corpus, p->language);
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    for (int32_t w = 0; w < p->key.n; w++)
        p->count[w] = p->early[w] = 0;
    for (int64_t i = 0; i < n; i++) {
        read_sentence(s, p, i);
        for (int32_t w = 0; w < s->n; w++)
            if (s->number[w] >= 0) {
                p->count[s->number[w]]++;
                p->early[s->number[w]] += early == 0 || i < early;
            }
    }
    return IG_ERR_OK;
}

/* ---- contextual ---- */

static ig_code put_text(ig_word_sums *sums, const ig_word_places *p, int64_t most, ig_err *err)
{
    const int64_t all = ig_corpus_n_sequence(p->corpus, p->language),
                  n = most > 0 && most < all ? most : all;
    IG_OWNED sentence *s = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        read_sentence(s, p, i);
        for (int32_t w = 0; w < s->n; w++)
            IG_THEN(code, ig_word_sums_put(sums, s->number[w], s->id + s->start[w],
                                           s->start[w + 1] - s->start[w], err));
        IG_THEN(code, ig_word_sums_end_sentence(sums, err));
    }
    return code == IG_ERR_OK ? ig_word_sums_end(sums, err) : code;
}

ig_code ig_word_places_states(float *const *mean, int64_t *n_place, const ig_word_places *p,
                              const ig_word_contexts *how, ig_states *states, ig_err *err)
{
    IG_SCOPED(ig_word_sums_free) ig_word_sums sums = {0};
    IG_TRY(ig_word_sums_begin(&sums, states, p->language, &how->sequences, p->key.n, err));
    IG_TRY(put_text(&sums, p, how->most, err));
    *n_place = 0;
    for (int32_t w = 0; w < p->key.n; w++) {
        *n_place += sums.n[w];
        for (int l = 0; l < sums.n_layer; l++)
            for (int64_t k = (int64_t)w * sums.d; k < (int64_t)(w + 1) * sums.d; k++)
                mean[l][k] = sums.n[w] > 0 ? (float)(sums.sum[l][k] / (double)sums.n[w]) : 0;
    }
    return IG_ERR_OK;
}
