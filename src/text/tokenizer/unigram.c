/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits a word by a unigram language model (Kudo 2018): the most probable sequence of pieces, by
 * dynamic programming over the ends of pieces. A character that is not a piece costs 10 more than
 * the least probable piece, and adjacent ones become one [UNK], or their bytes (SentencePiece, and
 * Hugging Face `tokenizers`, whose order of comparisons breaks ties here too: the piece that begins
 * first).
 */
#include "text/tokenizer/tokenizer_internal.h"

#include "text/utf8.h"

/* The best path to a position in the word. */
typedef struct {
    double score;
    int32_t from; /* where its last piece begins; −1: not reached yet */
    int32_t id;   /* of that piece; −1: a character that is not a piece */
} node;
_Static_assert(sizeof(node) <= 24, "IG_UNIGRAM_WORK");

static void reach(node *to, double score, int64_t from, int32_t id)
{
    if (to->from < 0 || score > to->score)
        *to = (node){score, (int32_t)from, id};
}

int64_t ig_unigram_cut(const ig_tokenizer *t, const uint8_t *word, int64_t n, int32_t *id,
                       void *work)
{
    node *best = work; /* [n + 1] by bytes */
    for (int64_t i = 0; i <= n; i++)
        best[i] = (node){0, i == 0 ? 0 : -1, -1};
    for (int64_t i = 0; i < n;) {
        uint32_t c;
        const int len = ig_utf8_next(word + i, word + n, &c);
        bool single = false;
        int32_t state = 0;
        for (int64_t j = i; j < n; j++) {
            state = ig_trie_step(&t->trie, state, word[j]);
            if (state < 0)
                break;
            const int32_t piece = t->trie.cell[state].value;
            if (piece < 0)
                continue;
            reach(&best[j + 1], best[i].score + t->score[piece], i, piece);
            single = single || j + 1 - i == len;
        }
        if (!single)
            reach(&best[i + len], best[i].score + t->unk_score, i, -1);
        i += len;
    }
    int64_t n_id = 0;
    for (int64_t i = n; i > 0; i = best[i].from) {
        const int32_t piece = best[i].id < 0 ? t->unk : best[i].id;
        for (int64_t k = i; k > best[i].from && best[i].id < 0 && t->byte_fallback; k--)
            id[n_id++] = t->byte[word[k - 1]];
        if (best[i].id < 0 && t->byte_fallback)
            continue;
        if (piece != t->unk || n_id == 0 || id[n_id - 1] != t->unk)
            id[n_id++] = piece;
    }
    for (int64_t i = 0; i < n_id / 2; i++) {
        const int32_t x = id[i];
        id[i] = id[n_id - 1 - i];
        id[n_id - 1 - i] = x;
    }
    return n_id;
}
