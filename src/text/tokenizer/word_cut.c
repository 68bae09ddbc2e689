/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits a word by any model: greedy longest match from the left (Wu et al. 2016, "Google's Neural
 * Machine Translation System", §4.1; Devlin et al. 2019), byte-pair encoding (bpe.h), a unigram
 * language model (unigram.c), whole words.
 */
#include "text/tokenizer/word_cut.h"

#include "base/memory.h"
#include "text/tokenizer/tokenizer_internal.h"
#include "text/utf8.h"

ig_code ig_ids_add(ig_ids *ids, int32_t id, ig_err *err)
{
    IG_TRY(ig_grow(&ids->id, &ids->have, ids->n + 1, sizeof *ids->id, "token ids", err));
    ids->id[ids->n++] = id;
    return IG_ERR_OK;
}

/* Writes the initial symbols of merging: one for each character; a character that is not a piece is
 * its bytes' pieces, or [UNK], or dropped if there is no [UNK]. */
static int64_t characters(const ig_tokenizer *t, const uint8_t *word, int64_t n, int32_t *id)
{
    int64_t n_id = 0;
    bool unknown = false;
    for (int64_t i = 0; i < n;) {
        uint32_t c;
        const int length = ig_utf8_next(word + i, word + n, &c);
        const int32_t piece = ig_trie_find(&t->trie, i == 0 ? 0 : t->inside, word + i, length);
        for (int k = 0; k < length && piece < 0 && t->byte_fallback; k++)
            id[n_id++] = t->byte[word[i + k]];
        i += length;
        if (piece < 0 && t->byte_fallback)
            continue;
        const bool fused = piece < 0 && unknown && t->fuse_unknown;
        unknown = piece < 0;
        if (piece >= 0 || (t->unk >= 0 && !fused))
            id[n_id++] = piece >= 0 ? piece : t->unk;
    }
    return n_id;
}

static ig_code merged(const ig_tokenizer *t, const uint8_t *word, int64_t n, ig_word_buffer *room,
                      ig_ids *out, ig_err *err)
{
    int32_t *id = out->id + out->n;
    const int32_t whole = t->whole_first ? ig_trie_find(&t->trie, 0, word, n) : -1;
    if (whole >= 0) {
        id[0] = whole;
        ++out->n;
        return IG_ERR_OK;
    }
    const int64_t n_char = characters(t, word, n, id);
    IG_TRY(ig_grow(&room->work, &room->have_work, IG_BPE_WORK(n_char), 1, "word", err));
    out->n += ig_bpe_run(&t->bpe, id, n_char, room->work);
    return IG_ERR_OK;
}

/* Returns [UNK] for a word with too many characters or one that cannot be split to its end. */
static int64_t longest(const ig_tokenizer *t, const uint8_t *word, int64_t n, int32_t *id)
{
    int64_t n_char = 0;
    for (int64_t i = 0; i < n; i++)
        n_char += (word[i] & 0xC0) != 0x80;
    const int64_t n_id = n_char <= t->most_chars ? ig_longest_match(t, word, n, id) : 0;
    if (n_id > 0)
        return n_id;
    id[0] = t->unk;
    return 1;
}

ig_code ig_word_cut(const ig_tokenizer *t, const uint8_t *word, int64_t n, ig_word_buffer *room,
                    ig_ids *out, ig_err *err)
{
    IG_TRY(ig_grow(&out->id, &out->have, out->n + n + 1, sizeof *out->id, "token ids", err));
    int32_t *id = out->id + out->n, piece;
    switch (t->kind) {
    case IG_TOKENIZER_WORDPIECE:
        out->n += longest(t, word, n, id);
        break;
    case IG_TOKENIZER_BPE:
        return merged(t, word, n, room, out, err);
    case IG_TOKENIZER_UNIGRAM:
        IG_TRY(ig_grow(&room->work, &room->have_work, IG_UNIGRAM_WORK(n), 1, "word", err));
        out->n += ig_unigram_cut(t, word, n, id, room->work);
        break;
    case IG_TOKENIZER_WORDS:
        piece = ig_trie_find(&t->trie, 0, word, n);
        id[0] = piece >= 0 ? piece : t->unk;
        out->n++;
        break;
    }
    return IG_ERR_OK;
}
