/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a tokenizer of any kind. All count the same words (BERT's), so that kinds are compared
 * on equal words, and all begin with BERT's five special tokens.
 */
#include "base/memory.h"
#include "text/tokenizer/tokenizer_internal.h"
#include "text/train/unigram_train.h"
#include "text/train/wordpiece_count.h"
#include "text/train/wordpiece_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ig_vocab_model_names[] = {"wordpiece",         "bpe", "words", "chars", "unigram",
                                            "unigram-wordpiece", NULL};

static ig_code from_text(ig_tokenizer **out, const char *text, int64_t n,
                         const ig_wordpiece_options *o, ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = o->lowercase, .keep_controls = o->keep_controls};
    return ig_tokenizer_parse(out, text, n, "vocabulary", &how, err);
}

/* The merges of a text as ig_wordpiece_train_merges gives it. */
static ig_code set_merges(ig_tokenizer *t, char *merges, ig_err *err)
{
    char joined[4 * (IG_COUNT_WORD_MAX + 4)];
    t->kind = IG_TOKENIZER_BPE;
    for (char *line = merges; line != NULL && *line != '\0';) {
        char *space = strchr(line, ' '), *end = strchr(line, '\n');
        *space = *end = '\0';
        strcpy(joined, line);
        strcat(joined, space + 3);
        IG_TRY(ig_bpe_add(&t->bpe, ig_tokenizer_id(t, line), ig_tokenizer_id(t, space + 1),
                          ig_tokenizer_id(t, joined), err));
        line = end + 1;
    }
    return ig_bpe_index(&t->bpe, err);
}

static ig_code train_merges(ig_tokenizer **out, ig_text_source_fn *next, void *source,
                            const ig_wordpiece_options *o, ig_wordpiece_report *report, ig_err *err)
{
    char *text = NULL, *merges = NULL;
    int64_t n;
    const bool bpe = o->model == IG_VOCAB_BPE;
    ig_code code =
        ig_wordpiece_train_merges(&text, &n, bpe ? &merges : NULL, next, source, o, report, err);
    IG_THEN(code, from_text(out, text, n, o, err));
    if (code == IG_ERR_OK && bpe)
        code = set_merges(*out, merges, err);
    IG_FREE(text, merges);
    return code;
}

typedef struct {
    const ig_word_table *table;
    const ig_word_entry *word;
} counted_word;

static int by_count(const void *a, const void *b)
{
    const counted_word *x = a, *y = b;
    if (x->word->count != y->word->count)
        return x->word->count > y->word->count ? -1 : 1;
    const int32_t n = x->word->n < y->word->n ? x->word->n : y->word->n;
    const int c =
        memcmp(x->table->byte + x->word->start, y->table->byte + y->word->start, (size_t)n);
    return c != 0 ? c : (x->word->n > y->word->n) - (x->word->n < y->word->n);
}

static int64_t characters_of(const uint8_t *byte, int32_t n)
{
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++)
        count += (byte[i] & 0xC0) != 0x80;
    return count;
}

/* The most frequent words, of equal ones the smaller by bytes; none longer than WordPiece takes. */
static ig_code pick_words(char **text, int64_t *n, const ig_word_table *t,
                          const ig_wordpiece_options *o, ig_wordpiece_report *report, ig_err *err)
{
    static const char special[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    counted_word *list;
    int64_t have = 0;
    const int64_t least = o->min_frequency > 1 ? o->min_frequency : 1;
    IG_TRY(ig_alloc(&list, t->n_word, sizeof *list, "words", err));
    for (int64_t i = 0; i < t->n_word; i++)
        list[i] = (counted_word){t, &t->word[i]};
    qsort(list, (size_t)t->n_word, sizeof *list, by_count);
    *n = sizeof special - 1;
    ig_code code = ig_grow(text, &have, *n, 1, "vocabulary", err);
    if (code == IG_ERR_OK)
        memcpy(*text, special, (size_t)*n);
    report->n_piece = 5;
    for (int64_t i = 0; i < t->n_word && code == IG_ERR_OK && report->n_piece < o->size; i++) {
        const ig_word_entry *w = list[i].word;
        if (w->count < least)
            break;
        if (characters_of(t->byte + w->start, w->n) > IG_WORD_CHARS_MAX)
            continue;
        code = ig_grow(text, &have, *n + w->n + 1, 1, "vocabulary", err);
        if (code != IG_ERR_OK)
            break;
        memcpy(*text + *n, t->byte + w->start, (size_t)w->n);
        *n += w->n + 1;
        (*text)[*n - 1] = '\n';
        report->n_piece++;
        report->last_count = w->count;
    }
    ig_free(list);
    return code;
}

static ig_code train_words(ig_tokenizer **out, ig_text_source_fn *next, void *source,
                           const ig_wordpiece_options *o, ig_wordpiece_report *report, ig_err *err)
{
    ig_word_table words = {0};
    char *text = NULL;
    int64_t n = 0;
    ig_code code = ig_count_words(&words, next, source, o, report, err);
    if (code == IG_ERR_OK && words.n_word == 0)
        code = ig_fail(err, IG_ERR_INPUT, "", 0,
                       "no word in %lld lines, expected text to train a vocabulary on",
                       (long long)report->n_line);
    IG_THEN(code, pick_words(&text, &n, &words, o, report, err));
    IG_THEN(code, from_text(out, text, n, o, err));
    ig_word_table_free(&words);
    ig_free(text);
    return code;
}

/* K et al. 2020: "▁x", which begins a word, becomes "x", every other piece "##x"; the mark alone,
 * which says nothing there, goes. In place: no line gets longer by more than the mark it lost. */
static ig_code to_wordpiece(char **text, int64_t *n, ig_err *err)
{
    static const char mark[] = "\xE2\x96\x81";
    char *out;
    int64_t to = 0;
    int line = 0;
    IG_TRY(ig_alloc(&out, 3 * *n + 1, 1, "vocabulary", err));
    for (char *p = *text; *p != '\0'; line++) {
        char *end = strchr(p, '\n');
        *end = '\0';
        const bool head = strncmp(p, mark, 3) == 0;
        if (!head || p[3] != '\0')
            to += sprintf(out + to, "%s%s\n", line < 5 || head ? "" : "##", p + (head ? 3 : 0));
        p = end + 1;
    }
    ig_free(*text);
    *text = out;
    *n = to;
    return IG_ERR_OK;
}

static ig_code train_unigram(ig_tokenizer **out, ig_text_source_fn *next, void *source,
                             const ig_wordpiece_options *o, ig_wordpiece_report *report,
                             ig_err *err)
{
    char *text;
    double *score;
    int64_t n;
    const bool convert = o->model == IG_VOCAB_UNIGRAM_WORDPIECE;
    IG_TRY(ig_unigram_train(&text, &n, &score, next, source, o, report, err));
    ig_code code = convert ? to_wordpiece(&text, &n, err) : IG_ERR_OK;
    IG_THEN(code, from_text(out, text, n, o, err));
    if (code == IG_ERR_OK && convert)
        report->n_piece = ig_tokenizer_size(*out);
    if (code == IG_ERR_OK && !convert) {
        ig_tokenizer_set_scores(*out, score);
        score = NULL;
    }
    IG_FREE(text, score);
    return code;
}

ig_code ig_vocab_train(ig_tokenizer **out, ig_text_source_fn *next, void *source,
                       const ig_wordpiece_options *options, ig_wordpiece_report *report,
                       ig_err *err)
{
    ig_wordpiece_report r = {0};
    ig_code code;
    *out = NULL;
    switch (options->model) {
    case IG_VOCAB_UNIGRAM:
    case IG_VOCAB_UNIGRAM_WORDPIECE:
        code = train_unigram(out, next, source, options, &r, err);
        break;
    case IG_VOCAB_WORDS:
        code = train_words(out, next, source, options, &r, err);
        break;
    default:
        code = train_merges(out, next, source, options, &r, err);
    }
    if (report != NULL)
        *report = r;
    if (code != IG_ERR_OK) {
        ig_tokenizer_free(*out);
        *out = NULL;
    }
    return code;
}
