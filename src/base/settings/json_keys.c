/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the fields of a JSON object by a table of their kinds.
 */
#include "base/settings/json_keys.h"
#include "base/settings/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ig_json_is_text(const json_t *x)
{
    return json_is_string(x);
}

bool ig_json_is_name(const json_t *x)
{
    return json_string_length(x) > 0;
}

bool ig_json_is_digits(const json_t *x)
{
    const char *s = json_string_value(x);
    return s != NULL && strlen(s) == 16 && strspn(s, "0123456789abcdef") == 16;
}

bool ig_json_is_integer(const json_t *x)
{
    return json_is_integer(x);
}

bool ig_json_is_count(const json_t *x)
{
    return json_is_integer(x) && json_integer_value(x) >= 0;
}

bool ig_json_is_small(const json_t *x)
{
    return ig_json_is_count(x) && json_integer_value(x) <= 999;
}

bool ig_json_is_number(const json_t *x)
{
    return json_is_number(x) && isfinite(json_number_value(x));
}

bool ig_json_is_size(const json_t *x)
{
    return ig_json_is_number(x) && json_number_value(x) >= 0;
}

bool ig_json_is_truth(const json_t *x)
{
    return json_is_boolean(x);
}

bool ig_json_is_object(const json_t *x)
{
    return json_is_object(x);
}

bool ig_json_has(char *out, size_t size, const json_t *j, const ig_json_key *keys, int n)
{
    const char *key;
    json_t *x;
    for (int i = 0; i < n; i++) {
        x = json_object_get(j, keys[i].key);
        if (x == NULL && keys[i].needed) {
            snprintf(out, size, "found no \"%s\", expected %s", keys[i].key, keys[i].expected);
            return false;
        }
        if (x == NULL || keys[i].fits(x))
            continue;
        char *text = ig_json_text(x, JSON_ENCODE_ANY | JSON_COMPACT);
        snprintf(out, size, "%s: found %.60s, expected %s", keys[i].key,
                 text != NULL ? text : "another", keys[i].expected);
        free(text);
        return false;
    }
    json_object_foreach((json_t *)(uintptr_t)j, key, x)
    {
        int i = 0;
        while (i < n && strcmp(keys[i].key, key) != 0)
            i++;
        if (i == n) {
            snprintf(out, size, "found the key \"%.40s\", expected those of docs/formats.md", key);
            return false;
        }
    }
    return true;
}
