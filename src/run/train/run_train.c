/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a run: update, log line, checkpoint, measures; see run_train.h.
 */
#include "run/train/run_train.h"

#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/device/cuda/device_cuda.h"
#include "run/data/knn.h"
#include "run/data/setup.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/measure_texts.h"
#include "run/measure/word_retrieval.h"
#include "run/train/course.h"
#include "run/phases.h"
#include "run/train/run_measures.h"
#include "run/train/start_from.h"

#include <math.h>

/* Everything a run holds while it works. */
typedef struct {
    const ig_run_config *config;
    const ig_run_with *with;
    ig_run_result *result;
    int lock; /* −1: not ours to give back */
    ig_setup setup;
    ig_measure_texts texts; /* of the plan */
    ig_team *team;
    ig_course course;
    ig_batcher *batcher;
    ig_phases *phases; /* or NULL */
    ig_batch_options batching;
    ig_neighbour_table near;
} run;

static void close_run(run *w)
{
    ig_course_close(&w->course);
    ig_batcher_free(w->batcher);
    ig_phases_free(w->phases);
    ig_neighbour_table_free(&w->near);
    ig_team_free(w->team);
    ig_measure_texts_close(&w->texts);
    ig_setup_close(&w->setup);
    ig_run_dir_unlock(w->lock);
    *w = (run){.lock = -1};
}

/* Loads a checkpoint's model, which is complete. */
static ig_code load_model(ig_bert **model, const char *dir, ig_err *err)
{
    IG_SCOPED(ig_bert_report_free) ig_bert_report report = {0};
    IG_TRY(ig_bert_load(model, dir, &report, err));
    if (report.n_missing > 0 || report.n_unexpected > 0)
        return ig_fail(err, IG_ERR_INPUT, dir, 0,
                       "%d tensors are missing and %d are unknown: not this run's model",
                       report.n_missing, report.n_unexpected);
    return IG_ERR_OK;
}

static bool keeps(const void *plan, int64_t step)
{
    return ig_measure_plan_keeps(plan, step);
}

/* Memory of a GPU, before anything is made there. */
static ig_code reserve(const run *w, const ig_bert_config *shape, ig_err *err)
{
    const ig_device *device = ig_device_for(shape);
    int64_t bytes;
    if (device->reserve == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_run_device_memory(&bytes, device, shape, w->batcher, err));
    return device->reserve(bytes, w->course.stop, err);
}

/* ig_course's build. */
static ig_code build(void *arg, const char *from, ig_err *err)
{
    run *w = arg;
    const ig_run_config *c = w->config;
    ig_course *k = &w->course;
    const uint64_t seed = (uint64_t)c->optimisation.seed;
    int32_t pad = ig_corpus_get_options(w->setup.train)->pad;
    ig_bert_config shape = ig_run_config_model(c, ig_corpus_vocab_size(w->setup.train), pad);
    w->batching = ig_run_config_batch(c);
    if (c->objective.knn_replace > 0)
        w->batching.near = &w->near;
    ig_batcher_free(w->batcher);
    w->batcher = NULL;
    IG_TRY(ig_batcher_new(&w->batcher, w->setup.train, &w->batching, seed, err));
    IG_TRY(reserve(w, &shape, err));
    if (from != NULL)
        IG_TRY(load_model(&k->model, from, err));
    IG_TRY(ig_setup_fits(&w->setup, &shape, err));
    if (from == NULL && c->model.from != NULL)
        IG_TRY(ig_start_from(&k->model, c, &shape, &w->setup, err));
    else if (from == NULL)
        IG_TRY(ig_bert_new(&k->model, &shape, seed, err));
    k->options = ig_run_config_trainer(c, ig_batcher_steps_per_epoch(w->batcher));
    k->options.source = ig_pretrain_source(w->batcher);
    if (c->objective.phases != NULL) {
        ig_phases_free(w->phases);
        IG_TRY(ig_phases_open(&w->phases, c, w->setup.train, &w->batching, shape.num_hidden_layers,
                              err));
        k->options.source = ig_phases_source(w->phases);
    }
    IG_TRY(ig_course_make(k, w->team, err));
    IG_TRY(ig_start_freeze(ig_trainer_optimizer(k->trainer), k->model, c, err));
    k->keep = (ig_run_keep){.keep = c->keep,
                            .every = c->save_every,
                            .last = k->options.n_update,
                            .log_spaced = c->save_log_spaced,
                            .model = w->with->plan != NULL ? keeps : NULL,
                            .arg = w->with->plan};
    w->result->n_parameter = ig_bert_n_value(k->model);
    w->result->n_update = k->options.n_update;
    w->result->vocab_size = shape.vocab_size;
    w->result->n_sequence = ig_batcher_n_sequence(w->batcher);
    ig_run_instances_warn(&c->objective, w->setup.train);
    ig_setup_warn_lost(&w->setup, &c->objective, w->with->plan != NULL || c->measuring.eval_end);
    return ig_run_measures_mu(w->with->plan)
               ? ig_measure_missing_in(&w->result->missing, w->setup.dev, err)
               : IG_ERR_OK;
}

/* ig_course's write_model. */
static ig_code write_model(void *arg, const char *dir, ig_err *err)
{
    const run *w = arg;
    return ig_setup_save(&w->setup, w->course.model, w->course.state.update, dir, err);
}

static bool shall_stop(const void *arg)
{
    const run *w = arg;
    return ig_course_why_stop(&w->course) != NULL;
}

/* By a plan also the other pairs of languages, the other texts and words in the training text. */
static ig_code measure_planned(run *w, ig_measure_result *m, const ig_measure_with *with,
                               ig_err *err)
{
    const ig_measure_plan *plan = w->with->plan;
    const ig_measure_options *o = &m->options;
    IG_TRY(ig_measure_pairs(m, plan, with, w->setup.dev, o, err));
    IG_TRY(ig_measure_texts_run(m, &w->texts, with, o, err));
    IG_TRY(ig_measure_edits_run(m, plan, &w->setup, with, o, err));
    if (!ig_word_retrieval_in(plan->what))
        return IG_ERR_OK;
    const ig_data_settings settings = ig_run_config_data(w->config);
    const ig_word_query of = {.what = plan->what,
                              .settings = &settings,
                              .measuring = &w->config->measuring,
                              .setup = &w->setup,
                              .most = o->max_sentence,
                              .folder = w->config->out};
    return ig_word_retrieval(m, &of, plan, with, err);
}

static ig_code measure(run *w, ig_measure_result *m, bool last, ig_err *err)
{
    const ig_run_config *c = w->config;
    ig_measure_options o = ig_measure_defaults(&w->batching, (uint64_t)c->optimisation.seed);
    if (w->with->plan != NULL)
        IG_TRY(ig_measure_plan_options(
            &o, w->with->plan, ig_bert_get_config(w->course.model)->num_hidden_layers, last, err));
    else {
        o.n_layer = c->measuring.eval_layers.n;
        for (int i = 0; i < c->measuring.eval_layers.n; i++)
            o.layer[i] = (int)c->measuring.eval_layers.v[i];
    }
    o.perplexity = (ig_variant)c->measuring.perplexity_average;
    o.translation = (ig_variant)c->measuring.translation_words;
    o.pooling = ig_measure_poolings[c->measuring.pooling];
    const ig_measure_with with = {.engine = w->course.engine,
                                  .model = w->course.model,
                                  .team = w->team,
                                  .ops = ig_ops_best(),
                                  .means = w->setup.train,
                                  .stop = {.asked = shall_stop, .arg = w}};
    IG_TRY(ig_measure_run(m, &with, w->setup.train, w->setup.dev, &o, err));
    return w->with->plan != NULL ? measure_planned(w, m, &with, err) : IG_ERR_OK;
}

/* Measures in the middle of a training: a line of measures.jsonl, or of the log. */
static ig_code measure_now(run *w, ig_err *err)
{
    ig_measure_result *m;
    const int64_t step = w->course.state.update;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "measures", err));
    ig_code code = measure(w, m, false, err);
    if (code == IG_ERR_OK)
        code =
            w->with->plan != NULL
                ? ig_run_measures_add(w->config->out,
                                      &(ig_run_measured){step, &m->rows, ig_measure_json(m)}, err)
                : ig_course_log(
                      &w->course,
                      json_pack("{s:I, s:o}", "step", (json_int_t)step, "eval", ig_measure_json(m)),
                      err);
    ig_measure_result_free(m);
    ig_free(m);
    return code;
}

static bool measure_due(const run *w)
{
    return w->with->plan != NULL
               ? ig_checkpoints_due(&w->with->plan->at, w->course.state.update)
               : w->config->measuring.eval_every > 0 && w->course.state.update > 0 &&
                     w->course.state.update % w->config->measuring.eval_every == 0;
}

/* Makes the measures due before the next update: of the untrained model, or of the checkpoint if a
 * stop left it unmeasured. */
static ig_code measure_missed(run *w, ig_err *err)
{
    bool has = true;
    if (w->course.state.update == w->course.options.n_update || !measure_due(w))
        return IG_ERR_OK;
    IG_TRY(w->with->plan != NULL
               ? ig_run_measures_has(&has, w->config->out, w->course.state.update, err)
               : ig_run_measures_logged(&has, w->course.log_path, w->course.state.log_bytes,
                                        w->course.state.update, err));
    return has ? IG_ERR_OK : measure_now(w, err);
}

/* Reports the state of the run. */
static void report(run *w)
{
    ig_run_result *r = w->result;
    const ig_train_state *s = &w->course.state;
    r->update = s->update;
    const double loss = ig_course_loss(&w->course);
    r->loss = isnan(loss) ? 0 : loss;
    r->seconds = s->seconds;
    r->n_token = s->total_token;
    r->tokens_per_second = s->seconds > 0 ? (double)s->total_token / s->seconds : 0;
    r->model_gflops = s->seconds > 0 ? s->total_flop / s->seconds * 1e-9 : 0;
    if (w->with->update != NULL)
        w->with->update(w->with->arg, r);
}

/* `measuring`: measures of this update are discarded, and made again. */
static ig_code stopped(const run *w, bool measuring, ig_err *err)
{
    return ig_course_stopped(&w->course, measuring ? "while it was measured, " : "", err);
}

static ig_code train_loop(run *w, ig_err *err)
{
    w->course.saved_at = w->course.started = ig_clock();
    report(w);
    ig_code code = measure_missed(w, err);
    if (code == IG_ERR_STOPPED)
        return stopped(w, true, err);
    IG_TRY(code);
    if (w->course.state.update == 0 && ig_run_keeps_model(&w->course.keep, 0))
        IG_TRY(ig_course_checkpoint(&w->course, err));
    while (w->course.state.update < w->course.options.n_update) {
        ig_trainer_report u;
        code = ig_course_step(&w->course, &u, err);
        if (code == IG_ERR_NUMERIC && ig_train_weights_finite(w->course.model)) {
            /* Weights and moments are still those before this update. */
            ig_err other;
            if (ig_course_checkpoint(&w->course, &other) != IG_ERR_OK)
                ig_log(IG_LOG_NORMAL, "%s: %s", other.where, other.msg);
        }
        IG_TRY(code);
        report(w);
        bool last = u.update == w->course.options.n_update;
        bool measuring = false;
        if (!last && measure_due(w)) {
            code = measure_now(w, err);
            measuring = code == IG_ERR_STOPPED;
            IG_TRY(measuring ? IG_ERR_OK : code);
        }
        const bool stop = shall_stop(w);
        if (last || stop || ig_course_save_due(&w->course))
            IG_TRY(ig_course_checkpoint(&w->course, err));
        if (!last && stop)
            return stopped(w, measuring, err);
    }
    return IG_ERR_OK;
}

static ig_code finish(run *w, ig_err *err)
{
    const ig_run_config *c = w->config;
    ig_run_result *r = w->result;
    IG_TRY(ig_run_dir_link(c->out, w->course.state.update, err));
    if (w->with->plan == NULL && !c->measuring.eval_end)
        return IG_ERR_OK;
    ig_progress_begin("measure", 0);
    ig_code code = measure(w, &r->measure, true, err);
    ig_progress_end();
    if (code == IG_ERR_STOPPED)
        return stopped(w, true, err);
    IG_TRY(code);
    r->measured = true;
    r->peak_memory = ig_peak_memory();
    if (w->with->plan != NULL)
        return ig_run_measures_finish(
            c->out, &(ig_run_measured){r->update, &r->measure.rows, ig_measure_json(&r->measure)},
            c->measuring.perplexity_average == IG_VARIANT_PAPER_CODE, err);
    return ig_folder_json_write(ig_run_json(r), c->out, "eval.json", 9, err);
}

static ig_code open_data(run *w, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(w->config);
    char data[IG_PATH];
    IG_TRY(ig_folder_path(data, w->config->out, err, "data"));
    IG_TRY(ig_setup_open(&w->setup, &settings, data, err));
    return w->with->plan != NULL
               ? ig_measure_texts_open(&w->texts, w->with->plan, &settings, &w->setup, data, err)
               : IG_ERR_OK;
}

static ig_code open_neighbours(run *w, ig_err *err)
{
    char **pieces;
    int32_t n;
    IG_TRY(ig_setup_pieces(&w->setup, &pieces, &n, err));
    const ig_knn_job job = {.objective = &w->config->objective,
                            .run = w->config->out,
                            .corpus = w->setup.train,
                            .pieces = (const char *const *)pieces,
                            .team = w->team,
                            .stop = w->course.stop};
    const ig_code code = ig_knn_table(&w->near, &job, err);
    ig_free_list(pieces, n);
    return code;
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
    if (c->objective.knn_replace > 0)
        IG_TRY(open_neighbours(w, err));
    IG_TRY(ig_course_resume(&w->course, &step, err));
    w->result->resumed_from = step;
    if (w->with->plan != NULL)
        IG_TRY(ig_run_measures_cut(c->out, step, err));
    return ig_course_open_log(&w->course, err);
}

ig_code ig_run_train_with(const ig_run_config *c, const ig_run_with *with,
                          const volatile sig_atomic_t *stop, ig_run_result *r, ig_err *err)
{
    *r = (ig_run_result){.resumed_from = -1};
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "out", 0, "no folder for the run");
    IG_TRY(ig_device_choose(c->device, err));
    if (c->trainer != IG_TRAINER_BERT) {
        ig_fail(err, IG_ERR_USAGE, "trainer", 0, "static vectors are no training of a BERT");
        return ig_hint(err, "isoglot embed trains them; as cells of an experiment, isoglot run");
    }
    run w = {.config = c,
             .with = with,
             .result = r,
             .lock = -1,
             .course = {.out = c->out,
                        .max_time = c->max_time,
                        .stop = stop,
                        .log_every = c->log_every,
                        .head = IG_HEAD_MASKED,
                        .save_every = c->save_every,
                        .save_seconds = with->save_seconds,
                        .build = build,
                        .write = write_model,
                        .arg = &w}};
    bool made = !ig_dir_exists(c->out), is_new = false;
    ig_code code = begin(&w, &is_new, err);
    if (code != IG_ERR_OK && is_new && with->lock < 0)
        ig_run_dir_abandon(c->out, made);
    if (code == IG_ERR_OK) {
        ig_progress_begin("train", w.course.options.n_update);
        code = train_loop(&w, err);
        ig_progress_end();
        report(&w);
    }
    IG_THEN(code, finish(&w, err));
    r->finished = code == IG_ERR_OK;
    r->peak_memory = ig_peak_memory();
    close_run(&w);
    return code;
}

ig_code ig_run_untrained(const ig_run_config *c, const char *data, const char *dir, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(c);
    ig_setup s;
    ig_bert *model = NULL;
    IG_TRY(ig_dir_make(dir, err));
    IG_TRY(ig_setup_open(&s, &settings, data, err));
    ig_bert_config shape =
        ig_run_config_model(c, ig_corpus_vocab_size(s.train), ig_corpus_get_options(s.train)->pad);
    if (c->trainer != IG_TRAINER_BERT)
        shape.hidden_size = ig_run_config_dim(c); /* a model on static vectors */
    ig_code code = ig_setup_fits(&s, &shape, err);
    IG_THEN(code, ig_bert_new(&model, &shape, (uint64_t)c->optimisation.seed, err));
    IG_THEN(code, ig_setup_save(&s, model, -1, dir, err));
    ig_bert_free(model);
    ig_setup_close(&s);
    return code;
}

ig_code ig_run_train(const ig_run_config *c, const volatile sig_atomic_t *stop, ig_run_result *r,
                     ig_err *err)
{
    const ig_run_with alone = {.lock = -1};
    return ig_run_train_with(c, &alone, stop, r, err);
}

void ig_run_result_free(ig_run_result *r)
{
    ig_measure_result_free(&r->measure);
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
