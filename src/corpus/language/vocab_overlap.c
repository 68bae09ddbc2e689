/* SPDX-License-Identifier: Apache-2.0
 *
 * Overlap of vocabularies (the anchors of Conneau et al. 2020, §3.1; the ∩ of Liu et al. 2020,
 * Table 3), by strings: two sorted lists are merged.
 */
#include "corpus/language/vocab_overlap.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_special(const char *piece)
{
    static const char *const special[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (strcmp(piece, special[i]) == 0)
            return true;
    return false;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(((const struct ig_counted_piece *)a)->piece,
                  ((const struct ig_counted_piece *)b)->piece);
}

/* From the count of each id; those of 0 are left out, equal strings are added up. */
static ig_code from_counts(ig_piece_set *out, const ig_tokenizer *t, const int64_t *count,
                           ig_err *err)
{
    const int32_t size = ig_tokenizer_size(t);
    IG_TRY(ig_alloc(&out->at, size, sizeof *out->at, "pieces", err));
    for (int32_t i = 0; i < size; i++) {
        const char *piece = ig_tokenizer_piece(t, i);
        if (count[i] == 0 || piece[0] == '\0' || is_special(piece))
            continue;
        struct ig_counted_piece *p = &out->at[out->n];
        IG_TRY(ig_alloc(&p->piece, (int64_t)strlen(piece) + 1, 1, "pieces", err));
        strcpy(p->piece, piece);
        p->count = count[i];
        out->n++;
        out->n_token += count[i];
    }
    if (out->n > 0)
        qsort(out->at, (size_t)out->n, sizeof *out->at, by_bytes);
    int64_t n = 0;
    for (int64_t i = 0; i < out->n; i++)
        if (n > 0 && strcmp(out->at[n - 1].piece, out->at[i].piece) == 0) {
            out->at[n - 1].count += out->at[i].count;
            ig_free(out->at[i].piece);
        } else
            out->at[n++] = out->at[i];
    out->n = n;
    return IG_ERR_OK;
}

ig_code ig_piece_set_of_vocab(ig_piece_set *out, const ig_tokenizer *t, ig_err *err)
{
    int64_t *count;
    *out = (ig_piece_set){0};
    IG_TRY(ig_alloc(&count, ig_tokenizer_size(t), sizeof *count, "pieces", err));
    for (int32_t i = 0; i < ig_tokenizer_size(t); i++)
        count[i] = 1;
    ig_code code = from_counts(out, t, count, err);
    ig_free(count);
    if (code != IG_ERR_OK)
        ig_piece_set_free(out);
    return code;
}

ig_code ig_piece_set_of_text(ig_piece_set *out, const ig_tokenizer *t, ig_sentences *s, ig_err *err)
{
    int64_t *count, n_byte, n_id = 0, have = 0;
    int32_t *id = NULL;
    const char *text;
    *out = (ig_piece_set){0};
    IG_TRY(ig_alloc(&count, ig_tokenizer_size(t), sizeof *count, "pieces", err));
    ig_code code;
    while ((code = ig_sentences_next(s, &text, &n_byte, err)) == IG_ERR_OK && text != NULL) {
        n_id = 0;
        code = ig_tokenizer_encode(t, text, n_byte, &id, &n_id, &have, err);
        if (code != IG_ERR_OK)
            break;
        for (int64_t i = 0; i < n_id; i++)
            count[id[i]]++;
    }
    IG_THEN(code, from_counts(out, t, count, err));
    IG_FREE(count, id);
    if (code != IG_ERR_OK)
        ig_piece_set_free(out);
    return code;
}

void ig_piece_set_free(ig_piece_set *s)
{
    for (int64_t i = 0; i < s->n; i++)
        ig_free(s->at[i].piece);
    ig_free(s->at);
    *s = (ig_piece_set){0};
}

static double ratio(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

ig_overlap ig_piece_set_overlap(const ig_piece_set *a, const ig_piece_set *b)
{
    int64_t shared = 0, tokens_a = 0, tokens_b = 0;
    for (int64_t i = 0, j = 0; i < a->n && j < b->n;) {
        const int order = strcmp(a->at[i].piece, b->at[j].piece);
        if (order == 0) {
            shared++;
            tokens_a += a->at[i].count;
            tokens_b += b->at[j].count;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return (ig_overlap){.shared = shared,
                        .jaccard = ratio(shared, a->n + b->n - shared),
                        .share_a = ratio(shared, a->n),
                        .share_b = ratio(shared, b->n),
                        .tokens_a = ratio(tokens_a, a->n_token),
                        .tokens_b = ratio(tokens_b, b->n_token)};
}
