/* SPDX-License-Identifier: Apache-2.0
 *
 * See measure_texts.h. The tokens of a text are kept beside those of the training, under a name
 * that its content gives: many runs share them, and none can meet another text under the same name.
 */
#include "run/measure/measure_texts.h"
#include "base/file.h"
#include "base/settings/json_text.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "run/measure/measure_pairs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARD_NAME = IG_MEASURE_TEXT_KEY + 16 };

ig_code ig_measure_text_identify(ig_measure_text *t, ig_err *err)
{
    struct stat st;
    char hex[IG_SHA256_HEX];
    t->key[0] = '\0';
    if (t->own || t->edit[0] != '\0') /* the files are the run's, and known by its address */
        snprintf(hex, sizeof hex, "own");
    else if (stat(t->path, &st) != 0 || !S_ISREG(st.st_mode) ||
             ig_sha256_file(hex, t->path, NULL) != IG_ERR_OK)
        return IG_ERR_OK;
    json_t *j = json_pack("{s:s, s:s, s:i, s:I}", "file", hex, "ids", t->ids, "format", t->format,
                          "take", (json_int_t)t->take);
    if (j != NULL && t->edit[0] != '\0')
        json_object_set_new(j, "edit", json_string(t->edit));
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, t->path, 0, "not enough memory for what is measured");
    ig_code code = ig_sha256_of(hex, text, (int64_t)strlen(text), err);
    free(text);
    if (code == IG_ERR_OK)
        snprintf(t->key, sizeof t->key, "%.16s", hex);
    return code;
}

static void shard_name(char *out, size_t size, const char *key)
{
    snprintf(out, size, "text-%s.shard", key[0] != '\0' ? key : "none");
}

void ig_measure_texts_keep(ig_measure_plan *p, const char *dir)
{
    int n = 0;
    for (int i = 0; i < p->n_text; i++) {
        char name[SHARD_NAME], *shard = NULL;
        bool there = p->text[i].own || p->text[i].path[0] != '\0' || p->text[i].edit[0] != '\0';
        shard_name(name, sizeof name, p->text[i].key);
        if (!there && ig_path_join(&shard, dir, name, NULL) == IG_ERR_OK)
            there = ig_file_exists(shard);
        ig_free(shard);
        if (there && n++ != i)
            p->text[n - 1] = p->text[i];
    }
    p->n_text = n;
}

/* Links to what is made of the training texts: vocabularies, shards, dictionaries. */
static ig_code link_data(const char *dir, const char *folder, ig_err *err)
{
    ig_code code = IG_ERR_OK;
    DIR *d = opendir(dir);
    if (d == NULL)
        return ig_fail(err, IG_ERR_IO, dir, 0, "%s", strerror(errno));
    for (const struct dirent *e; code == IG_ERR_OK && (e = readdir(d)) != NULL;) {
        char *to, from[sizeof e->d_name + 4];
        if (strncmp(e->d_name, "train", 5) != 0 && strncmp(e->d_name, "vocab", 5) != 0 &&
            strncmp(e->d_name, "dictionary", 10) != 0 && strncmp(e->d_name, "gold", 4) != 0)
            continue;
        snprintf(from, sizeof from, "../%s", e->d_name);
        code = ig_path_join(&to, folder, e->d_name, err);
        if (code == IG_ERR_OK && symlink(from, to) != 0 && errno != EEXIST)
            code = ig_fail(err, IG_ERR_IO, to, 0, "cannot make a link: %s", strerror(errno));
        ig_free(to);
    }
    closedir(d);
    return code;
}

/* Other verses of the development texts: the run's data with another development part. */
static ig_code open_own(ig_measure_texts *all, const ig_measure_text *t, const ig_data_settings *d,
                        const char *dir, ig_err *err)
{
    char name[SHARD_NAME], *folder;
    snprintf(name, sizeof name, "text-%s", t->key);
    IG_TRY(ig_path_join(&folder, dir, name, err));
    const int k = all->n++;
    memcpy(all->text[k].name, t->name, sizeof t->name);
    ig_code code = ig_alloc(&all->text[k].own, 1, sizeof *all->text[k].own, "text", err);
    IG_THEN(code, ig_dir_make(folder, err));
    IG_THEN(code, link_data(dir, folder, err));
    if (code == IG_ERR_OK) {
        ig_run_data data = *d->data; /* a shallow copy */
        ig_data_settings other = *d;
        data.dev_verses = t->verses;
        data.dev_take = t->take;
        other.data = &data;
        code = ig_setup_open(all->text[k].own, &other, folder, err);
        all->text[k].corpus = all->text[k].own->dev;
    }
    ig_free(folder);
    return code;
}

static ig_code open_one(ig_measure_texts *all, const ig_measure_text *t, const ig_data_settings *d,
                        const ig_setup *s, const char *dir, ig_err *err)
{
    ig_setup_text text = {
        .path = t->path, .format = (ig_text_kind)t->format, .verses = t->verses, .take = t->take};
    ig_measure_text now = *t;
    char name[SHARD_NAME], *shard;
    /* Of a file that was not there when the experiment was read. */
    if (now.key[0] == '\0')
        IG_TRY(ig_measure_text_identify(&now, err));
    shard_name(name, sizeof name, now.key);
    IG_TRY(ig_path_join(&shard, dir, name, err));
    const int k = all->n++;
    memcpy(all->text[k].name, t->name, sizeof t->name);
    text.shard = shard;
    ig_code code = ig_setup_open_text(&all->text[k].corpus, &all->text[k].shard, s, d, &text, err);
    ig_free(shard);
    return code;
}

ig_code ig_measure_texts_open(ig_measure_texts *t, const ig_measure_plan *p,
                              const ig_data_settings *d, const ig_setup *s, const char *dir,
                              ig_err *err)
{
    *t = (ig_measure_texts){0};
    for (int i = 0; i < p->n_text; i++)
        if (p->text[i].edit[0] == '\0')
            IG_TRY(p->text[i].own ? open_own(t, &p->text[i], d, dir, err)
                                  : open_one(t, &p->text[i], d, s, dir, err));
    return IG_ERR_OK;
}

void ig_measure_texts_close(ig_measure_texts *t)
{
    for (int i = 0; i < t->n; i++) {
        if (t->text[i].own != NULL) {
            ig_setup_close(t->text[i].own);
            ig_free(t->text[i].own);
            continue;
        }
        ig_corpus_free(t->text[i].corpus);
        if (t->text[i].shard != NULL)
            ig_shard_close(t->text[i].shard);
    }
    *t = (ig_measure_texts){0};
}

static ig_code one(json_t *texts, const char *name, const ig_corpus *corpus,
                   const ig_measure_plan *p, const ig_measure_with *with,
                   const ig_measure_options *o, ig_err *err)
{
    ig_measure_result *r;
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "measures", err));
    ig_code code = ig_measure_run(r, with, NULL, corpus, o, err);
    json_t *j = code == IG_ERR_OK ? ig_measure_json(r) : NULL;
    if (code == IG_ERR_OK && json_object_set(texts, name, j) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, name, 0, "not enough memory for measures");
    IG_THEN(code, ig_measure_pairs(j, p, with, corpus, o, err));
    json_decref(j);
    ig_free(r);
    return code;
}

ig_code ig_measure_texts_run(json_t *measures, const ig_measure_texts *t, const ig_measure_plan *p,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err)
{
    if (t->n == 0)
        return IG_ERR_OK;
    json_t *texts = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n && code == IG_ERR_OK; i++)
        code = one(texts, t->text[i].name, t->text[i].corpus, p, with, o, err);
    if (code == IG_ERR_OK && json_object_set(measures, "texts", texts) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, "texts", 0, "not enough memory for measures");
    json_decref(texts);
    return code;
}
