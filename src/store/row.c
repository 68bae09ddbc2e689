/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows in memory and as JSON (docs/measures.md).
 */
#include "store/row.h"
#include "base/memory.h"
#include "store/store_task.h"

#include <math.h>
#include <string.h>

enum { LAYER_MAX = 999 };

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

/* The same back, in the order of the object. Keys and values have neither = nor ;. */
static ig_code read_tags(ig_row_set *s, const char **out, const json_t *j, bool *good, ig_err *err)
{
    const char *key;
    json_t *value;
    *out = "";
    *good = j == NULL || json_is_object(j);
    json_object_foreach((json_t *)(uintptr_t)j, key, value)
    {
        const char *text = json_string_value(value);
        *good = *good && text != NULL && key[0] != '\0' && strpbrk(key, "=;") == NULL &&
                strchr(text, ';') == NULL;
        if (!*good)
            return IG_ERR_OK;
        IG_TRY(ig_pool_print(&s->pool, out, err, "%s%s%s=%s", *out, **out != '\0' ? ";" : "", key,
                             text));
    }
    return IG_ERR_OK;
}

json_t *ig_row_set_json(const ig_row_set *s)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < s->n && all != NULL; i++) {
        const ig_row *r = &s->row[i];
        json_t *j = json_pack("{s:s, s:s, s:s}", "measure", r->task, "split", r->split, "languages",
                              r->languages);
        if (ig_row_tags(r)[0] != '\0')
            json_object_set_new(j, "tags", tags_json(r->tags));
        if (r->layer >= 0)
            json_object_set_new(j, "layer", json_integer(r->layer));
        if (r->task_version != 1)
            json_object_set_new(j, "version", json_integer(r->task_version));
        if (r->n > 0)
            json_object_set_new(j, "n", json_integer((json_int_t)r->n));
        if (json_object_set_new(j, "value", json_real(r->value)) != 0 ||
            json_array_append_new(all, j) != 0) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}

/* An integer of `j`, `otherwise` where there is none; false: it is none or out of range. */
static bool integer_of(int64_t *out, const json_t *j, const char *key, int64_t otherwise,
                       int64_t most)
{
    const json_t *x = json_object_get(j, key);
    *out = x != NULL ? (int64_t)json_integer_value(x) : otherwise;
    return x == NULL || (json_is_integer(x) && *out >= 0 && *out <= most);
}

static ig_code read_row(ig_row_set *s, const json_t *j, ig_row row, const char *where, size_t i,
                        ig_err *err)
{
    const json_t *value = json_object_get(j, "value");
    int64_t layer, version;
    bool tagged;
    IG_TRY(read_tags(s, &row.tags, json_object_get(j, "tags"), &tagged, err));
    row.task = json_string_value(json_object_get(j, "measure"));
    row.split = json_string_value(json_object_get(j, "split"));
    row.languages = json_string_value(json_object_get(j, "languages"));
    const char *wrong = row.task == NULL                                    ? "measure"
                        : row.split == NULL || row.split[0] == '\0'         ? "split"
                        : row.languages == NULL                             ? "languages"
                        : !tagged                                           ? "tags"
                        : !integer_of(&layer, j, "layer", -1, LAYER_MAX)    ? "layer"
                        : !integer_of(&version, j, "version", 1, LAYER_MAX) ? "version"
                        : !integer_of(&row.n, j, "n", 0, INT64_MAX)         ? "n"
                        : !json_is_number(value) || !isfinite(json_number_value(value)) ? "value"
                                                                                        : NULL;
    if (wrong != NULL)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "row %zu of the measures: '%s' is missing or not what it should be", i + 1,
                       wrong);
    if (ig_store_task_find(row.task) == NULL)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "row %zu: found measure '%.80s', which is unknown", i + 1, row.task);
    row.layer = (int)layer;
    row.task_version = (int)version;
    row.value = json_number_value(value);
    return ig_row_set_put(s, &row, err);
}

ig_code ig_row_set_read(ig_row_set *s, const json_t *rows, const ig_row *like, const char *where,
                        ig_err *err)
{
    const json_t *j;
    size_t i;
    if (!json_is_array(rows))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "measures: rows: expected an array");
    json_array_foreach(rows, i, j) IG_TRY(read_row(s, j, *like, where, i, err));
    return IG_ERR_OK;
}
