/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a catalogue: YAML or JSON, a list `entries` (docs/fetch.md). An entry with `each` is a
 * pattern: one entry for each of its lines, whose words replace {1}, {2}, … Names of files that
 * come from a catalogue are checked here, once: they stay below the data root. Then looking entries
 * up, the files they give, their JSON.
 */
#include "fetch/catalogue.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/options.h"
#include "base/settings/yaml_tree.h"

#include <fnmatch.h>
#include <string.h>

const char *const ig_convert_names[] = {"copy", "text", "vpl", "vref", "paste", "nli", NULL};

/* --- reading ---------------------------------------------------------------------------------- */

enum { largest_file = 1 << 20, most_words = 9, longest_text = 2048, most_entries = 10000 };
static const char language_word[] = "{language}";

extern const char ig_catalogue_yaml[]; /* fetch/catalogue.yaml, made at build time */
extern const int64_t ig_catalogue_yaml_size;

/* The values of {key[0]}, {key[1]}, … */
typedef struct {
    const char *key[most_words], *value[most_words];
    int n;
} words;

/* The entry being read. */
typedef struct {
    ig_pool *pool; /* of the catalogue */
    const char *where;
    const ig_yaml *y;
    words each; /* of this line of `each` */
} place;

static const char *const entry_keys[] = {
    "name",  "about", "licence", "home",    "url",       "size", "sha256",
    "files", "each",  "members", "convert", "languages", "to",   "approximate-size"};
enum { n_entry_key = sizeof entry_keys / sizeof *entry_keys };
static const char *const file_keys[] = {"url", "size", "sha256"};
enum { n_file_key = sizeof file_keys / sizeof *file_keys };

static ig_code expand(char **out, ig_pool *pool, const char *text, const words *w, ig_err *err)
{
    for (int pass = 0; pass < 2; pass++) {
        int64_t at = 0;
        for (const char *p = text; *p != '\0';) {
            int i = 0;
            size_t len = 0;
            for (; i < w->n && len == 0; i++)
                if (*p == '{' && strncmp(p + 1, w->key[i], strlen(w->key[i])) == 0 &&
                    p[1 + strlen(w->key[i])] == '}')
                    len = strlen(w->key[i]) + 2;
            size_t add = len > 0 ? strlen(w->value[i - 1]) : 1;
            if (pass == 1)
                memcpy(*out + at, len > 0 ? w->value[i - 1] : p, add);
            at += (int64_t)add;
            p += len > 0 ? len : 1;
        }
        if (pass == 0)
            IG_TRY(ig_pool_alloc(pool, out, at + 1, 1, err));
    }
    return IG_ERR_OK;
}

static ig_code check_text(const place *p, const ig_yaml *v, const char *text, const char *what,
                          ig_err *err)
{
    const char *bad = strlen(text) > longest_text ? "more than 2048 bytes" : NULL;
    for (const char *s = text; *s != '\0' && bad == NULL; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7F)
            bad = "a control character";
    if (bad != NULL)
        return ig_yaml_fail(v, err, "%s: found %s, expected a line of text", what, bad);
    for (const char *s = text; p->each.n > 0 && (s = strchr(s, '{')) != NULL; s++)
        if (s[1] >= '1' && s[1] <= '9' && s[2] == '}')
            return ig_yaml_fail(v, err, "%s: found {%c}, but 'each' has %d word%s in this line",
                                what, s[1], p->each.n, p->each.n == 1 ? "" : "s");
    return IG_ERR_OK;
}

/* A text with the words of `each` put in. */
static ig_code take_text(char **out, const place *p, const ig_yaml *v, const char *what,
                         ig_err *err)
{
    const char *text;
    if (v == NULL)
        return ig_yaml_fail(p->y, err, "the entry has no '%s'", what);
    IG_TRY(ig_yaml_text(&text, v, what, err));
    IG_TRY(expand(out, p->pool, text, &p->each, err));
    return check_text(p, v, *out, what, err);
}

/* One text or a list of them. */
static ig_code take_texts(char ***out, int *n, const place *p, const ig_yaml *v, const char *what,
                          ig_err *err)
{
    if (v == NULL)
        return IG_ERR_OK;
    bool list = v->kind == IG_YAML_LIST;
    *n = list ? v->n : 1;
    IG_TRY(ig_pool_alloc(p->pool, out, *n, sizeof(char *), err));
    for (int i = 0; i < *n; i++)
        IG_TRY(take_text(&(*out)[i], p, list ? v->item[i] : v, what, err));
    return IG_ERR_OK;
}

static ig_code wrong(const ig_yaml *v, const char *what, const char *found, const char *expected,
                     ig_err *err)
{
    return ig_yaml_fail(v, err, "%s: found '%.100s', expected %s", what, found, expected);
}

static ig_code check_name(const ig_yaml *v, const char *name, ig_err *err)
{
    size_t n = strlen(name);
    if (n > 64 || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != n || name[0] == '.' ||
        name[0] == '-')
        return wrong(v, "name", name,
                     "at most 64 of a-z, 0-9, '-', '_', '.', beginning with a letter or digit",
                     err);
    return IG_ERR_OK;
}

static ig_code check_url(const ig_yaml *v, const char *url, ig_err *err)
{
    static const char *const scheme[] = {"https://", "http://", "file:///"};
    bool known = false;
    for (int i = 0; i < 3; i++)
        known = known ||
                (strncmp(url, scheme[i], strlen(scheme[i])) == 0 && url[strlen(scheme[i])] != '\0');
    if (!known || strpbrk(url, " \"<>\\^`{|}") != NULL)
        return wrong(v, "url", url, "an address that begins with https://, http:// or file:///",
                     err);
    return IG_ERR_OK;
}

/* Checks that a path is below the data root, and not among fetch's own files. */
static ig_code check_to(const ig_yaml *v, const char *path, ig_err *err)
{
    bool ok =
        strlen(path) <= 240 && strncmp(path, "fetched/", 8) != 0 && strchr(path, '\\') == NULL;
    for (const char *s = path; ok; s++) {
        size_t n = strcspn(s, "/");
        ok = n > 0 && n <= 100 && s[0] != '.' && s[0] != '-';
        s += n;
        if (*s == '\0')
            break;
    }
    if (!ok)
        return wrong(v, "to", path,
                     "a path below the data root, no part of it beginning with '.' or '-', not in "
                     "fetched/",
                     err);
    return IG_ERR_OK;
}

static ig_code take_file(ig_catalogue_file *f, const place *p, const ig_yaml *y, ig_err *err)
{
    const ig_yaml *size = ig_yaml_get(y, "size"), *sum = ig_yaml_get(y, "sha256"),
                  *url = ig_yaml_get(y, "url");
    f->size = -1;
    IG_TRY(take_text(&f->url, p, url, "url", err));
    IG_TRY(check_url(url, f->url, err));
    if ((size != NULL || sum != NULL) && p->each.n > 0)
        return ig_yaml_fail(
            size != NULL ? size : sum, err,
            "found size or sha256 in an entry with 'each', which is of several files");
    if (size != NULL)
        IG_TRY(ig_yaml_int(&f->size, size, "size", 0, (int64_t)1 << 50, err));
    if (sum != NULL) {
        if (sum->kind != IG_YAML_SCALAR || strlen(sum->text) != 64 ||
            strspn(sum->text, "0123456789abcdef") != 64)
            return ig_yaml_wrong(sum, "sha256", "64 digits of 0-9, a-f", err);
        strcpy(f->sha256, sum->text);
    }
    return IG_ERR_OK;
}

static ig_code take_files(ig_catalogue_entry *e, const place *p, ig_err *err)
{
    const ig_yaml *list = ig_yaml_get(p->y, "files");
    if (list == NULL) {
        IG_TRY(ig_pool_alloc(p->pool, &e->file, 1, sizeof *e->file, err));
        e->n_file = 1;
        return take_file(&e->file[0], p, p->y, err);
    }
    for (int k = 0; k < n_file_key; k++)
        if (ig_yaml_get(p->y, file_keys[k]) != NULL)
            return ig_yaml_fail(list, err, "found both 'files' and '%s', expected one of them",
                                file_keys[k]);
    IG_TRY(ig_yaml_is(list, IG_YAML_LIST, "files", err));
    if (list->n == 0)
        return ig_yaml_fail(list, err, "files: found no file, expected at least one");
    IG_TRY(ig_pool_alloc(p->pool, &e->file, list->n, sizeof *e->file, err));
    e->n_file = list->n;
    for (int i = 0; i < list->n; i++) {
        IG_TRY(ig_yaml_keys(list->item[i], file_keys, n_file_key, "files", err));
        IG_TRY(take_file(&e->file[i], p, list->item[i], err));
    }
    return IG_ERR_OK;
}

/* Checks the number of results of a converter, which `to` must have. */
static ig_code check_counts(const ig_catalogue_entry *e, const place *p, ig_err *err)
{
    if (e->n_member > 0 && e->n_file != 1)
        return ig_yaml_fail(p->y, err, "found %d files with 'members', expected one archive",
                            e->n_file);
    int n_in = e->n_member > 0 ? e->n_member : e->n_file, n_out = n_in;
    if (e->convert == IG_CONVERT_PASTE)
        n_out = 1;
    else if (e->convert == IG_CONVERT_VREF)
        n_out = n_in - 1;
    if (n_out < 1 || (e->convert == IG_CONVERT_PASTE && n_in < 2))
        return ig_yaml_fail(p->y, err, "converter %s: found %d file, expected at least 2",
                            ig_convert_names[e->convert], n_in);
    if (e->n_to != n_out)
        return ig_yaml_fail(
            p->y, err, "found %d names in 'to', expected %d: converter %s makes %d of %d files",
            e->n_to, n_out, ig_convert_names[e->convert], n_out, n_in);
    int n_named = 0;
    for (int i = 0; i < e->n_member; i++)
        n_named += strstr(e->member[i], language_word) != NULL;
    if (n_named > 0 && (e->n_language == 0 || n_named < e->n_member))
        return ig_yaml_fail(p->y, err,
                            "found %s in 'members', expected 'languages' and it in each of them",
                            language_word);
    if (e->n_language > 0 && e->convert != IG_CONVERT_NLI && n_named == 0)
        return ig_yaml_fail(p->y, err,
                            "found 'languages' with converter %s, which does not tell them apart",
                            ig_convert_names[e->convert]);
    return IG_ERR_OK;
}

static ig_code take_convert(ig_catalogue_entry *e, const place *p, ig_err *err)
{
    const ig_yaml *v = ig_yaml_get(p->y, "convert");
    char *name;
    IG_TRY(take_text(&name, p, v, "convert", err));
    int i = 0;
    while (i < IG_N_CONVERT && strcmp(ig_convert_names[i], name) != 0)
        i++;
    e->convert = (ig_convert_kind)i;
    if (i < IG_N_CONVERT)
        return IG_ERR_OK;
    wrong(v, "convert", name, "copy, text, vpl, vref, paste or nli", err);
    return ig_hint_nearest(err, name, ig_convert_names, IG_N_CONVERT);
}

/* texts[n] of every language: the first of each, the second of each, … */
static ig_code every_language(char ***texts, int *n, const ig_catalogue_entry *e, ig_pool *pool,
                              ig_err *err)
{
    char **const old = *texts;
    if ((int64_t)*n * e->n_language > most_entries)
        return ig_fail(err, IG_ERR_USAGE, e->where, e->line, "more than %d files", most_entries);
    *n *= e->n_language;
    IG_TRY(ig_pool_alloc(pool, texts, *n, sizeof(char *), err));
    for (int i = 0; i < *n; i++) {
        const words w = {{"language"}, {e->language[i % e->n_language]}, 1};
        IG_TRY(expand(&(*texts)[i], pool, old[i / e->n_language], &w, err));
    }
    return IG_ERR_OK;
}

/* {language} is in every name of `to` if there are languages, and nowhere else. */
static ig_code take_results(ig_catalogue_entry *e, const place *p, ig_err *err)
{
    const ig_yaml *to = ig_yaml_get(p->y, "to");
    for (int i = 0; i < e->n_to; i++) {
        const ig_yaml *v = to->kind == IG_YAML_LIST ? to->item[i] : to;
        if ((e->n_language > 0) != (strstr(e->to[i], "{language}") != NULL))
            return wrong(v, "to", e->to[i],
                         e->n_language > 0 ? "{language} in it" : "'languages' that say what it is",
                         err);
    }
    if (e->n_language > 0)
        IG_TRY(every_language(&e->to, &e->n_to, e, p->pool, err));
    for (int i = 0; i < e->n_to; i++)
        IG_TRY(strpbrk(e->to[i], "{}") != NULL
                   ? wrong(to, "to", e->to[i], "a name in which every {…} is known", err)
                   : check_to(to, e->to[i], err));
    for (int i = 0; i < e->n_to; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(e->to[k], e->to[i]) == 0)
                return ig_yaml_fail(to, err, "to: found '%.100s' twice, expected once", e->to[i]);
    return IG_ERR_OK;
}

/* Members of every language are ordinary members; their converter ignores languages. */
static ig_code spread_members(ig_catalogue_entry *e, ig_pool *pool, ig_err *err)
{
    if (e->n_member == 0 || strstr(e->member[0], language_word) == NULL)
        return IG_ERR_OK;
    IG_TRY(every_language(&e->member, &e->n_member, e, pool, err));
    e->n_language = 0;
    return IG_ERR_OK;
}

static ig_code take_entry(ig_catalogue_entry *e, const place *p, ig_err *err)
{
    const ig_yaml *y = p->y, *name = ig_yaml_get(y, "name");
    e->where = p->where;
    e->line = y->line;
    IG_TRY(take_text(&e->name, p, name, "name", err));
    IG_TRY(check_name(name, e->name, err));
    IG_TRY(take_text(&e->about, p, ig_yaml_get(y, "about"), "about", err));
    IG_TRY(take_text(&e->licence, p, ig_yaml_get(y, "licence"), "licence", err));
    if (ig_yaml_get(y, "home") != NULL)
        IG_TRY(take_text(&e->home, p, ig_yaml_get(y, "home"), "home", err));
    const ig_yaml *near = ig_yaml_get(y, "approximate-size");
    if (near != NULL)
        IG_TRY(take_text(&e->approximate_size, p, near, "approximate-size", err));
    IG_TRY(take_files(e, p, err));
    IG_TRY(take_texts(&e->member, &e->n_member, p, ig_yaml_get(y, "members"), "members", err));
    IG_TRY(
        take_texts(&e->language, &e->n_language, p, ig_yaml_get(y, "languages"), "languages", err));
    IG_TRY(take_texts(&e->to, &e->n_to, p, ig_yaml_get(y, "to"), "to", err));
    IG_TRY(take_convert(e, p, err));
    IG_TRY(check_counts(e, p, err));
    IG_TRY(take_results(e, p, err));
    return spread_members(e, p->pool, err);
}

/* Replaces the entry of the same name from an earlier catalogue, or appends the entry. */
static ig_code settle(ig_catalogue *c, ig_catalogue_entry *e, ig_err *err)
{
    for (int i = 0; i < c->n; i++) {
        ig_catalogue_entry *old = &c->entry[i];
        if (strcmp(old->name, e->name) != 0)
            continue;
        if (old->where == e->where)
            return ig_fail(err, IG_ERR_USAGE, e->where, e->line,
                           "'%s' is there twice, first in line %llu", e->name,
                           (unsigned long long)old->line);
        *old = *e;
        return IG_ERR_OK;
    }
    if (c->n >= most_entries)
        return ig_fail(err, IG_ERR_USAGE, e->where, e->line, "more than %d entries", most_entries);
    IG_TRY(ig_grow(&c->entry, &c->have, c->n + 1, sizeof *c->entry, "catalogue", err));
    c->entry[c->n++] = *e;
    return IG_ERR_OK;
}

static ig_code add_entry(ig_catalogue *c, const place *p, ig_err *err)
{
    ig_catalogue_entry e = {0};
    IG_TRY(take_entry(&e, p, err));
    return settle(c, &e, err);
}

/* Cuts off the first of the words that '|' separates, without the spaces around it. */
static char *cut_word(char **rest)
{
    char *word = *rest, *bar = strchr(word, '|');
    *rest = bar != NULL ? bar + 1 : NULL;
    if (bar != NULL)
        *bar = '\0';
    word += strspn(word, " ");
    for (size_t n = strlen(word); n > 0 && word[n - 1] == ' '; n--)
        word[n - 1] = '\0';
    return word;
}

/* Adds one entry for each line of `each`: the parts separated by '|' are {1}, {2}, … */
static ig_code add_each(ig_catalogue *c, place *p, const ig_yaml *each, ig_err *err)
{
    static const char *const number[most_words] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
    IG_TRY(ig_yaml_is(each, IG_YAML_LIST, "each", err));
    if (each->n == 0)
        return ig_yaml_fail(each, err, "each: found no line, expected at least one");
    for (int i = 0; i < each->n; i++) {
        const ig_yaml *v = each->item[i];
        char *line;
        p->each.n = 0;
        IG_TRY(take_text(&line, p, v, "each", err));
        for (char *rest = line; rest != NULL && p->each.n < most_words;) {
            p->each.key[p->each.n] = number[p->each.n];
            p->each.value[p->each.n++] = cut_word(&rest);
        }
        IG_TRY(add_entry(c, p, err));
    }
    return IG_ERR_OK;
}

static ig_code add_entries(ig_catalogue *c, const ig_yaml *root, const char *where, ig_err *err)
{
    static const char *const root_keys[] = {"entries"};
    const ig_yaml *list = ig_yaml_get(root, "entries");
    if (root == NULL)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "found nothing, expected 'entries:' with a list");
    IG_TRY(ig_yaml_keys(root, root_keys, 1, "catalogue", err));
    if (list == NULL)
        return ig_yaml_fail(root, err, "found no 'entries', expected a list of them");
    IG_TRY(ig_yaml_is(list, IG_YAML_LIST, "entries", err));
    for (int i = 0; i < list->n; i++) {
        place p = {.pool = &c->pool, .where = where, .y = list->item[i]};
        IG_TRY(ig_yaml_keys(p.y, entry_keys, n_entry_key, "entry", err));
        const ig_yaml *each = ig_yaml_get(p.y, "each");
        IG_TRY(each != NULL ? add_each(c, &p, each, err) : add_entry(c, &p, err));
    }
    return IG_ERR_OK;
}

ig_code ig_catalogue_parse(ig_catalogue *c, const char *text, int64_t size, const char *where,
                           ig_err *err)
{
    ig_yaml_pool *pool;
    ig_yaml *root;
    const char *name;
    IG_TRY(ig_pool_text(&c->pool, &name, where, strlen(where), err));
    IG_TRY(ig_yaml_pool_new(&pool, err));
    ig_code code = ig_yaml_parse(&root, pool, text, size, name, err);
    IG_THEN(code, add_entries(c, root, name, err));
    ig_yaml_pool_free(pool);
    return code;
}

ig_code ig_catalogue_read(ig_catalogue *c, const char *path, ig_err *err)
{
    IG_OWNED char *text = NULL;
    int64_t size;
    IG_TRY(ig_file_read(&text, &size, path, largest_file, err));
    return ig_catalogue_parse(c, text, size, path, err);
}

ig_code ig_catalogue_new(ig_catalogue *c, ig_err *err)
{
    *c = (ig_catalogue){0};
    return ig_catalogue_parse(c, ig_catalogue_yaml, ig_catalogue_yaml_size, "the catalogue", err);
}

/* --- looking up ------------------------------------------------------------------------------- */

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
    IG_OWNED const char **name = NULL;
    ig_fail(err, IG_ERR_USAGE, "", 0, "the catalogue has no '%.100s'", pattern);
    ig_hint(err, "isoglot fetch --list shows what there is");
    IG_TRY(ig_alloc(&name, c->n, sizeof *name, "names", err));
    for (int i = 0; i < c->n; i++)
        name[i] = c->entry[i].name;
    const char *near = ig_nearest(pattern, name, c->n);
    if (near != NULL)
        ig_hint(err, "did you mean '%s'? isoglot fetch --list shows what there is", near);
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
