/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores as JSON; their definitions are in task/score.
 */
#include "finetune/scores.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "task/score/score.h"
#include "task/score/score_spans.h"
#include "task/score/score_trees.h"

#include <math.h>
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
                                .other = &t->other,
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
                           const ig_prediction *p, double loss, ig_err *err)
{
    const int64_t n = set->first != NULL ? set->first[set->n] : set->n;
    const ig_score_share share = ig_score_accuracy(set->label, p->label, n);
    *out = json_pack("{s:I, s:o}", "n", (json_int_t)share.n, "loss", ig_json_number(loss));
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

/* ---- details of a score ---- */

static const char detail_key[] = "detail";

static int64_t count_of(const ig_task_set *set, int32_t label)
{
    int64_t n = 0;
    for (int64_t i = 0; i < ig_task_n_label(set); i++)
        n += set->label[i] == label;
    return n;
}

static json_t *by_label(const ig_task *t, const ig_task_set *set, const ig_confusion *c)
{
    json_t *j = json_object();
    for (int32_t i = 0; i < t->labels.n + t->other.n; i++) {
        const int32_t k = i - t->labels.n; /* of those that training does not have */
        const ig_score_f1 s = k < 0 ? ig_confusion_label(c, i)
                                    : ig_score_f1_of(0, count_of(set, IG_LABEL_OTHER - k), 0);
        if (k >= 0 && s.n_gold == 0)
            continue;
        json_object_set_new(j, k < 0 ? t->labels.name[i] : t->other.name[k],
                            json_pack("{s:f, s:f, s:f, s:I}", "precision", s.precision, "recall",
                                      s.recall, "f1", s.f1, "n", (json_int_t)s.n_gold));
    }
    return j;
}

static json_t *matrix(const ig_confusion *c)
{
    json_t *rows = json_array();
    for (int32_t i = 0; i <= c->n_label; i++) {
        json_t *row = json_array();
        for (int32_t k = 0; k <= c->n_label; k++)
            json_array_append_new(
                row, json_integer((json_int_t)c->count[(int64_t)i * (c->n_label + 1) + k]));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Words of a sentence; of texts, whose words are nobody's, characters / 5. */
static int64_t length_of(const ig_task *t, const ig_task_set *set, int64_t i)
{
    if (set->first != NULL)
        return set->first[i + 1] - set->first[i];
    const int n_text = t->kind == IG_TASK_PAIR ? 2 : 1;
    int64_t n = 0;
    for (int k = 0; k < n_text; k++)
        for (const char *p = set->text[i * n_text + k]; *p != '\0'; p++)
            n += ((unsigned char)*p & 0xC0) != 0x80;
    return n / 5;
}

static ig_code by_length(json_t **out, const ig_task *t, const ig_task_set *set,
                         const ig_prediction *p, ig_err *err)
{
    const int64_t n = ig_task_n_label(set);
    IG_OWNED int8_t *right = NULL;
    IG_OWNED int64_t *length = NULL;
    ig_score_share share[IG_N_LENGTH];
    IG_TRY(ig_alloc(&right, n, sizeof *right, "scores", err));
    IG_TRY(ig_alloc(&length, set->n, sizeof *length, "scores", err));
    for (int64_t i = 0; i < set->n; i++)
        length[i] = length_of(t, set, i);
    ig_score_right(right, set->label, p->label, n);
    ig_score_by_length(share, right, set->first, length, set->n);
    *out = json_array();
    for (int k = 0; k < IG_N_LENGTH; k++)
        json_array_append_new(
            *out,
            json_pack("{s:o, s:o, s:I}", "up_to",
                      k < IG_N_LENGTH - 1 ? json_integer((k + 1) * IG_LENGTH_STEP) : json_null(),
                      "accuracy",
                      isfinite(share[k].value) ? json_real(share[k].value) : json_null(), "n",
                      (json_int_t)share[k].n));
    return IG_ERR_OK;
}

ig_code ig_finetune_detail(json_t **out, const ig_task *t, const ig_task_set *set,
                           const ig_prediction *p, ig_err *err)
{
    ig_confusion c;
    json_t *lengths = NULL;
    *out = NULL;
    IG_TRY(ig_confusion_of(&c, t->labels.n, set->label, p->label, ig_task_n_label(set), err));
    ig_code code = by_length(&lengths, t, set, p, err);
    if (code == IG_ERR_OK)
        *out = json_pack("{s:o, s:o, s:o}", "by_label", by_label(t, set, &c), "by_length", lengths,
                         "confusion", matrix(&c));
    ig_confusion_free(&c);
    return code;
}

static ig_code baseline_scores(json_t **out, const ig_task *t, const ig_task_set *set,
                               const ig_prediction *p, ig_err *err)
{
    IG_TRY(ig_finetune_scores(out, t, set, p, (double)NAN, err));
    json_object_del(*out, "loss");
    return IG_ERR_OK;
}

/* Replaces the scores of a sample by their expectations, as far as these are known exactly. */
static void take_expected(json_t *scores, const ig_task *t, const ig_task_set *set)
{
    const ig_chance c = ig_baseline_chance(t, set);
    const struct {
        const char *name;
        double value;
    } all[] = {{"accuracy", c.accuracy},
               {"uas", c.uas},
               {"las", c.las},
               {"uas_nopunct", c.uas_nopunct},
               {"las_nopunct", c.las_nopunct}};
    json_object_del(scores, "interval");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (json_object_get(scores, all[i].name) != NULL)
            json_object_set_new(scores, all[i].name, ig_json_number(all[i].value));
}

static ig_code add_baselines(json_t *to, const ig_task *t, const ig_task_set *set, uint64_t seed,
                             ig_err *err)
{
    ig_prediction p;
    json_t *one = NULL;
    IG_TRY(ig_prediction_new(&p, set, err));
    ig_code code = ig_baseline_majority(&p, t, set, err);
    IG_THEN(code, baseline_scores(&one, t, set, &p, err));
    if (code == IG_ERR_OK) {
        json_object_set_new(to, "majority", one);
        ig_baseline_random(&p, t, set, seed);
        code = baseline_scores(&one, t, set, &p, err);
    }
    if (code == IG_ERR_OK) {
        take_expected(one, t, set);
        json_object_set_new(to, "random", one);
    }
    ig_prediction_free(&p);
    return code;
}

ig_code ig_finetune_baselines(json_t **out, const ig_task *t, uint64_t seed, ig_err *err)
{
    bool any_train = false;
    ig_code code = IG_ERR_OK;
    *out = json_object();
    for (int i = 0; i < t->n_set; i++)
        any_train |= t->set[i].split == IG_SPLIT_TRAIN;
    for (int i = 0; i < t->n_set && code == IG_ERR_OK; i++) {
        const ig_task_set *set = &t->set[i];
        if (set->split == IG_SPLIT_TRAIN || !any_train)
            continue;
        if (json_object_get(*out, set->language) == NULL)
            json_object_set_new(*out, set->language, json_object());
        json_t *of = json_object();
        code = add_baselines(of, t, set, seed, err);
        json_object_set_new(json_object_get(*out, set->language), ig_split_names[set->split], of);
    }
    if (code != IG_ERR_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}

json_t *ig_finetune_without_detail(const json_t *scores)
{
    json_t *j = json_deep_copy(scores), *splits, *one;
    const char *language, *split;
    json_object_foreach(j, language, splits)
    {
        json_object_foreach(splits, split, one)
        {
            json_object_del(one, detail_key);
        }
    }
    return j;
}
