/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies in the folder of a run, or of any work of the laboratory: whether a file is there, a
 * file's JSON object.
 */
#include "run/run_folder.h"

#include "base/file.h"
#include "base/memory.h"

bool ig_folder_has(const char *dir, const char *name)
{
    char *path;
    if (ig_path_join(&path, dir, name, NULL) != IG_ERR_OK)
        return false;
    bool there = ig_file_exists(path);
    ig_free(path);
    return there;
}

ig_code ig_folder_json(json_t **j, const char *dir, const char *name, ig_err *err)
{
    char *path, *text;
    int64_t size;
    json_error_t why;
    *j = NULL;
    IG_TRY(ig_path_join(&path, dir, name, err));
    ig_code code = ig_file_read(&text, &size, path, (int64_t)1 << 30, err);
    if (code == IG_ERR_OK) {
        *j = json_loadb(text, (size_t)size, JSON_REJECT_DUPLICATES, &why);
        ig_free(text);
        if (*j == NULL || !json_is_object(*j))
            code = ig_fail(err, IG_ERR_INPUT, path,
                           (uint64_t)(*j == NULL && why.line > 0 ? why.line : 0),
                           *j == NULL ? "%s" : "found no object", why.text);
    }
    if (code != IG_ERR_OK) {
        json_decref(*j);
        *j = NULL;
    }
    ig_free(path);
    return code;
}
