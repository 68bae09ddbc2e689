/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_scores.h. A score is the mean over the seeds of a fine-tuning. Of a grid the way counts
 * whose mean score of development data is the best: of those of the language that is trained in
 * or, with select=target-dev, of each language's own. best=2 is the mean of the best two (Conneau
 * et al. 2020, §2.4).
 */
#include "lab/runs/lab_scores.h"
#include "base/memory.h"
#include "apply/folder/run_folder.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char tasks_name[] = "tasks.json", by_target[] = "target-dev";
static const char *const selections[] = {NULL, "last", "source-dev", by_target};
enum { N_SELECTION = sizeof selections / sizeof *selections, WAYS = 64, TAGS = 128 };

/* One way of fine-tuning. */
typedef struct {
    const char *name;
    const json_t *seeds; /* {"SEED": scores} */
} way;

/* Whose scores are put where. */
typedef struct {
    ig_row_set *to;
    const char *task, *source; /* source: the language that is trained in */
    int64_t step;
    const char *select; /* NULL: as the fine-tuning has it */
    const char *tags;   /* of the rows */
    way way[2];         /* [n_way] whose mean is taken */
    int n_way;
    ig_err *err;
} putting;

/* The test data of a language, else its development data. */
static const json_t *split_of(const json_t *language)
{
    const json_t *test = json_object_get(language, "test");
    return test != NULL ? test : json_object_get(language, "dev");
}

/* {"LANGUAGE": {"SPLIT": …}} of the model that is selected so; NULL: not kept. */
static const json_t *scores_of(const json_t *one, const char *select)
{
    const json_t *selected = json_object_get(one, "selected");
    const char *by = json_string_value(json_object_get(selected, "by"));
    if (select == NULL || (by != NULL && strcmp(by, select) == 0))
        return json_object_get(one, "scores");
    return json_object_get(json_object_get(selected, select), "scores");
}

static bool is_baseline(const char *score)
{
    return strcmp(score, "majority") == 0 || strcmp(score, "random") == 0;
}

/* One seed's score of a language, or the main score of a baseline; NULL: it has none. *n: of how
 * many words or texts. */
static const json_t *value_of(int64_t *n, const json_t *one, const char *select,
                              const char *language, const char *score)
{
    const char *const main_score = json_string_value(json_object_get(one, "main_score"));
    const bool baseline = is_baseline(score);
    const json_t *of = split_of(json_object_get(scores_of(one, select), language));
    if (baseline)
        of = json_object_get(split_of(json_object_get(json_object_get(one, "baselines"), language)),
                             score);
    const json_t *x =
        baseline && main_score == NULL ? NULL : json_object_get(of, baseline ? main_score : score);
    *n = json_integer_value(json_object_get(of, "n"));
    return json_is_number(x) ? x : NULL;
}

static ig_code put(const putting *p, const char *score, const char *tags, const char *language,
                   int64_t n, double value)
{
    return ig_row_set_put(p->to,
                          &(ig_row){.task = score,
                                    .task_version = 1,
                                    .split = p->task,
                                    .tags = tags,
                                    .languages = language,
                                    .layer = -1,
                                    .last = true,
                                    .step = p->step,
                                    .n = n,
                                    .value = value},
                          p->err);
}

/* Values of a score over the seeds of a way. */
typedef struct {
    double mean, sd;
    int n;
    int64_t size; /* words or texts */
    bool is_main;
} spread;

static spread spread_of(const way *w, const char *select, const char *language, const char *score)
{
    spread s = {0};
    double square = 0;
    const char *seed;
    json_t *one;
    for (int pass = 0; pass < 2; pass++)
        json_object_foreach((json_t *)(uintptr_t)w->seeds, seed, one)
        {
            const json_t *x = value_of(&s.size, one, select, language, score);
            const char *name = json_string_value(json_object_get(one, "main_score"));
            if (x == NULL)
                continue;
            s.is_main = name != NULL && strcmp(name, score) == 0;
            s.n += pass == 0;
            if (pass == 0)
                s.mean += (json_number_value(x) - s.mean) / s.n;
            else
                square += (json_number_value(x) - s.mean) * (json_number_value(x) - s.mean);
        }
    s.sd = s.n > 1 ? sqrt(square / (s.n - 1)) : (double)NAN;
    return s;
}

/* Writes `before` and a tag more; value NULL: none. */
static void add_tag(char *out, size_t size, const char *before, const char *key, const char *value)
{
    if (value == NULL)
        snprintf(out, size, "%s", before);
    else
        snprintf(out, size, "%s%s%s=%.40s", before, before[0] != '\0' ? ";" : "", key, value);
}

/* A score, and, of one way with several seeds, its spread over them. */
static ig_code put_score(const putting *p, const char *score, const char *language)
{
    spread s = spread_of(&p->way[0], p->select, language, score);
    char tags[TAGS + 40];
    if (s.n == 0)
        return IG_ERR_OK;
    if (p->n_way == 2)
        s.mean = (s.mean + spread_of(&p->way[1], p->select, language, score).mean) / 2;
    IG_TRY(put(p, score, p->tags, language, s.size, s.mean));
    if (s.n < 2 || p->n_way == 2 || is_baseline(score))
        return IG_ERR_OK;
    add_tag(tags, sizeof tags, p->tags, "of", score);
    IG_TRY(put(p, "tuning_sd", tags, language, s.n, s.sd));
    return s.is_main ? put(p, "tuning_sd", p->tags, language, s.n, s.sd) : IG_ERR_OK;
}

/* Mean over the seeds of a number at detail / group / key of a language. */
static double detail_of(const way *w, const char *language, const char *label, size_t length,
                        const char *key, int64_t *n)
{
    double sum = 0;
    int n_seed = 0;
    const char *seed;
    json_t *one;
    json_object_foreach((json_t *)(uintptr_t)w->seeds, seed, one)
    {
        const json_t *detail = json_object_get(
                         split_of(json_object_get(json_object_get(one, "scores"), language)),
                         "detail"),
                     *of = label != NULL
                               ? json_object_get(json_object_get(detail, "by_label"), label)
                               : json_array_get(json_object_get(detail, "by_length"), length),
                     *x = json_object_get(of, key);
        *n = json_integer_value(json_object_get(of, "n"));
        if (json_is_number(x)) {
            sum += json_number_value(x);
            n_seed++;
        }
    }
    return n_seed > 0 ? sum / n_seed : (double)NAN;
}

/* By label and by length, of the model that the fine-tuning has chosen. */
static ig_code put_details(const putting *p, const json_t *language, const char *name)
{
    static const char *const lengths[] = {"10", "20", "30", "40", "more"};
    static const char *const of_label[][2] = {
        {"label_f1", "f1"}, {"label_precision", "precision"}, {"label_recall", "recall"}};
    const json_t *labels =
        json_object_get(json_object_get(split_of(language), "detail"), "by_label");
    char tags[2 * TAGS];
    const char *label;
    json_t *x;
    int64_t n;
    if (p->select != NULL || p->n_way != 1)
        return IG_ERR_OK;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const double value = detail_of(&p->way[0], name, NULL, i, "accuracy", &n);
        add_tag(tags, sizeof tags, p->tags, "length", lengths[i]);
        if (isfinite(value) && n > 0)
            IG_TRY(put(p, "accuracy", tags, name, n, value));
    }
    json_object_foreach((json_t *)(uintptr_t)labels, label, x)
    {
        add_tag(tags, sizeof tags, p->tags, "label", label);
        for (int i = 0; i < 3; i++) {
            const double value = detail_of(&p->way[0], name, label, 0, of_label[i][1], &n);
            if (isfinite(value) && strlen(label) < 40 && strchr(label, ';') == NULL)
                IG_TRY(put(p, of_label[i][0], tags, name, n, value));
        }
    }
    return IG_ERR_OK;
}

static ig_code put_language(const putting *p, const char *language, const json_t *splits)
{
    for (int i = 0; ig_store_task_at(i) != NULL; i++)
        if (ig_store_task_at(i)->tuned && strstr(ig_store_task_at(i)->name, "_sd") == NULL)
            IG_TRY(put_score(p, ig_store_task_at(i)->name, language));
    return put_details(p, splits, language);
}

static const json_t *first_seed(const way *w)
{
    return json_object_iter_value(json_object_iter((json_t *)(uintptr_t)w->seeds));
}

static ig_code put_way(const putting *p)
{
    const char *language;
    json_t *splits;
    json_object_foreach(json_object_get(first_seed(&p->way[0]), "scores"), language, splits)
    {
        IG_TRY(put_language(p, language, splits));
    }
    return IG_ERR_OK;
}

/* --- grids --- */

/* What a way is chosen by: the mean over its seeds of the main score of development data. NaN:
 * there are none. */
static double dev_score(const way *w, const char *select, const char *language)
{
    double sum = 0;
    int n = 0;
    const char *seed;
    json_t *one;
    json_object_foreach((json_t *)(uintptr_t)w->seeds, seed, one)
    {
        const char *main_score = json_string_value(json_object_get(one, "main_score"));
        const json_t *dev =
            json_object_get(json_object_get(scores_of(one, select), language), "dev");
        const json_t *x = main_score != NULL ? json_object_get(dev, main_score) : NULL;
        if (json_is_number(x)) {
            sum += json_number_value(x);
            n++;
        }
    }
    return n > 0 ? sum / n : (double)NAN;
}

/* The best two of them; of equals the earlier. False: nothing tells. */
static bool best_two(way best[2], const way *all, int n, const char *select, const char *language)
{
    double score[2] = {-(double)INFINITY, -(double)INFINITY};
    int found = 0;
    for (int i = 0; i < n; i++) {
        const double x = dev_score(&all[i], select, language);
        if (isnan(x))
            continue;
        found++;
        if (x > score[0]) {
            score[1] = score[0];
            best[1] = best[0];
            score[0] = x;
            best[0] = all[i];
        } else if (x > score[1]) {
            score[1] = x;
            best[1] = all[i];
        }
    }
    return found > 1 || (found == 1 && n == 1);
}

static ig_code put_grid_selection(putting *p, const way *all, int n, const char *select)
{
    const json_t *first = first_seed(&all[0]);
    const char *by = json_string_value(json_object_get(json_object_get(first, "selected"), "by"));
    const char *language;
    json_t *splits;
    const bool own =
        select != NULL ? select == by_target : by != NULL && strcmp(by, by_target) == 0;
    p->select = select;
    json_object_foreach(json_object_get(first, "scores"), language, splits)
    {
        char tags[TAGS], two[TAGS + 16];
        way best[2];
        if (!best_two(best, all, n, select, own ? language : p->source))
            continue;
        add_tag(tags, sizeof tags, "", "select", select);
        add_tag(two, sizeof two, tags, "best", "2");
        p->tags = tags;
        p->way[0] = best[0];
        p->n_way = 1;
        IG_TRY(put_language(p, language, splits));
        if (n < 2)
            continue;
        p->tags = two;
        p->way[1] = best[1];
        p->n_way = 2;
        IG_TRY(put_language(p, language, splits));
    }
    return IG_ERR_OK;
}

/* Every way by its name, then what is chosen among them. */
static ig_code put_grid(putting *p, const json_t *grid)
{
    way all[WAYS];
    int n = 0;
    const char *name;
    json_t *one;
    json_object_foreach((json_t *)(uintptr_t)grid, name, one)
    {
        char tags[TAGS];
        if (n == WAYS)
            break;
        all[n] = p->way[0] = (way){name, json_object_get(one, "seeds")};
        n++;
        snprintf(tags, sizeof tags, "%.60s", name);
        for (char *at = tags; *at != '\0'; at++)
            *at = *at == '/' ? ';' : *at;
        p->tags = tags;
        p->select = NULL;
        p->n_way = 1;
        IG_TRY(put_way(p));
    }
    for (int i = 0; i < N_SELECTION && n > 0; i++)
        IG_TRY(put_grid_selection(p, all, n, selections[i]));
    return IG_ERR_OK;
}

static ig_code put_task(putting *p, const json_t *of)
{
    p->source = json_string_value(json_object_get(of, "source"));
    const json_t *grid = json_object_get(of, "grid");
    if (grid != NULL)
        return p->source != NULL ? put_grid(p, grid) : IG_ERR_OK;
    p->way[0] = (way){"", json_object_get(of, "seeds")};
    p->n_way = 1;
    for (int i = 0; i < N_SELECTION; i++) {
        char tags[TAGS];
        p->select = selections[i];
        add_tag(tags, sizeof tags, "", "select", selections[i]);
        p->tags = tags;
        IG_TRY(put_way(p));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_tasks_metrics(ig_row_set *m, const char *dir, int64_t step, ig_err *err)
{
    json_t *all, *of;
    const char *name;
    if (!ig_folder_has(dir, tasks_name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&all, dir, tasks_name, err));
    ig_code code = IG_ERR_OK;
    json_object_foreach(all, name, of)
    {
        putting p = {.to = m, .task = name, .step = step, .err = err};
        IG_THEN(code, put_task(&p, of));
    }
    json_decref(all);
    return code;
}

/* --- files --- */

typedef struct {
    ig_lab_score_file *file;
    int64_t room;
    int n;
    const char *dir;
    ig_err *err;
} listing;

static ig_code list_way(listing *l, const char *task, const char *name, const json_t *of)
{
    const char *key = json_string_value(json_object_get(of, "key")), *seed;
    json_t *one;
    json_object_foreach(json_object_get(of, "seeds"), seed, one)
    {
        IG_TRY(ig_grow(&l->file, &l->room, l->n + 1, sizeof *l->file, "scores", l->err));
        ig_lab_score_file *f = &l->file[l->n];
        *f = (ig_lab_score_file){.seed = strtoll(seed, NULL, 10)};
        snprintf(f->task, sizeof f->task, "%s", task);
        snprintf(f->way, sizeof f->way, "%s", name);
        snprintf(f->path, sizeof f->path, "tasks/%.20s/seed-%lld.json", key != NULL ? key : "",
                 (long long)f->seed);
        l->n += ig_folder_has(l->dir, f->path);
    }
    return IG_ERR_OK;
}

static ig_code list_task(listing *l, const char *task, const json_t *of)
{
    const json_t *grid = json_object_get(of, "grid");
    const char *name;
    json_t *one;
    if (grid == NULL)
        return list_way(l, task, "", of);
    json_object_foreach((json_t *)(uintptr_t)grid, name, one) IG_TRY(list_way(l, task, name, one));
    return IG_ERR_OK;
}

ig_code ig_lab_score_files(ig_lab_score_file **out, int *n, const char *dir, ig_err *err)
{
    listing l = {.dir = dir, .err = err};
    json_t *all, *of;
    const char *name;
    *out = NULL;
    *n = 0;
    if (!ig_folder_has(dir, tasks_name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&all, dir, tasks_name, err));
    ig_code code = IG_ERR_OK;
    json_object_foreach(all, name, of)
    {
        IG_THEN(code, list_task(&l, name, of));
    }
    json_decref(all);
    if (code != IG_ERR_OK) {
        ig_free(l.file);
        return code;
    }
    *out = l.file;
    *n = l.n;
    return IG_ERR_OK;
}
