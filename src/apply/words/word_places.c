/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds words in a corpus and averages their hidden states (Liu et al. 2020, §3.1).
 */
#include "apply/words/word_places.h"

#include "base/memory.h"

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
    IG_FREE(p->count, p->early, p->piece, p->start);
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
    char *key;
    const int32_t before = p->key.n;
    IG_TRY(ig_alloc(&key, n * ID_BYTES + 1, 1, "word", err));
    ig_code code = ig_lexicon_add(&p->key, key, write_key(key, id, n), number, err);
    ig_free(key);
    IG_TRY(code);
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

ig_code ig_word_places_add(ig_word_places *p, const char *word, int32_t *number, ig_err *err)
{
    const int32_t unk = ig_tokenizer_special(p->tokenizer, IG_TOKENIZER_UNK);
    int32_t *id = NULL;
    int64_t n = 0, have = 0;
    *number = -1;
    ig_code code =
        ig_tokenizer_encode(p->tokenizer, word, (int64_t)strlen(word), &id, &n, &have, err);
    bool known = n > 0 && n <= IG_SEQUENCE_MAX;
    for (int64_t i = 0; i < n && known && code == IG_ERR_OK; i++) {
        known = id[i] != unk;
        id[i] = known ? ig_corpus_id(p->corpus, p->language, id[i]) : -1;
        known = id[i] >= 0;
    }
    if (code == IG_ERR_OK && known)
        code = put(p, id, n, number, err);
    ig_free(id);
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
    }
}

ig_code ig_word_places_count(ig_word_places *p, int64_t early, ig_err *err)
{
    sentence *s;
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
    ig_free(s);
    return IG_ERR_OK;
}

/* ---- contextual ---- */

typedef struct {
    const ig_word_places *p;
    const ig_word_contexts *how;
    const ig_language *l;
    ig_states *states;
    int n_layer, d;
    double **sum; /* [n_layer] */
    int64_t *n_word, n_place;
    int32_t *id, n;          /* the sequence that is open */
    int64_t have_id, number; /* of it */
    struct {                 /* of words that are looked for, in sequences that wait or are open */
        int64_t sequence;
        int32_t number, from, n;
    } * place;
    int64_t n_at, n_taken, have_place;
} gatherer;

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    gatherer *a = arg;
    (void)err;
    for (; a->n_taken < a->n_at && a->place[a->n_taken].sequence == s->number; a->n_taken++) {
        const int32_t w = a->place[a->n_taken].number, n = a->place[a->n_taken].n,
                      from = a->place[a->n_taken].from;
        a->n_word[w]++;
        a->n_place++;
        for (int l = 0; l < a->n_layer; l++)
            for (int32_t t = from; t < from + n; t++)
                for (int k = 0; k < a->d; k++)
                    a->sum[l][(int64_t)w * a->d + k] +=
                        (double)s->states[l][(int64_t)t * a->d + k] / n;
    }
    if (a->n_taken == a->n_at)
        a->n_taken = a->n_at = 0;
    return IG_ERR_OK;
}

static ig_code put_token(gatherer *a, int32_t id, ig_err *err)
{
    IG_TRY(ig_grow(&a->id, &a->have_id, (int64_t)a->n + 1, sizeof *a->id, "sequence", err));
    a->id[a->n++] = id;
    return IG_ERR_OK;
}

/* Ends the sequence that is open. */
static ig_code end_sequence(gatherer *a, ig_err *err)
{
    if (a->n == 0)
        return IG_ERR_OK;
    if (!a->how->stream)
        IG_TRY(put_token(a, a->l->sep, err));
    const int32_t n = a->n;
    a->n = 0;
    a->number++;
    return ig_states_put_tokens(a->states, a->p->language, a->id, n, err);
}

static ig_code put_word(gatherer *a, const sentence *s, int32_t w, ig_err *err)
{
    const int32_t n = s->start[w + 1] - s->start[w], most = a->how->block - !a->how->stream;
    if (n > most - !a->how->stream)
        return IG_ERR_OK; /* longer than a sequence */
    if (a->n + n > most)
        IG_TRY(end_sequence(a, err));
    if (a->n == 0 && !a->how->stream)
        IG_TRY(put_token(a, a->l->cls, err));
    if (s->number[w] >= 0) {
        IG_TRY(ig_grow(&a->place, &a->have_place, a->n_at + 1, sizeof *a->place, "places", err));
        a->place[a->n_at].sequence = a->number;
        a->place[a->n_at].number = s->number[w];
        a->place[a->n_at].from = a->n;
        a->place[a->n_at++].n = n;
    }
    for (int32_t t = s->start[w]; t < s->start[w + 1]; t++)
        IG_TRY(put_token(a, s->id[t], err));
    return IG_ERR_OK;
}

static ig_code put_sentence(gatherer *a, const sentence *s, ig_err *err)
{
    for (int32_t w = 0; w < s->n; w++)
        IG_TRY(put_word(a, s, w, err));
    /* In a stream a [SEP] follows each sentence where it fits. */
    return !a->how->stream || a->n == 0 || a->n == a->how->block ? end_sequence(a, err)
                                                                 : put_token(a, a->l->sep, err);
}

static ig_code grow_buffers(gatherer *a, ig_err *err)
{
    const int64_t n = a->p->key.n;
    IG_TRY(ig_alloc(&a->sum, a->n_layer, sizeof *a->sum, "sums", err));
    IG_TRY(ig_alloc(&a->n_word, n, sizeof *a->n_word, "words", err));
    for (int l = 0; l < a->n_layer; l++)
        IG_TRY(ig_alloc(&a->sum[l], n * a->d, sizeof *a->sum[l], "sums", err));
    return IG_ERR_OK;
}

static ig_code run_text(gatherer *a, ig_err *err)
{
    const ig_word_places *p = a->p;
    const int64_t all = ig_corpus_n_sequence(p->corpus, p->language),
                  n = a->how->most > 0 && a->how->most < all ? a->how->most : all;
    sentence *s;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    ig_states_begin(a->states, take, a);
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        read_sentence(s, p, i);
        code = put_sentence(a, s, err);
    }
    ig_free(s);
    IG_THEN(code, end_sequence(a, err));
    return code == IG_ERR_OK ? ig_states_end(a->states, err) : code;
}

ig_code ig_word_places_states(float *const *mean, int64_t *n_place, const ig_word_places *p,
                              const ig_word_contexts *how, ig_states *states, ig_err *err)
{
    const int *layer, n_layer = ig_states_layers(states, &layer),
                      d = ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size;
    gatherer a = {.p = p,
                  .how = how,
                  .l = ig_corpus_language(p->corpus, p->language),
                  .states = states,
                  .n_layer = n_layer,
                  .d = d};
    ig_code code = grow_buffers(&a, err);
    IG_THEN(code, run_text(&a, err));
    for (int l = 0; l < n_layer && code == IG_ERR_OK; l++)
        for (int64_t i = 0; i < (int64_t)p->key.n * d; i++)
            mean[l][i] = a.n_word[i / d] > 0 ? (float)(a.sum[l][i] / (double)a.n_word[i / d]) : 0;
    *n_place = a.n_place;
    ig_free_list(a.sum, n_layer);
    IG_FREE(a.n_word, a.place, a.id);
    return code;
}
