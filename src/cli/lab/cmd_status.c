/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot status: how far an experiment is, from the folders of its runs.
 */
#include "base/file.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/strings/time_text.h"
#include "cli/commands.h"
#include "cli/lab/lab_options.h"
#include "cli/print/print.h"
#include "lab/estimate/cost.h"
#include "lab/laboratory.h"
#include "report/table/table_format.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    ig_lab_place place;
    char *only;
    bool done, watch, json, verify, clean;
} status_config;

static const ig_option options[] = {
    {.group = "Output",
     IG_TEXT(status_config, "only", only, NULL, "SELECTOR",
             "only these cells and seeds: 8  8,1?  8:0  '*:0-2'  batch=64  lang-pos")},
    {IG_FLAG(status_config, "done", done, NULL, "only the runs that are done")},
    {IG_FLAG(status_config, "watch", watch, NULL,
             "repeat every few seconds, until nothing is left to do")},
    {IG_FLAG(status_config, "json", json, NULL, "every run as JSON")},
    {IG_FLAG(status_config, "verify", verify, NULL,
             "compare every file of the whole store with the SHA-256 that its manifests tell")},
    {IG_FLAG(status_config, "clean", clean, NULL,
             "remove what killed processes left in the store, first")},
    IG_LAB_PLACE_OPTIONS(status_config, place),
};

enum { N_STATUS = IG_RUN_DONE + 1 };

/* A view at one time: the runs that are shown, and the seconds left (NAN: unknown). */
typedef struct {
    const ig_experiment *e;
    const char *store;
    ig_lab_state *s;
    int n;
    double left;
} view;

static json_t *as_json(const view *v)
{
    const ig_lab_state *s = v->s;
    json_t *runs = json_array(), *counts = json_object();
    int count[N_STATUS] = {0};
    for (int i = 0; i < v->n; i++) {
        count[s[i].status]++;
        json_array_append_new(
            runs,
            json_pack("{s:s, s:s, s:I, s:s, s:s, s:I, s:o, s:o, s:s}", "cell",
                      v->e->cell[s[i].cell].name, "label", v->e->cell[s[i].cell].label, "seed",
                      (json_int_t)s[i].seed, "address", s[i].address, "status",
                      ig_run_status_name(s[i].status), "step", (json_int_t)s[i].step, "updates",
                      s[i].n_step > 0 ? json_integer(s[i].n_step) : json_null(), "fine_tuned",
                      s[i].status == IG_RUN_DONE ? json_null() : json_integer(s[i].n_tuned),
                      "message", s[i].message));
    }
    for (int k = N_STATUS - 1; k >= 0; k--)
        json_object_set_new(counts, ig_run_status_name((ig_run_status)k), json_integer(count[k]));
    return json_pack("{s:s, s:s, s:b, s:i, s:o, s:o, s:o}", "experiment", v->e->name, "store",
                     v->store, "store_new", !ig_dir_exists(v->store), "n_runs", v->n, "counts",
                     counts, "seconds_left", isnan(v->left) ? json_null() : json_real(v->left),
                     "runs", runs);
}

static void print_counts(const int count[N_STATUS], const char *end)
{
    const char *comma = "";
    for (int k = N_STATUS - 1; k >= 0; k--)
        if (count[k] > 0) {
            printf("%s%d %s", comma, count[k], ig_run_status_name((ig_run_status)k));
            comma = ", ";
        }
    printf("%s\n", end);
}

/* Two spaces, and the text in a column of that width. */
static void put_cell(const char *text, int width)
{
    const int is = ig_text_width(text);
    printf("  %s%*s", text, is < width ? width - is : 0, "");
}

/* Returns the description of a cell: the file's, or its differences. */
static const char *words_of(const ig_cell *c)
{
    return c->title != NULL ? c->title : c->label;
}

static bool shown(const ig_lab_state *s, int n, int cell)
{
    for (int i = 0; i < n; i++)
        if (s[i].cell == cell)
            return true;
    return false;
}

/* Appends ", about 3 min left", assuming as many parallel runs as now. */
static void append_left(char *out, size_t size, const int count[N_STATUS], double left)
{
    char time[IG_TIME_TEXT];
    out[0] = '\0';
    if (left > 0)
        snprintf(out, size, ", about %s left%s", ig_time_text(time, left),
                 count[IG_RUN_RUNNING] == 0 ? ", one run at a time" : "");
}

static void print_text(const view *v)
{
    const ig_experiment *e = v->e;
    const ig_lab_state *s = v->s;
    const int n = v->n;
    enum { LABEL_MAX = 60 };
    int all[N_STATUS] = {0}, width = 4, label = 8;
    for (int i = 0; i < n; i++)
        all[s[i].status]++;
    for (int k = 0; k < e->n_cell; k++) {
        const int name = ig_text_width(e->cell[k].name),
                  text = ig_text_width(words_of(&e->cell[k]));
        if (!shown(s, n, k))
            continue;
        width = name > width ? name : width;
        label = text > label && text <= LABEL_MAX ? text : label;
    }
    printf("%s in %s%s: %d run%s: ", e->name, v->store, ig_dir_exists(v->store) ? "" : " (new)", n,
           ig_s(n));
    char end[80];
    append_left(end, sizeof end, all, v->left);
    print_counts(all, end);
    for (int k = 0, i = 0; k < e->n_cell; k++) {
        int count[N_STATUS] = {0}, from = i;
        for (; i < n && s[i].cell == k; i++)
            count[s[i].status]++;
        if (i == from)
            continue; /* not selected */
        put_cell(e->cell[k].name, width);
        put_cell(words_of(&e->cell[k]), label);
        fputs("  ", stdout);
        print_counts(count, "");
        for (int j = from; j < i; j++) {
            if (s[j].status == IG_RUN_RUNNING ||
                (s[j].status == IG_RUN_STOPPED && !*s[j].message)) {
                printf("  %*s    seed %lld %s at %lld", width, "", (long long)s[j].seed,
                       ig_run_status_name(s[j].status), (long long)s[j].step);
                if (s[j].n_step > 0)
                    printf(" of %lld", (long long)s[j].n_step);
                if (s[j].n_tuned > 0)
                    printf(", %d fine-tuning%s done", s[j].n_tuned, ig_s(s[j].n_tuned));
                putchar('\n');
            } else if (s[j].message[0] != '\0' && s[j].status == IG_RUN_MISSING) {
                /* The seeds of a cell that cannot run have the same message. */
                if (j == from)
                    printf("  %*s    %s\n", width, "", s[j].message);
            } else if (s[j].message[0] != '\0')
                printf("  %*s    seed %lld %s: %s\n", width, "", (long long)s[j].seed,
                       ig_run_status_name(s[j].status), s[j].message);
        }
    }
}

static json_t *verified_json(const ig_store_verified *v)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:O}", "runs", (json_int_t)v->n_run, "unfinished",
                     (json_int_t)v->n_unfinished, "data", (json_int_t)v->n_data, "files",
                     (json_int_t)v->n_file, "damaged", v->damaged);
}

static void print_verified(const char *store, const ig_store_verified *v)
{
    size_t i;
    const json_t *d;
    printf("%s: %lld finished run%s and %lld data folder%s, %lld file%s compared: %zu damaged\n",
           store, (long long)v->n_run, ig_s(v->n_run), (long long)v->n_data, ig_s(v->n_data),
           (long long)v->n_file, ig_s(v->n_file), json_array_size(v->damaged));
    json_array_foreach(v->damaged, i, d)
        printf("  %s: %s\n", json_string_value(json_object_get(d, "path")),
               json_string_value(json_object_get(d, "message")));
}

/* Damage that was found is exit code 3, after everything is printed. */
static ig_code verify(const ig_store_verified *v, const char *store, ig_err *err)
{
    const size_t n = json_array_size(v->damaged);
    if (n == 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, store, 0, "%zu thing%s damaged in the store", n,
            n == 1 ? " is" : "s are");
    return ig_hint(err, "isoglot run repeats a run whose folder is removed");
}

/* Without an experiment: the store alone. */
static ig_code verify_store(const char *store, bool json, ig_err *err)
{
    ig_store_verified v;
    ig_code code = ig_lab_verify(&v, store, err);
    if (code == IG_ERR_OK && json)
        code = ig_json_print(json_pack("{s:s, s:o}", "store", store, "verify", verified_json(&v)),
                             err);
    else if (code == IG_ERR_OK)
        print_verified(store, &v);
    IG_THEN(code, verify(&v, store, err));
    json_decref(v.damaged);
    return code;
}

/* Leaves the runs of a selection. */
static ig_code select_runs(ig_lab_state *s, int *n, const ig_experiment *e, const char *only,
                           ig_err *err)
{
    IG_OWNED bool *on = NULL;
    int64_t stride;
    int kept = 0;
    IG_TRY(ig_experiment_select(&on, &stride, e, only, err));
    for (int i = 0; i < *n; i++) {
        const ig_cell *c = &e->cell[s[i].cell];
        int k = 0;
        while (k < c->n_seed && c->seed[k] != s[i].seed)
            k++;
        if (k < c->n_seed && on[s[i].cell * stride + k])
            s[kept++] = s[i];
    }
    *n = kept;
    return IG_ERR_OK;
}

/* Prints one view. */
static ig_code print_view(const status_config *c, const view *seen, ig_err *err)
{
    ig_store_verified v = {0};
    ig_code code = c->verify ? ig_lab_verify(&v, seen->store, err) : IG_ERR_OK;
    if (code == IG_ERR_OK && c->watch && isatty(STDOUT_FILENO) != 0)
        fputs("\033[H\033[2J", stdout);
    if (code == IG_ERR_OK && c->json) {
        json_t *j = as_json(seen);
        if (c->verify)
            json_object_set_new(j, "verify", verified_json(&v));
        code = ig_json_print(j, err);
    } else if (code == IG_ERR_OK)
        print_text(seen);
    if (code == IG_ERR_OK && c->verify && !c->json)
        print_verified(seen->store, &v);
    fflush(stdout);
    if (code == IG_ERR_OK && c->verify)
        code = verify(&v, seen->store, err);
    json_decref(v.damaged);
    return code;
}

/* Shows it once. *more: there is something to wait for. */
static ig_code show_once(const status_config *c, const ig_experiment *e, bool *more, ig_err *err)
{
    view v = {.e = e, .store = ig_lab_store(c->place.store), .left = (double)NAN};
    ig_code code = ig_lab_status(&v.s, &v.n, e, v.store, err);
    if (code == IG_ERR_OK && c->only != NULL)
        code = select_runs(v.s, &v.n, e, c->only, err);
    IG_THEN(code, ig_lab_time_left(&v.left, v.s, v.n, e, err));
    if (code == IG_ERR_OK) {
        *more = ig_lab_may_finish(e, v.s, v.n);
        int kept = 0;
        for (int i = 0; i < v.n && c->done; i++)
            if (v.s[i].status == IG_RUN_DONE)
                v.s[kept++] = v.s[i];
        if (c->done) {
            v.n = kept;
            v.left = (double)NAN;
        }
        code = print_view(c, &v, err);
    }
    ig_free(v.s);
    return code;
}

static ig_code clean(const ig_experiment *e, const char *store, ig_err *err)
{
    int64_t n;
    IG_TRY(ig_lab_clean(&n, e, store, err));
    ig_log(IG_LOG_NORMAL, "%s: %lld leftover%s removed", store, (long long)n, ig_s(n));
    return IG_ERR_OK;
}

static ig_code run_status(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const status_config *c = config;
    if (n_arg == 0 && c->clean)
        IG_TRY(clean(NULL, ig_lab_store(c->place.store), err));
    if (n_arg == 0 && c->verify)
        return verify_store(ig_lab_store(c->place.store), c->json, err);
    if (n_arg == 0 && c->clean)
        return IG_ERR_OK;
    if (n_arg == 0) {
        ig_fail(err, IG_ERR_USAGE, "", 0, "found 0 arguments, expected 1");
        return ig_hint(err, "usage: isoglot status [OPTIONS] FILE");
    }
    ig_experiment e = {0};
    bool more = false;
    if (c->watch && c->json)
        return ig_fail(err, IG_ERR_USAGE, "--watch", 0, "found with --json, expected one of them");
    IG_TRY(ig_lab_place_read(&e, arg[0], &c->place, err));
    if (c->clean) {
        const ig_code code = clean(&e, ig_lab_store(c->place.store), err);
        if (code != IG_ERR_OK) {
            ig_experiment_free(&e);
            return code;
        }
    }
    for (bool said = false;; said = true) {
        const double start = ig_clock();
        const ig_code code = show_once(c, &e, &more, err);
        ig_err why = {0};
        if (code == IG_ERR_OK && !said && ig_experiment_check(&e, &why) != IG_ERR_OK)
            ig_log(IG_LOG_NORMAL, "%s: %s; shown is what the store knows", why.where, why.msg);
        if (code != IG_ERR_OK || !c->watch || !more) {
            ig_experiment_free(&e);
            return code;
        }
        /* Texts are hashed for each view, which for large ones must not take all the time. */
        const double took = ig_clock() - start;
        sleep(took < .2 ? 2 : (unsigned)(10 * took));
    }
}

const ig_command ig_cmd_status = {
    .name = "status",
    .summary = "show the progress of an experiment",
    .args = "[FILE]",
    .details =
        "Counts the runs of every cell that are done, running, stopped, failed or missing, and "
        "estimates the remaining time. It reads only the folders, so it also sees the work of "
        "other machines. --verify reads every finished run of the store and the data they share, "
        "and exits with 3 if a file differs from its manifest. --clean removes temporary files "
        "and fine-tunings that killed processes left and nobody resumes, never those of a "
        "process that works. Both need no FILE.\n"
        "  isoglot status table1-mini.yaml --only 8 --watch",
    IG_COMMAND_OPTIONS(options, status_config),
    .run = run_status,
};
