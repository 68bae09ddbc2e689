/* SPDX-License-Identifier: Apache-2.0
 *
 * Pre-training as a kind of work: see lab_kind.h; the training itself is run/train/run_train.h.
 */
#include "apply/folder/manifest.h"

#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "lab/work/lab_kind.h"
#include "run/data/knn.h"
#include "run/measure/measure_texts.h"
#include "run/train/run_train.h"

#include <stdio.h>
#include <string.h>

static ig_code time_run(ig_lab_cost *cost, const ig_run_config *c, const ig_measure_plan *plan,
                        const char *data, ig_err *err)
{
    ig_run_plan p;
    IG_TRY(ig_run_dry_in(c, plan, data, &p, err));
    *cost = (ig_lab_cost){.n_parameter = p.n_parameter,
                          .memory = p.memory,
                          .device_memory = p.device_memory,
                          .seconds = p.seconds + p.measure_seconds};
    memcpy(cost->no_mu, p.missing.mu, sizeof cost->no_mu);
    return IG_ERR_OK;
}

typedef struct {
    const ig_lab_work *work;
    double before; /* seconds of training that earlier processes spent */
    bool started;
    ig_code code;
    ig_err *err;
} watch;

static ig_code write_size(const ig_lab_work *w, const ig_run_result *r, ig_err *err)
{
    if (ig_folder_has(w->job->item->dir, "size.json"))
        return IG_ERR_OK;
    return ig_folder_json_write(
        json_pack("{s:I, s:I, s:i, s:I}", "updates", (json_int_t)r->n_update, "parameters",
                  (json_int_t)r->n_parameter, "vocab_size", (int)r->vocab_size, "sequences",
                  (json_int_t)r->n_sequence),
        w->job->item->dir, "size.json", 17, err);
}

static void updated(void *arg, const ig_run_result *r)
{
    watch *v = arg;
    ig_lab_slot *s = v->work->slot;
    if (!v->started) {
        v->started = true;
        v->before = r->seconds;
        memcpy(s->cost.no_mu, r->missing.mu, sizeof s->cost.no_mu);
        v->code = write_size(v->work, r, v->err);
        atomic_store(&s->n_step, r->n_update);
        atomic_store(&s->first_step, r->update);
    }
    atomic_store(&s->step, r->update);
    atomic_store(&s->loss, r->loss);
    atomic_store(&s->tokens_per_second, r->tokens_per_second);
    atomic_store(&s->train_seconds, r->seconds - v->before);
}

/* The measures during training are those of the plan of the process that trains. Another experiment
 * that resumes an unfinished run may request other measures, so the folder records the plan it was
 * started with. */
static const char plan_name[] = "measuring.json";
static const char *const trained[] = {"model", "checkpoints", "log.jsonl", "measures.json",
                                      "measures.jsonl"};

/* As "measure" of the manifest of a run of so many updates. */
static json_t *plan_json(const ig_lab_work *w, const ig_measure_plan *plan, int64_t updates)
{
    const ig_measure_languages languages =
        ig_measure_languages_of(&w->config.languages, &w->config.model.parts);
    const ig_bert_config m = ig_run_config_model(&w->config, 6, 0);
    return ig_lab_plan_json(plan, &languages, updates, m.num_hidden_layers);
}

/* Steps as far as they may go: how many updates there are is not known before training. */
enum { ANY_UPDATES = 1 << 30 };

static ig_code note_plan(const ig_lab_work *w, const ig_measure_plan *plan, json_t *curve,
                         ig_err *err)
{
    json_t *j = plan_json(w, plan, ANY_UPDATES);
    if (curve != NULL)
        json_object_set(j, "curve", curve);
    return ig_folder_json_write(j, w->job->item->dir, plan_name, 17, err);
}

/* "measure" of a manifest, without what comes after training. */
static json_t *measured_of(const json_t *manifest)
{
    json_t *j = json_deep_copy(json_object_get(manifest, "measure"));
    json_object_del(j, "tasks");
    json_object_del(j, "missing");
    return j;
}

/* The plan by which an unfinished run has what it has: the one it was started with, or, of a run
 * that was finished and then reopened, that of its manifest. NULL: it has nothing, or cannot be
 * read. */
static json_t *plan_had(const ig_lab_work *w, int64_t *updates)
{
    const char *dir = w->job->item->dir;
    json_t *had = NULL;
    json_auto_t *m = NULL;
    *updates = ANY_UPDATES;
    if (ig_folder_has(dir, plan_name)) {
        (void)ig_folder_json(&had, dir, plan_name, NULL);
        return had;
    }
    if (!ig_folder_has(dir, "manifest.json") ||
        ig_folder_json(&m, dir, "manifest.json", NULL) != IG_ERR_OK)
        return NULL;
    *updates = json_integer_value(json_object_get(m, "updates"));
    return measured_of(m);
}

static bool is_by_plan(const ig_lab_work *w, const ig_measure_plan *plan)
{
    const char *dir = w->job->item->dir;
    int64_t updates;
    if (!ig_folder_has(dir, plan_name) && !ig_folder_has(dir, "manifest.json"))
        return true; /* it has nothing */
    json_auto_t *had = plan_had(w, &updates), *now = plan_json(w, plan, updates);
    json_object_del(had, "curve");
    return json_equal(had, now);
}

/* A run that was finished, and then reopened and stopped, keeps the measures of before beside those
 * requested, as in reopen. */
static void join_stopped(ig_measure_plan *plan, json_t **curve, const ig_lab_work *w)
{
    const char *dir = w->job->item->dir;
    char data[IG_PATH];
    int64_t updates;
    json_auto_t *had = plan_had(w, &updates);
    if (had == NULL || !ig_folder_has(dir, "manifest.json"))
        return;
    *plan = ig_lab_plan_union(had, plan, ig_run_config_model(&w->config, 6, 0).num_hidden_layers);
    *curve = json_incref(json_object_get(had, "curve"));
    if (ig_folder_path(data, dir, NULL, "data") == IG_ERR_OK)
        ig_measure_texts_keep(plan, data);
}

/* Resumes an unfinished run that was started with another plan, whose measures during training are
 * not those requested. With a curve it is trained from the beginning, which gives the same bits;
 * otherwise only these measures are removed. */
static void resume(ig_measure_plan *plan, json_t **curve, const ig_lab_work *w)
{
    join_stopped(plan, curve, w);
    if (is_by_plan(w, plan))
        return;
    json_decref(*curve);
    *curve = NULL;
    for (size_t i = 0; i < sizeof trained / sizeof *trained; i++)
        if (plan->at.kind != IG_CHECKPOINTS_END || plan->n_kept > 0 ||
            strncmp(trained[i], "measures.", 9) == 0)
            ig_lab_remove_in(w->job->item->dir, trained[i]);
}

/* A finished run that is to be measured otherwise: DONE goes first, so that a kill leaves a run
 * that is not done; the new plan is noted last, so that until then what the run has is known to be
 * by the plan of its manifest. *curve: what its measures during training are of, if they stay. */
static ig_code reopen(ig_measure_plan *plan, json_t **curve, const ig_lab_work *w, ig_err *err)
{
    const char *dir = w->job->item->dir;
    char path[IG_PATH];
    json_t *m;
    IG_TRY(ig_folder_json(&m, dir, "manifest.json", err));
    char why[IG_LAB_WHY];
    const ig_lab_cover cover = ig_lab_manifest_covers(why, m, &w->job->experiment->measure);
    *plan = ig_lab_plan_union(json_object_get(m, "measure"), plan,
                              (int)json_integer_value(json_object_get(m, "layers")));
    if (cover != IG_LAB_TRAIN_AGAIN)
        *curve = ig_lab_plan_curve(json_object_get(m, "measure"));
    json_decref(m);
    if (cover != IG_LAB_TRAIN_AGAIN) { /* the model that is there is measured again */
        IG_TRY(ig_run_latest(path, dir, err));
        IG_TRY(ig_manifest_check(path, err));
    }
    IG_TRY(ig_folder_path(path, dir, err, "data"));
    ig_measure_texts_keep(plan, path);
    ig_lab_remove_in(dir, "DONE");
    for (size_t i = 0; i < sizeof trained / sizeof *trained && cover == IG_LAB_TRAIN_AGAIN; i++)
        ig_lab_remove_in(dir, trained[i]);
    return IG_ERR_OK;
}

static ig_code model_json(json_t **out, const ig_lab_work *w, const ig_run_result *r, ig_err *err)
{
    char path[IG_PATH], hex[IG_SHA256_HEX], name[80];
    snprintf(name, sizeof name, "checkpoints/step-%08lld", (long long)r->update);
    IG_TRY(ig_folder_path(path, w->job->item->dir, err, "%s/model.safetensors", name));
    IG_TRY(ig_sha256_file(hex, path, err));
    *out = json_pack("{s:I, s:s, s:s}", "step", (json_int_t)r->update, "path", name, "sha256", hex);
    return IG_ERR_OK;
}

/* Adds files beside the model that were used for training, or were requested. */
static ig_code add_files(json_t *manifest, const char *dir, ig_err *err)
{
    json_t *words, *neighbours;
    IG_TRY(ig_lab_file_json(&words, dir, "words.json", err));
    if (words != NULL)
        json_object_set_new(manifest, "words", words);
    IG_TRY(ig_knn_json(&neighbours, dir, err));
    if (neighbours != NULL)
        json_object_set_new(manifest, "neighbours", neighbours);
    return IG_ERR_OK;
}

/* Adds the quantities of the finished model that could not be computed to "measure" of the
 * manifest: {"en-de": {"mu": why, …}, …}. */
static void add_missing(json_t *measure, const ig_measure_result *r)
{
    json_auto_t *missing = r->of_pairs != NULL ? json_deep_copy(r->of_pairs) : json_object();
    ig_measure_missing first;
    ig_measure_missing_of(&first, r);
    json_t *why = ig_measure_missing_json(&first);
    if (why != NULL)
        json_object_set_new(missing, r->pair, why);
    if (json_object_size(missing) > 0)
        json_object_set(measure, "missing", missing);
}

static ig_code train(const ig_lab_work *w, const ig_measure_plan *plan, json_t *curve,
                     ig_run_result *r, json_t **manifest, ig_err *err)
{
    ig_err other = {0};
    watch v = {.work = w, .err = &other};
    const ig_run_with with = {.plan = plan,
                              .lock = w->lock,
                              .save_seconds = w->job->save_seconds,
                              .update = updated,
                              .arg = &v};
    ig_run_config c = w->config; /* a shallow copy */
    c.max_time = 0;
    c.save_every = 0;
    ig_code code = ig_run_train_with(&c, &with, w->stop, r, err);
    if (code == IG_ERR_OK && v.code != IG_ERR_OK) {
        *err = other;
        code = v.code;
    }
    json_t *model = NULL;
    IG_THEN(code, model_json(&model, w, r, err));
    if (code != IG_ERR_OK)
        return code;
    const ig_bert_config m = ig_run_config_model(&c, r->vocab_size, 0);
    const ig_measure_languages languages = ig_measure_languages_of(&c.languages, &c.model.parts);
    *manifest =
        json_pack("{s:s, s:I, s:i, s:I, s:I, s:I, s:o, s:o, s:{s:f, s:f, s:f}}", "kind", "pretrain",
                  "updates", (json_int_t)r->update, "layers", m.num_hidden_layers, "parameters",
                  (json_int_t)r->n_parameter, "sequences", (json_int_t)r->n_sequence, "tokens",
                  (json_int_t)r->n_token, "measure",
                  ig_lab_plan_json(plan, &languages, r->n_update, m.num_hidden_layers), "model",
                  model, "training", "seconds", r->seconds, "tokens_per_second",
                  r->tokens_per_second, "model_gflops", r->model_gflops);
    if (curve != NULL)
        json_object_set(json_object_get(*manifest, "measure"), "curve", curve);
    code = add_files(*manifest, w->job->item->dir, err);
    if (code == IG_ERR_OK)
        add_missing(json_object_get(*manifest, "measure"), &r->measure);
    if (code != IG_ERR_OK) {
        json_decref(*manifest);
        *manifest = NULL;
    }
    return code;
}

static ig_code work(const ig_lab_work *w, json_t **manifest, ig_err *err)
{
    IG_OWNED ig_measure_plan *plan = NULL;
    IG_OWNED ig_run_result *r = NULL;
    IG_TRY(ig_alloc(&plan, 1, sizeof *plan, "measures", err));
    *plan = w->job->experiment->measure;
    plan->n_task = 0; /* come afterwards */
    ig_code code = IG_ERR_OK;
    json_auto_t *curve = NULL;
    if (ig_folder_has(w->job->item->dir, "DONE"))
        code = reopen(plan, &curve, w, err);
    else
        resume(plan, &curve, w);
    IG_THEN(code, note_plan(w, plan, curve, err));
    IG_THEN(code, ig_alloc(&r, 1, sizeof *r, "result", err));
    IG_THEN(code, train(w, plan, curve, r, manifest, err));
    if (r != NULL)
        ig_run_result_free(r);
    return code;
}

const ig_lab_kind ig_lab_pretrain = {.name = "pretrain", .time = time_run, .work = work};
