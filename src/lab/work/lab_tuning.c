/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one fine-tuning of a run in its folder.
 */
#include "lab/work/lab_tuning.h"

#include <sys/stat.h>

ig_code ig_lab_tuning_config(ig_finetune_config *c, const ig_experiment_tuning *t,
                             const ig_lab_tuning_at *at, ig_err *err)
{
    static const char *const texts[] = {"rates", "freeze", "edit"}; /* those that decide */
    const char *const from[] = {t->config.rates, t->config.freeze,
                                t->edit != NULL ? t->edit : t->config.edit};
    ig_code code = IG_ERR_OK;
    *c = t->config;
    c->rates = c->freeze = c->edit = c->config = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && code == IG_ERR_OK; i++)
        if (from[i] != NULL)
            code = ig_options_set(&ig_finetune_options, c,
                                  &(ig_setting){texts[i], from[i], NULL, 0}, err);
    c->model = at->model;
    c->task = at->task;
    c->out = at->out;
    c->vectors = at->vectors;
    if (code != IG_ERR_OK)
        ig_lab_tuning_config_free(c);
    return code;
}

void ig_lab_tuning_config_free(ig_finetune_config *c)
{
    c->model = c->task = c->out = c->vectors = NULL;
    ig_options_free(&ig_finetune_options, c);
}

/* Kind and examples of a task. */
static void size_of(ig_task_kind *kind, double *n_example, const ig_experiment_task *t)
{
    enum { EXAMPLE_BYTES = 100 };
    ig_task *task;
    *kind = t->world.kind == IG_WORLD_TREES        ? IG_TASK_PARSING
            : t->world.kind == IG_WORLD_ENTAILMENT ? IG_TASK_PAIR
                                                   : IG_TASK_TAGGING;
    *n_example = (double)t->world.n[0];
    if (t->file == NULL || ig_task_read_names(t->file, t->root, &task, NULL) != IG_ERR_OK)
        return;
    *kind = task->kind;
    *n_example = 0;
    for (int i = 0; i < task->n_set; i++)
        for (int k = 0; k < task->set[i].n_file && task->set[i].split == IG_SPLIT_TRAIN; k++) {
            struct stat st;
            if (stat(task->set[i].file[k], &st) == 0)
                *n_example += (double)st.st_size / EXAMPLE_BYTES;
        }
    ig_task_free(task);
}

double ig_lab_tuning_weight(const ig_run_config *c, const ig_experiment_task *t,
                            const ig_experiment_tuning *way)
{
    const ig_lab_tuning_at at = {0};
    ig_finetune_config f;
    ig_task_kind kind;
    double n, sequences = 0;
    size_of(&kind, &n, t);
    if (ig_lab_tuning_config(&f, way, &at, NULL) != IG_ERR_OK)
        return 0;
    if (ig_recipe_apply(&f, kind, way->given, NULL) == IG_ERR_OK)
        sequences = f.training.updates > 0
                        ? (double)(f.training.updates * f.batch * f.training.accum)
                        : (double)f.training.epochs * (f.epoch_size > 0 ? (double)f.epoch_size : n);
    ig_lab_tuning_config_free(&f);
    return ig_lab_token_weight(c) * sequences;
}
