/* SPDX-License-Identifier: Apache-2.0
 *
 * tokenizer.json, the format of Hugging Face `tokenizers`: normalizer, pre_tokenizer, model,
 * added_tokens. BERT's words (BertNormalizer, BertPreTokenizer) with any of four models are read
 * and written: WordPiece, BPE with "##", Unigram after Metaspace, WordLevel. Files with other
 * rules (pipeline_json.c) are written as they were read.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/strings/encoding.h"
#include "text/tokenizer/model_json.h"
#include "text/tokenizer/pipeline_json.h"

static const char metaspace[] = "\xE2\x96\x81";

/* Returns whether a pre_tokenizer splits words as BERT; those of a Unigram model begin with a mark.
 */
static bool splits_plainly(const json_t *p, bool unigram)
{
    const json_t *list = json_object_get(p, "pretokenizers"), *first = json_array_get(list, 0),
                 *last = json_array_get(list, 1), *split = json_object_get(last, "split");
    if (!unigram)
        return ig_json_is(json_object_get(p, "type"), "BertPreTokenizer");
    return ig_json_is(json_object_get(p, "type"), "Sequence") && json_array_size(list) == 2 &&
           ig_json_is(json_object_get(first, "type"), "BertPreTokenizer") &&
           ig_json_is(json_object_get(last, "type"), "Metaspace") &&
           ig_json_is(json_object_get(last, "replacement"), metaspace) &&
           ig_json_is(json_object_get(last, "prepend_scheme"), "always") &&
           (ig_json_is_none(split) || json_is_true(split));
}

/* Returns whether a string is a prefix of another one in the list. */
static bool begins_another(const json_t *added, const char *text)
{
    for (size_t i = 0; i < json_array_size(added); i++) {
        const char *other = json_string_value(json_object_get(json_array_get(added, i), "content"));
        if (other != NULL && strcmp(other, text) != 0 && strncmp(other, text, strlen(text)) == 0)
            return true;
    }
    return false;
}

/* Returns whether words_of finds the added tokens: "[…" in the raw text, anywhere; all below id
 * `end`. */
static bool added_are_plain(const json_t *added, json_int_t end)
{
    static const char *const flags[] = {"lstrip", "rstrip", "single_word", "normalized"};
    for (size_t i = 0; i < json_array_size(added); i++) {
        const json_t *a = json_array_get(added, i);
        const char *text = json_string_value(json_object_get(a, "content"));
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (json_is_true(json_object_get(a, flags[k])))
                return false;
        if (json_integer_value(json_object_get(a, "id")) >= end ||
            (text != NULL && (text[0] != '[' || begins_another(added, text))))
            return false;
    }
    return json_array_size(added) <= IG_SPECIAL_MAX;
}

/* Returns whether a model has the usual pieces and rules, which tokenizer.c splits by. */
static bool is_plain_model(const json_t *model, ig_tokenizer_kind kind)
{
    const json_t *vocab = json_object_get(model, "vocab"), *unk = json_object_get(model, "unk_id");
    if (json_is_true(json_object_get(model, "byte_fallback")))
        return false;
    if (kind == IG_TOKENIZER_UNIGRAM)
        return json_is_integer(unk) && json_integer_value(unk) >= 0 &&
               ig_json_is(json_array_get(json_array_get(vocab, (size_t)json_integer_value(unk)), 0),
                          "[UNK]");
    if (!ig_json_is(json_object_get(model, "unk_token"), "[UNK]") ||
        (kind != IG_TOKENIZER_WORDS &&
         !ig_json_is(json_object_get(model, "continuing_subword_prefix"), "##")))
        return false;
    return kind == IG_TOKENIZER_WORDPIECE
               ? json_integer_value(json_object_get(model, "max_input_chars_per_word")) ==
                     IG_WORD_CHARS_MAX
               : !json_is_true(json_object_get(model, "fuse_unk")) &&
                     !json_is_true(json_object_get(model, "ignore_merges"));
}

/* Returns whether words are BERT's and pieces the usual ones; others need a pipeline. */
static bool is_plain(const json_t *j, const ig_role_names *roles)
{
    const json_t *model = json_object_get(j, "model");
    ig_tokenizer_kind kind;
    for (int r = 0; r < IG_N_TOKENIZER_ROLE && roles != NULL; r++)
        if (roles->name[r] != NULL && strcmp(roles->name[r], ig_bert_tokens[r]) != 0)
            return false;
    if (ig_model_kind(&kind, model, "", NULL) != IG_ERR_OK)
        return false;
    const bool unigram = kind == IG_TOKENIZER_UNIGRAM;
    return ig_json_is(json_object_get(json_object_get(j, "normalizer"), "type"),
                      "BertNormalizer") &&
           splits_plainly(json_object_get(j, "pre_tokenizer"), unigram) &&
           is_plain_model(model, kind) &&
           added_are_plain(json_object_get(j, "added_tokens"),
                           unigram ? (json_int_t)json_array_size(json_object_get(model, "vocab"))
                                   : INT64_MAX);
}

ig_code ig_tokenizer_json_read(ig_tokenizer *t, ig_pieces *p, const json_t *j,
                               const ig_role_names *roles, const char *where, ig_err *err)
{
    if (!json_is_object(json_object_get(j, "model")))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "not a tokenizer.json: it has no \"model\"");
    if (!is_plain(j, roles))
        IG_TRY(ig_alloc(&t->pipeline, 1, sizeof *t->pipeline, "tokenizer", err));
    return ig_tokenizer_parts_read(t, p, j, roles, where, err);
}

ig_code ig_tokenizer_json_load(json_t **out, const char *data, int64_t n, const char *where,
                               ig_err *err)
{
    json_error_t why;
    *out = NULL;
    IG_TRY(ig_check_text(data, n, where, err));
    const ig_code code = ig_json_load(out, data, n, 0, &why, where, err);
    return code == IG_ERR_INPUT
               ? ig_fail(err, code, where, why.line > 0 ? (uint64_t)why.line : 0, "%s", why.text)
               : code;
}

ig_code ig_tokenizer_json_parse(ig_tokenizer *t, const char *data, int64_t n, const char *where,
                                ig_err *err)
{
    ig_pieces p = {0};
    json_auto_t *j = NULL;
    IG_TRY(ig_tokenizer_json_load(&j, data, n, where, err));
    ig_code code = ig_tokenizer_json_read(t, &p, j, NULL, where, err);
    if (code == IG_ERR_OK && t->pipeline != NULL)
        code = ig_text_pipeline_keep(t->pipeline, data, n, err);
    ig_free(p.piece);
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
        return json_pack("{s:s, s:i, s:b, s:o}", "type", ig_tokenizer_models[t->kind], "unk_id",
                         (int)t->unk, "byte_fallback", 0, "vocab", vocab);
    case IG_TOKENIZER_WORDS:
        return json_pack("{s:s, s:s, s:o}", "type", ig_tokenizer_models[t->kind], "unk_token",
                         "[UNK]", "vocab", vocab);
    case IG_TOKENIZER_WORDPIECE:
        return json_pack("{s:s, s:s, s:s, s:i, s:o}", "type", ig_tokenizer_models[t->kind],
                         "unk_token", "[UNK]", "continuing_subword_prefix", "##",
                         "max_input_chars_per_word", IG_WORD_CHARS_MAX, "vocab", vocab);
    case IG_TOKENIZER_BPE:
        break;
    }
    json_t *merges = json_array();
    for (int32_t i = 0; i < t->bpe.n; i++)
        json_array_append_new(merges,
                              json_sprintf("%s %s", ig_tokenizer_piece(t, t->bpe.merge[i].a),
                                           ig_tokenizer_piece(t, t->bpe.merge[i].b)));
    return json_pack("{s:s, s:n, s:s, s:s, s:n, s:b, s:b, s:b, s:o, s:o}", "type",
                     ig_tokenizer_models[t->kind], "dropout", "unk_token", "[UNK]",
                     "continuing_subword_prefix", "##", "end_of_word_suffix", "fuse_unk", 0,
                     "byte_fallback", 0, "ignore_merges", 0, "vocab", vocab, "merges", merges);
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
    IG_PLAIN_NUMBERS;
    if (t->pipeline != NULL)
        return ig_file_write(path, t->pipeline->source, t->pipeline->n_source, err);
    const ig_chars_rules rules = ig_tokenizer_chars(&t->options);
    json_t *normalizer =
        json_pack("{s:s, s:b, s:b, s:b, s:b}", "type", "BertNormalizer", "clean_text",
                  (int)!rules.keep_controls, "handle_chinese_chars", (int)!rules.join_ideographs,
                  "strip_accents", (int)rules.strip_accents, "lowercase", (int)rules.lowercase);
    return ig_json_write(json_pack("{s:s, s:n, s:n, s:o, s:o, s:o, s:o, s:o, s:o}", "version",
                                   "1.0", "truncation", "padding", "added_tokens", added_json(t),
                                   "normalizer", normalizer, "pre_tokenizer", pre_tokenizer_json(t),
                                   "post_processor", post_processor_json(t), "decoder",
                                   decoder_json(t), "model", model_json(t)),
                         path, 17, err);
}
