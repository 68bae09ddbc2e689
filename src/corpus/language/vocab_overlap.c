/* SPDX-License-Identifier: Apache-2.0
 *
 * Overlap of vocabularies (the anchors of Conneau et al. 2020, §3.1; the ∩ of Liu et al. 2020,
 * Table 3), by strings.
 */
#include "corpus/language/vocab_overlap.h"

#include "base/memory.h"
#include "text/tokenizer/unknown_pieces.h"
#include "text/tokenizer/vocab.h"

#include <math.h>
#include <string.h>

static bool is_special(const char *piece)
{
    for (int i = 0; i < IG_N_BERT_TOKEN; i++)
        if (strcmp(piece, ig_bert_tokens[i]) == 0)
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
        if (n > 0 && piece[0] != '\0' && !is_special(piece))
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
