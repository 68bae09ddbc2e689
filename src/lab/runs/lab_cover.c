/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether a finished run has the measures that an experiment requests. A run is addressed
 * by its training, not by its measures, so two experiments may share it and a file's `measure:`
 * may change after it was run. Missing measures at the end are made from the kept model; missing
 * measures during training need the training again, which gives the same bits.
 */
#include "lab/runs/lab_list.h"

#include "base/order.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 20000 };
static const int64_t updates_max = (int64_t)1 << 56;

static int64_t curve_size(const ig_measure_plan *p)
{
    return p->curve_max_sentences > 0 ? p->curve_max_sentences : p->max_sentences;
}

static ig_int_list layers_of(const ig_measure_plan *p, int num_hidden_layers)
{
    ig_int_list l = p->layers;
    if (p->all_layers) {
        l.n = 0;
        for (int i = 0; i <= num_hidden_layers && i < IG_INT_LIST_MAX; i++)
            l.v[l.n++] = i;
    } else if (l.n == 0) {
        int mu[2];
        ig_measure_mu_layers(num_hidden_layers, mu);
        l.n = 2;
        l.v[0] = mu[0];
        l.v[1] = mu[1];
    }
    return l;
}

/* Returns whether a list has an element, which it takes over. */
static bool take_in(const json_t *list, json_t *take)
{
    size_t i;
    const json_t *x;
    bool found = false;
    json_array_foreach(list, i, x)
    {
        found = found || json_equal(x, take);
    }
    json_decref(take);
    return found;
}

static bool has(const json_t *list, int64_t value)
{
    return take_in(list, json_integer(value));
}

static bool names(const json_t *list, const char *text)
{
    return take_in(list, json_string(text));
}

json_t *ig_lab_steps_json(const ig_checkpoints *p, int64_t n_update)
{
    json_t *list = json_array();
    if (p->kind == IG_CHECKPOINTS_END)
        return list;
    /* A manifest may say anything. */
    if (n_update > updates_max)
        n_update = updates_max;
    if (p->kind == IG_CHECKPOINTS_EVERY) {
        for (int64_t s = 0; p->every > 0 && s < n_update; s += p->every) {
            if (json_array_size(list) == STEPS_MAX)
                break;
            json_array_append_new(list, json_integer(s));
        }
    } else if (p->kind == IG_CHECKPOINTS_LIST) {
        for (int i = 0; i < p->step.n; i++)
            if (p->step.v[i] < n_update && !has(list, p->step.v[i]))
                json_array_append_new(list, json_integer(p->step.v[i]));
    } else {
        static const int64_t digit[] = {1, 2, 5};
        if (n_update > 0)
            json_array_append_new(list, json_integer(0));
        for (int64_t ten = 1; ten < n_update; ten *= 10)
            for (int i = 0; i < 3 && digit[i] * ten < n_update; i++)
                json_array_append_new(list, json_integer(digit[i] * ten));
    }
    return list;
}

/* "all", or those that are named. */
static json_t *pairs_of(const ig_measure_plan *p)
{
    if (p->all_pairs)
        return json_string("all");
    json_t *list = json_array();
    for (int i = 0; i < p->n_pair; i++)
        json_array_append_new(list, json_string(p->pair[i]));
    return list;
}

/* Sets it unless it is empty. */
static void put(json_t *to, const char *key, json_t *object)
{
    if (json_object_size(object) > 0)
        json_object_set(to, key, object);
    json_decref(object);
}

/* Those whose models are kept; NULL: none. */
static json_t *kept_steps(const ig_measure_plan *p, int64_t n_update)
{
    json_t *all = p->n_kept > 0 ? json_array() : NULL;
    for (int i = 0; i < p->n_kept; i++) {
        json_t *list = ig_lab_steps_json(&p->kept[i], n_update), *x;
        size_t k;
        json_array_foreach(list, k, x)
        {
            if (!has(all, json_integer_value(x)))
                json_array_append(all, x);
        }
        json_decref(list);
    }
    return all;
}

/* The further texts by name; also their edits, and the measures of those that take some alone, so
 * that they are kept when another experiment measures the run again. The tasks likewise. */
static void put_named(json_t *to, const ig_measure_plan *p)
{
    json_t *text = json_object(), *edit = json_object(), *what = json_object(),
           *task = json_object();
    for (int i = 0; i < p->n_text; i++) {
        const ig_measure_text *t = &p->text[i];
        json_object_set_new(text, t->name, json_string(t->key));
        if (t->edit[0] != '\0')
            json_object_set_new(edit, t->name, json_string(t->edit));
        if (t->what != 0)
            json_object_set_new(what, t->name, ig_measure_names_json(t->what));
    }
    for (int i = 0; i < p->n_task; i++)
        json_object_set_new(task, p->task[i].name, json_string(p->task[i].key));
    put(to, "text", text);
    put(to, "edits", edit);
    put(to, "text_what", what);
    put(to, "tasks", task);
}

/* Returns whether it is the same task, tuned in the same way, or the same text, under the same
 * name; an unreadable one counts as the same. */
static bool same(const json_t *of, const char *name, const char *key)
{
    const char *had = json_string_value(json_object_get(of, name));
    return had != NULL && (key[0] == '\0' || strcmp(had, key) == 0);
}

/* Word translation by a dictionary that is a file: since all of its translations count. */
static bool needs_all_translations(const ig_measure_plan *p, const ig_measure_languages *l)
{
    const ig_measure_set words =
        IG_MEASURE_BIT(translation) | IG_MEASURE_BIT(distinct) | IG_MEASURE_BIT(spaces);
    return l->listed && (p->what & words) != 0;
}

/* Where words may be one piece in both languages that is measured with word translation. */
static bool takes_distinct(const ig_measure_plan *p, const ig_measure_languages *l)
{
    return l->common && ig_measure_requested(p->what, IG_MEASURE_translation);
}

json_t *ig_lab_plan_json(const ig_measure_plan *p, const ig_measure_languages *languages,
                         int64_t n_update, int num_hidden_layers)
{
    const ig_measure_set what =
        p->what | (takes_distinct(p, languages) ? IG_MEASURE_BIT(distinct) : 0);
    json_t *layers = json_array();
    const ig_int_list l = layers_of(p, num_hidden_layers);
    for (int i = 0; i < l.n; i++)
        json_array_append_new(layers, json_integer(l.v[i]));
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:I, s:I}", "what", ig_measure_names_json(what), "layers",
                  layers, "steps", ig_lab_steps_json(&p->at, n_update), "max_sentences",
                  (json_int_t)p->max_sentences, "curve_max_sentences", (json_int_t)curve_size(p));
    if (p->all_pairs || p->n_pair > 0)
        json_object_set_new(j, "pairs", pairs_of(p));
    if (p->n_kept > 0)
        json_object_set_new(j, "kept", kept_steps(p, n_update));
    put_named(j, p);
    if (needs_all_translations(p, languages))
        json_object_set_new(j, "translations", json_string("all"));
    return j;
}

static bool measured_kind(const json_t *measured, int i)
{
    return names(json_object_get(measured, "what"), ig_measure_names[i]);
}

json_t *ig_lab_plan_static_json(const ig_measure_plan *p)
{
    json_t *j =
        json_pack("{s:[s], s:b}", "what", ig_measure_names[IG_MEASURE_words], "static", true);
    if (j != NULL && (p->all_pairs || p->n_pair > 0))
        json_object_set_new(j, "pairs", pairs_of(p));
    return j;
}

static bool covers_pairs(const json_t *measured, const ig_measure_plan *want)
{
    const json_t *pairs = json_object_get(measured, "pairs");
    if (json_is_string(pairs))
        return true;
    bool all = !want->all_pairs;
    for (int i = 0; i < want->n_pair; i++)
        all = all && names(pairs, want->pair[i]);
    return all;
}

/* Why a run is not covered: the first reason that is found. */
static void because(char why[IG_LAB_WHY], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void because(char why[IG_LAB_WHY], const char *format, ...)
{
    va_list arg;
    if (why[0] != '\0')
        return;
    va_start(arg, format);
    vsnprintf(why, IG_LAB_WHY, format, arg);
    va_end(arg);
}

/* As files have it: 0 is all of them. */
static const char *sentences(char text[24], int64_t n)
{
    snprintf(text, 24, n > 0 ? "%lld" : "all", (long long)n);
    return text;
}

/* `name`: that of the setting in an experiment file. */
static bool same_size(const json_t *measured, const char *key, const char *name, int64_t want,
                      char why[IG_LAB_WHY])
{
    char is[24], asked[24];
    const int64_t had = json_integer_value(json_object_get(measured, key));
    if (had == want)
        return true;
    because(why, "%s: %s, asked for: %s", name, sentences(is, had), sentences(asked, want));
    return false;
}

/* Returns whether the tasks and their settings are the same. */
static bool is_tuned(const json_t *measured, const ig_measure_plan *want, char why[IG_LAB_WHY])
{
    const json_t *tasks = json_object_get(measured, "tasks");
    bool all = true;
    for (int i = 0; i < want->n_task; i++) {
        const char *name = want->task[i].name;
        if (same(tasks, name, want->task[i].key))
            continue;
        all = false;
        because(why,
                json_object_get(tasks, name) == NULL
                    ? "not fine-tuned for %s"
                    : "%s: the task, its data or its settings are others",
                name);
    }
    return all;
}

/* Returns whether a task is missing whose checkpoints the run has not kept. */
static bool lost_checkpoints(const json_t *measured, const ig_measure_plan *want, int64_t n_update,
                             char why[IG_LAB_WHY])
{
    const json_t *tasks = json_object_get(measured, "tasks"),
                 *kept = json_object_get(measured, "kept");
    bool lost = false;
    for (int i = 0; i < want->n_task; i++) {
        const ig_measure_task *t = &want->task[i];
        json_t *steps = ig_lab_steps_json(&t->at, n_update), *x;
        size_t k;
        json_array_foreach(steps, k, x)
        {
            if (same(tasks, t->name, t->key) || has(kept, json_integer_value(x)))
                continue;
            lost = true;
            because(why, "the model of update %lld was not kept for %s",
                    (long long)json_integer_value(x), t->name);
        }
        json_decref(steps);
    }
    return lost;
}

/* Returns whether the finished model has the measures, over any number of sentences. */
static bool has_what(const json_t *measured, const ig_measure_plan *want,
                     const ig_measure_languages *languages, int num_hidden_layers,
                     char why[IG_LAB_WHY])
{
    for (int i = 0; i < IG_MEASURE_N; i++)
        if (ig_measure_requested(want->what, i) && !measured_kind(measured, i))
            because(why, "without %s", ig_measure_names[i]);
    if (needs_all_translations(want, languages) &&
        !json_is_string(json_object_get(measured, "translations")))
        because(why, "word translation by an earlier rule");
    /* Those of μ are always measured, and stand in the list only where no others are named. */
    const ig_int_list l = layers_of(want, num_hidden_layers);
    int mu[2];
    ig_measure_mu_layers(num_hidden_layers, mu);
    for (int i = 0; i < l.n; i++)
        if (l.v[i] != mu[0] && l.v[i] != mu[1] && !has(json_object_get(measured, "layers"), l.v[i]))
            because(why, "not at layer %lld", (long long)l.v[i]);
    if (!covers_pairs(measured, want))
        because(why, "fewer pairs of languages");
    const json_t *texts = json_object_get(measured, "text");
    for (int i = 0; i < want->n_text; i++)
        if (!same(texts, want->text[i].name, want->text[i].key))
            because(why,
                    json_object_get(texts, want->text[i].name) == NULL
                        ? "not on the text %s"
                        : "the text %s, or its settings, are others",
                    want->text[i].name);
    return why[0] == '\0';
}

json_t *ig_lab_plan_curve(const json_t *measured)
{
    static const char *const of[] = {"what", "layers", "pairs", "text", "translations"};
    const json_t *curve = json_object_get(measured, "curve");
    if (json_array_size(json_object_get(measured, "steps")) == 0)
        return NULL;
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        json_t *x = json_object_get(curve != NULL ? curve : measured, of[i]);
        if (x != NULL)
            json_object_set(j, of[i], x);
    }
    return j;
}

/* Returns whether the measures on the way to the end are those of the end (what), or, where the end
 * was measured again, the wanted ones nevertheless. */
static bool has_curve_what(const json_t *measured, const ig_measure_plan *want,
                           const ig_measure_languages *languages, int num_hidden_layers, bool what,
                           char why[IG_LAB_WHY])
{
    char own[IG_LAB_WHY] = "";
    const json_t *curve = json_object_get(measured, "curve");
    if (curve == NULL || !what || want->at.kind == IG_CHECKPOINTS_END)
        return what;
    if (has_what(curve, want, languages, num_hidden_layers, own))
        return true;
    because(why, "before the last update %.*s", IG_LAB_WHY - 40, own);
    return false;
}

/* On the way to the end. */
static bool has_curve(const json_t *measured, const ig_measure_plan *want, int64_t n_update,
                      bool what, char why[IG_LAB_WHY])
{
    json_auto_t *steps = ig_lab_steps_json(&want->at, n_update);
    bool all = true;
    size_t i;
    const json_t *x;
    json_array_foreach(steps, i, x)
    {
        if (has(json_object_get(measured, "steps"), json_integer_value(x)))
            continue;
        all = false;
        because(why, "not at update %lld", (long long)json_integer_value(x));
    }
    if (json_array_size(steps) > 0)
        all = same_size(measured, "curve_max_sentences", "curve_take", curve_size(want), why) &&
              all && what;
    return all;
}

ig_lab_cover ig_lab_covers(char why[IG_LAB_WHY], const json_t *measured,
                           const ig_measure_plan *want, const ig_measure_languages *languages,
                           int64_t n_update, int num_hidden_layers)
{
    char untuned[IG_LAB_WHY] = "";
    const bool tuned = is_tuned(measured, want, untuned);
    why[0] = '\0';
    /* Static vectors have neither layers nor steps, and words alone are measured of them. */
    if (json_is_true(json_object_get(measured, "static"))) {
        if (!covers_pairs(measured, want))
            because(why, "fewer pairs of languages");
        if (why[0] != '\0')
            return IG_LAB_MEASURE_END;
        snprintf(why, IG_LAB_WHY, "%s", untuned);
        return tuned ? IG_LAB_COVERED : IG_LAB_TUNE;
    }
    const bool what = has_what(measured, want, languages, num_hidden_layers, why);
    const bool on_way = has_curve_what(measured, want, languages, num_hidden_layers, what, why);
    if (!has_curve(measured, want, n_update, on_way, why) ||
        lost_checkpoints(measured, want, n_update, why))
        return IG_LAB_TRAIN_AGAIN;
    const bool size = same_size(measured, "max_sentences", "take", want->max_sentences, why);
    /* Taken with word translation since there is reason to; of a curve that was measured before
     * that, the end suffices. */
    const bool distinct =
        !takes_distinct(want, languages) || measured_kind(measured, IG_MEASURE_distinct);
    if (!distinct)
        because(why, "without translation of distinct words");
    if (!what || !size || !distinct)
        return IG_LAB_MEASURE_END;
    snprintf(why, IG_LAB_WHY, "%s", untuned);
    return tuned ? IG_LAB_COVERED : IG_LAB_TUNE;
}

ig_lab_cover ig_lab_manifest_covers(char why[IG_LAB_WHY], const json_t *manifest,
                                    const ig_measure_plan *want)
{
    const ig_measure_languages languages =
        ig_measure_languages_json(json_object_get(manifest, "config"));
    return ig_lab_covers(why, json_object_get(manifest, "measure"), want, &languages,
                         json_integer_value(json_object_get(manifest, "updates")),
                         (int)json_integer_value(json_object_get(manifest, "layers")));
}

/* Adds what is in `from` and not in `to`; ascending. False: no room for all. */
static bool merge(ig_int_list *to, const json_t *from)
{
    size_t i;
    const json_t *x;
    json_array_foreach(from, i, x)
    {
        const int64_t v = json_integer_value(x);
        bool there = false;
        for (int k = 0; k < to->n; k++)
            there |= to->v[k] == v;
        if (there)
            continue;
        if (to->n == IG_INT_LIST_MAX)
            return false;
        to->v[to->n++] = v;
    }
    qsort(to->v, (size_t)to->n, sizeof *to->v, ig_by_int64);
    return true;
}

/* Texts of another experiment: their tokens still lie with the data. */
static void merge_texts(ig_measure_plan *p, const json_t *measured)
{
    const char *name;
    json_t *x;
    json_object_foreach(json_object_get(measured, "text"), name, x)
    {
        const char *key = json_string_value(x);
        bool there = key == NULL || strlen(key) != IG_MEASURE_TEXT_KEY - 1 ||
                     strspn(key, "0123456789abcdef") != IG_MEASURE_TEXT_KEY - 1 ||
                     strlen(name) >= IG_MEASURE_TEXT_NAME;
        for (int i = 0; i < p->n_text && !there; i++)
            there = strcmp(p->text[i].name, name) == 0;
        if (there || p->n_text == IG_MEASURE_TEXTS_MAX)
            continue;
        ig_measure_text *t = &p->text[p->n_text++];
        *t = (ig_measure_text){0};
        snprintf(t->name, sizeof t->name, "%s", name);
        snprintf(t->key, sizeof t->key, "%s", key);
        const char *edit =
            json_string_value(json_object_get(json_object_get(measured, "edits"), name));
        if (edit != NULL && strlen(edit) < sizeof t->edit)
            snprintf(t->edit, sizeof t->edit, "%s", edit);
        const json_t *whats = json_object_get(json_object_get(measured, "text_what"), name), *what;
        size_t i;
        json_array_foreach(whats, i, what)
        {
            const int k = json_is_string(what) ? ig_measure_find(json_string_value(what)) : -1;
            t->what |= k >= 0 ? (ig_measure_set)1 << k : 0;
        }
    }
}

/* Adds the finished fine-tunings, requested or not: their scores are in the run's folder. */
static void take_tasks(ig_measure_plan *p, const json_t *measured)
{
    const char *name;
    json_t *x;
    p->n_task = 0;
    json_object_foreach(json_object_get(measured, "tasks"), name, x)
    {
        const char *key = json_string_value(x);
        if (key == NULL || strlen(key) >= IG_MEASURE_TEXT_KEY ||
            strlen(name) >= IG_MEASURE_TEXT_NAME || p->n_task == IG_MEASURE_TASKS_MAX)
            continue;
        ig_measure_task *t = &p->task[p->n_task++];
        snprintf(t->name, sizeof t->name, "%s", name);
        snprintf(t->key, sizeof t->key, "%s", key);
    }
}

/* An experiment without a curve leaves a measured one unchanged. */
static void keep_curve(ig_measure_plan *p, const ig_measure_plan *want, const json_t *measured)
{
    const int64_t size = json_integer_value(json_object_get(measured, "curve_max_sentences"));
    if (want->at.kind != IG_CHECKPOINTS_END || p->at.kind == IG_CHECKPOINTS_END)
        return;
    if (size > 0 || want->max_sentences == 0)
        p->curve_max_sentences = size;
    else
        p->at.kind = IG_CHECKPOINTS_END; /* of all sentences, which a plan cannot say */
}

ig_measure_plan ig_lab_plan_union(const json_t *measured, const ig_measure_plan *want,
                                  int num_hidden_layers)
{
    ig_measure_plan p = *want;
    for (int i = 0; i < IG_MEASURE_N; i++)
        if (measured_kind(measured, i))
            p.what |= (ig_measure_set)1 << i;
    const json_t *pairs = json_object_get(measured, "pairs"), *x;
    size_t at;
    p.all_pairs |= json_is_string(pairs);
    json_array_foreach(pairs, at, x)
    {
        const char *name = json_string_value(x);
        bool there = name == NULL;
        for (int i = 0; i < p.n_pair && !there; i++)
            there = strcmp(p.pair[i], name) == 0;
        if (!there && p.n_pair < IG_MEASURE_PAIRS_MAX)
            snprintf(p.pair[p.n_pair++], IG_MEASURE_PAIR, "%s", name);
    }
    merge_texts(&p, measured);
    take_tasks(&p, measured);
    p.layers = layers_of(want, num_hidden_layers);
    p.all_layers = false;
    if (!merge(&p.layers, json_object_get(measured, "layers")))
        p.layers = layers_of(want, num_hidden_layers);
    /* Only steps that were written out can be joined. */
    const json_t *steps = json_object_get(measured, "steps");
    if (want->at.kind != IG_CHECKPOINTS_EVERY && json_array_size(steps) > 0) {
        json_t *own = ig_lab_steps_json(&want->at, updates_max);
        ig_int_list all = {0};
        if (merge(&all, own) && merge(&all, steps)) {
            p.at.kind = IG_CHECKPOINTS_LIST;
            p.at.step = all;
        }
        json_decref(own);
    }
    keep_curve(&p, want, measured);
    ig_checkpoints kept = {.kind = IG_CHECKPOINTS_LIST};
    if (merge(&kept.step, json_object_get(measured, "kept")) && kept.step.n > 0)
        (void)ig_measure_plan_keep(&p, &kept); /* those of other experiments, if there is room */
    return p;
}
