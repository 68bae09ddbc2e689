/* SPDX-License-Identifier: Apache-2.0
 *
 * Static vectors as a kind of work: see lab_kind.h; the training itself is run/train/run_embed.h. A
 * run's folder has, beside what every run has,
 *
 *   vectors.bin   word2vec's binary format, a row for each piece
 *   words.json    the pairs of words that were looked up (run/measure/word_retrieval.h)
 *   log.jsonl     one line
 *
 * A training that is killed or stopped has nothing to save and starts again; one whose vectors are
 * there goes on with measuring.
 */
#include "base/file.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "lab/work/lab_kind.h"
#include "run/measure/word_retrieval.h"
#include "run/train/run_embed.h"
#include "run/train/run_measures.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const char vectors_name[] = "vectors.bin";

static int64_t passes(const ig_run_config *c)
{
    return ig_run_embed_passes((ig_trainer_kind)c->trainer, &c->vectors);
}

static ig_run_embed_job job(const ig_run_config *c, const ig_setup *s, const char *folder,
                            ig_team *team)
{
    return (ig_run_embed_job){.trainer = (ig_trainer_kind)c->trainer,
                              .vectors = c->vectors,
                              .dim = ig_run_config_dim(c),
                              .seed = (uint64_t)c->optimisation.seed,
                              .setup = s,
                              .folder = folder,
                              .team = team};
}

/* A pass over the first sentences, carried over to all of them. */
static ig_code time_run(ig_lab_cost *cost, const ig_run_config *c, const ig_measure_plan *plan,
                        const char *data, ig_err *err)
{
    enum { FEW = 1000 };
    ig_setup s;
    ig_team *team = NULL;
    ig_vectors v = {0};
    ig_run_embed_result r = {0};
    const char *given = getenv("TMPDIR"),
               *temporary = given != NULL && given[0] != '\0' ? given : "/tmp";
    int64_t n = 0, some = 0;
    const ig_data_settings settings = ig_run_config_data(c);
    (void)plan;
    IG_TRY(ig_setup_open(&s, &settings, data, err));
    ig_code code = ig_team_new(&team, (int)c->threads, err);
    if (code == IG_ERR_OK) {
        ig_run_embed_job few = job(c, &s, temporary, team);
        few.vectors.embed_epochs = 1;
        few.most = FEW;
        code = ig_run_embed(&v, &r, &few, err);
    }
    for (int k = 0; k < ig_corpus_n_language(s.train); k++) {
        const int64_t all = ig_corpus_n_sequence(s.train, k);
        n += all;
        some += all < FEW ? all : FEW;
    }
    *cost = (ig_lab_cost){.n_parameter = r.n_piece * r.dim,
                          .memory = ig_peak_memory(),
                          .seconds = r.seconds * (double)n / (double)(some > 0 ? some : 1) *
                                     (double)passes(c)};
    ig_vectors_free(&v);
    ig_team_free(team);
    ig_setup_close(&s);
    return code;
}

/* Writes log.jsonl and size.json, which describe the training, then the vectors, which mark it as
 * complete. */
static ig_code keep(const ig_lab_work *w, const ig_vectors *v, const ig_run_embed_result *r,
                    ig_err *err)
{
    char line[256], path[IG_PATH];
    const double tokens = (double)(r->n_token * r->n_pass);
    const int n = snprintf(line, sizeof line,
                           "{\"step\":%lld,\"loss\":%.9g,\"tokens\":%.0f,\"seconds\":%.3f,\"tokens_"
                           "per_second\":%.0f}\n",
                           (long long)r->n_pass, r->loss, tokens, r->seconds,
                           r->seconds > 0 ? tokens / r->seconds : 0);
    IG_TRY(ig_folder_path(path, w->job->item->dir, err, "log.jsonl"));
    IG_TRY(ig_file_write(path, line, n, err));
    IG_TRY(ig_folder_json_write(
        json_pack("{s:I, s:I, s:I, s:I, s:f, s:f}", "updates", (json_int_t)r->n_pass, "parameters",
                  (json_int_t)(r->n_piece * r->dim), "pieces", (json_int_t)r->n_piece, "tokens",
                  (json_int_t)r->n_token, "loss", r->loss, "seconds", r->seconds),
        w->job->item->dir, "size.json", 17, err));
    IG_TRY(ig_folder_path(path, w->job->item->dir, err, "%s", vectors_name));
    return ig_vectors_write(v, path, IG_VEC_BINARY, err);
}

/* The vectors, trained unless they are there. */
static ig_code vectors(ig_vectors *v, const ig_lab_work *w, const ig_setup *s, ig_team *team,
                       ig_err *err)
{
    const char *dir = w->job->item->dir;
    if (!ig_folder_has(dir, vectors_name)) {
        ig_run_embed_result r;
        struct sigaction before, end = {.sa_handler = SIG_DFL};
        if (*w->stop != 0)
            return ig_fail(err, IG_ERR_STOPPED, dir, 0, "stopped before the training");
        /* There is nothing to save on the way: a stop ends it at once. */
        sigaction(SIGTERM, &end, &before);
        const ig_run_embed_job all = job(&w->config, s, dir, team);
        ig_code code = ig_run_embed(v, &r, &all, err);
        IG_THEN(code, keep(w, v, &r, err));
        sigaction(SIGTERM, &before, NULL);
        return code;
    }
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, dir, err, "%s", vectors_name));
    return ig_manifest_vectors(v, path, (ig_vec_how){.format = IG_VEC_BINARY}, team, err);
}

/* The measures of one checkpoint, the last. */
static ig_code measure(const ig_lab_work *w, const ig_setup *s, const ig_vectors *v,
                       const json_t *size, ig_team *team, ig_err *err)
{
    IG_SCOPED(ig_row_set_free) ig_row_set rows = {0};
    const ig_data_settings settings = ig_run_config_data(&w->config);
    const ig_word_query of = {.what = IG_MEASURE_BIT(words),
                              .settings = &settings,
                              .measuring = &w->config.measuring,
                              .setup = s,
                              .folder = w->job->item->dir};
    IG_TRY(ig_word_retrieval_static(&rows, &of, v, &w->job->experiment->measure, team, err));
    const int64_t step = json_integer_value(json_object_get(size, "updates"));
    return ig_run_measures_finish(w->job->item->dir, &(ig_run_measured){step, &rows, NULL}, false,
                                  err);
}

static ig_code make_manifest(json_t **manifest, const ig_lab_work *w, const json_t *size,
                             ig_err *err)
{
    json_t *file, *words;
    const char *dir = w->job->item->dir;
    const double seconds = json_number_value(json_object_get(size, "seconds"));
    const json_int_t passes = json_integer_value(json_object_get(size, "updates")),
                     tokens = json_integer_value(json_object_get(size, "tokens")) * passes;
    IG_TRY(ig_lab_file_json(&file, dir, vectors_name, err));
    ig_code code = ig_lab_file_json(&words, dir, "words.json", err);
    if (code != IG_ERR_OK) {
        json_decref(file);
        return code;
    }
    *manifest =
        json_pack("{s:s, s:I, s:O, s:I, s:o, s:o, s:o, s:{s:f, s:f}}", "kind", "embed", "updates",
                  passes, "parameters", json_object_get(size, "parameters"), "tokens", tokens,
                  "measure", ig_lab_plan_static_json(&w->job->experiment->measure), "vectors", file,
                  "words", words, "training", "seconds", seconds, "tokens_per_second",
                  seconds > 0 ? (double)tokens / seconds : 0);
    return IG_ERR_OK;
}

static ig_code train_and_measure(const ig_lab_work *w, const ig_setup *s, json_t **manifest,
                                 ig_err *err)
{
    ig_team *team;
    ig_vectors v = {0};
    json_auto_t *size = NULL;
    ig_lab_slot *slot = w->slot;
    atomic_store(&slot->n_step, passes(&w->config));
    IG_TRY(ig_team_new(&team, (int)w->config.threads, err));
    ig_code code = vectors(&v, w, s, team, err);
    IG_THEN(code, ig_folder_json(&size, w->job->item->dir, "size.json", err));
    if (code == IG_ERR_OK) {
        atomic_store(&slot->step, atomic_load(&slot->n_step));
        atomic_store(&slot->loss, json_number_value(json_object_get(size, "loss")));
        code = measure(w, s, &v, size, team, err);
    }
    IG_THEN(code, make_manifest(manifest, w, size, err));
    ig_vectors_free(&v);
    ig_team_free(team);
    return code;
}

static ig_code work(const ig_lab_work *w, json_t **manifest, ig_err *err)
{
    ig_setup s;
    /* A finished run that needs more pairs of languages: DONE is removed first. */
    ig_lab_remove_in(w->job->item->dir, "DONE");
    IG_TRY(ig_setup_open_in(&s, &w->config, w->job->item->dir, err));
    const ig_code code = train_and_measure(w, &s, manifest, err);
    ig_setup_close(&s);
    return code;
}

const ig_lab_kind ig_lab_embed = {.name = "embed", .time = time_run, .work = work};
