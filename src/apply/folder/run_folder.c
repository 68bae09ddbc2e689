/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks into the folder of a run, or of any work of the laboratory: whether a file is there, a
 * file's JSON object.
 */
#include "apply/folder/run_folder.h"

#include "base/file.h"
#include "base/settings/json_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ig_code ig_folder_path(char path[IG_PATH], const char *dir, ig_err *err, const char *name, ...)
{
    va_list arg;
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    const int begin = snprintf(path, IG_PATH, "%.*s/", (int)n, dir);
    va_start(arg, name);
    const int end =
        begin < IG_PATH ? vsnprintf(path + begin, (size_t)(IG_PATH - begin), name, arg) : 0;
    va_end(arg);
    return begin + end < IG_PATH ? IG_ERR_OK : ig_fail(err, IG_ERR_IO, dir, 0, "path is too long");
}

bool ig_folder_has(const char *dir, const char *name)
{
    char path[IG_PATH];
    return ig_folder_path(path, dir, NULL, "%s", name) == IG_ERR_OK && ig_file_exists(path);
}

ig_code ig_folder_json(json_t **j, const char *dir, const char *name, ig_err *err)
{
    char path[IG_PATH];
    *j = NULL;
    IG_TRY(ig_folder_path(path, dir, err, "%s", name));
    IG_TRY(ig_json_read(j, path, err));
    if (json_is_object(*j))
        return IG_ERR_OK;
    json_decref(*j);
    *j = NULL;
    return ig_fail(err, IG_ERR_INPUT, path, 0, "found no object");
}

ig_code ig_folder_json_write(json_t *j, const char *dir, const char *name, int digits, ig_err *err)
{
    char path[IG_PATH];
    const ig_code code = ig_folder_path(path, dir, err, "%s", name);
    if (code == IG_ERR_OK)
        return ig_json_write(j, path, digits, err);
    json_decref(j);
    return code;
}
