/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a file of results (docs/formats.md, "Results"): every line is checked as a whole, so that
 * errors of a file that was cut, merged or edited by hand are reported with their line.
 */
#include "report/results/results_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, LAYER_MAX = 999 };
static const int64_t size_limit = (int64_t)1 << 30;

/* A metric, and where it was read. */
typedef struct {
    ig_row metric;
    uint64_t line;
} read_metric;

typedef struct {
    ig_result_file *f;
    ig_pool *pool;
    const char *path;
    uint64_t line;
    const char *experiment;  /* whose runs are being read; NULL: none yet */
    ig_result_file_run *run; /* whose values are being read; NULL: none */
    int layer[2];            /* of μ, of that run; −1: not given */
    read_metric *value;      /* [n_value] of that run */
    int64_t n_value, have_value, have_run, have_metric, have_experiment;
    ig_err *err;
} reading;

static ig_code bad(const reading *r, const char *key, const json_t *x, const char *expected)
{
    char *text = x != NULL ? ig_json_text(x, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (text != NULL)
        ig_fail(r->err, IG_ERR_INPUT, r->path, r->line, "%s: found %.60s, expected %s", key, text,
                expected);
    else
        ig_fail(r->err, IG_ERR_INPUT, r->path, r->line, "found no \"%s\", expected %s", key,
                expected);
    free(text);
    return IG_ERR_INPUT;
}

/* --- parts of a line -------------------------------------------------------------------------- */

static ig_code check_keys(const reading *r, const json_t *j, const char *const *keys)
{
    const char *key;
    json_t *x;
    json_object_foreach((json_t *)(uintptr_t)j, key, x)
    {
        bool known = false;
        for (const char *const *k = keys; *k != NULL; k++)
            known = known || strcmp(*k, key) == 0;
        if (!known)
            return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                           "found the key \"%.40s\", expected those of docs/formats.md", key);
    }
    return IG_ERR_OK;
}

static ig_code get_text(const reading *r, const char **out, const json_t *j, const char *key)
{
    const json_t *x = json_object_get(j, key);
    if (!json_is_string(x) || json_string_length(x) == 0)
        return bad(r, key, x, "a text");
    return ig_pool_text(r->pool, out, json_string_value(x), json_string_length(x), r->err);
}

/* 16 digits of a hash. */
static ig_code get_digits(const reading *r, const char **out, const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    if (s == NULL || strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16)
        return bad(r, key, json_object_get(j, key), "16 hexadecimal digits");
    return get_text(r, out, j, key);
}

typedef struct {
    int64_t least, most, otherwise;
} whole;

/* An integer from `least` on; one that is not there is `otherwise`. */
static ig_code get_integer(const reading *r, int64_t *out, const json_t *j, const char *key,
                           whole may)
{
    const json_t *x = json_object_get(j, key);
    *out = x != NULL ? json_integer_value(x) : may.otherwise;
    if (x != NULL && (!json_is_integer(x) || *out < may.least || *out > may.most))
        return bad(r, key, x, may.most < INT64_MAX ? "a small whole number" : "a whole number");
    return IG_ERR_OK;
}

/* A size: 0 where it is not there. */
static ig_code get_size(const reading *r, double *out, const json_t *j, const char *key)
{
    const json_t *x = json_object_get(j, key);
    *out = json_number_value(x);
    if (x != NULL && !(json_is_number(x) && isfinite(*out) && *out >= 0))
        return bad(r, key, x, "a number of 0 or more");
    return IG_ERR_OK;
}

/* --- runs ------------------------------------------------------------------------------------- */

static int by_key(const void *x, const void *y)
{
    const read_metric *a = x, *b = y;
    return ig_row_compare(&a->metric, &b->metric);
}

static ig_code put_value(reading *r, const ig_row *m)
{
    IG_TRY(ig_grow(&r->value, &r->have_value, r->n_value + 1, sizeof *r->value, "values", r->err));
    r->value[r->n_value++] = (read_metric){*m, r->line};
    return IG_ERR_OK;
}

/* The layers of μ are metrics of the store, too. */
static ig_code put_layers(reading *r)
{
    static const char *const task[] = {"mu_low", "mu_high"};
    for (int i = 0; i < 2 && r->layer[0] >= 0; i++)
        IG_TRY(put_value(r, &(ig_row){.task = task[i],
                                      .task_version = 1,
                                      .split = "dev",
                                      .tags = "",
                                      .languages = "",
                                      .layer = -1,
                                      .last = true,
                                      .value = r->layer[i]}));
    return IG_ERR_OK;
}

/* Moves the values of a run to the file's metrics, in the store's order. */
static ig_code end_run(reading *r)
{
    ig_result_file *f = r->f;
    if (r->run == NULL)
        return IG_ERR_OK;
    IG_TRY(put_layers(r));
    if (r->n_value > 0)
        qsort(r->value, (size_t)r->n_value, sizeof *r->value, by_key);
    for (int64_t i = 1; i < r->n_value; i++)
        if (by_key(&r->value[i - 1], &r->value[i]) == 0) {
            const uint64_t a = r->value[i - 1].line, b = r->value[i].line;
            return ig_fail(r->err, IG_ERR_INPUT, r->path, a > b ? a : b,
                           "found a value that line %llu has, expected each once",
                           (unsigned long long)(a < b ? a : b));
        }
    IG_TRY(ig_grow(&f->metric, &r->have_metric, f->n_metric + r->n_value, sizeof *f->metric,
                   "values", r->err));
    for (int64_t i = 0; i < r->n_value; i++)
        f->metric[f->n_metric + i] = r->value[i].metric;
    r->run->entry.first_metric = f->n_metric;
    r->run->entry.n_metric = r->n_value;
    f->n_metric += r->n_value;
    r->n_value = 0;
    r->run = NULL;
    return IG_ERR_OK;
}

static ig_code read_begin(reading *r, const json_t *j)
{
    static const char *const keys[] = {"isoglot_results", "experiment", NULL};
    const json_t *version = json_object_get(j, keys[0]);
    ig_result_file *f = r->f;
    IG_TRY(end_run(r));
    if (json_integer_value(version) != VERSION) {
        bad(r, keys[0], version, "1");
        return ig_hint(r->err, "the file may be of a newer isoglot");
    }
    IG_TRY(check_keys(r, j, keys));
    IG_TRY(get_text(r, &r->experiment, j, keys[1]));
    IG_TRY(ig_grow(&f->experiment, &r->have_experiment, f->n_experiment + 1, sizeof *f->experiment,
                   "names of experiments", r->err));
    f->experiment[f->n_experiment++] = r->experiment;
    return IG_ERR_OK;
}

/* The text of j as the store has it; frees j. */
static ig_code keep_json(reading *r, const char **out, json_t *j)
{
    char *text = ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(j);
    ig_code code = text == NULL
                       ? ig_fail(r->err, IG_ERR_MEMORY, r->path, r->line, "not enough memory")
                       : ig_pool_text(r->pool, out, text, strlen(text), r->err);
    free(text);
    return code;
}

/* Reads the parts of a run's manifest that the file has, in the store's form. */
static ig_code get_manifest(reading *r, const char **out, const json_t *j)
{
    static const char *const parts[] = {"layers", "measure", "program", NULL};
    for (const char *const *k = parts + 1; *k != NULL; k++) {
        const json_t *x = json_object_get(j, *k);
        if (x != NULL && !json_is_object(x))
            return bad(r, *k, x, "an object");
    }
    json_t *manifest = json_object();
    for (const char *const *k = parts; *k != NULL; k++)
        if (json_object_get(j, *k) != NULL)
            json_object_set(manifest, *k, json_object_get(j, *k));
    return keep_json(r, out, manifest);
}

static ig_code get_config(reading *r, const char **out, const json_t *j)
{
    const json_t *languages = json_object_get(j, "languages");
    if (languages == NULL)
        return ig_pool_text(r->pool, out, "{}", 2, r->err);
    if (!json_is_string(languages))
        return bad(r, "languages", languages, "a text");
    return keep_json(r, out, json_pack("{s:O}", "languages", languages));
}

/* [low, high] */
static ig_code get_mu_layers(reading *r, const json_t *j)
{
    const json_t *both = json_object_get(j, "mu_layers");
    r->layer[0] = r->layer[1] = -1;
    if (both == NULL)
        return IG_ERR_OK;
    for (size_t i = 0; i < 2; i++) {
        const json_t *x = json_array_get(both, i);
        const json_int_t layer = json_integer_value(x);
        if (!json_is_integer(x) || layer < 0 || layer > LAYER_MAX || json_array_size(both) != 2)
            return bad(r, "mu_layers", both, "two layers");
        r->layer[i] = (int)layer;
    }
    return IG_ERR_OK;
}

static ig_code read_run(reading *r, const json_t *j)
{
    static const char *const keys[] = {
        "run",         "cell",    "label",     "seed",    "settings",
        "date",        "program", "languages", "layers",  "mu_layers",
        "measure",     "updates", "tokens",    "seconds", "tokens_per_second",
        "peak_memory", NULL};
    ig_result_file *f = r->f;
    const char *date;
    int64_t layers;
    IG_TRY(end_run(r));
    if (r->experiment == NULL)
        return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                       "found a run, expected the line {\"isoglot_results\": 1, …} before it");
    IG_TRY(check_keys(r, j, keys));
    IG_TRY(ig_grow(&f->run, &r->have_run, f->n_run + 1, sizeof *f->run, "runs", r->err));
    ig_result_file_run *run = &f->run[f->n_run++];
    ig_store_cell *c = &run->entry.cell;
    ig_store_run *of = &run->entry.run;
    run->line = r->line;
    c->experiment = r->experiment;
    of->status = IG_RUN_DONE;
    IG_TRY(get_digits(r, &c->address, j, "run"));
    IG_TRY(get_text(r, &c->cell, j, "cell"));
    IG_TRY(get_text(r, &c->label, j, "label"));
    if (!json_is_integer(json_object_get(j, "seed")))
        return bad(r, "seed", json_object_get(j, "seed"), "a whole number");
    c->seed = of->seed = json_integer_value(json_object_get(j, "seed"));
    if (json_object_get(j, "settings") != NULL)
        IG_TRY(get_digits(r, &run->settings, j, "settings"));
    if (json_object_get(j, "date") != NULL)
        IG_TRY(get_text(r, &date, j, "date"));
    IG_TRY(get_integer(r, &layers, j, "layers", (whole){0, LAYER_MAX, 0}));
    IG_TRY(get_mu_layers(r, j));
    IG_TRY(get_manifest(r, &of->manifest, j));
    IG_TRY(get_config(r, &of->config, j));
    IG_TRY(get_integer(r, &of->updates, j, "updates", (whole){0, INT64_MAX, 0}));
    IG_TRY(get_integer(r, &of->tokens, j, "tokens", (whole){0, INT64_MAX, 0}));
    IG_TRY(get_integer(r, &of->peak_memory, j, "peak_memory", (whole){0, INT64_MAX, 0}));
    IG_TRY(get_size(r, &of->seconds, j, "seconds"));
    IG_TRY(get_size(r, &of->tokens_per_second, j, "tokens_per_second"));
    of->address = c->address;
    r->run = run;
    return IG_ERR_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

/* A value names its run, so that each line is complete by itself; it follows the run's line. */
static ig_code check_run(const reading *r, const json_t *j)
{
    const json_t *run = json_object_get(j, "run"), *cell = json_object_get(j, "cell"),
                 *seed = json_object_get(j, "seed");
    if (r->run == NULL || !json_is_string(run) ||
        strcmp(json_string_value(run), r->run->entry.cell.address) != 0)
        return bad(r, "run", run, "the run whose line is above");
    if (!json_is_string(cell) || strcmp(json_string_value(cell), r->run->entry.cell.cell) != 0)
        return bad(r, "cell", cell, "that of the run");
    if (!json_is_integer(seed) || json_integer_value(seed) != r->run->entry.cell.seed)
        return bad(r, "seed", seed, "that of the run");
    return IG_ERR_OK;
}

/* The quantity, and the layer that its value was taken at. */
static ig_code get_quantity(const reading *r, ig_quantity *q, int *layer, const json_t *j)
{
    ig_err why;
    const json_t *name = json_object_get(j, "quantity");
    int64_t at;
    if (!json_is_string(name))
        return bad(r, "quantity", name, "the name of one");
    if (ig_quantity_parse(q, json_string_value(name), r->path, r->line, &why) != IG_ERR_OK) {
        ig_fail(r->err, IG_ERR_INPUT, r->path, r->line, "%s", why.msg);
        return why.hint[0] != '\0' ? ig_hint(r->err, "%s", why.hint) : IG_ERR_INPUT;
    }
    IG_TRY(get_integer(r, &at, j, "layer", (whole){0, LAYER_MAX, -1}));
    *layer = (int)at;
    const int named = q->layer == IG_LAYER_LOW    ? r->layer[0]
                      : q->layer == IG_LAYER_HIGH ? r->layer[1]
                                                  : q->layer;
    /* Static vectors have no layer, even if one is named. */
    if (*layer >= 0 && q->layer != IG_LAYER_NONE && *layer != named)
        return bad(r, "layer", json_object_get(j, "layer"), "the one that the quantity names");
    return IG_ERR_OK;
}

static ig_code read_value(reading *r, const json_t *j)
{
    static const char *const keys[] = {"run",  "cell", "seed",         "quantity", "layer", "step",
                                       "last", "n",    "task_version", "value",    NULL};
    const json_t *value = json_object_get(j, "value"), *last = json_object_get(j, "last");
    ig_quantity q;
    ig_row m;
    int64_t version;
    IG_TRY(check_keys(r, j, keys));
    IG_TRY(check_run(r, j));
    memset(&m, 0, sizeof m);
    IG_TRY(get_quantity(r, &q, &m.layer, j));
    const ig_store_task *task = ig_store_task_find(q.task);
    if (task->kind == IG_STORE_TASK_RUN || strcmp(q.task, "mu_low") == 0 ||
        strcmp(q.task, "mu_high") == 0)
        return bad(r, "quantity", json_object_get(j, "quantity"),
                   "a quantity that the line of the run does not have");
    if (!json_is_number(value))
        return bad(r, "value", value, "a number");
    if (last != NULL && !json_is_boolean(last))
        return bad(r, "last", last, "true or false");
    IG_TRY(get_integer(r, &m.step, j, "step", (whole){0, INT64_MAX, 0}));
    IG_TRY(get_integer(r, &m.n, j, "n", (whole){0, INT64_MAX, 0}));
    IG_TRY(get_integer(r, &version, j, "task_version", (whole){1, LAYER_MAX, 1}));
    m.task = task->name;
    m.task_version = (int)version;
    m.last = last == NULL || json_is_true(last);
    m.value = json_number_value(value);
    const char *split = q.split[0] != '\0' ? q.split : task->split;
    IG_TRY(ig_pool_text(r->pool, &m.split, split, strlen(split), r->err));
    IG_TRY(ig_pool_text(r->pool, &m.tags, q.tags, strlen(q.tags), r->err));
    IG_TRY(ig_pool_text(r->pool, &m.languages, q.languages, strlen(q.languages), r->err));
    return put_value(r, &m);
}

/* --- the file --------------------------------------------------------------------------------- */

static ig_code read_line(reading *r, const char *text, size_t n)
{
    json_error_t why;
    json_t *j;
    ig_code code =
        ig_json_load(&j, text, (int64_t)n, JSON_REJECT_DUPLICATES, &why, r->path, r->err);
    if (code != IG_ERR_OK && code != IG_ERR_INPUT)
        return code;
    if (!json_is_object(j))
        code = ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                       "found a damaged line (%.100s), expected a JSON object",
                       j == NULL ? why.text : "no object");
    else if (json_object_get(j, "isoglot_results") != NULL)
        code = read_begin(r, j);
    else if (json_object_get(j, "quantity") != NULL)
        code = read_value(r, j);
    else
        code = read_run(r, j);
    json_decref(j);
    return code;
}

static ig_code read_lines(reading *r, const char *text, int64_t size)
{
    for (const char *p = text, *end; p < text + size; p = end + 1) {
        end = memchr(p, '\n', (size_t)(text + size - p));
        r->line++;
        if (end == NULL)
            return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                           "found the end of the file within a line, expected a line end");
        IG_TRY(read_line(r, p, (size_t)(end - p)));
    }
    if (r->experiment == NULL)
        return ig_fail(r->err, IG_ERR_INPUT, r->path, 0,
                       "found nothing, expected the line {\"isoglot_results\": 1, …}");
    return end_run(r);
}

ig_code ig_result_file_read(ig_result_file *f, const char *path, ig_err *err)
{
    char *text;
    int64_t size;
    *f = (ig_result_file){.path = path};
    IG_TRY(ig_file_read(&text, &size, path, size_limit, err));
    reading r = {.f = f, .pool = &f->pool, .path = path, .err = err};
    const ig_code code = read_lines(&r, text, size);
    IG_FREE(r.value, text);
    return code;
}

void ig_result_file_free(ig_result_file *f)
{
    ig_pool_free(&f->pool);
    IG_FREE(f->run, f->metric, f->experiment);
    *f = (ig_result_file){0};
}
