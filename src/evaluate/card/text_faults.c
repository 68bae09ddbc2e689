/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts a text's words by ICU's word breaker, which finds words by dictionaries where a script has
 * no blanks, and its pieces in several spellings: unknown or small pieces that go away in another
 * one are not the vocabulary's fault.
 */
#include "evaluate/card/text_faults.h"

#include "base/memory.h"
#include "evaluate/card/spelling.h"
#include "text/tokenizer/pipeline.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

/* --- the vocabulary */

enum { MOST = 128 }; /* bytes of a word; no longer one is looked at */

/* Finds whether a piece begins a word and is neither a special token nor a part of a character;
 * *word is its text, without the mark of a word's begin and bytes as themselves. */
static ig_code word_of(ig_byte_text *word, bool *is, const ig_tokenizer *t, int32_t id, ig_err *err)
{
    const char *p = ig_tokenizer_piece(t, id);
    word->n = 0;
    *is = false;
    if (p == NULL || p[0] == '\0' || p[0] == '[' || p[0] == '<' || ig_tokenizer_continues(t, id))
        return IG_ERR_OK;
    IG_TRY(ig_tokenizer_piece_text(word, t, id, err));
    word->text[word->n] = '\0';
    *is = word->n > 0 && word->n < MOST && memchr(word->text, '\0', (size_t)word->n) == NULL &&
          ig_utf8_check(word->text, word->n) < 0;
    return IG_ERR_OK;
}

typedef struct {
    int64_t n, tried, reached;
} spelled_pieces;

/* Finds whether the tokenizer makes one piece of a word, at the beginning of a text or after a
 * blank: `id`; −1: any that is known. */
static ig_code is_made(bool *made, const ig_tokenizer *t, const char *word, int32_t id, ig_err *err)
{
    const int32_t unk = ig_tokenizer_special(t, IG_TOKENIZER_UNK);
    char text[MOST + 1];
    IG_OWNED int32_t *piece = NULL;
    int64_t have = 0;
    ig_code code = IG_ERR_OK;
    *made = false;
    text[0] = ' ';
    memcpy(text + 1, word, strlen(word) + 1);
    for (int i = 0; i < 2 && code == IG_ERR_OK && !*made; i++) {
        int64_t n = 0;
        code = ig_tokenizer_encode(t, text + 1 - i, (int64_t)strlen(text) - 1 + i, &piece, &n,
                                   &have, err);
        *made = code == IG_ERR_OK && n == 1 && (id < 0 ? piece[0] != unk : piece[0] == id);
    }
    return code;
}

/* Finds whether the tokenizer makes this piece of its own text. */
static ig_code try_piece(spelled_pieces *s, const ig_tokenizer *t, int32_t id, const char *word,
                         ig_err *err)
{
    enum { most = 200 };
    bool made;
    s->n++;
    if (s->tried >= most)
        return IG_ERR_OK;
    s->tried++;
    IG_TRY(is_made(&made, t, word, id, err));
    s->reached += made;
    return IG_ERR_OK;
}

/* Share of the vocabulary that such pieces are, where the tokenizer makes none of them; else 0. */
static double lost(const spelled_pieces *s, int32_t n)
{
    enum { least = 10 };
    return s->tried >= least && s->reached * 50 <= s->tried ? (double)s->n / (double)n : 0;
}

/* A word of the vocabulary, and without its accents or capitals. */
typedef struct {
    char *word, *plain;
    int32_t id;
} richer;

/* Pieces that are words with accents, with capitals. */
enum { ACCENTED, CASED, N_RICHER };

typedef struct {
    const ig_tokenizer *t;
    ig_speller *speller;
    struct {
        richer *word;
        int64_t n, have;
    } of[N_RICHER];
} vocabulary;

static int by_plain(const void *a, const void *b)
{
    const richer *x = a, *y = b;
    const int order = strcmp(x->plain, y->plain);
    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static ig_code copy(char **out, const char *text, ig_err *err)
{
    IG_TRY(ig_alloc(out, (int64_t)strlen(text) + 1, 1, "piece", err));
    memcpy(*out, text, strlen(text) + 1);
    return IG_ERR_OK;
}

static ig_code add_richer(vocabulary *v, int how, const richer *of, ig_err *err)
{
    IG_TRY(ig_grow(&v->of[how].word, &v->of[how].have, v->of[how].n + 1, sizeof(richer), "pieces",
                   err));
    richer *a = &v->of[how].word[v->of[how].n++];
    *a = (richer){.id = of->id};
    IG_TRY(copy(&a->plain, of->plain, err));
    return copy(&a->word, of->word, err);
}

/* Adds the piece where it has accents or capitals. */
static ig_code look_at_piece(vocabulary *v, spelled_pieces found[N_RICHER], int32_t id, char *word,
                             ig_err *err)
{
    static const ig_spelling as[N_RICHER] = {IG_SPELLED_PLAIN, IG_SPELLED_LOWER};
    const char *plain;
    for (int how = 0; how < N_RICHER; how++) {
        IG_TRY(ig_respell(v->speller, as[how], word, &plain, err));
        if (strcmp(plain, word) == 0)
            continue;
        richer r = {.word = word, .id = id};
        IG_TRY(copy(&r.plain, plain, err));
        ig_code code = add_richer(v, how, &r, err);
        ig_free(r.plain);
        IG_THEN(code, try_piece(&found[how], v->t, id, word, err));
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

static ig_code look_at_pieces(vocabulary *v, ig_text_counts *c, ig_err *err)
{
    spelled_pieces found[N_RICHER] = {0};
    const int32_t size = ig_tokenizer_size(v->t);
    ig_byte_text word = {0};
    ig_code code = IG_ERR_OK;
    for (int32_t id = 0; id < size && code == IG_ERR_OK; id++) {
        bool is;
        code = word_of(&word, &is, v->t, id, err);
        if (code == IG_ERR_OK && is)
            code = look_at_piece(v, found, id, (char *)word.text, err);
    }
    ig_free(word.text);
    IG_TRY(code);
    c->upper_pieces = lost(&found[CASED], size);
    c->accented_pieces = lost(&found[ACCENTED], size);
    for (int how = 0; how < N_RICHER; how++)
        if (v->of[how].n > 0)
            qsort(v->of[how].word, (size_t)v->of[how].n, sizeof(richer), by_plain);
    return IG_ERR_OK;
}

/* A word of n bytes with the accents or capitals that it has in the vocabulary, which has it in no
 * other form; NULL: none. */
static ig_code richer_of(const char **out, const vocabulary *v, int how, const char *word,
                         int64_t n, ig_err *err)
{
    enum { least = 3 };
    char text[MOST];
    bool known;
    *out = NULL;
    if (n < least || n >= (int64_t)sizeof text)
        return IG_ERR_OK;
    memcpy(text, word, (size_t)n);
    text[n] = '\0';
    const richer *all = v->of[how].word;
    int64_t low = 0, high = v->of[how].n;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (strcmp(all[mid].plain, text) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == v->of[how].n || strcmp(all[low].plain, text) != 0)
        return IG_ERR_OK;
    known = ig_tokenizer_id(v->t, text) >= 0;
    if (!known)
        IG_TRY(is_made(&known, v->t, text, -1, err));
    *out = known ? NULL : all[low].word;
    return IG_ERR_OK;
}

/* --- sentences */

typedef struct {
    vocabulary v;
    ig_text_counts *c;
    ig_word_breaker *breaker;
    char *text[N_RICHER]; /* with accents, with capitals */
    int64_t have_text[N_RICHER];
    int32_t *piece;
    int64_t have_piece;
} counter;

/* The sentence with the vocabulary's accents or capitals becomes k->text[how]; *n_word counts. */
static ig_code enrich(counter *k, int how, const char *sentence, double *n_word, ig_err *err)
{
    const char *word;
    int64_t n = (int64_t)strlen(sentence), size, at = 0, from = 0;
    IG_TRY(ig_word_breaker_set(k->breaker, sentence, n, err));
    while ((word = ig_word_breaker_next(k->breaker, &size)) != NULL) {
        const char *with;
        ++*n_word;
        IG_TRY(richer_of(&with, &k->v, how, word, size, err));
        if (with == NULL)
            continue;
        const int64_t before = word - sentence - from, length = (int64_t)strlen(with);
        IG_TRY(ig_grow(&k->text[how], &k->have_text[how], at + before + length + n + 1, 1, "text",
                       err));
        memcpy(k->text[how] + at, sentence + from, (size_t)before);
        memcpy(k->text[how] + at + before, with, (size_t)length);
        at += before + length;
        from = word - sentence + size;
    }
    IG_TRY(ig_grow(&k->text[how], &k->have_text[how], at + n - from + 1, 1, "text", err));
    memcpy(k->text[how] + at, sentence + from, (size_t)(n - from) + 1);
    return IG_ERR_OK;
}

static ig_code count_words(counter *k, int64_t i, const char *sentence, ig_err *err)
{
    const int64_t n = (int64_t)strlen(sentence);
    double again = 0;
    k->c->byte[i] = (double)n;
    IG_TRY(enrich(k, ACCENTED, sentence, &k->c->word[i], err));
    IG_TRY(enrich(k, CASED, sentence, &again, err));
    ig_count_characters(sentence, n, &k->c->character[i], &k->c->spaceless[i]);
    return IG_ERR_OK;
}

static ig_code count_pieces(counter *k, int64_t i, const char *sentence, ig_spelling as,
                            ig_err *err)
{
    const int32_t unk = ig_tokenizer_special(k->v.t, IG_TOKENIZER_UNK);
    const char *text = sentence;
    int64_t n = 0;
    if (as == IG_SPELLED_ACCENTED || as == IG_SPELLED_CASED)
        text = k->text[as == IG_SPELLED_CASED ? CASED : ACCENTED];
    else if (as != IG_SPELLED_AS_IS)
        IG_TRY(ig_respell(k->v.speller, as, sentence, &text, err));
    if (as != IG_SPELLED_AS_IS && strcmp(text, sentence) == 0) {
        k->c->piece[as][i] = k->c->piece[IG_SPELLED_AS_IS][i];
        k->c->unknown[as][i] = k->c->unknown[IG_SPELLED_AS_IS][i];
        k->c->length[as][i] = k->c->length[IG_SPELLED_AS_IS][i];
        return IG_ERR_OK;
    }
    const int64_t size = (int64_t)strlen(text);
    for (int64_t p = 0; p < size; p++)
        k->c->length[as][i] += ((uint8_t)text[p] & 0xC0) != 0x80;
    IG_TRY(ig_tokenizer_encode(k->v.t, text, size, &k->piece, &n, &k->have_piece, err));
    k->c->piece[as][i] = (double)n;
    for (int64_t p = 0; p < n; p++)
        k->c->unknown[as][i] += k->piece[p] == unk;
    return as == IG_SPELLED_AS_IS ? ig_unknown_add(&k->c->pieces, k->v.t,
                                                   &(ig_cut_text){text, size, k->piece, n, 1}, err)
                                  : IG_ERR_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ig_code count_repeated(ig_text_counts *c, const ig_sentence_list *text, ig_err *err)
{
    IG_OWNED const char **all = NULL;
    IG_TRY(ig_alloc(&all, text->n, sizeof *all, "sentences", err));
    for (int64_t i = 0; i < text->n; i++)
        all[i] = ig_sentence(text, i);
    if (text->n > 0)
        qsort(all, (size_t)text->n, sizeof *all, by_text);
    for (int64_t i = 1; i < text->n; i++)
        c->n_repeated += strcmp(all[i], all[i - 1]) == 0;
    return IG_ERR_OK;
}

static ig_code count_all(counter *k, const ig_sentence_list *text, ig_err *err)
{
    IG_TRY(ig_speller_new(&k->v.speller, err));
    IG_TRY(ig_word_breaker_new(&k->breaker, err));
    if (k->v.t != NULL)
        IG_TRY(look_at_pieces(&k->v, k->c, err));
    for (int64_t i = 0; i < text->n; i++) {
        IG_TRY(count_words(k, i, ig_sentence(text, i), err));
        for (int as = 0; as < IG_SPELLED_N && k->v.t != NULL; as++)
            IG_TRY(count_pieces(k, i, ig_sentence(text, i), (ig_spelling)as, err));
    }
    return count_repeated(k->c, text, err);
}

ig_code ig_text_counts_make(ig_text_counts *c, const ig_sentence_list *text, const ig_tokenizer *t,
                            ig_err *err)
{
    counter k = {.v = {.t = t}, .c = c};
    *c = (ig_text_counts){.n = text->n};
    double **const of[] = {&c->word, &c->character, &c->byte, &c->spaceless};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < 4; i++)
        IG_THEN(code, ig_alloc(of[i], text->n, sizeof **of[i], "counts", err));
    for (int as = 0; as < IG_SPELLED_N; as++) {
        IG_THEN(code, ig_alloc(&c->piece[as], text->n, sizeof *c->piece[as], "counts", err));
        IG_THEN(code, ig_alloc(&c->unknown[as], text->n, sizeof *c->unknown[as], "counts", err));
        IG_THEN(code, ig_alloc(&c->length[as], text->n, sizeof *c->length[as], "counts", err));
    }
    IG_THEN(code, count_all(&k, text, err));
    for (int how = 0; how < N_RICHER; how++) {
        for (int64_t i = 0; i < k.v.of[how].n; i++)
            IG_FREE(k.v.of[how].word[i].plain, k.v.of[how].word[i].word);
        IG_FREE(k.v.of[how].word, k.text[how]);
    }
    ig_speller_free(k.v.speller);
    ig_word_breaker_free(k.breaker);
    ig_free(k.piece);
    return code;
}

void ig_text_counts_free(ig_text_counts *c)
{
    IG_FREE(c->word, c->character, c->byte, c->spaceless);
    for (int as = 0; as < IG_SPELLED_N; as++) {
        IG_FREE(c->piece[as], c->unknown[as], c->length[as]);
    }
    *c = (ig_text_counts){0};
}

int64_t ig_same_sentences(const ig_sentence_list *a, const ig_sentence_list *b)
{
    int64_t same = 0;
    for (int64_t i = 0; i < a->n && i < b->n; i++)
        same += strcmp(ig_sentence(a, i), ig_sentence(b, i)) == 0;
    return same;
}
