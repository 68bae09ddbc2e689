/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts a text's words by ICU's word breaker, which finds words by dictionaries where a script has
 * no blanks, and its pieces in several spellings: unknown or small pieces that go away in another
 * one are not the vocabulary's fault.
 */
#include "evaluate/card/text_faults.h"

#include "base/memory.h"
#include "text/tokenizer/pipeline.h"
#include "text/utf8.h"
#include "text/white_space.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>

static ig_code icu(UErrorCode e, ig_err *err)
{
    return U_SUCCESS(e)
               ? IG_ERR_OK
               : ig_fail(err, e == U_MEMORY_ALLOCATION_ERROR ? IG_ERR_MEMORY : IG_ERR_INPUT, "text",
                         0, "%s", u_errorName(e));
}

/* --- spellings */

/* Freed with speller_free. */
typedef struct {
    const UNormalizer2 *nfc, *nfd;
    UChar *a, *b;
    char *text;
    int64_t have_a, have_b, have_text;
} speller;

static ig_code speller_new(speller **out, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    IG_TRY(ig_alloc(out, 1, sizeof **out, "spelling", err));
    (*out)->nfc = unorm2_getNFCInstance(&e);
    (*out)->nfd = unorm2_getNFDInstance(&e);
    return icu(e, err);
}

static void speller_free(speller *s)
{
    if (s != NULL)
        IG_FREE(s->a, s->b, s->text, s);
}

/* a[n] becomes its normal form, in place. */
static ig_code normalise(speller *s, const UNormalizer2 *form, int32_t *n, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    *n = unorm2_normalize(form, s->a, *n, s->b, (int32_t)s->have_b, &e);
    IG_TRY(icu(e, err));
    memcpy(s->a, s->b, (size_t)*n * sizeof *s->a);
    return IG_ERR_OK;
}

/* Marks beyond the basic plane, of scripts without accents, stay. */
static int32_t without_marks(UChar *a, int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++)
        if (u_charType(a[i]) != U_NON_SPACING_MARK)
            a[kept++] = a[i];
    return kept;
}

/* LOWER (without language), PLAIN (NFD without marks, then NFC), BOTH, NFC. *out is in s's memory
 * and valid until the next call. Bytes that are not UTF-8 become U+FFFD. */
static ig_code respell(speller *s, ig_spelling as, const char *text, const char **out, ig_err *err)
{
    /* A unit of UTF-16 grows to 18 in NFD at most, to 3 in lower case or NFC (UAX #15, §9). */
    enum { grow = 18 };
    const int64_t size = (int64_t)strlen(text);
    UErrorCode e = U_ZERO_ERROR;
    int32_t n = 0;
    IG_TRY(ig_grow(&s->a, &s->have_a, grow * size + 1, sizeof *s->a, "text", err));
    IG_TRY(ig_grow(&s->b, &s->have_b, grow * size + 1, sizeof *s->b, "text", err));
    u_strFromUTF8WithSub(s->a, (int32_t)s->have_a, &n, text, (int32_t)size, 0xFFFD, NULL, &e);
    IG_TRY(icu(e, err));
    if (as == IG_SPELLED_LOWER || as == IG_SPELLED_BOTH) {
        n = u_strToLower(s->b, (int32_t)s->have_b, s->a, n, "", &e);
        IG_TRY(icu(e, err));
        memcpy(s->a, s->b, (size_t)n * sizeof *s->a);
    }
    if (as == IG_SPELLED_PLAIN || as == IG_SPELLED_BOTH) {
        IG_TRY(normalise(s, s->nfd, &n, err));
        n = without_marks(s->a, n);
    }
    if (as != IG_SPELLED_LOWER)
        IG_TRY(normalise(s, s->nfc, &n, err));
    IG_TRY(ig_grow(&s->text, &s->have_text, 3 * (int64_t)n + 1, 1, "text", err));
    int32_t length = 0;
    u_strToUTF8(s->text, (int32_t)s->have_text, &length, s->a, n, &e);
    IG_TRY(icu(e, err));
    s->text[length] = '\0';
    *out = s->text;
    return IG_ERR_OK;
}

/* --- words */

/* Words of a text: what UAX #29 bounds and has a letter, a number or an ideograph; Thai, Chinese
 * and the like by ICU's dictionaries. Freed with word_breaker_free. */
typedef struct {
    UBreakIterator *icu;
    UText text;
    const char *p;
    int64_t from;
} word_breaker;

static ig_code word_breaker_new(word_breaker **out, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    IG_TRY(ig_alloc(out, 1, sizeof **out, "words", err));
    (*out)->text = (UText)UTEXT_INITIALIZER;
    (*out)->icu = ubrk_open(UBRK_WORD, "", NULL, 0, &e);
    return icu(e, err);
}

static void word_breaker_free(word_breaker *b)
{
    if (b == NULL)
        return;
    ubrk_close(b->icu);
    utext_close(&b->text);
    ig_free(b);
}

/* n borrowed bytes. */
static ig_code word_breaker_set(word_breaker *b, const char *text, int64_t n, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    b->p = text;
    utext_openUTF8(&b->text, text, n, &e);
    ubrk_setUText(b->icu, &b->text, &e);
    IG_TRY(icu(e, err));
    b->from = ubrk_first(b->icu);
    return IG_ERR_OK;
}

/* The next word, *n bytes; NULL: there is none. */
static const char *word_breaker_next(word_breaker *b, int64_t *n)
{
    for (int32_t to; (to = ubrk_next(b->icu)) != UBRK_DONE;) {
        const int64_t from = b->from;
        b->from = to;
        if (ubrk_getRuleStatus(b->icu) >= UBRK_WORD_NONE_LIMIT) {
            *n = to - from;
            return b->p + from;
        }
    }
    return NULL;
}

static bool has_no_blanks(uint32_t c)
{
    static const UScriptCode script[] = {USCRIPT_HAN,     USCRIPT_HIRAGANA, USCRIPT_KATAKANA,
                                         USCRIPT_THAI,    USCRIPT_LAO,      USCRIPT_KHMER,
                                         USCRIPT_MYANMAR, USCRIPT_TIBETAN};
    UErrorCode e = U_ZERO_ERROR;
    const UScriptCode of = uscript_getScript((UChar32)c, &e);
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        if (script[i] == of)
            return true;
    return false;
}

/* Adds the characters that are no white space, and those of scripts that are written without
 * blanks (Han, kana, Thai, Lao, Khmer, Myanmar, Tibetan). */
static void count_characters(const char *text, int64_t n, double *character, double *spaceless)
{
    const uint8_t *p = (const uint8_t *)text, *const end = p + n;
    while (p < end) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c);
        if (ig_is_white_space(c))
            continue;
        (*character)++;
        *spaceless += c >= 0x80 && has_no_blanks(c);
    }
}

/* --- the vocabulary */

enum { MOST = 128 }; /* bytes of a word; no longer one is looked at */

/* Whether a piece begins a word and is neither a special token nor a part of a character; *word is
 * its text, without the mark of a word's begin and bytes as themselves. */
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

/* Whether the tokenizer makes one piece of a word, at the beginning of a text or after a blank:
 * `id`; −1: any that is known. */
static ig_code is_made(bool *made, const ig_tokenizer *t, const char *word, int32_t id, ig_err *err)
{
    const int32_t unk = ig_tokenizer_special(t, IG_TOKENIZER_UNK);
    char text[MOST + 1];
    int32_t *piece = NULL;
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
    ig_free(piece);
    return code;
}

/* Whether the tokenizer makes this piece of its own text. */
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
    speller *speller;
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
        IG_TRY(respell(v->speller, as[how], word, &plain, err));
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
    word_breaker *breaker;
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
    IG_TRY(word_breaker_set(k->breaker, sentence, n, err));
    while ((word = word_breaker_next(k->breaker, &size)) != NULL) {
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
    count_characters(sentence, n, &k->c->character[i], &k->c->spaceless[i]);
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
        IG_TRY(respell(k->v.speller, as, sentence, &text, err));
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
    const char **all;
    IG_TRY(ig_alloc(&all, text->n, sizeof *all, "sentences", err));
    for (int64_t i = 0; i < text->n; i++)
        all[i] = ig_sentence(text, i);
    if (text->n > 0)
        qsort(all, (size_t)text->n, sizeof *all, by_text);
    for (int64_t i = 1; i < text->n; i++)
        c->n_repeated += strcmp(all[i], all[i - 1]) == 0;
    ig_free(all);
    return IG_ERR_OK;
}

static ig_code count_all(counter *k, const ig_sentence_list *text, ig_err *err)
{
    IG_TRY(speller_new(&k->v.speller, err));
    IG_TRY(word_breaker_new(&k->breaker, err));
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
    speller_free(k.v.speller);
    word_breaker_free(k.breaker);
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
