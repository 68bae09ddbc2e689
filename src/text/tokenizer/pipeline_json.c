/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads normalizer, pre_tokenizer, post_processor, added_tokens and model of a tokenizer.json into
 * a pipeline: byte-level BPE (RoBERTa), Unigram or BPE after Metaspace with or without a
 * precompiled character map (XLM-R), BERT's words with other rules than those of tokenizer.c, and
 * sequences of the steps that text_steps.h and text_split.h list. A setting that would split text
 * differently is refused with the key and the value found; decoder and truncation do not affect
 * splitting.
 */
#include "text/tokenizer/pipeline_json.h"

#include "base/memory.h"
#include "base/strings/append.h"

#include <math.h>
#include <stdio.h>

enum { DEPTH_MAX = 8 };

static ig_code copy_text(char **out, const json_t *j, const char *key, const char *where,
                         ig_err *err)
{
    const char *text = json_string_value(j);
    return text != NULL ? ig_copy_text(out, text, key, err)
                        : ig_json_unlike(j, key, "a string", where, err);
}

/* --- normalizers */

/* Returns whether a pattern is a supported expression: one character, or \s, at least once ("+") or
 * n times
 * ("{n,}"). */
static bool is_run(ig_text_step *s, const char *pattern, size_t *n_what)
{
    int least = 1, used = 0;
    s->blank = strncmp(pattern, "\\s", 2) == 0;
    const uint8_t *p = (const uint8_t *)pattern;
    uint32_t c;
    if (*pattern == '\0')
        return false;
    *n_what = s->blank ? 2 : (size_t)ig_utf8_next(p, p + strlen(pattern), &c);
    if (!s->blank && c < 0x80 && strchr("\\.[](){}*+?|^$", (int)c) != NULL)
        return false;
    const char *rest = pattern + *n_what;
    if (strcmp(rest, "+") != 0 &&
        (sscanf(rest, "{%4d,}%n", &least, &used) != 1 || used == 0 || rest[used] != '\0'))
        return false;
    s->least = least;
    return least >= 1;
}

static ig_code read_replace(ig_text_step *s, const json_t *n, const char *where, ig_err *err)
{
    const json_t *pattern = json_object_get(n, "pattern"),
                 *regex = json_object_get(pattern, "Regex");
    size_t n_what;
    IG_TRY(copy_text(&s->with, json_object_get(n, "content"), "Replace.content", where, err));
    if (regex == NULL)
        return copy_text(&s->what, json_object_get(pattern, "String"), "Replace.pattern", where,
                         err);
    IG_TRY(copy_text(&s->what, regex, "Replace.pattern.Regex", where, err));
    if (is_run(s, s->what, &n_what)) {
        s->kind = IG_TEXT_REPLACE_RUNS;
        s->what[n_what] = '\0';
        return IG_ERR_OK;
    }
    s->kind = IG_TEXT_REPLACE_REGEX;
    return ig_text_regex_new(&s->regex, s->what, "Replace.pattern.Regex", where, err);
}

static ig_code read_step(ig_text_step *s, const json_t *n, const char *where, ig_err *err)
{
    static const struct {
        const char *type;
        ig_text_step_kind kind;
    } known[] = {{"NFC", IG_TEXT_NFC},
                 {"NFD", IG_TEXT_NFD},
                 {"NFKC", IG_TEXT_NFKC},
                 {"NFKD", IG_TEXT_NFKD},
                 {"Lowercase", IG_TEXT_LOWERCASE},
                 {"StripAccents", IG_TEXT_STRIP_ACCENTS},
                 {"Nmt", IG_TEXT_NMT},
                 {"Precompiled", IG_TEXT_CHARSMAP},
                 {"Replace", IG_TEXT_REPLACE},
                 {"Strip", IG_TEXT_STRIP},
                 {"Prepend", IG_TEXT_PREPEND}};
    const json_t *type = json_object_get(n, "type");
    size_t k = 0;
    while (k < sizeof known / sizeof *known && !ig_json_is(type, known[k].type))
        k++;
    if (k == sizeof known / sizeof *known)
        return ig_json_unlike(json_is_object(n) ? type : n, "normalizer",
                              "one or a Sequence of BertNormalizer, NFC, NFD, NFKC, NFKD, "
                              "Lowercase, StripAccents, Nmt, Precompiled, Replace, Strip, Prepend",
                              where, err);
    s->kind = known[k].kind;
    s->left = json_is_true(json_object_get(n, "strip_left"));
    s->right = json_is_true(json_object_get(n, "strip_right"));
    if (s->kind == IG_TEXT_CHARSMAP) {
        const char *map = json_string_value(json_object_get(n, "precompiled_charsmap"));
        return ig_charsmap_new(&s->map, map != NULL ? map : "", where, err);
    }
    if (s->kind == IG_TEXT_REPLACE)
        return read_replace(s, n, where, err);
    return s->kind == IG_TEXT_PREPEND
               ? copy_text(&s->with, json_object_get(n, "prepend"), "Prepend.prepend", where, err)
               : IG_ERR_OK;
}

static ig_code read_bert_normalizer(ig_tokenizer_options *o, const json_t *n, const char *where,
                                    ig_err *err)
{
    static const char *const keys[] = {"clean_text", "handle_chinese_chars", "lowercase"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_is_boolean(json_object_get(n, keys[i]))) {
            char key[64];
            snprintf(key, sizeof key, "normalizer.%s", keys[i]);
            return ig_json_unlike(json_object_get(n, keys[i]), key, "true or false", where, err);
        }
    *o = (ig_tokenizer_options){.lowercase = json_is_true(json_object_get(n, "lowercase")),
                                .keep_controls = json_is_false(json_object_get(n, "clean_text")),
                                .join_ideographs =
                                    json_is_false(json_object_get(n, "handle_chinese_chars"))};
    return ig_accents_read(&o->accents, json_object_get(n, "strip_accents"),
                           "normalizer.strip_accents", where, err);
}

static ig_code read_bert_step(ig_text_step *s, ig_tokenizer *t, const json_t *n, const char *where,
                              ig_err *err)
{
    s->kind = IG_TEXT_BERT;
    IG_TRY(read_bert_normalizer(&t->options, n, where, err));
    const ig_chars_rules rules = ig_tokenizer_chars(&t->options);
    return ig_chars_new(&s->chars, &rules, err);
}

static ig_code read_normalizer(ig_tokenizer *t, const json_t *n, int depth, const char *where,
                               ig_err *err)
{
    ig_text_steps *list = &t->pipeline->normalizers;
    if (ig_json_is_none(n))
        return IG_ERR_OK;
    const json_t *all = json_object_get(n, "normalizers");
    if (ig_json_is(json_object_get(n, "type"), "Sequence") && depth < DEPTH_MAX) {
        for (size_t i = 0; i < json_array_size(all); i++)
            IG_TRY(read_normalizer(t, json_array_get(all, i), depth + 1, where, err));
        return IG_ERR_OK;
    }
    ig_text_step step = {0};
    ig_code code = ig_json_is(json_object_get(n, "type"), "BertNormalizer")
                       ? read_bert_step(&step, t, n, where, err)
                       : read_step(&step, n, where, err);
    if (code == IG_ERR_OK)
        return ig_text_steps_add(list, step, err);
    ig_charsmap_free(step.map);
    ig_chars_free(step.chars);
    ig_text_regex_free(step.regex);
    IG_FREE(step.what, step.with);
    return code;
}

/* --- pre-tokenizers */

static ig_code read_metaspace(ig_split_step *s, const json_t *p, const char *where, ig_err *err)
{
    const json_t *scheme = json_object_get(p, "prepend_scheme"),
                 *mark = json_object_get(p, "replacement"),
                 *space = json_object_get(p, "add_prefix_space");
    const char *text = json_string_value(mark);
    if (text == NULL || *text == '\0' || strlen(text) >= sizeof s->mark)
        return ig_json_unlike(mark, "Metaspace.replacement", "one character", where, err);
    memcpy(s->mark, text, strlen(text));
    if (!ig_json_is_none(scheme) && !ig_json_is(scheme, "always") && !ig_json_is(scheme, "first") &&
        !ig_json_is(scheme, "never"))
        return ig_json_unlike(scheme, "Metaspace.prepend_scheme",
                              "\"always\", \"first\" or \"never\"", where, err);
    s->kind = IG_SPLIT_METASPACE;
    s->first = ig_json_is(scheme, "first");
    s->before = ig_json_is_none(scheme) ? !json_is_false(space) : !ig_json_is(scheme, "never");
    s->cut = !json_is_false(json_object_get(p, "split"));
    return IG_ERR_OK;
}

static ig_code read_behaviour(ig_split_behaviour *out, const json_t *p, const char *where,
                              ig_err *err)
{
    static const char *const names[] = {[IG_SPLIT_REMOVED] = "Removed",
                                        [IG_SPLIT_ISOLATED] = "Isolated",
                                        [IG_SPLIT_WITH_PREVIOUS] = "MergedWithPrevious",
                                        [IG_SPLIT_WITH_NEXT] = "MergedWithNext",
                                        [IG_SPLIT_CONTIGUOUS] = "Contiguous"};
    const json_t *b = json_object_get(p, "behavior");
    size_t k = 0;
    while (k < sizeof names / sizeof *names && !ig_json_is(b, names[k]))
        k++;
    *out = (ig_split_behaviour)k;
    return k < sizeof names / sizeof *names
               ? IG_ERR_OK
               : ig_json_unlike(b, "pre_tokenizer.behavior",
                                "Removed, Isolated, MergedWithPrevious, MergedWithNext or "
                                "Contiguous",
                                where, err);
}

static ig_code read_pattern(ig_split_step *s, const json_t *p, const char *where, ig_err *err)
{
    const json_t *pattern = json_object_get(p, "pattern"),
                 *regex = json_object_get(pattern, "Regex"),
                 *text = json_object_get(pattern, "String");
    s->kind = IG_SPLIT_PATTERN;
    s->invert = json_is_true(json_object_get(p, "invert"));
    IG_TRY(read_behaviour(&s->behaviour, p, where, err));
    if (json_is_string(regex))
        return ig_text_regex_new(&s->regex, json_string_value(regex), "pre_tokenizer.pattern",
                                 where, err);
    return json_string_length(text) > 0
               ? copy_text(&s->text, text, "pre_tokenizer.pattern", where, err)
               : ig_json_unlike(pattern, "pre_tokenizer.pattern", "a String or a Regex", where,
                                err);
}

static ig_code read_split(ig_split_step *s, const json_t *p, const char *where, ig_err *err)
{
    const json_t *type = json_object_get(p, "type");
    if (ig_json_is(type, "Metaspace"))
        return read_metaspace(s, p, where, err);
    if (ig_json_is(type, "Split"))
        return read_pattern(s, p, where, err);
    if (ig_json_is(type, "ByteLevel"))
        *s = (ig_split_step){.kind = IG_SPLIT_BYTES,
                             .before = !json_is_false(json_object_get(p, "add_prefix_space")),
                             .cut = !json_is_false(json_object_get(p, "use_regex"))};
    else if (ig_json_is(type, "WhitespaceSplit"))
        s->kind = IG_SPLIT_WHITE_SPACE;
    else if (ig_json_is(type, "Whitespace"))
        s->kind = IG_SPLIT_WORDS;
    else if (ig_json_is(type, "BertPreTokenizer"))
        s->kind = IG_SPLIT_BERT;
    else if (ig_json_is(type, "Digits"))
        *s = (ig_split_step){.kind = IG_SPLIT_DIGITS,
                             .alone = json_is_true(json_object_get(p, "individual_digits"))};
    else
        return ig_json_unlike(json_is_object(p) ? type : p, "pre_tokenizer",
                              "one or a Sequence of Metaspace, ByteLevel, Split, WhitespaceSplit, "
                              "Whitespace, BertPreTokenizer, Digits",
                              where, err);
    return IG_ERR_OK;
}

static ig_code read_pre_tokenizer(ig_split_steps *list, const json_t *p, int depth,
                                  const char *where, ig_err *err)
{
    if (ig_json_is_none(p))
        return IG_ERR_OK;
    const json_t *all = json_object_get(p, "pretokenizers");
    if (ig_json_is(json_object_get(p, "type"), "Sequence") && depth < DEPTH_MAX) {
        for (size_t i = 0; i < json_array_size(all); i++)
            IG_TRY(read_pre_tokenizer(list, json_array_get(all, i), depth + 1, where, err));
        return IG_ERR_OK;
    }
    ig_split_step step = {0};
    ig_code code = read_split(&step, p, where, err);
    IG_THEN(code,
            ig_grow(&list->step, &list->have, (int64_t)list->n + 1, sizeof step, "steps", err));
    if (code == IG_ERR_OK)
        list->step[list->n++] = step;
    else
        ig_split_step_free(&step);
    return code;
}

/* --- special tokens */

static ig_code add_token(ig_text_pipeline *l, const json_t *a, const char *where, ig_err *err)
{
    const json_t *content = json_object_get(a, "content");
    IG_TRY(ig_grow(&l->added, &l->have_added, (int64_t)l->n_added + 1, sizeof *l->added,
                   "added tokens", err));
    ig_added_token *t = &l->added[l->n_added++];
    *t = (ig_added_token){.n = (int64_t)json_string_length(content),
                          .id = (int32_t)json_integer_value(json_object_get(a, "id")),
                          .left = json_is_true(json_object_get(a, "lstrip")),
                          .right = json_is_true(json_object_get(a, "rstrip")),
                          .word = json_is_true(json_object_get(a, "single_word")),
                          .normalized = json_is_true(json_object_get(a, "normalized"))};
    return copy_text(&t->text, content, "added token", where, err);
}

/* Reads the added tokens, which are pieces too. */
static ig_code read_added(ig_tokenizer *t, ig_pieces *p, const json_t *added, const char *where,
                          ig_err *err)
{
    for (size_t i = 0; i < json_array_size(added); i++) {
        const json_t *a = json_array_get(added, i), *id = json_object_get(a, "id"),
                     *content = json_object_get(a, "content");
        if (!json_is_string(content) || !json_is_integer(id))
            return ig_json_unlike(a, "an entry of added_tokens", "an id and a content", where, err);
        IG_TRY(ig_pieces_add(p, json_string_value(content), json_integer_value(id), where, err));
        if (t->pipeline != NULL)
            IG_TRY(add_token(t->pipeline, a, where, err));
    }
    return IG_ERR_OK;
}

/* Finds the special tokens by role: the names requested, else those in published files, of which
 * the first found counts. A template has its own tokens around a text. */
static void find_roles(ig_tokenizer *t, const ig_role_names *roles, bool has_template)
{
    static const char *const name[IG_N_TOKENIZER_ROLE][2] = {{"<pad>", "[PAD]"},
                                                             {"<unk>", "[UNK]"},
                                                             {"<s>", "[CLS]"},
                                                             {"</s>", "[SEP]"},
                                                             {"<mask>", "[MASK]"}};
    for (int r = 0; r < IG_N_TOKENIZER_ROLE; r++) {
        const char *requested = roles != NULL ? roles->name[r] : NULL;
        t->role[r] = requested != NULL ? ig_tokenizer_id(t, requested) : -1;
        for (int i = 0; i < 2 && t->role[r] < 0 && requested == NULL; i++)
            t->role[r] = ig_tokenizer_id(t, name[r][i]);
    }
    if (t->unk >= 0)
        t->role[IG_TOKENIZER_UNK] = t->unk;
    if (has_template)
        ig_template_roles(t);
    else
        ig_template_bert(t->template, t->role[IG_TOKENIZER_CLS], t->role[IG_TOKENIZER_SEP]);
}

/* --- the whole */

/* Forbids cuts through an added token that the model does not have. */
static ig_code forbid_added(ig_tokenizer *t, int64_t n_model, int64_t n, ig_err *err)
{
    double *score;
    if (t->kind != IG_TOKENIZER_UNIGRAM || n == n_model)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&score, n, sizeof *score, "scores", err));
    for (int64_t i = 0; i < n; i++)
        score[i] = i < n_model ? t->score[i] : -HUGE_VAL;
    ig_free(t->score);
    t->score = score;
    return IG_ERR_OK;
}

/* Makes a tokenizer whose added tokens are found in raw text before words are split. */
static ig_code prepare_plain(ig_tokenizer *t, const json_t *added, const char *where, ig_err *err)
{
    const char *special[IG_SPECIAL_MAX];
    const int n = (int)json_array_size(added);
    for (int i = 0; i < n; i++)
        special[i] =
            json_string_value(json_object_get(json_array_get(added, (size_t)i), "content"));
    return ig_tokenizer_prepare(t, special, n, where, err);
}

/* Notes the added tokens that are no pieces of the model, which has n so far. */
static ig_code note_added(ig_tokenizer *t, const ig_pieces *p, const json_t *added, ig_err *err)
{
    IG_TRY(ig_alloc(&t->added, (int64_t)json_array_size(added), sizeof *t->added, "added tokens",
                    err));
    for (size_t i = 0; i < json_array_size(added); i++) {
        const json_int_t id = json_integer_value(json_object_get(json_array_get(added, i), "id"));
        if (id >= p->n || (id >= 0 && p->piece[id] == NULL))
            t->added[t->n_added++] = (int32_t)id;
    }
    return IG_ERR_OK;
}

/* Makes the trie of the model's pieces: no cut finds another added token. */
static ig_code build_trie(ig_tokenizer *t, ig_err *err)
{
    IG_OWNED int64_t *start = NULL;
    IG_TRY(ig_alloc(&start, t->vocab.n + 1, sizeof *start, "vocabulary", err));
    memcpy(start, t->vocab.start, (size_t)t->vocab.n * sizeof *start);
    for (int32_t i = 0; i < t->n_added; i++) /* an empty text, which nothing matches */
        start[t->added[i]] = t->vocab.start[t->vocab.n] - 1;
    return ig_trie_build(&t->trie, t->vocab.text, start, t->vocab.n, err);
}

static ig_code prepare_pipeline(ig_tokenizer *t, const char *unknown, const char *where,
                                ig_err *err)
{
    IG_TRY(build_trie(t, err));
    t->unk = unknown != NULL ? ig_tokenizer_id(t, unknown) : -1;
    if (unknown != NULL && t->unk < 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "no piece \"%.60s\", which unk_token names",
                       unknown);
    t->inside = ig_trie_walk(&t->trie, 0, t->prefix, (int64_t)strlen(t->prefix));
    return ig_text_pipeline_prepare(t->pipeline, err);
}

ig_code ig_tokenizer_parts_read(ig_tokenizer *t, ig_pieces *p, const json_t *j,
                                const ig_role_names *roles, const char *where, ig_err *err)
{
    const json_t *model = json_object_get(j, "model"), *added = json_object_get(j, "added_tokens"),
                 *normalizer = json_object_get(j, "normalizer");
    ig_text_pipeline *const l = t->pipeline;
    const char *unknown;
    bool has_template;
    if (l == NULL)
        IG_TRY(read_bert_normalizer(&t->options, normalizer, where, err));
    else {
        IG_TRY(read_normalizer(t, normalizer, 0, where, err));
        IG_TRY(read_pre_tokenizer(&l->splits, json_object_get(j, "pre_tokenizer"), 0, where, err));
    }
    IG_TRY(ig_model_read(t, p, &unknown, model, where, err));
    const int64_t n_model = p->n;
    if (l != NULL)
        IG_TRY(note_added(t, p, added, err));
    IG_TRY(read_added(t, p, added, where, err));
    IG_TRY(forbid_added(t, n_model, p->n, err));
    IG_TRY(ig_pieces_vocab(&t->vocab, p, where, err));
    IG_TRY(l == NULL ? prepare_plain(t, added, where, err)
                     : prepare_pipeline(t, unknown, where, err));
    IG_TRY(ig_template_read(t->template, &has_template, json_object_get(j, "post_processor"), t,
                            where, err));
    t->has_template = has_template;
    if (l != NULL)
        find_roles(t, roles, has_template);
    else if (has_template)
        ig_template_roles(t);
    /* Merges and bytes name pieces, so they come after the trie. */
    IG_TRY(ig_model_read_bytes(t, model, where, err));
    return ig_model_read_merges(t, model, where, err);
}
