/* SPDX-License-Identifier: Apache-2.0
 *
 * From the folders of runs to metrics: see run_results.h. Formats: docs/training.md.
 */
#include "lab/report/run_results.h"

#include "base/file.h"
#include "base/settings/json_text.h"
#include "base/memory.h"
#include "run/measure/open_run.h"
#include "store/old_measures.h"
#include "store/store_task.h"
#include "base/strings/append.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const int64_t size_limit = (int64_t)1 << 30;

/* What is read of one run. */
typedef struct {
    char *dir, *config;
    int64_t seed;
    ig_row_set metrics;
    bool by_batch; /* its own mean of perplexity */
    bool measured; /* by measures.json or .jsonl, which have what log.jsonl has and more */
} reading;

typedef struct {
    ig_store_entry *entry;
    ig_row *metric;
    reading *run;
    int n;
} memory;

/* A file of the run, if it is there; *text is NULL otherwise. */
static ig_code read_file(char path[IG_PATH], char **text, int64_t *size, const char *dir,
                         const char *name, ig_err *err)
{
    *text = NULL;
    IG_TRY(ig_folder_path(path, dir, err, "%s", name));
    return ig_file_exists(path) ? ig_file_read(text, size, path, size_limit, err) : IG_ERR_OK;
}

static ig_code parse(json_t **j, const char *text, int64_t n, const char *path, uint64_t line,
                     ig_err *err)
{
    json_error_t why;
    const ig_code code = ig_json_load(j, text, n, JSON_REJECT_DUPLICATES, &why, path, err);
    if (code == IG_ERR_INPUT)
        ig_fail(err, code, path, line > 0 ? line : (uint64_t)(why.line > 0 ? why.line : 0), "%s",
                why.text);
    return code;
}

static ig_code add_measures(reading *r, const json_t *measures, int64_t step, const char *path,
                            ig_err *err)
{
    const ig_store_measured of = {.step = step, .by_batch = r->by_batch, .where = path};
    return ig_measures_read(&r->metrics, measures, &of, err);
}

/* One line of measures.jsonl or log.jsonl, one element of measures.json's checkpoints. */
static ig_code take_line(reading *r, const json_t *line, bool log, const char *path, ig_err *err)
{
    const json_t *step = json_object_get(line, "step"),
                 *measures = json_object_get(line, log ? "eval" : "measures");
    if (!json_is_integer(step))
        return ig_fail(err, IG_ERR_INPUT, path, 0, "a line without its step");
    int64_t at = json_integer_value(step);
    if (log)
        IG_TRY(ig_training_log_read(&r->metrics, line, at, false, err));
    if (!json_is_object(measures) || (log && r->measured))
        return IG_ERR_OK;
    return add_measures(r, measures, at, path, err);
}

static ig_code read_lines(reading *r, const char *name, bool log, bool *found, ig_err *err)
{
    char path[IG_PATH], *text;
    int64_t size = 0;
    uint64_t number = 0;
    ig_code code = read_file(path, &text, &size, r->dir, name, err);
    *found = text != NULL;
    /* What is behind the last line end is still being written. */
    for (const char *p = text, *end; code == IG_ERR_OK && p != NULL; p = end + 1) {
        end = memchr(p, '\n', (size_t)(text + size - p));
        if (end == NULL)
            break;
        json_t *line;
        code = parse(&line, p, end - p, path, ++number, err);
        IG_THEN(code, take_line(r, line, log, path, err));
        json_decref(line);
    }
    ig_free(text);
    return code;
}

static ig_code read_measures(reading *r, ig_err *err)
{
    char path[IG_PATH], *text;
    int64_t size = 0;
    json_t *j = NULL;
    ig_code code = read_file(path, &text, &size, r->dir, "measures.json", err);
    if (code == IG_ERR_OK && text != NULL) {
        size_t i;
        json_t *line;
        code = parse(&j, text, size, path, 0, err);
        json_array_foreach(json_object_get(j, "checkpoints"), i, line)
        {
            IG_THEN(code, take_line(r, line, false, path, err));
        }
        r->measured = true;
    }
    json_decref(j);
    ig_free(text);
    if (code == IG_ERR_OK && !r->measured)
        code = read_lines(r, "measures.jsonl", false, &r->measured, err);
    return code;
}

/* The measures at the end of a run that was not measured on the way. */
static ig_code read_eval(reading *r, ig_err *err)
{
    char path[IG_PATH], *text;
    int64_t size = 0;
    json_t *j = NULL;
    ig_code code = read_file(path, &text, &size, r->dir, "eval.json", err);
    if (code == IG_ERR_OK && text != NULL && !r->measured) {
        code = parse(&j, text, size, path, 0, err);
        const json_t *step = json_object_get(json_object_get(j, "run"), "updates");
        int64_t at = json_integer_value(step);
        bool again = false;
        for (int64_t i = 0; i < r->metrics.n; i++)
            again = again ||
                    (r->metrics.row[i].step == at && strcmp(r->metrics.row[i].task, "mu_low") == 0);
        if (code == IG_ERR_OK && json_is_integer(step) &&
            (json_object_get(j, "rows") != NULL || json_object_get(j, "layers") != NULL) && !again)
            code = add_measures(r, j, at, path, err);
    }
    json_decref(j);
    ig_free(text);
    return code;
}

static ig_code read_config(reading *r, ig_err *err)
{
    ig_run_config c = {0};
    ig_code code = ig_run_config_load_in(&c, r->dir, err);
    if (code == IG_ERR_OK) {
        json_t *j = ig_options_json(&ig_run_options, &c);
        r->seed = c.optimisation.seed;
        r->by_batch = c.measuring.perplexity_average == IG_VARIANT_PAPER_CODE;
        r->config = j != NULL ? ig_json_text(j, JSON_COMPACT) : NULL;
        json_decref(j);
        if (r->config == NULL)
            code = ig_fail(err, IG_ERR_MEMORY, r->dir, 0, "not enough memory for the settings");
    }
    ig_run_config_free(&c);
    return code;
}

static int by_key(const void *x, const void *y)
{
    return ig_row_compare(x, y);
}

/* A curve needs no more points than that: of a longer log, means of so many lines each. */
enum { most_points = 1000 };
static void thin_training(ig_row_set *m)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < m->n;) {
        int64_t end = i;
        bool training =
            strcmp(m->row[i].task, "loss") == 0 || strcmp(m->row[i].task, "accuracy") == 0;
        while (end < m->n && strcmp(m->row[end].task, m->row[i].task) == 0)
            end++;
        int64_t each = training ? (end - i + most_points - 1) / most_points : 1;
        for (; i < end; i += each) {
            int64_t last = i + each < end ? i + each : end;
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
static void finish_metrics(ig_row_set *m)
{
    if (m->n == 0)
        return;
    qsort(m->row, (size_t)m->n, sizeof *m->row, by_key);
    thin_training(m);
    int64_t newest = -1;
    for (int64_t i = 0; i < m->n; i++)
        if (strcmp(m->row[i].split, "dev") == 0 && m->row[i].step > newest)
            newest = m->row[i].step;
    for (int64_t i = 0; i < m->n; i++) {
        ig_row *a = &m->row[i];
        bool training = strcmp(a->task, "loss") == 0 || strcmp(a->task, "accuracy") == 0;
        a->last = training ? i + 1 == m->n || strcmp(a[1].task, a->task) != 0 : a->step == newest;
    }
}

static ig_code read_run(reading *r, const char *dir, ig_err *err)
{
    bool found;
    char found_dir[IG_PATH];
    IG_TRY(ig_run_find(found_dir, dir, err));
    /* By one name, so that a run is known when it comes again. */
    char *full = realpath(found_dir, NULL);
    ig_code code = full == NULL ? ig_fail(err, IG_ERR_IO, dir, 0, "%s", strerror(errno))
                                : ig_copy_text(&r->dir, full, "path", err);
    free(full);
    IG_TRY(code);
    IG_TRY(read_config(r, err));
    IG_TRY(read_measures(r, err));
    IG_TRY(read_lines(r, "log.jsonl", true, &found, err));
    IG_TRY(read_eval(r, err));
    finish_metrics(&r->metrics);
    return IG_ERR_OK;
}

static int by_cell(const void *x, const void *y)
{
    const ig_store_entry *a = x, *b = y;
    if (a->cell.order != b->cell.order)
        return a->cell.order < b->cell.order ? -1 : 1;
    if (a->cell.seed != b->cell.seed)
        return a->cell.seed < b->cell.seed ? -1 : 1;
    return strcmp(a->run.address, b->run.address);
}

ig_code ig_run_results(ig_store_result *out, const ig_named_run *run, int n, ig_err *err)
{
    memory *m;
    *out = (ig_store_result){0};
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "results", err));
    out->memory = m;
    IG_TRY(ig_alloc(&m->run, n, sizeof *m->run, "results", err));
    m->n = n;
    IG_TRY(ig_alloc(&m->entry, n, sizeof *m->entry, "results", err));
    for (int i = 0; i < n; i++) {
        IG_TRY(read_run(&m->run[i], run[i].dir, err));
        for (int k = 0; k < i; k++)
            if (strcmp(m->run[k].dir, m->run[i].dir) == 0)
                return ig_fail(err, IG_ERR_USAGE, run[i].dir, 0, "is given twice");
        out->n_metric += m->run[i].metrics.n;
    }
    IG_TRY(ig_alloc(&m->metric, out->n_metric, sizeof *m->metric, "results", err));
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        const reading *r = &m->run[i];
        int order = i;
        for (int k = i - 1; k >= 0; k--)
            order = strcmp(run[k].name, run[i].name) == 0 ? k : order;
        m->entry[i] = (ig_store_entry){
            .cell = {"", run[i].name, "", order, r->seed, r->dir},
            .run = {.address = r->dir, .status = IG_RUN_DONE, .seed = r->seed, .config = r->config},
            .first_metric = at,
            .n_metric = r->metrics.n};
        if (r->metrics.n > 0)
            memcpy(m->metric + at, r->metrics.row, (size_t)r->metrics.n * sizeof *m->metric);
        at += r->metrics.n;
    }
    qsort(m->entry, (size_t)n, sizeof *m->entry, by_cell);
    out->entry = m->entry;
    out->n_entry = n;
    out->metric = m->metric;
    return IG_ERR_OK;
}

void ig_run_results_free(ig_store_result *r)
{
    memory *m = r->memory;
    for (int i = 0; m != NULL && i < m->n; i++) {
        ig_free(m->run[i].dir);
        free(m->run[i].config);
        ig_row_set_free(&m->run[i].metrics);
    }
    if (m != NULL)
        IG_FREE(m->run, m->entry, m->metric);
    ig_free(m);
    *r = (ig_store_result){0};
}
