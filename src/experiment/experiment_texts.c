/* SPDX-License-Identifier: Apache-2.0
 *
 * `text:` of `measure:` in an experiment file: further texts to measure models on beside the
 * development text, and edited models.
 */
#include "experiment/experiment_parts.h"

#include "apply/edit/edit_spec.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "corpus/read/text_source.h"
#include "corpus/read/verse_ids.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/measure_texts.h"

#include <stdio.h>
#include <string.h>

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
    return v->kind == IG_YAML_SCALAR ? ig_hint_nearest(err, v->text, ig_text_kind_names, n)
                                     : IG_ERR_USAGE;
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

/* Checks an edit against every cell's model: a run learns from its own text. */
static ig_code check_edit(const ig_experiment *e, const ig_edit_spec *s, const ig_yaml *v,
                          ig_err *err)
{
    const char *const name[2] = {s->from, s->to};
    if (s->means != NULL || s->text != NULL || s->matrix != NULL || s->model != NULL)
        return ig_yaml_fail(v, err,
                            "edit: %s takes a file, expected none: a run learns from its own text",
                            ig_edit_spec_names[s->kind]);
    IG_TRY(ig_experiment_check_edit(e, s, v, err));
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
    IG_OWNED char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const size_t n = text != NULL ? strlen(text) : 0;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, v->file, v->line, "not enough memory for edits");
    if (n < sizeof t->edit)
        memcpy(t->edit, text, n + 1);
    return n < sizeof t->edit
               ? IG_ERR_OK
               : ig_yaml_fail(v, err, "edit: %d characters as JSON, expected at most %d", (int)n,
                              (int)sizeof t->edit - 1);
}

/* {edit: [...]}: the development text on an edited model. */
static ig_code read_edit(ig_measure_text *t, const ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    IG_SCOPED(ig_edit_specs_free) ig_edit_specs s = {0};
    IG_TRY(ig_edit_specs_read(&s, v, NULL, err));
    for (int i = 0; i < s.n; i++)
        IG_TRY(check_edit(e, &s.spec[i], v, err));
    if (s.n == 0)
        return ig_yaml_fail(v, err, "edit: found nothing, expected edits");
    return print_edit(t, &s, v, err);
}

/* Beside the file that names it, else below the data root. */
static ig_code read_path(char *out, size_t size, const ig_experiment *e, const ig_yaml *v,
                         const char *key, ig_err *err)
{
    const char *path;
    IG_OWNED char *full = NULL;
    IG_TRY(ig_yaml_text(&path, v, key, err));
    if (strcmp(path, "-") == 0)
        return ig_yaml_fail(v, err, "%s: standard input, expected a file: every run reads it", key);
    IG_TRY(ig_path_named(&full, v->file, e->data_root, path, err));
    const size_t n = strlen(full);
    if (n < size)
        memcpy(out, full, n + 1);
    return n < size ? IG_ERR_OK
                    : ig_yaml_fail(v, err, "%s: found a path of %d characters, expected at most %d",
                                   key, (int)n, (int)size - 1);
}

/* ---- parallel files ---- */

/* Some cell has both languages, and texts of its own for them. */
static ig_code check_columns(const ig_experiment *e, const char *name, const ig_yaml *v,
                             ig_err *err)
{
    const ig_cell *without = NULL;
    const char *why = NULL;
    bool any = false;
    for (int i = 0; i < e->n_cell; i++) {
        const ig_run_config *c = &e->cell[i].config;
        int column[2];
        if (!ig_measure_columns_find(column, name, &c->languages))
            continue;
        any = true;
        why = ig_pair_text_refuses(&c->data, &c->languages, column);
        if (why != NULL) {
            without = &e->cell[i];
            break;
        }
    }
    if (without != NULL)
        return ig_yaml_fail(v, err, "pairs: cell '%.60s' takes no parallel text of '%.60s': %s",
                            without->name, name, why);
    if (any)
        return IG_ERR_OK;
    ig_yaml_fail(v, err, "pairs: found '%.60s', expected two languages of a cell, as in fr-en",
                 name);
    return ig_hint(err, "those of cell '%.60s' are: %.200s", e->cell[0].name,
                   e->cell[0].config.languages.spec);
}

/* Returns whether two names are of the same two languages of some cell. */
static bool same_pair(const ig_experiment *e, const char *x, const char *y)
{
    for (int i = 0; i < e->n_cell; i++) {
        const ig_run_languages *l = &e->cell[i].config.languages;
        int a[2], b[2];
        if (ig_measure_columns_find(a, x, l) && ig_measure_columns_find(b, y, l) &&
            a[0] + a[1] == b[0] + b[1] && (a[0] == b[0] || a[0] == b[1]))
            return true;
    }
    return false;
}

/* {fr-en: FILE, …}: the languages of the columns, in their order. */
static ig_code read_pairs(ig_measure_text *t, ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    ig_measure_plan *m = &e->measure;
    if (v->kind != IG_YAML_MAP)
        return ig_yaml_wrong(v, "pairs",
                             "parallel files by the languages of their columns, as in "
                             "{fr-en: FILE}",
                             err);
    t->first_file = m->n_file;
    for (int i = 0; i < v->n; i++) {
        const ig_yaml *key = v->key[i], *value = v->item[i];
        if (value->removed || ig_yaml_is_null(value))
            continue;
        if (m->n_file == IG_MEASURE_FILES_MAX)
            return ig_yaml_fail(key, err, "pairs: more than %d files", IG_MEASURE_FILES_MAX);
        ig_measure_file *f = &m->file[m->n_file];
        if (strlen(key->text) >= sizeof f->pair)
            return ig_yaml_fail(key, err,
                                "pairs: found a name of %d characters, expected two "
                                "languages, as in fr-en",
                                (int)strlen(key->text));
        snprintf(f->pair, sizeof f->pair, "%s", key->text);
        IG_TRY(check_columns(e, f->pair, key, err));
        for (int k = t->first_file; k < m->n_file; k++)
            if (same_pair(e, m->file[k].pair, f->pair))
                return ig_yaml_fail(key, err, "pairs: %.60s and %.60s are the same two languages",
                                    m->file[k].pair, f->pair);
        IG_TRY(read_path(f->path, sizeof f->path, e, value, "pairs", err));
        m->n_file++;
        t->n_file++;
    }
    return t->n_file > 0 ? IG_ERR_OK
                         : ig_yaml_fail(v, err, "pairs: found nothing, expected parallel files");
}

/* ---- a text ---- */

enum { TEXT, IDS, TAKE, FORMAT, EDIT, PAIRS, LEARN, WHAT, N_KEY };
static const char *const text_keys[N_KEY] = {"text", "ids",   "take",  "format",
                                             "edit", "pairs", "learn", "what"};

/* Checks the keys of an entry: beside `of` only `with` is allowed. */
static ig_code check_beside(const ig_yaml *const key[N_KEY], int of, const bool with[N_KEY],
                            ig_err *err)
{
    for (int i = 0; i < N_KEY && key[of] != NULL; i++)
        if (key[i] != NULL && i != of && !with[i])
            return ig_yaml_fail(key[i], err, "%s: beside %s, which %s", text_keys[i], text_keys[of],
                                of == EDIT ? "is of the development text" : "has files of its own");
    return IG_ERR_OK;
}

static ig_code read_learn(ig_measure_text *t, const ig_yaml *v, ig_err *err)
{
    const char *name;
    IG_TRY(ig_yaml_text(&name, v, "learn", err));
    if (strlen(name) >= sizeof t->learn)
        return ig_yaml_wrong(v, "learn", "the name of a text, or dev", err);
    if (strcmp(name, "dev") != 0)
        snprintf(t->learn, sizeof t->learn, "%s", name);
    return IG_ERR_OK;
}

/* Reads a text without a file of its own: verses of the development texts, or further sentences of
 * a world. */
static ig_code read_own(ig_measure_text *t, const ig_yaml *const key[N_KEY], const ig_yaml *v,
                        ig_err *err)
{
    if (key[IDS] == NULL && key[TAKE] == NULL)
        return ig_yaml_fail(v, err,
                            "text: no file for '%s', expected {text: FILE, …}, {pairs: …}, {ids: "
                            "…}: other verses of the development texts, or {take: …}: further "
                            "sentences of a generated world",
                            t->name);
    if (key[FORMAT] != NULL)
        return ig_yaml_fail(key[FORMAT], err, "format: '%s' has no file of its own", t->name);
    t->own = true;
    return IG_ERR_OK;
}

/* Those of the plan's measures that are taken of the text. */
static ig_code read_what(ig_measure_text *t, const ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    IG_TRY(ig_experiment_read_what(&t->what, v, err));
    for (int k = 0; k < IG_MEASURE_N; k++)
        if (ig_measure_requested(t->what, k) && !ig_measure_requested(e->measure.what, k))
            return ig_yaml_fail(v, err, "what: %s of text '%s' is not in what: of measure",
                                ig_measure_names[k], t->name);
    return IG_ERR_OK;
}

/* A file, {text, ids, take, format}, {pairs, take}, {ids, take}: of the development texts, {take}:
 * of the world, or {edit}; `learn` beside all but the last, `what` beside all. */
static ig_code read_text(ig_measure_text *t, ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    static const bool beside_edit[N_KEY] = {[WHAT] = true},
                      beside_pairs[N_KEY] = {[TAKE] = true, [LEARN] = true, [WHAT] = true};
    const ig_yaml *key[N_KEY] = {NULL};
    t->take = 10000; /* as dev_take */
    if (v->kind == IG_YAML_MAP) {
        IG_TRY(ig_yaml_keys(v, text_keys, N_KEY, "text", err));
        for (int i = 0; i < N_KEY; i++)
            key[i] = ig_experiment_value(v, text_keys[i]);
        IG_TRY(check_beside(key, EDIT, beside_edit, err));
        IG_TRY(check_beside(key, PAIRS, beside_pairs, err));
    } else {
        key[TEXT] = v;
    }
    if (key[WHAT] != NULL)
        IG_TRY(read_what(t, e, key[WHAT], err));
    if (key[EDIT] != NULL)
        return read_edit(t, e, key[EDIT], err);
    if (key[PAIRS] != NULL)
        IG_TRY(read_pairs(t, e, key[PAIRS], err));
    else if (key[TEXT] != NULL)
        IG_TRY(read_path(t->path, sizeof t->path, e, key[TEXT], "text", err));
    else
        IG_TRY(read_own(t, key, v, err));
    if (key[IDS] != NULL)
        IG_TRY(read_ids(t, key[IDS], err));
    if (key[TAKE] != NULL)
        IG_TRY(ig_yaml_int(&t->take, key[TAKE], "take", 0, (int64_t)1e12, err));
    if (key[FORMAT] != NULL)
        IG_TRY(read_format(&t->format, key[FORMAT], err));
    return key[LEARN] != NULL ? read_learn(t, key[LEARN], err) : IG_ERR_OK;
}

/* Further sentences are of a world, of which there are no end. */
static ig_code check_further(const ig_measure_text *t, const ig_cell *c, const ig_yaml *v,
                             ig_err *err)
{
    bool world = c->config.data.text == NULL;
    for (int k = 0; k < c->config.languages.n; k++)
        world = world && c->config.languages.language[k].text[0] == '\0';
    if (!world)
        return ig_yaml_fail(v, err,
                            "text: '%s' is further sentences of a generated world, and cell "
                            "'%.60s' has texts",
                            t->name, c->name);
    return t->take > 0 ? IG_ERR_OK
                       : ig_yaml_fail(v, err,
                                      "text: take 0 of '%s', a world's sentences have no "
                                      "end",
                                      t->name);
}

/* One file cannot be of all languages where these have texts of their own; and other verses are
 * there where there are verses. */
static ig_code check_text(const ig_measure_text *t, const ig_experiment *e, const ig_yaml *v,
                          ig_err *err)
{
    for (int i = 0; i < e->n_cell && t->edit[0] == '\0' && t->n_file == 0; i++) {
        const ig_run_config *c = &e->cell[i].config;
        const bool texts = ig_run_languages_have_texts(&c->languages);
        if (t->own && t->ids[0] == '\0') {
            IG_TRY(check_further(t, &e->cell[i], v, err));
            continue;
        }
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
        return ig_hint(err, "{ids: …} without text: other verses of their development texts; "
                            "{pairs: {fr-en: FILE}}: parallel files");
    }
    return IG_ERR_OK;
}

/* Maps are learned on another text of the same languages, and on the model as it is. */
static ig_code check_learn(const ig_measure_text *t, const ig_measure_plan *m, const ig_yaml *v,
                           ig_err *err)
{
    const ig_measure_text *other = ig_measure_text_find(m, t->learn);
    if (t->learn[0] == '\0')
        return IG_ERR_OK;
    if (other == NULL || other == t || other->edit[0] != '\0')
        return ig_yaml_fail(v, err, "text: '%s' learns on '%s', expected another text, or dev",
                            t->name, t->learn);
    for (int i = 0; i < t->n_file && other->n_file > 0; i++) {
        bool there = false;
        for (int k = 0; k < other->n_file; k++)
            there = there || strcmp(m->file[t->first_file + i].pair,
                                    m->file[other->first_file + k].pair) == 0;
        if (!there)
            return ig_yaml_fail(v, err, "text: '%s' learns on '%s', which has no %.60s", t->name,
                                t->learn, m->file[t->first_file + i].pair);
    }
    return t->n_file > 0 || other->n_file == 0
               ? IG_ERR_OK
               : ig_yaml_fail(v, err, "text: '%s' is of all languages, '%s' of pairs", t->name,
                              t->learn);
}

ig_code ig_experiment_read_texts(ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    ig_measure_plan *m = &e->measure;
    if (v->kind != IG_YAML_MAP)
        return ig_yaml_wrong(v, "text", "texts by name, as in {kjv: FILE}", err);
    for (int i = 0; i < v->n; i++) {
        if (v->item[i]->removed || ig_yaml_is_null(v->item[i]))
            continue;
        if (m->n_text == IG_MEASURE_TEXTS_MAX)
            return ig_yaml_fail(v->key[i], err, "text: more than %d of them", IG_MEASURE_TEXTS_MAX);
        ig_measure_text *t = &m->text[m->n_text++];
        IG_TRY(ig_experiment_read_split(t->name, v->key[i], "text", err));
        IG_TRY(read_text(t, e, v->item[i], err));
        IG_TRY(check_text(t, e, v, err));
    }
    for (int i = 0; i < m->n_text; i++) {
        IG_TRY(check_learn(&m->text[i], m, v, err));
        IG_TRY(ig_measure_text_identify(&m->text[i], m, err));
    }
    return IG_ERR_OK;
}
