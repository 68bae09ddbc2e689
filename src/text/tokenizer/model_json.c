/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the model of a tokenizer.json: pieces with their ids, and scores or merges, after Hugging
 * Face `tokenizers` 0.23.
 */
#include "text/tokenizer/model_json.h"

#include "base/memory.h"
#include "base/settings/json_text.h"

#include <stdio.h>
#include <string.h>

const char *const ig_tokenizer_models[IG_N_TOKENIZER_KIND] = {"WordPiece", "BPE", "Unigram",
                                                              "WordLevel"};

ig_code ig_json_unlike(const json_t *found, const char *key, const char *expected,
                       const char *where, ig_err *err)
{
    IG_OWNED char *text =
        found != NULL ? ig_json_text(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    return ig_fail(err, IG_ERR_INPUT, where, 0, "%s is %.60s, expected %s", key,
                   text != NULL ? text : "missing", expected);
}

bool ig_json_is(const json_t *j, const char *text)
{
    return json_is_string(j) && strcmp(json_string_value(j), text) == 0;
}

bool ig_json_is_none(const json_t *j)
{
    return j == NULL || json_is_null(j);
}

ig_code ig_accents_read(ig_tokenizer_accents *out, const json_t *j, const char *key,
                        const char *where, ig_err *err)
{
    if (!ig_json_is_none(j) && !json_is_boolean(j))
        return ig_json_unlike(j, key, "null, true or false", where, err);
    *out = ig_json_is_none(j) ? IG_ACCENTS_AS_CASE
           : json_is_true(j)  ? IG_ACCENTS_STRIP
                              : IG_ACCENTS_KEEP;
    return IG_ERR_OK;
}

json_t *ig_accents_json(ig_tokenizer_accents a)
{
    return a == IG_ACCENTS_AS_CASE ? json_null() : json_boolean(a == IG_ACCENTS_STRIP);
}

/* --- vocabulary */

ig_code ig_pieces_add(ig_pieces *p, const char *piece, json_int_t id, const char *where,
                      ig_err *err)
{
    if (id < 0 || id > 1 << 26)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "id %lld of \"%.60s\", expected 0 to %d",
                       (long long)id, piece, 1 << 26);
    IG_TRY(ig_grow(&p->piece, &p->have, id + 1, sizeof *p->piece, "pieces", err));
    if (p->piece[id] != NULL && strcmp(p->piece[id], piece) != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "id %lld is both \"%.60s\" and \"%.60s\"",
                       (long long)id, p->piece[id], piece);
    p->piece[id] = piece;
    p->n = id + 1 > p->n ? id + 1 : p->n;
    return IG_ERR_OK;
}

ig_code ig_pieces_vocab(ig_vocab *v, const ig_pieces *p, const char *where, ig_err *err)
{
    int64_t size = 1;
    for (int64_t i = 0; i < p->n; i++) {
        if (p->piece[i] == NULL)
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "no piece has id %lld, but there is one of "
                           "id %lld",
                           (long long)i, (long long)p->n - 1);
        size += (int64_t)strlen(p->piece[i]) + 1;
    }
    if (size > 1 << 28)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "%lld bytes of pieces, expected at most %d",
                       (long long)size, 1 << 28);
    IG_TRY(ig_alloc(&v->text, size, 1, where, err));
    IG_TRY(ig_alloc(&v->start, p->n + 1, sizeof *v->start, where, err));
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t n = (int64_t)strlen(p->piece[i]) + 1;
        memcpy(v->text + v->start[i], p->piece[i], (size_t)n);
        v->start[i + 1] = v->start[i] + n;
        v->n++;
    }
    return IG_ERR_OK;
}

int64_t ig_model_piece(const json_t *model, const char *text)
{
    const json_t *vocab = json_object_get(model, "vocab"), *id = json_object_get(vocab, text);
    for (size_t i = 0; i < json_array_size(vocab); i++)
        if (ig_json_is(json_array_get(json_array_get(vocab, i), 0), text))
            return (int64_t)i;
    return json_is_integer(id) ? json_integer_value(id) : -1;
}

static ig_code read_map(ig_pieces *p, const json_t *model, const char *where, ig_err *err)
{
    const json_t *vocab = json_object_get(model, "vocab");
    const char *piece;
    const json_t *id;
    if (vocab == NULL && p->n > 0)
        return IG_ERR_OK;
    if (!json_is_object(vocab))
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "model.vocab is not an object of pieces and ids");
    json_object_foreach((json_t *)(uintptr_t)vocab, piece, id)
    {
        if (!json_is_integer(id))
            return ig_json_unlike(id, "an id in model.vocab", "a number", where, err);
        IG_TRY(ig_pieces_add(p, piece, json_integer_value(id), where, err));
    }
    return IG_ERR_OK;
}

static ig_code read_scores(ig_tokenizer *t, ig_pieces *p, const char **unknown, const json_t *model,
                           const char *where, ig_err *err)
{
    const json_t *vocab = json_object_get(model, "vocab"), *unk = json_object_get(model, "unk_id");
    const size_t n = json_array_size(vocab);
    if (n == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "model.vocab is not a list of pieces and scores");
    double least = 0;
    IG_TRY(ig_alloc(&t->score, (int64_t)n, sizeof *t->score, "scores", err));
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(vocab, i), *score = json_array_get(row, 1);
        const char *piece = json_string_value(json_array_get(row, 0));
        if (piece == NULL || !json_is_number(score))
            return ig_json_unlike(row, "an entry of model.vocab", "a piece and its score", where,
                                  err);
        IG_TRY(ig_pieces_add(p, piece, (json_int_t)i, where, err));
        t->score[i] = json_number_value(score);
        least = i == 0 || t->score[i] < least ? t->score[i] : least;
    }
    t->unk_score = least - 10;
    const bool has =
        json_is_integer(unk) && json_integer_value(unk) >= 0 && (size_t)json_integer_value(unk) < n;
    *unknown = has ? p->piece[json_integer_value(unk)] : NULL;
    return has ? IG_ERR_OK : ig_json_unlike(unk, "model.unk_id", "that of a piece", where, err);
}

/* Returns the prefix of pieces inside a word. */
static const char *prefix_of(const json_t *model)
{
    const char *prefix = json_string_value(json_object_get(model, "continuing_subword_prefix"));
    return prefix != NULL ? prefix : "";
}

/* Reads "a b" (as in older files) or ["a", "b"]. */
static ig_code read_merge(ig_tokenizer *t, const json_t *m, const char *prefix, const char *where,
                          ig_err *err)
{
    const size_t n_prefix = strlen(prefix);
    const char *text = json_string_value(m);
    const char *a = json_string_value(json_array_get(m, 0)),
               *b = json_string_value(json_array_get(m, 1));
    size_t n_a = a != NULL ? strlen(a) : 0;
    if (text != NULL) {
        const char *space = strchr(text, ' ');
        a = text;
        n_a = space != NULL ? (size_t)(space - text) : 0;
        b = space != NULL ? space + 1 : NULL;
    }
    if (a == NULL || b == NULL || n_a == 0 || b[0] == '\0' || strncmp(b, prefix, n_prefix) != 0)
        return ig_json_unlike(
            m, "an entry of model.merges",
            n_prefix > 0 ? "two pieces, the second with the prefix" : "two pieces", where, err);
    char *joined;
    const size_t n_b = strlen(b);
    IG_TRY(ig_alloc(&joined, (int64_t)(n_a + n_b + 1), 1, "merge", err));
    memcpy(joined, a, n_a);
    const int32_t from_a = ig_tokenizer_id(t, joined), from_b = ig_tokenizer_id(t, b);
    memcpy(joined + n_a, b + n_prefix, n_b - n_prefix + 1);
    const int32_t to = ig_tokenizer_id(t, joined);
    ig_free(joined);
    if (from_a < 0 || from_b < 0 || to < 0)
        return ig_json_unlike(m, "an entry of model.merges",
                              "pieces of the vocabulary that give another", where, err);
    return ig_bpe_add(&t->bpe, from_a, from_b, to, err);
}

/* Refuses settings that change how BPE splits and are not supported. */
static ig_code check_bpe(ig_tokenizer *t, const json_t *model, const char *where, ig_err *err)
{
    static const struct {
        const char *key, *path;
    } off[] = {{"dropout", "model.dropout"}, {"end_of_word_suffix", "model.end_of_word_suffix"}};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        const json_t *v = json_object_get(model, off[i].key);
        if (!ig_json_is_none(v) && !json_is_false(v) && !ig_json_is(v, ""))
            return ig_json_unlike(v, off[i].path, "none", where, err);
    }
    t->fuse_unknown = json_is_true(json_object_get(model, "fuse_unk"));
    t->whole_first = json_is_true(json_object_get(model, "ignore_merges"));
    return IG_ERR_OK;
}

/* Infers the kind of a file without model.type from its keys, as `tokenizers` does. */
static int kind_by_keys(const json_t *model)
{
    const json_t *vocab = json_object_get(model, "vocab");
    if (json_is_array(vocab))
        return IG_TOKENIZER_UNIGRAM;
    if (json_is_array(json_object_get(model, "merges")))
        return IG_TOKENIZER_BPE;
    if (!json_is_object(vocab) || !json_is_string(json_object_get(model, "unk_token")))
        return IG_N_TOKENIZER_KIND;
    return json_is_string(json_object_get(model, "continuing_subword_prefix")) &&
                   json_is_integer(json_object_get(model, "max_input_chars_per_word"))
               ? IG_TOKENIZER_WORDPIECE
               : IG_TOKENIZER_WORDS;
}

ig_code ig_model_kind(ig_tokenizer_kind *kind, const json_t *model, const char *where, ig_err *err)
{
    const json_t *type = json_object_get(model, "type");
    int k = type == NULL ? kind_by_keys(model) : 0;
    while (type != NULL && k < IG_N_TOKENIZER_KIND && !ig_json_is(type, ig_tokenizer_models[k]))
        k++;
    if (k == IG_N_TOKENIZER_KIND)
        return ig_json_unlike(type, "model.type", "WordPiece, BPE, Unigram or WordLevel", where,
                              err);
    *kind = (ig_tokenizer_kind)k;
    return IG_ERR_OK;
}

/* Reads the prefix of pieces inside a word, and the maximum length of a word. */
static ig_code read_cut(ig_tokenizer *t, const json_t *model, const char *where, ig_err *err)
{
    const json_t *prefix = json_object_get(model, "continuing_subword_prefix"),
                 *most = json_object_get(model, "max_input_chars_per_word");
    const bool pieces = t->kind == IG_TOKENIZER_WORDPIECE;
    const char *text = prefix_of(model);
    if (strlen(text) >= IG_PREFIX_MAX || (pieces && !json_is_string(prefix)))
        return ig_json_unlike(prefix, "model.continuing_subword_prefix",
                              "a string of at most 15 bytes", where, err);
    if (pieces && (!json_is_integer(most) || json_integer_value(most) < 0))
        return ig_json_unlike(most, "model.max_input_chars_per_word", "0 or more", where, err);
    if (pieces || t->kind == IG_TOKENIZER_BPE)
        memcpy(t->prefix, text, strlen(text) + 1);
    t->most_chars = pieces ? json_integer_value(most) : INT64_MAX;
    return IG_ERR_OK;
}

ig_code ig_model_read(ig_tokenizer *t, ig_pieces *p, const char **unknown, const json_t *model,
                      const char *where, ig_err *err)
{
    const json_t *unk = json_object_get(model, "unk_token");
    IG_TRY(ig_model_kind(&t->kind, model, where, err));
    if (t->kind == IG_TOKENIZER_UNIGRAM)
        return read_scores(t, p, unknown, model, where, err);
    *unknown = json_string_value(unk);
    if (*unknown == NULL && t->kind != IG_TOKENIZER_BPE)
        return ig_json_unlike(unk, "model.unk_token", "a piece", where, err);
    IG_TRY(read_cut(t, model, where, err));
    if (t->kind == IG_TOKENIZER_BPE)
        IG_TRY(check_bpe(t, model, where, err));
    return read_map(p, model, where, err);
}

ig_code ig_model_read_bytes(ig_tokenizer *t, const json_t *model, const char *where, ig_err *err)
{
    const json_t *fallback = json_object_get(model, "byte_fallback");
    t->byte_fallback =
        json_is_true(fallback) && (t->kind == IG_TOKENIZER_BPE || t->kind == IG_TOKENIZER_UNIGRAM);
    for (int b = 0; b < 256 && t->byte_fallback; b++) {
        char piece[8];
        snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)b);
        t->byte[b] = ig_tokenizer_id(t, piece);
        if (t->byte[b] < 0)
            return ig_json_unlike(fallback, "model.byte_fallback",
                                  "false, as not all of the pieces <0x00> to <0xFF> are there",
                                  where, err);
    }
    return IG_ERR_OK;
}

ig_code ig_model_read_merges(ig_tokenizer *t, const json_t *model, const char *where, ig_err *err)
{
    const json_t *merges = json_object_get(model, "merges");
    if (t->kind != IG_TOKENIZER_BPE)
        return IG_ERR_OK;
    if (!json_is_array(merges))
        return ig_json_unlike(merges, "model.merges", "a list", where, err);
    for (size_t i = 0; i < json_array_size(merges); i++)
        IG_TRY(read_merge(t, json_array_get(merges, i), prefix_of(model), where, err));
    return ig_bpe_index(&t->bpe, err);
}
