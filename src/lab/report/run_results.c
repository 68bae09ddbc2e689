/* SPDX-License-Identifier: Apache-2.0
 *
 * From the folders of runs to rows: see run_results.h. Formats: docs/running.md.
 */
#include "lab/report/run_results.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "lab/report/lab_source.h"
#include "run/measure/open_run.h"
#include "run/train/run_measures.h"
#include "store/old_measures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The results of one run. */
typedef struct {
    const char *dir;
    ig_row_set *rows;
    int64_t first; /* of its rows */
    bool by_batch; /* its own mean of perplexity */
    bool measured; /* by a file of measures */
} reading;

static ig_code add_measures(reading *r, const json_t *measures, int64_t step, const char *path,
                            ig_err *err)
{
    const ig_store_measured of = {.step = step, .by_batch = r->by_batch, .where = path};
    return ig_measures_read(r->rows, measures, &of, err);
}

/* A line of the log: losses, and evaluations where no file of measures has them. */
static ig_code take_line(void *arg, const ig_json_record *line, ig_err *err)
{
    reading *r = arg;
    const json_t *step = json_object_get(line->json, "step"),
                 *measures = json_object_get(line->json, "eval");
    if (!json_is_integer(step))
        return ig_fail(err, IG_ERR_INPUT, line->path, line->number, "a line without its step");
    IG_TRY(ig_training_log_read(r->rows, line->json, json_integer_value(step), false, err));
    return !json_is_object(measures) || r->measured
               ? IG_ERR_OK
               : add_measures(r, measures, json_integer_value(step), line->path, err);
}

static ig_code read_measures(reading *r, ig_err *err)
{
    ig_run_measures m;
    if (!ig_folder_has(r->dir, ig_run_measures_name(r->dir)))
        return IG_ERR_OK;
    ig_code code = ig_run_measures_read(&m, r->dir, r->by_batch, err);
    IG_THEN(code, ig_row_set_append(r->rows, &m.rows, err));
    ig_run_measures_free(&m);
    r->measured = true;
    return code;
}

static ig_code read_log(reading *r, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, r->dir, err, "log.jsonl"));
    return ig_file_exists(path) ? ig_json_lines(path, true, take_line, r, err) : IG_ERR_OK;
}

/* The measures at the end of a run that was not measured on the way. */
static ig_code read_eval(reading *r, ig_err *err)
{
    char path[IG_PATH];
    json_auto_t *j = NULL;
    if (r->measured || !ig_folder_has(r->dir, "eval.json"))
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(path, r->dir, err, "eval.json"));
    IG_TRY(ig_json_read(&j, path, err));
    const json_t *step = json_object_get(json_object_get(j, "run"), "updates");
    bool again = !json_is_integer(step) ||
                 (json_object_get(j, "rows") == NULL && json_object_get(j, "layers") == NULL);
    for (int64_t i = r->first; i < r->rows->n; i++)
        again = again || (r->rows->row[i].step == json_integer_value(step) &&
                          strcmp(r->rows->row[i].task, "mu_low") == 0);
    return again ? IG_ERR_OK : add_measures(r, j, json_integer_value(step), path, err);
}

static ig_code read_config(reading *r, ig_store_result *out, ig_store_run *run, ig_err *err)
{
    ig_run_config c = {0};
    ig_code code = ig_run_config_load_in(&c, r->dir, err);
    if (code == IG_ERR_OK) {
        json_t *j = ig_options_json(&ig_run_options, &c);
        char *text = j != NULL ? ig_json_text(j, JSON_COMPACT) : NULL;
        run->seed = c.optimisation.seed;
        r->by_batch = c.measuring.perplexity_average == IG_VARIANT_PAPER_CODE;
        code = text != NULL
                   ? ig_pool_text(&out->pool, &run->config, text, strlen(text), err)
                   : ig_fail(err, IG_ERR_MEMORY, r->dir, 0, "not enough memory for the settings");
        json_decref(j);
        free(text);
    }
    ig_run_config_free(&c);
    return code;
}

static bool is_training(const ig_row *m)
{
    return strcmp(m->task, "loss") == 0 || strcmp(m->task, "accuracy") == 0;
}

/* A curve needs no more points than that: of a longer log, means of so many lines each. */
enum { most_points = 1000 };
static void thin_training(ig_row_set *m, int64_t first)
{
    int64_t kept = first;
    for (int64_t i = first; i < m->n;) {
        int64_t end = i;
        while (end < m->n && strcmp(m->row[end].task, m->row[i].task) == 0)
            end++;
        const int64_t each =
            is_training(&m->row[i]) ? (end - i + most_points - 1) / most_points : 1;
        for (; i < end; i += each) {
            const int64_t last = i + each < end ? i + each : end;
            double sum = 0;
            for (int64_t k = i; k < last; k++)
                sum += m->row[k].value;
            ig_row mean = m->row[last - 1];
            mean.value = each > 1 ? sum / (double)(last - i) : mean.value;
            m->row[kept++] = mean;
        }
        i = end;
    }
    m->n = kept;
}

/* Marks the newest step of each task as the last, and sorts. */
static ig_code finish_rows(const reading *r, ig_err *err)
{
    ig_row_set *m = r->rows;
    int64_t newest = -1;
    IG_TRY(ig_row_set_order(m, r->first, r->dir, err));
    thin_training(m, r->first);
    for (int64_t i = r->first; i < m->n; i++)
        if (strcmp(m->row[i].split, "dev") == 0 && m->row[i].step > newest)
            newest = m->row[i].step;
    for (int64_t i = r->first; i < m->n; i++) {
        ig_row *a = &m->row[i];
        a->last =
            is_training(a) ? i + 1 == m->n || strcmp(a[1].task, a->task) != 0 : a->step == newest;
    }
    return IG_ERR_OK;
}

static ig_code read_run(ig_store_result *out, ig_row_set *rows, const char *dir, ig_err *err)
{
    char found[IG_PATH];
    ig_store_entry *e = &out->entry[out->n_entry];
    IG_TRY(ig_run_find(found, dir, err));
    /* By one name, so that a run is known when it comes again. */
    IG_OWNED char *full = realpath(found, NULL);
    IG_TRY(full == NULL ? ig_fail(err, IG_ERR_IO, dir, 0, "%s", strerror(errno))
                        : ig_pool_text(&out->pool, &e->run.address, full, strlen(full), err));
    for (int64_t i = 0; i < out->n_entry; i++)
        if (strcmp(out->entry[i].run.address, e->run.address) == 0)
            return ig_fail(err, IG_ERR_USAGE, dir, 0, "is given twice");
    reading r = {.dir = e->run.address, .rows = rows, .first = rows->n};
    e->run.status = IG_RUN_DONE;
    IG_TRY(read_config(&r, out, &e->run, err));
    IG_TRY(read_measures(&r, err));
    IG_TRY(read_log(&r, err));
    IG_TRY(read_eval(&r, err));
    IG_TRY(finish_rows(&r, err));
    e->first_metric = r.first;
    e->n_metric = rows->n - r.first;
    return IG_ERR_OK;
}

static int by_run(const void *x, const void *y)
{
    const ig_store_entry *a = x, *b = y;
    const int order = ig_lab_by_cell(x, y);
    return order != 0 ? order : strcmp(a->run.address, b->run.address);
}

ig_code ig_run_results(ig_store_result *out, const ig_named_run *run, int n, ig_err *err)
{
    ig_row_set rows = {0};
    *out = (ig_store_result){0};
    ig_code code = ig_alloc(&out->entry, n, sizeof *out->entry, "results", err);
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        code = read_run(out, &rows, run[i].dir, err);
        int order = i;
        for (int k = i - 1; k >= 0; k--)
            order = strcmp(run[k].name, run[i].name) == 0 ? k : order;
        ig_store_entry *e = &out->entry[out->n_entry++];
        e->cell = (ig_store_cell){"", run[i].name, "", order, e->run.seed, e->run.address};
    }
    ig_store_result_take(out, &rows);
    if (out->n_entry > 0)
        qsort(out->entry, (size_t)out->n_entry, sizeof *out->entry, by_run);
    return code;
}
