/* SPDX-License-Identifier: Apache-2.0
 *
 * Says before isoglot run trains what its runs will lack: μ, and claims that none of
 * them decides.
 */
#include "cli/lab/run_lacking.h"

#include "base/log.h"
#include "finetune/input/finetune_config.h"
#include "task/task.h"
#include "lab/report/lab_report.h"

#include <string.h>

/* "no μ: needs a dictionary fake–x: gold=FILE (12-12, d1)": a line for each reason. */
void ig_run_print_no_mu(const ig_lab_plan *p)
{
    for (int i = 0; i < p->n_no_mu; i++) {
        const char *why = p->no_mu[i].why;
        int first = 0;
        while (strcmp(p->no_mu[first].why, why) != 0)
            first++;
        if (first < i)
            continue;
        printf("no μ: %s (%s", why, p->no_mu[i].cell);
        for (int k = i + 1; k < p->n_no_mu; k++)
            if (strcmp(p->no_mu[k].why, why) == 0)
                printf(", %s", p->no_mu[k].cell);
        puts(")");
    }
}

/* [{"cell", "why"}, …]: of which runs μ cannot be computed. */
json_t *ig_run_no_mu_json(const ig_lab_plan *p)
{
    json_t *all = json_array();
    for (int i = 0; i < p->n_no_mu; i++)
        json_array_append_new(
            all, json_pack("{s:s, s:s}", "cell", p->no_mu[i].cell, "why", p->no_mu[i].why));
    return all;
}

/* Without its files there is no kind; the run itself says so. */
static ig_task_kind kind_of(const ig_experiment_task *t)
{
    ig_task *task;
    if (t->file == NULL)
        return t->world.kind == IG_WORLD_TREES ? IG_TASK_PARSING : IG_TASK_TAGGING;
    if (ig_task_read_names(t->file, t->root, &task, NULL) != IG_ERR_OK)
        return IG_TASK_SINGLE;
    const ig_task_kind kind = task->kind;
    ig_task_free(task);
    return kind;
}

/* Says what a GPU lacks of a way of fine-tuning; NULL: nothing. */
static const char *lacks(const ig_finetune_config *c, ig_task_kind kind)
{
    char value[IG_RECIPE_TEXT];
    const char *head = c->top == IG_TOP_AUTO ? ig_recipe_value(value, c, kind, "head") : NULL;
    if (kind == IG_TASK_PARSING)
        return "a parser";
    if (c->top == IG_TOP_CRF || (head != NULL && strcmp(head, "crf") == 0))
        return "a CRF";
    return c->lstm_layers > 0 ? "an LSTM" : NULL;
}

/* "task ner: no kernel of a GPU for a CRF: fine-tuned on the CPU" */
void ig_run_say_on_cpu(const ig_experiment *e)
{
    for (int t = 0; t < e->n_task; t++) {
        const char *what = NULL;
        const ig_task_kind kind = kind_of(&e->task[t]);
        for (int i = 0; i < e->task[t].n_tuning && what == NULL; i++)
            what = lacks(&e->task[t].tuning[i].config, kind);
        if (what != NULL)
            ig_log(IG_LOG_NORMAL, "task %s: no kernel of a GPU for %s: fine-tuned on the CPU",
                   e->task[t].name, what);
    }
}

/* "claim d1 is not decided: cell d1 has no μ: needs …": before anything is trained. */
ig_code ig_run_say_never(FILE *fp, const ig_experiment *e, const ig_lab_plan *plan,
                         const char *selector, ig_err *err)
{
    json_t *all, *one;
    size_t i;
    const ig_code code = ig_lab_claims_never(&all, e, plan, selector, err);
    json_array_foreach(all, i, one)
    {
        const char *id = json_string_value(json_object_get(one, "claim")),
                   *why = json_string_value(json_object_get(one, "why"));
        if (fp != NULL)
            fprintf(fp, "claim %s is not decided: %s\n", id, why);
        else
            ig_log(IG_LOG_NORMAL, "claim %s is not decided: %s", id, why);
    }
    json_decref(all);
    return code;
}
