/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a file of results (docs/formats.md, "Results"). Numbers are the shortest text that reads
 * back as the same double, so a table made of the file has the digits of one made of the store.
 */
#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/json_text.h"
#include "report/results/results_file.h"
#include "report/results/results_internal.h"
#include "report/table/table_format.h"
#include "store/store_task.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, NUMBER = 40 };

/* --- which values ----------------------------------------------------------------------------- */

typedef struct {
    ig_result_line *line;
    int64_t n, capacity;
    const ig_result_written *run;
    ig_err *err;
} gathering;

static const char *split_of(const ig_quantity *q)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    return q->split[0] != '\0' ? q->split : task->split;
}

/* Whether both are one value of the store under any name of the layer. */
static bool same_value(const ig_result_line *a, const ig_result_line *b)
{
    return a->layer == b->layer && a->step == b->step &&
           strcmp(a->quantity.task, b->quantity.task) == 0 &&
           strcmp(split_of(&a->quantity), split_of(&b->quantity)) == 0 &&
           strcmp(a->quantity.tags, b->quantity.tags) == 0 &&
           strcmp(a->quantity.languages, b->quantity.languages) == 0;
}

/* The metric that a value was taken from; NULL: it is another's (τ distinct where no word is shared
 * is τ). */
static const ig_row *metric_of(const gathering *g, const ig_quantity *q, int layer, int64_t step)
{
    const ig_store_entry *e = g->run->entry;
    const ig_row *m = ig_result_metrics(g->run->results->store, e);
    for (int64_t i = 0; i < e->n_metric; i++)
        if ((step < 0 ? m[i].last : m[i].step == step) && m[i].layer == layer &&
            strcmp(m[i].task, q->task) == 0 && strcmp(m[i].split, split_of(q)) == 0 &&
            strcmp(ig_row_tags(&m[i]), q->tags) == 0)
            return &m[i];
    return NULL;
}

/* The value at a step (−1: of the finished model), if there is one. */
static ig_code add(gathering *g, const ig_quantity *q, int64_t step)
{
    const ig_result_value v =
        ig_result_value_of(g->run->results, g->run->cell, g->run->entry, q, step);
    const ig_row *m = metric_of(g, q, v.layer, step);
    if (!isfinite(v.value))
        return IG_ERR_OK;
    const ig_result_line line = {.quantity = *q,
                                 .layer = v.layer,
                                 .step = m != NULL   ? m->step
                                         : step >= 0 ? step
                                                     : g->run->entry->run.updates,
                                 .n = v.n,
                                 .last = step < 0 || (m != NULL && m->last),
                                 .task_version = m != NULL ? m->task_version : 1,
                                 .value = v.value};
    for (int64_t i = 0; i < g->n; i++)
        if (same_value(&g->line[i], &line))
            return IG_ERR_OK;
    IG_TRY(ig_grow(&g->line, &g->capacity, g->n + 1, sizeof *g->line, "values", g->err));
    g->line[g->n++] = line;
    return IG_ERR_OK;
}

/* The value at every checkpoint that has one of the task. */
static ig_code add_steps(gathering *g, const ig_quantity *q)
{
    const ig_store_entry *e = g->run->entry;
    const ig_row *m = ig_result_metrics(g->run->results->store, e);
    for (int64_t i = 0; i < e->n_metric; i++)
        if (strcmp(m[i].task, q->task) == 0 && !m[i].last)
            IG_TRY(add(g, q, m[i].step));
    return IG_ERR_OK;
}

static int by_name(const void *x, const void *y)
{
    const ig_result_line *a = x, *b = y;
    char name[2][NAME];
    ig_quantity_format(name[0], NAME, &a->quantity);
    ig_quantity_format(name[1], NAME, &b->quantity);
    const int order = strcmp(name[0], name[1]);
    return order != 0 ? order : (a->step > b->step) - (a->step < b->step);
}

/* Whether the line of the run has the quantity. */
static bool is_in_run_line(const ig_quantity *q)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    return task == NULL || task->kind == IG_STORE_TASK_RUN || strcmp(q->task, "mu_low") == 0 ||
           strcmp(q->task, "mu_high") == 0;
}

ig_code ig_result_lines_of(ig_result_line **out, int64_t *n, const ig_result_written *run,
                           const ig_result_wanted *what, ig_err *err)
{
    gathering g = {.run = run, .err = err};
    ig_code code = ig_grow(&g.line, &g.capacity, 1, sizeof *g.line, "values", err);
    for (int i = 0; i < what->n_final && code == IG_ERR_OK; i++)
        if (!is_in_run_line(&what->final[i]))
            code = add(&g, &what->final[i], -1);
    for (int i = 0; i < what->n_curve && code == IG_ERR_OK; i++)
        if (!is_in_run_line(&what->curve[i]))
            code = add_steps(&g, &what->curve[i]);
    if (code == IG_ERR_OK)
        qsort(g.line, (size_t)g.n, sizeof *g.line, by_name);
    *out = g.line;
    *n = g.n;
    return code;
}

/* --- as JSON lines ---------------------------------------------------------------------------- */

static ig_code written(const FILE *fp, ig_err *err)
{
    return ferror((FILE *)(uintptr_t)fp) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, "results", 0, "cannot write: %s", strerror(errno));
}

/* The members of j without the last bracket, for numbers to follow; frees it. */
static ig_code put_open(FILE *fp, json_t *j, ig_err *err)
{
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "results", 0, "not enough memory for a line");
    fwrite(text, 1, strlen(text) - 1, fp);
    free(text);
    return IG_ERR_OK;
}

static void put_number(FILE *fp, const char *key, double x)
{
    char text[NUMBER];
    ig_number_print(text, sizeof text, x);
    fprintf(fp, ",\"%s\":%s", key, text);
}

ig_code ig_result_file_begin(FILE *fp, const char *experiment, ig_err *err)
{
    IG_TRY(
        put_open(fp, json_pack("{s:i, s:s}", "isoglot_results", 1, "experiment", experiment), err));
    fputs("}\n", fp);
    return written(fp, err);
}

/* The part of the program's description that a report shows where runs differ. */
static json_t *program_of(const ig_result_origin *o)
{
    static const char *const keys[] = {"version", "commit", "compiler", "build", NULL};
    json_t *out = json_object();
    for (const char *const *k = keys; *k != NULL; k++)
        if (ig_result_origin_program(o, *k)[0] != '\0')
            json_object_set_new(out, *k, json_string(ig_result_origin_program(o, *k)));
    const char *cpu = ig_result_origin_program(o, "cpu.name"),
               *kernels = ig_result_origin_program(o, "kernels.table");
    if (cpu[0] != '\0')
        json_object_set_new(out, "cpu", json_pack("{s:s}", "name", cpu));
    if (kernels[0] != '\0')
        json_object_set_new(out, "kernels", json_pack("{s:s}", "table", kernels));
    return out;
}

static json_t *run_json(const ig_result_written *run, const ig_result_origin *o)
{
    const ig_result_cell *c = run->cell;
    const ig_store_entry *e = run->entry;
    json_t *j = json_pack("{s:s, s:s, s:s, s:I}", "run", e->cell.address, "cell", e->cell.cell,
                          "label", e->cell.label, "seed", (json_int_t)e->cell.seed);
    if (run->settings != NULL)
        json_object_set_new(j, "settings", json_string(run->settings));
    json_t *date = json_object_get(json_object_get(o->manifest, "time"), "finished"),
           *languages = json_object_get(o->config, "languages"),
           *layers = json_object_get(o->manifest, "layers"),
           *measure = json_object_get(o->manifest, "measure");
    if (json_is_string(date))
        json_object_set(j, "date", date);
    json_object_set_new(j, "program", program_of(o));
    if (json_is_string(languages))
        json_object_set(j, "languages", languages);
    if (json_is_integer(layers))
        json_object_set(j, "layers", layers);
    if (c->layer_low >= 0)
        json_object_set_new(j, "mu_layers", json_pack("[i, i]", c->layer_low, c->layer_high));
    if (json_is_object(measure))
        json_object_set(j, "measure", measure);
    return j;
}

static json_t *value_json(const ig_store_entry *e, const ig_result_line *x)
{
    char name[NAME];
    ig_quantity_format(name, sizeof name, &x->quantity);
    json_t *j = json_pack("{s:s, s:s, s:I, s:s}", "run", e->cell.address, "cell", e->cell.cell,
                          "seed", (json_int_t)e->cell.seed, "quantity", name);
    if (x->layer >= 0)
        json_object_set_new(j, "layer", json_integer(x->layer));
    json_object_set_new(j, "step", json_integer((json_int_t)x->step));
    if (!x->last)
        json_object_set_new(j, "last", json_false());
    if (x->n > 0)
        json_object_set_new(j, "n", json_integer((json_int_t)x->n));
    if (x->task_version != 1)
        json_object_set_new(j, "task_version", json_integer(x->task_version));
    return j;
}

ig_code ig_result_file_put(FILE *fp, const ig_result_written *run, const ig_result_line *line,
                           int64_t n, ig_err *err)
{
    const ig_store_entry *e = run->entry;
    ig_run_number of[IG_RUN_NUMBERS];
    ig_result_origin o;
    IG_TRY(ig_result_origin_read(&o, &e->run, err));
    const ig_code code = put_open(fp, run_json(run, &o), err);
    ig_result_origin_free(&o);
    IG_TRY(code);
    ig_run_numbers(of, &e->run);
    for (int i = 0; i < IG_RUN_NUMBERS; i++)
        if (of[i].value > 0)
            put_number(fp, of[i].name, of[i].value);
    fputs("}\n", fp);
    for (int64_t i = 0; i < n; i++) {
        IG_TRY(put_open(fp, value_json(e, &line[i]), err));
        put_number(fp, "value", line[i].value);
        fputs("}\n", fp);
    }
    return written(fp, err);
}

/* --- as CSV ----------------------------------------------------------------------------------- */

static const char *const columns[] = {"experiment", "cell",  "label",   "seed",  "address",
                                      "quantity",   "layer", "step",    "last",  "n",
                                      "value",      "date",  "version", "commit"};

/* The fields that all lines of a run share. */
typedef struct {
    const char *date;
    const ig_store_entry *e;
    const ig_result_origin *o;
} csv_run;

static void csv_row(ig_table *t, const csv_run *r, const char *quantity, const ig_result_line *x)
{
    const double none = (double)NAN;
    const int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    int k = 0;
    ig_table_text(t, row, k++, r->e->cell.experiment);
    ig_table_text(t, row, k++, r->e->cell.cell);
    ig_table_text(t, row, k++, r->e->cell.label);
    ig_table_number(t, row, k++, (double)r->e->cell.seed, 0);
    ig_table_text(t, row, k++, r->e->cell.address);
    ig_table_text(t, row, k++, quantity);
    ig_table_number(t, row, k++, x->layer >= 0 ? x->layer : none, 0);
    ig_table_number(t, row, k++, (double)x->step, 0);
    ig_table_number(t, row, k++, x->last ? 1 : 0, 0);
    ig_table_number(t, row, k++, x->n > 0 ? (double)x->n : none, 0);
    ig_table_number(t, row, k++, x->value, 0);
    ig_table_text(t, row, k++, r->date != NULL ? r->date : "");
    ig_table_text(t, row, k++, ig_result_origin_program(r->o, "version"));
    ig_table_text(t, row, k++, ig_result_origin_program(r->o, "commit"));
}

static void csv_rows(ig_table *t, const csv_run *r, const ig_result_line *line, int64_t n)
{
    ig_run_number of[IG_RUN_NUMBERS];
    ig_run_numbers(of, &r->e->run);
    for (int i = 0; i < IG_RUN_NUMBERS; i++)
        if (of[i].value > 0)
            csv_row(
                t, r, of[i].name,
                &(ig_result_line){
                    .layer = -1, .step = r->e->run.updates, .last = true, .value = of[i].value});
    for (int64_t i = 0; i < n; i++) {
        char name[NAME];
        ig_quantity_format(name, sizeof name, &line[i].quantity);
        csv_row(t, r, name, &line[i]);
    }
}

static ig_code csv_table(ig_table **t, ig_err *err)
{
    IG_TRY(ig_table_new(t, "results", NULL, NULL, err));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        ig_table_add_column(*t, columns[i], columns[i], NULL, IG_TABLE_LEFT);
    return IG_ERR_OK;
}

ig_code ig_result_file_csv_begin(FILE *fp, ig_err *err)
{
    ig_table *t;
    IG_TRY(csv_table(&t, err));
    const ig_code code = ig_table_csv(fp, t, true, err);
    ig_table_free(t);
    return code == IG_ERR_OK ? written(fp, err) : code;
}

ig_code ig_result_file_csv(FILE *fp, const ig_result_written *run, const ig_result_line *line,
                           int64_t n, ig_err *err)
{
    ig_result_origin o;
    ig_table *t = NULL;
    IG_TRY(ig_result_origin_read(&o, &run->entry->run, err));
    const json_t *finished = json_object_get(json_object_get(o.manifest, "time"), "finished");
    const csv_run of = {json_string_value(finished), run->entry, &o};
    ig_code code = csv_table(&t, err);
    if (code == IG_ERR_OK) {
        csv_rows(t, &of, line, n);
        code = ig_table_csv(fp, t, false, err);
        ig_table_free(t);
    }
    ig_result_origin_free(&o);
    return code == IG_ERR_OK ? written(fp, err) : code;
}
