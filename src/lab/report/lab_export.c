/* SPDX-License-Identifier: Apache-2.0
 *
 * Exports the data of a report: for each finished run the values of the quantities that the tables
 * and figures of the experiment need (report/results/results_file.h).
 */
#include "base/log.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "lab/report/lab_history.h"
#include "lab/report/lab_report_parts.h"
#include "lab/report/lab_source.h"
#include "lab/runs/lab_list.h"
#include "report/share/events.h"
#include "store/old_measures.h"

#include <string.h>

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

static ig_code claimed_side(ig_quantity_list *final, ig_quantity_list *curves,
                            const ig_claim_side *s, ig_err *err)
{
    for (int i = 0; i < s->n_term; i++) {
        const ig_claim_term *t = &s->term[i];
        IG_TRY(ig_quantity_list_add(ig_claim_over_training(t) ? curves : final, &t->q, err));
        if (t->cell == NULL && t->axis == NULL && t->paper == NULL)
            IG_TRY(ig_quantity_list_add(final, &t->with, err));
    }
    return IG_ERR_OK;
}

/* Adds the quantities of claims. */
static ig_code claimed(ig_quantity_list *final, ig_quantity_list *curves, const ig_experiment *e,
                       ig_err *err)
{
    for (int i = 0; i < e->n_claim; i++)
        for (int k = 0; k < e->claim[i].n_comparison; k++) {
            const ig_claim_comparison *c = &e->claim[i].comparison[k];
            IG_TRY(claimed_side(final, curves, &c->more, err));
            IG_TRY(claimed_side(final, curves, &c->less, err));
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
    ig_lab_history history;
} exporting;

/* The layers of μ are always written. */
static bool is_wanted(const exporting *x, const ig_row *m, const ig_result_cell *c)
{
    if (m->last && (x->r == NULL || x->o->all || strcmp(m->task, "mu_low") == 0 ||
                    strcmp(m->task, "mu_high") == 0))
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

static ig_code take_log(void *rows, const ig_json_record *line, ig_err *err)
{
    const json_t *step = json_object_get(line->json, "step");
    return json_is_integer(step)
               ? ig_training_log_read(rows, line->json, json_integer_value(step), false, err)
               : IG_ERR_OK;
}

/* An event file also has what the run's log has: loss and accuracy at every logged step. */
static ig_code put_events(const exporting *x, const ig_store_entry *e, const ig_row *row, int64_t n,
                          ig_err *err)
{
    char path[IG_PATH] = "";
    ig_row_set all = {0};
    ig_code code = IG_ERR_OK;
    if (x->o->store != NULL)
        code = ig_folder_path(path, x->o->store, err, "runs/%.64s/log.jsonl", e->cell.address);
    if (code == IG_ERR_OK && path[0] != '\0' && ig_file_exists(path))
        code = ig_json_lines(path, true, take_log, &all, err);
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        if (all.n == 0 ||
            (strcmp(row[i].task, "loss") != 0 && strcmp(row[i].task, "accuracy") != 0))
            code = ig_row_set_put(&all, &row[i], err);
    IG_THEN(code, ig_result_events_put(x->o->dir, e, all.row, all.n, err));
    ig_row_set_free(&all);
    return code;
}

static ig_code export_run(exporting *x, const ig_result_cell *c, const ig_store_entry *e,
                          ig_err *err)
{
    const ig_row *m = ig_store_rows(x->results->store, e);
    ig_row *row;
    int64_t n = 0;
    IG_TRY(ig_alloc(&row, e->n_metric, sizeof *row, "rows", err));
    for (int64_t i = 0; i < e->n_metric; i++)
        if (is_wanted(x, &m[i], c))
            row[n++] = m[i];
    json_t *examples =
        x->r != NULL && x->o->format == IG_EXPORT_JSONL ? ig_lab_report_examples(x->r, e) : NULL;
    const ig_code code = x->o->format == IG_EXPORT_CSV ? ig_result_file_csv(x->fp, e, row, n, err)
                         : x->o->format == IG_EXPORT_EVENTS
                             ? put_events(x, e, row, n, err)
                             : ig_result_file_put(x->fp, e, examples, row, n, err);
    json_decref(examples);
    ig_free(row);
    return code;
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
            if (x->r != NULL) {
                at = ig_lab_run_of(&x->list, x->r->experiment, &e.cell, at);
                e.run.settings = at >= 0 ? x->list.item[at].address : NULL;
            }
            if (e.run.status != IG_RUN_DONE || (x->r != NULL && e.run.settings == NULL)) {
                n_left++;
                continue;
            }
            IG_TRY(export_run(x, c, &e, err));
            ig_lab_history_see(&x->history, e.run.manifest);
            n_done++;
        }
    }
    ig_log(IG_LOG_NORMAL, "%s: %lld run%s", x->experiment, (long long)n_done,
           n_done == 1 ? "" : "s");
    if (n_left > 0)
        ig_log(IG_LOG_NORMAL, "%s: not finished, and not exported: %lld run%s", x->experiment,
               (long long)n_left, n_left == 1 ? "" : "s");
    ig_lab_history_warn(&x->history, x->experiment);
    return IG_ERR_OK;
}

/* Which quantities of a report. */
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
    IG_THEN(code, ig_lab_history_read(&x->history, path, err));
    if (code == IG_ERR_OK && x->o->format == IG_EXPORT_JSONL)
        code = ig_result_file_begin(x->fp, x->experiment, err);
    IG_THEN(code, export_cells(x, err));
    ig_lab_history_free(&x->history);
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
