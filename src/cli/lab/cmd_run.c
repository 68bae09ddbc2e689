/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot run: finishes what is missing of an experiment, and shows how far it is.
 */
#include "base/file.h"

#include "apply/folder/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/strings/append.h"
#include "base/strings/shell_word.h"
#include "base/strings/time_text.h"
#include "cli/commands.h"
#include "cli/lab/lab_options.h"
#include "cli/lab/run_claims.h"
#include "cli/lab/run_lacking.h"
#include "cli/print/print.h"
#include "cli/signals.h"
#include "lab/estimate/cost.h"
#include "lab/launcher.h"
#include "lab/report/lab_report.h"
#include "lab/runs/lab_list.h"
#include "model/device/cuda/device_cuda.h"
#include "report/table/table_format.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    ig_lab_place place;
    ig_lab_options o;
    ig_launch how;
    char *claims;
    int launcher;
    bool dry_run, json;
} run_config;

static const ig_option options[] = {
    {.group = "Work",
     IG_INT(run_config, "jobs", o.jobs, "0", 0, 1024, "runs at once; 0: processors / threads")},
    {IG_INT(run_config, "threads", o.threads, "0", 0, 1024,
            "threads of a run; 0: processors / jobs; both 0: as many jobs as processors")},
    {IG_TEXT(run_config, "device", o.device, NULL, "NAME",
             "cpu, or a GPU: cuda, cuda:1; there, cells that need a GPU run without being named")},
    {IG_TEXT(run_config, "only", o.selector, NULL, "SELECTOR",
             "cells and seeds: 8  8,1?  8:0  '*:0-2'  batch=64  lang-pos")},
    {IG_TEXT(run_config, "claims", claims, NULL, "undecided",
             "only what would decide the file's claims that are undecided or not measured: first "
             "the claim that the least computing would decide, with all seeds of its cells")},
    {IG_TIME(run_config, "max-time", o.max_time, "0",
             "save and stop after so long: seconds, 90m, 2h, 1h30m; 0: no limit")},
    {IG_TIME(run_config, "save-every", o.save_every, "60s",
             "time between checkpoints of a run; 0: only when it stops, and at its end")},
    {IG_FLAG(run_config, "retry", o.retry, NULL, "try failed runs again")},
    {IG_FLAG(run_config, "dry-run", dry_run, NULL,
             "print what would be run, with memory and time from a short calibration, and stop")},
    {IG_FLAG(run_config, "json", json, NULL, "result as JSON")},
    IG_LAB_PLACE_OPTIONS(run_config, place),
    {.group = "Many machines",
     IG_ENUM(run_config, "launcher", launcher, "local", ig_launcher_names,
             "who starts the work: this process, or a job script for Slurm")},
    {IG_INT(run_config, "array", how.array, "0", 0, 100000,
            "tasks of the job array; 0: as many as runs are missing")},
    {IG_TEXT(run_config, "sbatch-args", how.arguments, NULL, "TEXT",
             "more options for sbatch, as in --sbatch-args='--partition=cpu --mem=4G'")},
    {IG_FLAG(run_config, "submit", how.submit, NULL,
             "hand the job script to sbatch; else it is only written")},
    {IG_FLAG(run_config, "worker", o.worker, NULL,
             "one of several workers: do not wait for the others' runs, do not write the store's "
             "index")},
};

/* A dry run answers by then, with what it knows; reading the file and stopping take a little more.
 */
static const double answer_seconds = 7;

/* --- what is shown while it works
 * ----------------------------------------------------------------- */

typedef struct {
    int n_run, n_done, n_failed;
    double left;
} view;

static void show_event(void *arg, const ig_lab_event *e)
{
    static const char *const words[] = {"begun",   "resumed", "done",           "FAILED",
                                        "stopped", "killed",  "done elsewhere", "has no \xCE\xBC"};
    view *v = arg;
    char time[IG_TIME_TEXT];
    const bool quiet = e->kind == IG_LAB_BEGUN || e->kind == IG_LAB_RESUMED;
    if (quiet && ig_progress_shown())
        return;
    if (e->kind == IG_LAB_DONE || e->kind == IG_LAB_ELSEWHERE)
        v->n_done++;
    v->n_failed += e->kind == IG_LAB_FAILED;
    char counts[96] = "";
    if (e->kind == IG_LAB_DONE || e->kind == IG_LAB_ELSEWHERE) {
        ig_append(counts, sizeof counts, "  (%d of %d", v->n_done, v->n_run);
        if (!isnan(v->left) && v->left > 0 && v->n_done < v->n_run)
            ig_append(counts, sizeof counts, ", about %s left", ig_time_text(time, v->left));
        ig_append(counts, sizeof counts, ")");
    }
    ig_log(quiet ? IG_LOG_VERBOSE : IG_LOG_NORMAL, "%s:%lld %s%s%s%s%s%s", e->cell,
           (long long)e->seed, words[e->kind], e->seconds > 0 ? " after " : "",
           e->seconds > 0 ? ig_time_text(time, e->seconds) : "", e->message[0] != '\0' ? ": " : "",
           e->message, counts);
}

static void show_progress(void *arg, const ig_lab_progress *p)
{
    enum { WIDTH = 24, ROWS = 16 };
    view *v = arg;
    char text[4096] = "", time[IG_TIME_TEXT];
    v->n_run = p->n_run;
    v->n_done = p->n_done;
    v->left = p->left;
    ig_append(text, sizeof text, "[");
    const int full = p->n_run > 0 ? p->n_done * WIDTH / p->n_run : WIDTH;
    for (int i = 0; i < WIDTH; i++)
        ig_append(text, sizeof text, "%c", i < full ? '#' : '.');
    ig_append(text, sizeof text, "] %d of %d done, %d running", p->n_done, p->n_run, p->n_running);
    if (p->n_elsewhere > 0)
        ig_append(text, sizeof text, ", %d elsewhere", p->n_elsewhere);
    if (p->n_failed > 0)
        ig_append(text, sizeof text, ", %d failed", p->n_failed);
    if (!isnan(p->left))
        ig_append(text, sizeof text, ", about %s left", ig_time_text(time, p->left));
    ig_append(text, sizeof text, "\n");
    for (int i = 0; i < p->n_running && i < ROWS; i++) {
        ig_append(text, sizeof text, "  %s:%lld", p->running[i].cell,
                  (long long)p->running[i].seed);
        if (p->running[i].n_step == 0)
            ig_append(text, sizeof text, "  preparing data\n");
        else if (p->running[i].step >= p->running[i].n_step)
            ig_append(text, sizeof text, "  measuring\n");
        else
            ig_append(text, sizeof text, "  %lld/%lld  loss %.3f  %.0f tokens/s\n",
                      (long long)p->running[i].step, (long long)p->running[i].n_step,
                      p->running[i].loss, p->running[i].tokens_per_second);
    }
    if (p->n_running > ROWS)
        ig_append(text, sizeof text, "  … and %d more\n", p->n_running - ROWS);
    ig_board(text);
}

/* --- results
 * -------------------------------------------------------------------------------------- */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The cells of the selection, with as many seeds as are selected. */
static ig_code print_cells(const ig_experiment *e, const char *selector, ig_err *err)
{
    IG_OWNED bool *on = NULL;
    int64_t stride;
    int width = 20;
    IG_TRY(ig_experiment_select(&on, &stride, e, selector != NULL ? selector : "*", err));
    for (int i = 0; i < e->n_cell; i++)
        width = larger(width, ig_text_width(e->cell[i].name));
    for (int i = 0; i < e->n_cell; i++) {
        const ig_cell *c = &e->cell[i];
        int n = 0;
        for (int s = 0; s < c->n_seed; s++)
            n += on[i * stride + s];
        if (n > 0)
            printf("  %s%*s %s, %d seed%s%s\n", c->name, width - ig_text_width(c->name), "",
                   c->label, n, ig_s(n),
                   c->needs & IG_NEEDS_GPU ? " (takes a CPU weeks: by name, or with --device)"
                                           : "");
    }
    return IG_ERR_OK;
}

/* Reports, once for each TASK.yaml, examples of the tasks' files that are left out, or in two
 * splits. A file that cannot be read is among the expected failures. */
static void report_tasks(const ig_experiment *e)
{
    for (int i = 0; i < e->n_task; i++) {
        const char *file = e->task[i].file;
        ig_task *t = NULL;
        int before = 0;
        while (file != NULL && before < i &&
               (e->task[before].file == NULL || strcmp(e->task[before].file, file) != 0))
            before++;
        if (file == NULL || before < i ||
            ig_task_read(file, e->task[i].root, &t, NULL) != IG_ERR_OK)
            continue;
        ig_task_counts_report(t, e->task[i].name);
        ig_task_free(t);
    }
}

/* Fails at the line in the file of an expected failure, if there is one. */
static ig_code will_fail(const ig_lab_plan *p, ig_err *err)
{
    if (p->n_impossible == 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, p->why.where, p->why.line, "%d run%s will fail: %s", p->n_impossible,
            ig_s(p->n_impossible), p->why.msg);
    return p->why.hint[0] != '\0' ? ig_hint(err, "%s", p->why.hint) : IG_ERR_INPUT;
}

/* "about 2 h (4 h of one core), by the seconds of 3 finished runs and a few updates of 2 shapes" */
static void print_time(const ig_lab_plan *p, const ig_lab_options *o)
{
    char time[IG_TIME_TEXT], core[IG_TIME_TEXT];
    if (isnan(p->seconds)) {
        printf("nothing could be timed within %.0f s; some %s of one core, by the number of "
               "operations (%.2g) at %.0f GFLOP/s\n",
               o->answer_seconds, ig_time_text(core, p->operations / IG_COST_RATE), p->operations,
               IG_COST_RATE * 1e-9);
        return;
    }
    printf("at most %lld parameters; about %.0f MB for %d job%s of %d thread%s\n",
           (long long)p->largest_parameters, (double)p->memory * 1e-6, p->jobs, ig_s(p->jobs),
           p->threads, ig_s(p->threads));
    if (p->device_memory > 0)
        printf("about %.0f MB of %s for the largest run, of one shape as many at once as it has "
               "room for; the time is a processor's\n",
               (double)p->device_memory * 1e-6, o->device);
    printf("about %s (%s of one core)", ig_time_text(time, p->seconds),
           ig_time_text(core, p->core_seconds));
    if (p->n_recorded > 0)
        printf(", by the seconds of %d finished run%s", p->n_recorded, ig_s(p->n_recorded));
    if (p->n_shape > 0)
        printf("%s a few updates of %d shape%s on this machine",
               p->n_recorded > 0 ? " and" : ", from", p->n_shape, ig_s(p->n_shape));
    if (p->n_recorded == 0 && p->n_shape == 0)
        printf(", by the seconds that results beside the file recorded, on whatever machine");
    else if (p->n_untimed > 0)
        printf(" (%d more by %s operations)", p->n_untimed, p->n_untimed == 1 ? "its" : "their");
    putchar('\n');
    if (p->n_tuning > 0)
        printf("of these %s of one core for %d fine-tuning%s\n",
               ig_time_text(core, p->tuning_core_seconds), p->n_tuning, ig_s(p->n_tuning));
}

/* Where the card is here, whether it has so much. */
static ig_code fits_device(const ig_lab_plan *p, const ig_lab_options *o, ig_err *err)
{
    if (p->device_memory == 0 || ig_device_choose(o->device, NULL) != IG_ERR_OK)
        return IG_ERR_OK;
    return ig_device_default()->reserve(p->device_memory, NULL, err);
}

static ig_code print_plan(const run_config *c, const ig_experiment *e, const ig_lab_options *o,
                          ig_err *err)
{
    ig_lab_plan p;
    char decided[IG_LAB_DECIDED];
    IG_TRY(ig_lab_dry(&p, e, o, err));
    if (c->json) {
        json_t *never;
        IG_TRY(ig_lab_claims_never(&never, e, &p, o->selector, err));
        IG_TRY(ig_json_print(
            json_pack(
                "{s:o, s:s, s:b, s:{s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:i, s:i, s:i, s:i, s:i, "
                "s:I, s:I, s:I, s:o, s:o, s:i, s:o, s:o, s:o}}",
                "experiment", ig_experiment_json(e), "store", o->store, "store_new",
                !ig_dir_exists(o->store), "plan", "cells", p.n_cell, "runs", p.n_run, "done",
                p.n_done, "failed", p.n_failed, "skipped", p.n_skipped, "impossible",
                p.n_impossible, "problem", p.problem, "jobs", p.jobs, "threads", p.threads,
                "shapes", p.n_shape, "shapes_untimed", p.n_untimed, "runs_recorded", p.n_recorded,
                "parameters", (json_int_t)p.largest_parameters, "memory_bytes",
                (json_int_t)p.memory, "device_memory_bytes", (json_int_t)p.device_memory,
                "core_seconds", ig_json_number(p.core_seconds), "seconds",
                ig_json_number(p.seconds), "tunings", p.n_tuning, "tuning_core_seconds",
                ig_json_number(p.tuning_core_seconds), "no_mu", ig_run_no_mu_json(&p),
                "claims_not_decided", never),
            err));
        IG_TRY(fits_device(&p, o, err));
        return will_fail(&p, err);
    }
    const int n_left = p.n_run - p.n_done - (o->retry ? 0 : p.n_failed);
    printf("%s: %d cell%s, %d run%s: %d done, %d failed, %d to do%s\n", e->name, p.n_cell,
           ig_s(p.n_cell), p.n_run, ig_s(p.n_run), p.n_done, p.n_failed, n_left,
           p.n_failed > 0 && !o->retry ? " (--retry tries failed runs again)" : "");
    IG_TRY(print_cells(e, o->selector, err));
    if (p.n_skipped > 0)
        printf("%d run%s more need%s what is not here and %s left out\n", p.n_skipped,
               ig_s(p.n_skipped), p.n_skipped == 1 ? "s" : "", p.n_skipped == 1 ? "is" : "are");
    if (p.n_impossible > 0)
        printf("%d run%s will fail: %s\n", p.n_impossible, ig_s(p.n_impossible), p.problem);
    ig_run_print_no_mu(&p);
    IG_TRY(ig_lab_claims_decided(decided, e, err));
    if (decided[0] != '\0')
        puts(decided);
    IG_TRY(ig_run_say_never(stdout, e, &p, o->selector, err));
    printf("results go to %s%s\n", o->store, ig_dir_exists(o->store) ? "" : " (new)");
    if (n_left > 0)
        report_tasks(e);
    if (n_left - p.n_impossible <= 0)
        return will_fail(&p, err);
    print_time(&p, o);
    IG_TRY(fits_device(&p, o, err));
    return will_fail(&p, err);
}

/* The failed runs, as an array of JSON or as lines; the first one's code. */
static ig_code failures(json_t **list, ig_code *first, const ig_experiment *e,
                        const ig_lab_options *o, ig_err *err)
{
    ig_lab_state *s;
    int n;
    *first = IG_ERR_OK;
    *list = json_array();
    IG_TRY(ig_lab_status(&s, &n, e, o->store, err));
    for (int i = 0; i < n; i++) {
        if (s[i].status != IG_RUN_FAILED)
            continue;
        char dir[4096];
        json_t *j;
        snprintf(dir, sizeof dir, "%s/runs/%s", o->store, s[i].address);
        if (*first == IG_ERR_OK && ig_folder_json(&j, dir, "failed.json", NULL) == IG_ERR_OK) {
            *first = (ig_code)json_integer_value(json_object_get(j, "code"));
            json_decref(j);
        } else if (*first == IG_ERR_OK && ig_folder_has(dir, "DONE")) /* damaged */
            *first = IG_ERR_INPUT;
        json_array_append_new(*list,
                              json_pack("{s:s, s:I, s:s, s:s}", "cell", e->cell[s[i].cell].name,
                                        "seed", (json_int_t)s[i].seed, "address", s[i].address,
                                        "message", s[i].message));
    }
    ig_free(s);
    return IG_ERR_OK;
}

static json_t *result_json(const ig_experiment *e, const ig_lab_result *r, const char *store,
                           json_t *failed)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:b, s:f, s:o, s:o, s:O}", "experiment",
                     e->name, "store", store, "runs", r->n_run, "done", r->n_done, "failed",
                     r->n_failed, "missing", r->n_missing, "skipped", r->n_skipped, "stopped",
                     (int)r->stopped, "seconds", r->seconds, "estimated_seconds",
                     ig_json_number(r->estimated), "estimated_after_seconds",
                     ig_json_number(r->estimated_after), "failures", failed);
}

static void print_result(const run_config *c, const char *file, const ig_experiment *e,
                         const ig_lab_result *r, const json_t *failed)
{
    char time[IG_TIME_TEXT], guess[IG_TIME_TEXT], after[IG_TIME_TEXT];
    printf("%s: %d of %d run%s done", e->name, r->n_done, r->n_run, ig_s(r->n_run));
    if (r->n_failed > 0)
        printf(", %d failed", r->n_failed);
    if (r->n_missing > 0)
        printf(c->o.worker && !r->stopped ? ", %d left to others" : ", %d missing", r->n_missing);
    if (r->n_skipped > 0)
        printf(" (%d more need what is not here)", r->n_skipped);
    printf("; %s", ig_time_text(time, r->seconds));
    if (isfinite(r->estimated) && !r->stopped && r->n_missing == 0)
        printf(", estimated after %s: %s (%+.0f %%)", ig_time_text(after, r->estimated_after),
               ig_time_text(guess, r->estimated), (r->estimated / r->seconds - 1) * 100);
    putchar('\n');
    size_t i;
    const json_t *f;
    json_array_foreach(failed, i, f)
    {
        printf("failed  %s:%lld  %s\n", json_string_value(json_object_get(f, "cell")),
               (long long)json_integer_value(json_object_get(f, "seed")),
               json_string_value(json_object_get(f, "message")));
    }
    if (r->n_missing == 0 && !c->o.worker) {
        fputs("isoglot report ", stdout);
        ig_shell_word(stdout, file);
        ig_lab_place_print(stdout, &c->place);
        puts("  prints its tables");
    }
}

typedef struct {
    const run_config *c;
    const char *file; /* as it was given */
    const ig_experiment *e;
    ig_lab_options *o;
} job;

static ig_code finish(const job *j, const ig_lab_result *r, ig_code code, ig_err *err)
{
    json_t *failed = NULL;
    ig_code first, shown = IG_ERR_OK;
    if (code != IG_ERR_OK && code != IG_ERR_STOPPED)
        return code;
    IG_TRY(failures(&failed, &first, j->e, j->o, code == IG_ERR_OK ? err : NULL));
    if (j->c->json)
        shown = ig_json_print(result_json(j->e, r, j->o->store, failed), err);
    else
        print_result(j->c, j->file, j->e, r, failed);
    json_decref(failed);
    IG_TRY(shown);
    if (code == IG_ERR_STOPPED)
        return ig_hint(err, "the same command resumes from there");
    if (r->n_failed == 0)
        return IG_ERR_OK;
    ig_fail(err, first != IG_ERR_OK ? first : IG_ERR_IO, j->file, 0, "%d of %d run%s failed",
            r->n_failed, r->n_run, ig_s(r->n_run));
    return ig_hint(err, "once the reason is gone, the same command with --retry tries them again");
}

static ig_code launch(const job *j, ig_err *err)
{
    const run_config *c = j->c;
    const ig_experiment *e = j->e;
    ig_lab_options *o = j->o;
    view v = {.left = (double)NAN};
    ig_launch how = c->how;
    how.program = "/proc/self/exe";
    how.file = j->file;
    how.variant = c->place.variant;
    how.set = (const char *const *)c->place.set.text;
    how.n_set = c->place.set.n;
    how.data = c->place.data;
    ig_launched out = {0};
    o->event = show_event;
    o->progress = show_progress;
    o->arg = &v;
    ig_code code = ig_launchers[c->launcher].launch(&out, e, o, &how, err);
    ig_board(NULL);
    if (out.here)
        code = finish(j, &out.result, code, err);
    else if (code == IG_ERR_OK && out.script == NULL)
        printf("%s: nothing is missing\n", e->name);
    else if (code == IG_ERR_OK && c->json)
        code = ig_json_print(json_pack("{s:s, s:i, s:s}", "script", out.script, "tasks", out.n_task,
                                       "answer", out.answer),
                             err);
    else if (code == IG_ERR_OK) {
        printf("%s  has %d task%s\n", out.script, out.n_task, ig_s(out.n_task));
        printf("%s\n", how.submit ? out.answer : "submit it with sbatch, or give --submit");
    }
    ig_launched_free(&out);
    return code;
}

/* Decides one open claim after the other, until no run is missing or the time is up. */
static ig_code launch_claims(const job *j, ig_err *err)
{
    const run_config *c = j->c;
    const ig_experiment *e = j->e;
    ig_lab_options *o = j->o;
    const double start = ig_clock();
    char *selector = NULL;
    bool *tried;
    IG_TRY(ig_alloc(&tried, e->n_claim, sizeof *tried, "claims", err));
    ig_code code = ig_run_claims_next(&selector, tried, e, o->store, err);
    while (code == IG_ERR_OK && selector != NULL) {
        o->selector = selector;
        if (c->o.max_time > 0)
            o->max_time = fmax(c->o.max_time - (ig_clock() - start), 1e-3);
        code = launch(j, err);
        ig_free(selector);
        selector = NULL;
        IG_THEN(code, ig_run_claims_next(&selector, tried, e, o->store, err));
    }
    IG_FREE(selector, tried);
    return code == IG_ERR_OK && !c->json ? ig_run_claims_left(e, o->store, err) : code;
}

/* Checks for options that --claims cannot be combined with. */
static ig_code check_claims(const run_config *c, const ig_experiment *e, ig_err *err)
{
    if (strcmp(c->claims, "undecided") != 0)
        return ig_fail(err, IG_ERR_USAGE, "--claims", 0, "found '%.40s', expected undecided",
                       c->claims);
    if (c->o.selector != NULL || c->o.worker ||
        strcmp(ig_launcher_names[c->launcher], "local") != 0)
        return ig_fail(err, IG_ERR_USAGE, "--claims", 0,
                       "found with --only, --worker or --launcher, expected without");
    return e->n_claim > 0 ? IG_ERR_OK
                          : ig_fail(err, IG_ERR_USAGE, e->path, 0,
                                    "found no claims, expected some for --claims");
}

/* The dry run of all that open claims lack. */
static ig_code plan_claims(const run_config *c, const ig_experiment *e, ig_lab_options *o,
                           ig_err *err)
{
    char *selector;
    IG_TRY(ig_run_claims_all(&selector, e, o->store, err));
    o->selector = selector;
    const ig_code code =
        selector != NULL ? print_plan(c, e, o, err) : ig_run_claims_left(e, o->store, err);
    ig_free(selector);
    return code;
}

/* Options that only another launcher reads would be ignored silently. */
static ig_code check_launcher(const run_config *c, ig_err *err)
{
    const char *option = c->how.submit              ? "--submit"
                         : c->how.array > 0         ? "--array"
                         : c->how.arguments != NULL ? "--sbatch-args"
                                                    : NULL;
    if (option == NULL || strcmp(ig_launcher_names[c->launcher], "slurm") == 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_USAGE, option, 0, "found without --launcher slurm, expected with it");
    return ig_hint(err, "it says how a job array is handed to Slurm; here runs are processes of "
                        "this machine");
}

/* A mistake in the selector is reported before anything else. */
static ig_code check_selector(const ig_experiment *e, const char *selector, ig_err *err)
{
    IG_OWNED bool *on = NULL;
    int64_t stride;
    IG_TRY(ig_experiment_select(&on, &stride, e, selector != NULL ? selector : "*", err));
    return IG_ERR_OK;
}

static ig_code run_experiment(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const run_config *c = config;
    (void)n_arg;
    ig_experiment e = {0};
    IG_TRY(check_launcher(c, err));
    if (strcmp(arg[0], "-") == 0 && strcmp(ig_launcher_names[c->launcher], "local") != 0)
        return ig_fail(err, IG_ERR_USAGE, "--launcher", 0,
                       "the experiment is read from standard input, expected a file: every task "
                       "reads it");
    ig_lab_options o = c->o;
    o.store = ig_lab_store(c->place.store);
    o.answer_seconds = answer_seconds;
    IG_TRY(ig_lab_place_read(&e, arg[0], &c->place, err));
    ig_code code = ig_experiment_check(&e, err);
    IG_THEN(code, check_selector(&e, c->o.selector, err));
    int card;
    if (c->o.device != NULL)
        IG_THEN(code, ig_device_card(&card, c->o.device, err));
    if (code == IG_ERR_OK && ig_lab_on_gpu(&o))
        ig_run_say_on_cpu(&e);
    if (c->claims != NULL)
        IG_THEN(code, check_claims(c, &e, err));
    char decided[IG_LAB_DECIDED] = "";
    if (!c->dry_run && !c->o.worker)
        IG_THEN(code, ig_lab_claims_decided(decided, &e, err));
    if (code == IG_ERR_OK) {
        if (decided[0] != '\0')
            ig_log(IG_LOG_NORMAL, "%s", decided);
        if (decided[0] != '\0')
            code = ig_run_say_never(NULL, &e, NULL, c->o.selector, err);
    }
    if (code == IG_ERR_OK) {
        if (!c->dry_run && strcmp(ig_launcher_names[c->launcher], "local") == 0)
            ig_lab_place_store(o.store);
        if (c->dry_run)
            ig_signals_answer("\nstopping\n");
        o.stop = ig_signals_catch();
        const job j = {c, arg[0], &e, &o};
        if (c->claims != NULL)
            code = c->dry_run ? plan_claims(c, &e, &o, err) : launch_claims(&j, err);
        else
            code = c->dry_run ? print_plan(c, &e, &o, err) : launch(&j, err);
        ig_signals_release();
    }
    ig_experiment_free(&e);
    return code;
}

const ig_command ig_cmd_run = {
    .name = "run",
    .summary = "train and measure the missing runs of an experiment",
    .args = "FILE|-",
    .details =
        "Trains every cell of the experiment file with every seed, each run in its own process; "
        "the first seed of all cells comes first. Finished runs are not repeated; a run that was "
        "stopped or killed resumes where it was. Several such commands on one store share the "
        "work, also on several machines. Ctrl-C saves and stops all runs; a second Ctrl-C kills "
        "them.\n\n"
        "  isoglot run experiments/dufter2020/table1-mini.yaml --dry-run\n"
        "  isoglot run experiments/dufter2020/table1-mini.yaml --jobs 2\n"
        "  isoglot run table1.yaml --only '8,9:0' --max-time 2h\n"
        "  isoglot run table1.yaml --claims undecided --max-time 8h\n"
        "  isoglot run table1.yaml --launcher slurm --sbatch-args='--mem=4G' --submit\n\n"
        "Exit code: 0 when nothing is missing or failed, 8 when it was stopped, 4 when there was "
        "no room for results, else that of the first failed run.",
    IG_COMMAND_OPTIONS(options, run_config),
    .run = run_experiment,
};
