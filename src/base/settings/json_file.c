/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes JSON files with jansson.
 */
#include "base/settings/json_file.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/strings/encoding.h"

#include <string.h>

enum { FILE_MAX = 1 << 30 };

static ig_code read_as(json_t **out, const char *path, size_t how, ig_err *err)
{
    char *text;
    int64_t size;
    json_error_t why;
    *out = NULL;
    IG_TRY(ig_file_read(&text, &size, path, FILE_MAX, err));
    ig_code code = ig_check_text(text, size, path, err);
    if (code != IG_ERR_OK) {
        ig_free(text);
        return code;
    }
    code = ig_json_load(out, text, size, JSON_REJECT_DUPLICATES | how, &why, path, err);
    ig_free(text);
    if (code != IG_ERR_INPUT)
        return code;
    ig_fail(err, code, path, why.line > 0 ? (uint64_t)why.line : 0, "%s", why.text);
    return strstr(why.text, "unable to decode byte") != NULL ? ig_hint_encoding(err) : code;
}

ig_code ig_json_read(json_t **out, const char *path, ig_err *err)
{
    return read_as(out, path, 0, err);
}

ig_code ig_json_read_reals(json_t **out, const char *path, ig_err *err)
{
    return read_as(out, path, JSON_DECODE_INT_AS_REAL, err);
}

ig_code ig_json_put(json_t *j, ig_out *out, int digits, ig_err *err)
{
    const size_t how = JSON_INDENT(2) | (size_t)JSON_REAL_PRECISION(digits);
    IG_OWNED char *text = j != NULL ? ig_json_text(j, how) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, out->path, 0, "not enough memory to write it");
    ig_code code = ig_out_write(out, text, (int64_t)strlen(text), err);
    IG_THEN(code, ig_out_write(out, "\n", 1, err));
    return code;
}

ig_code ig_json_write(json_t *j, const char *path, int digits, ig_err *err)
{
    ig_out out;
    ig_code code = ig_out_open(&out, path, err);
    if (code == IG_ERR_OK)
        code = ig_json_put(j, &out, digits, err);
    else
        json_decref(j);
    return ig_out_close(&out, code, err);
}

ig_code ig_json_lines(const char *path, bool open,
                      ig_code (*take)(void *arg, const ig_json_record *line, ig_err *err),
                      void *arg, ig_err *err)
{
    char *text;
    int64_t size;
    IG_TRY(ig_file_read(&text, &size, path, FILE_MAX, err));
    ig_json_record line = {.text = text, .path = path};
    ig_code code = ig_check_text(text, size, path, err);
    while (code == IG_ERR_OK && line.text < text + size) {
        const char *end = memchr(line.text, '\n', (size_t)(text + size - line.text));
        line.number++;
        if (end == NULL) {
            code = open ? IG_ERR_OK
                        : ig_fail(err, IG_ERR_INPUT, path, line.number,
                                  "found the end of the file within a line, expected a line end");
            break;
        }
        json_error_t why;
        json_t *j;
        line.n = end - line.text;
        code = ig_json_load(&j, line.text, line.n, JSON_REJECT_DUPLICATES, &why, path, err);
        if (code != IG_ERR_MEMORY)
            code = json_is_object(j)
                       ? IG_ERR_OK
                       : ig_fail(err, IG_ERR_INPUT, path, line.number,
                                 "found a damaged line (%.100s), expected a JSON object",
                                 j == NULL ? why.text : "no object");
        line.json = j;
        IG_THEN(code, take(arg, &line, err));
        json_decref(j);
        line.text = end + 1;
    }
    ig_free(text);
    return code;
}
