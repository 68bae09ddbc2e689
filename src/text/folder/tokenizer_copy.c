/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes how a folder's tokenizer was opened, for people and programs; copies a tokenizer to
 * another folder: its files unchanged, with a tokenizer_config.json that states all that was
 * chosen.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/settings/json_file.h"
#include "text/folder/tokenizer_folder.h"
#include "text/tokenizer/model_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 1 << 30, TEXT_MAX = 1024 };

/* --- the choice --- */

/* "[CLS] a [SEP] b [SEP]" */
static void template_text(char *out, size_t room, const ig_tokenizer *t, bool pair)
{
    const ig_template *of = ig_tokenizer_template(t, pair);
    size_t n = 0;
    out[0] = '\0';
    for (int k = 0; k <= of->n_text; k++) {
        for (int i = 0; i < of->n[k] && n < room; i++)
            n += (size_t)snprintf(out + n, room - n, "%s%s", n > 0 ? " " : "",
                                  ig_tokenizer_piece(t, of->token[k][i].id));
        if (k < of->n_text && n < room)
            n += (size_t)snprintf(out + n, room - n, "%s%c", n > 0 ? " " : "", 'a' + k);
    }
}

json_t *ig_tokenizer_choice_json(const ig_tokenizer *t, const ig_tokenizer_choice *choice)
{
    const ig_chars_rules rules = ig_tokenizer_chars(&t->options);
    char single[256], pair[256];
    template_text(single, sizeof single, t, false);
    template_text(pair, sizeof pair, t, true);
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:s, s:s, s:[i, i]}", "class", choice->class_name,
                  "class_from", choice->class_from, "file", choice->file, "model",
                  ig_tokenizer_models[t->kind], "pieces", (int)ig_tokenizer_size(t),
                  "tokenizer_config", (int)choice->has_config, "single", single, "pair", pair,
                  "pair_types", (int)t->template[1].type[0], (int)t->template[1].type[1]);
    if (j != NULL && choice->bert)
        (void)json_object_update_new(
            j, json_pack("{s:b, s:b, s:b}", "lowercase", (int)rules.lowercase, "strip_accents",
                         (int)rules.strip_accents, "tokenize_chinese_chars",
                         (int)!rules.join_ideographs));
    return j;
}

ig_code ig_tokenizer_choice_text(char **text, const ig_tokenizer *t,
                                 const ig_tokenizer_choice *choice, ig_err *err)
{
    const ig_chars_rules rules = ig_tokenizer_chars(&t->options);
    char pair[256], words[256] = "words as the file says";
    template_text(pair, sizeof pair, t, true);
    if (choice->bert)
        snprintf(words, sizeof words, "%s, accents %s%s; %s",
                 rules.lowercase ? "lower case" : "case kept",
                 rules.strip_accents ? "stripped" : "kept",
                 rules.join_ideographs ? ", ideographs not apart" : "",
                 !choice->has_config   ? "there is no tokenizer_config.json"
                 : !choice->case_given ? "tokenizer_config.json has no do_lower_case"
                                       : "as tokenizer_config.json says");
    IG_TRY(ig_alloc(text, TEXT_MAX, 1, "text", err));
    snprintf(*text, TEXT_MAX, "%s (from %s) of %s, %s, %d pieces; %s; pairs %s", choice->class_name,
             choice->class_from, choice->file, ig_tokenizer_models[t->kind], ig_tokenizer_size(t),
             words, pair);
    return IG_ERR_OK;
}

/* --- a copy --- */

static ig_code copy_file(const char *from, const char *to, const char *name, ig_err *err)
{
    IG_OWNED char *text = NULL, *copy = NULL, *path = NULL;
    int64_t n;
    IG_TRY(ig_path_join(&path, from, name, err));
    IG_TRY(ig_path_join(&copy, to, name, err));
    if (ig_file_exists(path)) {
        IG_TRY(ig_file_read(&text, &n, path, FILE_MAX, err));
        IG_TRY(ig_file_write(copy, text, n, err));
    }
    return IG_ERR_OK;
}

/* Returns a whole number that was read as a real as an integer; NULL: it is not whole, or too
 * large. */
static json_t *as_integer(const json_t *v)
{
    const double x = json_number_value(v);
    return json_is_real(v) && floor(x) == x && fabs(x) < 1e15 ? json_integer((json_int_t)x) : NULL;
}

static void restore_integers(json_t *j)
{
    const char *key;
    json_t *v, *whole;
    void *next;
    size_t i;
    json_object_foreach_safe(j, next, key, v)
    {
        restore_integers(v);
        whole = as_integer(v);
        if (whole != NULL)
            (void)json_object_set_new(j, key, whole);
    }
    json_array_foreach(j, i, v)
    {
        restore_integers(v);
        whole = as_integer(v);
        if (whole != NULL)
            (void)json_array_set_new(j, i, whole);
    }
}

static const char *class_of(const ig_tokenizer_choice *choice)
{
    return choice->needs_rules ? "PreTrainedTokenizerFast" : choice->class_name;
}

/* Sets the inputs of a model, where versions of transformers have different defaults or the class
 * has another. */
static int set_inputs(json_t *j, const ig_tokenizer_choice *choice, bool types)
{
    const bool generic = strcmp(class_of(choice), "PreTrainedTokenizerFast") == 0;
    if (!generic && types == choice->bert && json_object_get(j, "model_input_names") == NULL)
        return 0;
    return json_object_set_new(
        j, "model_input_names",
        types ? json_pack("[s, s, s]", "input_ids", "token_type_ids", "attention_mask")
              : json_pack("[s, s]", "input_ids", "attention_mask"));
}

static ig_code set_switches(json_t *j, const ig_tokenizer *t)
{
    const ig_tokenizer_options *o = &t->options;
    int failed = json_object_set_new(j, "do_lower_case", json_boolean(o->lowercase));
    failed |= json_object_set_new(j, "tokenize_chinese_chars", json_boolean(!o->join_ideographs));
    failed |= json_object_set_new(j, "strip_accents", ig_accents_json(o->accents));
    return failed == 0 ? IG_ERR_OK : IG_ERR_MEMORY;
}

ig_code ig_tokenizer_folder_copy(const ig_tokenizer *t, const ig_tokenizer_choice *choice,
                                 const char *from, const char *to, const ig_tokenizer_use *use,
                                 ig_err *err)
{
    const bool types = use != NULL && use->types != IG_TYPES_SAME
                           ? use->types == IG_TYPES_PARTS
                           : choice->types && !choice->needs_rules;
    static const char *const file[] = {"vocab.txt", "tokenizer.json", "special_tokens_map.json",
                                       "added_tokens.json"};
    char *path = NULL, *copy = NULL, *rules = NULL;
    json_t *j = NULL;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        IG_TRY(copy_file(from, to, file[i], err));
    ig_code code = ig_path_join(&path, from, "tokenizer_config.json", err);
    IG_THEN(code, ig_path_join(&copy, to, "tokenizer_config.json", err));
    IG_THEN(code, ig_path_join(&rules, to, "tokenizer.json", err));
    if (choice->needs_rules)
        IG_THEN(code, ig_tokenizer_json_write(t, rules, err));
    if (code == IG_ERR_OK && choice->has_config) {
        code = ig_json_read_reals(&j, path, err);
        restore_integers(j);
    } else if (code == IG_ERR_OK)
        j = json_object();
    if (code == IG_ERR_OK &&
        (json_object_set_new(j, "tokenizer_class", json_string(class_of(choice))) != 0 ||
         (choice->bert && set_switches(j, t) != IG_ERR_OK) || set_inputs(j, choice, types) != 0 ||
         (use != NULL &&
          json_object_set_new(j, "model_max_length", json_integer(use->max_length)) != 0)))
        code = ig_fail(err, IG_ERR_MEMORY, copy, 0, "not enough memory");
    if (code == IG_ERR_OK)
        code = ig_json_write(j, copy, 17, err);
    else
        json_decref(j);
    IG_FREE(path, copy, rules);
    return code;
}
