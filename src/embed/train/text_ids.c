/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines become numbers in the order in which words first occur; at the end the words are sorted
 * and the numbers replaced.
 */
#include "embed/train/text_ids.h"

#include "base/memory.h"
#include "text/lowercase.h"
#include "text/normalize.h"
#include "text/tokenizer/unknown_pieces.h"
#include "text/train/word_counts.h"
#include "text/white_space.h"

#include <string.h>

enum { WORD_CHARS_MAX = 1000 }; /* longer "words" are no words and are left out, but counted */

typedef struct {
    ig_text_ids *out;
    const ig_text_ids_options *o;
    const ig_tokenizer *tokenizer; /* of what the pieces are … */
    const char *const *pieces;     /* … or these */
    ig_word_counts words;          /* in the order in which they came */
    int64_t have_id, have_line, have_joined;
    int32_t in_line; /* tokens of the line so far */
} builder;

static ig_code end_line(builder *b, ig_err *err)
{
    ig_text_ids *t = b->out;
    IG_TRY(ig_grow(&t->line, &b->have_line, t->n_line + 2, sizeof *t->line, "lines", err));
    t->line[++t->n_line] = t->n_token;
    b->in_line = 0;
    return IG_ERR_OK;
}

static ig_code add_word(builder *b, const char *word, int64_t n, ig_err *err)
{
    ig_text_ids *t = b->out;
    int32_t id;
    if (b->o->max_line > 0 && b->in_line == b->o->max_line)
        IG_TRY(end_line(b, err));
    IG_TRY(ig_word_counts_add(&b->words, word, n, 1, &id, err));
    IG_TRY(ig_grow(&t->id, &b->have_id, t->n_token + 1, sizeof *t->id, "tokens", err));
    t->id[t->n_token++] = id;
    b->in_line++;
    return IG_ERR_OK;
}

static ig_code finish_line(builder *b, ig_err *err)
{
    const char *end = b->o->line_end;
    if (b->in_line == 0)
        return IG_ERR_OK;
    if (end != NULL)
        IG_TRY(add_word(b, end, (int64_t)strlen(end), err));
    return end_line(b, err);
}

/* Sorts the words that are frequent enough; gives the new number of each old one (−1: left out). */
static ig_code rank(const builder *b, ig_word_counts *sorted, int32_t *to, ig_err *err)
{
    IG_OWNED ig_counted_word *r = NULL;
    IG_TRY(ig_word_counts_sorted(&r, &b->words, ig_counted_by_count, err));
    for (int32_t i = 0; i < b->words.words.n; i++) {
        to[r[i].id] = -1;
        if (r[i].count >= b->o->min_count)
            IG_TRY(ig_word_counts_add(sorted, r[i].word, (int64_t)strlen(r[i].word), r[i].count,
                                      &to[r[i].id], err));
    }
    return IG_ERR_OK;
}

static void renumber(ig_text_ids *t, const int32_t *to)
{
    int64_t n = 0, n_line = 0, from = 0;
    for (int64_t l = 0; l < t->n_line; l++) {
        int64_t end = t->line[l + 1], first = n;
        for (int64_t i = from; i < end; i++)
            if (to[t->id[i]] >= 0)
                t->id[n++] = to[t->id[i]];
        from = end;
        if (n > first)
            t->line[++n_line] = n;
    }
    t->n_token = t->n_count = n;
    t->n_line = n_line;
}

static ig_code finish(const builder *b, const char *where, ig_err *err)
{
    ig_text_ids *t = b->out;
    ig_word_counts sorted = {0};
    int32_t *to, n = b->words.words.n;
    t->n_read = t->n_token;
    t->n_type = n;
    if (n == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "found no words");
    IG_TRY(ig_alloc(&to, n, sizeof *to, "words", err));
    ig_code code = rank(b, &sorted, to, err);
    t->words = sorted.words;
    t->count = sorted.count;
    if (code == IG_ERR_OK) {
        renumber(t, to);
        if (t->words.n == 0)
            code = ig_fail(err, IG_ERR_INPUT, where, 0,
                           "none of %d words occurs %lld times (the minimum count)", n,
                           (long long)b->o->min_count);
    }
    ig_free(to);
    return code;
}

void ig_text_ids_free(ig_text_ids *t)
{
    ig_lexicon_free(&t->words);
    IG_FREE(t->count, t->id, t->line, t->joined);
    *t = (ig_text_ids){0};
}

/* Ends a reading, after success or failure. */
static ig_code end(builder *b, ig_code code, const char *where, ig_err *err)
{
    IG_THEN(code, finish(b, where, err));
    ig_word_counts_free(&b->words);
    if (code != IG_ERR_OK)
        ig_text_ids_free(b->out);
    return code;
}

static ig_code begin(builder *b, ig_text_ids *out, const ig_text_ids_options *o, ig_err *err)
{
    *out = (ig_text_ids){0};
    *b = (builder){.out = out, .o = o};
    return ig_grow(&out->line, &b->have_line, 1, sizeof *out->line, "lines", err);
}

static ig_code add_blanks(builder *b, const char *text, int64_t n, ig_err *err)
{
    const char *word, *const end = text + n;
    for (int64_t size; (word = ig_next_word(&text, end, &size)) != NULL;)
        if (size > 4 * WORD_CHARS_MAX)
            b->out->n_too_long++;
        else
            IG_TRY(add_word(b, word, size, err));
    return IG_ERR_OK;
}

static ig_code add_words(builder *b, const ig_chars *chars, uint8_t *buffer, const char *text,
                         int64_t n, ig_err *err)
{
    ig_text_ids *t = b->out;
    ig_words w = ig_words_make(chars, text, n, buffer, WORD_CHARS_MAX);
    for (const uint8_t *end = w.p; ig_words_next(&w); end = w.p) {
        if (w.n_char > WORD_CHARS_MAX) {
            t->n_too_long++;
            continue;
        }
        IG_TRY(add_word(b, (const char *)w.word, w.n, err));
        if (!b->o->joined)
            continue;
        IG_TRY(ig_grow(&t->joined, &b->have_joined, t->n_token, sizeof *t->joined, "tokens", err));
        t->joined[t->n_token - 1] = b->in_line == 1 || (*end != ' ' && *end != '\t');
    }
    return IG_ERR_OK;
}

/* Adds a line of pieces. */
static ig_code add_pieces(builder *b, const int32_t *id, int64_t n, ig_err *err)
{
    for (int64_t i = 0; i < n; i++) {
        const char *piece =
            b->pieces != NULL ? b->pieces[id[i]] : ig_tokenizer_piece(b->tokenizer, id[i]);
        IG_TRY(add_word(b, piece, (int64_t)strlen(piece), err));
    }
    return finish_line(b, err);
}

/* Cuts a sentence by a tokenizer, BERT's split, or blanks. */
typedef struct {
    ig_chars *chars;
    uint8_t *buffer;
    ig_lowercase *lower;
    int32_t *id; /* of a tokenizer */
    int64_t have_id;
    ig_unknown_pieces unknown;
} cutter;

static ig_code cutter_open(cutter *c, const ig_text_ids_options *o, ig_err *err)
{
    if (o->split == IG_SPLIT_WORDS) {
        IG_TRY(ig_chars_new(&c->chars, &(ig_chars_rules){0}, err));
        IG_TRY(ig_alloc(&c->buffer, IG_WORDS_BUFFER(WORD_CHARS_MAX), 1, "word", err));
    }
    return o->lowercase ? ig_lowercase_new(&c->lower, err) : IG_ERR_OK;
}

static void cutter_close(cutter *c)
{
    ig_chars_free(c->chars);
    ig_lowercase_free(c->lower);
    IG_FREE(c->buffer, c->id);
}

static ig_code cut_sentence(builder *b, cutter *c, const char *text, int64_t n, ig_err *err)
{
    const ig_tokenizer *t = b->tokenizer;
    if (t != NULL) {
        int64_t n_id = 0;
        IG_TRY(ig_tokenizer_encode(t, text, n, &c->id, &n_id, &c->have_id, err));
        IG_TRY(ig_unknown_add(&c->unknown, t, &(ig_cut_text){text, n, c->id, n_id, 1}, err));
        return add_pieces(b, c->id, n_id, err);
    }
    if (c->lower != NULL)
        IG_TRY(ig_lowercase_text(c->lower, &text, &n, err));
    IG_TRY(c->chars != NULL ? add_words(b, c->chars, c->buffer, text, n, err)
                            : add_blanks(b, text, n, err));
    return finish_line(b, err);
}

ig_code ig_text_ids_read(ig_text_ids *out, ig_sentences *s, const ig_tokenizer *t,
                         const ig_text_ids_options *o, ig_err *err)
{
    builder b;
    cutter c = {0};
    const char *text = "";
    int64_t n;
    ig_code code = begin(&b, out, o, err);
    b.tokenizer = t;
    if (t == NULL)
        IG_THEN(code, cutter_open(&c, o, err));
    while (code == IG_ERR_OK && text != NULL) {
        code = ig_sentences_next(s, &text, &n, err);
        if (code == IG_ERR_OK && text != NULL)
            code = cut_sentence(&b, &c, text, n, err);
    }
    IG_THEN(code, ig_unknown_check(&c.unknown, ig_sentences_where(s), o->allow_unknown, err));
    cutter_close(&c);
    return end(&b, code, ig_sentences_where(s), err);
}

ig_code ig_text_ids_shard(ig_text_ids *out, const ig_shard *shard, const char *where,
                          const ig_tokenizer *t, const ig_text_ids_options *o, ig_err *err)
{
    builder b;
    ig_code code = begin(&b, out, o, err);
    b.tokenizer = t;
    if (code == IG_ERR_OK && shard->vocab_hash != ig_vocab_fingerprint(t))
        code = ig_fail(err, IG_ERR_INPUT, where, 0, "was made with another vocabulary");
    for (int64_t i = 0; i < shard->n_sentence && code == IG_ERR_OK; i++) {
        int32_t n;
        const int32_t *id = ig_shard_sentence(shard, i, &n);
        code = add_pieces(&b, id, n, err);
    }
    return end(&b, code, where, err);
}

ig_code ig_text_ids_corpus(ig_text_ids *out, const ig_text_ids_sequences *of,
                           const ig_text_ids_options *o, ig_err *err)
{
    const ig_corpus *c = of->corpus;
    const int only = of->language, last = only < 0 ? ig_corpus_n_language(c) - 1 : only;
    int32_t id[IG_SEQUENCE_MAX];
    uint32_t origin[IG_SEQUENCE_MAX], word[IG_SEQUENCE_MAX];
    builder b;
    ig_code code = begin(&b, out, o, err);
    b.pieces = of->pieces;
    for (int k = only < 0 ? 0 : only; k <= last; k++) {
        const int64_t all = ig_corpus_n_sequence(c, k),
                      n = of->most > 0 && of->most < all ? of->most : all;
        for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
            const int32_t size = ig_corpus_content(c, k, i, of->length, id, origin, word);
            code = add_pieces(&b, id, size, err);
        }
    }
    return end(&b, code, only < 0 ? "the languages" : ig_corpus_language(c, only)->name, err);
}
