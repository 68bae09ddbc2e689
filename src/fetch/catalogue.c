/* SPDX-License-Identifier: Apache-2.0
 *
 * A catalogue in memory: looking entries up, the files they give, their JSON. catalogue_read.c
 * reads one.
 */
#include "fetch/catalogue.h"

#include "base/memory.h"
#include "base/settings/options.h"

#include <fnmatch.h>
#include <string.h>

const char *const ig_convert_names[] = {"copy", "text", "vpl", "vref", "paste", "nli", NULL};

void ig_catalogue_entry_free(ig_catalogue_entry *e)
{
    for (int k = 0; k < e->n_file; k++)
        ig_free(e->file[k].url);
    ig_free_list(e->member, e->n_member);
    ig_free_list(e->language, e->n_language);
    ig_free_list(e->to, e->n_to);
    IG_FREE(e->file, e->name, e->about, e->licence, e->home, e->approximate_size);
    *e = (ig_catalogue_entry){0};
}

void ig_catalogue_free(ig_catalogue *c)
{
    for (int i = 0; i < c->n; i++)
        ig_catalogue_entry_free(&c->entry[i]);
    ig_free_list(c->source, c->n_source);
    ig_free(c->entry);
    *c = (ig_catalogue){0};
}

ig_code ig_catalogue_choose(bool *chosen, const ig_catalogue *c, const char *pattern, ig_err *err)
{
    bool any = false;
    for (int i = 0; i < c->n; i++)
        if (fnmatch(pattern, c->entry[i].name, 0) == 0)
            any = chosen[i] = true;
    if (any)
        return IG_ERR_OK;
    const char **name;
    ig_fail(err, IG_ERR_USAGE, "", 0, "the catalogue has no '%.100s'", pattern);
    ig_hint(err, "isoglot fetch --list shows what there is");
    IG_TRY(ig_alloc(&name, c->n, sizeof *name, "names", err));
    for (int i = 0; i < c->n; i++)
        name[i] = c->entry[i].name;
    const char *near = ig_nearest(pattern, name, c->n);
    if (near != NULL)
        ig_hint(err, "did you mean '%s'? isoglot fetch --list shows what there is", near);
    ig_free(name);
    return IG_ERR_USAGE;
}

ig_code ig_catalogue_expand(char **out, const char *text, const char *const *key,
                            const char *const *value, int n, ig_err *err)
{
    int64_t size = 0;
    *out = NULL;
    for (int pass = 0; pass < 2; pass++) {
        int64_t at = 0;
        for (const char *p = text; *p != '\0';) {
            int i = 0;
            size_t len = 0;
            for (; i < n && len == 0; i++)
                if (*p == '{' && strncmp(p + 1, key[i], strlen(key[i])) == 0 &&
                    p[1 + strlen(key[i])] == '}')
                    len = strlen(key[i]) + 2;
            size_t add = len > 0 ? strlen(value[i - 1]) : 1;
            if (pass == 1)
                memcpy(*out + at, len > 0 ? value[i - 1] : p, add);
            at += (int64_t)add;
            p += len > 0 ? len : 1;
        }
        size = at;
        if (pass == 0)
            IG_TRY(ig_alloc(out, size + 1, 1, "text", err));
    }
    return IG_ERR_OK;
}

int ig_catalogue_n_result(const ig_catalogue_entry *e)
{
    return e->n_to * (e->n_language > 0 ? e->n_language : 1);
}

ig_code ig_catalogue_result(char **path, const ig_catalogue_entry *e, int i, ig_err *err)
{
    static const char *const key[] = {"language"};
    int n = e->n_language > 0 ? e->n_language : 1;
    const char *const language[] = {e->n_language > 0 ? e->language[i % n] : ""};
    return ig_catalogue_expand(path, e->to[i / n], key, language, e->n_language > 0, err);
}

const ig_catalogue_entry *ig_catalogue_giving(const ig_catalogue *c, const char *path)
{
    const ig_catalogue_entry *found = NULL;
    for (int i = 0; i < c->n && found == NULL; i++)
        for (int k = 0; k < ig_catalogue_n_result(&c->entry[i]) && found == NULL; k++) {
            char *result;
            if (ig_catalogue_result(&result, &c->entry[i], k, NULL) != IG_ERR_OK)
                return NULL;
            if (strcmp(result, path) == 0)
                found = &c->entry[i];
            ig_free(result);
        }
    return found;
}

static json_t *text_or_null(const char *s)
{
    return s != NULL && s[0] != '\0' ? json_string(s) : json_null();
}

json_t *ig_catalogue_entry_json(const ig_catalogue_entry *e)
{
    json_t *files = json_array(), *to = json_array();
    int bad = 0;
    for (int i = 0; i < e->n_file; i++) {
        const ig_catalogue_file *f = &e->file[i];
        bad |= json_array_append_new(files,
                                     json_pack("{s:s, s:o, s:o}", "url", f->url, "size",
                                               f->size >= 0 ? json_integer(f->size) : json_null(),
                                               "sha256", text_or_null(f->sha256)));
    }
    for (int i = 0; i < ig_catalogue_n_result(e); i++) {
        char *path = NULL;
        bad |= ig_catalogue_result(&path, e, i, NULL) != IG_ERR_OK ||
               json_array_append_new(to, json_string(path)) != 0;
        ig_free(path);
    }
    if (bad) {
        json_decref(files);
        json_decref(to);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o}", "name", e->name, "about", e->about,
                     "licence", e->licence, "home", text_or_null(e->home), "approximate_size",
                     text_or_null(e->approximate_size), "convert", ig_convert_names[e->convert],
                     "files", files, "to", to);
}
