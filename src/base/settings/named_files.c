/* SPDX-License-Identifier: Apache-2.0
 *
 * Files by name: see named_files.h.
 */
#include "base/settings/named_files.h"

#include "base/memory.h"
#include "base/settings/options.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

bool ig_named_file_next(const char **at, ig_named_file *out)
{
    const char *p = *at;
    while (is_blank(*p) || *p == ';')
        p++;
    *at = p;
    const size_t n = strcspn(p, "=;");
    size_t n_name = n;
    while (n_name > 0 && is_blank(p[n_name - 1]))
        n_name--;
    if (p[n] != '=' || n_name == 0 || n_name >= IG_NAMED_FILE)
        return false;
    memcpy(out->name, p, n_name);
    out->name[n_name] = '\0';
    if (strpbrk(out->name, " \t\n():,/") != NULL)
        return false;
    const char *path = p + n + 1;
    while (is_blank(*path))
        path++;
    const char *end = path + strcspn(path, ";"), *stop = end;
    while (stop > path && is_blank(stop[-1]))
        stop--;
    if (stop == path)
        return false;
    out->path = path;
    out->n = (size_t)(stop - path);
    *at = end;
    return true;
}

ig_code ig_named_file_find(const char *text, const char *name, char **path, ig_err *err)
{
    ig_named_file f;
    char names[64][IG_NAMED_FILE];
    const char *candidate[64];
    int n = 0;
    *path = NULL;
    for (const char *at = text; text != NULL && ig_named_file_next(&at, &f);) {
        if (strcmp(f.name, name) == 0) {
            IG_TRY(ig_alloc(path, (int64_t)f.n + 1, 1, "file name", err));
            memcpy(*path, f.path, f.n);
            return IG_ERR_OK;
        }
        if (n < 64) {
            memcpy(names[n], f.name, sizeof f.name);
            candidate[n] = names[n];
            n++;
        }
    }
    ig_fail(err, IG_ERR_USAGE, "files", 0,
            "no file is called '%.32s', expected --files '%.32s=FILE'", name, name);
    const char *near = ig_nearest(name, candidate, n);
    return near == NULL ? IG_ERR_USAGE : ig_hint(err, "did you mean '%s'?", near);
}

ig_code ig_named_files_below(char **out, const char *text, const char *dir, ig_err *err)
{
    size_t room = 1;
    const size_t n_dir = dir != NULL ? strlen(dir) : 0;
    ig_named_file f, g;
    *out = NULL;
    const char *at = text;
    while (ig_named_file_next(&at, &f)) {
        room += strlen(f.name) + f.n + n_dir + 4;
        for (const char *before = text; ig_named_file_next(&before, &g) && g.path != f.path;)
            if (strcmp(f.name, g.name) == 0)
                return IG_ERR_OK;
    }
    if (*at != '\0' || room == 1)
        return IG_ERR_OK;
    char *p;
    IG_TRY(ig_alloc(out, (int64_t)room, 1, "files", err));
    p = *out;
    for (at = text; ig_named_file_next(&at, &f);) {
        const size_t n = strlen(f.name);
        if (p > *out) {
            memcpy(p, "; ", 2);
            p += 2;
        }
        memcpy(p, f.name, n);
        p += n;
        *p++ = '=';
        if (dir != NULL && f.path[0] != '/') {
            memcpy(p, dir, n_dir);
            p += n_dir;
            *p++ = '/';
        }
        memcpy(p, f.path, f.n);
        p += f.n;
    }
    *p = '\0';
    return IG_ERR_OK;
}
