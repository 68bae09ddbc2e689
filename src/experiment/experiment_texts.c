/* SPDX-License-Identifier: Apache-2.0
 *
 * `text:` of `measure:` in an experiment file: what a model is measured on beside the development
 * text, and edited models.
 */
#include "experiment/experiment_parts.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "corpus/read/text_source.h"
#include "corpus/read/verse_ids.h"
#include "fetch/data_root.h"
#include "run/edit/edit_spec.h"
#include "run/measure/measure_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names stand in quantities, mu[text=NAME], and are the split of their metrics. */
static ig_code read_text_name(ig_measure_text *t, const ig_yaml *key, ig_err *err)
{
    const char *name = key->text;
    const size_t n = strlen(name);
    bool bad = n == 0 || n >= sizeof t->name;
    for (const char *p = name; *p != '\0'; p++)
        bad = bad || !((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                       (*p >= '0' && *p <= '9') || *p == '-' || *p == '_' || *p == '.');
    if (bad)
        return ig_yaml_fail(
            key, err, "text: found '%.60s', expected a name of at most %d of a-z A-Z 0-9 . _ -",
            name, IG_MEASURE_TEXT_NAME - 1);
    if (strcmp(name, "dev") == 0 || strcmp(name, "train") == 0)
        return ig_yaml_fail(key, err, "text: '%s' is the run's own, expected another name", name);
    snprintf(t->name, sizeof t->name, "%s", name);
    return IG_ERR_OK;
}

static ig_code read_format(int *format, const ig_yaml *v, ig_err *err)
{
    int n = 0;
    while (ig_text_kind_names[n] != NULL)
        n++;
    if (v->kind == IG_YAML_SCALAR)
        for (*format = 0; *format < n; ++*format)
            if (strcmp(v->text, ig_text_kind_names[*format]) == 0)
                return IG_ERR_OK;
    ig_yaml_wrong(v, "format", "auto, plain, verses or mediawiki", err);
    const char *near =
        v->kind == IG_YAML_SCALAR ? ig_nearest(v->text, ig_text_kind_names, n) : NULL;
    return near != NULL ? ig_hint(err, "did you mean '%s'?", near) : IG_ERR_USAGE;
}

static ig_code read_ids(ig_measure_text *t, const ig_yaml *v, ig_err *err)
{
    const char *ids;
    ig_err why = {0};
    IG_TRY(ig_yaml_text(&ids, v, "ids", err));
    if (strlen(ids) >= sizeof t->ids)
        return ig_yaml_fail(v, err, "ids: found %d characters, expected at most %d",
                            (int)strlen(ids), (int)sizeof t->ids - 1);
    if (ig_verse_set_parse(&t->verses, ids, "ids", &why) != IG_ERR_OK)
        return ig_yaml_fail(v, err, "ids: %.200s", why.msg);
    snprintf(t->ids, sizeof t->ids, "%s", ids);
    return IG_ERR_OK;
}

static bool has_language(const ig_cell *c, const char *name)
{
    const ig_run_languages *l = &c->config.languages;
    for (int k = 0; k < l->n; k++)
        if (strcmp(l->language[k].name, name) == 0)
            return true;
    return false;
}

/* What every cell's model can be edited by: a run learns from its own text. */
static ig_code check_edit(const ig_experiment *e, const ig_edit_spec *s, const ig_yaml *v,
                          ig_err *err)
{
    const char *const name[2] = {s->from, s->to};
    if (s->means != NULL || s->text != NULL || s->matrix != NULL || s->model != NULL)
        return ig_yaml_fail(v, err,
                            "edit: %s takes a file, expected none: a run learns from its own text",
                            ig_edit_spec_names[s->kind]);
    IG_TRY(ig_experiment_check_layer(e, s->layer, v, "edit", NULL, 0, err));
    for (int x = 0; x < 2; x++)
        for (int i = 0; i < e->n_cell && name[x] != NULL; i++)
            if (!has_language(&e->cell[i], name[x]))
                return ig_yaml_fail(v, err, "edit: cell '%.40s' has no language '%.60s'",
                                    e->cell[i].name, name[x]);
    return IG_ERR_OK;
}

static ig_code print_edit(ig_measure_text *t, const ig_edit_specs *s, const ig_yaml *v, ig_err *err)
{
    json_t *j = ig_edit_specs_json(s);
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const size_t n = text != NULL ? strlen(text) : 0;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, v->file, v->line, "not enough memory for edits");
    if (n < sizeof t->edit)
        memcpy(t->edit, text, n + 1);
    free(text);
    return n < sizeof t->edit
               ? IG_ERR_OK
               : ig_yaml_fail(v, err, "edit: %d characters as JSON, expected at most %d", (int)n,
                              (int)sizeof t->edit - 1);
}

/* {edit: [...]}: the development text on an edited model. */
static ig_code read_edit(ig_measure_text *t, const ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    ig_edit_specs s = {0};
    ig_code code = ig_edit_specs_read(&s, v, NULL, err);
    for (int i = 0; i < s.n && code == IG_ERR_OK; i++)
        code = check_edit(e, &s.spec[i], v, err);
    if (code == IG_ERR_OK && s.n == 0)
        code = ig_yaml_fail(v, err, "edit: found nothing, expected edits");
    IG_THEN(code, print_edit(t, &s, v, err));
    ig_edit_specs_free(&s);
    return code == IG_ERR_OK ? ig_measure_text_identify(t, err) : code;
}

/* A file, {text, ids, take, format}, {ids, take}: of the development texts, or {edit}. */
static ig_code read_text(ig_measure_text *t, const ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    enum { EDIT = 4, N_KEY };
    static const char *const keys[N_KEY] = {"text", "ids", "take", "format", "edit"};
    const ig_yaml *file = v, *of[N_KEY] = {NULL};
    const char *path = "";
    char *full;
    t->take = 10000; /* as dev_take */
    if (v->kind == IG_YAML_MAP) {
        IG_TRY(ig_yaml_keys(v, keys, N_KEY, "text", err));
        for (int i = 0; i < N_KEY; i++) {
            of[i] = ig_yaml_get(v, keys[i]);
            if (of[i] != NULL && ig_yaml_is_null(of[i]))
                of[i] = NULL;
        }
        for (int i = 0; i < EDIT && of[EDIT] != NULL; i++)
            if (of[i] != NULL)
                return ig_yaml_fail(of[i], err, "%s: beside edit, which is of the development text",
                                    keys[i]);
        if (of[EDIT] != NULL)
            return read_edit(t, e, of[EDIT], err);
        file = of[0];
        t->own = file == NULL && of[1] != NULL;
        if (file == NULL && !t->own)
            return ig_yaml_fail(v, err,
                                "text: no file for '%s', expected {text: FILE, …}, or {ids: …}: "
                                "other verses of the development texts",
                                t->name);
        if (t->own && of[3] != NULL)
            return ig_yaml_fail(of[3], err, "format: '%s' has no file of its own", t->name);
    }
    if (!t->own)
        IG_TRY(ig_yaml_text(&path, file, "text", err));
    if (!t->own && strcmp(path, "-") == 0)
        return ig_yaml_fail(file, err, "text: standard input, expected a file: every run reads it");
    if (of[1] != NULL)
        IG_TRY(read_ids(t, of[1], err));
    if (of[2] != NULL)
        IG_TRY(ig_yaml_int(&t->take, of[2], "take", 0, (int64_t)1e12, err));
    if (of[3] != NULL)
        IG_TRY(read_format(&t->format, of[3], err));
    if (t->own)
        return ig_measure_text_identify(t, err);
    IG_TRY(ig_data_path(&full, e->data_root, path, err));
    const size_t n = strlen(full);
    if (n < sizeof t->path)
        memcpy(t->path, full, n + 1);
    ig_free(full);
    if (n >= sizeof t->path)
        return ig_yaml_fail(file, err, "text: found a path of %d characters, expected at most %d",
                            (int)n, (int)sizeof t->path - 1);
    return ig_measure_text_identify(t, err);
}

/* One file cannot be of all languages where these have texts of their own; and other verses are
 * there where there are verses. */
static ig_code check_text(const ig_measure_text *t, const ig_experiment *e, const ig_yaml *v,
                          ig_err *err)
{
    for (int i = 0; i < e->n_cell && t->edit[0] == '\0'; i++) {
        const ig_run_config *c = &e->cell[i].config;
        const bool texts = ig_run_languages_have_texts(&c->languages);
        if (t->own && !texts && c->data.dev_text == NULL)
            return ig_yaml_fail(v, err,
                                "text: '%s' is verses of the development text, and cell '%.60s' "
                                "has none (dev_text)",
                                t->name, e->cell[i].name);
        if (t->own || !texts)
            continue;
        ig_yaml_fail(v, err,
                     "text: the languages of cell '%.60s' have texts of their own; one further "
                     "text cannot be all of theirs",
                     e->cell[i].name);
        return ig_hint(err, "{ids: …} without text: other verses of their development texts");
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_read_texts(ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    ig_measure_plan *m = &e->measure;
    if (v->kind != IG_YAML_MAP)
        return ig_yaml_wrong(v, "text", "texts by name, as in {kjv: FILE}", err);
    for (int i = 0; i < v->n; i++) {
        if (v->key[i]->removed || v->item[i]->removed || ig_yaml_is_null(v->item[i]))
            continue;
        if (m->n_text == IG_MEASURE_TEXTS_MAX)
            return ig_yaml_fail(v->key[i], err, "text: more than %d of them", IG_MEASURE_TEXTS_MAX);
        ig_measure_text *t = &m->text[m->n_text++];
        IG_TRY(read_text_name(t, v->key[i], err));
        IG_TRY(read_text(t, e, v->item[i], err));
        IG_TRY(check_text(t, e, v, err));
    }
    return IG_ERR_OK;
}
