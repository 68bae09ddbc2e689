/* SPDX-License-Identifier: Apache-2.0
 *
 * Exports the data of a report: for each finished run the values of the quantities that the tables
 * and figures of the experiment need (report/results/results_file.h). Results that are committed
 * beside an experiment name the program that made them, so it warns of runs whose commit cannot be
 * found again: the history of a repository is read with git (git-rev-list(1)).
 */
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "isoglot/version.h"
#include "lab/report/lab_report_parts.h"
#include "lab/report/lab_source.h"
#include "lab/runs/lab_list.h"
#include "report/share/events.h"

#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the history ------------------------------------------------------------------------------ */

extern char **environ;

typedef struct {
    char *commits;                 /* of the history, a line each; NULL: not known */
    int64_t n_changed;             /* runs of a program with changes that were not committed */
    int64_t n_unknown;             /* runs of commits that are not in the history */
    char changed[48], unknown[48]; /* the first of each */
} history;

/* The output of a command without its messages; false: it failed. Freed with free. */
static bool output_of(char **out, char *const *argv)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    pid_t pid;
    char part[1 << 14];
    size_t size;
    ssize_t n;
    *out = NULL;
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const bool started = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *fp = open_memstream(out, &size);
    while (started && (n = read(ends[0], part, sizeof part)) > 0)
        if (fp != NULL)
            fwrite(part, 1, (size_t)n, fp);
    close(ends[0]);
    const bool kept = fp != NULL && fclose(fp) == 0;
    return started && waitpid(pid, &status, 0) == pid && status == 0 && kept;
}

/* Returns whether a commit, by the beginning of its name, is in the history. */
static bool is_known(const history *h, const char *commit, size_t n)
{
    for (const char *p = h->commits; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
        if (strncmp(p, commit, n) == 0)
            return true;
    return false;
}

/* The history of the repository that holds a file. It is not known where that is no repository, or
 * not the program's own, and where there is no git. */
static ig_code history_read(history *h, const char *path, ig_err *err)
{
    char *dir, *text = NULL;
    const char *slash = strrchr(path, '/');
    const size_t n = slash == NULL ? 0 : slash > path ? (size_t)(slash - path) : 1;
    *h = (history){0};
    IG_TRY(ig_alloc(&dir, (int64_t)n + 2, 1, "a folder", err));
    memcpy(dir, n > 0 ? path : ".", n > 0 ? n : 1);
    char *argv[] = {(char[]){"git"},      (char[]){"-C"},   dir,
                    (char[]){"rev-list"}, (char[]){"HEAD"}, NULL};
    if (output_of(&text, argv)) {
        h->commits = text;
        text = NULL;
        const char *own = ig_commit();
        if (!is_known(h, own, strcspn(own, "+"))) {
            free(h->commits); /* another repository than the program's */
            h->commits = NULL;
        }
    }
    free(text);
    ig_free(dir);
    return IG_ERR_OK;
}

static void history_free(history *h)
{
    free(h->commits);
    h->commits = NULL;
}

static void count(int64_t *n, char first[48], const char *commit)
{
    if ((*n)++ == 0)
        snprintf(first, 48, "%s", commit);
}

/* Counts a run by its manifest, JSON; NULL: it has none. */
static void history_see(history *h, const char *manifest)
{
    json_auto_t *m = manifest != NULL ? json_loads(manifest, 0, NULL) : NULL;
    const char *commit =
        json_string_value(json_object_get(json_object_get(m, "program"), "commit"));
    const size_t n = commit != NULL ? strcspn(commit, "+") : 0;
    if (n > 0 && commit[n] == '+')
        count(&h->n_changed, h->changed, commit);
    else if (n > 0 && h->commits != NULL && !is_known(h, commit, n))
        count(&h->n_unknown, h->unknown, commit);
}

static void history_warn(const history *h, const char *experiment)
{
    if (h->n_changed > 0)
        ig_log(IG_LOG_NORMAL,
               "%s: %lld run%s made by a program with changes that were not committed (%s): nobody "
               "can build it again",
               experiment, (long long)h->n_changed, h->n_changed == 1 ? " was" : "s were",
               h->changed);
    if (h->n_unknown > 0)
        ig_log(IG_LOG_NORMAL,
               "%s: %lld run%s made by a commit that the history of this repository does not have "
               "(%s)",
               experiment, (long long)h->n_unknown, h->n_unknown == 1 ? " was" : "s were",
               h->unknown);
}

/* --- which values ----------------------------------------------------------------------------- */

/* A figure of layers shows all that were measured. */
static ig_code put_layers(ig_quantity_list *to, const ig_lab_report *r, const ig_quantity *q,
                          ig_err *err)
{
    enum { MOST = 64 };
    int layer[MOST];
    for (int c = 0; c < r->results.n_cell; c++) {
        const ig_result_cell *cell = &r->results.cell[c];
        const int n = ig_result_layers(layer, MOST, &r->results, &cell, 1, q->task);
        for (int i = 0; i < n && i < MOST; i++) {
            ig_quantity one = *q;
            one.layer = layer[i];
            IG_TRY(ig_quantity_list_add(to, &one, err));
        }
    }
    return IG_ERR_OK;
}

/* Adds the quantities of claims. */
static ig_code claimed(ig_quantity_list *final, ig_quantity_list *curves, const ig_experiment *e,
                       ig_err *err)
{
    const ig_claim_term *t;
    for (int i = 0; i < e->n_claim; i++)
        for (int k = 0; k < e->claim[i].n_comparison; k++)
            for (int n = 0; (t = ig_claim_term_at(&e->claim[i].comparison[k], n)) != NULL; n++) {
                IG_TRY(
                    ig_quantity_list_add(ig_claim_over_training(t) ? curves : final, &t->q, err));
                if (t->has_less)
                    IG_TRY(ig_quantity_list_add(final, &t->less, err));
                if (t->cell == NULL && t->axis == NULL && t->paper == NULL)
                    IG_TRY(ig_quantity_list_add(final, &t->with, err));
            }
    return IG_ERR_OK;
}

/* Adds the quantities of tables and figures; `curves`: only of the figures over the training. */
static ig_code shown_quantities(ig_quantity_list *to, const ig_lab_report *r, bool curves,
                                ig_err *err)
{
    const ig_report_spec *s = &r->experiment->report;
    for (int t = 0; t < r->n_table && !curves; t++)
        for (int c = 0; c < r->spec[t].n_column; c++) {
            ig_quantity beside[IG_RESULT_BESIDE];
            const int n = ig_result_beside(beside, &r->spec[t].column[c].q);
            IG_TRY(ig_quantity_list_add(to, &r->spec[t].column[c].q, err));
            for (int k = 0; k < n; k++)
                IG_TRY(ig_quantity_list_add(to, &beside[k], err));
        }
    for (int i = 0; i < s->n_figure; i++)
        for (int k = 0; k < s->figure[i].n_quantity; k++) {
            const ig_quantity *q = &s->figure[i].quantity[k];
            if (curves && s->figure[i].kind != IG_FIG_CURVES && s->figure[i].step < 0)
                continue;
            IG_TRY(s->figure[i].kind == IG_FIG_LAYERS ? put_layers(to, r, q, err)
                                                      : ig_quantity_list_add(to, q, err));
        }
    return IG_ERR_OK;
}

typedef struct {
    FILE *fp;
    const char *experiment; /* name and variants */
    const ig_results *results;
    const ig_lab_export_options *o;
    const ig_lab_report *r; /* NULL: of a source, all of it */
    ig_quantity_list final, curves;
    ig_lab_list list; /* of r */
    history made_by;
} exporting;

/* Returns whether the experiment asks for measures of this text: runs have those of others, too. */
static bool asks_for(const exporting *x, const char *text)
{
    const ig_measure_plan *p = &x->r->experiment->measure;
    bool asked = x->o->all || strcmp(text, "dev") == 0;
    for (int i = 0; i < p->n_text; i++)
        asked = asked || strcmp(text, p->text[i].name) == 0;
    return asked;
}

/* The layers of μ are always written. */
static bool is_wanted(const exporting *x, const ig_row *m, const ig_result_cell *c)
{
    const bool layers = strcmp(m->task, "mu_low") == 0 || strcmp(m->task, "mu_high") == 0;
    if ((m->last || x->o->steps) && x->r != NULL && x->o->all)
        return true;
    if (m->last && (x->r == NULL || (layers && asks_for(x, m->split))))
        return true;
    if (x->r == NULL)
        return x->o->steps;
    for (int i = 0; i < x->final.n; i++)
        if ((m->last || ig_quantity_step(&x->final.q[i]) >= 0) &&
            ig_result_takes(m, &x->final.q[i], c))
            return true;
    for (int i = 0; i < x->curves.n; i++)
        if (ig_result_takes(m, &x->curves.q[i], c))
            return true;
    return false;
}

/* An event file also has what the run's log has: loss and accuracy at every logged step. */
static ig_code put_events(const exporting *x, const ig_store_entry *e, const ig_row *row, int64_t n,
                          ig_err *err)
{
    IG_SCOPED(ig_row_set_free) ig_row_set all = {0};
    if (x->o->store != NULL)
        IG_TRY(ig_lab_log_rows(&all, x->o->store, e->cell.address, err));
    for (int64_t i = 0; i < n; i++)
        if (all.n == 0 ||
            (strcmp(row[i].task, "loss") != 0 && strcmp(row[i].task, "accuracy") != 0))
            IG_TRY(ig_row_set_put(&all, &row[i], err));
    return ig_result_events_put(x->o->dir, e, all.row, all.n, err);
}

/* A line of results with its rows. Of the texts that the run was measured on it names those that
 * the experiment asks for: runs of other digests of another experiment's text are alike in this
 * one. */
static ig_code put_lines(const exporting *x, const ig_store_entry *e, const ig_row *row, int64_t n,
                         ig_err *err)
{
    ig_store_entry own = *e;
    static const char *const by_text[] = {"text", "edits", "text_what"};
    const char *name;
    json_t *v;
    json_auto_t *m = e->run.manifest != NULL ? json_loads(e->run.manifest, 0, NULL) : NULL;
    void *next;
    for (size_t i = 0; i < sizeof by_text / sizeof *by_text && x->r != NULL; i++) {
        json_t *of = json_object_get(json_object_get(m, "measure"), by_text[i]);
        json_object_foreach_safe(of, next, name, v)
        {
            if (!asks_for(x, name))
                json_object_del(of, name);
        }
    }
    char *text = m != NULL ? ig_json_text(m, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    if (text != NULL)
        own.run.manifest = text;
    json_auto_t *examples = x->r != NULL ? ig_lab_report_examples(x->r, e) : NULL;
    const ig_code code = ig_result_file_put(x->fp, &own, examples, row, n, err);
    free(text);
    return code;
}

static ig_code export_run(exporting *x, const ig_result_cell *c, const ig_store_entry *e,
                          ig_err *err)
{
    const ig_row *m = ig_store_rows(x->results->store, e);
    IG_OWNED ig_row *row = NULL;
    int64_t n = 0;
    IG_TRY(ig_alloc(&row, e->n_metric, sizeof *row, "rows", err));
    for (int64_t i = 0; i < e->n_metric; i++)
        if (is_wanted(x, &m[i], c))
            row[n++] = m[i];
    return x->o->format == IG_EXPORT_CSV      ? ig_result_file_csv(x->fp, e, row, n, err)
           : x->o->format == IG_EXPORT_EVENTS ? put_events(x, e, row, n, err)
                                              : put_lines(x, e, row, n, err);
}

/* Returns whether a run is finished and, of an experiment, one of its runs, whose settings it gets;
 * *at: where in the list to look first. */
static bool is_exported(const exporting *x, ig_store_entry *e, int *at)
{
    if (x->r != NULL) {
        *at = ig_lab_run_of(&x->list, x->r->experiment, &e->cell, *at);
        e->run.settings = *at >= 0 ? x->list.item[*at].address : NULL;
    }
    return e->run.status == IG_RUN_DONE && (x->r == NULL || e->run.settings != NULL);
}

static int64_t count_exported(const exporting *x)
{
    int64_t n = 0;
    int at = 0;
    for (int i = 0; i < x->results->n_cell; i++)
        for (int64_t k = 0; k < x->results->cell[i].n_entry; k++) {
            ig_store_entry e = x->results->cell[i].entry[k];
            n += is_exported(x, &e, &at);
        }
    return n;
}

static ig_code export_cells(exporting *x, ig_err *err)
{
    int64_t n_left = 0, n_done = 0;
    int at = 0;
    for (int i = 0; i < x->results->n_cell; i++) {
        const ig_result_cell *c = &x->results->cell[i];
        if (c->mixed != NULL) {
            ig_fail(err, IG_ERR_INPUT, x->experiment, 0, "cell %s: %s", c->name, c->mixed);
            return ig_hint(err, "--only exports other cells, or some seeds");
        }
        for (int64_t k = 0; k < c->n_entry; k++) {
            ig_store_entry e = c->entry[k];
            if (!is_exported(x, &e, &at)) {
                n_left++;
                continue;
            }
            IG_TRY(export_run(x, c, &e, err));
            history_see(&x->made_by, e.run.manifest);
            n_done++;
        }
    }
    ig_log(IG_LOG_NORMAL, "%s: %lld run%s", x->experiment, (long long)n_done,
           n_done == 1 ? "" : "s");
    if (n_left > 0)
        ig_log(IG_LOG_NORMAL, "%s: not finished, and not exported: %lld run%s", x->experiment,
               (long long)n_left, n_left == 1 ? "" : "s");
    history_warn(&x->made_by, x->experiment);
    return IG_ERR_OK;
}

/* Finds which quantities of a report. */
static ig_code choose(exporting *x, ig_err *err)
{
    IG_TRY(ig_lab_list_make(&x->list, x->r->experiment,
                            &(ig_lab_listed){.order = IG_LAB_FILE_ORDER}, NULL, err));
    IG_TRY(shown_quantities(&x->final, x->r, false, err));
    IG_TRY(claimed(&x->final, &x->curves, x->r->experiment, err));
    return x->o->steps ? shown_quantities(&x->curves, x->r, true, err) : IG_ERR_OK;
}

/* path: a file of the repository that the results are committed to. */
static ig_code write_all(exporting *x, ig_code code, const char *path, ig_err *err)
{
    IG_THEN(code, history_read(&x->made_by, path, err));
    if (code == IG_ERR_OK && x->o->format == IG_EXPORT_JSONL)
        code = ig_result_file_begin(x->fp, x->experiment, count_exported(x), err);
    IG_THEN(code, export_cells(x, err));
    history_free(&x->made_by);
    ig_lab_list_free(&x->list);
    IG_FREE(x->final.q, x->curves.q);
    return code;
}

ig_code ig_lab_export(FILE *fp, const ig_lab_report *r, const ig_lab_export_options *o, ig_err *err)
{
    exporting x = {
        .fp = fp, .experiment = r->experiment->name, .results = &r->results, .o = o, .r = r};
    return write_all(&x, choose(&x, err), r->experiment->path, err);
}

ig_code ig_lab_export_source(FILE *fp, const ig_lab_source *s, const ig_lab_export_options *o,
                             ig_err *err)
{
    exporting x = {.fp = fp, .experiment = s->experiment, .results = &s->results, .o = o};
    return write_all(&x, IG_ERR_OK, ".", err);
}
