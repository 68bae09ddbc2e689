/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the tokenizer of a folder by the rules of transformers 5 (AutoTokenizer, TokenizersBackend
 * and its classes BertTokenizer, RobertaTokenizer, XLMRobertaTokenizer, CamembertTokenizer): a
 * class with rules of its own uses the pieces of tokenizer.json and builds the rest from
 * tokenizer_config.json; a generic one uses the whole of tokenizer.json. The result is written as
 * a tokenizer.json in memory, and read by the reader of that format. Where versions 4 and 5 of
 * transformers differ, the folder is refused.
 */
#include "text/folder/tokenizer_folder.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/json_text.h"
#include "text/folder/folder_files.h"

#include <stdio.h>
#include <string.h>

#define BYTES(regex)                                                                               \
    "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"use_regex\": " regex "}"
#define QWEN2                                                                                      \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| "              \
    "?[^\\\\s\\\\p{L}\\\\p{N}]+"                                                                   \
    "[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"

typedef enum {
    CLASS_BERT,
    CLASS_GENERIC,
    CLASS_ROBERTA,
    CLASS_XLMR,
    CLASS_CAMEMBERT,
    CLASS_MPNET
} class_kind;

/* Without "Fast"; PreTrainedTokenizer is the generic one. normalizer, splits: what the class
 * builds, which tokenizer.json must have, and is read as it is then; NULL: not compared. */
static const struct {
    const char *name;
    class_kind kind;
    const char *normalizer, *splits;
} classes[] = {
    {"MPNetTokenizer", CLASS_MPNET, NULL, NULL},
    {"GPT2Tokenizer", CLASS_GENERIC, "null", BYTES("true")},
    {"Qwen2Tokenizer", CLASS_GENERIC, "{\"type\": \"NFC\"}",
     "{\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Split\", \"pattern\": {\"Regex\": "
     "\"" QWEN2 "\"}, \"behavior\": \"Isolated\", \"invert\": false}, " BYTES("false") "]}"},
    {"LlamaTokenizer", CLASS_GENERIC, "null",
     "{\"type\": \"Metaspace\", \"replacement\": \"\xE2\x96\x81\", \"prepend_scheme\": \"first\", "
     "\"split\": false}"},
    {"GemmaTokenizer", CLASS_GENERIC,
     "{\"type\": \"Replace\", \"pattern\": {\"String\": \" \"}, \"content\": \"\xE2\x96\x81\"}",
     "{\"type\": \"Split\", \"pattern\": {\"String\": \" \"}, \"behavior\": "
     "\"MergedWithPrevious\", \"invert\": false}"},
    {"BertTokenizer", CLASS_BERT, NULL, NULL},
    {"DistilBertTokenizer", CLASS_BERT, NULL, NULL},
    {"ElectraTokenizer", CLASS_BERT, NULL, NULL},
    {"MobileBertTokenizer", CLASS_BERT, NULL, NULL},
    {"LayoutLMTokenizer", CLASS_BERT, NULL, NULL},
    {"SqueezeBertTokenizer", CLASS_BERT, NULL, NULL},
    {"PreTrainedTokenizer", CLASS_GENERIC, NULL, NULL},
    {"TokenizersBackend", CLASS_GENERIC, NULL, NULL},
    {"RobertaTokenizer", CLASS_ROBERTA, NULL, NULL},
    {"XLMRobertaTokenizer", CLASS_XLMR, NULL, NULL},
    {"CamembertTokenizer", CLASS_CAMEMBERT, NULL, NULL},
};
enum { N_CLASS = sizeof classes / sizeof *classes };

/* The name of the generic class in every version of transformers. */
static const char generic_name[] = "PreTrainedTokenizerFast";
static const char as_it_is[] = "with the class PreTrainedTokenizerFast in tokenizer_config.json, "
                               "tokenizer.json is read as it is";

/* The class of a model_type; of any other type it is BertTokenizer. */
static const char *const type_classes[][2] = {{"mpnet", "MPNetTokenizer"},
                                              {"gpt2", "GPT2Tokenizer"},
                                              {"qwen2", "Qwen2Tokenizer"},
                                              {"qwen3", "Qwen2Tokenizer"},
                                              {"llama", "PreTrainedTokenizer"},
                                              {"gemma3_text", "GemmaTokenizer"},
                                              {"modernbert", "PreTrainedTokenizer"},
                                              {"eurobert", "PreTrainedTokenizer"},
                                              {"roberta", "RobertaTokenizer"},
                                              {"xlm-roberta", "XLMRobertaTokenizer"},
                                              {"camembert", "CamembertTokenizer"},
                                              {"roformer", "RoFormerTokenizer"},
                                              /* none of these is a BertTokenizer */
                                              {"albert", "AlbertTokenizer"},
                                              {"deberta", "DebertaTokenizer"},
                                              {"deberta-v2", "DebertaV2Tokenizer"},
                                              {"xlnet", "XLNetTokenizer"}};

/* By class_kind, in the order of ig_named_tokens. */
static const ig_class_tokens class_tokens[] = {
    {{NULL, NULL, "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}, false, false, false},
    {{NULL}, true, false, false},
    {{"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}, false, false, false},
    {{"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}, false, false, false},
    {{"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}, false, true, true},
    {{"<s>", "</s>", "[UNK]", "</s>", "<pad>", "<s>", "<mask>"}, false, false, true}};
enum { BOS, EOS, UNK, SEP, PAD, CLS, MASK };

typedef struct {
    ig_folder_files files;
    ig_tokenizer_choice choice;
    class_kind kind;
    int row;                            /* of `classes` */
    const char *name[IG_N_NAMED_TOKEN]; /* of the special tokens; NULL: none */
    json_t *spec;                       /* the resulting tokenizer.json */
} folder;

/* --- the class --- */

static bool is_class(const folder *f, const char *name)
{
    return strcmp(f->choice.class_name, name) == 0;
}

static ig_code unknown_class(const folder *f, const char *dir, ig_err *err)
{
    const bool given = strcmp(f->choice.class_from, "model_type") != 0;
    char where[256];
    snprintf(where, sizeof where, "%s/%s", dir, given ? f->choice.class_from : "config.json");
    ig_fail(
        err, IG_ERR_INPUT, where, 0,
        "%s is \"%.60s\", which is not read here; expected BertTokenizer, RobertaTokenizer, "
        "XLMRobertaTokenizer, CamembertTokenizer, MPNetTokenizer, GPT2Tokenizer, Qwen2Tokenizer, "
        "LlamaTokenizer, GemmaTokenizer or PreTrainedTokenizerFast",
        given ? "tokenizer_class" : "the tokenizer of its model_type", f->choice.class_name);
    return ig_hint(err, as_it_is);
}

/* The class that transformers has for a model_type; NULL: BertTokenizer. */
static const char *class_of_type(const char *type)
{
    for (size_t i = 0; i < sizeof type_classes / sizeof *type_classes && type != NULL; i++)
        if (strcmp(type, type_classes[i][0]) == 0)
            return type_classes[i][1];
    return NULL;
}

static ig_code find_class(folder *f, const char *dir, ig_err *err)
{
    const json_t *given = json_object_get(f->files.settings, "tokenizer_class"),
                 *also = json_object_get(f->files.model, "tokenizer_class");
    const char *type = json_string_value(json_object_get(f->files.model, "model_type")), *name;
    if (f->files.tokenizer != NULL && type != NULL &&
        (strcmp(type, "modernbert") == 0 || strcmp(type, "qwen2") == 0))
        given = also = NULL; /* transformers 5 takes no other class for it */
    f->choice.class_from = json_is_string(given)  ? "tokenizer_config.json"
                           : json_is_string(also) ? "config.json"
                                                  : "model_type";
    name = json_string_value(json_is_string(given) ? given : also);
    if (name == NULL)
        name = class_of_type(type);
    snprintf(f->choice.class_name, IG_CLASS_NAME, "%s", name != NULL ? name : "BertTokenizer");
    const size_t n = strlen(f->choice.class_name);
    if (n > 4 && strcmp(f->choice.class_name + n - 4, "Fast") == 0)
        f->choice.class_name[n - 4] = '\0';
    for (int i = 0; i < N_CLASS; i++)
        if (is_class(f, classes[i].name)) {
            f->kind = classes[i].kind;
            f->row = i;
            if (f->kind == CLASS_GENERIC && classes[i].splits == NULL)
                snprintf(f->choice.class_name, IG_CLASS_NAME, "%s", generic_name);
            return IG_ERR_OK;
        }
    return unknown_class(f, dir, err);
}

/* Returns whether a BERT's folder names no class and has a tokenizer.json from which transformers
 * cannot make a BertTokenizer: then only that file is used. */
static bool is_file_alone(const folder *f, ig_tokenizer_kind kind)
{
    return f->kind == CLASS_BERT && strcmp(f->choice.class_from, "model_type") == 0 &&
           (kind == IG_TOKENIZER_BPE || kind == IG_TOKENIZER_UNIGRAM) &&
           ig_model_piece(json_object_get(f->files.tokenizer, "model"), "[UNK]") < 0;
}

static ig_code check_model(folder *f, ig_err *err)
{
    static const ig_tokenizer_kind needs[] = {IG_TOKENIZER_WORDPIECE, IG_TOKENIZER_WORDPIECE,
                                              IG_TOKENIZER_BPE,       IG_TOKENIZER_UNIGRAM,
                                              IG_TOKENIZER_UNIGRAM,   IG_TOKENIZER_WORDPIECE};
    ig_tokenizer_kind kind = IG_TOKENIZER_WORDPIECE;
    const json_t *model = json_object_get(f->files.tokenizer, "model");
    if (f->files.tokenizer != NULL)
        IG_TRY(ig_model_kind(&kind, model, f->files.where, err));
    else if (f->kind != CLASS_BERT && f->kind != CLASS_MPNET)
        return ig_fail(err, IG_ERR_INPUT, f->files.where, 0,
                       "found a vocab.txt, expected a tokenizer.json, as the class is %s",
                       f->choice.class_name);
    if (f->kind == CLASS_GENERIC || kind == needs[f->kind])
        return IG_ERR_OK;
    if (is_file_alone(f, kind)) {
        f->kind = CLASS_GENERIC;
        snprintf(f->choice.class_name, IG_CLASS_NAME, "%s", generic_name);
        return IG_ERR_OK;
    }
    ig_fail(err, IG_ERR_INPUT, f->files.where, 0,
            "model.type is %s, expected %s, as the class is %s", ig_tokenizer_models[kind],
            ig_tokenizer_models[needs[f->kind]], f->choice.class_name);
    return ig_hint(err, as_it_is);
}

/* --- settings --- */

/* Refuses settings that would change the pieces, unless they have the one value that does not. */
static ig_code check_settings(const folder *f, ig_err *err)
{
    static const struct {
        const char *key, *expected;
        char usual; /* t, f: true, false; s: the string; 0: empty or not there */
    } fixed[] = {{"do_basic_tokenize", "true", 't'},
                 {"never_split", "none", 0},
                 {"clean_text", "true", 't'},
                 {"wordpieces_prefix", "##", 's'},
                 {"split_special_tokens", "false", 'f'},
                 {"truncation_side", "right", 's'},
                 {"fast_tokenizer_files", "none", 0},
                 {"subword_tokenizer_type", "wordpiece", 's'},
                 {"word_tokenizer_type", "basic", 's'}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const json_t *v = json_object_get(f->files.settings, fixed[i].key);
        const bool usual = fixed[i].usual == 't'   ? json_is_true(v)
                           : fixed[i].usual == 'f' ? json_is_false(v)
                           : fixed[i].usual == 's' ? ig_json_is(v, fixed[i].expected)
                                                   : json_array_size(v) == 0 && !json_is_true(v);
        if (!ig_json_is_none(v) && !usual)
            return ig_json_unlike(v, fixed[i].key, fixed[i].expected, f->files.path, err);
    }
    return IG_ERR_OK;
}

static ig_code get_switch(bool *out, const folder *f, const char *key, bool usual, ig_err *err)
{
    const json_t *v = json_object_get(f->files.settings, key);
    *out = v == NULL ? usual : json_is_true(v);
    return v == NULL || json_is_boolean(v)
               ? IG_ERR_OK
               : ig_json_unlike(v, key, "true or false", f->files.path, err);
}

static ig_code find_names(folder *f, ig_err *err)
{
    for (int i = 0; i < IG_N_NAMED_TOKEN; i++) {
        const json_t *v = ig_folder_value(&f->files, ig_named_tokens[i]);
        f->name[i] = v != NULL ? ig_token_text(v) : class_tokens[f->kind].name[i];
        if (v != NULL && f->name[i] == NULL &&
            !(json_is_null(v) && class_tokens[f->kind].name[i] == NULL))
            return ig_json_unlike(v, ig_named_tokens[i], "a token", f->files.path, err);
    }
    return IG_ERR_OK;
}

/* --- the tokenizer.json that a class builds --- */

static ig_code bert_switches(ig_tokenizer_options *o, folder *f, bool lowercase, ig_err *err)
{
    bool apart;
    *o = (ig_tokenizer_options){0};
    IG_TRY(get_switch(&o->lowercase, f, "do_lower_case", true, err));
    IG_TRY(get_switch(&apart, f, "tokenize_chinese_chars", true, err));
    f->choice.case_given = json_object_get(f->files.settings, "do_lower_case") != NULL;
    o->lowercase = o->lowercase || lowercase;
    o->join_ideographs = !apart;
    return ig_accents_read(&o->accents, json_object_get(f->files.settings, "strip_accents"),
                           "strip_accents", f->files.path, err);
}

/* Refuses a tokenizer.json with settings that a BertTokenizer of transformers 4 uses and one of 5
 * ignores. */
static ig_code check_bert_file(const folder *f, ig_err *err)
{
    const json_t *j = f->files.tokenizer, *normalizer = json_object_get(j, "normalizer"),
                 *pre = json_object_get(j, "pre_tokenizer"), *model = json_object_get(j, "model"),
                 *clean = json_object_get(normalizer, "clean_text"),
                 *prefix = json_object_get(model, "continuing_subword_prefix"),
                 *most = json_object_get(model, "max_input_chars_per_word");
    const struct {
        bool good;
        const json_t *found;
        const char *key, *expected;
    } check[] = {
        {ig_json_is(json_object_get(normalizer, "type"), "BertNormalizer"), normalizer,
         "normalizer", "BertNormalizer"},
        {json_is_true(clean), clean, "normalizer.clean_text", "true"},
        {ig_json_is(json_object_get(pre, "type"), "BertPreTokenizer"), pre, "pre_tokenizer",
         "BertPreTokenizer"},
        {ig_json_is(prefix, "##"), prefix, "model.continuing_subword_prefix", "\"##\""},
        {json_integer_value(most) == IG_WORD_CHARS_MAX, most, "model.max_input_chars_per_word",
         "100"},
    };
    for (size_t i = 0; i < sizeof check / sizeof *check && j != NULL; i++) {
        char text[128];
        if (check[i].good)
            continue;
        snprintf(text, sizeof text, "%s, as the class is %s", check[i].expected,
                 f->choice.class_name);
        ig_json_unlike(check[i].found, check[i].key, text, f->files.where, err);
        return ig_hint(err, as_it_is);
    }
    return IG_ERR_OK;
}

static ig_code bert_spec(folder *f, bool lowercase, ig_err *err)
{
    ig_tokenizer_options o;
    IG_TRY(bert_switches(&o, f, lowercase, err));
    IG_TRY(check_bert_file(f, err));
    f->spec = json_pack(
        "{s:{s:s, s:b, s:b, s:o, s:b}, s:{s:s}, s:{s:s, s:s, s:s, s:i}}", "normalizer", "type",
        "BertNormalizer", "clean_text", 1, "handle_chinese_chars", (int)!o.join_ideographs,
        "strip_accents", ig_accents_json(o.accents), "lowercase", (int)o.lowercase, "pre_tokenizer",
        "type", "BertPreTokenizer", "model", "type", "WordPiece", "unk_token", f->name[UNK],
        "continuing_subword_prefix", "##", "max_input_chars_per_word", IG_WORD_CHARS_MAX);
    return IG_ERR_OK;
}

static ig_code roberta_spec(folder *f, ig_err *err)
{
    bool space;
    const json_t *normalizer = json_object_get(f->files.tokenizer, "normalizer");
    IG_TRY(get_switch(&space, f, "add_prefix_space", false, err));
    if (!ig_json_is_none(normalizer))
        return ig_json_unlike(normalizer, "normalizer", "null, as the class is RobertaTokenizer",
                              f->files.where, err);
    f->spec = json_pack("{s:{s:s, s:b, s:b, s:b}, s:{s:s, s:n}}", "pre_tokenizer", "type",
                        "ByteLevel", "add_prefix_space", (int)space, "trim_offsets", 1, "use_regex",
                        1, "model", "type", "BPE", "unk_token");
    json_object_set(json_object_get(f->spec, "model"), "merges",
                    json_object_get(json_object_get(f->files.tokenizer, "model"), "merges"));
    return IG_ERR_OK;
}

/* Finds the first character map of a normalizer, or of one in its sequence. */
static json_t *charsmap_of(const json_t *normalizer)
{
    const json_t *list = json_object_get(normalizer, "normalizers");
    if (ig_json_is(json_object_get(normalizer, "type"), "Precompiled"))
        return (json_t *)(uintptr_t)normalizer;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (ig_json_is(json_object_get(json_array_get(list, i), "type"), "Precompiled"))
            return json_array_get(list, i);
    return NULL;
}

static ig_code unigram_spec(folder *f, ig_err *err)
{
    const json_t *model = json_object_get(f->files.tokenizer, "model"),
                 *vocab = json_object_get(model, "vocab");
    bool space;
    size_t unk = f->kind == CLASS_XLMR ? 3 : 0;
    IG_TRY(get_switch(&space, f, "add_prefix_space", true, err));
    for (size_t i = json_array_size(vocab); i-- > 0 && f->kind == CLASS_CAMEMBERT;)
        if (ig_json_is(json_array_get(json_array_get(vocab, i), 0), f->name[UNK]))
            unk = i;
    f->spec = json_pack(
        "{s:O?, s:{s:s, s:[{s:s}, {s:s, s:s, s:s, s:b}]}, s:{s:s, s:I}}", "normalizer",
        charsmap_of(json_object_get(f->files.tokenizer, "normalizer")), "pre_tokenizer", "type",
        "Sequence", "pretokenizers", "type", "WhitespaceSplit", "type", "Metaspace", "replacement",
        "\xE2\x96\x81", "prepend_scheme", space ? "always" : "never", "split", 1, "model", "type",
        "Unigram", "unk_id", (json_int_t)unk);
    return IG_ERR_OK;
}

/* Returns whether `found` has all that is expected, and perhaps more. */
static bool contains(const json_t *found, const json_t *expected)
{
    const char *key;
    const json_t *of;
    bool all = true;
    if (json_is_object(expected)) {
        json_object_foreach((json_t *)(uintptr_t)expected, key, of)
        {
            all = all && contains(json_object_get(found, key), of);
        }
        return all;
    }
    for (size_t i = 0; i < json_array_size(expected); i++)
        all = all && contains(json_array_get(found, i), json_array_get(expected, i));
    return json_is_array(expected)  ? all && json_array_size(found) == json_array_size(expected)
           : json_is_null(expected) ? ig_json_is_none(found)
                                    : json_equal(found, expected);
}

/* Sets in what a class builds whether a text begins with a space. */
static ig_code set_space(json_t *splits, const folder *f, ig_err *err)
{
    json_t *of = json_array_get(json_object_get(splits, "pretokenizers"), 1);
    bool space = is_class(f, "LlamaTokenizer");
    of = of != NULL ? of : splits;
    if (!json_is_null(json_object_get(f->files.settings, "add_prefix_space")))
        IG_TRY(get_switch(&space, f, "add_prefix_space", space, err));
    const bool legacy = json_is_true(json_object_get(f->files.settings, "legacy"));
    if (json_object_get(of, "add_prefix_space") != NULL)
        json_object_set_new(of, "add_prefix_space", json_boolean(space));
    if (json_object_get(of, "prepend_scheme") != NULL && !(space && !legacy))
        json_object_set_new(of, "prepend_scheme", json_string(space ? "always" : "never"));
    if (is_class(f, "GPT2Tokenizer")) { /* transformers 4 changes what it has read, too */
        json_t *found = json_object_get(f->files.tokenizer, "pre_tokenizer");
        json_object_set_new(found, "add_prefix_space", json_boolean(space));
        if (json_object_get(found, "use_regex") == NULL) /* files of 2020 */
            json_object_set_new(found, "use_regex", json_true());
    }
    return IG_ERR_OK;
}

/* A class with rules of its own whose tokenizer.json says the same. */
static ig_code check_built(const folder *f, ig_err *err)
{
    const struct {
        const char *key, *expected;
    } part[] = {{"normalizer", classes[f->row].normalizer},
                {"pre_tokenizer", classes[f->row].splits}};
    for (size_t i = 0; i < 2; i++) {
        if (part[i].expected == NULL)
            continue;
        const json_t *found = json_object_get(f->files.tokenizer, part[i].key);
        json_auto_t *expected = json_loads(part[i].expected, JSON_DECODE_ANY, NULL);
        IG_TRY(set_space(expected, f, err));
        if (expected != NULL && contains(found, expected))
            continue;
        ig_json_unlike(found, part[i].key,
                       "that which the class builds with its add_prefix_space and legacy",
                       f->files.where, err);
        return ig_hint(err, as_it_is);
    }
    return IG_ERR_OK;
}

static ig_code make_spec(folder *f, const ig_tokenizer_options *o, ig_err *err)
{
    json_t *added, *vocab = json_object_get(json_object_get(f->files.tokenizer, "model"), "vocab");
    const bool lowercase = o != NULL && o->lowercase;
    IG_TRY(check_built(f, err));
    if (f->kind == CLASS_BERT || f->kind == CLASS_MPNET)
        IG_TRY(bert_spec(f, lowercase, err));
    else if (f->kind == CLASS_ROBERTA)
        IG_TRY(roberta_spec(f, err));
    else if (f->kind == CLASS_GENERIC)
        f->spec = json_copy(f->files.tokenizer);
    else
        IG_TRY(unigram_spec(f, err));
    if (f->kind != CLASS_GENERIC && vocab != NULL)
        json_object_set(json_object_get(f->spec, "model"), "vocab", vocab);
    IG_TRY(ig_folder_added(&added, &f->files, &class_tokens[f->kind], err));
    return json_object_set_new(f->spec, "added_tokens", added) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, f->files.where, 0, "not enough memory");
}

/* --- the tokenizer --- */

/* Models without token_type_ids get zeros. */
static void zero_types(ig_template template[2])
{
    for (int k = 0; k < 2; k++) {
        template[k].type[0] = template[k].type[1] = 0;
        for (int g = 0; g < 3; g++)
            for (int i = 0; i < template[k].n[g]; i++)
                template[k].token[g][i].type = 0;
    }
}

/* Returns whether a model gets types. Of generic classes transformers 4 has them by default, 5 has
 * none; models trained by isoglot got them before their folders recorded it. */
static bool has_types(const folder *f)
{
    const json_t *names = json_object_get(f->files.settings, "model_input_names");
    for (size_t i = 0; i < json_array_size(names); i++)
        if (ig_json_is(json_array_get(names, i), "token_type_ids"))
            return true;
    const bool own = json_object_get(f->files.model, "isoglot") != NULL;
    return !json_is_array(names) &&
           ((f->kind == CLASS_BERT && !is_class(f, "DistilBertTokenizer")) ||
            (f->kind == CLASS_GENERIC && own));
}

/* Sets the tokens around texts: those of the class, or the template of tokenizer.json. */
static void set_template(ig_tokenizer *t, const folder *f)
{
    const bool bos = f->kind == CLASS_XLMR || f->kind == CLASS_CAMEMBERT;
    if (f->kind == CLASS_GENERIC) {
        if (!t->has_template) { /* as GPT-2: no special tokens around a text */
            t->template[0] = (ig_template){.n_text = 1};
            t->template[1] = (ig_template){.n_text = 2, .type = {0, 1}};
            ig_template_roles(t);
        }
    } else {
        const int32_t cls = ig_tokenizer_id(t, f->name[bos ? BOS : CLS]),
                      sep = ig_tokenizer_id(t, f->name[bos ? EOS : SEP]);
        if (f->kind == CLASS_BERT)
            ig_template_bert(t->template, cls, sep);
        else
            ig_template_roberta(t->template, cls, sep);
        ig_template_roles(t);
    }
    if (!f->choice.types)
        zero_types(t->template);
}

/* Adds the pieces of vocab.txt, which are not in the tokenizer.json that was made. */
static ig_code add_lines(ig_pieces *p, const folder *f, ig_err *err)
{
    const ig_vocab *v = &f->files.vocab;
    for (int32_t i = 0; i < v->n && f->files.tokenizer == NULL; i++)
        IG_TRY(ig_pieces_add(p, v->text + v->start[i], i, f->files.where, err));
    return IG_ERR_OK;
}

static ig_code make(ig_tokenizer *t, const folder *f, ig_err *err)
{
    static const int of_role[IG_N_TOKENIZER_ROLE] = {PAD, UNK, CLS, SEP, MASK};
    ig_role_names roles;
    ig_pieces p = {0};
    for (int r = 0; r < IG_N_TOKENIZER_ROLE; r++)
        roles.name[r] = f->name[of_role[r]];
    ig_code code = add_lines(&p, f, err);
    IG_THEN(code, ig_tokenizer_json_read(t, &p, f->spec, &roles, f->files.where, err));
    if (code == IG_ERR_OK)
        set_template(t, f);
    ig_free(p.piece);
    if (code != IG_ERR_OK || t->pipeline == NULL)
        return code;
    /* What the class adds, for whoever writes this tokenizer.json. */
    if (f->kind != CLASS_GENERIC) {
        json_object_set_new(f->spec, "post_processor", ig_template_json(t));
        json_object_set(f->spec, "decoder", json_object_get(f->files.tokenizer, "decoder"));
    }
    IG_OWNED char *text = ig_json_text(f->spec, JSON_COMPACT | JSON_SORT_KEYS);
    code = text != NULL ? ig_text_pipeline_keep(t->pipeline, text, (int64_t)strlen(text), err)
                        : ig_fail(err, IG_ERR_MEMORY, f->files.where, 0, "not enough memory");
    return code;
}

/* Logs a default that changes every word. */
static void log_default(const folder *f, const char *dir, bool requested)
{
    if ((f->kind == CLASS_BERT || f->kind == CLASS_MPNET) && !f->choice.case_given && !requested)
        ig_warn_once("%s: %s, so text is lower-cased without accents, as %s does by default; "
                     "for a cased model tokenizer_config.json has {\"do_lower_case\": false}",
                     dir,
                     f->choice.has_config ? "tokenizer_config.json has no do_lower_case"
                                          : "there is no tokenizer_config.json",
                     f->choice.class_name);
}

static ig_code open_folder(ig_tokenizer *t, folder *f, const char *dir,
                           const ig_tokenizer_options *o, ig_err *err)
{
    const bool lowercase = o != NULL && o->lowercase;
    IG_TRY(ig_folder_files_read(&f->files, dir, err));
    IG_TRY(find_class(f, dir, err));
    IG_TRY(check_model(f, err));
    IG_TRY(check_settings(f, err));
    IG_TRY(find_names(f, err));
    IG_TRY(make_spec(f, o, err));
    f->choice.types = has_types(f);
    IG_TRY(make(t, f, err));
    if (lowercase && !t->options.lowercase)
        return ig_fail(err, IG_ERR_USAGE, "lowercase", 0,
                       "found for %s, whose tokenizer is a %s, expected it for a BertTokenizer",
                       dir, f->choice.class_name);
    f->choice.file = f->files.tokenizer != NULL ? "tokenizer.json" : "vocab.txt";
    const char *of_type =
        class_of_type(json_string_value(json_object_get(f->files.model, "model_type")));
    f->choice.needs_rules = f->files.tokenizer == NULL && f->kind == CLASS_BERT &&
                            of_type != NULL && strcmp(of_type, "PreTrainedTokenizer") == 0 &&
                            t->pipeline == NULL;
    f->choice.has_config = f->files.settings != NULL;
    f->choice.bert = f->kind == CLASS_BERT;
    log_default(f, dir, lowercase);
    return IG_ERR_OK;
}

ig_code ig_tokenizer_folder_open(ig_tokenizer **out, ig_tokenizer_choice *choice, const char *dir,
                                 const ig_tokenizer_options *options, ig_err *err)
{
    folder *f;
    ig_tokenizer *t = NULL;
    *out = NULL;
    IG_TRY(ig_alloc(&f, 1, sizeof *f, "tokenizer", err));
    ig_code code = ig_alloc(&t, 1, sizeof *t, "tokenizer", err);
    IG_THEN(code, open_folder(t, f, dir, options, err));
    if (choice != NULL)
        *choice = f->choice;
    json_decref(f->spec);
    ig_folder_files_free(&f->files);
    ig_free(f);
    IG_RETURN_NEW(code, out, t, ig_tokenizer_free);
}

ig_code ig_tokenizer_open(ig_tokenizer **out, const char *dir, const ig_tokenizer_options *options,
                          ig_err *err)
{
    IG_PLAIN_NUMBERS;
    return ig_tokenizer_folder_open(out, NULL, dir, options, err);
}
