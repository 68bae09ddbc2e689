/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses and prints "NAME=FILE; …", and finds files by name.
 */
#include "base/settings/named_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/options.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Returns the text from `from` to `end` without blanks around it, NUL-terminated. */
static const char *cut(char *from, char *end)
{
    while (from < end && is_blank(*from))
        from++;
    while (end > from && is_blank(end[-1]))
        end--;
    *end = '\0';
    return from;
}

static const char *path_of(const ig_named_files *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->file[i].name, name) == 0)
            return f->file[i].path;
    return NULL;
}

/* Splits the text into names and paths; false if it has another form. */
static bool cut_all(ig_named_files *f)
{
    for (char *p = f->text, *next; *p != '\0'; p = next) {
        char *end = p + strcspn(p, ";"), *equals = memchr(p, '=', (size_t)(end - p));
        next = end + (*end == ';');
        if (p + strspn(p, " \t\n") == end)
            continue;
        if (equals == NULL)
            return false;
        const ig_named_file file = {cut(p, equals), cut(equals + 1, end)};
        if (file.name[0] == '\0' || strlen(file.name) >= IG_NAMED_FILE ||
            strpbrk(file.name, " \t\n():,/") != NULL || file.path[0] == '\0' ||
            path_of(f, file.name) != NULL)
            return false;
        f->file[f->n++] = file;
    }
    return f->n > 0;
}

ig_code ig_named_files_parse(ig_named_files *out, const char *text, const char *where, ig_err *err)
{
    int64_t most = 1;
    *out = (ig_named_files){0};
    if (text == NULL)
        return IG_ERR_OK;
    for (const char *p = text; *p != '\0'; p++)
        most += *p == ';';
    ig_code code = ig_alloc(&out->file, most, sizeof *out->file, "files", err);
    IG_THEN(code, ig_alloc(&out->text, (int64_t)strlen(text) + 1, 1, "files", err));
    if (code == IG_ERR_OK) {
        memcpy(out->text, text, strlen(text));
        if (!cut_all(out))
            code = ig_fail(err, IG_ERR_USAGE, where, 0,
                           "found '%.200s', expected 'NAME=FILE; …', no name twice", text);
    }
    if (code != IG_ERR_OK)
        ig_named_files_free(out);
    return code;
}

void ig_named_files_free(ig_named_files *f)
{
    IG_FREE(f->file, f->text);
    *f = (ig_named_files){0};
}

ig_code ig_named_files_find(const char **path, const ig_named_files *f, const char *name,
                            ig_err *err)
{
    enum { MOST = 64 };
    const char *candidate[MOST];
    const int n = f->n < MOST ? f->n : MOST;
    *path = path_of(f, name);
    if (*path != NULL)
        return IG_ERR_OK;
    for (int i = 0; i < n; i++)
        candidate[i] = f->file[i].name;
    ig_fail(err, IG_ERR_USAGE, "files", 0,
            "no file is called '%.32s', expected --files '%.32s=FILE'", name, name);
    return ig_hint_nearest(err, name, candidate, n);
}

ig_code ig_named_files_below(char **out, const char *text, const char *file, const char *dir,
                             ig_err *err)
{
    ig_named_files f;
    char *all = NULL;
    *out = NULL;
    IG_TRY(ig_named_files_parse(&f, text, "files", err));
    ig_code code = ig_copy_text(&all, "", "files", err);
    for (int i = 0; i < f.n && code == IG_ERR_OK; i++) {
        char *path, *next;
        code = ig_path_named(&path, file, dir, f.file[i].path, err);
        if (code != IG_ERR_OK)
            break;
        const size_t room = strlen(all) + strlen(f.file[i].name) + strlen(path) + 4;
        code = ig_alloc(&next, (int64_t)room, 1, "files", err);
        if (code == IG_ERR_OK) {
            snprintf(next, room, "%s%s%s=%s", all, i > 0 ? "; " : "", f.file[i].name, path);
            ig_free(all);
            all = next;
        }
        ig_free(path);
    }
    ig_named_files_free(&f);
    if (code == IG_ERR_OK)
        *out = all;
    else
        ig_free(all);
    return code;
}
