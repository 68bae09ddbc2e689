/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a WordPiece vocabulary. What goes by this name since Hugging Face `tokenizers` is
 * byte-pair encoding over words whose later characters carry "##" (the likelihood criterion of
 * Schuster and Nakajima 2012 was never published as a program). Its version 0.5.2, which the papers
 * used, decides two things by the order of a hash map; here they are decided by code points and ids
 * (docs/vocabulary.md):
 *   1. ids 0–4 are the special tokens; then the characters, then "##" + characters that occur
 * inside words;
 *   2. the most frequent pair (a, b) of neighbours becomes a new symbol with the string a + b
 * without its "##"; among equals the smallest (a, b);
 *   3. until there are `size` distinct strings or the best pair is too rare. Should two merges give
 * the same string, they stay different symbols, and the string takes the place of the later one.
 */
#include "text/train/wordpiece_train.h"

#include "base/memory.h"
#include "text/utf8.h"
#include "text/train/wordpiece_count.h"
#include "text/train/wordpiece_merge.h"

#include <stdlib.h>
#include <string.h>

enum { N_SPECIAL = 5 };

/* While one vocabulary is made. */
typedef struct {
    const ig_wordpiece_options *options;
    ig_trained *out;
    const ig_word_table *words;
    uint32_t n_code;        /* the highest code point + 1 */
    int64_t *seen;          /* [n_code] how often each character occurs */
    uint8_t *inside;        /* [n_code] 1: occurs inside a word */
    int32_t *outer, *inner; /* [n_code] ids of c and of ##c; −1: none */
    ig_word_table strings;  /* the pieces; their `count` is the id that they have now */
    int32_t *string_of;     /* [n_id] number of the string of each symbol */
    int64_t n_id, have_id;
    int32_t *symbol; /* the words in symbols */
    int64_t *start, *count;
    ig_merger *merger;
    uint8_t *text; /* of a piece that is being made */
    int64_t n_merges, have_merges, have_text;
} training;

static ig_code add_symbol(training *t, const uint8_t *text, int64_t n, int32_t *id, ig_err *err)
{
    int64_t index;
    IG_TRY(ig_word_table_add(&t->strings, text, n, 0, &index, err));
    IG_TRY(ig_grow(&t->string_of, &t->have_id, t->n_id + 1, sizeof *t->string_of, "pieces", err));
    *id = (int32_t)t->n_id;
    t->strings.word[index].count = t->n_id;
    t->string_of[t->n_id++] = (int32_t)index;
    return IG_ERR_OK;
}

static ig_code count_characters(training *t, ig_err *err)
{
    int64_t have_seen = 0, have_inside = 0;
    for (int64_t i = 0; i < t->words->n_word; i++) {
        const ig_word_entry *w = &t->words->word[i];
        const uint8_t *p = t->words->byte + w->start, *begin = p, *end = p + w->n;
        while (p < end) {
            uint32_t c;
            const uint8_t *at = p;
            p += ig_utf8_next(p, end, &c, NULL);
            if (c >= t->n_code) {
                t->n_code = c + 1;
                IG_TRY(
                    ig_grow(&t->seen, &have_seen, t->n_code, sizeof *t->seen, "characters", err));
                IG_TRY(ig_grow(&t->inside, &have_inside, t->n_code, 1, "characters", err));
            }
            t->seen[c] += w->count;
            if (at > begin)
                t->inside[c] = 1;
        }
    }
    return IG_ERR_OK;
}

/* Forgets all but the most frequent characters. */
static ig_code limit_alphabet(training *t, ig_err *err)
{
    ig_char_count *list;
    const bool chars_only = t->options->model == IG_VOCAB_CHARS;
    int32_t n, limit = t->options->limit_alphabet, room = t->options->size - N_SPECIAL;
    IG_TRY(ig_chars_by_count(&list, &n, t->seen, t->n_code, err));
    limit = limit <= 0 || limit > n ? n : limit;
    /* Characters alone: as many as there is room for. */
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
        uint8_t text[8] = "##";
        (*ids)[c] = -1;
        if (t->seen[c] == 0 || (inner && !t->inside[c]))
            continue;
        int n = ig_utf8_put(text + 2, c);
        IG_TRY(add_symbol(t, inner ? text : text + 2, inner ? n + 2 : n, &(*ids)[c], err));
    }
    return IG_ERR_OK;
}

static ig_code first_symbols(training *t, ig_err *err)
{
    static const char *const special[N_SPECIAL] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    int32_t id;
    for (int i = 0; i < N_SPECIAL; i++)
        IG_TRY(add_symbol(t, (const uint8_t *)special[i], (int64_t)strlen(special[i]), &id, err));
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

/* The words as symbols; characters outside the alphabet are left out of them. */
static ig_code words_to_symbols(training *t, ig_err *err)
{
    int64_t n_symbol = 0;
    IG_TRY(ig_alloc(&t->symbol, t->words->n_byte, sizeof *t->symbol, "words", err));
    IG_TRY(ig_alloc(&t->start, t->words->n_word + 1, sizeof *t->start, "words", err));
    IG_TRY(ig_alloc(&t->count, t->words->n_word, sizeof *t->count, "words", err));
    for (int64_t i = 0; i < t->words->n_word; i++) {
        const ig_word_entry *w = &t->words->word[i];
        const uint8_t *p = t->words->byte + w->start, *begin = p, *end = p + w->n;
        t->count[i] = w->count;
        while (p < end) {
            uint32_t c;
            const uint8_t *at = p;
            p += ig_utf8_next(p, end, &c, NULL);
            if (t->seen[c] > 0)
                t->symbol[n_symbol++] = at == begin ? t->outer[c] : t->inner[c];
        }
        t->start[i + 1] = n_symbol;
    }
    return IG_ERR_OK;
}

/* The string of a merge: that of a, then that of b without its "##". */
static ig_code add_merged(training *t, int32_t a, int32_t b, int32_t *id, ig_err *err)
{
    const ig_word_entry *x = &t->strings.word[t->string_of[a]];
    const ig_word_entry *y = &t->strings.word[t->string_of[b]];
    int64_t n = (int64_t)x->n + y->n - 2;
    IG_TRY(ig_grow(&t->text, &t->have_text, n, 1, "piece", err));
    memcpy(t->text, t->strings.byte + x->start, (size_t)x->n);
    memcpy(t->text + x->n, t->strings.byte + y->start + 2, (size_t)y->n - 2);
    return add_symbol(t, t->text, n, id, err);
}

/* Notes which pieces are merged. */
static ig_code note_merge(training *t, int32_t a, int32_t b, ig_err *err)
{
    const int32_t part[2] = {a, b};
    for (int i = 0; i < 2 && t->options->model == IG_VOCAB_BPE; i++) {
        const ig_word_entry *s = &t->strings.word[t->string_of[part[i]]];
        IG_TRY(ig_grow(&t->out->merges, &t->have_merges, t->n_merges + s->n + 2, 1, "merges", err));
        memcpy(t->out->merges + t->n_merges, t->strings.byte + s->start, (size_t)s->n);
        t->n_merges += s->n + 1;
        t->out->merges[t->n_merges - 1] = i == 0 ? ' ' : '\n';
        t->out->merges[t->n_merges] = '\0';
    }
    return IG_ERR_OK;
}

static ig_code merge_all(training *t, ig_err *err)
{
    int64_t count, least = t->options->min_frequency > 1 ? t->options->min_frequency : 1;
    int32_t a, b, id;
    ig_code code =
        ig_merger_new(&t->merger, t->symbol, t->start, t->count, (int32_t)t->words->n_word, err);
    while (code == IG_ERR_OK && t->strings.n_word < t->options->size &&
           ig_merger_best(t->merger, &a, &b, &count) && count >= least &&
           t->options->model != IG_VOCAB_CHARS) {
        code = note_merge(t, a, b, err);
        IG_THEN(code, add_merged(t, a, b, &id, err));
        IG_THEN(code, ig_merger_apply(t->merger, id, err));
        t->out->report.n_merge++;
        t->out->report.last_count = count;
    }
    return code;
}

/* The pieces in the order of their ids; a string that was made twice stands where it was made last.
 */
static ig_code write_out(training *t, ig_err *err)
{
    ig_trained *out = t->out;
    IG_TRY(ig_alloc(&out->text, t->strings.n_byte + t->strings.n_word + 1, 1, "vocabulary", err));
    for (int64_t id = 0; id < t->n_id; id++) {
        const ig_word_entry *s = &t->strings.word[t->string_of[id]];
        if (s->count != id)
            continue;
        memcpy(out->text + out->n, t->strings.byte + s->start, (size_t)s->n);
        out->n += s->n + 1;
        out->text[out->n - 1] = '\n';
        out->report.n_piece++;
    }
    out->text[out->n] = '\0';
    return IG_ERR_OK;
}

ig_code ig_merges_train(ig_trained *out, const ig_word_table *words,
                        const ig_wordpiece_options *options, ig_err *err)
{
    training t = {.options = options, .out = out, .words = words};
    ig_code code = first_symbols(&t, err);
    IG_THEN(code, words_to_symbols(&t, err));
    IG_THEN(code, merge_all(&t, err));
    IG_THEN(code, write_out(&t, err));
    ig_word_table_free(&t.strings);
    ig_merger_free(t.merger);
    IG_FREE(t.seen, t.inside, t.outer, t.inner, t.string_of, t.symbol, t.start, t.count, t.text);
    return code;
}

ig_code ig_wordpiece_train(char **out, int64_t *n, ig_text_source_fn *next, void *source,
                           const ig_wordpiece_options *options, ig_wordpiece_report *report,
                           ig_err *err)
{
    ig_trained t = {0};
    ig_word_table words;
    ig_code code = ig_count_words(&words, next, source, options, &t.report, err);
    IG_THEN(code, ig_merges_train(&t, &words, options, err));
    if (report != NULL)
        *report = t.report;
    *out = t.text;
    *n = t.n;
    ig_word_table_free(&words);
    ig_free(t.merges);
    return code;
}
