/* SPDX-License-Identifier: Apache-2.0
 *
 * Development texts joined: see dev_texts.h. Of each language the ids of the verses or the numbers
 * of the lines that hold something are listed; what all lists have is what is parallel.
 */
#include "run/data/dev_texts.h"

#include "base/memory.h"
#include "base/order.h"
#include "text/sentence.h"

#include <stdlib.h>
#include <string.h>

/* The file of a language's development text in *path; NULL: it has none of its own. */
ig_code ig_dev_text_path(const char **path, const ig_run_data *d, const ig_language_words *l,
                         ig_err *err)
{
    if (l->dev[0] != '\0')
        return ig_named_files_find(path, &d->named, l->dev, err);
    *path = l->text[0] == '\0' ? d->dev_text : NULL;
    return IG_ERR_OK;
}

bool ig_text_has_trees(const char *path)
{
    return strstr(path, ".conllu") != NULL;
}

/* The records of a file that hold something, ascending: verses by their ids, lines by their numbers
 * from 0; and how many lines there are. Zeroed: none. */
typedef struct {
    int32_t *id;
    int64_t n;
    uint64_t n_line;
} places;

static ig_code read_places(places *p, const ig_run_data *d, const char *path, ig_text_kind kind,
                           ig_err *err)
{
    const bool verses = kind == IG_TEXT_VERSES;
    ig_text_source *s;
    ig_text_record r;
    int64_t have = 0;
    int32_t before = -1;
    ig_code code;
    IG_TRY(ig_text_open(&s, path, kind, verses ? &d->dev_verses : NULL, err));
    while ((code = ig_text_next(s, &r, err)) == IG_ERR_OK && r.text != NULL) {
        if (verses && (code = ig_text_check_order(s, &r, before, err)) != IG_ERR_OK)
            break;
        before = r.id;
        if (ig_text_clean(r.text, r.text, r.n, d->strip_quotes) == 0)
            continue;
        code = ig_grow(&p->id, &have, p->n + 1, sizeof *p->id, verses ? "verses" : "lines", err);
        if (code == IG_ERR_OK && !verses && ig_text_line(s) > INT32_MAX)
            code =
                ig_fail(err, IG_ERR_INPUT, path, ig_text_line(s), "more lines than %d", INT32_MAX);
        if (code != IG_ERR_OK)
            break;
        p->id[p->n++] = verses ? r.id : (int32_t)(ig_text_line(s) - 1);
    }
    p->n_line = ig_text_line(s);
    ig_text_close(s);
    return code;
}

/* The ids of a file of verses; none of another kind of file. */
static ig_code read_ids(places *p, const ig_run_data *d, const char *path, ig_err *err)
{
    bool verses;
    IG_TRY(ig_text_has_verses(&verses, path, d->dev_format, err));
    if (!verses)
        return IG_ERR_OK;
    IG_TRY(read_places(p, d, path, IG_TEXT_VERSES, err));
    return p->n > 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, path, 0, "none of its verses is among the dev-ids");
}

/* Keeps of t->id what is in p, too; the first list is taken as it is. Frees p. */
static void meet(ig_dev_texts *t, places *p, bool first)
{
    if (first) {
        t->id = p->id;
        t->n = p->n;
        return;
    }
    int64_t kept = 0;
    for (int64_t i = 0, j = 0; i < t->n; i++) {
        while (j < p->n && p->id[j] < t->id[i])
            j++;
        if (j < p->n && p->id[j] == t->id[i])
            t->id[kept++] = t->id[i];
    }
    t->n = kept;
    ig_free(p->id);
}

/* Joins the development texts when they are several files and all of them are verses. */
static ig_code join_verses(ig_dev_texts *t, const ig_run_data *d, const ig_language_words *l,
                           int n_language, ig_err *err)
{
    bool several = false, all = true, first = true;
    const char *path, *before = NULL;
    for (int k = 0; k < n_language; k++) {
        IG_TRY(ig_dev_text_path(&path, d, &l[k], err));
        all = all && path != NULL;
        several = several || (before != NULL && path != NULL && strcmp(before, path) != 0);
        before = path;
    }
    if (!several || !all)
        return IG_ERR_OK;
    for (int k = 0; k < n_language && all; k++) {
        places p = {0};
        IG_TRY(ig_dev_text_path(&path, d, &l[k], err));
        const ig_code code = read_ids(&p, d, path, err);
        all = p.id != NULL;
        if (all)
            meet(t, &p, first);
        first = false;
        IG_TRY(code);
    }
    t->joined = all;
    if (t->joined && t->n == 0)
        return ig_fail(err, IG_ERR_INPUT, "files", 0,
                       "the development texts have no verse in common");
    return IG_ERR_OK;
}

/* The lines of a plain file, likewise. */
static ig_code read_lines(places *p, const ig_run_data *d, const char *path, ig_err *err)
{
    bool verses;
    IG_TRY(ig_text_has_verses(&verses, path, d->dev_format, err));
    if (verses || ig_text_has_trees(path))
        return ig_fail(err, IG_ERR_USAGE, "dev-parallel", 0,
                       "%.200s is %s, expected plain text, a sentence a line", path,
                       verses ? "a file of verses" : "a treebank");
    return read_places(p, d, path, IG_TEXT_PLAIN, err);
}

/* Development texts that are said to be parallel line by line: each language has one, and they end
 * together. */
static ig_code join_lines(ig_dev_texts *t, const ig_run_data *d, const ig_language_words *l,
                          int n_language, ig_err *err)
{
    const char *path, *first = NULL;
    uint64_t n_first = 0;
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < n_language && code == IG_ERR_OK; k++) {
        places p = {0};
        code = ig_dev_text_path(&path, d, &l[k], err);
        if (code == IG_ERR_OK && path == NULL)
            code =
                ig_fail(err, IG_ERR_USAGE, "dev-parallel", 0,
                        "language '%s' has no development text, expected one of each", l[k].name);
        IG_THEN(code, read_lines(&p, d, path, err));
        if (code == IG_ERR_OK && k > 0 && p.n_line != n_first)
            code = ig_fail(err, IG_ERR_INPUT, path, 0,
                           "%llu lines, %.200s has %llu: they are not parallel",
                           (unsigned long long)p.n_line, first, (unsigned long long)n_first);
        if (code == IG_ERR_OK)
            meet(t, &p, k == 0);
        else
            ig_free(p.id);
        if (k == 0) {
            first = path;
            n_first = p.n_line;
        }
    }
    if (code == IG_ERR_OK && t->n == 0)
        code = ig_fail(err, IG_ERR_INPUT, "dev-parallel", 0,
                       "the development texts have no line in common");
    return code;
}

ig_code ig_dev_texts_join(ig_dev_texts *t, const ig_run_data *d, const ig_language_words *l, int n,
                          ig_err *err)
{
    *t = (ig_dev_texts){0};
    return d->dev_parallel ? join_lines(t, d, l, n, err) : join_verses(t, d, l, n, err);
}

bool ig_dev_texts_have(const ig_dev_texts *t, int32_t id)
{
    return bsearch(&id, t->id, (size_t)t->n, sizeof id, ig_by_int32) != NULL;
}

void ig_dev_texts_free(ig_dev_texts *t)
{
    ig_free(t->id);
}
