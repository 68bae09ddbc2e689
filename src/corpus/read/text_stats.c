/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of a text and statistics derived from them. The Zipf exponent is the maximum-likelihood
 * one of a finite power law over ranks (A. Clauset, C. Shalizi, M. Newman, "Power-law
 * distributions in empirical data", 2009, eq. 3.5 for a bounded support), because a line through
 * log-log points gives the thousands of words that occur once more weight than the words of which
 * most of the text consists.
 */
#include "corpus/read/text_stats.h"

#include "base/memory.h"
#include "base/order.h"
#include "text/train/word_counts.h"
#include "text/utf8.h"
#include "text/white_space.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>

struct ig_text_counter {
    ig_word_counts type, bigram; /* a bigram's bytes: the numbers of two types, from 1; 0: none */
    int64_t *length;             /* [n_sentence] tokens */
    int64_t n_sentence, have_length;
    int64_t n_token;
};

ig_code ig_text_counter_new(ig_text_counter **out, ig_err *err)
{
    return ig_alloc(out, 1, sizeof **out, "counts of a text", err);
}

void ig_text_counter_free(ig_text_counter *c)
{
    if (c == NULL)
        return;
    ig_word_counts_free(&c->type);
    ig_word_counts_free(&c->bigram);
    IG_FREE(c->length, c);
}

typedef struct {
    ig_text_counter *c;
    uint8_t word[512]; /* case-folded; longer words are compared by their first 500 bytes */
    int32_t n_word;
    int32_t before; /* number of the last token of this line; 0 at its start */
    int64_t length;
} scanner;

static ig_code token_end(scanner *s, ig_err *err)
{
    if (s->n_word == 0)
        return IG_ERR_OK;
    int32_t id;
    IG_TRY(ig_word_counts_add(&s->c->type, (const char *)s->word, s->n_word, 1, &id, err));
    const int32_t pair[2] = {s->before, id + 1};
    IG_TRY(ig_word_counts_add(&s->c->bigram, (const char *)pair, sizeof pair, 1, NULL, err));
    s->before = id + 1;
    s->length++;
    s->n_word = 0;
    return IG_ERR_OK;
}

static void letter_add(scanner *s, uint32_t c)
{
    if (s->n_word < 500)
        s->n_word += ig_utf8_put(s->word + s->n_word, c);
}

ig_code ig_text_counter_add(ig_text_counter *counter, const char *line, int64_t n, ig_err *err)
{
    scanner s = {.c = counter};
    const uint8_t *p = (const uint8_t *)line, *const end = p + n;
    bool inside = false; /* the previous character was a letter or digit */
    while (p < end) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c);
        const UChar32 u = (UChar32)c;
        if (ig_is_white_space(c)) {
            IG_TRY(token_end(&s, err));
            inside = false;
            continue;
        }
        if (u_ispunct(u)) {
            uint32_t next = 0;
            if (p < end)
                ig_utf8_next(p, end, &next);
            const bool joins = c == '\'' || c == '-' || c == 0x2019;
            if (!(joins && inside && u_isalnum((UChar32)next))) {
                IG_TRY(token_end(&s, err));
                letter_add(&s, c);
                IG_TRY(token_end(&s, err));
                inside = false;
                continue;
            }
        }
        letter_add(&s, (uint32_t)u_foldCase(u, U_FOLD_CASE_DEFAULT));
        inside = u_isalnum(u);
    }
    IG_TRY(token_end(&s, err));
    if (s.length == 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&counter->length, &counter->have_length, counter->n_sentence + 1,
                   sizeof *counter->length, "sentence lengths", err));
    counter->length[counter->n_sentence++] = s.length;
    counter->n_token += s.length;
    return IG_ERR_OK;
}

double ig_zipf_fit(const int64_t *counts, int64_t n)
{
    if (n < 2)
        return 0;
    double total = 0, mean_log = 0; /* of ln(rank) over tokens */
    for (int64_t r = 0; r < n; r++) {
        total += (double)counts[r];
        mean_log += (double)counts[r] * log((double)(r + 1));
    }
    mean_log /= total;
    /* The likelihood's slope is E_s[ln r] − mean_log, which falls as s grows. */
    double low = 0, high = 16;
    for (int k = 0; k < 60; k++) {
        const double s = (low + high) / 2;
        double z = 0, e = 0;
        for (int64_t r = n; r >= 1; r--) {
            const double l = log((double)r), p = exp(-s * l);
            z += p;
            e += p * l;
        }
        if (e / z > mean_log)
            low = s;
        else
            high = s;
    }
    return (low + high) / 2;
}

/* Copies the counts, smallest first: sums do not depend on the order of the text. */
static ig_code counts_sorted(const ig_word_counts *c, int64_t **out, ig_err *err)
{
    IG_TRY(ig_alloc(out, c->words.n, sizeof **out, "counts", err));
    memcpy(*out, c->count, (size_t)c->words.n * sizeof **out);
    qsort(*out, (size_t)c->words.n, sizeof **out, ig_by_int64);
    return IG_ERR_OK;
}

/* Returns −Σ (c/total) log2(c/total). */
static double entropy(const int64_t *c, int64_t n, double total)
{
    double h = 0;
    for (int64_t i = 0; i < n; i++)
        h -= (double)c[i] / total * log2((double)c[i] / total);
    return h;
}

ig_code ig_text_counter_finish(ig_text_counter *c, ig_text_stats *out, ig_err *err)
{
    *out = (ig_text_stats){
        .n_sentence = c->n_sentence, .n_token = c->n_token, .n_type = c->type.words.n};
    if (c->n_token == 0)
        return IG_ERR_OK;
    IG_OWNED int64_t *type = NULL, *pair = NULL, *length = NULL, *left = NULL, *down = NULL;
    const int64_t n = c->type.words.n;
    IG_TRY(counts_sorted(&c->type, &type, err));
    IG_TRY(counts_sorted(&c->bigram, &pair, err));
    IG_TRY(ig_alloc(&length, c->n_sentence, sizeof *length, "sentence lengths", err));
    IG_TRY(ig_alloc(&left, n + 1, sizeof *left, "counts", err));
    IG_TRY(ig_alloc(&down, n, sizeof *down, "counts", err));
    memcpy(length, c->length, (size_t)c->n_sentence * sizeof *length);
    qsort(length, (size_t)c->n_sentence, sizeof *length, ig_by_int64);
    const int64_t m = c->n_sentence;
    out->mean_length = (double)c->n_token / (double)m;
    out->median_length = (double)(length[(m - 1) / 2] + length[m / 2]) / 2;
    out->longest = length[m - 1];
    int64_t once = 0;
    for (int64_t i = 0; i < n; i++) {
        down[n - 1 - i] = type[i];
        once += type[i] == 1;
    }
    out->zipf = ig_zipf_fit(down, n);
    out->type_token = (double)n / (double)c->n_token;
    out->hapax_share = (double)once / (double)n;
    const double total = (double)c->n_token;
    out->unigram_entropy = entropy(type, n, total);
    /* H(next | left) = H(left, next) − H(left), over all bigrams, the start symbol 0 among the
     * left. */
    for (int32_t i = 0; i < c->bigram.words.n; i++) {
        int32_t before;
        memcpy(&before, ig_lexicon_get(&c->bigram.words, i), sizeof before);
        left[before] += c->bigram.count[i];
    }
    int64_t n_left = 0;
    for (int64_t i = 0; i <= n; i++)
        if (left[i] > 0)
            left[n_left++] = left[i];
    out->bigram_entropy = entropy(pair, c->bigram.words.n, total) - entropy(left, n_left, total);
    return IG_ERR_OK;
}

/* Output of isoglot corpus stats bbe-nt.txt; experiments/worlds says how the file was made. */
const ig_text_stats ig_text_stats_bbe_nt = {
    .n_sentence = 9011,
    .n_token = 227602,
    .n_type = 2737,
    .mean_length = 25.2582399,
    .median_length = 24,
    .longest = 89,
    .zipf = 1.05389784,
    .unigram_entropy = 7.75363543,
    .bigram_entropy = 5.13472254,
    .type_token = .0120253776,
    .hapax_share = .253196931,
};
