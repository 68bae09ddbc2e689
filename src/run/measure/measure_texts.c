/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares the other texts that a plan measures a model on. The tokens of a text are stored beside
 * those of the training, under a name made from its content: many runs share them, and another text
 * never gets the same name.
 */
#include "run/measure/measure_texts.h"

#include "apply/edit/edit_make.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/sha256.h"
#include "run/data/data_files.h"
#include "run/measure/measure_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const ig_measure_text *ig_measure_text_find(const ig_measure_plan *p, const char *name)
{
    for (int i = 0; i < p->n_text; i++)
        if (strcmp(p->text[i].name, name) == 0)
            return &p->text[i];
    return NULL;
}

/* The file's digest; "": it cannot be read. */
static void digest(char hex[IG_SHA256_HEX], const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        ig_sha256_file(hex, path, NULL) != IG_ERR_OK)
        hex[0] = '\0';
}

/* Returns [["fr-en", digest], …]; NULL: unknown. */
static json_t *files_json(const ig_measure_text *t, const ig_measure_plan *p)
{
    json_t *files = json_array();
    for (int i = t->first_file; i < t->first_file + t->n_file; i++) {
        char hex[IG_SHA256_HEX];
        digest(hex, p->file[i].path);
        if (hex[0] == '\0' ||
            json_array_append_new(files, json_pack("[s, s]", p->file[i].pair, hex)) != 0) {
            json_decref(files);
            return NULL;
        }
    }
    return files;
}

/* The properties of a text that decide its numbers, beside the run; *known false: a file cannot be
 * read. */
static json_t *content(const ig_measure_text *t, const ig_measure_plan *p, bool *known)
{
    char hex[IG_SHA256_HEX] = "own"; /* the files are the run's, and known by its address */
    if (!t->own && t->edit[0] == '\0' && t->n_file == 0)
        digest(hex, t->path);
    json_t *j = json_pack("{s:s, s:s, s:i, s:I}", "file", hex, "ids", t->ids, "format", t->format,
                          "take", (json_int_t)t->take);
    *known = hex[0] != '\0';
    if (t->edit[0] != '\0')
        json_object_set_new(j, "edit", json_string(t->edit));
    if (t->what != 0)
        json_object_set_new(j, "what", ig_measure_names_json(t->what));
    if (t->n_file > 0) {
        json_t *files = files_json(t, p);
        *known = files != NULL;
        json_object_set_new(j, "files", files);
    }
    return j;
}

ig_code ig_measure_text_identify(ig_measure_text *t, const ig_measure_plan *p, ig_err *err)
{
    char hex[IG_SHA256_HEX];
    bool known, also = true;
    const ig_measure_text *learn = t->learn[0] != '\0' ? ig_measure_text_find(p, t->learn) : NULL;
    json_t *j = content(t, p, &known);
    if (learn != NULL)
        json_object_set_new(j, "learn", content(learn, p, &also));
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(j);
    t->key[0] = '\0';
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, t->path, 0, "not enough memory for what is measured");
    ig_code code = ig_sha256_of(hex, text, (int64_t)strlen(text), err);
    free(text);
    if (code == IG_ERR_OK && known && also)
        snprintf(t->key, sizeof t->key, "%.16s", hex);
    return code;
}

static ig_code shard_path(char path[IG_PATH], const char *dir, const char *key, ig_err *err)
{
    return ig_folder_path(path, dir, err, "text-%s.shard", key[0] != '\0' ? key : "none");
}

void ig_measure_texts_keep(ig_measure_plan *p, const char *dir)
{
    int n = 0;
    for (int i = 0; i < p->n_text; i++) {
        char shard[IG_PATH];
        const ig_measure_text *t = &p->text[i];
        bool there = t->own || t->path[0] != '\0' || t->edit[0] != '\0' || t->n_file > 0;
        if (!there && shard_path(shard, dir, t->key, NULL) == IG_ERR_OK)
            there = ig_file_exists(shard);
        if (there && n++ != i)
            p->text[n - 1] = p->text[i];
    }
    p->n_text = n;
}

/* Input for making texts. */
typedef struct {
    ig_measure_texts *all; /* of which the last is made */
    const ig_data_settings *d;
    const ig_setup *s;
    const char *dir;
} maker;

/* Other verses of the development texts, or further sentences of the world: the run's data with
 * another development part. */
static ig_code open_own(const maker *m, const ig_measure_text *t, ig_err *err)
{
    char folder[IG_PATH];
    IG_TRY(ig_folder_path(folder, m->dir, err, "text-%s", t->key));
    ig_measured_text *x = &m->all->text[m->all->n - 1];
    IG_TRY(ig_alloc(&x->own, 1, sizeof *x->own, "text", err));
    IG_TRY(ig_dir_make(folder, err));
    IG_TRY(ig_data_files_link(&(ig_data_link){m->dir, folder, ".."}, err));
    ig_run_data data = *m->d->data; /* a shallow copy */
    ig_data_settings other = *m->d;
    data.dev_verses = t->verses;
    data.dev_take = t->take;
    if (t->ids[0] == '\0') /* after those of the development text */
        data.world_sentences += m->d->data->dev_take;
    other.data = &data;
    IG_TRY(ig_setup_open(x->own, &other, folder, err));
    x->corpus = x->own->dev;
    return IG_ERR_OK;
}

/* Computes the key of a file that was not there when the experiment was read. */
static ig_code late_key(char key[IG_MEASURE_TEXT_KEY], const ig_measure_text *t,
                        const ig_measure_plan *p, ig_err *err)
{
    ig_measure_text now = *t;
    if (now.key[0] == '\0')
        IG_TRY(ig_measure_text_identify(&now, p, err));
    memcpy(key, now.key, sizeof now.key);
    return IG_ERR_OK;
}

static ig_code open_file(const maker *m, const ig_measure_text *t, ig_err *err)
{
    char shard[IG_PATH], key[IG_MEASURE_TEXT_KEY];
    IG_TRY(late_key(key, t, m->all->plan, err));
    IG_TRY(shard_path(shard, m->dir, key, err));
    const ig_setup_text text = {.path = t->path,
                                .format = (ig_text_kind)t->format,
                                .verses = t->verses,
                                .take = t->take,
                                .shard = shard};
    ig_measured_text *x = &m->all->text[m->all->n - 1];
    return ig_setup_open_text(&x->corpus, &x->shard, m->s, m->d, &text, err);
}

/* A parallel file. */
static ig_code open_pair(const maker *m, const ig_pair_file *file, int number, ig_err *err)
{
    ig_measured_text *x = &m->all->text[m->all->n - 1];
    char folder[IG_PATH], key[IG_MEASURE_TEXT_KEY];
    IG_TRY(late_key(key, x->of, m->all->plan, err));
    IG_TRY(
        ig_folder_path(folder, m->dir, err, "text-%s-%d", key[0] != '\0' ? key : "none", number));
    x->a = file->language[file->language[0] < file->language[1] ? 0 : 1];
    x->b = file->language[file->language[0] < file->language[1] ? 1 : 0];
    IG_TRY(ig_alloc(&x->pair, 1, sizeof *x->pair, "text", err));
    IG_TRY(ig_pair_text_open(x->pair, file, m->d, &(ig_data_link){m->dir, folder, ".."}, err));
    x->corpus = x->pair->setup.dev;
    return IG_ERR_OK;
}

static void begin_one(ig_measure_texts *all, const ig_measure_text *t)
{
    all->text[all->n].of = t;
    all->text[all->n].a = all->text[all->n].b = -1;
    all->n++;
}

/* Returns whether the run has the languages of parallel file i of a text and compares them. */
static bool has_pair(ig_pair_file *out, const ig_measure_text *t, int i, const ig_measure_plan *p,
                     const ig_run_languages *l, const ig_corpus *dev)
{
    const ig_measure_file *f = &p->file[t->first_file + i];
    *out = (ig_pair_file){.path = f->path, .take = t->take};
    if (!ig_measure_columns_find(out->language, f->pair, l))
        return false;
    const int *c = out->language;
    return ig_measure_pair_wanted(p, dev, c[0] < c[1] ? c[0] : c[1], c[0] < c[1] ? c[1] : c[0]);
}

static ig_code open_pairs(const maker *m, const ig_measure_text *t, ig_err *err)
{
    for (int i = 0; i < t->n_file; i++) {
        ig_pair_file file;
        if (!has_pair(&file, t, i, m->all->plan, m->d->languages, m->s->dev))
            continue;
        begin_one(m->all, t);
        IG_TRY(open_pair(m, &file, i, err));
    }
    return IG_ERR_OK;
}

void ig_sentence_counts_add(ig_sentence_counts *n, int64_t have)
{
    for (int k = 0; k < 2; k++)
        n->sum[k] += (double)(n->most[k] > 0 && n->most[k] < have ? n->most[k] : have);
}

ig_code ig_measure_text_lines(ig_sentence_counts *n, const ig_measure_text *t,
                              const ig_measure_plan *p, const ig_run_languages *l,
                              const ig_corpus *dev, ig_err *err)
{
    for (int i = 0; i < t->n_file; i++) {
        ig_pair_file file;
        int64_t have;
        if (!has_pair(&file, t, i, p, l, dev))
            continue;
        IG_TRY(ig_pair_text_count(&have, file.path, err));
        ig_sentence_counts_add(n, file.take > 0 && file.take < have ? file.take : have);
    }
    return IG_ERR_OK;
}

ig_code ig_measure_texts_open(ig_measure_texts *all, const ig_measure_plan *p,
                              const ig_data_settings *d, const ig_setup *s, const char *dir,
                              ig_err *err)
{
    const maker m = {all, d, s, dir};
    *all = (ig_measure_texts){.plan = p, .dev = s->dev};
    for (int i = 0; i < p->n_text; i++) {
        const ig_measure_text *t = &p->text[i];
        if (t->edit[0] != '\0')
            continue;
        if (t->n_file > 0) {
            IG_TRY(open_pairs(&m, t, err));
            continue;
        }
        begin_one(all, t);
        IG_TRY((t->own ? open_own : open_file)(&m, t, err));
    }
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
        if (t->text[i].pair != NULL) {
            ig_pair_text_close(t->text[i].pair);
            ig_free(t->text[i].pair);
            continue;
        }
        ig_corpus_free(t->text[i].corpus);
        if (t->text[i].shard != NULL)
            ig_shard_close(t->text[i].shard);
    }
    *t = (ig_measure_texts){0};
}

/* ---- measures ---- */

/* Finds the text that maps of text k are learned on: the development text, or one that is named. */
static ig_code find_learn(const ig_corpus **learn, const ig_measure_texts *t, int k, ig_err *err)
{
    const char *name = t->text[k].of->learn;
    *learn = t->dev;
    if (name[0] == '\0')
        return IG_ERR_OK;
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->text[i].of->name, name) == 0 &&
            (t->text[i].a < 0 || (t->text[i].a == t->text[k].a && t->text[i].b == t->text[k].b))) {
            *learn = t->text[i].corpus;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_USAGE, t->text[k].of->name, 0,
                   "a map is to be learned on '%s', which has no text of these languages", name);
}

ig_code ig_measure_texts_run(ig_measure_result *to, const ig_measure_texts *t,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err)
{
    for (int k = 0; k < t->n; k++) {
        const ig_measured_text *x = &t->text[k];
        ig_measure_with use = *with;
        ig_measure_options each = ig_measure_text_options(o, x->of);
        IG_TRY(find_learn(&use.learn, t, k, err));
        if (x->a >= 0) { /* a parallel text of that pair */
            each.a = x->a;
            each.b = x->b;
            each.what &= ~IG_MEASURE_BIT(perplexity);
        }
        const ig_measure_corpus c = {x->of->name, x->corpus, x->a >= 0 ? NULL : t->plan};
        IG_TRY(ig_measure_named(to, &c, &use, &each, err));
    }
    return IG_ERR_OK;
}

ig_code ig_measure_edits_run(ig_measure_result *to, const ig_measure_plan *p, const ig_setup *setup,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err)
{
    const ig_corpus *train = setup->train;
    const ig_edit_on on = {.parts = {.engine = with->engine,
                                     .model = with->model,
                                     .team = with->team,
                                     .corpus = train},
                           .stop = with->stop};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < p->n_text && code == IG_ERR_OK; i++) {
        const ig_measure_text *t = &p->text[i];
        ig_edit_specs specs = {0};
        ig_made_edits made = {0};
        if (t->edit[0] == '\0')
            continue;
        code = ig_edit_specs_add(&specs, t->edit, err);
        IG_THEN(code, ig_edits_make(&made, &specs, &on, err));
        ig_measure_with edited = *with;
        edited.means = train;
        edited.edit = made.edit;
        edited.n_edit = made.n;
        const ig_measure_options each = ig_measure_text_options(o, t);
        IG_THEN(code, ig_measure_named(to, &(ig_measure_corpus){t->name, setup->dev, p}, &edited,
                                       &each, err));
        /* Also when it was stopped: the model is saved then. */
        const ig_code back = ig_edits_undo(&made, &on, code == IG_ERR_OK ? err : NULL);
        code = code == IG_ERR_OK ? back : code;
        ig_edit_specs_free(&specs);
    }
    return code;
}
