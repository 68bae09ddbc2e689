/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the task of a run's languages from a TASK.yaml or from the run's world.
 */
#include "finetune/run_task.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "run/data/language_text.h"
#include "task/language/task_words.h"
#include "task/task_write.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const ig_run_config *config;
    const ig_language_words *language; /* [n] */
    int n;
    ig_task *task;
} maker;

static bool has_language(const ig_task *t, const char *name)
{
    bool has = false;
    for (int i = 0; i < t->n_set && !has; i++)
        has = strcmp(t->set[i].language, name) == 0;
    return has;
}

/* The world of the run's text, whose plain languages are `eng` (run/data/language_text.c). */
static ig_code world_read(maker *m, const ig_world_task_options *o, const char *dir, ig_err *err)
{
    char text[IG_RUN_MAX_LANGUAGE * 200] = "", path[IG_PATH];
    bool eng = m->n > 0 && !m->language[0].world; /* the first trains */
    if (eng)
        strcpy(text, "eng");
    for (int k = 0; k < m->n; k++) {
        const ig_language_words *l = &m->language[k];
        const size_t at = strlen(text);
        if (l->world)
            snprintf(text + at, sizeof text - at, "%s%s%s%s", at > 0 ? "; " : "", l->name,
                     l->grammar[0] != '\0' ? ":" : "", l->grammar);
        eng = eng || (l->world && strcmp(l->name, "eng") == 0);
    }
    if (!eng)
        snprintf(text + strlen(text), sizeof text - strlen(text), "; eng");
    ig_world *w;
    if (m->config->data.text != NULL)
        return ig_fail(err, IG_ERR_USAGE, "task", 0,
                       "a task of the generated world, but the run has a text");
    IG_TRY(ig_folder_path(path, dir, err, "world"));
    IG_TRY(ig_run_world_new(&w, &m->config->data, text, err));
    ig_code code = ig_world_task_write(w, path, o, err);
    ig_world_free(w);
    IG_THEN(code, ig_folder_path(path, dir, err, "world/TASK.yaml"));
    return code == IG_ERR_OK ? ig_task_read(path, NULL, &m->task, err) : code;
}

/* Language k through its transforms of words: from its own data, or, made of the same text, from
 * those of `from`. The result has another name until all are made: a blank before its own. */
static ig_code language_add(maker *m, const ig_language_texts *texts, const char *from, int k,
                            ig_err *err)
{
    const ig_language_words *l = &m->language[k];
    const bool own = has_language(m->task, l->name);
    char name[sizeof l->name + 1];
    IG_SCOPED(ig_word_pipeline_free) ig_word_pipeline p = {0};
    if (!own && (l->text[0] != '\0' || l->world))
        return IG_ERR_OK; /* not made of the first one's text */
    snprintf(name, sizeof name, " %s", l->name);
    IG_TRY(ig_language_texts_fit(&p, texts, k, err));
    return ig_task_add_words(m->task, own ? l->name : from, name, &p, err);
}

/* Keeps the run's languages, and training data of the first. */
static void sets_choose(maker *m)
{
    ig_task *const t = m->task;
    int n = 0;
    for (int i = 0; i < t->n_set; i++) {
        const char *const name = t->set[i].language;
        if (name[0] != ' ' ||
            (t->set[i].split == IG_SPLIT_TRAIN && strcmp(name + 1, m->language[0].name) != 0))
            continue;
        t->set[n] = t->set[i];
        t->set[n++].language = name + 1;
    }
    t->n_set = n;
}

static ig_code task_make(maker *m, const char *task, const char *root,
                         const ig_world_task_options *world, const char *dir, ig_err *err)
{
    ig_language_texts *texts = NULL;
    const char *from = task != NULL ? m->language[0].name : "eng";
    IG_TRY(task != NULL ? ig_task_read(task, root, &m->task, err) : world_read(m, world, dir, err));
    const ig_data_settings settings = ig_run_config_data(m->config);
    IG_TRY(ig_language_texts_new(&texts, &settings, err));
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < m->n && code == IG_ERR_OK; k++)
        code = language_add(m, texts, from, k, err);
    ig_language_texts_free(texts);
    if (code != IG_ERR_OK)
        return code;
    sets_choose(m);
    return ig_task_write(m->task, dir, err);
}

ig_code ig_run_task_write(const ig_run_config *c, const char *task, const char *root,
                          const ig_world_task_options *world, const char *dir, ig_err *err)
{
    maker m = {.config = c, .language = c->languages.language, .n = c->languages.n};
    const ig_code code = task_make(&m, task, root, world, dir, err);
    ig_task_free(m.task);
    return code;
}
