/* SPDX-License-Identifier: Apache-2.0
 *
 * See scores.h. What each score is: task/score.
 */
#include "finetune/scores.h"
#include "base/settings/json_text.h"
#include "task/score/score_spans.h"
#include "task/score/score_trees.h"

#include <stdio.h>

static json_t *interval(const ig_score_share *s)
{
    return json_pack("[o, o]", ig_json_number(s->interval.low), ig_json_number(s->interval.high));
}

static void add_trees(json_t *out, const ig_task *t, const ig_task_set *set, const ig_prediction *p)
{
    const ig_score_trees s = ig_score_parse(set, &t->labels, p->head, p->label, t->subtypes);
    const struct {
        const char *name;
        const ig_score_share *share;
    } all[] = {{"uas", &s.uas},
               {"las", &s.las},
               {"uas_nopunct", &s.uas_nopunct},
               {"las_nopunct", &s.las_nopunct}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_object_set_new(out, all[i].name, ig_json_number(all[i].share->value));
    json_object_set_new(out, "interval", interval(&s.las));
}

static ig_code add_spans(json_t *out, const ig_task *t, const ig_task_set *set, const int32_t *best,
                         ig_err *err)
{
    const ig_score_tags tags = {.labels = &t->labels,
                                .first = set->first,
                                .n = set->n,
                                .gold = set->label,
                                .predicted = best};
    const int n_rule = t->scheme == IG_SCHEME_PLAIN ? 1 : IG_N_SPANS; /* the others are of spans */
    for (int rule = 0; rule < n_rule; rule++) {
        ig_span_score s;
        char key[40];
        snprintf(key, sizeof key, "f1.%s", ig_span_rule_names[rule]);
        IG_TRY(ig_score_spans(&s, &tags, (ig_span_rule)rule, err));
        json_object_set_new(out, key, json_real(s.all.f1));
        if (rule == IG_SPANS_CONLLEVAL) {
            json_object_set_new(out, "precision", json_real(s.all.precision));
            json_object_set_new(out, "recall", json_real(s.all.recall));
        }
        ig_span_score_free(&s);
    }
    return IG_ERR_OK;
}

ig_code ig_finetune_scores(json_t **out, const ig_task *t, const ig_task_set *set,
                           const ig_prediction *p, double nll, ig_err *err)
{
    const int64_t n = set->first != NULL ? set->first[set->n] : set->n;
    const ig_score_share share = ig_score_accuracy(set->label, p->label, n);
    *out = json_pack("{s:I, s:o}", "n", (json_int_t)share.n, "loss",
                     share.n > 0 ? ig_json_number(nll / (double)share.n) : json_null());
    if (*out == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "scores", 0, "not enough memory");
    if (t->kind == IG_TASK_PARSING)
        add_trees(*out, t, set, p);
    else {
        json_object_set_new(*out, "accuracy", ig_json_number(share.value));
        json_object_set_new(*out, "interval", interval(&share));
    }
    ig_code code = t->kind == IG_TASK_TAGGING ? add_spans(*out, t, set, p->label, err) : IG_ERR_OK;
    if (code != IG_ERR_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}

const char *ig_finetune_main_score(const ig_task *t)
{
    return t->kind == IG_TASK_PARSING                                   ? "las"
           : t->kind == IG_TASK_TAGGING && t->scheme != IG_SCHEME_PLAIN ? "f1.conlleval"
                                                                        : "accuracy";
}
