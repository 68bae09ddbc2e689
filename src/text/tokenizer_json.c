/* SPDX-License-Identifier: Apache-2.0
 *
 * tokenizer.json, the format of Hugging Face `tokenizers`: normalizer, pre_tokenizer, model,
 * added_tokens. Read and written are BERT's words (BertNormalizer, BertPreTokenizer) with any of
 * four models: WordPiece, BPE with "##", Unigram behind Metaspace, WordLevel. Anything else would
 * cut text in another way, and is refused with the key and what was found there. post_processor and
 * decoder do not concern the cutting and are not looked at.
 */
#include "text/tokenizer_internal.h"

#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const char *const models[IG_N_TOKENIZER_KIND] = {"WordPiece", "BPE", "Unigram", "WordLevel"};
static const char metaspace[] = "\xE2\x96\x81";

/* What a value is, for messages. */
static ig_code unlike(const json_t *found, const char *key, const char *expected, const char *where,
                      ig_err *err)
{
    char *text = found != NULL ? ig_json_text(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    ig_code code = ig_fail(err, IG_ERR_INPUT, where, 0, "%s is %.60s, expected %s", key,
                           text != NULL ? text : "missing", expected);
    free(text);
    return code;
}

static bool is_string(const json_t *j, const char *text)
{
    return json_is_string(j) && strcmp(json_string_value(j), text) == 0;
}

/* null and missing mean the same. */
static bool is_null(const json_t *j)
{
    return j == NULL || json_is_null(j);
}

static ig_code read_normalizer(ig_tokenizer *t, const json_t *n, const char *where, ig_err *err)
{
    if (!is_string(json_object_get(n, "type"), "BertNormalizer"))
        return unlike(json_is_object(n) ? json_object_get(n, "type") : n, "normalizer",
                      "a BertNormalizer", where, err);
    const json_t *lower = json_object_get(n, "lowercase"),
                 *strip = json_object_get(n, "strip_accents"),
                 *clean = json_object_get(n, "clean_text");
    if (!json_is_true(json_object_get(n, "handle_chinese_chars")))
        return unlike(json_object_get(n, "handle_chinese_chars"), "normalizer.handle_chinese_chars",
                      "true", where, err);
    if (!json_is_boolean(lower))
        return unlike(lower, "normalizer.lowercase", "true or false", where, err);
    if (!is_null(strip) && json_is_true(strip) != json_is_true(lower))
        return unlike(strip, "normalizer.strip_accents", "null or what lowercase is", where, err);
    if (!json_is_boolean(clean))
        return unlike(clean, "normalizer.clean_text", "true or false", where, err);
    t->options = (ig_tokenizer_options){.lowercase = json_is_true(lower),
                                        .keep_controls = json_is_false(clean)};
    return IG_ERR_OK;
}

static ig_code read_pre_tokenizer(const ig_tokenizer *t, const json_t *p, const char *where,
                                  ig_err *err)
{
    const json_t *type = json_object_get(p, "type");
    if (t->kind != IG_TOKENIZER_UNIGRAM)
        return is_string(type, "BertPreTokenizer")
                   ? IG_ERR_OK
                   : unlike(json_is_object(p) ? type : p, "pre_tokenizer", "a BertPreTokenizer",
                            where, err);
    const json_t *list = json_object_get(p, "pretokenizers"), *last = json_array_get(list, 1);
    if (!is_string(type, "Sequence") || json_array_size(list) != 2 ||
        !is_string(json_object_get(json_array_get(list, 0), "type"), "BertPreTokenizer") ||
        !is_string(json_object_get(last, "type"), "Metaspace"))
        return unlike(json_is_object(p) ? type : p, "pre_tokenizer",
                      "a Sequence of BertPreTokenizer and Metaspace, as the model is Unigram",
                      where, err);
    if (!is_string(json_object_get(last, "replacement"), metaspace))
        return unlike(json_object_get(last, "replacement"), "Metaspace.replacement",
                      "\"\xE2\x96\x81\"", where, err);
    if (!is_null(json_object_get(last, "split")) && !json_is_true(json_object_get(last, "split")))
        return unlike(json_object_get(last, "split"), "Metaspace.split", "true", where, err);
    if (!is_string(json_object_get(last, "prepend_scheme"), "always"))
        return unlike(json_object_get(last, "prepend_scheme"), "Metaspace.prepend_scheme",
                      "\"always\"", where, err);
    return IG_ERR_OK;
}

/* --- vocabulary */

/* Pieces by id while they come; the text is made at the end. */
typedef struct {
    const char **piece; /* [n] */
    int64_t n, have;
} pieces;

static ig_code put_piece(pieces *p, const char *piece, json_int_t id, const char *where,
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

static ig_code make_vocab(ig_vocab *v, const pieces *p, const char *where, ig_err *err)
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

static ig_code read_map(pieces *p, const json_t *model, const char *where, ig_err *err)
{
    const json_t *vocab = json_object_get(model, "vocab");
    const char *piece;
    const json_t *id;
    if (!json_is_object(vocab))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "model.vocab is no object of pieces and ids");
    json_object_foreach((json_t *)(uintptr_t)vocab, piece, id)
    {
        if (!json_is_integer(id))
            return unlike(id, "an id in model.vocab", "a number", where, err);
        IG_TRY(put_piece(p, piece, json_integer_value(id), where, err));
    }
    return IG_ERR_OK;
}

static ig_code read_scores(ig_tokenizer *t, pieces *p, const json_t *model, const char *where,
                           ig_err *err)
{
    const json_t *vocab = json_object_get(model, "vocab"), *unk = json_object_get(model, "unk_id");
    const size_t n = json_array_size(vocab);
    if (n == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "model.vocab is no list of pieces and scores");
    if (json_is_true(json_object_get(model, "byte_fallback")))
        return unlike(json_object_get(model, "byte_fallback"), "model.byte_fallback", "false",
                      where, err);
    double least = 0;
    IG_TRY(ig_alloc(&t->score, (int64_t)n, sizeof *t->score, "scores", err));
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(vocab, i), *score = json_array_get(row, 1);
        const char *piece = json_string_value(json_array_get(row, 0));
        if (piece == NULL || !json_is_number(score))
            return unlike(row, "an entry of model.vocab", "a piece and its score", where, err);
        IG_TRY(put_piece(p, piece, (json_int_t)i, where, err));
        t->score[i] = json_number_value(score);
        least = i == 0 || t->score[i] < least ? t->score[i] : least;
    }
    t->unk_score = least - 10;
    if (!json_is_integer(unk) || json_integer_value(unk) < 0 ||
        (size_t)json_integer_value(unk) >= n ||
        strcmp(p->piece[json_integer_value(unk)], "[UNK]") != 0)
        return unlike(unk, "model.unk_id", "that of [UNK]", where, err);
    return IG_ERR_OK;
}

/* "a b" (as older files have it) or ["a", "b"]. */
static ig_code read_merge(ig_tokenizer *t, const json_t *m, const char *where, ig_err *err)
{
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
    if (a == NULL || b == NULL || n_a == 0 || strncmp(b, "##", 2) != 0)
        return unlike(m, "an entry of model.merges", "two pieces, the second with \"##\"", where,
                      err);
    char *joined;
    const size_t n_b = strlen(b);
    IG_TRY(ig_alloc(&joined, (int64_t)(n_a + n_b + 1), 1, "merge", err));
    memcpy(joined, a, n_a);
    const int32_t from_a = ig_tokenizer_id(t, joined), from_b = ig_tokenizer_id(t, b);
    memcpy(joined + n_a, b + 2, n_b - 1);
    const int32_t to = ig_tokenizer_id(t, joined);
    ig_free(joined);
    if (from_a < 0 || from_b < 0 || to < 0)
        return unlike(m, "an entry of model.merges", "pieces of the vocabulary that give another",
                      where, err);
    return ig_bpe_add(&t->bpe, from_a, from_b, to, err);
}

static ig_code check_bpe(const json_t *model, const char *where, ig_err *err)
{
    static const struct {
        const char *key, *path;
    } off[] = {{"dropout", "model.dropout"},
               {"end_of_word_suffix", "model.end_of_word_suffix"},
               {"fuse_unk", "model.fuse_unk"},
               {"byte_fallback", "model.byte_fallback"},
               {"ignore_merges", "model.ignore_merges"}};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        const json_t *v = json_object_get(model, off[i].key);
        if (!is_null(v) && !json_is_false(v) && !is_string(v, ""))
            return unlike(v, off[i].path, "none", where, err);
    }
    return IG_ERR_OK;
}

static ig_code read_model(ig_tokenizer *t, pieces *p, const json_t *model, const char *where,
                          ig_err *err)
{
    const json_t *type = json_object_get(model, "type");
    int k = 0;
    while (k < IG_N_TOKENIZER_KIND && !is_string(type, models[k]))
        k++;
    if (k == IG_N_TOKENIZER_KIND)
        return unlike(type, "model.type", "WordPiece, BPE, Unigram or WordLevel", where, err);
    t->kind = (ig_tokenizer_kind)k;
    if (t->kind == IG_TOKENIZER_UNIGRAM)
        return read_scores(t, p, model, where, err);
    if (!is_string(json_object_get(model, "unk_token"), "[UNK]"))
        return unlike(json_object_get(model, "unk_token"), "model.unk_token", "\"[UNK]\"", where,
                      err);
    if (t->kind != IG_TOKENIZER_WORDS &&
        !is_string(json_object_get(model, "continuing_subword_prefix"), "##"))
        return unlike(json_object_get(model, "continuing_subword_prefix"),
                      "model.continuing_subword_prefix", "\"##\"", where, err);
    const json_t *most = json_object_get(model, "max_input_chars_per_word");
    if (t->kind == IG_TOKENIZER_WORDPIECE && json_integer_value(most) != IG_WORD_CHARS_MAX)
        return unlike(most, "model.max_input_chars_per_word", "100", where, err);
    if (t->kind == IG_TOKENIZER_BPE)
        IG_TRY(check_bpe(model, where, err));
    return read_map(p, model, where, err);
}

/* Tokens that are looked for in raw text before anything else. */
static ig_code read_added(pieces *p, const char **special, int *n_special, const json_t *added,
                          const char *where, ig_err *err)
{
    static const char *const flags[] = {"lstrip", "rstrip", "single_word", "normalized"};
    for (size_t i = 0; i < json_array_size(added); i++) {
        const json_t *a = json_array_get(added, i), *id = json_object_get(a, "id");
        const char *text = json_string_value(json_object_get(a, "content"));
        if (text == NULL || !json_is_integer(id))
            return unlike(a, "an entry of added_tokens", "an id and a content", where, err);
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (json_is_true(json_object_get(a, flags[k])))
                return ig_fail(err, IG_ERR_INPUT, where, 0,
                               "added token \"%.60s\" has %s true, expected false", text, flags[k]);
        if (text[0] != '[' || *n_special == IG_SPECIAL_MAX)
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "added token \"%.60s\", expected at most %d that begin with '['", text,
                           IG_SPECIAL_MAX);
        IG_TRY(put_piece(p, text, json_integer_value(id), where, err));
        special[(*n_special)++] = text;
    }
    return IG_ERR_OK;
}

static ig_code from_json(ig_tokenizer *t, pieces *p, const json_t *j, const char *where,
                         ig_err *err)
{
    const char *special[IG_SPECIAL_MAX];
    int n_special = 0;
    const json_t *model = json_object_get(j, "model");
    if (!json_is_object(model))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "no tokenizer.json: it has no \"model\"");
    IG_TRY(read_model(t, p, model, where, err));
    IG_TRY(read_normalizer(t, json_object_get(j, "normalizer"), where, err));
    IG_TRY(read_pre_tokenizer(t, json_object_get(j, "pre_tokenizer"), where, err));
    const int64_t n_model = p->n;
    IG_TRY(read_added(p, special, &n_special, json_object_get(j, "added_tokens"), where, err));
    if (t->kind == IG_TOKENIZER_UNIGRAM && p->n != n_model)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "an added token has id %lld, expected below %lld, as the model has scores",
                       (long long)p->n - 1, (long long)n_model);
    IG_TRY(make_vocab(&t->vocab, p, where, err));
    /* Merges name pieces, so they come behind the trie. */
    IG_TRY(ig_tokenizer_prepare(t, special, n_special, where, err));
    const json_t *merges = json_object_get(model, "merges");
    if (t->kind != IG_TOKENIZER_BPE)
        return IG_ERR_OK;
    if (!json_is_array(merges))
        return unlike(merges, "model.merges", "a list", where, err);
    for (size_t i = 0; i < json_array_size(merges); i++)
        IG_TRY(read_merge(t, json_array_get(merges, i), where, err));
    return ig_bpe_index(&t->bpe, err);
}

ig_code ig_tokenizer_json_parse(ig_tokenizer *t, const char *data, int64_t n, const char *where,
                                ig_err *err)
{
    json_error_t why;
    pieces p = {0};
    json_t *j = json_loadb(data, (size_t)n, 0, &why);
    if (j == NULL)
        return ig_fail(err, IG_ERR_INPUT, where, why.line > 0 ? (uint64_t)why.line : 0, "%s",
                       why.text);
    ig_code code = from_json(t, &p, j, where, err);
    ig_free(p.piece);
    json_decref(j);
    return code;
}

/* --- writing */

static json_t *model_json(const ig_tokenizer *t)
{
    json_t *vocab = t->kind == IG_TOKENIZER_UNIGRAM ? json_array() : json_object();
    for (int32_t i = 0; i < t->vocab.n; i++) {
        const char *piece = ig_tokenizer_piece(t, i);
        if (t->kind == IG_TOKENIZER_UNIGRAM)
            json_array_append_new(vocab, json_pack("[s, f]", piece, t->score[i]));
        else
            json_object_set_new(vocab, piece, json_integer(i));
    }
    switch (t->kind) {
    case IG_TOKENIZER_UNIGRAM:
        return json_pack("{s:s, s:i, s:b, s:o}", "type", models[t->kind], "unk_id", (int)t->unk,
                         "byte_fallback", 0, "vocab", vocab);
    case IG_TOKENIZER_WORDS:
        return json_pack("{s:s, s:s, s:o}", "type", models[t->kind], "unk_token", "[UNK]", "vocab",
                         vocab);
    case IG_TOKENIZER_WORDPIECE:
        return json_pack("{s:s, s:s, s:s, s:i, s:o}", "type", models[t->kind], "unk_token", "[UNK]",
                         "continuing_subword_prefix", "##", "max_input_chars_per_word",
                         IG_WORD_CHARS_MAX, "vocab", vocab);
    case IG_TOKENIZER_BPE:
        break;
    }
    json_t *merges = json_array();
    for (int32_t i = 0; i < t->bpe.n; i++)
        json_array_append_new(merges,
                              json_sprintf("%s %s", ig_tokenizer_piece(t, t->bpe.merge[i].a),
                                           ig_tokenizer_piece(t, t->bpe.merge[i].b)));
    return json_pack("{s:s, s:n, s:s, s:s, s:n, s:b, s:b, s:b, s:o, s:o}", "type", models[t->kind],
                     "dropout", "unk_token", "[UNK]", "continuing_subword_prefix", "##",
                     "end_of_word_suffix", "fuse_unk", 0, "byte_fallback", 0, "ignore_merges", 0,
                     "vocab", vocab, "merges", merges);
}

static json_t *pre_tokenizer_json(const ig_tokenizer *t)
{
    json_t *words = json_pack("{s:s}", "type", "BertPreTokenizer");
    if (t->kind != IG_TOKENIZER_UNIGRAM)
        return words;
    return json_pack("{s:s, s:[o, {s:s, s:s, s:s, s:b}]}", "type", "Sequence", "pretokenizers",
                     words, "type", "Metaspace", "replacement", metaspace, "prepend_scheme",
                     "always", "split", 1);
}

static json_t *decoder_json(const ig_tokenizer *t)
{
    if (t->kind == IG_TOKENIZER_UNIGRAM)
        return json_pack("{s:s, s:s, s:s, s:b}", "type", "Metaspace", "replacement", metaspace,
                         "prepend_scheme", "always", "split", 1);
    return t->kind == IG_TOKENIZER_WORDS
               ? json_null()
               : json_pack("{s:s, s:s, s:b}", "type", "WordPiece", "prefix", "##", "cleanup", 0);
}

/* [CLS] $A [SEP], [CLS] $A [SEP] $B [SEP]; null without those two. */
static json_t *post_processor_json(const ig_tokenizer *t)
{
    const int32_t cls = ig_tokenizer_id(t, "[CLS]"), sep = ig_tokenizer_id(t, "[SEP]");
    if (cls < 0 || sep < 0)
        return json_null();
    return json_pack("{s:s, s:[s, i], s:[s, i]}", "type", "BertProcessing", "sep", "[SEP]",
                     (int)sep, "cls", "[CLS]", (int)cls);
}

static json_t *added_json(const ig_tokenizer *t)
{
    json_t *list = json_array();
    for (int i = 0; i < t->n_special; i++)
        json_array_append_new(
            list, json_pack("{s:i, s:s, s:b, s:b, s:b, s:b, s:b}", "id", (int)t->special[i].id,
                            "content", ig_tokenizer_piece(t, t->special[i].id), "single_word", 0,
                            "lstrip", 0, "rstrip", 0, "normalized", 0, "special", 1));
    return list;
}

ig_code ig_tokenizer_json_write(const ig_tokenizer *t, const char *path, ig_err *err)
{
    json_t *normalizer =
        json_pack("{s:s, s:b, s:b, s:b, s:b}", "type", "BertNormalizer", "clean_text",
                  (int)!t->options.keep_controls, "handle_chinese_chars", 1, "strip_accents",
                  (int)t->options.lowercase, "lowercase", (int)t->options.lowercase);
    return ig_json_write(json_pack("{s:s, s:n, s:n, s:o, s:o, s:o, s:o, s:o, s:o}", "version",
                                   "1.0", "truncation", "padding", "added_tokens", added_json(t),
                                   "normalizer", normalizer, "pre_tokenizer", pre_tokenizer_json(t),
                                   "post_processor", post_processor_json(t), "decoder",
                                   decoder_json(t), "model", model_json(t)),
                         path, 17, err);
}
