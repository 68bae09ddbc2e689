/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a language's view of a model folder. The folder is written under another name and renamed
 * when it is complete.
 */
#include "evaluate/model_view.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "isoglot/bert.h"
#include "model/bert_params.h"
#include "model/checkpoint_config.h"
#include "apply/folder/manifest.h"
#include "apply/folder/run_folder.h"
#include "text/folder/tokenizer_folder.h"

#include <stdlib.h>
#include <string.h>

/* The number of a language that is given by name or number. */
static ig_code find_language(int *found, const json_t *languages, const char *language,
                             const char *where, ig_err *err)
{
    char names[256] = "";
    size_t i;
    json_t *one;
    json_array_foreach(languages, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name != NULL && strcmp(name, language) == 0) {
            *found = (int)i;
            return IG_ERR_OK;
        }
        ig_append_name(names, sizeof names, name != NULL ? name : "?");
    }
    char *end;
    const long number = strtol(language, &end, 10);
    if (end != language && *end == '\0' && number >= 0 &&
        number < (long)json_array_size(languages)) {
        *found = (int)number;
        return IG_ERR_OK;
    }
    if (json_array_size(languages) == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "config.json names no languages (isoglot.languages)");
    return ig_fail(err, IG_ERR_USAGE, "language", 0, "found '%.60s', expected one of: %s", language,
                   names);
}

/* isoglot's part of config.json with this language alone, without what the view lacks. */
static json_t *own_config(const json_t *isoglot, int language)
{
    json_t *own = json_copy((json_t *)(uintptr_t)isoglot);
    json_t *one = json_array_get(json_object_get(isoglot, "languages"), (size_t)language);
    json_object_set_new(own, "languages", json_pack("[O]", one));
    json_object_del(own, "model");
    return json_pack("{s:o}", "isoglot", own);
}

/* Where there is one. */
static ig_code copy_tokenizer(const char *from, const char *to, ig_err *err)
{
    ig_tokenizer *t;
    ig_tokenizer_choice choice;
    if (!ig_folder_has(from, "vocab.txt") && !ig_folder_has(from, "tokenizer.json"))
        return IG_ERR_OK;
    IG_TRY(ig_tokenizer_folder_open(&t, &choice, from, NULL, err));
    const ig_code code = ig_tokenizer_folder_copy(t, &choice, from, to, NULL, err);
    ig_tokenizer_free(t);
    return code;
}

ig_code ig_model_view(const char *dir, const char *language, const char *out, ig_err *err)
{
    ig_bert_config c;
    json_auto_t *config = NULL, *extra = NULL;
    ig_bert *model = NULL, *view = NULL;
    IG_OWNED char *tmp = NULL;
    int k = 0;
    if (ig_dir_exists(out) || ig_file_exists(out))
        return ig_fail(err, IG_ERR_USAGE, out, 0, "is there already, expected a new folder");
    IG_TRY(ig_bert_config_read(&c, dir, &config, err));
    const json_t *isoglot = json_object_get(config, "isoglot");
    ig_code code = find_language(&k, json_object_get(isoglot, "languages"), language, dir, err);
    IG_THEN(code, ig_manifest_check(dir, err));
    IG_THEN(code, ig_bert_load(&model, dir, NULL, err));
    IG_THEN(code, ig_bert_view(&view, model, ig_bert_n_language(&c) > 1 ? k : 0, err));
    IG_THEN(code, ig_dir_beside(&tmp, out, err));
    if (code == IG_ERR_OK) {
        extra = own_config(isoglot, k);
        code = ig_bert_save(view, tmp, extra, err);
        IG_THEN(code, copy_tokenizer(dir, tmp, err));
        IG_THEN(code, ig_rename(tmp, out, err));
        if (code != IG_ERR_OK)
            (void)ig_dir_remove(tmp, NULL);
    }
    ig_bert_free(model);
    ig_bert_free(view);
    return code;
}
