/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates the time of a fine-tuning. Texts are read completely, updates are the first ones of
 * the training, and an evaluation measures a few sequences of a text and extrapolates by tokens.
 */
#include "finetune/finetune_dry.h"

#include "base/log.h"
#include "base/memory.h"
#include "finetune/work.h"

/* Updates are timed until they took `enough`, but not more than so many. */
enum { MANY_UPDATES = 100, FEW_SEQUENCES = 64 };
static const double enough = 1;

static ig_code time_updates(double *update, ig_finetune_work *w, ig_err *err)
{
    double seconds = 0;
    int64_t n = 0;
    /* The first one warms caches and buffers up. */
    for (int64_t i = 0; i < w->course.options.n_update && i < MANY_UPDATES && seconds < enough;
         i++) {
        ig_trainer_report u;
        const double from = ig_clock();
        IG_TRY(ig_trainer_step(w->course.trainer, &u, err));
        if (i == 1)
            seconds = 0, n = 0;
        seconds += ig_clock() - from;
        n++;
    }
    *update = n > 0 ? seconds / (double)n : 0;
    return IG_ERR_OK;
}

/* Seconds of predicting one set. */
static ig_code time_set(double *seconds, ig_finetune_work *w, const ig_task_set *set, ig_err *err)
{
    const ig_examples *e = &w->eval[set - w->task->set];
    ig_prediction p = {NULL, NULL};
    ig_code code = ig_prediction_new(&p, set, err);
    ig_examples few = *e;
    few.n = e->n < FEW_SEQUENCES ? e->n : FEW_SEQUENCES;
    if (code == IG_ERR_OK && few.n > 0) {
        ig_example_loss loss;
        const double from = ig_clock();
        code = ig_examples_predict(&p, &loss, &few,
                                   &(ig_states_parts){.engine = w->course.engine,
                                                      .model = w->course.model,
                                                      .team = w->team},
                                   w->base.head, err);
        *seconds = (ig_clock() - from) * (double)e->start[e->n] / (double)e->start[few.n];
    }
    ig_prediction_free(&p);
    return code;
}

/* Development texts at every evaluation, test texts at the end and wherever a development score is
 * better than before, which is taken for every other time. */
static ig_code time_evaluations(double *seconds, ig_finetune_work *w, ig_err *err)
{
    const int64_t every = ig_finetune_eval_every(w);
    const bool any_dev = ig_selection_possible(w->task, IG_SELECT_TARGET);
    const double on_way = any_dev ? (double)((w->course.options.n_update - 1) / every) : 0;
    for (int i = 0; i < w->task->n_set; i++) {
        const ig_task_set *set = &w->task->set[i];
        double one = 0;
        if (set->split == IG_SPLIT_TRAIN)
            continue;
        IG_TRY(time_set(&one, w, set, err));
        *seconds += one * (1 + (set->split == IG_SPLIT_DEV ? on_way : on_way / 2));
    }
    return IG_ERR_OK;
}

static ig_code dry(ig_finetune_cost *cost, ig_finetune_work *w, const unsigned char *given,
                   ig_err *err)
{
    const double from = ig_clock();
    double update, evaluations = 0;
    IG_TRY(ig_finetune_open_task(w, given, err));
    IG_TRY(ig_finetune_open_data(w, err));
    IG_TRY(ig_team_new(&w->team, (int)w->config->threads, err));
    ig_finetune_begin(w, NULL);
    IG_TRY(w->course.build(w, NULL, err));
    const double opened = ig_clock() - from;
    IG_TRY(time_updates(&update, w, err));
    IG_TRY(time_evaluations(&evaluations, w, err));
    *cost = (ig_finetune_cost){.n_update = w->course.options.n_update,
                               .n_parameter = ig_bert_n_value(w->course.model),
                               .memory = ig_peak_memory(),
                               .seconds = opened + update * (double)w->course.options.n_update +
                                          evaluations};
    return IG_ERR_OK;
}

ig_code ig_finetune_dry(ig_finetune_cost *cost, ig_finetune_config *c, const unsigned char *given,
                        ig_err *err)
{
    ig_finetune_work w = {.config = c};
    const ig_code code = dry(cost, &w, given, err);
    ig_finetune_close(&w);
    return code;
}
