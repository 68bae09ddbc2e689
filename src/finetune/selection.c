/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the best checkpoints of a fine-tuning. The state:
 *   {"last": {"update": N, "scores": {…}},
 *    "source-dev": {"update": N, "value": X, "scores": {…}}, "waited": K,
 *    "target-dev": {"LANGUAGE": {"update": N, "value": X, "scores": {"SPLIT": {…}}}, …},
 *    "target-mean": X}
 */
#include "finetune/selection.h"

#include <string.h>

json_t *ig_selection_new(void)
{
    return json_pack("{s:{}, s:i}", "target-dev", "waited", 0);
}

static bool is_source(const ig_task *t, const char *language)
{
    return ig_task_find(t, language, IG_SPLIT_TRAIN) != NULL;
}

bool ig_selection_possible(const ig_task *t, ig_select_kind kind)
{
    for (int i = 0; i < t->n_set; i++)
        if (t->set[i].split == IG_SPLIT_DEV &&
            (kind == IG_SELECT_TARGET || is_source(t, t->set[i].language)))
            return true;
    return kind == IG_SELECT_LAST;
}

static double main_score(const ig_selection_source *s, const json_t *scores, const ig_task_set *set)
{
    return json_number_value(json_object_get(
        json_object_get(json_object_get(scores, set->language), ig_split_names[set->split]),
        s->main_score));
}

static bool better(const json_t *than, const char *key, double value)
{
    const json_t *old = json_object_get(than, key);
    return old == NULL || value > json_number_value(old);
}

/* All splits but those trained on, of one language (NULL: of all). */
static ig_code score_rest(const ig_selection_source *s, json_t *scores, const char *language,
                          ig_err *err)
{
    for (int i = 0; i < s->task->n_set; i++) {
        const ig_task_set *set = &s->task->set[i];
        if (set->split != IG_SPLIT_TRAIN &&
            (language == NULL || strcmp(language, set->language) == 0))
            IG_TRY(s->score(s->of, scores, set, err));
    }
    return IG_ERR_OK;
}

/* Each language's own best; *mean: over all of them now. */
static ig_code step_targets(json_t *state, const ig_selection_source *s, json_t *scores,
                            int64_t update, double *mean, ig_err *err)
{
    json_t *all = json_object_get(state, "target-dev");
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->task->n_set; i++) {
        const ig_task_set *set = &s->task->set[i];
        if (set->split != IG_SPLIT_DEV)
            continue;
        const double value = main_score(s, scores, set);
        sum += value;
        n++;
        if (!better(json_object_get(all, set->language), "value", value))
            continue;
        IG_TRY(score_rest(s, scores, set->language, err));
        json_object_set_new(all, set->language,
                            json_pack("{s:I, s:f, s:O}", "update", (json_int_t)update, "value",
                                      value, "scores", json_object_get(scores, set->language)));
    }
    *mean = n > 0 ? sum / n : 0;
    return IG_ERR_OK;
}

static ig_code step_source(json_t *state, const ig_selection_source *s, json_t *scores,
                           int64_t update, ig_selection_news *news, ig_err *err)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->task->n_set; i++) {
        const ig_task_set *set = &s->task->set[i];
        if (set->split == IG_SPLIT_DEV && is_source(s->task, set->language)) {
            sum += main_score(s, scores, set);
            n++;
        }
    }
    if (n == 0)
        return IG_ERR_OK;
    news->source = better(json_object_get(state, "source-dev"), "value", sum / n);
    json_object_set_new(state, "waited",
                        json_integer(news->source ? 0 : ig_selection_waited(state) + 1));
    if (!news->source)
        return IG_ERR_OK;
    IG_TRY(score_rest(s, scores, NULL, err));
    json_object_set_new(state, "source-dev",
                        json_pack("{s:I, s:f, s:O}", "update", (json_int_t)update, "value", sum / n,
                                  "scores", scores));
    return IG_ERR_OK;
}

ig_code ig_selection_step(json_t *state, const ig_selection_source *s, int64_t update, bool last,
                          ig_selection_news *news, ig_err *err)
{
    json_t *scores = json_object();
    double mean = 0;
    *news = (ig_selection_news){false, false};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < s->task->n_set && code == IG_ERR_OK; i++)
        if (s->task->set[i].split == IG_SPLIT_DEV)
            code = s->score(s->of, scores, &s->task->set[i], err);
    IG_THEN(code, step_source(state, s, scores, update, news, err));
    IG_THEN(code, step_targets(state, s, scores, update, &mean, err));
    if (code == IG_ERR_OK && last)
        code = score_rest(s, scores, NULL, err);
    if (code == IG_ERR_OK) {
        news->target = better(state, "target-mean", mean);
        if (news->target)
            json_object_set_new(state, "target-mean", json_real(mean));
        json_object_set_new(
            state, "last", json_pack("{s:I, s:O}", "update", (json_int_t)update, "scores", scores));
    }
    json_decref(scores);
    return code;
}

int64_t ig_selection_waited(const json_t *state)
{
    return (int64_t)json_integer_value(json_object_get(state, "waited"));
}

/* Every language's own best if it has one, otherwise its last. */
static json_t *target_json(const json_t *state)
{
    json_t *out = json_pack("{s:{}, s:{}}", "update", "scores"),
           *updates = json_object_get(out, "update"), *scores = json_object_get(out, "scores");
    const json_t *last = json_object_get(json_object_get(state, "last"), "scores");
    json_object_update(scores, (json_t *)(uintptr_t)last);
    const char *language;
    json_t *best;
    json_object_foreach(json_object_get(state, "target-dev"), language, best)
    {
        json_object_set(updates, language, json_object_get(best, "update"));
        json_object_set(scores, language, json_object_get(best, "scores"));
    }
    return out;
}

json_t *ig_selection_json(const json_t *state, ig_select_kind kind, json_t **scores)
{
    json_t *out = json_pack("{s:s}", "by", ig_select_names[kind]);
    json_object_set(out, "last", json_object_get(state, "last"));
    json_t *source = json_object_get(state, "source-dev");
    if (source != NULL)
        json_object_set_new(out, "source-dev",
                            json_pack("{s:O, s:O}", "update", json_object_get(source, "update"),
                                      "scores", json_object_get(source, "scores")));
    if (json_object_size(json_object_get(state, "target-dev")) > 0)
        json_object_set_new(out, "target-dev", target_json(state));
    json_t *chosen = json_object_get(out, ig_select_names[kind]);
    json_object_set(out, "update", json_object_get(chosen, "update"));
    *scores = json_incref(json_object_get(chosen, "scores"));
    return out;
}
