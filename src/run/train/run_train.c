/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a run: update, log line, checkpoint, measures; see run_train.h.
 */
#include "run/train/run_train.h"
#include "base/file.h"
#include "run/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "run/data/knn.h"
#include "run/edit/measure_edits.h"
#include "run/edit/measure_shift.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/measure_texts.h"
#include "run/run_dir.h"
#include "run/run_instances.h"
#include "run/train/run_log.h"
#include "run/train/run_measures.h"
#include "run/data/setup.h"
#include "run/measure/words/measure_maps.h"
#include "run/measure/words/word_retrieval.h"
#include "train/pretrain.h"
#include "train/train_state.h"

#include <math.h>
#include <stdio.h>

/* Everything a run holds while it works. */
typedef struct {
    const ig_run_config *config;
    const ig_run_with *with;
    ig_run_result *result;
    int lock; /* −1: not ours to give back */
    ig_setup setup;
    ig_measure_texts texts; /* of the plan */
    char **pieces;
    int32_t n_piece;
    ig_team *team;
    ig_bert *model;
    ig_engine *engine;
    ig_batcher *batcher;
    ig_trainer *trainer;
    ig_trainer_options options;
    ig_batch_options batching;
    ig_neighbour_table near;
    ig_train_state state;
    ig_run_log log;
    double saved_at, saving; /* clock at the end of the last checkpoint; seconds that it took */
    const volatile sig_atomic_t *stop;
    double begun; /* clock before the first update */
} run;

static void forget_model(run *w)
{
    ig_trainer_free(w->trainer);
    ig_batcher_free(w->batcher);
    ig_engine_free(w->engine);
    ig_bert_free(w->model);
    w->trainer = NULL;
    w->batcher = NULL;
    w->engine = NULL;
    w->model = NULL;
    w->state = (ig_train_state){0};
}

static void close_run(run *w)
{
    ig_run_log_close(&w->log);
    forget_model(w);
    ig_neighbour_table_free(&w->near);
    ig_team_free(w->team);
    ig_free_list(w->pieces, w->n_piece);
    ig_measure_texts_close(&w->texts);
    ig_setup_close(&w->setup);
    ig_run_dir_unlock(w->lock);
    *w = (run){.lock = -1};
}

/* The model, given or new, and everything that works on it. */
static ig_code build(run *w, ig_bert *model, ig_err *err)
{
    const ig_run_config *c = w->config;
    int32_t pad = ig_corpus_get_options(w->setup.train)->pad;
    ig_bert_config shape = ig_run_config_model(c, ig_corpus_vocab_size(w->setup.train), pad);
    w->model = model;
    IG_TRY(ig_setup_fits(&w->setup, &shape, err));
    if (model == NULL)
        IG_TRY(ig_bert_new(&w->model, &shape, (uint64_t)c->optimisation.seed, err));
    w->batching = ig_run_config_batch(c);
    if (c->objective.knn_replace > 0)
        w->batching.near = &w->near;
    IG_TRY(ig_batcher_new(&w->batcher, w->setup.train, &w->batching, (uint64_t)c->optimisation.seed,
                          err));
    IG_TRY(ig_engine_new(&w->engine, w->model, w->team, NULL,
                         (ig_precision)c->optimisation.precision, err));
    int64_t steps = ig_batcher_steps_per_epoch(w->batcher);
    w->options = ig_run_config_trainer(c, steps);
    if (w->options.n_update < 1)
        return ig_fail(err, IG_ERR_USAGE, "accum", 0,
                       "%lld epochs of %lld micro-batches give no update of %lld",
                       (long long)c->optimisation.epochs, (long long)steps,
                       (long long)c->optimisation.accum);
    w->options.source = ig_pretrain_source(w->batcher);
    IG_TRY(ig_trainer_new(&w->trainer, w->model, w->engine, &w->options, w->team, err));
    w->result->n_parameter = ig_bert_n_value(w->model);
    w->result->n_update = w->options.n_update;
    w->result->vocab_size = shape.vocab_size;
    w->result->n_sequence = ig_batcher_n_sequence(w->batcher);
    ig_run_instances_warn(&c->objective, w->setup.train);
    return IG_ERR_OK;
}

static ig_code resume(run *w, int64_t step, ig_err *err)
{
    char dir[IG_PATH];
    ig_bert *model = NULL;
    ig_bert_report report = {0};
    IG_TRY(ig_run_checkpoint_path(dir, w->config->out, step, err));
    ig_code code = ig_bert_load(&model, dir, &report, err);
    if (code == IG_ERR_OK && (report.n_missing > 0 || report.n_unexpected > 0)) {
        code = ig_fail(err, IG_ERR_INPUT, dir, 0,
                       "%d tensors are missing and %d are unknown: not this run's model",
                       report.n_missing, report.n_unexpected);
        ig_bert_free(model);
        model = NULL;
    }
    ig_bert_report_free(&report);
    IG_THEN(code, build(w, model, err));
    IG_THEN(code, ig_train_state_read(dir, step, &w->state, ig_trainer_optimizer(w->trainer),
                                      w->model, err));
    if (code == IG_ERR_OK) {
        ig_trainer_resume(w->trainer, step);
        w->result->resumed_from = step;
    }
    return code;
}

/* Goes on from the newest checkpoint that can be read; *step is its update, −1: there is none, and
 * the run begins. Those that cannot be read are put aside, so that they are neither taken for the
 * newest nor lost; when none can, the newest one's error is told. */
static ig_code go_on(run *w, int64_t *step, ig_err *err)
{
    const char *dir = w->config->out;
    int64_t *steps;
    int n, i;
    ig_err first = {0};
    *step = -1;
    IG_TRY(ig_run_checkpoints(&steps, &n, dir, true, err));
    ig_code code = n > 0 ? IG_ERR_INPUT : build(w, NULL, err);
    for (i = n - 1; i >= 0 && code != IG_ERR_OK; i--) {
        ig_err why = {0};
        code = resume(w, steps[i], &why);
        if (code == IG_ERR_OK)
            break;
        forget_model(w);
        first = i == n - 1 ? why : first;
        /* Anything else is no fault of the file. */
        if (code != IG_ERR_INPUT && code != IG_ERR_NUMERIC && code != IG_ERR_IO)
            break;
    }
    if (code == IG_ERR_OK && n > 0) {
        *step = steps[i];
        for (int k = i + 1; k < n && code == IG_ERR_OK; k++)
            code = ig_run_checkpoint_put_aside(dir, steps[k], err);
        if (i < n - 1)
            ig_log(
                IG_LOG_NORMAL,
                "warning: the checkpoint of update %lld is damaged (%s: %s) and was put aside as "
                "checkpoints/damaged-%08lld; going on from update %lld",
                (long long)steps[n - 1], first.where, first.msg, (long long)steps[n - 1],
                (long long)*step);
    } else if (n > 0) {
        code = first.code;
        if (err != NULL)
            *err = first;
    }
    ig_free(steps);
    return code;
}

static ig_code write_checkpoint(run *w, const char *tmp, ig_err *err)
{
    json_t *extra = ig_setup_json(&w->setup);
    if (extra == NULL || json_object_set_new(json_object_get(extra, "isoglot"), "step",
                                             json_integer(w->state.update)) != 0) {
        json_decref(extra);
        return ig_fail(err, IG_ERR_MEMORY, tmp, 0, "not enough memory for config.json");
    }
    ig_code code = ig_bert_save(w->model, tmp, extra, err);
    json_decref(extra);
    IG_THEN(code, ig_setup_tokenizer_write(&w->setup, w->pieces, w->n_piece,
                                           (int32_t)w->config->objective.block, tmp, err));
    IG_THEN(code,
            ig_train_state_write(tmp, &w->state, ig_trainer_optimizer(w->trainer), w->model, err));
    return code;
}

static ig_code checkpoint(run *w, ig_err *err)
{
    const ig_run_config *c = w->config;
    const double from = ig_clock();
    char tmp[IG_PATH];
    IG_TRY(ig_run_log_sync(&w->log, err));
    IG_TRY(ig_run_checkpoint_begin(tmp, c->out, w->state.update, err));
    ig_code code = write_checkpoint(w, tmp, err);
    IG_THEN(code, ig_run_checkpoint_commit(tmp, c->out, w->state.update, err));
    if (code != IG_ERR_OK)
        (void)ig_dir_remove(tmp, NULL); /* the first error is the one to tell */
    const ig_run_keep keep = {.keep = c->keep,
                              .every = c->save_every,
                              .last = w->options.n_update,
                              .log_spaced = c->save_log_spaced};
    IG_THEN(code, ig_run_checkpoint_prune(c->out, &keep, err));
    w->saved_at = ig_clock();
    w->saving = w->saved_at - from;
    return code;
}

static bool save_due(const run *w)
{
    const ig_run_config *c = w->config;
    const int64_t step = w->state.update;
    double since = ig_clock() - w->saved_at;
    return (c->save_every > 0 && step % c->save_every == 0) ||
           (c->save_log_spaced && ig_run_log_spaced(step)) ||
           (w->with->save_seconds > 0 && since > w->with->save_seconds && since > 50 * w->saving);
}

/* NULL: it goes on. */
static const char *why_stop(const run *w)
{
    return w->stop != NULL && *w->stop != 0 ? "on request"
           : w->config->max_time > 0 && ig_clock() - w->begun > w->config->max_time
               ? "at its time limit"
               : NULL;
}

static bool shall_stop(const void *arg)
{
    return why_stop(arg) != NULL;
}

/* *json: the same and, by a plan, the other pairs of languages and the other texts. */
static ig_code measure(run *w, ig_measure_result *m, json_t **json, bool last, ig_err *err)
{
    const ig_run_config *c = w->config;
    ig_measure_options o = ig_measure_defaults(&w->batching, (uint64_t)c->optimisation.seed);
    if (w->with->plan != NULL)
        IG_TRY(ig_measure_plan_options(&o, w->with->plan,
                                       ig_bert_get_config(w->model)->num_hidden_layers, last, err));
    else {
        o.n_layer = c->measuring.eval_layers.n;
        for (int i = 0; i < c->measuring.eval_layers.n; i++)
            o.layer[i] = (int)c->measuring.eval_layers.v[i];
    }
    o.perplexity = (ig_variant)c->measuring.perplexity_average;
    o.translation = (ig_variant)c->measuring.translation_words;
    const ig_shift_of shift = {.text = w->setup.train};
    const ig_measure_with with = {.engine = w->engine,
                                  .model = w->model,
                                  .team = w->team,
                                  .ops = ig_ops_best(),
                                  .shift = ig_measure_shift(&shift),
                                  .maps = ig_measure_maps,
                                  .stop = {.asked = shall_stop, .arg = w}};
    *json = NULL;
    IG_TRY(ig_measure_run(m, &with, w->setup.train, w->setup.dev, &o, err));
    *json = ig_measure_json(m);
    ig_code code = IG_ERR_OK;
    if (*json == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, c->out, 0, "not enough memory for measures");
    else if (w->with->plan != NULL)
        code = ig_measure_pairs(*json, w->with->plan, &with, w->setup.dev, &o, err);
    if (code == IG_ERR_OK && w->with->plan != NULL)
        code = ig_measure_texts_run(*json, &w->texts, &with, &o, err);
    if (code == IG_ERR_OK && w->with->plan != NULL)
        code = ig_measure_edits_run(*json, w->with->plan, &w->setup, &with, &o, err);
    if (code == IG_ERR_OK && w->with->plan != NULL && ig_word_retrieval_in(w->with->plan->what)) {
        const ig_data_settings settings = ig_run_config_data(c);
        const ig_word_asking of = {.what = w->with->plan->what,
                                   .settings = &settings,
                                   .measuring = &c->measuring,
                                   .setup = &w->setup,
                                   .most = o.max_sentence,
                                   .folder = c->out};
        code = ig_word_retrieval(*json, &of, &with, err);
    }
    if (code != IG_ERR_OK) {
        json_decref(*json);
        *json = NULL;
    }
    return code;
}

/* After each update: the sums of the line, and the line when it is due. */
static ig_code account(run *w, const ig_trainer_report *u, double seconds, ig_err *err)
{
    ig_train_state *s = &w->state;
    s->update = u->update;
    const ig_head_sum *masked = &u->head[IG_HEAD_MASKED], *next = &u->head[IG_HEAD_NEXT];
    s->loss += masked->loss;
    s->n_pred += masked->n;
    s->n_right += masked->n_right;
    s->n_token += u->n_token;
    s->total_token += u->n_token;
    s->total_flop += u->flop;
    s->seconds += seconds;
    s->line_seconds += seconds;
    if (u->update % w->config->log_every != 0 && u->update != w->options.n_update)
        return IG_ERR_OK;
    /* Where no token was masked there is nothing to take the mean of. */
    double n = (double)s->n_pred;
    s->line_loss = n > 0 ? s->loss / n : 0;
    json_t *j = json_pack("{s:I, s:o, s:o, s:f, s:f, s:f}", "step", (json_int_t)u->update, "loss",
                          n > 0 ? json_real(s->line_loss) : json_null(), "accuracy",
                          n > 0 ? json_real((double)s->n_right / n) : json_null(), "lr", u->lr,
                          "grad_norm", u->norm, "tokens_per_second",
                          (double)s->n_token / (s->line_seconds > 0 ? s->line_seconds : 1));
    if (next->n > 0) {
        const double n_next = (double)next->n;
        json_object_set_new(j, "next_loss", json_real(next->loss / n_next));
        json_object_set_new(j, "next_accuracy", json_real((double)next->n_right / n_next));
    }
    IG_TRY(ig_run_log_line(&w->log, j, err));
    s->loss = s->line_seconds = 0;
    s->n_pred = s->n_right = s->n_token = 0;
    return IG_ERR_OK;
}

/* Measures in the middle of a training: a line of measures.jsonl, or of the log. */
static ig_code measure_now(run *w, ig_err *err)
{
    ig_measure_result *m;
    json_t *json;
    const int64_t step = w->state.update;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "measures", err));
    ig_code code = measure(w, m, &json, false, err);
    if (code == IG_ERR_OK)
        code = w->with->plan != NULL
                   ? ig_run_measures_add(w->config->out, step, json, err)
                   : ig_run_log_line(
                         &w->log, json_pack("{s:I, s:o}", "step", (json_int_t)step, "eval", json),
                         err);
    ig_free(m);
    return code;
}

static bool measure_due(const run *w)
{
    return w->with->plan != NULL ? ig_measure_plan_due(w->with->plan, w->state.update)
                                 : w->config->measuring.eval_every > 0 && w->state.update > 0 &&
                                       w->state.update % w->config->measuring.eval_every == 0;
}

/* What is due before the next update: of the untrained model, or of the checkpoint where a stop
 * left it unmeasured. */
static ig_code measure_owed(run *w, ig_err *err)
{
    bool has = true;
    if (w->state.update == w->options.n_update || !measure_due(w))
        return IG_ERR_OK;
    IG_TRY(w->with->plan != NULL ? ig_run_measures_has(&has, w->config->out, w->state.update, err)
                                 : ig_run_measures_logged(&has, w->log.path, w->state.log_bytes,
                                                          w->state.update, err));
    return has ? IG_ERR_OK : measure_now(w, err);
}

/* Of the last line; before the first one, the mean so far. NaN: no token was masked yet. */
static double loss_so_far(const ig_train_state *s)
{
    if (s->line_loss > 0)
        return s->line_loss;
    return s->n_pred > 0 ? s->loss / (double)s->n_pred : (double)NAN;
}

/* What is known of the run so far. */
static void tell(run *w)
{
    ig_run_result *r = w->result;
    const ig_train_state *s = &w->state;
    r->update = s->update;
    const double loss = loss_so_far(s);
    r->loss = isnan(loss) ? 0 : loss;
    r->seconds = s->seconds;
    r->n_token = s->total_token;
    r->tokens_per_second = s->seconds > 0 ? (double)s->total_token / s->seconds : 0;
    r->model_gflops = s->seconds > 0 ? s->total_flop / s->seconds * 1e-9 : 0;
    if (w->with->update != NULL)
        w->with->update(w->with->arg, r);
}

/* `measuring`: what was measured of this update goes with it, and is measured anew. */
static ig_code stopped(const run *w, bool measuring, ig_err *err)
{
    ig_fail(err, IG_ERR_STOPPED, w->config->out, 0,
            "stopped %s %safter update %lld of %lld; all of it is saved", why_stop(w),
            measuring ? "while it was measured, " : "", (long long)w->state.update,
            (long long)w->options.n_update);
    return ig_hint(err, "the same command goes on from there");
}

static ig_code train_loop(run *w, ig_err *err)
{
    const ig_run_config *c = w->config;
    w->saved_at = w->begun = ig_clock();
    tell(w);
    ig_code code = measure_owed(w, err);
    if (code == IG_ERR_STOPPED)
        return stopped(w, true, err);
    IG_TRY(code);
    if (c->save_log_spaced && w->state.update == 0)
        IG_TRY(checkpoint(w, err));
    while (w->state.update < w->options.n_update) {
        ig_trainer_report u;
        double from = ig_clock();
        code = ig_trainer_step(w->trainer, &u, err);
        if (code == IG_ERR_NUMERIC && ig_train_weights_finite(w->model)) {
            /* Weights and moments are still those before this update. */
            ig_err other;
            if (checkpoint(w, &other) != IG_ERR_OK)
                ig_log(IG_LOG_NORMAL, "%s: %s", other.where, other.msg);
        }
        IG_TRY(code);
        IG_TRY(account(w, &u, ig_clock() - from, err));
        tell(w);
        char note[80];
        const double loss = loss_so_far(&w->state);
        const int n = isnan(loss) ? 0 : snprintf(note, sizeof note, "loss %.3f  ", loss);
        snprintf(note + n, sizeof note - (size_t)n, "%.0f tokens/s",
                 (double)w->state.total_token / w->state.seconds);
        ig_progress(u.update, note);
        bool last = u.update == w->options.n_update;
        bool measuring = false;
        if (!last && measure_due(w)) {
            code = measure_now(w, err);
            measuring = code == IG_ERR_STOPPED;
            IG_TRY(measuring ? IG_ERR_OK : code);
        }
        const bool stop = shall_stop(w);
        if (last || stop || save_due(w))
            IG_TRY(checkpoint(w, err));
        if (!last && stop)
            return stopped(w, measuring, err);
    }
    return IG_ERR_OK;
}

static ig_code finish(run *w, ig_err *err)
{
    const ig_run_config *c = w->config;
    ig_run_result *r = w->result;
    IG_TRY(ig_run_dir_link(c->out, w->state.update, err));
    if (w->with->plan == NULL && !c->measuring.eval_end)
        return IG_ERR_OK;
    json_t *json;
    ig_progress_begin("measure", 0);
    ig_code code = measure(w, &r->measure, &json, true, err);
    ig_progress_end();
    if (code == IG_ERR_STOPPED)
        return stopped(w, true, err);
    IG_TRY(code);
    r->measured = true;
    r->peak_memory = ig_peak_memory();
    if (w->with->plan != NULL)
        return ig_run_measures_finish(c->out, r, json, err);
    json_decref(json);
    return ig_folder_json_write(ig_run_json(r), c->out, "eval.json", 9, err);
}

static ig_code open_data(run *w, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(w->config);
    char data[IG_PATH];
    IG_TRY(ig_folder_path(data, w->config->out, err, "data"));
    IG_TRY(ig_setup_open(&w->setup, &settings, data, err));
    if (w->with->plan != NULL)
        IG_TRY(ig_measure_texts_open(&w->texts, w->with->plan, &settings, &w->setup, data, err));
    return ig_setup_pieces(&w->setup, &w->pieces, &w->n_piece, err);
}

/* Folder, record, data, model: until the first update. */
static ig_code begin(run *w, bool *is_new, ig_err *err)
{
    const ig_run_config *c = w->config;
    int64_t step = -1;
    if (w->with->lock < 0)
        IG_TRY(ig_run_dir_lock(&w->lock, c->out, err));
    IG_TRY(ig_run_dir_clean(c->out, err));
    IG_TRY(ig_run_config_claim(c, is_new, err));
    IG_TRY(open_data(w, err));
    IG_TRY(ig_team_new(&w->team, (int)c->threads, err));
    if (c->objective.knn_replace > 0) {
        const ig_knn_job job = {.objective = &c->objective,
                                .run = c->out,
                                .corpus = w->setup.train,
                                .pieces = (const char *const *)w->pieces,
                                .team = w->team,
                                .stop = w->stop};
        IG_TRY(ig_knn_table(&w->near, &job, err));
    }
    IG_TRY(go_on(w, &step, err));
    if (w->with->plan != NULL)
        IG_TRY(ig_run_measures_cut(c->out, step, err));
    return ig_run_log_open(&w->log, c->out, &w->state.log_bytes, err);
}

ig_code ig_run_train_with(const ig_run_config *c, const ig_run_with *with,
                          const volatile sig_atomic_t *stop, ig_run_result *r, ig_err *err)
{
    *r = (ig_run_result){.resumed_from = -1};
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "out", 0, "no folder for the run");
    if (c->trainer != IG_TRAINER_BERT) {
        ig_fail(err, IG_ERR_USAGE, "trainer", 0, "static vectors are no training of a BERT");
        return ig_hint(err, "isoglot embed trains them; as cells of an experiment, isoglot run");
    }
    run w = {.config = c, .with = with, .result = r, .lock = -1, .stop = stop};
    bool made = !ig_dir_exists(c->out), is_new = false;
    ig_code code = begin(&w, &is_new, err);
    if (code != IG_ERR_OK && is_new && with->lock < 0)
        ig_run_dir_abandon(c->out, made);
    if (code == IG_ERR_OK) {
        ig_progress_begin("train", w.options.n_update);
        code = train_loop(&w, err);
        ig_progress_end();
        tell(&w);
    }
    IG_THEN(code, finish(&w, err));
    r->finished = code == IG_ERR_OK;
    r->peak_memory = ig_peak_memory();
    close_run(&w);
    return code;
}

ig_code ig_run_train(const ig_run_config *c, const volatile sig_atomic_t *stop, ig_run_result *r,
                     ig_err *err)
{
    const ig_run_with alone = {.lock = -1};
    return ig_run_train_with(c, &alone, stop, r, err);
}

json_t *ig_run_json(const ig_run_result *r)
{
    json_t *j = r->measured ? ig_measure_json(&r->measure) : json_object();
    json_t *about =
        json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:I}", "updates", (json_int_t)r->update,
                  "parameters", (json_int_t)r->n_parameter, "loss", r->loss, "seconds", r->seconds,
                  "tokens_per_second", r->tokens_per_second, "model_gflops", r->model_gflops,
                  "tokens", (json_int_t)r->n_token, "peak_memory", (json_int_t)r->peak_memory);
    if (j == NULL || json_object_set_new(j, "run", about) != 0) {
        json_decref(j);
        return NULL;
    }
    return j;
}
