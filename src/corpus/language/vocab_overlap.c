/* SPDX-License-Identifier: Apache-2.0
 *
 * Overlap of vocabularies (the anchors of Conneau et al. 2020, §3.1; the ∩ of Liu et al. 2020,
 * Table 3), by strings.
 */
#include "corpus/language/vocab_overlap.h"

#include "base/memory.h"
#include "corpus/read/parallel_text.h"
#include "text/tokenizer/unknown_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_special(const ig_tokenizer *t, int32_t id)
{
    for (int role = 0; role < IG_N_TOKENIZER_ROLE; role++)
        if (ig_tokenizer_special(t, (ig_tokenizer_role)role) == id)
            return true;
    return false;
}

/* Adds the pieces with the count of each id (NULL: 1); ids with count 0 are left out, the counts of
 * equal strings are added up. */
static ig_code from_counts(ig_word_counts *out, const ig_tokenizer *t, const int64_t *count,
                           ig_err *err)
{
    ig_code code = IG_ERR_OK;
    *out = (ig_word_counts){0};
    for (int32_t i = 0; i < ig_tokenizer_size(t) && code == IG_ERR_OK; i++) {
        const char *piece = ig_tokenizer_piece(t, i);
        const int64_t n = count != NULL ? count[i] : 1;
        if (n > 0 && piece[0] != '\0' && !is_special(t, i))
            code = ig_word_counts_add(out, piece, (int64_t)strlen(piece), n, NULL, err);
    }
    if (code != IG_ERR_OK)
        ig_word_counts_free(out);
    return code;
}

ig_code ig_piece_set_of_vocab(ig_word_counts *out, const ig_tokenizer *t, ig_err *err)
{
    return from_counts(out, t, NULL, err);
}

ig_code ig_piece_set_of_text(ig_word_counts *out, const ig_tokenizer *t, ig_sentences *s,
                             bool allow_unknown, ig_err *err)
{
    ig_unknown_pieces unknown = {0};
    int64_t *count, n_byte, n_id = 0, have = 0;
    int32_t *id = NULL;
    const char *text;
    *out = (ig_word_counts){0};
    IG_TRY(ig_alloc(&count, ig_tokenizer_size(t), sizeof *count, "pieces", err));
    ig_code code;
    while ((code = ig_sentences_next(s, &text, &n_byte, err)) == IG_ERR_OK && text != NULL) {
        n_id = 0;
        code = ig_tokenizer_encode(t, text, n_byte, &id, &n_id, &have, err);
        IG_THEN(code, ig_unknown_add(&unknown, t, &(ig_cut_text){text, n_byte, id, n_id, 1}, err));
        if (code != IG_ERR_OK)
            break;
        for (int64_t i = 0; i < n_id; i++)
            count[id[i]]++;
    }
    IG_THEN(code, ig_unknown_check(&unknown, ig_sentences_where(s), allow_unknown, err));
    IG_THEN(code, from_counts(out, t, count, err));
    IG_FREE(count, id);
    return code;
}

static double ratio(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

ig_overlap ig_piece_set_overlap(const ig_word_counts *a, const ig_word_counts *b)
{
    int64_t shared = 0, tokens_a = 0, tokens_b = 0;
    for (int32_t i = 0; i < a->words.n; i++) {
        const int32_t j =
            ig_lexicon_find(&b->words, ig_lexicon_get(&a->words, i), ig_lexicon_size(&a->words, i));
        shared += j >= 0;
        tokens_a += j >= 0 ? a->count[i] : 0;
        tokens_b += j >= 0 ? b->count[j] : 0;
    }
    return (ig_overlap){.shared = shared,
                        .jaccard = ratio(shared, (int64_t)a->words.n + b->words.n - shared),
                        .share_a = ratio(shared, a->words.n),
                        .share_b = ratio(shared, b->words.n),
                        .tokens_a = ratio(tokens_a, ig_word_counts_total(a)),
                        .tokens_b = ratio(tokens_b, ig_word_counts_total(b))};
}

/* ---- similarity of use ---- */

double ig_piece_similarity(const ig_piece_use *u)
{
    return 2 * (double)u->both / (double)(u->a + u->b);
}

static int by_similarity(const void *a, const void *b)
{
    const ig_piece_use *x = a, *y = b;
    const double p = ig_piece_similarity(x), q = ig_piece_similarity(y);
    return p != q ? (p > q ? -1 : 1) : (x->piece > y->piece) - (x->piece < y->piece);
}

/* Marks the pieces of both sides of pair number `pair`; last[side][piece] is the last pair that had
 * it. */
static ig_code add_pair(ig_piece_use *use, int64_t *const last[2], const ig_tokenizer *t,
                        const char *const text[2], int64_t pair, ig_err *err)
{
    IG_OWNED int32_t *id = NULL;
    int64_t have = 0;
    for (int side = 0; side < 2; side++) {
        int64_t n = 0;
        IG_TRY(
            ig_tokenizer_encode(t, text[side], (int64_t)strlen(text[side]), &id, &n, &have, err));
        for (int64_t i = 0; i < n; i++) {
            if (last[side][id[i]] == pair)
                continue;
            last[side][id[i]] = pair;
            ig_piece_use *u = &use[id[i]];
            *(side == 0 ? &u->a : &u->b) += 1;
            u->both += side == 1 && last[0][id[i]] == pair;
        }
    }
    return IG_ERR_OK;
}

ig_code ig_piece_uses(ig_piece_use **out, int32_t *n, const ig_tokenizer *t, struct ig_parallel *p,
                      ig_err *err)
{
    const int32_t size = ig_tokenizer_size(t);
    int64_t *last[2] = {NULL, NULL};
    const char *text[2];
    *n = 0;
    ig_code code = ig_alloc(out, size, sizeof **out, "pieces", err);
    for (int side = 0; side < 2; side++)
        IG_THEN(code, ig_alloc(&last[side], size, sizeof *last[side], "pieces", err));
    for (int64_t pair = 1; code == IG_ERR_OK; pair++) { /* 0: none yet */
        code = ig_parallel_next(p, text, err);
        if (code != IG_ERR_OK || text[0] == NULL)
            break;
        code = add_pair(*out, last, t, text, pair, err);
    }
    for (int32_t i = 0; i < size && code == IG_ERR_OK; i++) {
        ig_piece_use u = (*out)[i];
        u.piece = i;
        if (u.a > 0 && u.b > 0 && !is_special(t, i))
            (*out)[(*n)++] = u;
    }
    if (code == IG_ERR_OK)
        qsort(*out, (size_t)*n, sizeof **out, by_similarity);
    IG_FREE(last[0], last[1]);
    return code;
}
