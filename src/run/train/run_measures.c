/* SPDX-License-Identifier: Apache-2.0
 *
 * See run_measures.h.
 */
#include "run/train/run_measures.h"
#include "base/file.h"
#include "base/settings/json_text.h"
#include "base/memory.h"
#include "apply/folder/run_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEASURES_VERSION = 2, DIGITS = 17 };
static const int64_t size_limit = (int64_t)1 << 30;
static const char lines_name[] = "measures.jsonl";

/* The whole lines of DIR/measures.jsonl, the caller's also after an error; what is behind the last
 * line end is a killed process's. */
static ig_code read_lines(json_t **list, const char *dir, ig_err *err)
{
    char path[IG_PATH], *text;
    int64_t size;
    *list = json_array();
    IG_TRY(ig_folder_path(path, dir, err, "%s", lines_name));
    if (!ig_file_exists(path))
        return IG_ERR_OK;
    IG_TRY(ig_file_read(&text, &size, path, size_limit, err));
    ig_code code = IG_ERR_OK;
    uint64_t number = 1;
    const char *p = text, *end;
    for (; code == IG_ERR_OK && (end = memchr(p, '\n', (size_t)(text + size - p))) != NULL;
         p = end + 1, number++) {
        json_error_t why;
        json_t *line;
        code = ig_json_load(&line, p, end - p, JSON_REJECT_DUPLICATES, &why, path, err);
        if (code != IG_ERR_OK && code != IG_ERR_INPUT)
            break;
        if (line == NULL || !json_is_integer(json_object_get(line, "step")))
            code = ig_fail(err, IG_ERR_INPUT, path, number, "not the measures of a checkpoint: %s",
                           line == NULL ? why.text : "no step");
        else if (json_array_append(*list, line) != 0)
            code = ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory");
        json_decref(line);
    }
    ig_free(text);
    return code;
}

static int64_t step_of(const json_t *line)
{
    return json_integer_value(json_object_get(line, "step"));
}

static ig_code write_line(ig_out *out, const json_t *line, ig_err *err)
{
    char *text = ig_json_text(line, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, lines_name, 0,
                       "not enough memory for a line of measures");
    ig_code code = ig_out_write(out, text, (int64_t)strlen(text), err);
    IG_THEN(code, ig_out_write(out, "\n", 1, err));
    free(text);
    return code;
}

/* Those of at most `step` updates. */
static ig_code write_lines(const json_t *list, const char *dir, int64_t step, ig_err *err)
{
    char path[IG_PATH];
    const json_t *line;
    size_t i;
    ig_out out;
    IG_TRY(ig_folder_path(path, dir, err, "%s", lines_name));
    IG_TRY(ig_out_open(&out, path, err));
    ig_code code = IG_ERR_OK;
    json_array_foreach(list, i, line)
    {
        if (step_of(line) <= step)
            IG_THEN(code, write_line(&out, line, err));
    }
    return ig_out_close(&out, code, err);
}

ig_code ig_run_measures_cut(const char *dir, int64_t step, ig_err *err)
{
    json_t *list;
    if (!ig_folder_has(dir, lines_name))
        return IG_ERR_OK;
    ig_code code = read_lines(&list, dir, err);
    IG_THEN(code, write_lines(list, dir, step, err));
    json_decref(list);
    return code;
}

static json_t *entry(int64_t step, bool last, json_t *measures)
{
    return json_pack("{s:I, s:b, s:o}", "step", (json_int_t)step, "last", (int)last, "measures",
                     measures);
}

ig_code ig_run_measures_add(const char *dir, int64_t step, json_t *measures, ig_err *err)
{
    json_t *list, *more = entry(step, false, measures);
    ig_code code = read_lines(&list, dir, err);
    if (json_array_append_new(list, more) != 0 && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for a line of measures");
    IG_THEN(code, write_lines(list, dir, INT64_MAX, err));
    json_decref(list);
    return code;
}

ig_code ig_run_measures_has(bool *has, const char *dir, int64_t step, ig_err *err)
{
    json_t *list;
    const json_t *line;
    size_t i;
    const ig_code code = read_lines(&list, dir, err);
    *has = false;
    json_array_foreach(list, i, line) *has = *has || step_of(line) == step;
    json_decref(list);
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

/* What a training took, as far as it is the same every time. */
static json_t *training(const ig_run_result *r)
{
    return json_pack("{s:I, s:I, s:I, s:i, s:I, s:f}", "updates", (json_int_t)r->update, "tokens",
                     (json_int_t)r->n_token, "parameters", (json_int_t)r->n_parameter, "vocab_size",
                     (int)r->vocab_size, "sequences", (json_int_t)r->n_sequence, "loss", r->loss);
}

/* The earlier checkpoints of a run that was finished before, and only measured anew at its end. */
static ig_code read_finished(json_t **list, const char *dir, ig_err *err)
{
    size_t i;
    json_t *j, *e;
    *list = json_array();
    IG_TRY(ig_folder_json(&j, dir, "measures.json", err));
    json_array_foreach(json_object_get(j, "checkpoints"), i, e)
    {
        if (!json_is_true(json_object_get(e, "last")))
            json_array_append(*list, e);
    }
    json_decref(j);
    return IG_ERR_OK;
}

ig_code ig_run_measures_finish(const char *dir, const ig_run_result *r, json_t *measures,
                               ig_err *err)
{
    char lines[IG_PATH];
    json_t *list, *last = entry(r->update, true, measures);
    const bool again = !ig_folder_has(dir, lines_name) && ig_folder_has(dir, "measures.json");
    ig_code code = (again ? read_finished : read_lines)(&list, dir, err);
    if (json_array_append_new(list, last) != 0 && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory");
    IG_THEN(code, ig_folder_path(lines, dir, err, "%s", lines_name));
    IG_THEN(code,
            ig_folder_json_write(json_pack("{s:i, s:o, s:O}", "isoglot_measures", MEASURES_VERSION,
                                           "training", training(r), "checkpoints", list),
                                 dir, "measures.json", DIGITS, err));
    if (code == IG_ERR_OK)
        unlink(lines);
    json_decref(list);
    return code;
}
