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

#include "base/memory.h"
#include "text/tokenizer/vocab.h"
#include "text/train/wordpiece_merge.h"
#include "text/utf8.h"

#include <stdio.h>
#include <string.h>

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
    ig_merger *merger;
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
        ig_merger_new(&t->merger, t->symbol, t->start, t->words->count, t->words->words.n, err);
    while (code == IG_ERR_OK && t->strings.words.n < t->options->size &&
           ig_merger_best(t->merger, &a, &b, &count) && count >= least &&
           t->options->model != IG_VOCAB_CHARS) {
        code = add_merged(t, a, b, &id, err);
        if (t->options->model == IG_VOCAB_BPE)
            IG_THEN(code, ig_bpe_add(&t->out->bpe, a, b, id, err));
        IG_THEN(code, ig_merger_apply(t->merger, id, err));
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
    ig_merger_free(t.merger);
    IG_FREE(t.seen, t.inside, t.outer, t.inner, t.string_of, t.symbol, t.start, t.text);
    return code;
}
