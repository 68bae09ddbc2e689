/* SPDX-License-Identifier: Apache-2.0
 *
 * WordPiece tokenization: greedy longest match from the left (Wu et al. 2016, "Google's Neural
 * Machine Translation System", §4.1; Devlin et al. 2019), in the reading of Hugging Face's
 * BertTokenizer: pieces inside a word carry "##"; a word of more than 100 characters, or one that
 * cannot be cut up to its end, is [UNK]; the five special tokens stand for themselves in raw text.
 */
#include "isoglot/tokenizer.h"

#include "base/file.h"
#include "base/memory.h"
#include "text/normalize.h"
#include "text/vocab.h"
#include "text/wordpiece_trie.h"

#include <string.h>

enum { WORD_CHARS_MAX = 100, N_SPECIAL = 5 };

struct ig_tokenizer {
    ig_vocab vocab;
    ig_trie trie;
    ig_chars *chars;
    int32_t inside; /* trie state after "##"; −1: no such pieces */
    int32_t unk;
    ig_special special[N_SPECIAL];
    int n_special;
};

static int32_t find(const ig_trie *trie, const char *piece)
{
    int32_t state = 0;
    for (; *piece != '\0'; piece++) {
        state = ig_trie_step(trie, state, (uint8_t)*piece);
        if (state < 0)
            return -1;
    }
    return trie->cell[state].value;
}

static ig_code prepare(ig_tokenizer *t, const ig_tokenizer_options *options, const char *where,
                       ig_err *err)
{
    static const char *const special[N_SPECIAL] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    IG_TRY(ig_trie_build(&t->trie, t->vocab.text, t->vocab.start, t->vocab.n, err));
    for (int i = 0; i < N_SPECIAL; i++) {
        int32_t id = find(&t->trie, special[i]);
        if (id >= 0)
            t->special[t->n_special++] =
                (ig_special){.text = special[i], .n = (int32_t)strlen(special[i]), .id = id};
    }
    t->unk = find(&t->trie, "[UNK]");
    if (t->unk < 0) {
        ig_fail(err, IG_ERR_INPUT, where, 0, "no [UNK] among its %d pieces", t->vocab.n);
        return ig_hint(err, "a vocabulary has a piece a line, [UNK] one of them");
    }
    t->inside = ig_trie_step(&t->trie, 0, '#');
    if (t->inside >= 0)
        t->inside = ig_trie_step(&t->trie, t->inside, '#');
    return ig_chars_new(&t->chars, options != NULL && options->lowercase,
                        options != NULL && options->keep_controls, err);
}

ig_code ig_tokenizer_parse(ig_tokenizer **out, const char *data, int64_t n, const char *where,
                           const ig_tokenizer_options *options, ig_err *err)
{
    ig_tokenizer *t;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "tokenizer", err));
    ig_code code = ig_vocab_parse(&t->vocab, data, n, where, err);
    if (code == IG_ERR_OK)
        code = prepare(t, options, where, err);
    if (code != IG_ERR_OK) {
        ig_tokenizer_free(t);
        return code;
    }
    *out = t;
    return IG_ERR_OK;
}

ig_code ig_tokenizer_load(ig_tokenizer **out, const char *path, const ig_tokenizer_options *options,
                          ig_err *err)
{
    ig_map map;
    *out = NULL;
    IG_TRY(ig_map_open(&map, path, err));
    ig_code code = ig_tokenizer_parse(out, (const char *)map.data, map.size, path, options, err);
    ig_map_close(&map);
    return code;
}

void ig_tokenizer_free(ig_tokenizer *t)
{
    if (t == NULL)
        return;
    ig_vocab_free(&t->vocab);
    ig_trie_free(&t->trie);
    ig_chars_free(t->chars);
    ig_free(t);
}

int32_t ig_tokenizer_size(const ig_tokenizer *t)
{
    return t->vocab.n;
}

const char *ig_tokenizer_piece(const ig_tokenizer *t, int32_t id)
{
    return id >= 0 && id < t->vocab.n ? t->vocab.text + t->vocab.start[id] : NULL;
}

bool ig_tokenizer_continues(const ig_tokenizer *t, int32_t id)
{
    const char *piece = ig_tokenizer_piece(t, id);
    return piece != NULL && strncmp(piece, "##", 2) == 0 && piece[2] != '\0';
}

int32_t ig_tokenizer_id(const ig_tokenizer *t, const char *piece)
{
    return find(&t->trie, piece);
}

/* Cuts one word into at most n pieces; returns their number, 0 when it cannot be cut to its end. */
static int cut(const ig_tokenizer *t, const uint8_t *word, int64_t n, int32_t *id)
{
    const ig_trie_cell *cell = t->trie.cell;
    int n_id = 0;
    int32_t begin = 0;
    for (int64_t i = 0; i < n; begin = t->inside) {
        int32_t state = begin, best = -1;
        int64_t stop = i;
        if (begin < 0)
            return 0;
        for (int64_t j = i; j < n; j++) {
            int32_t to = cell[state].base ^ (int32_t)word[j];
            if (cell[to].check != state)
                break;
            state = to;
            if (cell[state].value >= 0) {
                best = cell[state].value;
                stop = j + 1;
            }
        }
        if (best < 0)
            return 0;
        id[n_id++] = best;
        i = stop;
    }
    return n_id;
}

ig_code ig_tokenizer_encode(const ig_tokenizer *t, const char *text, int64_t n, int32_t **ids,
                            int64_t *n_id, int64_t *have, ig_err *err)
{
    uint8_t buffer[IG_WORDS_BUFFER(WORD_CHARS_MAX)];
    ig_words w = ig_words_make(t->chars, t->special, t->n_special, text, n, buffer, WORD_CHARS_MAX);
    while (ig_words_next(&w)) {
        if (*have - *n_id < WORD_CHARS_MAX)
            IG_TRY(ig_grow(ids, have, *n_id + WORD_CHARS_MAX, sizeof **ids, "token ids", err));
        int32_t *id = *ids + *n_id;
        int n_piece = 0;
        if (w.special_id >= 0) {
            id[0] = w.special_id;
            n_piece = 1;
        } else if (w.n_char <= WORD_CHARS_MAX) {
            n_piece = cut(t, w.word, w.n, id);
        }
        if (n_piece == 0) {
            id[0] = t->unk;
            n_piece = 1;
        }
        *n_id += n_piece;
    }
    return IG_ERR_OK;
}
