/* SPDX-License-Identifier: Apache-2.0
 *
 * An experiment file and those it extends as one tree (docs/experiments.md, "Merging"): mappings
 * are merged key by key, lists and scalars are replaced, null removes an entry of an extended
 * file. Every node keeps its file and line.
 */
#include "experiment/experiment_parts.h"

#include "base/settings/options.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const sections[] = {"title",  "question", "paper",   "note",    "base",
                                       "axes",   "cells",    "seeds",   "measure", "tasks",
                                       "report", "claims",   "extends", "variants"};
enum {
    N_SECTION = sizeof sections / sizeof *sections,
    N_VARIANT_SECTION = N_SECTION - 2 /* a variant has neither extends nor variants */
};

typedef struct {
    ig_yaml_pool *pool;
    char *chain[IG_EXPERIMENT_MAX_FILE]; /* real paths of the files being read, outermost first */
    const char *shown[IG_EXPERIMENT_MAX_FILE]; /* the same as the files write them */
    int n_chain, n_file;
} loader;

/* Makes a node in place of one that null has removed: its name is still known. */
static ig_code tombstone(ig_yaml **out, ig_yaml_pool *pool, const ig_yaml *at, ig_err *err)
{
    IG_TRY(ig_pool_alloc(pool, out, 1, sizeof **out, err));
    **out = *at;
    (*out)->removed = true;
    return IG_ERR_OK;
}

/* `over` wins. Both stay as they are. */
static ig_code merge(ig_yaml **out, ig_yaml_pool *pool, ig_yaml *under, ig_yaml *over, ig_err *err)
{
    if (under == NULL || under->removed || under->kind != IG_YAML_MAP ||
        over->kind != IG_YAML_MAP) {
        *out = over;
        return IG_ERR_OK;
    }
    ig_yaml *m;
    const int64_t bytes = (int64_t)(under->n + over->n) * (int64_t)sizeof *m->item;
    IG_TRY(ig_pool_alloc(pool, &m, 1, sizeof *m, err));
    *m = *over;
    m->n = under->n;
    IG_TRY(ig_pool_alloc(pool, &m->item, bytes, 1, err));
    IG_TRY(ig_pool_alloc(pool, &m->key, bytes, 1, err));
    for (int i = 0; i < under->n; i++) {
        m->item[i] = under->item[i];
        m->key[i] = under->key[i];
    }
    for (int i = 0; i < over->n; i++) {
        int at = ig_yaml_find(under, over->key[i]->text);
        ig_yaml *was = at >= 0 ? under->item[at] : NULL, *now = over->item[i];
        if (now->removed && at >= 0)
            continue; /* taken out of `over` itself, which so says nothing about it */
        if (was != NULL && !was->removed && ig_yaml_is_null(now) && !ig_yaml_is_null(was))
            IG_TRY(tombstone(&now, pool, now, err));
        else
            IG_TRY(merge(&now, pool, was, now, err));
        if (at < 0)
            at = m->n++;
        m->item[at] = now;
        m->key[at] = over->key[i];
    }
    *out = m;
    return IG_ERR_OK;
}

static ig_code load(ig_yaml **out, loader *l, const char *path, const ig_yaml *from, ig_err *err);

/* A file that belongs to the experiment, relative to the file it is named in; in the pool. */
static ig_code beside(const char **out, loader *l, const ig_yaml *name, ig_err *err)
{
    const bool here = strcmp(name->file, IG_EXPERIMENT_STDIN) == 0;
    const int n_dir = here ? 0 : ig_experiment_folder(name->file, name->text);
    return ig_pool_print(l->pool, out, err, "%.*s%s", n_dir, name->file, name->text);
}

static ig_code load_extended(ig_yaml **under, loader *l, const ig_yaml *extends, ig_err *err)
{
    const ig_yaml *one[1] = {extends};
    const ig_yaml *const *list = one;
    int n = 1;
    *under = NULL;
    if (extends->kind == IG_YAML_LIST) {
        list = (const ig_yaml *const *)extends->item;
        n = extends->n;
    }
    for (int i = 0; i < n; i++) {
        const char *text, *path;
        ig_yaml *file;
        IG_TRY(ig_yaml_text(&text, list[i], "extends", err));
        IG_TRY(beside(&path, l, list[i], err));
        IG_TRY(load(&file, l, path, list[i], err));
        if (file != NULL && *under != NULL)
            IG_TRY(merge(&file, l->pool, *under, file, err));
        if (file != NULL)
            *under = file;
    }
    return IG_ERR_OK;
}

/* "a.yaml > b.yaml > a.yaml" */
static ig_code circle(const loader *l, int first, const char *path, const ig_yaml *from,
                      ig_err *err)
{
    char chain[256] = "";
    for (int i = first; i <= l->n_chain; i++) {
        const char *shown = i < l->n_chain ? l->shown[i] : path;
        ig_append(chain, sizeof chain, "%s%s", i > first ? " > " : "",
                  shown + ig_experiment_folder(shown, ""));
    }
    return ig_yaml_fail(from, err, "extends: goes in a circle: %s", chain);
}

/* Checks sections of a file, of the files it extends, of its variants: known keys only. */
static ig_code check_sections(const ig_yaml *root, ig_err *err)
{
    IG_TRY(ig_yaml_keys(root, sections, N_SECTION, "experiment", err));
    const ig_yaml *variants = ig_yaml_get(root, "variants");
    if (variants == NULL || ig_yaml_is_null(variants))
        return IG_ERR_OK;
    IG_TRY(ig_yaml_is(variants, IG_YAML_MAP, "variants", err));
    for (int i = 0; i < variants->n; i++) {
        const char *name = variants->key[i]->text;
        if (name[0] == '\0' || strpbrk(name, ",:/ ") != NULL || strlen(name) > 32)
            return ig_yaml_fail(variants->key[i], err,
                                "variants: found '%.60s', expected a name of at most 32 letters "
                                "without comma, colon, slash and space",
                                name);
        char what[48];
        snprintf(what, sizeof what, "variant '%.32s'", name);
        if (!ig_yaml_is_null(variants->item[i]))
            IG_TRY(ig_yaml_keys(variants->item[i], sections, N_VARIANT_SECTION, what, err));
    }
    return IG_ERR_OK;
}

static ig_code load_chained(ig_yaml **out, loader *l, const char *path, ig_err *err)
{
    ig_yaml *root, *under = NULL;
    IG_TRY(ig_yaml_read(&root, l->pool, path, err));
    *out = root;
    if (root == NULL)
        return IG_ERR_OK;
    IG_TRY(check_sections(root, err));
    IG_TRY(ig_experiment_rename_old(root, err));
    int at = ig_yaml_find(root, "extends");
    if (at < 0 || ig_yaml_is_null(root->item[at]))
        return IG_ERR_OK;
    IG_TRY(load_extended(&under, l, root->item[at], err));
    root->item[at]->removed = true;
    return under == NULL ? IG_ERR_OK : merge(out, l->pool, under, root, err);
}

/* `from`: the node that names the file; NULL for the first. */
static ig_code load(ig_yaml **out, loader *l, const char *path, const ig_yaml *from, ig_err *err)
{
    char *real = realpath(path, NULL);
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < l->n_chain && real != NULL && code == IG_ERR_OK; i++)
        if (strcmp(l->chain[i], real) == 0)
            code = circle(l, i, path, from, err);
    if (code == IG_ERR_OK && l->n_file == IG_EXPERIMENT_MAX_FILE)
        code = ig_yaml_fail(from, err, "extends: more than %d files", IG_EXPERIMENT_MAX_FILE);
    if (code == IG_ERR_OK && real == NULL && (real = strdup(path)) == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory for its name");
    if (code == IG_ERR_OK) {
        l->chain[l->n_chain] = real;
        real = NULL;
        l->shown[l->n_chain++] = path;
        l->n_file++;
        code = load_chained(out, l, path, err);
        /* A file that cannot be opened is a mistake of the one that names it. */
        if (code == IG_ERR_IO && from != NULL && err != NULL && err->line == 0 &&
            strcmp(err->where, path) == 0) {
            char why[200];
            snprintf(why, sizeof why, "%.199s", err->msg);
            ig_fail(err, IG_ERR_IO, from->file, from->line, "extends: %.140s: %s", path, why);
            ig_hint(err, "paths in extends are relative to the file that has them");
        }
        free(l->chain[--l->n_chain]);
    }
    free(real);
    return code;
}

/* The keys of a variant, its sections too, know that they are its. */
static void mark(ig_yaml *v)
{
    v->variant = true;
    for (int i = 0; i < v->n; i++) {
        if (v->kind == IG_YAML_MAP)
            v->key[i]->variant = true;
        mark(v->item[i]);
    }
}

/* Returns whether a node is of the file that was named, and not of its variants. */
static bool own(const ig_experiment_tree *t, const ig_yaml *v)
{
    return !v->variant && strcmp(v->file, t->path) == 0;
}

/* A variant of an extended file does not restore an entry that the named file removes. */
static void keep_out(const ig_experiment_tree *t, const ig_yaml *under, ig_yaml *over)
{
    if (under == NULL || under->kind != IG_YAML_MAP || over->kind != IG_YAML_MAP)
        return;
    for (int i = 0; i < over->n; i++) {
        const int at = ig_yaml_find(under, over->key[i]->text);
        if (at < 0 || strcmp(over->key[i]->file, t->path) == 0)
            continue;
        if (under->item[at]->removed && own(t, under->item[at]))
            over->item[i]->removed = true;
        else
            keep_out(t, under->item[at], over->item[i]);
    }
}

static const char *shown(const ig_yaml *v)
{
    return v->kind != IG_YAML_SCALAR ? "…" : v->text[0] != '\0' ? v->text : "null";
}

/* A line about the keys of the named file's base that a variant of another file changes. */
static ig_code overruled(ig_experiment_tree *t, const char *name, const ig_yaml *under,
                         const ig_yaml *over, ig_err *err)
{
    enum { LINE = 600 };
    char *line;
    if (under == NULL || over == NULL || under->kind != IG_YAML_MAP || over->kind != IG_YAML_MAP)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(t->pool, &line, LINE, 1, err));
    line[0] = '\0';
    for (int i = 0; i < over->n; i++) {
        const ig_yaml *key = over->key[i], *now = over->item[i];
        const int at = ig_yaml_find(under, key->text);
        if (at < 0 || now->removed || strcmp(key->file, t->path) == 0 || !own(t, under->key[at]) ||
            strcmp(shown(now), shown(under->item[at])) == 0)
            continue;
        const bool first = line[0] == '\0';
        if (first)
            ig_append(line, LINE, "variant '%.32s' of %.200s overrides %.200s:", name, key->file,
                      t->path);
        ig_append(line, LINE, "%s %.40s %.60s, not %.60s", first ? "" : ";", key->text, shown(now),
                  shown(under->item[at]));
    }
    if (line[0] != '\0')
        t->remark[t->n_remark++] = line;
    return IG_ERR_OK;
}

static ig_code merge_variant(ig_experiment_tree *t, const char *name, ig_yaml *v, ig_err *err)
{
    mark(v);
    IG_TRY(overruled(t, name, ig_yaml_get(t->root, "base"), ig_yaml_get(v, "base"), err));
    keep_out(t, t->root, v);
    return merge(&t->root, t->pool, t->root, v, err);
}

/* Why a file has no variant `world`, which most have: the hint of the error. */
static ig_code no_world(const ig_yaml *root, const char *path, ig_err *err)
{
    const ig_yaml *base = ig_yaml_get(root, "base"),
                  *text = base != NULL ? ig_experiment_value(base, "text") : NULL,
                  *files = base != NULL ? ig_experiment_value(base, "files") : NULL;
    char beside[600];
    struct stat is;
    if (text == NULL && files == NULL)
        return ig_hint(err, "its text is a generated world without a variant");
    snprintf(beside, sizeof beside, "%.*sworld.yaml", ig_experiment_folder(path, ""), path);
    return stat(beside, &is) == 0 && strcmp(beside, path) != 0
               ? ig_hint(err,
                         "its question is about real texts; %.200s asks it of a generated world",
                         beside)
               : ig_hint(err, "its question is about real texts, which a generated world does not "
                              "answer; 'isoglot fetch' gets them");
}

static ig_code apply_variant(ig_experiment_tree *t, const ig_yaml *variants, const char *path,
                             const char *name, ig_err *err)
{
    const ig_yaml *root = t->root;
    const char *known[64];
    char list[224] = "";
    int n = 0;
    for (int i = 0; variants != NULL && variants->kind == IG_YAML_MAP && i < variants->n; i++) {
        if (variants->item[i]->removed)
            continue;
        if (ig_yaml_same_key(variants->key[i]->text, name)) {
            ig_yaml *v = variants->item[i];
            return ig_yaml_is_null(v) ? IG_ERR_OK : merge_variant(t, name, v, err);
        }
        ig_append_name(list, sizeof list, variants->key[i]->text);
        if (n < 64)
            known[n++] = variants->key[i]->text;
    }
    ig_fail(err, IG_ERR_USAGE, variants != NULL ? variants->file : path,
            variants != NULL ? variants->line : 0, "unknown variant '%.60s', expected %s%s", name,
            n > 0 ? "one of " : "none: the file has no variants", list);
    return strcmp(name, "world") == 0 ? no_world(root, path, err)
                                      : ig_hint_nearest(err, name, known, n);
}

ig_code ig_experiment_tree_read(ig_experiment_tree *t, ig_yaml_pool *pool, const char *path,
                                const char *const *variant, int n_variant, ig_err *err)
{
    loader l = {.pool = pool};
    t->pool = pool;
    IG_TRY(load(&t->root, &l, path, NULL, err));
    t->path = path;
    t->n_file = l.n_file;
    t->n_variant = n_variant;
    if (t->root == NULL)
        return ig_fail(err, IG_ERR_USAGE, path, 0,
                       "found nothing, expected an experiment: base, cells, seeds, … "
                       "(docs/experiments.md)");
    IG_TRY(
        ig_pool_alloc(t->pool, &t->remark, (n_variant + 1) * (int64_t)sizeof *t->remark, 1, err));
    const ig_yaml *variants = ig_yaml_get(t->root, "variants");
    for (int i = 0; i < n_variant; i++) {
        for (int k = 0; k < i; k++)
            if (strcmp(variant[i], variant[k]) == 0)
                return ig_fail(err, IG_ERR_USAGE, path, 0, "variant '%.60s' is asked for twice",
                               variant[i]);
        IG_TRY(apply_variant(t, variants, path, variant[i], err));
    }
    return IG_ERR_OK;
}

/* One "key=value" as a mapping of one pair. */
static ig_code set_one(ig_yaml **out, ig_yaml_pool *pool, const char *text, ig_err *err)
{
    const char *equal = strchr(text, '=');
    ig_yaml *map, *key, *value;
    char *word;
    if (equal == NULL || equal == text)
        return ig_fail(err, IG_ERR_USAGE, "--set", 0, "found '%.100s', expected KEY=VALUE", text);
    const size_t n = strlen(text) + 1, n_key = (size_t)(equal - text);
    if (equal[1] == '[' || equal[1] == '{') {
        IG_TRY(ig_pool_alloc(pool, &word, (int64_t)n + 1, 1, err));
        sprintf(word, "%.*s: %s", (int)n_key, text, equal + 1);
        return ig_yaml_parse(out, pool, word, (int64_t)strlen(word), "--set", err);
    }
    IG_TRY(ig_pool_alloc(pool, &word, (int64_t)n, 1, err));
    IG_TRY(ig_pool_alloc(pool, &map, 1, sizeof *map, err));
    IG_TRY(ig_pool_alloc(pool, &key, 1, sizeof *key, err));
    IG_TRY(ig_pool_alloc(pool, &value, 1, sizeof *value, err));
    IG_TRY(ig_pool_alloc(pool, &map->key, 1, sizeof *map->key, err));
    IG_TRY(ig_pool_alloc(pool, &map->item, 1, sizeof *map->item, err));
    memcpy(word, text, n);
    word[n_key] = '\0';
    *key = (ig_yaml){.kind = IG_YAML_SCALAR, .plain = true, .file = "--set", .text = word};
    *value = *key;
    value->text = word + n_key + 1;
    map->kind = IG_YAML_MAP;
    map->file = "--set";
    map->text = "";
    map->n = 1;
    map->key[0] = key;
    map->item[0] = value;
    *out = map;
    return IG_ERR_OK;
}

ig_code ig_experiment_set_read(ig_experiment_tree *t, const char *const *set, int n_set,
                               ig_err *err)
{
    for (int i = 0; i < n_set; i++) {
        ig_yaml *one;
        IG_TRY(set_one(&one, t->pool, set[i], err));
        if (one == NULL || one->n != 1)
            return ig_fail(err, IG_ERR_USAGE, "--set", 0, "found '%.100s', expected KEY=VALUE",
                           set[i]);
        if (t->set != NULL && ig_yaml_find(t->set, one->key[0]->text) >= 0)
            return ig_fail(err, IG_ERR_USAGE, "--set", 0, "%.60s is set twice", one->key[0]->text);
        if (t->set == NULL)
            t->set = one;
        else
            IG_TRY(merge(&t->set, t->pool, t->set, one, err));
    }
    return IG_ERR_OK;
}

const ig_yaml *ig_experiment_section(const ig_experiment_tree *t, const char *name)
{
    return ig_experiment_value(t->root, name);
}
