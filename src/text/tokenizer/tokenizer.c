/* SPDX-License-Identifier: Apache-2.0
 *
 * From text to pieces. Words are those of Hugging Face's BertTokenizer for every kind, except for
 * a tokenizer.json that splits text in another way (pipeline.h); special tokens are recognised in
 * raw text. WordPiece tokenization is greedy longest match from the left (Wu et al. 2016,
 * "Google's Neural Machine Translation System", §4.1; Devlin et al. 2019), as in Hugging Face's
 * BertTokenizer: pieces inside a word carry "##"; a word of more than 100 characters, or one that
 * cannot be split to its end, is [UNK]. Byte-pair encoding: bpe.h; unigram: unigram.c.
 */
#include "isoglot/tokenizer.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "text/tokenizer/tokenizer_internal.h"

#include <string.h>

ig_chars_rules ig_tokenizer_chars(const ig_tokenizer_options *o)
{
    return (ig_chars_rules){.lowercase = o->lowercase,
                            .strip_accents = o->accents == IG_ACCENTS_AS_CASE
                                                 ? o->lowercase
                                                 : o->accents == IG_ACCENTS_STRIP,
                            .keep_controls = o->keep_controls,
                            .join_ideographs = o->join_ideographs};
}

ig_code ig_tokenizer_prepare(ig_tokenizer *t, const char *const *special, int n_special,
                             const char *where, ig_err *err)
{
    IG_TRY(ig_trie_build(&t->trie, t->vocab.text, t->vocab.start, t->vocab.n, err));
    if (special == NULL) {
        special = ig_bert_tokens;
        n_special = IG_N_BERT_TOKEN;
    }
    for (int i = 0; i < n_special; i++) {
        int32_t id = ig_tokenizer_id(t, special[i]);
        if (id >= 0)
            t->special[t->n_special++] = (ig_special){.text = t->vocab.text + t->vocab.start[id],
                                                      .n = (int32_t)strlen(special[i]),
                                                      .id = id};
    }
    t->unk = ig_tokenizer_id(t, "[UNK]");
    if (t->unk < 0) {
        ig_fail(err, IG_ERR_INPUT, where, 0, "no [UNK] among its %d pieces", t->vocab.n);
        return ig_hint(err, "a vocabulary has one piece a line, one of them [UNK]");
    }
    memcpy(t->prefix, "##", 3);
    t->most_chars = IG_WORD_CHARS_MAX;
    t->inside = ig_trie_walk(&t->trie, 0, t->prefix, (int64_t)strlen(t->prefix));
    for (int i = 0; i < IG_N_TOKENIZER_ROLE; i++)
        t->role[i] = ig_tokenizer_id(t, ig_bert_tokens[i]);
    ig_template_bert(t->template, t->role[IG_TOKENIZER_CLS], t->role[IG_TOKENIZER_SEP]);
    if (t->kind == IG_TOKENIZER_BPE)
        IG_TRY(ig_bpe_index(&t->bpe, err));
    const ig_chars_rules rules = ig_tokenizer_chars(&t->options);
    return ig_chars_new(&t->chars, &rules, err);
}

void ig_tokenizer_free(ig_tokenizer *t)
{
    if (t == NULL)
        return;
    ig_vocab_free(&t->vocab);
    ig_trie_free(&t->trie);
    ig_chars_free(t->chars);
    ig_bpe_free(&t->bpe);
    ig_text_pipeline_free(t->pipeline);
    IG_FREE(t->score, t->added, t);
}

int32_t ig_tokenizer_size(const ig_tokenizer *t)
{
    return t->vocab.n;
}

const char *ig_tokenizer_piece(const ig_tokenizer *t, int32_t id)
{
    return id >= 0 && id < t->vocab.n ? t->vocab.text + t->vocab.start[id] : NULL;
}

int32_t ig_tokenizer_special(const ig_tokenizer *t, ig_tokenizer_role role)
{
    return t->role[role];
}

bool ig_tokenizer_continues(const ig_tokenizer *t, int32_t id)
{
    const char *piece = ig_tokenizer_piece(t, id);
    if (piece == NULL)
        return false;
    if (t->pipeline == NULL && t->kind != IG_TOKENIZER_UNIGRAM)
        return strncmp(piece, "##", 2) == 0 && piece[2] != '\0';
    for (int i = 0; i < t->n_special; i++)
        if (t->special[i].id == id)
            return false;
    return t->pipeline != NULL ? ig_text_pipeline_continues(t, id)
                               : strncmp(piece, "\xE2\x96\x81", 3) != 0;
}

ig_tokenizer_kind ig_tokenizer_get_kind(const ig_tokenizer *t)
{
    return t->kind;
}

ig_tokenizer_options ig_tokenizer_get_options(const ig_tokenizer *t)
{
    return t->options;
}

bool ig_tokenizer_is_bert(const ig_tokenizer *t)
{
    return t->kind == IG_TOKENIZER_WORDPIECE && t->pipeline == NULL && !t->options.keep_controls;
}

bool ig_tokenizer_has_own_split(const ig_tokenizer *t)
{
    return t->pipeline != NULL;
}

ig_code ig_tokenizer_vocab_text(const ig_tokenizer *t, char **out, int64_t *n, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    *n = t->vocab.start[t->vocab.n];
    IG_TRY(ig_alloc(out, *n + 1, 1, "vocabulary", err));
    memcpy(*out, t->vocab.text, (size_t)*n);
    for (int32_t i = 0; i < t->vocab.n; i++)
        (*out)[t->vocab.start[i + 1] - 1] = '\n';
    return IG_ERR_OK;
}

uint64_t ig_tokenizer_rules_hash(const ig_tokenizer *t)
{
    const ig_chars_rules r = ig_tokenizer_chars(&t->options);
    uint64_t h = 0;
    if (t->pipeline != NULL)
        return ig_hash(t->pipeline->source, t->pipeline->n_source, 4);
    switch (t->kind) {
    case IG_TOKENIZER_WORDPIECE:
        break;
    case IG_TOKENIZER_BPE:
        h = ig_hash(t->bpe.merge, (int64_t)sizeof *t->bpe.merge * t->bpe.n, 1);
        break;
    case IG_TOKENIZER_UNIGRAM:
        h = ig_hash(t->score, (int64_t)sizeof *t->score * t->vocab.n, 2);
        break;
    case IG_TOKENIZER_WORDS:
        h = 3;
        break;
    }
    const uint8_t unusual[] = {r.strip_accents != r.lowercase, r.join_ideographs};
    return unusual[0] != 0 || unusual[1] != 0 ? ig_hash(unusual, sizeof unusual, h + 5) : h;
}

void ig_tokenizer_set_scores(ig_tokenizer *t, double *score)
{
    double least = score[0];
    for (int32_t i = 1; i < t->vocab.n; i++)
        least = score[i] < least ? score[i] : least;
    t->kind = IG_TOKENIZER_UNIGRAM;
    t->score = score;
    t->unk_score = least - 10;
}

int32_t ig_tokenizer_id(const ig_tokenizer *t, const char *piece)
{
    for (int32_t i = 0; i < t->n_added; i++)
        if (strcmp(t->vocab.text + t->vocab.start[t->added[i]], piece) == 0)
            return t->added[i];
    return ig_trie_find(&t->trie, 0, piece, (int64_t)strlen(piece));
}

static ig_words words_of(const ig_tokenizer *t, const char *text, int64_t n, uint8_t *buffer,
                         int64_t limit)
{
    ig_words w = ig_words_make(t->chars, text, n, buffer, limit);
    w.special = t->special;
    w.n_special = t->n_special;
    return w;
}

/* Buffers of a call for words of any length. */
typedef struct {
    uint8_t *buffer; /* for the normalized word */
    ig_word_buffer room;
    uint8_t *marked; /* the word with the mark before it */
    int64_t have_marked;
} scratch;

/* Appends the ids of a word with the mark before it. A word that begins with the mark gets no
 * second one; a mark inside it begins a word. */
static ig_code cut_marked(const ig_tokenizer *t, const ig_words *w, scratch *d, ig_ids *out,
                          ig_err *err)
{
    static const char begin[] = "\xE2\x96\x81";
    const int64_t n = w->n + 3;
    IG_TRY(ig_grow(&d->marked, &d->have_marked, n, 1, "word", err));
    const bool has = w->n >= 3 && memcmp(w->word, begin, 3) == 0;
    const int64_t size = has ? w->n : n;
    memcpy(d->marked, begin, 3);
    memcpy(d->marked + (has ? 0 : 3), w->word, (size_t)w->n);
    for (int64_t from = 0, i = 1; i <= size; i++)
        if (i == size || (size - i >= 3 && memcmp(d->marked + i, begin, 3) == 0)) {
            IG_TRY(ig_word_cut(t, d->marked + from, i - from, &d->room, out, err));
            from = i;
        }
    return IG_ERR_OK;
}

static ig_code encode_long(const ig_tokenizer *t, const char *text, int64_t n, ig_ids *out,
                           ig_err *err)
{
    scratch d = {0};
    const int64_t limit = IG_WORDS_CHARS(n);
    ig_code code = ig_alloc(&d.buffer, IG_WORDS_BUFFER(limit), 1, "word", err);
    if (code == IG_ERR_OK) {
        ig_words w = words_of(t, text, n, d.buffer, limit);
        while (code == IG_ERR_OK && ig_words_next(&w)) {
            if (w.special_id >= 0)
                code = ig_ids_add(out, w.special_id, err);
            else if (t->kind == IG_TOKENIZER_UNIGRAM)
                code = cut_marked(t, &w, &d, out, err);
            else
                code = ig_word_cut(t, w.word, w.n, &d.room, out, err);
        }
    }
    IG_FREE(d.buffer, d.room.work, d.marked);
    return code;
}

ig_code ig_tokenizer_encode(const ig_tokenizer *t, const char *text, int64_t n, int32_t **ids,
                            int64_t *n_id, int64_t *have, ig_err *err)
{
    if (t->pipeline != NULL || t->kind != IG_TOKENIZER_WORDPIECE) {
        ig_ids out = {*ids, *n_id, *have};
        ig_code code = t->pipeline != NULL ? ig_text_pipeline_encode(t, text, n, &out, err)
                                           : encode_long(t, text, n, &out, err);
        *ids = out.id;
        *n_id = out.n;
        *have = out.have;
        return code;
    }
    uint8_t buffer[IG_WORDS_BUFFER(IG_WORD_CHARS_MAX)];
    ig_words w = words_of(t, text, n, buffer, IG_WORD_CHARS_MAX);
    while (ig_words_next(&w)) {
        if (*have - *n_id < IG_WORD_CHARS_MAX)
            IG_TRY(ig_grow(ids, have, *n_id + IG_WORD_CHARS_MAX, sizeof **ids, "token ids", err));
        int32_t *id = *ids + *n_id;
        int n_piece = 0;
        if (w.special_id >= 0) {
            id[0] = w.special_id;
            n_piece = 1;
        } else if (w.n_char <= IG_WORD_CHARS_MAX) {
            n_piece = ig_longest_match(t, w.word, w.n, id);
        }
        if (n_piece == 0) {
            id[0] = t->unk;
            n_piece = 1;
        }
        *n_id += n_piece;
    }
    return IG_ERR_OK;
}
