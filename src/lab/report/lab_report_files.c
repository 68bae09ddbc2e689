/* SPDX-License-Identifier: Apache-2.0
 *
 * A report from files of results in place of a store (report/results/results_file.h). A run
 * belongs to the cell and seed of the experiment that it names if its settings are those in the
 * file; the texts are not needed to decide this, so that everybody gets the same tables.
 */
#include "base/log.h"

#include "base/memory.h"
#include "lab/report/lab_report_parts.h"
#include "lab/runs/lab_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_lab_report *r;
    ig_lab_list list;  /* every run that the experiment has; addresses are those of settings */
    const char **path; /* [list.n] where the result of each is from; NULL: there is none */
    const ig_result_file *f;
    int at;                 /* in the list: results are mostly in its order */
    int64_t unknown, other; /* runs of cells or seeds that are not there, or of other settings */
} joining;

static ig_code join_run(joining *j, const char *path, const ig_store_entry *from, ig_err *err)
{
    ig_store_result *s = &j->r->stored;
    const ig_store_run *run = &from->run;
    const int at = ig_lab_run_of(&j->list, j->r->experiment, &from->cell, j->at);
    j->at = at;
    if (at < 0) {
        j->unknown++;
        return IG_ERR_OK;
    }
    if (run->settings == NULL) {
        ig_fail(err, IG_ERR_INPUT, path, run->line,
                "found a run without settings, expected results of the experiment's "
                "file");
        return ig_hint(err, "isoglot export FILE writes them; of a store's folder it cannot");
    }
    if (strcmp(j->list.item[at].address, run->settings) != 0) {
        j->other++;
        return IG_ERR_OK;
    }
    ig_store_entry *e = &s->entry[at];
    if (j->path[at] != NULL)
        return ig_fail(err, IG_ERR_INPUT, path, run->line,
                       "found cell %.60s, seed %lld again, expected it once (%.100s has it in line "
                       "%llu)",
                       e->cell.cell, (long long)e->cell.seed, j->path[at],
                       (unsigned long long)e->run.line);
    j->path[at] = path;
    e->run = *run;
    e->cell.address = run->address;
    e->first_metric = s->n_metric;
    e->n_metric = from->n_metric;
    if (e->n_metric > 0)
        memcpy(s->metric + s->n_metric, ig_store_rows(&j->f->stored, from),
               (size_t)e->n_metric * sizeof *s->metric);
    s->n_metric += e->n_metric;
    return IG_ERR_OK;
}

static ig_code no_results(const joining *j, const char *path, ig_err *err)
{
    ig_fail(err, IG_ERR_INPUT, path, 0, "found results of %.100s%s, expected of %.100s",
            j->f->experiment[0], j->f->n_experiment > 1 ? " and others" : "",
            j->r->experiment->name);
    return ig_hint(err, "variants and settings are those that it was exported with: --variant "
                        "after the first ':', --set after ';'");
}

static ig_code join_file(joining *j, const char *path, ig_err *err)
{
    const ig_experiment *e = j->r->experiment;
    bool any = false;
    j->unknown = j->other = 0;
    for (int i = 0; i < j->f->n_experiment; i++)
        any = any || ig_experiment_is_named(e, j->f->experiment[i]);
    if (!any)
        return no_results(j, path, err);
    for (int64_t i = 0; i < j->f->stored.n_entry; i++)
        if (ig_experiment_is_named(e, j->f->stored.entry[i].cell.experiment))
            IG_TRY(join_run(j, path, &j->f->stored.entry[i], err));
    if (j->unknown > 0)
        ig_log(IG_LOG_NORMAL, "%s: ignored: %lld run%s of cells or seeds that %s does not have",
               path, (long long)j->unknown, j->unknown == 1 ? "" : "s", e->path);
    if (j->other > 0)
        ig_log(IG_LOG_NORMAL, "%s: ignored: %lld run%s with other settings than %s has now", path,
               (long long)j->other, j->other == 1 ? "" : "s", e->path);
    return IG_ERR_OK;
}

/* An entry for every run of the experiment, not run as long as no file has it. */
static ig_code make_entries(joining *j, ig_err *err)
{
    ig_store_result *s = &j->r->stored;
    const ig_experiment *e = j->r->experiment;
    int64_t n = 0;
    IG_TRY(ig_alloc(&s->entry, j->list.n, sizeof *s->entry, "runs", err));
    IG_TRY(ig_alloc(&j->path, j->list.n, sizeof *j->path, "runs", err));
    s->n_entry = j->list.n;
    for (int i = 0; i < j->list.n; i++) {
        const ig_lab_item *it = &j->list.item[i];
        s->entry[i].cell = (ig_store_cell){.experiment = e->name,
                                           .cell = e->cell[it->cell].name,
                                           .label = e->cell[it->cell].label,
                                           .order = it->cell,
                                           .seed = it->seed,
                                           .address = ""};
        s->entry[i].run = (ig_store_run){.address = "", .seed = it->seed};
    }
    for (int i = 0; i < j->r->n_file; i++)
        n += j->r->file[i].stored.n_metric;
    return ig_alloc(&s->metric, n, sizeof *s->metric, "values", err);
}

static ig_code join(joining *j, const char *const *path, int n, ig_err *err)
{
    ig_lab_report *r = j->r;
    IG_TRY(ig_lab_list_make(&j->list, r->experiment, &(ig_lab_listed){.order = IG_LAB_FILE_ORDER},
                            NULL, err));
    IG_TRY(ig_alloc(&r->file, n, sizeof *r->file, "results", err));
    for (; r->n_file < n; r->n_file++) {
        const ig_code code = ig_result_file_read(&r->file[r->n_file], path[r->n_file], err);
        if (code != IG_ERR_OK) {
            ig_result_file_free(&r->file[r->n_file]);
            return code;
        }
    }
    IG_TRY(make_entries(j, err));
    for (int i = 0; i < n; i++) {
        j->f = &r->file[i];
        IG_TRY(join_file(j, path[i], err));
    }
    /* As in a store: seeds are paired in their order, regardless of the order in the experiment's
     * file. */
    if (r->stored.n_entry > 1)
        qsort(r->stored.entry, (size_t)r->stored.n_entry, sizeof *r->stored.entry, ig_lab_by_cell);
    return IG_ERR_OK;
}

ig_code ig_lab_report_read_files(ig_lab_report *r, const char *const *path, int n, ig_err *err)
{
    joining j = {.r = r};
    const ig_code code = join(&j, path, n, err);
    ig_free(j.path);
    ig_lab_list_free(&j.list);
    return code;
}
