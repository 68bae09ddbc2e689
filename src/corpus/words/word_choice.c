/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of the choice of words: "homographs" (two words become equal), "drop" (function words
 * are left out), "switch" (words are replaced by their translations: the synthetic code-switching
 * of Conneau et al. 2020, their extra anchors), "split" and "merge" (of words).
 */
#include "corpus/words/word_step.h"

#include "base/memory.h"
#include "base/order.h"
#include "text/normalize.h"
#include "text/train/word_counts.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

static bool is_word(const char *word)
{
    uint32_t c;
    const uint8_t *p = (const uint8_t *)word;
    ig_utf8_next(p, p + strlen(word), &c);
    return u_isalpha((UChar32)c);
}

/* ---- counted words ---- */

typedef struct {
    ig_word_counts all;
    int32_t *rank; /* [all.words.n] 0: the most frequent */
    int32_t *by_rank;
} counted;

static ig_code count_see(ig_word_step *s, const ig_phrase *in, ig_err *err)
{
    counted *c = s->state;
    for (int32_t i = 0; i < in->n; i++)
        if (is_word(ig_phrase_word(in, i)))
            IG_TRY(ig_word_counts_add(&c->all, ig_phrase_word(in, i), ig_phrase_length(in, i), 1,
                                      NULL, err));
    return IG_ERR_OK;
}

static ig_code count_ready(ig_word_step *s, ig_err *err)
{
    counted *c = s->state;
    IG_OWNED ig_counted_word *all = NULL;
    const int32_t n = c->all.words.n;
    IG_TRY(ig_alloc(&c->rank, n, sizeof *c->rank, "words", err));
    IG_TRY(ig_alloc(&c->by_rank, n, sizeof *c->by_rank, "words", err));
    IG_TRY(ig_word_counts_sorted(&all, &c->all, ig_counted_by_count, err));
    for (int32_t k = 0; k < n; k++) {
        c->rank[all[k].id] = k;
        c->by_rank[k] = all[k].id;
    }
    return IG_ERR_OK;
}

static void count_free(ig_word_step *s)
{
    counted *c = s->state;
    ig_word_counts_free(&c->all);
    IG_FREE(c->rank, c->by_rank);
}

/* Returns −1 for a word that is not in the training text. */
static int32_t rank_of(const counted *c, const char *word)
{
    const int32_t id = ig_lexicon_find(&c->all.words, word, (int64_t)strlen(word));
    return id < 0 ? -1 : c->rank[id];
}

/* ---- homographs ---- */

/* Words of ranks 2k and 2k + 1 are a pair; the rarer one is replaced by the other. */
static const char *homograph(const ig_word_step *s, const char *word)
{
    const counted *c = s->state;
    const int32_t rank = rank_of(c, word);
    if (rank < 0 || rank % 2 == 0)
        return word;
    const char *other = ig_lexicon_get(&c->all.words, c->by_rank[rank - 1]);
    return ig_word_step_unit(s, other, 0) < s->number[0] ? other : word;
}

static ig_code homographs_word(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                               ig_phrase *out, ig_err *err)
{
    (void)r;
    const char *word = homograph(s, ig_phrase_word(in, i));
    return ig_phrase_replace(out, in, i, word, (int64_t)strlen(word), err);
}

static bool homographs_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    const char *to = homograph(s, word);
    if (piece || strlen(to) >= IG_WORD_BYTES)
        return false;
    memcpy(out, to, strlen(to) + 1);
    return true;
}

const ig_word_transform ig_word_homographs = {
    .name = "homographs",
    .summary = "of words next to each other in frequency, SHARE of the pairs are written alike",
    .arg = {{IG_ARG_SHARE, "SHARE", IG_REQUIRED, 0, 1}},
    .state_size = sizeof(counted),
    .see = count_see,
    .ready = count_ready,
    .word = homographs_word,
    .map = homographs_map,
    .free = count_free,
};

/* ---- drop ---- */

/* Closed classes of Universal Dependencies. */
static bool is_function(const char *upos)
{
    static const char *const closed[] = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        if (strcmp(upos, closed[i]) == 0)
            return true;
    return false;
}

static ig_code drop_word(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                         ig_phrase *out, ig_err *err)
{
    (void)r;
    bool gone;
    if (s->number[0] < 0) {
        gone =
            in->node[i] >= 0 && in->node[i] < in->n_node && is_function(in->tree[in->node[i]].upos);
    } else {
        const int32_t rank = rank_of(s->state, ig_phrase_word(in, i));
        gone = rank >= 0 && rank < (int32_t)s->number[0];
    }
    return gone ? IG_ERR_OK : ig_phrase_keep(out, in, i, err);
}

static bool drop_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    memcpy(out, word, strlen(word) + 1);
    if (piece || s->number[0] < 0)
        return true;
    const int32_t rank = rank_of(s->state, word);
    return rank < 0 || rank >= (int32_t)s->number[0];
}

const ig_word_transform ig_word_drop = {
    .name = "drop",
    .summary = "the COUNT most frequent words are left out, or those whose tag in the tree is a "
               "function word's; spares punctuation, numbers and one word of a sentence that "
               "would be empty",
    .arg = {{IG_ARG_COUNT, "COUNT", IG_REQUIRED, 0, 1e6, "function"}},
    .state_size = sizeof(counted),
    .see = count_see,
    .ready = count_ready,
    .word = drop_word,
    .map = drop_map,
    .free = count_free,
};

/* ---- switch ---- */

/* Translations of word i are to[first[i]] .. to[first[i + 1] − 1]. */
typedef struct {
    ig_lexicon from, to;
    int32_t (*pair)[2];
    int64_t n_pair, have_pair;
    int64_t *first;
} translations;

static ig_code add_translation(void *arg, const char *word, const char *translation, ig_err *err)
{
    translations *t = arg;
    int32_t a, b;
    IG_TRY(ig_lexicon_add(&t->from, word, (int64_t)strlen(word), &a, err));
    IG_TRY(ig_lexicon_add(&t->to, translation, (int64_t)strlen(translation), &b, err));
    IG_TRY(ig_grow(&t->pair, &t->have_pair, t->n_pair + 1, sizeof *t->pair, "dictionary", err));
    t->pair[t->n_pair][0] = a;
    t->pair[t->n_pair][1] = b;
    t->n_pair++;
    return IG_ERR_OK;
}

static ig_code switch_begin(ig_word_step *s, const ig_file_finder *files, ig_err *err)
{
    translations *t = s->state;
    IG_TRY(files->dictionary(files->arg, s->file, add_translation, t, err));
    qsort(t->pair, (size_t)t->n_pair, sizeof *t->pair, ig_by_int32_pair);
    IG_TRY(ig_alloc(&t->first, t->from.n + 1, sizeof *t->first, "dictionary", err));
    for (int64_t i = 0; i < t->n_pair; i++)
        t->first[t->pair[i][0] + 1]++;
    for (int32_t i = 0; i < t->from.n; i++)
        t->first[i + 1] += t->first[i];
    return IG_ERR_OK;
}

/* Looks up a word unchanged, else in lower case. */
static int32_t look_up(const translations *t, const char *word, int64_t n)
{
    char lower[IG_WORD_BYTES];
    const int32_t id = ig_lexicon_find(&t->from, word, n);
    const uint8_t *p = (const uint8_t *)word, *end = p + n;
    int64_t at = 0;
    if (id >= 0)
        return id;
    for (uint32_t c; p < end && at + 4 < IG_WORD_BYTES;
         at += ig_utf8_put((uint8_t *)lower + at, ig_char_lower(c)))
        p += ig_utf8_next(p, end, &c);
    return p < end ? -1 : ig_lexicon_find(&t->from, lower, at);
}

/* Returns whether a word of the dictionary is in SHARE of its words. */
static bool may_switch(const ig_word_step *s, int32_t id)
{
    const translations *t = s->state;
    return ig_word_step_unit(s, ig_lexicon_get(&t->from, id), 0) < s->number[1];
}

/* Returns the dictionary's number of word i if it is drawn to be replaced; −1: it stays. */
static int32_t draw_switch(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                           uint32_t *which)
{
    const translations *t = s->state;
    const double chosen = ig_rng_unit(r);
    *which = ig_rng_u32(r);
    const int32_t id = look_up(t, ig_phrase_word(in, i), ig_phrase_length(in, i));
    return id >= 0 && chosen < s->number[0] && may_switch(s, id) ? id : -1;
}

/* Replaces at most number[2] of a sentence's words, and so of any batch's: if more are drawn, each
 * is equally likely to be among those replaced (selection sampling; Knuth, TAOCP 2, 3.4.2, S). */
static ig_code switch_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                            ig_phrase *out, ig_err *err)
{
    const translations *t = s->state;
    ig_rng r = ig_word_step_rng(s, sentence), choice = r;
    uint32_t which;
    int32_t n_drawn = 0, room = (int32_t)(s->number[2] * in->n + 1e-9);
    for (int32_t i = 0; i < in->n; i++)
        n_drawn += draw_switch(s, &choice, in, i, &which) >= 0;
    const bool bounded = n_drawn > room;
    for (int32_t i = 0; i < in->n; i++) {
        const int32_t id = draw_switch(s, &r, in, i, &which);
        const bool left_out = id >= 0 && bounded && ig_rng_unit(&choice) * n_drawn-- >= room;
        if (id < 0 || left_out) {
            IG_TRY(ig_phrase_keep(out, in, i, err));
            continue;
        }
        room--;
        const int64_t n = t->first[id + 1] - t->first[id];
        const int64_t k = t->first[id] + (int64_t)(((uint64_t)which * (uint64_t)n) >> 32);
        const int32_t to = t->pair[k][1];
        IG_TRY(ig_phrase_replace(out, in, i, ig_lexicon_get(&t->to, to),
                                 ig_lexicon_size(&t->to, to), err));
    }
    return IG_ERR_OK;
}

/* A word that every token is replaced of does not occur; its only translation does. */
static bool switch_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    const translations *t = s->state;
    const int32_t id = piece || s->number[0] < 1 || s->number[2] < 1
                           ? -1
                           : look_up(t, word, (int64_t)strlen(word));
    if (id >= 0 && may_switch(s, id)) {
        word = ig_lexicon_get(&t->to, t->pair[t->first[id]][1]);
        if (t->first[id + 1] - t->first[id] > 1 || strlen(word) >= IG_WORD_BYTES)
            return false;
    }
    memcpy(out, word, strlen(word) + 1);
    return true;
}

static void switch_free(ig_word_step *s)
{
    translations *t = s->state;
    ig_lexicon_free(&t->from);
    ig_lexicon_free(&t->to);
    IG_FREE(t->pair, t->first);
}

const ig_word_transform ig_word_switch = {
    .name = "switch",
    .summary =
        "RATE of the tokens whose word is in the dictionary become a translation, any of them "
        "alike; only of SHARE of its words, and at most MOST of a sentence's",
    .arg = {{IG_ARG_FILE, "FILE", IG_REQUIRED, 0, 0},
            {IG_ARG_SHARE, "RATE", IG_REQUIRED, 0, 1},
            {IG_ARG_SHARE, "SHARE", 1, 0, 1},
            {IG_ARG_SHARE, "MOST", 1, 0, 1}},
    .state_size = sizeof(translations),
    .begin = switch_begin,
    .apply = switch_apply,
    .map = switch_map,
    .free = switch_free,
};

/* ---- split, merge ---- */

/* Splits words into grapheme clusters (UAX #29), so that no accent or vowel sign is separated from
 * its letter. */
static ig_code split_begin(ig_word_step *s, const ig_file_finder *files, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    (void)files;
    s->state = ubrk_open(UBRK_CHARACTER, "", NULL, 0, &e);
    return U_SUCCESS(e) ? IG_ERR_OK
                        : ig_fail(err, IG_ERR_INPUT, "split", 0, "ICU: %s", u_errorName(e));
}

static void split_free(ig_word_step *s)
{
    ubrk_close(s->state);
}

/* Writes the ends of the first `most` clusters, in bytes; returns the number of all clusters. */
static int32_t clusters(const ig_word_step *s, const char *word, int64_t n, int32_t *end,
                        int32_t most)
{
    UErrorCode e = U_ZERO_ERROR;
    UText text = UTEXT_INITIALIZER;
    UBreakIterator *breaks = s->state;
    int32_t count = 0;
    utext_openUTF8(&text, word, n, &e);
    ubrk_setUText(breaks, &text, &e);
    if (U_SUCCESS(e))
        for (int32_t at = ubrk_next(breaks); at != UBRK_DONE; at = ubrk_next(breaks)) {
            if (count < most)
                end[count] = at;
            count++;
        }
    utext_close(&text);
    return count;
}

/* Returns the position in bytes where a word of at least two characters is split; its number of
 * characters and the left part's. */
static int64_t cut_of(const ig_word_step *s, const char *word, int32_t *n_left, int32_t *n_char)
{
    int32_t end[IG_WORD_BYTES];
    *n_char = clusters(s, word, (int64_t)strlen(word), end, IG_WORD_BYTES);
    if (*n_char < 2)
        return 0;
    *n_left = 1 + (int32_t)(ig_word_step_unit(s, word, 1) * (*n_char - 1));
    *n_left = *n_left < IG_WORD_BYTES ? *n_left : IG_WORD_BYTES;
    return end[*n_left - 1];
}

/* Returns the position where a word is split, as cut_of; 0: it is not. */
static int64_t chosen_cut(const ig_word_step *s, const char *word, int32_t *n_left, int32_t *n_char)
{
    return !is_word(word) || ig_word_step_unit(s, word, 0) >= s->number[0]
               ? 0
               : cut_of(s, word, n_left, n_char);
}

static ig_code split_word(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                          ig_phrase *out, ig_err *err)
{
    const char *word = ig_phrase_word(in, i);
    int32_t left = 0, n_char = 0;
    const int64_t cut = chosen_cut(s, word, &left, &n_char);
    (void)r;
    if (cut == 0)
        return ig_phrase_keep(out, in, i, err);
    for (int32_t k = 0; k < n_char; k++) {
        if (k == 0)
            IG_TRY(ig_phrase_add(out, word, cut, err));
        else if (k == left)
            IG_TRY(ig_phrase_add(out, word + cut, ig_phrase_length(in, i) - cut, err));
        IG_TRY(ig_phrase_cover(out, in, i, k, n_char, err));
    }
    return IG_ERR_OK;
}

static bool split_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    int32_t left, n_char;
    memcpy(out, word, strlen(word) + 1);
    return !piece && chosen_cut(s, word, &left, &n_char) == 0;
}

const ig_word_transform ig_word_split = {
    .name = "split",
    .summary =
        "SHARE of the words of two and more characters (grapheme clusters) become two words, "
        "always the same two",
    .arg = {{IG_ARG_SHARE, "SHARE", IG_REQUIRED, 0, 1}},
    .begin = split_begin,
    .word = split_word,
    .map = split_map,
    .free = split_free,
};

static ig_code merge_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                           ig_phrase *out, ig_err *err)
{
    (void)sentence;
    for (int32_t i = 0; i < in->n; i++) {
        char *text;
        const char *a = ig_phrase_word(in, i);
        const char *b = i + 1 < in->n ? ig_phrase_word(in, i + 1) : "";
        if (!is_word(a) || !is_word(b)) {
            IG_TRY(ig_phrase_keep(out, in, i, err));
            continue;
        }
        const int64_t na = ig_phrase_length(in, i), nb = ig_phrase_length(in, i + 1);
        IG_TRY(ig_alloc(&text, na + nb + 1, 1, "word", err));
        memcpy(text, a, (size_t)na);
        memcpy(text + na, b, (size_t)nb);
        ig_code code = IG_ERR_OK;
        if (ig_word_step_unit(s, text, 0) < s->number[0]) {
            code = ig_phrase_add(out, text, na + nb, err);
            IG_THEN(code, ig_phrase_cover(out, in, i, 0, 1, err));
            IG_THEN(code, ig_phrase_cover(out, in, i + 1, 0, 1, err));
            i++;
        } else {
            code = ig_phrase_keep(out, in, i, err);
        }
        ig_free(text);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

const ig_word_transform ig_word_merge = {
    .name = "merge",
    .summary = "SHARE of the pairs of words become one word where they stand together",
    .arg = {{IG_ARG_SHARE, "SHARE", IG_REQUIRED, 0, 1}},
    .apply = merge_apply,
};
