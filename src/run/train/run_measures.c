/* SPDX-License-Identifier: Apache-2.0
 *
 * See run_measures.h.
 */
#include "run/train/run_measures.h"
#include "base/file.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/memory.h"
#include "run/run_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEASURES_VERSION = 1, DIGITS = 17 };
static const int64_t size_limit = (int64_t)1 << 30;

typedef ig_code line_fn(void *arg, json_t *line, const char *text, int64_t n, ig_err *err);

/* Calls fn with each whole line; what is behind the last line end is a killed process's. */
static ig_code each_line(const char *path, line_fn *fn, void *arg, ig_err *err)
{
    char *text;
    int64_t size;
    if (!ig_file_exists(path))
        return IG_ERR_OK;
    IG_TRY(ig_file_read(&text, &size, path, size_limit, err));
    ig_code code = IG_ERR_OK;
    uint64_t number = 1;
    const char *p = text, *end;
    for (; code == IG_ERR_OK && (end = memchr(p, '\n', (size_t)(text + size - p))) != NULL;
         p = end + 1, number++) {
        json_error_t why;
        json_t *line = json_loadb(p, (size_t)(end - p), JSON_REJECT_DUPLICATES, &why);
        if (line == NULL || !json_is_integer(json_object_get(line, "step")))
            code = ig_fail(err, IG_ERR_INPUT, path, number, "not the measures of a checkpoint: %s",
                           line == NULL ? why.text : "no step");
        else
            code = fn(arg, line, p, end + 1 - p, err);
        json_decref(line);
    }
    ig_free(text);
    return code;
}

static int64_t step_of(const json_t *line)
{
    return json_integer_value(json_object_get(line, "step"));
}

typedef struct {
    int64_t step;
    bool has;
    ig_out out;
    json_t *list;
} visit;

static ig_code copy_line(void *arg, json_t *line, const char *text, int64_t n, ig_err *err)
{
    visit *v = arg;
    return step_of(line) <= v->step ? ig_out_write(&v->out, text, n, err) : IG_ERR_OK;
}

ig_code ig_run_measures_cut(const char *dir, int64_t step, ig_err *err)
{
    char path[IG_PATH];
    visit v = {.step = step};
    IG_TRY(ig_folder_path(path, dir, err, "measures.jsonl"));
    if (!ig_file_exists(path))
        return IG_ERR_OK;
    IG_TRY(ig_out_open(&v.out, path, err));
    return ig_out_close(&v.out, each_line(path, copy_line, &v, err), err);
}

static json_t *entry(int64_t step, bool last, json_t *measures)
{
    return json_pack("{s:I, s:b, s:o}", "step", (json_int_t)step, "last", (int)last, "measures",
                     measures);
}

ig_code ig_run_measures_add(const char *dir, int64_t step, json_t *measures, ig_err *err)
{
    json_t *j = entry(step, false, measures);
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) : NULL;
    char path[IG_PATH];
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for a line of measures");
    ig_code code = ig_folder_path(path, dir, err, "measures.jsonl");
    FILE *f = code == IG_ERR_OK ? fopen(path, "ab") : NULL;
    if (code == IG_ERR_OK &&
        (f == NULL || fprintf(f, "%s\n", text) < 0 || fflush(f) != 0 || fsync(fileno(f)) != 0))
        code = ig_fail(err, IG_ERR_IO, path, 0, "cannot write: %s", strerror(errno));
    if (f != NULL && fclose(f) != 0 && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_IO, path, 0, "cannot write: %s", strerror(errno));
    free(text);
    return code;
}

static ig_code look(void *arg, json_t *line, const char *text, int64_t n, ig_err *err)
{
    visit *v = arg;
    (void)text;
    (void)n;
    (void)err;
    v->has |= step_of(line) == v->step;
    return IG_ERR_OK;
}

ig_code ig_run_measures_has(bool *has, const char *dir, int64_t step, ig_err *err)
{
    char path[IG_PATH];
    visit v = {.step = step};
    IG_TRY(ig_folder_path(path, dir, err, "measures.jsonl"));
    const ig_code code = each_line(path, look, &v, err);
    *has = v.has;
    return code;
}

ig_code ig_run_measures_logged(bool *has, const char *log, int64_t bytes, int64_t step, ig_err *err)
{
    char begin[64], *text;
    int64_t n;
    const int n_begin = snprintf(begin, sizeof begin, "{\"step\":%lld,\"eval\":", (long long)step);
    IG_TRY(ig_file_read(&text, &n, log, bytes, err));
    int64_t from = n > 0 ? n - 1 : 0;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    *has = n - from >= n_begin && memcmp(text + from, begin, (size_t)n_begin) == 0;
    ig_free(text);
    return IG_ERR_OK;
}

static ig_code gather(void *arg, json_t *line, const char *text, int64_t n, ig_err *err)
{
    visit *v = arg;
    (void)text;
    (void)n;
    if (json_array_append(v->list, line) != 0)
        return ig_fail(err, IG_ERR_MEMORY, "measures.jsonl", 0, "not enough memory");
    return IG_ERR_OK;
}

/* What a training took, as far as it is the same every time. */
static json_t *training(const ig_run_result *r)
{
    return json_pack("{s:I, s:I, s:I, s:i, s:I, s:f}", "updates", (json_int_t)r->update, "tokens",
                     (json_int_t)r->n_token, "parameters", (json_int_t)r->n_parameter, "vocab_size",
                     (int)r->vocab_size, "sequences", (json_int_t)r->n_sequence, "loss", r->loss);
}

/* The earlier checkpoints of a run that was finished before, and only measured anew at its end. */
static ig_code gather_finished(json_t *list, const char *path, ig_err *err)
{
    char *text;
    int64_t size;
    size_t i;
    json_t *e;
    IG_TRY(ig_file_read(&text, &size, path, size_limit, err));
    json_error_t why;
    json_t *j = json_loadb(text, (size_t)size, JSON_REJECT_DUPLICATES, &why);
    ig_free(text);
    if (j == NULL)
        return ig_fail(err, IG_ERR_INPUT, path, (uint64_t)(why.line > 0 ? why.line : 0),
                       "not the measures of a run: %s", why.text);
    json_array_foreach(json_object_get(j, "checkpoints"), i, e)
    {
        if (!json_is_true(json_object_get(e, "last")))
            json_array_append(list, e);
    }
    json_decref(j);
    return IG_ERR_OK;
}

ig_code ig_run_measures_finish(const char *dir, const ig_run_result *r, json_t *measures,
                               ig_err *err)
{
    char lines[IG_PATH], path[IG_PATH];
    visit v = {.list = json_array()};
    json_t *last = entry(r->update, true, measures);
    ig_code code = ig_folder_path(lines, dir, err, "measures.jsonl");
    IG_THEN(code, ig_folder_path(path, dir, err, "measures.json"));
    if (code == IG_ERR_OK)
        code = !ig_file_exists(lines) && ig_file_exists(path) ? gather_finished(v.list, path, err)
                                                              : each_line(lines, gather, &v, err);
    if (code == IG_ERR_OK && json_array_append(v.list, last) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory");
    IG_THEN(code, ig_json_write(json_pack("{s:i, s:o, s:O}", "isoglot_measures", MEASURES_VERSION,
                                          "training", training(r), "checkpoints", v.list),
                                path, DIGITS, err));
    if (code == IG_ERR_OK)
        unlink(lines);
    json_decref(last);
    json_decref(v.list);
    return code;
}
