/* SPDX-License-Identifier: Apache-2.0
 *
 * In which settings the runs of compared cells differ: the keys that forbid to average two runs
 * (docs/report.md), with the values of both, of the first finished run of each side.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "base/settings/json_text.h"
#include "report/results/results_internal.h"
#include "report/share/compare.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE = 60 };

/* A value as text, "" for none; long ones are cut. */
static ig_code value_of(const char **out, ig_pool *pool, const json_t *x, ig_err *err)
{
    char *text = NULL;
    if (x != NULL && !json_is_string(x))
        text = ig_json_text(x, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *all = json_is_string(x) ? json_string_value(x) : text != NULL ? text : "";
    size_t n = strlen(all);
    const bool cut = n > VALUE;
    for (n = cut ? VALUE : n; cut && (all[n] & 0xC0) == 0x80; n--)
        ; /* not within a character */
    const ig_code code = ig_pool_print(pool, out, err, "%.*s%s", (int)n, all, cut ? "…" : "");
    free(text);
    return code;
}

typedef struct {
    ig_comparison *out;
    const ig_compared_cells *cells; /* that are compared */
    int64_t room;
    ig_code code;
    ig_err *err;
} finding;

/* Adds that these cells differ in the key. */
static ig_code put(finding *f, const ig_compared_setting *what)
{
    ig_comparison *out = f->out;
    int i = 0;
    while (i < out->n_setting &&
           (strcmp(out->setting[i].key, what->key) != 0 ||
            strcmp(out->setting[i].a, what->a) != 0 || strcmp(out->setting[i].b, what->b) != 0))
        i++;
    if (i == out->n_setting) {
        IG_TRY(ig_grow(&out->setting, &f->room, i + 1, sizeof *what, "settings", f->err));
        out->setting[out->n_setting++] = *what;
        IG_TRY(ig_pool_alloc(&out->pool, &out->setting[i].cells, out->n_cells, sizeof f->cells,
                             f->err));
    }
    ig_compared_setting *s = &out->setting[i];
    s->cells[s->n_cells++] = f->cells;
    return IG_ERR_OK;
}

static void put_key(void *arg, const char *key, const json_t *a, const json_t *b)
{
    finding *f = arg;
    ig_pool *pool = &f->out->pool;
    ig_compared_setting s = {0};
    IG_THEN(f->code, ig_pool_text(pool, &s.key, key, strlen(key), f->err));
    IG_THEN(f->code, value_of(&s.a, pool, a, f->err));
    IG_THEN(f->code, value_of(&s.b, pool, b, f->err));
    IG_THEN(f->code, put(f, &s));
}

static const ig_store_run *first_done(const ig_result_cell *c)
{
    for (int64_t i = 0; i < c->n_entry; i++)
        if (c->entry[i].run.status == IG_RUN_DONE)
            return &c->entry[i].run;
    return NULL;
}

/* Files of results have of a configuration its languages alone. */
static bool has_settings(const ig_result_origin *o)
{
    return json_object_size(o->config) > 1 ||
           json_is_object(json_object_get(o->manifest, "config"));
}

static ig_code compare(finding *f, const ig_compared_cells *cells)
{
    const ig_store_run *run[] = {first_done(cells->a), first_done(cells->b)};
    ig_result_origin o[2] = {{0}};
    if (run[0] == NULL || run[1] == NULL)
        return IG_ERR_OK;
    ig_code code = ig_result_origin_read(&o[0], run[0], f->err);
    IG_THEN(code, ig_result_origin_read(&o[1], run[1], f->err));
    if (code == IG_ERR_OK) {
        f->out->n_unknown_settings += !has_settings(&o[0]) || !has_settings(&o[1]);
        f->cells = cells;
        if (has_settings(&o[0]) && has_settings(&o[1]))
            ig_result_origin_differ(&o[0], &o[1], put_key, f);
        code = f->code;
    }
    ig_result_origin_free(&o[0]);
    ig_result_origin_free(&o[1]);
    return code;
}

ig_code ig_comparison_settings(ig_comparison *c, ig_err *err)
{
    finding f = {.out = c, .err = err};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < c->n_cells && code == IG_ERR_OK; i++)
        code = compare(&f, &c->cells[i]);
    return code;
}
