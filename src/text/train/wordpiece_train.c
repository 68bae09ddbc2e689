/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a WordPiece vocabulary. The algorithm that has this name since Hugging Face
 * `tokenizers` is byte-pair encoding over words whose later characters carry "##" (the likelihood
 * criterion of Schuster and Nakajima 2012 was never published as a program). Its version 0.5.2,
 * which the papers used, breaks two kinds of ties by the order of a hash map; here code points and
 * ids break them (docs/tokenizer.md):
 *   1. ids 0–4 are the special tokens; then the characters, then "##" + characters that occur
 *      inside words;
 *   2. the most frequent pair (a, b) of neighbours becomes a new symbol with the string a + b
 *      without its "##"; among equals the smallest (a, b);
 *   3. until there are `size` distinct strings or the best pair is too rare. If two merges give
 *      the same string, they stay different symbols, and the string gets the position of the later.
 */
#include "text/train/wordpiece_train.h"

#include "base/assert.h"
#include "base/memory.h"
#include "isoglot/error.h"
#include "text/tokenizer/vocab.h"
#include "text/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* --- byte-pair merging over counted words ----------------------------------------------------- */

typedef struct {
    uint64_t key; /* a << 32 | b: the order of keys is the order of pairs */
    int64_t count;
    int64_t start; /* its words: where[start .. start + n) */
    int32_t n;
    int32_t last; /* the last word listed */
} pair;

typedef struct {
    int64_t count;
    uint64_t key;
    int32_t pair;
} entry;

typedef struct {
    int32_t pair, word;
} occurrence;

typedef struct {
    int32_t *symbol;
    const int64_t *start, *count;
    int32_t *length; /* [n_word] symbols left in each word */
    int32_t n_word;
    pair *pair;
    int64_t n_pair, have_pair;
    int32_t *slot; /* open addressing; number of the pair + 1 */
    int64_t n_slot;
    int32_t *where;
    int64_t n_where, have_where;
    occurrence *fresh; /* of the pairs that the current merge makes */
    int64_t n_fresh, have_fresh;
    entry *heap;
    int64_t n_heap, have_heap;
} merger;

static bool above(const entry *x, const entry *y)
{
    return x->count != y->count ? x->count > y->count : x->key < y->key;
}

static void sift_down(entry *heap, int64_t n, int64_t i)
{
    entry e = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && above(&heap[child + 1], &heap[child]))
            child++;
        if (!above(&heap[child], &e))
            break;
        heap[i] = heap[child];
    }
    heap[i] = e;
}

static void sift_up(entry *heap, int64_t i)
{
    entry e = heap[i];
    for (int64_t up; i > 0 && above(&e, &heap[up = (i - 1) / 2]); i = up)
        heap[i] = heap[up];
    heap[i] = e;
}

static uint64_t key_of(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

static uint64_t slot_of(const merger *m, uint64_t key)
{
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
    uint64_t mask = (uint64_t)m->n_slot - 1, i = h & mask;
    while (m->slot[i] != 0 && m->pair[m->slot[i] - 1].key != key)
        i = (i + 1) & mask;
    return i;
}

static ig_code grow_slots(merger *m, ig_err *err)
{
    int32_t *slot;
    int64_t n_slot = m->n_slot == 0 ? 4096 : 4 * m->n_slot;
    IG_TRY(ig_alloc(&slot, n_slot, sizeof *slot, "pairs", err));
    ig_free(m->slot);
    m->slot = slot;
    m->n_slot = n_slot;
    for (int64_t i = 0; i < m->n_pair; i++)
        m->slot[slot_of(m, m->pair[i].key)] = (int32_t)(i + 1);
    return IG_ERR_OK;
}

/* Removes an occurrence of (a, b), `count` times. */
static void lose(merger *m, int32_t a, int32_t b, int64_t count)
{
    int32_t i = m->slot[slot_of(m, key_of(a, b))];
    IG_ASSERT(i > 0);
    m->pair[i - 1].count -= count;
}

/* Adds an occurrence of (a, b) in a word, `count` times. */
static ig_code gain(merger *m, int32_t a, int32_t b, int32_t word, ig_err *err)
{
    if (2 * (m->n_pair + 1) > m->n_slot)
        IG_TRY(grow_slots(m, err));
    uint64_t key = key_of(a, b), at = slot_of(m, key);
    if (m->slot[at] == 0) {
        if (m->n_pair == INT32_MAX - 1)
            return ig_fail(err, IG_ERR_INPUT, "", 0, "more than %d distinct pairs", INT32_MAX - 1);
        IG_TRY(ig_grow(&m->pair, &m->have_pair, m->n_pair + 1, sizeof *m->pair, "pairs", err));
        m->pair[m->n_pair++] = (pair){.key = key, .last = -1};
        m->slot[at] = (int32_t)m->n_pair;
    }
    pair *p = &m->pair[m->slot[at] - 1];
    p->count += m->count[word];
    if (p->last != word) {
        p->last = word;
        p->n++;
        IG_TRY(ig_grow(&m->fresh, &m->have_fresh, m->n_fresh + 1, sizeof *m->fresh, "pairs", err));
        m->fresh[m->n_fresh++] = (occurrence){m->slot[at] - 1, word};
    }
    return IG_ERR_OK;
}

/* Sorts the new occurrences into one list for each pair and pushes the pairs from `first` on to the
 * heap. */
static ig_code settle(merger *m, int64_t first, ig_err *err)
{
    IG_TRY(ig_grow(&m->where, &m->have_where, m->n_where + m->n_fresh, sizeof *m->where, "pairs",
                   err));
    IG_TRY(ig_grow(&m->heap, &m->have_heap, m->n_heap + m->n_pair - first, sizeof *m->heap, "pairs",
                   err));
    for (int64_t i = first; i < m->n_pair; i++) {
        m->pair[i].start = m->n_where;
        m->n_where += m->pair[i].n;
        m->pair[i].n = 0;
    }
    for (int64_t i = 0; i < m->n_fresh; i++) {
        pair *p = &m->pair[m->fresh[i].pair];
        m->where[p->start + p->n++] = m->fresh[i].word;
    }
    m->n_fresh = 0;
    for (int64_t i = first; i < m->n_pair; i++) {
        if (m->pair[i].count <= 0)
            continue;
        m->heap[m->n_heap] = (entry){m->pair[i].count, m->pair[i].key, (int32_t)i};
        sift_up(m->heap, m->n_heap++);
    }
    return IG_ERR_OK;
}

static ig_code prepare(merger *m, ig_err *err)
{
    IG_TRY(ig_alloc(&m->length, m->n_word, sizeof *m->length, "words", err));
    IG_TRY(grow_slots(m, err));
    for (int32_t w = 0; w < m->n_word; w++) {
        m->length[w] = (int32_t)(m->start[w + 1] - m->start[w]);
        const int32_t *s = m->symbol + m->start[w];
        for (int32_t i = 0; i + 1 < m->length[w]; i++)
            IG_TRY(gain(m, s[i], s[i + 1], w, err));
    }
    return settle(m, 0, err);
}

static void merger_free(merger *m)
{
    if (m == NULL)
        return;
    IG_FREE(m->length, m->pair, m->slot, m->where, m->fresh, m->heap, m);
}

/* Prepares concatenated words: word i is symbol[start[i] .. start[i + 1]) and occurs count[i]
 * times. The symbols are overwritten; all three arrays are borrowed until merger_free. */
static ig_code merger_new(merger **out, int32_t *symbol, const int64_t *start, const int64_t *count,
                          int32_t n_word, ig_err *err)
{
    merger *m;
    *out = NULL;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "pairs", err));
    m->symbol = symbol;
    m->start = start;
    m->count = count;
    m->n_word = n_word;
    ig_code code = prepare(m, err);
    IG_RETURN_NEW(code, out, m, merger_free);
}

/* Finds the pair with the highest count, of equal ones that with the smallest (a, b); false if none
 * is left. */
static bool merger_best(merger *m, int32_t *a, int32_t *b, int64_t *count)
{
    while (m->n_heap > 0) {
        entry *top = &m->heap[0];
        int64_t now = m->pair[top->pair].count;
        if (top->count == now) {
            *a = (int32_t)(top->key >> 32);
            *b = (int32_t)(top->key & 0xFFFFFFFFu);
            *count = now;
            return true;
        }
        if (now > 0)
            top->count = now;
        else
            *top = m->heap[--m->n_heap];
        if (m->n_heap > 0)
            sift_down(m->heap, m->n_heap, 0);
    }
    return false;
}

static ig_code merge_word(merger *m, int32_t w, int32_t a, int32_t b, int32_t to, ig_err *err)
{
    int32_t *s = m->symbol + m->start[w];
    int32_t n = m->length[w], k = 0;
    int64_t count = m->count[w];
    for (int32_t i = 0; i < n; i++) {
        if (s[i] != a || i + 1 == n || s[i + 1] != b) {
            s[k++] = s[i];
            continue;
        }
        if (k > 0) {
            lose(m, s[k - 1], a, count);
            IG_TRY(gain(m, s[k - 1], to, w, err));
        }
        if (i + 2 < n) {
            lose(m, b, s[i + 2], count);
            IG_TRY(gain(m, to, s[i + 2], w, err));
        }
        s[k++] = to;
        i++;
    }
    m->length[w] = k;
    return IG_ERR_OK;
}

/* Replaces the best pair, from the left, by `symbol`, which no word may contain yet. Called after
 * _best. */
static ig_code merger_apply(merger *m, int32_t symbol, ig_err *err)
{
    IG_ASSERT(m->n_heap > 0);
    entry top = m->heap[0];
    int32_t a = (int32_t)(top.key >> 32), b = (int32_t)(top.key & 0xFFFFFFFFu);
    int64_t first = m->n_pair;
    m->heap[0] = m->heap[--m->n_heap];
    if (m->n_heap > 0)
        sift_down(m->heap, m->n_heap, 0);
    for (int64_t i = 0; i < m->pair[top.pair].n; i++)
        IG_TRY(merge_word(m, m->where[m->pair[top.pair].start + i], a, b, symbol, err));
    return settle(m, first, err);
}

/* --- training --------------------------------------------------------------------------------- */

/* State of the training of one vocabulary. */
typedef struct {
    const ig_wordpiece_options *options;
    ig_trained *out;
    const ig_word_counts *words;
    uint32_t n_code;        /* the highest code point + 1 */
    int64_t *seen;          /* [n_code] how often each character occurs */
    uint8_t *inside;        /* [n_code] 1: occurs inside a word */
    int32_t *outer, *inner; /* [n_code] ids of c and of ##c; −1: none */
    ig_word_counts strings; /* the pieces; their `count` is their current id */
    int32_t *string_of;     /* [n_id] number of the string of each symbol */
    int64_t n_id, have_id;
    int32_t *symbol; /* the words in symbols */
    int64_t *start;
    merger *merger;
    char *text; /* of the piece being made */
    int64_t have_text;
} training;

static ig_code add_symbol(training *t, const char *text, int64_t n, int32_t *id, ig_err *err)
{
    int32_t index;
    IG_TRY(ig_word_counts_add(&t->strings, text, n, 0, &index, err));
    IG_TRY(ig_grow(&t->string_of, &t->have_id, t->n_id + 1, sizeof *t->string_of, "pieces", err));
    *id = (int32_t)t->n_id;
    t->strings.count[index] = t->n_id;
    t->string_of[t->n_id++] = index;
    return IG_ERR_OK;
}

static ig_code count_characters(training *t, ig_err *err)
{
    const ig_lexicon *words = &t->words->words;
    int64_t have_seen = 0, have_inside = 0;
    for (int32_t i = 0; i < words->n; i++) {
        const uint8_t *p = (const uint8_t *)ig_lexicon_get(words, i), *begin = p,
                      *end = p + ig_lexicon_size(words, i);
        while (p < end) {
            uint32_t c;
            const uint8_t *at = p;
            p += ig_utf8_next(p, end, &c);
            if (c >= t->n_code) {
                t->n_code = c + 1;
                IG_TRY(
                    ig_grow(&t->seen, &have_seen, t->n_code, sizeof *t->seen, "characters", err));
                IG_TRY(ig_grow(&t->inside, &have_inside, t->n_code, 1, "characters", err));
            }
            t->seen[c] += t->words->count[i];
            if (at > begin)
                t->inside[c] = 1;
        }
    }
    return IG_ERR_OK;
}

/* Drops all but the most frequent characters. */
static ig_code limit_alphabet(training *t, ig_err *err)
{
    ig_char_count *list;
    const bool chars_only = t->options->model == IG_VOCAB_CHARS;
    int32_t n, limit = t->options->limit_alphabet, room = t->options->size - IG_N_BERT_TOKEN;
    IG_TRY(ig_chars_by_count(&list, &n, t->seen, t->n_code, err));
    limit = limit <= 0 || limit > n ? n : limit;
    /* Characters alone: as many as fit. */
    for (int32_t i = 0; i < limit && chars_only; i++) {
        room -= 1 + t->inside[list[i].c];
        if (room < 0)
            limit = i;
    }
    for (int32_t i = limit; i < n; i++)
        t->seen[list[i].c] = 0;
    ig_free(list);
    t->out->report.n_char = limit;
    t->out->report.n_char_left_out = n - limit;
    return IG_ERR_OK;
}

static ig_code add_characters(training *t, bool inner, int32_t **ids, ig_err *err)
{
    IG_TRY(ig_alloc(ids, t->n_code, sizeof **ids, "characters", err));
    for (uint32_t c = 0; c < t->n_code; c++) {
        char text[8] = "##";
        (*ids)[c] = -1;
        if (t->seen[c] == 0 || (inner && !t->inside[c]))
            continue;
        int n = ig_utf8_put((uint8_t *)text + 2, c);
        IG_TRY(add_symbol(t, inner ? text : text + 2, inner ? n + 2 : n, &(*ids)[c], err));
    }
    return IG_ERR_OK;
}

static ig_code first_symbols(training *t, ig_err *err)
{
    int32_t id;
    for (int i = 0; i < IG_N_BERT_TOKEN; i++)
        IG_TRY(add_symbol(t, ig_bert_tokens[i], (int64_t)strlen(ig_bert_tokens[i]), &id, err));
    IG_TRY(count_characters(t, err));
    IG_TRY(limit_alphabet(t, err));
    IG_TRY(add_characters(t, false, &t->outer, err));
    IG_TRY(add_characters(t, true, &t->inner, err));
    if (t->n_id > t->options->size) {
        ig_fail(
            err, IG_ERR_INPUT, "", 0,
            "a vocabulary of %d pieces is too small: special tokens and characters alone are %lld",
            t->options->size, (long long)t->n_id);
        return ig_hint(err, "--limit-alphabet leaves the rarest characters out");
    }
    return IG_ERR_OK;
}

/* Converts the words to symbols; characters outside the alphabet are dropped. */
static ig_code words_to_symbols(training *t, ig_err *err)
{
    const ig_lexicon *words = &t->words->words;
    int64_t n_symbol = 0;
    IG_TRY(ig_alloc(&t->symbol, words->start[words->n], sizeof *t->symbol, "words", err));
    IG_TRY(ig_alloc(&t->start, (int64_t)words->n + 1, sizeof *t->start, "words", err));
    for (int32_t i = 0; i < words->n; i++) {
        const uint8_t *p = (const uint8_t *)ig_lexicon_get(words, i), *begin = p,
                      *end = p + ig_lexicon_size(words, i);
        while (p < end) {
            uint32_t c;
            const uint8_t *at = p;
            p += ig_utf8_next(p, end, &c);
            if (t->seen[c] > 0)
                t->symbol[n_symbol++] = at == begin ? t->outer[c] : t->inner[c];
        }
        t->start[i + 1] = n_symbol;
    }
    return IG_ERR_OK;
}

static const char *string(const training *t, int64_t id)
{
    return ig_lexicon_get(&t->strings.words, t->string_of[id]);
}

/* Adds the string of a merge: that of a, then that of b without its "##". */
static ig_code add_merged(training *t, int32_t a, int32_t b, int32_t *id, ig_err *err)
{
    const char *x = string(t, a), *y = string(t, b) + 2;
    const size_t n_x = strlen(x), n_y = strlen(y);
    IG_TRY(ig_grow(&t->text, &t->have_text, (int64_t)(n_x + n_y), 1, "piece", err));
    memcpy(t->text, x, n_x);
    memcpy(t->text + n_x, y, n_y);
    return add_symbol(t, t->text, (int64_t)(n_x + n_y), id, err);
}

static ig_code merge_all(training *t, ig_err *err)
{
    int64_t count, least = t->options->min_frequency > 1 ? t->options->min_frequency : 1;
    int32_t a, b, id;
    ig_code code =
        merger_new(&t->merger, t->symbol, t->start, t->words->count, t->words->words.n, err);
    while (code == IG_ERR_OK && t->strings.words.n < t->options->size &&
           merger_best(t->merger, &a, &b, &count) && count >= least &&
           t->options->model != IG_VOCAB_CHARS) {
        code = add_merged(t, a, b, &id, err);
        if (t->options->model == IG_VOCAB_BPE)
            IG_THEN(code, ig_bpe_add(&t->out->bpe, a, b, id, err));
        IG_THEN(code, merger_apply(t->merger, id, err));
        t->out->report.n_merge++;
        t->out->report.last_count = count;
    }
    return code;
}

/* Returns a symbol's id in the vocabulary, after that has been written. */
static int32_t id_of(const training *t, int32_t symbol)
{
    return (int32_t)t->strings.count[t->string_of[symbol]];
}

/* Writes the pieces in the order of their ids; a string that was made twice is written where it was
 * made last. */
static ig_code write_out(training *t, ig_err *err)
{
    ig_trained *out = t->out;
    const ig_lexicon *strings = &t->strings.words;
    IG_TRY(ig_alloc(&out->text, strings->start[strings->n] + 1, 1, "vocabulary", err));
    for (int64_t id = 0; id < t->n_id; id++) {
        const int32_t s = t->string_of[id];
        if (t->strings.count[s] != id)
            continue;
        out->n += sprintf(out->text + out->n, "%s\n", ig_lexicon_get(strings, s));
        t->strings.count[s] = out->report.n_piece++;
    }
    for (int32_t i = 0; i < out->bpe.n; i++) {
        ig_merge *m = &out->bpe.merge[i];
        *m = (ig_merge){id_of(t, m->a), id_of(t, m->b), id_of(t, m->to)};
    }
    return IG_ERR_OK;
}

ig_code ig_merges_train(ig_trained *out, const ig_word_counts *words,
                        const ig_wordpiece_options *options, ig_err *err)
{
    training t = {.options = options, .out = out, .words = words};
    ig_code code = first_symbols(&t, err);
    IG_THEN(code, words_to_symbols(&t, err));
    IG_THEN(code, merge_all(&t, err));
    IG_THEN(code, write_out(&t, err));
    ig_word_counts_free(&t.strings);
    merger_free(t.merger);
    IG_FREE(t.seen, t.inside, t.outer, t.inner, t.string_of, t.symbol, t.start, t.text);
    return code;
}
