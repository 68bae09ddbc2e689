/* SPDX-License-Identifier: Apache-2.0
 *
 * A catalogue in memory: looking entries up, the files they give, their JSON. catalogue_read.c
 * reads one.
 */
#include "fetch/catalogue.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/options.h"

#include <fnmatch.h>
#include <string.h>

const char *const ig_convert_names[] = {"copy", "text", "vpl", "vref", "paste", "nli", NULL};

void ig_catalogue_free(ig_catalogue *c)
{
    ig_pool_free(&c->pool);
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

const ig_catalogue_entry *ig_catalogue_giving(const ig_catalogue *c, const char *path)
{
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->entry[i].n_to; k++)
            if (strcmp(c->entry[i].to[k], path) == 0)
                return &c->entry[i];
    return NULL;
}

static json_t *text_or_null(const char *s)
{
    return s != NULL && s[0] != '\0' ? json_string(s) : json_null();
}

json_t *ig_catalogue_entry_json(const ig_catalogue_entry *e)
{
    json_t *files = json_array();
    for (int i = 0; i < e->n_file; i++) {
        const ig_catalogue_file *f = &e->file[i];
        json_array_append_new(files, json_pack("{s:s, s:o, s:o}", "url", f->url, "size",
                                               f->size >= 0 ? json_integer(f->size) : json_null(),
                                               "sha256", text_or_null(f->sha256)));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o}", "name", e->name, "about", e->about,
                     "licence", e->licence, "home", text_or_null(e->home), "approximate_size",
                     text_or_null(e->approximate_size), "convert", ig_convert_names[e->convert],
                     "files", files, "to", ig_json_texts((const char *const *)e->to, e->n_to));
}
