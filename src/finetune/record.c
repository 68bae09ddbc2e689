/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes and compares the records of fine-tunings.
 */
#include "finetune/record.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/sha256.h"
#include "model/weight_files.h"

#include <stdio.h>

static const char version_key[] = "isoglot_finetune";

static ig_code add_file(json_t *files, const char *name, const char *path, ig_err *err)
{
    char hex[IG_SHA256_HEX];
    IG_TRY(ig_sha256_file(hex, path, err));
    json_object_set_new(files, name, json_string(hex));
    return IG_ERR_OK;
}

static ig_code add_files(json_t *files, const ig_finetune_config *c, const ig_task *t,
                         const char *model, ig_err *err)
{
    char hex[IG_SHA256_HEX];
    if (c->vectors != NULL)
        IG_TRY(add_file(files, "vectors", c->vectors, err));
    IG_TRY(ig_weights_sha256(hex, model, err));
    json_object_set_new(files, "model", json_string(hex));
    IG_TRY(add_file(files, "task", t->path, err));
    for (int i = 0; i < t->n_set; i++)
        for (int k = 0; k < t->set[i].n_file; k++) {
            char name[128];
            snprintf(name, sizeof name, "%s %.80s %d", ig_split_names[t->set[i].split],
                     t->set[i].language, k);
            IG_TRY(add_file(files, name, t->set[i].file[k], err));
        }
    return IG_ERR_OK;
}

ig_code ig_finetune_record(json_t **out, const ig_finetune_config *c, const ig_task *t,
                           const char *model, ig_err *err)
{
    json_t *files = json_object();
    json_t *config = ig_options_json(&ig_finetune_options, c);
    *out = json_pack("{s:i, s:o, s:O}", version_key, 1, "config", config, "files", files);
    ig_code code = *out != NULL ? add_files(files, c, t, model, err)
                                : ig_fail(err, IG_ERR_MEMORY, "run.json", 0, "not enough memory");
    json_decref(files);
    if (code != IG_ERR_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}

static ig_code other(const char *dir, const char *key, const json_t *a, const json_t *b,
                     ig_err *err)
{
    IG_OWNED char *was = ig_json_text(a, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)),
                  *is = ig_json_text(b, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    ig_fail(err, IG_ERR_USAGE, dir, 0, "the folder holds a fine-tuning with %s %.60s, not %.60s",
            key, was != NULL ? was : "", is != NULL ? is : "");
    return ig_hint(err, "choose another folder");
}

/* The settings of the record `was`; an option that is newer than it had its default. */
static ig_code compare_settings(const json_t *was, const json_t *now, const char *dir, ig_err *err)
{
    ig_finetune_config plain = {0};
    IG_TRY(ig_options_default(&ig_finetune_options, &plain, err));
    json_auto_t *defaults = ig_options_json(&ig_finetune_options, &plain);
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < ig_finetune_options.n && code == IG_ERR_OK; i++) {
        const ig_option *o = &ig_finetune_options.row[i];
        const json_t *a = ig_options_json_get(was, o), *b = ig_options_json_get(now, o);
        a = a != NULL ? a : ig_options_json_get(defaults, o);
        if (ig_finetune_option_decides(o) && !json_equal(a, b))
            code = other(dir, o->name, a, b, err);
    }
    ig_options_free(&ig_finetune_options, &plain);
    return code;
}

static ig_code compare(const json_t *have, const json_t *want, const char *dir, ig_err *err)
{
    IG_TRY(compare_settings(json_object_get(have, "config"), json_object_get(want, "config"), dir,
                            err));
    const json_t *was = json_object_get(have, "files"), *is = json_object_get(want, "files");
    const char *name, *changed = NULL;
    json_t *sum;
    json_object_foreach((json_t *)(uintptr_t)is, name, sum)
    {
        if (changed == NULL && !json_equal(json_object_get(was, name), sum))
            changed = name;
    }
    if (json_object_get(was, "vectors") != NULL && json_object_get(is, "vectors") == NULL)
        changed = "vectors";
    if (changed != NULL) {
        ig_fail(err, IG_ERR_USAGE, dir, 0, "the folder holds a fine-tuning with another file (%s)",
                changed);
        return ig_hint(err, "choose another folder");
    }
    return IG_ERR_OK;
}

ig_code ig_finetune_record_check(const json_t *want, const char *dir, ig_err *err)
{
    char path[IG_PATH];
    json_auto_t *have = NULL;
    IG_TRY(ig_folder_path(path, dir, err, "run.json"));
    IG_TRY(ig_json_read(&have, path, err));
    if (!json_is_integer(json_object_get(have, version_key))) {
        ig_fail(err, IG_ERR_USAGE, dir, 0, "the folder holds no fine-tuning");
        return ig_hint(err, "choose a new or empty folder");
    }
    return compare(have, want, dir, err);
}
