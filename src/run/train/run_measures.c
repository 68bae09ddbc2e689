/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes, truncates and reads measures.jsonl.
 */
#include "run/train/run_measures.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "store/old_measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 3, DIGITS = 17 };
static const char lines_name[] = "measures.jsonl", old_name[] = "measures.json";

/* --- writing ---------------------------------------------------------------------------------- */

/* Which lines are copied. */
typedef struct {
    ig_out *to;    /* NULL: none are */
    int64_t most;  /* updates */
    bool finished; /* those of the finished model, too */
    bool has;      /* there is one of `most` updates */
} copying;

static ig_code copy_line(void *arg, const ig_json_record *line, ig_err *err)
{
    copying *c = arg;
    const json_t *step = json_object_get(line->json, "step"),
                 *last = json_object_get(line->json, "last");
    if (!json_is_integer(step))
        return ig_fail(err, IG_ERR_INPUT, line->path, line->number,
                       "found a line without \"step\", expected one of measures");
    c->has = c->has || json_integer_value(step) == c->most;
    if (c->to == NULL || json_integer_value(step) > c->most ||
        (!c->finished && !json_is_false(last)))
        return IG_ERR_OK;
    return ig_out_write(c->to, line->text, line->n + 1, err);
}

static ig_code copy_lines(copying *c, const char *dir, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, dir, err, "%s", lines_name));
    return ig_file_exists(path) ? ig_json_lines(path, true, copy_line, c, err) : IG_ERR_OK;
}

static ig_code put(FILE *fp, const ig_run_measured *m, bool last, ig_err *err)
{
    json_t *about = json_pack("{s:i, s:I, s:b}", "isoglot_measures", VERSION, "step",
                              (json_int_t)m->step, "last", (int)last);
    json_object_update(about, m->about);
    json_object_del(about, "rows");
    char *text = ig_json_text(about, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(about);
    json_decref(m->about);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, lines_name, 0, "not enough memory for a line");
    fprintf(fp, "%s\n", text);
    free(text);
    for (int64_t i = 0; i < m->rows->n; i++) {
        ig_row row = m->rows->row[i];
        row.step = m->step;
        row.last = last;
        IG_TRY(ig_row_put_line(fp, &row, err));
    }
    return IG_ERR_OK;
}

static ig_code rewrite(const char *dir, copying c, const ig_row_set *old, const ig_run_measured *m,
                       bool last, ig_err *err)
{
    char path[IG_PATH];
    ig_out out;
    c.to = &out;
    IG_TRY(ig_folder_path(path, dir, err, "%s", lines_name));
    IG_TRY(ig_out_open(&out, path, err));
    ig_code code = copy_lines(&c, dir, err);
    for (int64_t i = 0; old != NULL && i < old->n && code == IG_ERR_OK; i++)
        if (!old->row[i].last)
            code = ig_row_put_line(out.fp, &old->row[i], err);
    if (m != NULL)
        IG_THEN(code, put(out.fp, m, last, err));
    return ig_out_close(&out, code, err);
}

ig_code ig_run_measures_cut(const char *dir, int64_t step, ig_err *err)
{
    return ig_folder_has(dir, lines_name)
               ? rewrite(dir, (copying){.most = step, .finished = true}, NULL, NULL, false, err)
               : IG_ERR_OK;
}

ig_code ig_run_measures_add(const char *dir, const ig_run_measured *m, ig_err *err)
{
    return rewrite(dir, (copying){.most = INT64_MAX, .finished = true}, NULL, m, false, err);
}

ig_code ig_run_measures_finish(const char *dir, const ig_run_measured *m, bool by_batch,
                               ig_err *err)
{
    char path[IG_PATH];
    IG_SCOPED(ig_run_measures_free) ig_run_measures old = {0};
    if (!ig_folder_has(dir, lines_name) && ig_folder_has(dir, old_name))
        IG_TRY(ig_run_measures_read(&old, dir, by_batch, err));
    IG_TRY(rewrite(dir, (copying){.most = INT64_MAX}, &old.rows, m, true, err));
    IG_TRY(ig_folder_path(path, dir, err, "%s", old_name));
    unlink(path);
    return IG_ERR_OK;
}

ig_code ig_run_measures_has(bool *has, const char *dir, int64_t step, ig_err *err)
{
    copying c = {.most = step};
    const ig_code code = copy_lines(&c, dir, err);
    *has = c.has;
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

/* --- reading ---------------------------------------------------------------------------------- */

static ig_code add_checkpoint(ig_run_measures *m, int64_t step, bool last, ig_err *err)
{
    if (m->n > 0 && m->at[m->n - 1].step == step && m->at[m->n - 1].last == last)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&m->at, &m->capacity, m->n + 1, sizeof *m->at, "checkpoints", err));
    m->at[m->n++] = (ig_run_checkpoint){step, last};
    return IG_ERR_OK;
}

static ig_code take_line(void *arg, const ig_json_record *line, ig_err *err)
{
    ig_run_measures *m = arg;
    const json_t *step = json_object_get(line->json, "step"),
                 *last = json_object_get(line->json, "last");
    if (!json_is_integer(step))
        return ig_fail(err, IG_ERR_INPUT, line->path, line->number,
                       "found a line without \"step\", expected one of measures");
    IG_TRY(add_checkpoint(m, json_integer_value(step), !json_is_false(last), err));
    if (json_object_get(line->json, "isoglot_measures") != NULL)
        return IG_ERR_OK;
    return ig_row_set_read(&m->rows, line->json, &(ig_row){.last = true},
                           (ig_row_source){line->path, line->number, 0}, err);
}

/* {"checkpoints": [{"step", "last", "measures"}]} */
static ig_code read_old(ig_run_measures *m, const char *dir, bool by_batch, ig_err *err)
{
    char path[IG_PATH];
    json_t *c;
    json_auto_t *j = NULL;
    size_t i;
    IG_TRY(ig_folder_path(path, dir, err, "%s", old_name));
    IG_TRY(ig_folder_json(&j, dir, old_name, err));
    json_array_foreach(json_object_get(j, "checkpoints"), i, c)
    {
        const ig_store_measured of = {.step = json_integer_value(json_object_get(c, "step")),
                                      .last = json_is_true(json_object_get(c, "last")),
                                      .by_batch = by_batch,
                                      .where = path};
        IG_TRY(add_checkpoint(m, of.step, of.last, err));
        IG_TRY(ig_measures_read(&m->rows, json_object_get(c, "measures"), &of, err));
    }
    return IG_ERR_OK;
}

ig_code ig_run_measures_read(ig_run_measures *m, const char *dir, bool by_batch, ig_err *err)
{
    char path[IG_PATH];
    *m = (ig_run_measures){0};
    const bool done = ig_folder_has(dir, "DONE");
    if (ig_run_measures_name(dir) == old_name)
        return read_old(m, dir, by_batch, err);
    IG_TRY(ig_folder_path(path, dir, err, "%s", lines_name));
    IG_TRY(ig_json_lines(path, !done, take_line, m, err));
    return !done || (m->n > 0 && m->at[m->n - 1].last)
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, path, 0, "found no measures of the finished model");
}

void ig_run_measures_free(ig_run_measures *m)
{
    ig_row_set_free(&m->rows);
    ig_free(m->at);
    *m = (ig_run_measures){0};
}

const char *ig_run_measures_name(const char *dir)
{
    return !ig_folder_has(dir, lines_name) && ig_folder_has(dir, old_name) ? old_name : lines_name;
}
