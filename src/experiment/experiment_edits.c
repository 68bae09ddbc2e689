/* SPDX-License-Identifier: Apache-2.0
 *
 * Files named by the `edit:` of a fine-tuning (docs/edits.md): means, a matrix, texts, other
 * models, or the edits themselves. They are searched for where a TASK.yaml is: beside the
 * experiment file, else below the data root; and their bytes are a part of the task.
 */
#include "base/file.h"

#include "apply/edit/edit_spec.h"
#include "apply/folder/run_dir.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/named_files.h"
#include "base/strings/append.h"
#include "experiment/experiment_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_experiment_tuning *t;
    const char *root, *file; /* file: of the experiment, as its nodes have it */
    int64_t capacity;
    ig_err *err;
} reading;

static ig_code add_file(reading *r, const char *path)
{
    ig_experiment_tuning *t = r->t;
    IG_TRY(ig_grow(&t->edit_file, &r->capacity, t->n_edit_file + 1, sizeof *t->edit_file, "edits",
                   r->err));
    IG_TRY(ig_copy_text(&t->edit_file[t->n_edit_file], path, "path", r->err));
    t->n_edit_file++;
    return IG_ERR_OK;
}

/* Puts the path that is read in place of the one that is named; NULL: there is none. */
static ig_code find_file(reading *r, char **path)
{
    char *found;
    if (*path == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_path_named(&found, r->file, r->root, *path, r->err));
    ig_free(*path);
    *path = found;
    return add_file(r, found);
}

/* Finds the files in a model's folder that define the model. */
static ig_code find_model(reading *r, char **path)
{
    char *found, **file, dir[IG_PATH];
    int n;
    if (*path == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_path_named(&found, r->file, r->root, *path, r->err));
    ig_free(*path);
    *path = found;
    if (ig_run_latest(dir, found, NULL) != IG_ERR_OK)
        return add_file(r, found);
    IG_TRY(ig_model_files(&file, &n, dir, r->err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n && code == IG_ERR_OK; i++)
        code = add_file(r, file[i]);
    ig_free_list(file, n);
    return code;
}

/* "en=FILE; de=FILE" */
static ig_code find_texts(reading *r, char **text)
{
    ig_named_files f;
    char *all = NULL;
    size_t size;
    if (*text == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_named_files_parse(&f, *text, "text", r->err));
    FILE *fp = open_memstream(&all, &size);
    ig_code code =
        fp != NULL ? IG_ERR_OK : ig_fail(r->err, IG_ERR_MEMORY, "edit", 0, "not enough memory");
    for (int i = 0; i < f.n && code == IG_ERR_OK; i++) {
        char *path = NULL;
        code = ig_path_named(&path, r->file, r->root, f.file[i].path, r->err);
        IG_THEN(code, add_file(r, path));
        if (code == IG_ERR_OK)
            fprintf(fp, "%s%s=%s", i > 0 ? "; " : "", f.file[i].name, path);
        ig_free(path);
    }
    ig_named_files_free(&f);
    if (fp != NULL && !ig_memstream_close(fp) && code == IG_ERR_OK)
        code = ig_fail(r->err, IG_ERR_MEMORY, "edit", 0, "not enough memory");
    if (code == IG_ERR_OK) {
        ig_free(*text);
        *text = NULL;
        code = ig_copy_text(text, all, "texts", r->err);
    }
    free(all);
    return code;
}

/* The edits with these paths, in flow style. */
static ig_code print(reading *r, const ig_edit_specs *s)
{
    json_t *j = ig_edit_specs_json(s);
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(j);
    const ig_code code = text != NULL
                             ? ig_copy_text(&r->t->edit, text, "edits", r->err)
                             : ig_fail(r->err, IG_ERR_MEMORY, "edit", 0, "not enough memory");
    free(text);
    return code;
}

static ig_code find_all(reading *r, ig_edit_specs *s)
{
    for (int i = 0; i < s->n; i++) {
        IG_TRY(find_file(r, &s->spec[i].means));
        IG_TRY(find_file(r, &s->spec[i].matrix));
        IG_TRY(find_texts(r, &s->spec[i].text));
        IG_TRY(find_model(r, &s->spec[i].model));
    }
    return r->t->n_edit_file > 0 ? print(r, s) : IG_ERR_OK;
}

ig_code ig_experiment_edits_read(ig_experiment_tuning *t, const ig_yaml *v, const char *root,
                                 ig_err *err)
{
    reading r = {.t = t, .root = root, .file = v->file, .err = err};
    ig_edit_specs s = {0};
    char *named = NULL;
    const char *text = t->config.edit;
    ig_code code = IG_ERR_OK;
    text += strspn(text, " \t\r\n");
    if (*text != '{' && *text != '[') {
        code = ig_path_named(&named, v->file, root, text, err);
        IG_THEN(code, add_file(&r, named));
        if (code != IG_ERR_OK || !ig_file_exists(named)) {
            ig_free(named);
            return code;
        }
        text = named;
    }
    ig_err why = {0};
    if (code == IG_ERR_OK) {
        code = ig_edit_specs_add(&s, text, &why);
        if (code != IG_ERR_OK) {
            ig_yaml_fail(v, err, "edit: %s", why.msg);
            if (why.hint[0] != '\0')
                ig_hint(err, "%s", why.hint);
        }
    }
    IG_THEN(code, find_all(&r, &s));
    ig_edit_specs_free(&s);
    ig_free(named);
    return code;
}

ig_code ig_experiment_edits_hash(json_t **files, const ig_experiment_tuning *t,
                                 ig_hash_cache *cache, ig_err *err)
{
    *files = t->n_edit_file > 0 ? json_array() : NULL;
    for (int i = 0; i < t->n_edit_file; i++) {
        char hex[IG_SHA256_HEX];
        const ig_code code = ig_hash_cache_file(hex, t->edit_file[i], cache, err);
        if (code != IG_ERR_OK) {
            json_decref(*files);
            *files = NULL;
            return code;
        }
        json_array_append_new(*files, json_string(hex));
    }
    return IG_ERR_OK;
}

const char *ig_experiment_edits_missing(const ig_experiment_tuning *t)
{
    for (int i = 0; i < t->n_edit_file; i++)
        if (!ig_file_exists(t->edit_file[i]) || ig_dir_exists(t->edit_file[i]))
            return t->edit_file[i];
    return NULL;
}
