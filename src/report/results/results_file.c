/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of results (docs/formats.md, "Results"). Every line is checked as a whole, so that errors
 * of a file that was cut, merged or edited by hand are reported with their line. Numbers are the
 * shortest text that reads back as the same double, so a table made of the file has the digits of
 * one made of the store.
 */
#include "report/results/results_file.h"

#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/json_file.h"
#include "base/settings/json_keys.h"
#include "base/settings/json_text.h"
#include "report/results/results_internal.h"
#include "report/results/results_old.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 2, NUMBER = 40 };

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct {
    ig_result_file *f;
    ig_row_set rows;
    const char *experiment;   /* whose runs are being read; NULL: none yet */
    int64_t n_run, first_run; /* of it, as its line says, −1: it does not; its first in `stored` */
    uint64_t line;            /* of it */
    bool in_run;
    int64_t n_row; /* of the run, as its line says; −1: it does not */
    int64_t have_run, have_experiment;
} reading;

static bool is_layers(const json_t *x)
{
    return json_is_array(x);
}

/* {"TASK": {"WAY": {"en train": 40}}} */
static bool is_examples(const json_t *x)
{
    const char *key;
    json_t *inner;
    bool right = json_is_object(x);
    json_object_foreach((json_t *)(uintptr_t)x, key, inner)
    {
        const char *way, *text;
        json_t *texts, *n;
        right = right && json_is_object(inner);
        json_object_foreach(inner, way, texts)
        {
            right = right && json_is_object(texts);
            json_object_foreach(texts, text, n)
            {
                right = right && ig_json_is_count(n);
            }
        }
    }
    return right;
}

static const ig_json_key run_keys[] = {
    {"run", "16 hexadecimal digits", ig_json_is_digits, true},
    {"cell", "a text", ig_json_is_name, true},
    {"label", "a text", ig_json_is_name, true},
    {"seed", "a whole number", ig_json_is_integer, true},
    {"settings", "16 hexadecimal digits", ig_json_is_digits, false},
    {"date", "a text", ig_json_is_name, false},
    {"program", "an object", ig_json_is_object, false},
    {"languages", "a text", ig_json_is_text, false},
    {"layers", "a small whole number", ig_json_is_small, false},
    {"mu_layers", "two layers", is_layers, false},
    {"measure", "an object", ig_json_is_object, false},
    {"examples", "counts of texts of ways of tasks", is_examples, false},
    {"sequences", "a whole number, 0 or more", ig_json_is_count, false},
    {"updates", "a whole number, 0 or more", ig_json_is_count, false},
    {"tokens", "a whole number, 0 or more", ig_json_is_count, false},
    {"seconds", "a number of 0 or more", ig_json_is_size, false},
    {"tokens_per_second", "a number of 0 or more", ig_json_is_size, false},
    {"peak_memory", "a whole number, 0 or more", ig_json_is_count, false},
    {"rows", "a whole number, 0 or more", ig_json_is_count, false}};

static ig_code get_text(const reading *r, const char **out, const json_t *j, const char *key,
                        ig_err *err)
{
    const json_t *x = json_object_get(j, key);
    return x == NULL ? IG_ERR_OK
                     : ig_pool_text(&r->f->stored.pool, out, json_string_value(x),
                                    json_string_length(x), err);
}

/* The members of j with these keys, as text. */
static ig_code get_members(const reading *r, const char **out, const json_t *j,
                           const char *const *key, ig_err *err)
{
    json_t *some = json_object();
    for (; *key != NULL; key++)
        if (json_object_get(j, *key) != NULL)
            json_object_set(some, *key, json_object_get(j, *key));
    IG_OWNED char *text = ig_json_text(some, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(some);
    return text == NULL ? ig_fail(err, IG_ERR_MEMORY, r->f->path, 0, "not enough memory")
                        : ig_pool_text(&r->f->stored.pool, out, text, strlen(text), err);
}

/* Rows of a run are in the store's order, and as many as its line says. */
static ig_code end_run(reading *r, ig_err *err)
{
    ig_store_result *s = &r->f->stored;
    if (!r->in_run)
        return IG_ERR_OK;
    ig_store_entry *e = &s->entry[s->n_entry - 1];
    r->in_run = false;
    const int64_t n = r->rows.n - e->first_metric;
    IG_TRY(ig_row_set_order(&r->rows, e->first_metric, r->f->path, err));
    if (r->n_row >= 0 && n != r->n_row) {
        ig_fail(err, IG_ERR_INPUT, r->f->path, e->run.line,
                "found %lld row%s of run %s, expected %lld, as its line says", (long long)n,
                n == 1 ? "" : "s", e->cell.address, (long long)r->n_row);
        return ig_hint(err, "the file is cut, or lines were taken out or added");
    }
    e->n_metric = n;
    return IG_ERR_OK;
}

/* The runs of an experiment are as many as its line says. */
static ig_code end_experiment(reading *r, ig_err *err)
{
    IG_TRY(end_run(r, err));
    const int64_t n = r->f->stored.n_entry - r->first_run;
    if (r->experiment == NULL || r->n_run < 0 || n == r->n_run)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, r->f->path, r->line,
            "found %lld run%s of %s, expected %lld, as its line says", (long long)n,
            n == 1 ? "" : "s", r->experiment, (long long)r->n_run);
    return ig_hint(err, "the file is cut, or runs were taken out or added");
}

static ig_code read_begin(reading *r, const json_t *j, const ig_json_record *line, ig_err *err)
{
    static const ig_json_key keys[] = {
        {"isoglot_results", "1 or 2", ig_json_is_integer, true},
        {"experiment", "a text", ig_json_is_name, true},
        {"runs", "a whole number, 0 or more", ig_json_is_count, false}};
    ig_result_file *f = r->f;
    const json_int_t version = json_integer_value(json_object_get(j, keys[0].key));
    char why[300];
    IG_TRY(end_experiment(r, err));
    if (version < 1 || version > VERSION) {
        ig_fail(err, IG_ERR_INPUT, f->path, line->number,
                "isoglot_results: found another version, expected 1 or 2");
        return ig_hint(err, "the file may be of a newer isoglot");
    }
    if (!ig_json_has(why, sizeof why, j, keys, 3))
        return ig_fail(err, IG_ERR_INPUT, f->path, line->number, "%s", why);
    const json_t *n_run = json_object_get(j, keys[2].key);
    r->n_run = n_run != NULL ? json_integer_value(n_run) : -1;
    r->first_run = f->stored.n_entry;
    r->line = line->number;
    IG_TRY(get_text(r, &r->experiment, j, keys[1].key, err));
    IG_TRY(ig_grow(&f->experiment, &r->have_experiment, f->n_experiment + 1, sizeof *f->experiment,
                   "names of experiments", err));
    f->experiment[f->n_experiment++] = r->experiment;
    return IG_ERR_OK;
}

static ig_code read_run(reading *r, const json_t *j, const ig_json_record *line, ig_err *err)
{
    static const char *const manifest[] = {"layers",  "measure",   "examples",
                                           "program", "sequences", NULL},
                             *const config[] = {"languages", NULL};
    ig_store_result *s = &r->f->stored;
    char why[300];
    IG_TRY(end_run(r, err));
    if (r->experiment == NULL)
        return ig_fail(err, IG_ERR_INPUT, r->f->path, line->number,
                       "found a run, expected the line {\"isoglot_results\": 2, …} before it");
    if (!ig_json_has(why, sizeof why, j, run_keys, sizeof run_keys / sizeof *run_keys))
        return ig_fail(err, IG_ERR_INPUT, r->f->path, line->number, "%s", why);
    IG_TRY(ig_grow(&s->entry, &r->have_run, s->n_entry + 1, sizeof *s->entry, "runs", err));
    ig_store_entry *e = &s->entry[s->n_entry++];
    const int64_t seed = json_integer_value(json_object_get(j, "seed"));
    *e = (ig_store_entry){
        .cell = {.experiment = r->experiment, .seed = seed},
        .run = {.status = IG_RUN_DONE,
                .seed = seed,
                .updates = json_integer_value(json_object_get(j, "updates")),
                .tokens = json_integer_value(json_object_get(j, "tokens")),
                .peak_memory = json_integer_value(json_object_get(j, "peak_memory")),
                .seconds = json_number_value(json_object_get(j, "seconds")),
                .tokens_per_second = json_number_value(json_object_get(j, "tokens_per_second")),
                .line = line->number},
        .first_metric = r->rows.n};
    IG_TRY(get_text(r, &e->cell.address, j, "run", err));
    IG_TRY(get_text(r, &e->cell.cell, j, "cell", err));
    IG_TRY(get_text(r, &e->cell.label, j, "label", err));
    IG_TRY(get_text(r, &e->run.settings, j, "settings", err));
    IG_TRY(get_text(r, &e->run.date, j, "date", err));
    IG_TRY(get_members(r, &e->run.manifest, j, manifest, err));
    IG_TRY(get_members(r, &e->run.config, j, config, err));
    e->run.address = e->cell.address;
    r->in_run = true;
    const json_t *n_row = json_object_get(j, "rows");
    r->n_row = n_row != NULL ? json_integer_value(n_row) : -1;
    return ig_result_old_layers(&r->rows, json_object_get(j, "mu_layers"), e->run.updates,
                                (ig_row_source){r->f->path, line->number, 0}, err);
}

static ig_code read_line(void *arg, const ig_json_record *line, ig_err *err)
{
    reading *r = arg;
    const ig_row_source from = {line->path, line->number, 0};
    const json_t *j = line->json;
    if (json_object_get(j, "isoglot_results") != NULL)
        return read_begin(r, j, line, err);
    if (json_object_get(j, "cell") != NULL && json_object_get(j, "quantity") == NULL)
        return read_run(r, j, line, err);
    if (!r->in_run)
        return ig_fail(err, IG_ERR_INPUT, line->path, line->number,
                       "found no line of a run, expected one before its rows");
    if (json_object_get(j, "quantity") != NULL)
        return ig_result_old_value(&r->rows, j, &r->f->stored.entry[r->f->stored.n_entry - 1], from,
                                   err);
    return ig_row_set_read(&r->rows, j, &(ig_row){.last = true}, from, err);
}

ig_code ig_result_file_read(ig_result_file *f, const char *path, ig_err *err)
{
    *f = (ig_result_file){.path = path};
    reading r = {.f = f};
    ig_code code = ig_json_lines(path, false, read_line, &r, err);
    IG_THEN(code, end_experiment(&r, err));
    if (code == IG_ERR_OK && r.experiment == NULL)
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found nothing, expected the line {\"isoglot_results\": 2, …}");
    ig_store_result_take(&f->stored, &r.rows);
    return code;
}

void ig_result_file_free(ig_result_file *f)
{
    ig_store_result_free(&f->stored);
    ig_free(f->experiment);
    *f = (ig_result_file){0};
}

/* --- writing ---------------------------------------------------------------------------------- */

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

ig_code ig_result_file_begin(FILE *fp, const char *experiment, int64_t n_run, ig_err *err)
{
    IG_TRY(put_open(fp,
                    json_pack("{s:i, s:s, s:I}", "isoglot_results", VERSION, "experiment",
                              experiment, "runs", (json_int_t)n_run),
                    err));
    fputs("}\n", fp);
    return IG_ERR_OK;
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

/* When the run was finished: of a store its manifest says it, of a file its line; NULL: unknown. */
static const char *date_of(const ig_store_run *r, const ig_result_origin *o)
{
    return r->date != NULL ? r->date
                           : json_string_value(
                                 json_object_get(json_object_get(o->manifest, "time"), "finished"));
}

static json_t *run_json(const ig_store_entry *e, const ig_result_origin *o)
{
    json_t *j = json_pack("{s:s, s:s, s:s, s:I}", "run", e->cell.address, "cell", e->cell.cell,
                          "label", e->cell.label, "seed", (json_int_t)e->cell.seed);
    if (e->run.settings != NULL)
        json_object_set_new(j, "settings", json_string(e->run.settings));
    json_t *languages = json_object_get(o->config, "languages"),
           *layers = json_object_get(o->manifest, "layers"),
           *measure = json_object_get(o->manifest, "measure"),
           *sequences = json_object_get(o->manifest, "sequences");
    if (date_of(&e->run, o) != NULL)
        json_object_set_new(j, "date", json_string(date_of(&e->run, o)));
    json_object_set_new(j, "program", program_of(o));
    if (json_is_string(languages))
        json_object_set(j, "languages", languages);
    if (json_is_integer(layers))
        json_object_set(j, "layers", layers);
    if (json_is_object(measure))
        json_object_set(j, "measure", measure);
    if (json_is_integer(sequences))
        json_object_set(j, "sequences", sequences);
    return j;
}

ig_code ig_result_file_put(FILE *fp, const ig_store_entry *e, json_t *examples, const ig_row *row,
                           int64_t n, ig_err *err)
{
    ig_run_number of[IG_RUN_NUMBERS];
    ig_result_origin o;
    IG_TRY(ig_result_origin_read(&o, &e->run, err));
    json_t *run = run_json(e, &o);
    if (json_object_size(examples) > 0)
        json_object_set(run, "examples", examples);
    const ig_code code = put_open(fp, run, err);
    ig_result_origin_free(&o);
    IG_TRY(code);
    ig_run_numbers(of, &e->run);
    for (int i = 0; i < IG_RUN_NUMBERS; i++)
        if (of[i].value > 0) {
            char text[NUMBER];
            ig_number_print(text, sizeof text, of[i].value);
            fprintf(fp, ",\"%s\":%s", of[i].name, text);
        }
    fprintf(fp, ",\"rows\":%lld}\n", (long long)n);
    for (int64_t i = 0; i < n; i++)
        IG_TRY(ig_row_put_line(fp, &row[i], err));
    return IG_ERR_OK;
}

static const char *const columns[] = {
    "experiment", "cell", "label", "seed", "address", "measure", "split", "languages", "tags",
    "layer",      "step", "last",  "n",    "value",   "version", "date",  "program",   "commit"};

static void csv_row(ig_table *t, const ig_store_entry *e, const ig_result_origin *o,
                    const ig_row *m)
{
    const double none = (double)NAN;
    const char *date = date_of(&e->run, o);
    const int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    int k = 0;
    ig_table_text(t, row, k++, e->cell.experiment);
    ig_table_text(t, row, k++, e->cell.cell);
    ig_table_text(t, row, k++, e->cell.label);
    ig_table_number(t, row, k++, (double)e->cell.seed, 0);
    ig_table_text(t, row, k++, e->cell.address);
    ig_table_text(t, row, k++, m->task);
    ig_table_text(t, row, k++, m->split);
    ig_table_text(t, row, k++, m->languages);
    ig_table_text(t, row, k++, ig_row_tags(m));
    ig_table_number(t, row, k++, m->layer >= 0 ? m->layer : none, 0);
    ig_table_number(t, row, k++, (double)m->step, 0);
    ig_table_number(t, row, k++, m->last ? 1 : 0, 0);
    ig_table_number(t, row, k++, m->n > 0 ? (double)m->n : none, 0);
    ig_table_number(t, row, k++, m->value, 0);
    ig_table_number(t, row, k++, m->task_version, 0);
    ig_table_text(t, row, k++, date != NULL ? date : "");
    ig_table_text(t, row, k++, ig_result_origin_program(o, "version"));
    ig_table_text(t, row, k++, ig_result_origin_program(o, "commit"));
}

static ig_code csv_run(ig_table *t, const ig_store_entry *e, const ig_row *row, int64_t n,
                       ig_err *err)
{
    ig_run_number of[IG_RUN_NUMBERS];
    ig_result_origin o;
    IG_TRY(ig_result_origin_read(&o, &e->run, err));
    ig_run_numbers(of, &e->run);
    for (int i = 0; i < IG_RUN_NUMBERS; i++)
        if (of[i].value > 0)
            csv_row(t, e, &o,
                    &(ig_row){.task = of[i].name,
                              .task_version = 1,
                              .split = "",
                              .languages = "",
                              .layer = -1,
                              .step = e->run.updates,
                              .last = true,
                              .value = of[i].value});
    for (int64_t i = 0; i < n; i++)
        csv_row(t, e, &o, &row[i]);
    ig_result_origin_free(&o);
    return IG_ERR_OK;
}

ig_code ig_result_file_csv(FILE *fp, const ig_store_entry *e, const ig_row *row, int64_t n,
                           ig_err *err)
{
    ig_table *t;
    IG_TRY(ig_table_new(&t, "results", NULL, NULL, err));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        ig_table_add_column(t, columns[i], columns[i], NULL, IG_TABLE_LEFT);
    ig_code code = e != NULL ? csv_run(t, e, row, n, err) : IG_ERR_OK;
    IG_THEN(code, ig_table_csv(fp, t, e == NULL, err));
    ig_table_free(t);
    return code;
}
