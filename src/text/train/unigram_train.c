/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a unigram language model (Kudo 2018, §3.2), as SentencePiece does it, on words with
 * their counts:
 *   1. pieces are all characters and the best frequent substrings (unigram_seed.h);
 *   2. twice: expected counts of all pieces over all segmentations of all words (forward-backward);
 *      the new log probability is digamma(count) − digamma(sum), which makes rare pieces disappear;
 *   3. a piece whose own most probable segmentation is of other pieces is removed; of the others,
 *      those are removed whose loss of likelihood, with their occurrences segmented in the second
 *      best way, is smallest, until three quarters are left;
 *   4. from 2 until 10 % more than requested are left; then the most probable ones and all
 *      characters are kept.
 * Sums run over the words in the order of their bytes, in double, so the result depends only on
 * the counts. SentencePiece itself would need a C++ interface, and a C++ compiler for every user
 * of the library.
 */
#include "text/train/unigram_train.h"

#include "base/memory.h"
#include "base/numeric/digamma.h"
#include "base/pool.h"
#include "text/tokenizer/vocab.h"
#include "text/tokenizer/wordpiece_trie.h"
#include "text/train/unigram_seed.h"
#include "text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_CHARS_MAX = 100, SEED_FACTOR = 30, SEED_MAX = 1000000 };
static const char mark[] = "\xE2\x96\x81";

typedef struct {
    const char *text; /* NUL-terminated, in the pool */
    double score, expected, loss;
    bool character; /* never removed */
} piece;

/* Quantities of a position between two bytes of a word. */
typedef struct {
    double forward, backward; /* log sums over all segmentations of the bytes before and after */
    double best;      /* of the most probable segmentation up to here: its log probability … */
    int32_t from, id; /* … and its last piece */
} node;

typedef struct {
    const ig_wordpiece_options *options;
    uint8_t *byte; /* the words, each with the mark before it */
    int64_t *start, *count, n_word;
    piece *piece;
    int64_t n_piece, have_piece;
    ig_pool pool;    /* the texts of all pieces, removed ones included */
    char *text;      /* of all pieces, in the form that the trie needs */
    int64_t *offset; /* [n_piece + 1] */
    ig_trie trie;
    node *node; /* of one word, by bytes */
    int64_t have_node;
} training;

/* --- words */

static ig_code add_piece(training *t, const uint8_t *byte, int32_t n, double weight, bool character,
                         ig_err *err)
{
    IG_TRY(ig_grow(&t->piece, &t->have_piece, t->n_piece + 1, sizeof *t->piece, "pieces", err));
    piece *p = &t->piece[t->n_piece++];
    *p = (piece){.score = weight, .character = character};
    return ig_pool_text(&t->pool, &p->text, (const char *)byte, (size_t)n, err);
}

/* Adds the alphabet as pieces: the most frequent characters, and the mark. kept[c] records
 * which. */
static ig_code add_alphabet(training *t, const ig_word_counts *words, bool **kept,
                            ig_wordpiece_report *report, ig_err *err)
{
    enum { CODES = 0x110000 };
    IG_OWNED int64_t *seen = NULL;
    IG_OWNED ig_char_count *list = NULL;
    int32_t n = 0;
    const int32_t limit = t->options->limit_alphabet;
    IG_TRY(ig_alloc(&seen, CODES, sizeof *seen, "characters", err));
    for (int32_t i = 0; i < words->words.n; i++) {
        const uint8_t *p = (const uint8_t *)ig_lexicon_get(&words->words, i),
                      *end = p + ig_lexicon_size(&words->words, i);
        for (uint32_t c; p < end; seen[c] += words->count[i])
            p += ig_utf8_next(p, end, &c);
        t->count[0] += words->count[i];
    }
    IG_TRY(ig_chars_by_count(&list, &n, seen, CODES, err));
    report->n_char = limit > 0 && n > limit ? limit : n;
    report->n_char_left_out = n - report->n_char;
    IG_TRY(ig_alloc(kept, CODES, sizeof **kept, "characters", err));
    IG_TRY(add_piece(t, (const uint8_t *)mark, 3, (double)t->count[0], true, err));
    for (int32_t i = 0; i < report->n_char; i++) {
        uint8_t text[4];
        (*kept)[list[i].c] = true;
        if (list[i].c != 0x2581)
            IG_TRY(
                add_piece(t, text, ig_utf8_put(text, list[i].c), (double)list[i].count, true, err));
    }
    return IG_ERR_OK;
}

/* Copies the words in the order of their bytes, except those with a character outside the
 * alphabet. */
static ig_code copy_words(training *t, const ig_word_counts *words, ig_wordpiece_report *report,
                          ig_err *err)
{
    const int64_t n_word = words->words.n;
    IG_OWNED ig_counted_word *list = NULL;
    IG_OWNED bool *kept = NULL;
    IG_TRY(ig_alloc(&t->count, n_word + 1, sizeof *t->count, "words", err));
    IG_TRY(ig_alloc(&t->start, n_word + 1, sizeof *t->start, "words", err));
    IG_TRY(ig_alloc(&t->byte, words->words.start[n_word] + 2 * n_word, 1, "words", err));
    IG_TRY(add_alphabet(t, words, &kept, report, err));
    IG_TRY(ig_word_counts_sorted(&list, words, ig_counted_by_bytes, err));
    for (int64_t i = 0; i < n_word; i++) {
        const uint8_t *p = (const uint8_t *)list[i].word, *begin = p,
                      *end = p + strlen(list[i].word);
        bool good = true;
        int n_char = 0;
        for (uint32_t c; p < end && good; n_char++) {
            p += ig_utf8_next(p, end, &c);
            good = kept[c];
        }
        if (!good || n_char > WORD_CHARS_MAX)
            continue;
        uint8_t *to = t->byte + t->start[t->n_word];
        memcpy(to, mark, 3);
        memcpy(to + 3, begin, (size_t)(end - begin));
        t->count[t->n_word] = list[i].count;
        t->start[t->n_word + 1] = t->start[t->n_word] + 3 + (end - begin);
        t->n_word++;
    }
    return IG_ERR_OK;
}

static ig_code take_seeds(training *t, ig_err *err)
{
    ig_seed *seed;
    int64_t n, most = (int64_t)SEED_FACTOR * t->options->size;
    most = most > SEED_MAX ? SEED_MAX : most;
    IG_TRY(ig_unigram_seed(&seed, &n, &(ig_seed_words){t->byte, t->start, t->count, t->n_word},
                           most, err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        code = add_piece(t, seed[i].byte, seed[i].n, (double)(seed[i].count * seed[i].n_char),
                         false, err);
    ig_free(seed);
    double sum = 0;
    for (int64_t i = 0; i < t->n_piece; i++)
        sum += t->piece[i].score;
    for (int64_t i = 0; i < t->n_piece; i++)
        t->piece[i].score = log(t->piece[i].score / sum);
    return code;
}

/* --- expectation and maximisation */

static ig_code build_trie(training *t, ig_err *err)
{
    int64_t size = 0;
    ig_trie_free(&t->trie);
    t->trie = (ig_trie){0};
    IG_FREE(t->text, t->offset);
    t->text = NULL;
    t->offset = NULL;
    for (int64_t i = 0; i < t->n_piece; i++)
        size += (int64_t)strlen(t->piece[i].text) + 1;
    IG_TRY(ig_alloc(&t->text, size + 1, 1, "pieces", err));
    IG_TRY(ig_alloc(&t->offset, t->n_piece + 1, sizeof *t->offset, "pieces", err));
    for (int64_t i = 0; i < t->n_piece; i++) {
        strcpy(t->text + t->offset[i], t->piece[i].text);
        t->offset[i + 1] = t->offset[i] + (int64_t)strlen(t->piece[i].text) + 1;
    }
    return ig_trie_build(&t->trie, t->text, t->offset, (int32_t)t->n_piece, err);
}

static ig_code make_nodes(training *t, int64_t n, ig_err *err)
{
    return ig_grow(&t->node, &t->have_node, n + 1, sizeof *t->node, "word", err);
}

static double log_add(double a, double b)
{
    if (!(a > -1e300))
        return b;
    return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

/* An iterator over the pieces that begin at a byte of a word of n bytes, shorter ones first; the
 * last piece ends before `end`. */
typedef struct {
    int64_t end;
    int32_t state;
} pieces_at;

/* Returns −1 after the last piece. */
static int32_t next_piece(const training *t, pieces_at *p, const uint8_t *word, int64_t n)
{
    while (p->end < n && (p->state = ig_trie_step(&t->trie, p->state, word[p->end])) >= 0) {
        p->end++;
        if (t->trie.cell[p->state].value >= 0)
            return t->trie.cell[p->state].value;
    }
    return -1;
}

/* Adds one word's expected counts; its log likelihood is not needed. */
static void expect(training *t, const uint8_t *word, int64_t n, double count)
{
    node *const at = t->node;
    int32_t id;
    for (int64_t i = 0; i <= n; i++)
        at[i].forward = at[i].backward = (double)-INFINITY;
    at[0].forward = at[n].backward = 0;
    for (int64_t i = 0; i < n; i++)
        if (at[i].forward > -1e300)
            for (pieces_at p = {.end = i}; (id = next_piece(t, &p, word, n)) >= 0;)
                at[p.end].forward = log_add(at[p.end].forward, at[i].forward + t->piece[id].score);
    for (int64_t i = n - 1; i >= 0; i--)
        if (at[i].forward > -1e300)
            for (pieces_at p = {.end = i}; (id = next_piece(t, &p, word, n)) >= 0;) {
                if (!(at[p.end].backward > -1e300))
                    continue;
                const double through = t->piece[id].score + at[p.end].backward;
                at[i].backward = log_add(at[i].backward, through);
                t->piece[id].expected += count * exp(at[i].forward + through - at[n].forward);
            }
}

static void drop(training *t, bool (*keep)(const piece *p))
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->n_piece; i++)
        if (keep(&t->piece[i]))
            t->piece[n++] = t->piece[i];
    t->n_piece = n;
}

static bool is_expected(const piece *p)
{
    return p->character || p->expected >= 0.5;
}

static ig_code improve(training *t, ig_err *err)
{
    IG_TRY(build_trie(t, err));
    for (int64_t i = 0; i < t->n_piece; i++)
        t->piece[i].expected = 0;
    for (int64_t w = 0; w < t->n_word; w++) {
        const int64_t n = t->start[w + 1] - t->start[w];
        IG_TRY(make_nodes(t, n, err));
        expect(t, t->byte + t->start[w], n, (double)t->count[w]);
    }
    drop(t, is_expected);
    double sum = 0;
    for (int64_t i = 0; i < t->n_piece; i++) {
        piece *p = &t->piece[i];
        p->expected = p->expected > 0.5 ? p->expected : 0.5;
        sum += p->expected;
    }
    for (int64_t i = 0; i < t->n_piece; i++)
        t->piece[i].score = ig_digamma(t->piece[i].expected) - ig_digamma(sum);
    return IG_ERR_OK;
}

/* --- pruning */

/* Writes the most probable segmentation of a string into t->from and t->id by the ends of pieces;
 * `whole` false: not as one piece. Returns false if there is none. */
static bool cut(training *t, const uint8_t *word, int64_t n, bool whole)
{
    node *const at = t->node;
    int32_t id;
    for (int64_t i = 0; i <= n; i++) {
        at[i].best = (double)-INFINITY;
        at[i].from = -1;
    }
    at[0].best = 0;
    for (int64_t i = 0; i < n; i++)
        if (at[i].best > -1e300)
            for (pieces_at p = {.end = i}; (id = next_piece(t, &p, word, n)) >= 0;) {
                const double score = at[i].best + t->piece[id].score;
                if (score > at[p.end].best && (whole || i > 0 || p.end < n)) {
                    at[p.end].best = score;
                    at[p.end].from = (int32_t)i;
                    at[p.end].id = id;
                }
            }
    return at[n].from >= 0;
}

static int by_loss(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->character != y->character)
        return x->character ? -1 : 1;
    if (x->loss != y->loss)
        return x->loss > y->loss ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Counts the pieces of the most probable segmentations in `expected`. */
static ig_code count_cuts(training *t, double *sum, ig_err *err)
{
    for (int64_t i = 0; i < t->n_piece; i++)
        t->piece[i].expected = 0;
    *sum = 0;
    for (int64_t w = 0; w < t->n_word; w++) {
        const int64_t n = t->start[w + 1] - t->start[w];
        IG_TRY(make_nodes(t, n, err));
        if (!cut(t, t->byte + t->start[w], n, true))
            continue;
        for (int64_t i = n; i > 0; i = t->node[i].from) {
            t->piece[t->node[i].id].expected += (double)t->count[w];
            *sum += (double)t->count[w];
        }
    }
    return IG_ERR_OK;
}

/* Returns the loss of removing a piece: each of its occurrences gets its second best
 * segmentation. */
static double loss_of(training *t, piece *p, double sum)
{
    const uint8_t *text = (const uint8_t *)p->text;
    const int64_t n = (int64_t)strlen(p->text);
    if (p->expected <= 0)
        return 0;
    const bool itself = cut(t, text, n, true) && t->node[n].from == 0;
    if (!itself)
        return 0;
    if (!cut(t, text, n, false))
        return (double)INFINITY;
    int64_t n_part = 0;
    for (int64_t i = n; i > 0; i = t->node[i].from)
        n_part++;
    const double log_sum = log(sum + p->expected * (double)(n_part - 1));
    double instead = 0;
    for (int64_t i = n; i > 0; i = t->node[i].from)
        instead += log(t->piece[t->node[i].id].expected + p->expected) - log_sum;
    return p->expected / sum * (log(p->expected) - log(sum) - instead);
}

static bool is_worth(const piece *p)
{
    return p->character || p->loss > 0;
}

static ig_code prune(training *t, int64_t wanted, ig_err *err)
{
    double sum;
    IG_TRY(build_trie(t, err));
    IG_TRY(count_cuts(t, &sum, err));
    for (int64_t i = 0; i < t->n_piece; i++) {
        IG_TRY(make_nodes(t, (int64_t)strlen(t->piece[i].text), err));
        t->piece[i].loss = t->piece[i].character ? 0 : loss_of(t, &t->piece[i], sum);
    }
    const int64_t quarters = t->n_piece * 3 / 4, keep = quarters > wanted ? quarters : wanted;
    drop(t, is_worth);
    qsort(t->piece, (size_t)t->n_piece, sizeof *t->piece, by_loss);
    t->n_piece = t->n_piece < keep ? t->n_piece : keep;
    return IG_ERR_OK;
}

static int by_score(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    return x->score != y->score ? (x->score > y->score ? -1 : 1) : strcmp(x->text, y->text);
}

static int characters_first(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    return x->character != y->character ? (x->character ? -1 : 1) : by_score(a, b);
}

static ig_code fit(training *t, ig_err *err)
{
    const int64_t wanted = t->options->size - IG_N_BERT_TOKEN;
    int64_t n_character = 0, before = -1;
    for (int64_t i = 0; i < t->n_piece; i++)
        n_character += t->piece[i].character;
    if (n_character > wanted) {
        ig_fail(
            err, IG_ERR_INPUT, "", 0,
            "a vocabulary of %d pieces is too small: special tokens and characters alone are %lld",
            t->options->size, (long long)n_character + IG_N_BERT_TOKEN);
        return ig_hint(err, "--limit-alphabet leaves the rarest characters out");
    }
    for (;;) {
        IG_TRY(improve(t, err));
        IG_TRY(improve(t, err));
        if (t->n_piece <= wanted + wanted / 10 || t->n_piece == before)
            break;
        before = t->n_piece;
        IG_TRY(prune(t, wanted + wanted / 10, err));
    }
    qsort(t->piece, (size_t)t->n_piece, sizeof *t->piece, characters_first);
    t->n_piece = t->n_piece < wanted ? t->n_piece : wanted;
    qsort(t->piece, (size_t)t->n_piece, sizeof *t->piece, by_score);
    return IG_ERR_OK;
}

static ig_code write_out(const training *t, ig_trained *out, ig_err *err)
{
    static const char special[] = IG_BERT_TOKEN_LINES;
    int64_t size = sizeof special;
    for (int64_t i = 0; i < t->n_piece; i++)
        size += (int64_t)strlen(t->piece[i].text) + 1;
    IG_TRY(ig_alloc(&out->score, t->n_piece + IG_N_BERT_TOKEN, sizeof *out->score, "scores", err));
    IG_TRY(ig_alloc(&out->text, size, 1, "vocabulary", err));
    memcpy(out->text, special, sizeof special);
    out->n = sizeof special - 1;
    for (int64_t i = 0; i < t->n_piece; i++) {
        out->n += sprintf(out->text + out->n, "%s\n", t->piece[i].text);
        out->score[IG_N_BERT_TOKEN + i] = t->piece[i].score;
    }
    out->report.n_piece = (int32_t)(t->n_piece + IG_N_BERT_TOKEN);
    return IG_ERR_OK;
}

static void training_free(training *t)
{
    ig_pool_free(&t->pool);
    IG_FREE(t->node, t->piece, t->byte, t->start, t->count, t->text, t->offset);
    ig_trie_free(&t->trie);
}

ig_code ig_unigram_train(ig_trained *out, ig_word_counts *words,
                         const ig_wordpiece_options *options, ig_err *err)
{
    training t = {.options = options};
    ig_code code = copy_words(&t, words, &out->report, err);
    ig_word_counts_free(words);
    IG_THEN(code, take_seeds(&t, err));
    IG_THEN(code, fit(&t, err));
    IG_THEN(code, write_out(&t, out, err));
    training_free(&t);
    return code;
}
