/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_scores.h.
 */
#include "lab/runs/lab_scores.h"
#include "run/run_folder.h"
#include "store/store_task.h"

#include <math.h>
#include <string.h>

static const char tasks_name[] = "tasks.json";

/* The test data of a language, else its development data. */
static const json_t *split_of(const json_t *language)
{
    const json_t *test = json_object_get(language, "test");
    return test != NULL ? test : json_object_get(language, "dev");
}

/* One seed's score of a language, or the main score of a baseline; NULL: it has none. *n: of how
 * many words or texts. */
static const json_t *value_of(int64_t *n, const json_t *one, const char *language,
                              const char *score)
{
    const char *const main_score = json_string_value(json_object_get(one, "main_score"));
    const json_t *of = split_of(json_object_get(json_object_get(one, "scores"), language));
    const bool baseline = strcmp(score, "majority") == 0 || strcmp(score, "random") == 0;
    if (baseline)
        of = json_object_get(split_of(json_object_get(json_object_get(one, "baselines"), language)),
                             score);
    const json_t *x =
        baseline && main_score == NULL ? NULL : json_object_get(of, baseline ? main_score : score);
    *n = json_integer_value(json_object_get(of, "n"));
    return json_is_number(x) ? x : NULL;
}

static ig_code put(ig_store_metrics *m, const char *score, const char *task, const char *language,
                   int64_t step, int64_t n, double value, ig_err *err)
{
    return ig_store_metrics_put(m,
                                &(ig_store_metric){.task = score,
                                                   .task_version = 1,
                                                   .split = task,
                                                   .languages = language,
                                                   .layer = -1,
                                                   .last = true,
                                                   .step = step,
                                                   .n = n,
                                                   .value = value},
                                err);
}

/* Mean of a score over the seeds, and of the main one its spread over them. */
static ig_code put_score(ig_store_metrics *m, const json_t *seeds, const char *score,
                         const char *task, const char *language, int64_t step, ig_err *err)
{
    double sum = 0, square = 0;
    int n = 0;
    bool is_main = false;
    int64_t size = 0;
    const char *seed;
    json_t *one;
    json_object_foreach((json_t *)(uintptr_t)seeds, seed, one)
    {
        const json_t *x = value_of(&size, one, language, score);
        const char *name = json_string_value(json_object_get(one, "main_score"));
        if (x == NULL)
            continue;
        is_main = name != NULL && strcmp(name, score) == 0;
        sum += json_number_value(x);
        n++;
    }
    if (n == 0)
        return IG_ERR_OK;
    const double mean = sum / n;
    IG_TRY(put(m, score, task, language, step, size, mean, err));
    json_object_foreach((json_t *)(uintptr_t)seeds, seed, one)
    {
        const json_t *x = value_of(&size, one, language, score);
        const double d = x != NULL ? json_number_value(x) - mean : 0;
        square += d * d;
    }
    return is_main && n > 1
               ? put(m, "tuning_sd", task, language, step, n, sqrt(square / (n - 1)), err)
               : IG_ERR_OK;
}

static ig_code put_task(ig_store_metrics *m, const json_t *seeds, const char *task, int64_t step,
                        ig_err *err)
{
    const json_t *first = json_object_iter_value(json_object_iter((json_t *)(uintptr_t)seeds));
    const char *language;
    json_t *splits;
    json_object_foreach(json_object_get(first, "scores"), language, splits)
    {
        for (int i = 0; ig_store_task_at(i) != NULL; i++)
            if (ig_store_task_at(i)->tuned && strcmp(ig_store_task_at(i)->name, "tuning_sd") != 0)
                IG_TRY(put_score(m, seeds, ig_store_task_at(i)->name, task, language, step, err));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_tasks_metrics(ig_store_metrics *m, const char *dir, int64_t step, ig_err *err)
{
    json_t *all, *of;
    const char *name;
    if (!ig_folder_has(dir, tasks_name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&all, dir, tasks_name, err));
    ig_code code = IG_ERR_OK;
    json_object_foreach(all, name, of)
    {
        if (code == IG_ERR_OK)
            code = put_task(m, json_object_get(of, "seeds"), name, step, err);
    }
    json_decref(all);
    return code;
}
