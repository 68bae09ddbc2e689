/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a report, and writes its results for programs.
 */
#include "lab/report/lab_report.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/strings/append.h"
#include "lab/laboratory.h"
#include "lab/report/lab_report_parts.h"
#include "lab/runs/lab_scores.h"
#include "report/results/results_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- which tables ----------------------------------------------------------------------------- */

static ig_code choose_tables(ig_lab_report *r, const char *name, bool columns, ig_err *err)
{
    const ig_report_spec *s = &r->experiment->report;
    int n = s->n_table;
    if (s->n_table == 0)
        IG_TRY(ig_lab_report_own(&n, r, columns, err));
    const ig_table_spec *all = s->n_table > 0 ? s->table : r->own_spec;
    IG_OWNED const char **names = NULL;
    IG_TRY(ig_alloc(&r->spec, n, sizeof *r->spec, "tables", err));
    IG_TRY(ig_alloc(&names, n, sizeof *names, "tables", err));
    for (int i = 0; i < n; i++) {
        names[i] = all[i].name;
        if (name == NULL || strcmp(name, all[i].name) == 0)
            r->spec[r->n_table++] = all[i];
    }
    if (r->n_table == 0) {
        const char *near = ig_nearest(name, names, n);
        ig_fail(err, IG_ERR_USAGE, "--table", 0, "%s has no table '%.60s'", r->experiment->path,
                name);
        ig_hint(err, near != NULL ? "did you mean '%s'?" : "there is '%s'",
                near != NULL ? near : names[0]);
    }
    return r->n_table > 0 ? IG_ERR_OK : IG_ERR_USAGE;
}

/* The next quantity of a list; those within brackets are no commas between two. NULL: no more. */
static const char *next_quantity(char *out, size_t size, const char **p)
{
    int depth = 0;
    *p += strspn(*p, " ,");
    const char *from = *p;
    for (; **p != '\0' && (depth > 0 || **p != ','); (*p)++)
        depth += (**p == '[') - (**p == ']');
    snprintf(out, size, "%.*s", (int)(*p - from), from);
    return out[0] != '\0' ? out : NULL;
}

/* Where one of the file's columns is among those that were chosen; −1: it is not. */
static int chosen_at(const ig_column *chosen, int n, const ig_column *c)
{
    for (int i = 0; i < n; i++)
        if (ig_quantity_same(&chosen[i].q, &c->q))
            return i;
    return -1;
}

/* The table's columns become those of the list; one that the file has keeps its title, and what it
 * is correlated with. */
static ig_code choose_columns(ig_lab_report *r, int table, const char *list, ig_err *err)
{
    ig_table_spec *s = &r->spec[table];
    ig_column *chosen;
    char name[256];
    int n = 0, n_correlate = 0, *correlate;
    IG_TRY(ig_alloc(&r->chosen[table], (int64_t)strlen(list) + 1, sizeof *chosen, "columns", err));
    IG_TRY(ig_pool_alloc(&r->pool, &correlate, s->n_correlate, sizeof *correlate, err));
    chosen = r->chosen[table];
    for (const char *p = list; next_quantity(name, sizeof name, &p) != NULL;) {
        ig_column *c = &chosen[n++];
        IG_TRY(ig_lab_report_column(c, name, "--columns", err));
        for (int i = 0; i < s->n_column; i++)
            if (ig_quantity_same(&s->column[i].q, &c->q))
                *c = s->column[i];
    }
    if (n == 0)
        return ig_fail(err, IG_ERR_USAGE, "--columns", 0, "found no quantity, expected some");
    for (int i = 0; i < s->n_correlate; i++) {
        const int at = chosen_at(chosen, n, &s->column[s->correlate[i]]);
        if (at >= 0)
            correlate[n_correlate++] = at;
    }
    s->given = s->given >= 0 ? chosen_at(chosen, n, &s->column[s->given]) : -1;
    s->correlate = correlate;
    s->n_correlate = n_correlate;
    s->column = chosen;
    s->n_column = n;
    return IG_ERR_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool needs_steps(const ig_figure_spec *f, ig_lab_steps steps)
{
    const bool onset = f->kind == IG_FIG_CURVES && f->onset;
    return steps == IG_LAB_ONSETS    ? onset
           : steps == IG_LAB_FIGURES ? onset || f->kind == IG_FIG_CURVES || f->step >= 0
                                     : false;
}

/* Names what is read of all checkpoints. */
typedef struct {
    const char **task; /* NULL: they are counted */
    int n;
} tasks_over_steps;

static void add_task(tasks_over_steps *t, const ig_quantity *q)
{
    if (t->task != NULL)
        t->task[t->n] = q->task;
    t->n++;
}

/* A quantity of a checkpoint, "mu[step=500]". */
static void add_at_step(tasks_over_steps *t, const ig_quantity *q)
{
    if (ig_quantity_step(q) >= 0)
        add_task(t, q);
}

static void claimed(tasks_over_steps *to, const ig_experiment *e)
{
    const ig_claim_term *t;
    for (int i = 0; i < e->n_claim; i++)
        for (int k = 0; k < e->claim[i].n_comparison; k++)
            for (int m = 0; (t = ig_claim_term_at(&e->claim[i].comparison[k], m)) != NULL; m++) {
                if (ig_claim_over_training(t))
                    add_task(to, &t->q);
                else
                    add_at_step(to, &t->q);
                add_at_step(to, &t->less);
                add_at_step(to, &t->with);
            }
}

static void over_steps(tasks_over_steps *to, const ig_lab_report *r, ig_lab_steps steps)
{
    const ig_report_spec *spec = &r->experiment->report;
    to->n = 0;
    claimed(to, r->experiment);
    for (int i = 0; i < r->n_table; i++)
        for (int k = 0; k < r->spec[i].n_column; k++) {
            ig_quantity beside[IG_RESULT_BESIDE];
            const int n = ig_result_beside(beside, &r->spec[i].column[k].q);
            add_at_step(to, &r->spec[i].column[k].q);
            for (int m = 0; m < n; m++)
                add_at_step(to, &beside[m]);
        }
    for (int i = 0; i < spec->n_figure; i++)
        for (int k = 0; k < spec->figure[i].n_quantity; k++)
            if (needs_steps(&spec->figure[i], steps))
                add_task(to, &spec->figure[i].quantity[k]);
            else
                add_at_step(to, &spec->figure[i].quantity[k]);
}

static ig_code read_results(ig_lab_report *r, ig_store *s, ig_lab_steps steps, ig_err *err)
{
    tasks_over_steps t = {0};
    if (steps == IG_LAB_ALL_STEPS)
        return ig_store_read(&r->stored, s, r->experiment->name, false, err);
    over_steps(&t, r, steps);
    IG_TRY(ig_alloc(&t.task, t.n, sizeof *t.task, "measures", err));
    over_steps(&t, r, steps);
    ig_code code = ig_store_read_tasks(&r->stored, s, r->experiment->name, t.task, t.n, err);
    ig_free(t.task);
    return code;
}

/* The store could not be brought up to date: without the texts the address of a run is not known,
 * but the store has those of the runs that it knows. */
static ig_code without_texts(ig_lab_report *r, ig_store *s, ig_code code, ig_err *err)
{
    ig_err why = {0};
    int n = 0;
    const ig_code missing = ig_experiment_check(r->experiment, &why);
    if (missing == IG_ERR_OK)
        return code;
    const bool known =
        ig_lab_collect_known(&n, s, r->experiment, r->dir, NULL) == IG_ERR_OK && n > 0;
    if (err != NULL)
        *err = known ? (ig_err){0} : why; /* it says how to get the texts */
    if (!known)
        return missing;
    ig_log(IG_LOG_NORMAL, "%s: %s; reported is what the store knows", why.where, why.msg);
    return IG_ERR_OK;
}

static ig_code read_store(ig_lab_report *r, ig_lab_steps steps, ig_err *err)
{
    ig_store *s = NULL;
    char runs[IG_PATH];
    ig_code code = IG_ERR_OK;
    IG_TRY(ig_folder_path(runs, r->dir, err, "runs"));
    /* Workers of other machines leave run folders and no index of them. */
    IG_TRY(ig_store_open(&s, r->dir, ig_dir_exists(runs), err));
    /* A store that may only be read is reported as it is. */
    if (ig_store_writable(s)) {
        code = ig_lab_collect(s, r->experiment, r->dir, false, err);
        if (code != IG_ERR_OK && code != IG_ERR_MEMORY)
            code = without_texts(r, s, code, err);
    } else
        ig_log(IG_LOG_NORMAL, "%s may not be written: what was finished since then is left out",
               r->dir);
    IG_THEN(code, read_results(r, s, steps, err));
    if (code == IG_ERR_OK && !ig_store_writable(s) && r->stored.n_entry == 0)
        ig_log(
            IG_LOG_NORMAL,
            "%s: its index knows no experiment '%s', whose runs may be there all the same: a copy "
            "of the store that may be written finds them",
            r->dir, r->experiment->name);
    ig_store_close(s);
    return code;
}

/* Returns whether the rows are cells of the experiment of which the results have none, not even
 * hidden. */
static bool without_results(const ig_lab_report *r, const ig_table_spec *s)
{
    for (int i = 0; i < r->results.n_cell + r->results.n_hidden; i++)
        if (ig_cell_matches(r->results.cell[i].name, s->row, s->n_row))
            return false;
    for (int64_t i = 0; i < r->experiment->n_cell; i++)
        if (ig_cell_matches(r->experiment->cell[i].name, s->row, s->n_row))
            return true;
    return false;
}

static ig_code make_tables(ig_lab_report *r, ig_err *err)
{
    if (r->experiment->report.n_table == 0)
        IG_TRY(ig_lab_report_own_columns(r, err));
    IG_TRY(ig_alloc(&r->reference, r->n_table, sizeof *r->reference, "references", err));
    IG_TRY(ig_alloc(&r->table, r->n_table, sizeof *r->table, "tables", err));
    IG_TRY(ig_alloc(&r->more_column, r->n_table, sizeof *r->more_column, "tables", err));
    ig_lab_report_apart(r);
    for (int i = 0; i < r->n_table; i++) {
        const char *path = r->spec[i].reference;
        r->table[i].spec = &r->spec[i];
        if (without_results(r, &r->spec[i]))
            continue; /* a table without rows is not shown */
        IG_TRY(ig_lab_report_shared(r, i, err));
        if (path != NULL)
            IG_TRY(ig_reference_read(&r->reference[i], path, err));
        IG_TRY(ig_result_table_make(&r->table[i], &r->results, &r->spec[i], r->base_name,
                                    path != NULL ? &r->reference[i] : NULL, err));
    }
    return IG_ERR_OK;
}

/* --- which cells ------------------------------------------------------------------------------ */

static bool seed_is_on(const ig_cell *c, const bool *on, int64_t seed)
{
    for (int i = 0; i < c->n_seed; i++)
        if (c->seed[i] == seed && on[i])
            return true;
    return false;
}

/* Keeps the selected seeds of a cell with some; of a cell that is not selected keeps all, after the
 * others: they may be compared with it. With `done`, only finished runs. */
static void select_entries(ig_store_entry *hidden, int64_t *n_hidden, ig_lab_report *r,
                           const bool *on, int64_t stride, bool done)
{
    const ig_experiment *e = r->experiment;
    int64_t n = 0;
    int at = 0;
    *n_hidden = 0;
    for (int64_t i = 0; i < r->stored.n_entry; i++) {
        const ig_store_entry *x = &r->stored.entry[i];
        at = ig_lab_cell_of(e, x->cell.cell, at);
        const ig_cell *c = on != NULL && at >= 0 ? &e->cell[at] : NULL;
        bool any = on == NULL;
        for (int k = 0; c != NULL && k < c->n_seed; k++)
            any = any || on[at * stride + k];
        if (done && x->run.status != IG_RUN_DONE)
            continue;
        if (!any)
            hidden[(*n_hidden)++] = *x;
        else if (c == NULL || seed_is_on(c, on + at * stride, x->cell.seed))
            r->stored.entry[n++] = *x;
    }
    memcpy(r->stored.entry + n, hidden, (size_t)*n_hidden * sizeof *hidden);
    r->stored.n_entry = n + *n_hidden;
}

static ig_code make_results(ig_lab_report *r, const ig_lab_report_options *o, ig_err *err)
{
    IG_OWNED bool *on = NULL;
    int64_t stride = 0, n_hidden = 0;
    IG_OWNED ig_store_entry *hidden = NULL;
    IG_TRY(ig_alloc(&hidden, r->stored.n_entry, sizeof *hidden, "runs", err));
    if (o->only != NULL)
        IG_TRY(ig_experiment_select(&on, &stride, r->experiment, o->only, err));
    if (r->stored.n_entry == 0) /* there is no array of them */
        return ig_results_make(&r->results, &r->stored, true, err);
    select_entries(hidden, &n_hidden, r, on, stride, o->done);
    IG_TRY(ig_results_make(&r->results, &r->stored, true, err));
    const ig_store_entry *end = r->stored.entry + r->stored.n_entry - n_hidden;
    int at = 0, n = r->results.n_cell;
    while (n > 0 && r->results.cell[n - 1].entry >= end)
        n--;
    r->results.n_hidden = r->results.n_cell - n;
    r->results.n_cell = n;
    r->stored.n_entry -= n_hidden;
    for (int i = 0; i < n + r->results.n_hidden; i++) {
        at = ig_lab_cell_of(r->experiment, r->results.cell[i].name, at);
        r->results.cell[i].title = at >= 0 ? r->experiment->cell[at].title : NULL;
    }
    return IG_ERR_OK;
}

ig_code ig_lab_report_open(ig_lab_report *r, const ig_experiment *e, const char *store,
                           const ig_lab_report_options *o, ig_err *err)
{
    *r = (ig_lab_report){.experiment = e, .only = o->only};
    IG_TRY(choose_tables(r, o->table, o->columns != NULL, err));
    for (int i = 0; i < r->n_table && o->pivot != NULL; i++)
        r->spec[i].pivot = (char *)(uintptr_t)o->pivot; /* the specs are only borrowed */
    IG_TRY(ig_alloc(&r->chosen, r->n_table, sizeof *r->chosen, "tables", err));
    for (int i = 0; i < r->n_table && o->columns != NULL; i++)
        IG_TRY(choose_columns(r, i, o->columns, err));
    if (o->n_results == 0)
        IG_TRY(ig_copy_text(&r->dir, store, "a name", err));
    if (e->base >= 0)
        IG_TRY(ig_copy_text(&r->base_name, e->cell[e->base].name, "a name", err));
    IG_TRY(o->n_results > 0 ? ig_lab_report_read_files(r, o->results, o->n_results, err)
                            : read_store(r, o->steps, err));
    IG_TRY(ig_lab_report_cover(r, err));
    IG_TRY(make_results(r, o, err));
    IG_TRY(ig_lab_claims(&r->claims, e, &r->results, err));
    return make_tables(r, err);
}

void ig_lab_report_close(ig_lab_report *r)
{
    for (int i = 0; i < r->n_table; i++) {
        if (r->table != NULL)
            ig_result_table_free(&r->table[i]);
        if (r->reference != NULL)
            ig_reference_free(&r->reference[i]);
        if (r->more_column != NULL)
            ig_free(r->more_column[i]);
        if (r->chosen != NULL)
            ig_free(r->chosen[i]);
    }
    ig_claim_results_free(&r->claims);
    ig_results_free(&r->results);
    ig_store_result_free(&r->stored);
    ig_pool_free(&r->pool);
    for (int i = 0; i < r->n_file; i++)
        ig_result_file_free(&r->file[i]);
    for (int i = 0; i < IG_LAB_OWN_TABLES; i++)
        ig_free(r->own_column[i]);
    IG_FREE(r->file, r->table, r->reference, r->spec, r->chosen, r->more_column, r->base_name,
            r->dir);
    *r = (ig_lab_report){0};
}

/* --- cells that are not run here -------------------------------------------------------------- */

const char *ig_lab_report_needs(const ig_cell *c)
{
    if ((c->needs & IG_NEEDS_GPU) != 0)
        return "takes a CPU weeks: --only names it";
    return NULL;
}

void ig_lab_report_explain(ig_table *t, const ig_lab_report *r, int table)
{
    for (int row = 0; row < r->table[table].n_row; row++) {
        const ig_result_cell *c = r->table[table].row[row];
        const int at = ig_lab_cell_of(r->experiment, c->name, row);
        const char *why = at >= 0 ? ig_lab_report_needs(&r->experiment->cell[at]) : NULL;
        if (why != NULL && c->incomplete != NULL)
            ig_table_add_note(t, "%s %s", c->name, why);
    }
}

/* --- for programs ----------------------------------------------------------------------------- */

static json_t *onsets(const ig_lab_report *r, int from, int to)
{
    json_t *all = json_array(), *some;
    for (int i = from; i < to; i++) {
        if (ig_result_onsets(&some, &r->results, &r->experiment->report.figure[i], NULL) ==
            IG_ERR_OK)
            json_array_extend(all, some);
        json_decref(some);
    }
    return all;
}

char *ig_lab_report_onset(const ig_lab_report *r, int i)
{
    json_auto_t *of = onsets(r, i, i + 1);
    return ig_result_onsets_text(of);
}

json_t *ig_lab_report_examples(const ig_lab_report *r, const ig_store_entry *e)
{
    char dir[IG_PATH];
    if (e->run.status != IG_RUN_DONE)
        return NULL;
    if (r->dir != NULL)
        return ig_folder_path(dir, r->dir, NULL, "runs/%s", e->run.address) == IG_ERR_OK
                   ? ig_lab_examples(dir)
                   : NULL;
    json_auto_t *manifest = e->run.manifest != NULL ? json_loads(e->run.manifest, 0, NULL) : NULL;
    return json_incref(json_object_get(manifest, "examples"));
}

/* Adds what is not yet known of the experiment's fine-tunings; whether all is known now. */
static bool add_examples(json_t *all, const ig_experiment *e, const json_t *examples)
{
    bool known = true;
    for (int i = 0; i < e->n_task; i++)
        for (int k = 0; k < e->task[i].n_tuning; k++) {
            const char *task = e->task[i].name, *way = e->task[i].tuning[k].name;
            json_t *to = json_array_get(json_object_get(json_object_get(all, task), "ways"),
                                        (size_t)k),
                   *of = json_object_get(json_object_get(examples, task), way);
            if (of != NULL && json_object_get(to, "examples") == NULL)
                json_object_set(to, "examples", of);
            known = known && json_object_get(to, "examples") != NULL;
        }
    return known;
}

json_t *ig_lab_report_tasks(const ig_lab_report *r)
{
    const ig_experiment *e = r->experiment;
    json_t *all = ig_experiment_tasks_json(e);
    bool known = e->n_task == 0;
    for (int64_t i = 0; i < r->stored.n_entry && !known; i++) {
        json_t *of = ig_lab_report_examples(r, &r->stored.entry[i]);
        known = add_examples(all, e, of);
        json_decref(of);
    }
    return all;
}

json_t *ig_lab_report_json(const ig_lab_report *r)
{
    const ig_experiment *e = r->experiment;
    json_t *tables = json_array();
    for (int i = 0; i < r->n_table; i++)
        json_array_append_new(tables, ig_result_table_json(&r->table[i]));
    json_t *j = json_pack(
        "{s:i, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o}", "isoglot_report", 1,
        "experiment", e->name, "file", e->path, "title", e->title, "question", e->question, "paper",
        e->paper, "store", r->dir, "cells", ig_result_cells_json(&r->results), "tables", tables,
        "onsets", onsets(r, 0, e->report.n_figure), "claims", ig_claim_results_json(&r->claims),
        "notes", ig_json_texts(r->results.note, r->results.n_note));
    if (j != NULL && e->n_task > 0)
        json_object_set_new(j, "tasks", ig_lab_report_tasks(r));
    return j;
}
