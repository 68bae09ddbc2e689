/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores minimal pairs by the model as it is, with its edits.
 */
#include "finetune/minimal.h"

#include "apply/edit/edit_make.h"
#include "apply/predicted.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "finetune/tuned_model.h"
#include "finetune/work.h"
#include "task/score/score.h"

#include <string.h>

static bool requested(const void *stop)
{
    return *(const volatile sig_atomic_t *)stop != 0;
}

typedef struct {
    const ig_task *task;
    ig_encoder encoder;
    ig_model_languages languages;
    ig_team *team;
    ig_engine *engine;
    ig_made_edits edits;
    ig_edit_specs specs;
    ig_states *states;
} work;

static void work_close(work *w)
{
    ig_states_close(w->states);
    ig_made_edits_free(&w->edits);
    ig_edit_specs_free(&w->specs);
    ig_engine_free(w->engine);
    ig_team_free(w->team);
    ig_model_languages_free(&w->languages);
    ig_encoder_close(&w->encoder);
}

/* As for a task that trains: where an edit has no text, from the development text of the run. */
static ig_code learn_edits(work *w, const ig_finetune_config *c, ig_edit_on *on, ig_err *err)
{
    IG_SCOPED(ig_open_run_close) ig_open_run run = {0};
    IG_TRY(ig_edit_specs_add(&w->specs, c->edit, err));
    IG_TRY(ig_finetune_open_corpus(&run, &w->specs, w->encoder.dir, err));
    on->parts.corpus = run.setup.dev;
    return ig_edits_make(&w->edits, &w->specs, on, err);
}

static ig_code work_open(work *w, const ig_finetune_config *c, ig_stop stop, ig_err *err)
{
    IG_TRY(ig_encoder_open_any(&w->encoder, c->model, c->lowercase, true, err));
    if (!w->encoder.masked)
        return ig_fail(err, IG_ERR_INPUT, w->encoder.dir, 0,
                       "has no head that predicts words, expected one for minimal pairs");
    if (!ig_bert_get_config(w->encoder.model)->causal &&
        ig_tokenizer_special(w->encoder.tokenizer, IG_TOKENIZER_MASK) < 0)
        return ig_fail(err, IG_ERR_INPUT, w->encoder.dir, 0,
                       "predicts masked words, but its tokenizer has no [MASK]");
    IG_TRY(ig_model_languages_read(&w->languages, w->encoder.dir,
                                   ig_bert_get_config(w->encoder.model), w->encoder.tokenizer,
                                   err));
    IG_TRY(ig_team_new(&w->team, (int)c->threads, err));
    IG_TRY(ig_engine_new(&w->engine, w->encoder.model, w->team, NULL, IG_PRECISION_F32, err));
    const ig_states_parts parts = {.engine = w->engine,
                                   .model = w->encoder.model,
                                   .team = w->team,
                                   .tokenizer = w->encoder.tokenizer,
                                   .languages = &w->languages};
    ig_edit_on on = {.parts = parts, .dir = c->model, .mixed = true, .stop = stop};
    if (c->edit != NULL)
        IG_TRY(learn_edits(w, c, &on, err));
    const ig_states_options o = {.allow_unknown = c->allow_unknown, .stop = stop};
    return ig_states_over(&w->states, &o, &parts, err);
}

/* The negative log-likelihoods of all texts of a set, [2 n]. */
static ig_code likelihoods(double *nll, int64_t *n_cut, work *w, const ig_task_set *set,
                           int language, ig_err *err)
{
    IG_SCOPED(ig_predicted_free) ig_predicted p = {0};
    ig_unknown_pieces unknown = {0};
    *n_cut = 0;
    ig_states_watch(w->states, &unknown);
    for (int64_t i = 0; i < 2 * set->n; i++) {
        const ig_states_sentence of = {language, i, set->text[i], (int64_t)strlen(set->text[i])};
        bool cut = false;
        IG_TRY(ig_likelihood_put(&p, w->states, &of, w->task->whole_words, &nll[i], &cut, err));
        *n_cut += cut;
    }
    ig_states_watch(w->states, NULL);
    IG_TRY(ig_states_watched(w->states, &unknown, set->path, err));
    return ig_predicted_run(&p, w->states, err);
}

static json_t *share_json(int64_t right, int64_t n)
{
    const ig_score_share s = ig_score_share_of(right, n);
    return json_pack("{s:o, s:[o, o], s:I}", "accuracy", ig_json_number(s.value), "interval",
                     ig_json_number(s.interval.low), ig_json_number(s.interval.high), "n",
                     (json_int_t)n);
}

/* The share of the pairs of a phenomenon, −1: of all, of which the model is right. */
static json_t *scores_of(const ig_task_set *set, const double *nll, int32_t label)
{
    int64_t right = 0, n = 0;
    for (int64_t i = 0; i < set->n; i++) {
        n += label < 0 || set->label[i] == label;
        right += (label < 0 || set->label[i] == label) && nll[2 * i] < nll[2 * i + 1];
    }
    return n > 0 ? share_json(right, n) : NULL;
}

static ig_code score_set(json_t *scores, work *w, const ig_task_set *set, ig_err *err)
{
    const ig_task *t = w->task;
    double *nll, margin = 0;
    int64_t n_cut, ties = 0;
    IG_TRY(ig_alloc(&nll, 2 * set->n, sizeof *nll, "likelihoods", err));
    const ig_code code =
        likelihoods(nll, &n_cut, w, set, ig_tuned_language(&w->languages, set->language), err);
    if (code == IG_ERR_OK) {
        json_t *one = scores_of(set, nll, -1), *by = json_object(), *of;
        for (int32_t k = 0; k < t->labels.n; k++)
            if ((of = scores_of(set, nll, k)) != NULL)
                json_object_set_new(by, t->labels.name[k], of);
        for (int64_t i = 0; i < set->n; i++) {
            margin += (nll[2 * i + 1] - nll[2 * i]) / (double)set->n;
            ties += nll[2 * i] == nll[2 * i + 1];
        }
        json_object_set_new(one, "ties", json_integer((json_int_t)ties));
        json_object_set_new(one, "cut", json_integer((json_int_t)n_cut));
        json_object_set_new(one, "margin", ig_json_number(margin));
        json_object_set_new(one, "detail", json_pack("{s:o}", "by_label", by));
        if (json_object_get(scores, set->language) == NULL)
            json_object_set_new(scores, set->language, json_object());
        json_object_set_new(json_object_get(scores, set->language), ig_split_names[set->split],
                            one);
    }
    ig_free(nll);
    return code;
}

ig_code ig_minimal_pairs(json_t **result, const ig_finetune_config *c, const ig_task *t,
                         const volatile sig_atomic_t *stop, ig_err *err)
{
    work w = {.task = t};
    json_t *scores = json_object();
    ig_code code = work_open(
        &w, c, (ig_stop){stop != NULL ? requested : NULL, (const void *)(uintptr_t)stop}, err);
    if (code == IG_ERR_OK)
        ig_tuned_report_languages(&w.languages, t);
    ig_progress_begin("minimal pairs", t->n_set);
    for (int i = 0; i < t->n_set && code == IG_ERR_OK; i++)
        code = score_set(scores, &w, &t->set[i], err);
    ig_progress_end();
    work_close(&w);
    if (code != IG_ERR_OK) {
        json_decref(scores);
        return code;
    }
    *result = json_pack("{s:o, s:{s:s}, s:s, s:s, s:s}", "scores", scores, "selected", "by", "last",
                        "kind", ig_task_kind_names[IG_TASK_MINIMAL], "main_score", "accuracy",
                        "masking", t->whole_words ? "word" : "token");
    return *result != NULL ? IG_ERR_OK
                           : ig_fail(err, IG_ERR_MEMORY, c->task, 0, "not enough memory");
}
