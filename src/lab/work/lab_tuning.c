/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one fine-tuning of a run in its folder.
 */
#include "lab/work/lab_tuning.h"

ig_code ig_lab_tuning_config(ig_finetune_config *c, const ig_experiment_tuning *t, ig_err *err)
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
    c->model = c->task = c->out = c->vectors = NULL;
    if (code != IG_ERR_OK)
        ig_lab_tuning_config_free(c);
    return code;
}

void ig_lab_tuning_config_free(ig_finetune_config *c)
{
    c->model = c->task = c->out = c->vectors = NULL;
    ig_options_free(&ig_finetune_options, c);
}
