/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows in memory and as JSON (docs/measures.md).
 */
#include "store/row.h"

#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/json_keys.h"
#include "base/settings/json_text.h"
#include "store/store_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ig_row_tags(const ig_row *row)
{
    return row->tags != NULL ? row->tags : "";
}

int ig_row_compare(const ig_row *a, const ig_row *b)
{
    int order = strcmp(a->task, b->task);
    if (order == 0)
        order = strcmp(a->split, b->split);
    if (order == 0)
        order = strcmp(ig_row_tags(a), ig_row_tags(b));
    if (order == 0)
        order = strcmp(a->languages, b->languages);
    if (order == 0)
        order = (a->layer > b->layer) - (a->layer < b->layer);
    return order != 0 ? order : (a->step > b->step) - (a->step < b->step);
}

const char *ig_tag_find(const char *tags, const char *key, size_t *n)
{
    const size_t length = strlen(key);
    for (const char *p = tags; *p != '\0'; p += strspn(p, ";")) {
        const size_t size = strcspn(p, ";");
        if (strncmp(p, key, length) == 0 && p[length] == '=') {
            *n = size - length - 1;
            return p + length + 1;
        }
        p += size;
    }
    return NULL;
}

/* Rows of one measurement share most of their strings with the row before. */
static ig_code keep(ig_row_set *s, const char **text, const char *before, ig_err *err)
{
    if (before != NULL && strcmp(*text, before) == 0) {
        *text = before;
        return IG_ERR_OK;
    }
    return ig_pool_text(&s->pool, text, *text, strlen(*text), err);
}

ig_code ig_row_set_put(ig_row_set *s, const ig_row *row, ig_err *err)
{
    ig_row copy = *row;
    const ig_row *last = s->n > 0 ? &s->row[s->n - 1] : NULL;
    IG_TRY(keep(s, &copy.task, last != NULL ? last->task : NULL, err));
    IG_TRY(keep(s, &copy.split, last != NULL ? last->split : NULL, err));
    IG_TRY(keep(s, &copy.languages, last != NULL ? last->languages : NULL, err));
    copy.tags = ig_row_tags(row);
    IG_TRY(keep(s, &copy.tags, last != NULL ? last->tags : NULL, err));
    IG_TRY(ig_grow(&s->row, &s->capacity, s->n + 1, sizeof *s->row, "measures", err));
    s->row[s->n++] = copy;
    return IG_ERR_OK;
}

ig_code ig_row_set_append(ig_row_set *s, const ig_row_set *from, ig_err *err)
{
    for (int64_t i = 0; i < from->n; i++)
        IG_TRY(ig_row_set_put(s, &from->row[i], err));
    return IG_ERR_OK;
}

void ig_row_set_free(ig_row_set *s)
{
    ig_pool_free(&s->pool);
    ig_free(s->row);
    *s = (ig_row_set){0};
}

/* {"lr": "1e-5", "select": "last"} */
static json_t *tags_json(const char *tags)
{
    json_t *j = json_object();
    for (const char *p = tags; *p != '\0'; p += strspn(p, ";")) {
        const size_t size = strcspn(p, ";"), key = strcspn(p, "=");
        json_t *name = json_stringn(p, key);
        if (key < size && name != NULL)
            json_object_set_new(j, json_string_value(name),
                                json_stringn(p + key + 1, size - key - 1));
        json_decref(name);
        p += size;
    }
    return j;
}

/* Reads tags, in the order of the object. */
static ig_code read_tags(ig_row_set *s, const char **out, const json_t *j, ig_err *err)
{
    const char *key;
    json_t *value;
    *out = "";
    json_object_foreach((json_t *)(uintptr_t)j, key, value)
        IG_TRY(ig_pool_print(&s->pool, out, err, "%s%s%s=%s", *out, **out != '\0' ? ";" : "", key,
                             json_string_value(value)));
    return IG_ERR_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* All but the value. */
static json_t *row_json(const ig_row *r, bool with_step)
{
    json_t *j = json_pack("{s:s, s:s, s:s}", "measure", r->task, "split", r->split, "languages",
                          r->languages);
    if (ig_row_tags(r)[0] != '\0')
        json_object_set_new(j, "tags", tags_json(r->tags));
    if (r->layer >= 0)
        json_object_set_new(j, "layer", json_integer(r->layer));
    if (r->task_version != 1)
        json_object_set_new(j, "version", json_integer(r->task_version));
    if (with_step)
        json_object_set_new(j, "step", json_integer((json_int_t)r->step));
    if (with_step && !r->last)
        json_object_set_new(j, "last", json_false());
    if (r->n > 0)
        json_object_set_new(j, "n", json_integer((json_int_t)r->n));
    return j;
}

json_t *ig_row_set_json(const ig_row_set *s)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < s->n && all != NULL; i++) {
        if (!isfinite(s->row[i].value))
            continue;
        json_t *j = row_json(&s->row[i], false);
        if (json_object_set_new(j, "value", json_real(s->row[i].value)) != 0 ||
            json_array_append_new(all, j) != 0) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}

ig_code ig_row_put_line(FILE *fp, const ig_row *row, ig_err *err)
{
    char value[40];
    if (!isfinite(row->value))
        return IG_ERR_OK;
    json_t *j = row_json(row, true);
    IG_OWNED char *text = j != NULL ? ig_json_text(j, JSON_COMPACT) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "a row", 0, "not enough memory for a line");
    ig_number_print(value, sizeof value, row->value);
    fprintf(fp, "%.*s,\"value\":%s}\n", (int)strlen(text) - 1, text, value);
    return IG_ERR_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Keys and values without = and ;. */
static bool is_tags(const json_t *x)
{
    const char *key;
    json_t *value;
    bool good = json_is_object(x);
    json_object_foreach((json_t *)(uintptr_t)x, key, value) good =
        good && json_is_string(value) && key[0] != '\0' && strpbrk(key, "=;") == NULL &&
        strchr(json_string_value(value), ';') == NULL;
    return good;
}

static bool is_version(const json_t *x)
{
    return ig_json_is_small(x) && json_integer_value(x) > 0;
}

static const ig_json_key keys[] = {{"measure", "the name of one", ig_json_is_name, true},
                                   {"split", "a name", ig_json_is_name, true},
                                   {"languages", "a text", ig_json_is_text, true},
                                   {"tags", "an object of texts without ;", is_tags, false},
                                   {"layer", "a layer of at most 999", ig_json_is_small, false},
                                   {"version", "a number from 1 to 999", is_version, false},
                                   {"step", "a whole number, 0 or more", ig_json_is_count, false},
                                   {"last", "true or false", ig_json_is_truth, false},
                                   {"n", "a whole number, 0 or more", ig_json_is_count, false},
                                   {"value", "a number", ig_json_is_number, true}};

static ig_code bad(ig_row_source from, ig_err *err, const char *why)
{
    return from.number > 0 ? ig_fail(err, IG_ERR_INPUT, from.path, from.line, "row %lld: %s",
                                     (long long)from.number, why)
                           : ig_fail(err, IG_ERR_INPUT, from.path, from.line, "%s", why);
}

ig_code ig_row_set_read(ig_row_set *s, const json_t *j, const ig_row *like, ig_row_source from,
                        ig_err *err)
{
    ig_row row = *like;
    char why[300];
    if (!ig_json_has(why, sizeof why, j, keys, sizeof keys / sizeof *keys))
        return bad(from, err, why);
    row.task = json_string_value(json_object_get(j, "measure"));
    const ig_store_task *task = ig_store_task_find(row.task);
    if (task == NULL) {
        snprintf(why, sizeof why, "found measure '%.80s', which is unknown", row.task);
        bad(from, err, why);
        return ig_store_task_hint(err, row.task);
    }
    if (task->kind == IG_STORE_TASK_RUN)
        return bad(from, err, "found a measure of the training, which the line of the run has");
    row.split = json_string_value(json_object_get(j, "split"));
    row.languages = json_string_value(json_object_get(j, "languages"));
    IG_TRY(read_tags(s, &row.tags, json_object_get(j, "tags"), err));
    const json_t *layer = json_object_get(j, "layer"), *version = json_object_get(j, "version"),
                 *step = json_object_get(j, "step"), *last = json_object_get(j, "last");
    row.layer = layer != NULL ? (int)json_integer_value(layer) : -1;
    row.task_version = version != NULL ? (int)json_integer_value(version) : 1;
    row.step = step != NULL ? json_integer_value(step) : like->step;
    row.last = last != NULL ? json_is_true(last) : like->last;
    row.n = json_integer_value(json_object_get(j, "n"));
    row.value = json_number_value(json_object_get(j, "value"));
    row.line = from.line;
    return ig_row_set_put(s, &row, err);
}

ig_code ig_row_set_read_all(ig_row_set *s, const json_t *rows, const ig_row *like, const char *path,
                            ig_err *err)
{
    const json_t *j;
    size_t i;
    if (!json_is_array(rows))
        return ig_fail(err, IG_ERR_INPUT, path, 0, "measures: rows: expected an array");
    json_array_foreach(rows, i, j)
        IG_TRY(ig_row_set_read(s, j, like, (ig_row_source){path, 0, (int64_t)i + 1}, err));
    return IG_ERR_OK;
}

/* --- order ------------------------------------------------------------------------------------ */

static int by_row(const void *a, const void *b)
{
    return ig_row_compare(a, b);
}

ig_code ig_row_set_order(ig_row_set *s, int64_t from, const char *path, ig_err *err)
{
    int64_t n = from;
    for (int64_t i = from; i < s->n; i++)
        if (!isnan(s->row[i].value))
            s->row[n++] = s->row[i];
    s->n = n;
    bool sorted = true;
    for (int64_t i = from + 1; i < n && sorted; i++)
        sorted = ig_row_compare(&s->row[i - 1], &s->row[i]) < 0;
    if (sorted)
        return IG_ERR_OK;
    qsort(s->row + from, (size_t)(n - from), sizeof *s->row, by_row);
    for (int64_t i = from + 1; i < n; i++) {
        const ig_row *a = &s->row[i - 1], *b = &s->row[i];
        if (ig_row_compare(a, b) == 0)
            return ig_fail(err, IG_ERR_INPUT, path, a->line > b->line ? a->line : b->line,
                           "%.40s (split '%.40s', languages '%.40s', layer %d) is given twice at "
                           "step %lld",
                           b->task, b->split, b->languages, b->layer, (long long)b->step);
    }
    return IG_ERR_OK;
}
