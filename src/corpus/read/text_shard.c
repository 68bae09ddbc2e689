/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokenizes sentences and writes them to a shard.
 */
#include "base/file.h"

#include "base/memory.h"
#include "corpus/read/sentences.h"
#include "corpus/read/shard.h"
#include "text/tokenizer/unknown_pieces.h"

#include <string.h>

uint64_t ig_vocab_fingerprint(const ig_tokenizer *t)
{
    uint64_t h = ig_tokenizer_rules_hash(t);
    for (int32_t i = 0; i < ig_tokenizer_size(t); i++) {
        const char *piece = ig_tokenizer_piece(t, i);
        h = ig_hash(piece, (int64_t)strlen(piece) + 1, h);
    }
    return h;
}

int64_t ig_sentence_part(const ig_tokenizer *t, const int32_t *id, int64_t n, int64_t from)
{
    int64_t end = from + IG_SENTENCE_WHOLE;
    if (end >= n)
        return n;
    /* A word longer than half a part is split anywhere. */
    const int64_t least = end - IG_SENTENCE_WHOLE / 2;
    while (end > least && ig_tokenizer_continues(t, id[end]))
        end--;
    return end > least ? end : from + IG_SENTENCE_WHOLE;
}

static ig_code add_all(ig_shard_writer *w, ig_sentences *s, const ig_tokenizer *t,
                       int64_t *n_sentence, ig_unknown_pieces *unknown, ig_err *err)
{
    int32_t *id = NULL;
    int64_t have = 0, n_byte, n_id;
    const char *text;
    ig_code code;
    *n_sentence = 0;
    while ((code = ig_sentences_next(s, &text, &n_byte, err)) == IG_ERR_OK && text != NULL) {
        n_id = 0;
        code = ig_tokenizer_encode(t, text, n_byte, &id, &n_id, &have, err);
        IG_THEN(code, ig_unknown_add(unknown, t, &(ig_cut_text){text, n_byte, id, n_id, 1}, err));
        for (int64_t from = 0, to; from < n_id && code == IG_ERR_OK; from = to) {
            to = ig_sentence_part(t, id, n_id, from);
            code = ig_shard_add(w, id + from, (int32_t)(to - from), err);
            ++*n_sentence;
        }
        if (code != IG_ERR_OK)
            break;
    }
    ig_free(id);
    return code;
}

ig_code ig_shard_from_sentences(const char *path, ig_sentences *s, const ig_tokenizer *t,
                                bool allow_unknown, ig_err *err)
{
    ig_shard_writer *w;
    ig_unknown_pieces unknown = {0};
    int64_t n = 0;
    IG_TRY(ig_shard_create(&w, path, ig_tokenizer_size(t), ig_vocab_fingerprint(t), err));
    ig_code code = add_all(w, s, t, &n, &unknown, err);
    if (code == IG_ERR_OK && n == 0)
        code = ig_fail(err, IG_ERR_INPUT, ig_sentences_where(s), 0,
                       "found no sentence, expected at least 1");
    IG_THEN(code, ig_unknown_check(&unknown, ig_sentences_where(s), allow_unknown, err));
    if (code != IG_ERR_OK) {
        ig_shard_discard(w);
        return code;
    }
    return ig_shard_commit(w, err);
}
