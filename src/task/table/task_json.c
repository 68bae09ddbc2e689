/* SPDX-License-Identifier: Apache-2.0
 *
 * Names are those of tables (task_head.c) or of TASK.yaml; a label may be a number.
 */
#include "task/table/task_json.h"

#include "base/settings/json_text.h"
#include "base/strings/append.h"

/* Returns the value of a column, and its key; NULL: there is none. The names are in the order of
 * preference. */
static const json_t *column(json_t *row, const ig_task_form *form, int c, const char **key)
{
    const char *const *names = ig_task_names_of(form->kind)[c];
    json_t *value;
    *key = form->layout.name[c];
    value = *key != NULL ? json_object_get(row, *key) : NULL;
    if (value != NULL || (*key != NULL && form->layout.given))
        return value;
    for (; *names != NULL; names++)
        json_object_foreach(row, *key, value)
        {
            if (ig_task_same_name(*key, *names))
                return value;
        }
    return NULL;
}

/* Returns whether an object has a text that is named as one of a pair. */
bool ig_task_json_is_pair(json_t *row)
{
    const char *key;
    const ig_task_form form = {.kind = IG_TASK_PAIR};
    return column(row, &form, IG_COLUMN_FIRST, &key) != NULL ||
           column(row, &form, IG_COLUMN_SECOND, &key) != NULL;
}

static const char *kind_of(const json_t *v)
{
    return json_is_null(v)      ? "null"
           : json_is_boolean(v) ? "true or false"
           : json_is_integer(v) ? "a number"
           : json_is_real(v)    ? "a number with a point"
           : json_is_array(v)   ? "a list"
                                : "an object";
}

/* Fails for an object without a column; the message has the names it has. */
static ig_code missing(const ig_task_form *form, json_t *row, int c, bool labels,
                       const ig_line_reader *lines, ig_err *err)
{
    char keys[200] = "";
    const char *key;
    json_t *value;
    if (form->layout.name[c] != NULL)
        return ig_line_fail(lines, err, "found no '%.60s', which 'columns' in the task names",
                            form->layout.name[c]);
    json_object_foreach(row, key, value)
    {
        ig_append_name(keys, sizeof keys, key);
    }
    ig_line_fail(lines, err, "found the names %s, expected one for the %s, as '%s'",
                 keys[0] != '\0' ? keys : "none",
                 ig_task_column_name(form->kind, (ig_task_column)c),
                 ig_task_names_of(form->kind)[c][form->kind == IG_TASK_PAIR]);
    return labels ? ig_hint(err, "'columns' in the task gives other names") : IG_ERR_INPUT;
}

ig_code ig_task_json_parse(json_t **out, const char *line, int64_t size,
                           const ig_line_reader *lines, ig_err *err)
{
    json_error_t wrong;
    const ig_code code =
        ig_json_load(out, line, size, JSON_REJECT_DUPLICATES, &wrong, ig_line_where(lines), err);
    if ((code != IG_ERR_OK && code != IG_ERR_INPUT) || json_is_object(*out))
        return code;
    if (*out == NULL && json_error_code(&wrong) == json_error_null_character)
        return ig_line_fail(lines, err, "found \\u0000, expected text without zero characters");
    if (*out == NULL) {
        ig_line_fail(lines, err, "not valid JSON: %.200s", wrong.text);
        return ig_hint(err, "an object a line: jq -c . FILE >NEW");
    }
    json_decref(*out);
    *out = NULL;
    return ig_line_fail(lines, err, "found another JSON value, expected an object");
}

ig_code ig_task_json_values(const char **value, json_t *row, const ig_task_part *part, bool labels,
                            const ig_line_reader *lines, ig_err *err)
{
    const ig_task_form *form = part->form;
    for (int c = IG_COLUMN_FIRST; c < IG_N_COLUMN; c++) {
        const char *key;
        const json_t *v = column(row, form, c, &key);
        const bool needed = ig_task_needs(form->kind, c, labels);
        value[c] = json_string_value(v);
        if (c == IG_COLUMN_LABEL && json_is_integer(v))
            IG_TRY(ig_pool_print(part->pool, &value[c], err, "%lld",
                                 (long long)json_integer_value(v)));
        else if (v == NULL && needed)
            return missing(form, row, c, labels, lines, err);
        else if (value[c] == NULL && needed)
            return ig_line_fail(lines, err, "found %s in '%.60s', expected a text%s", kind_of(v),
                                key, c == IG_COLUMN_LABEL ? " or a whole number" : "");
    }
    return IG_ERR_OK;
}
