/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies in the folder of a run, or of any work of the laboratory: whether a file is there, a
 * file's JSON object.
 */
#include "run/run_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"

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
    char *path;
    *j = NULL;
    IG_TRY(ig_path_join(&path, dir, name, err));
    ig_code code = ig_json_read(j, path, err);
    if (code == IG_ERR_OK && !json_is_object(*j)) {
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "found no object");
        json_decref(*j);
        *j = NULL;
    }
    ig_free(path);
    return code;
}

ig_code ig_folder_json_write(json_t *j, const char *dir, const char *name, int digits, ig_err *err)
{
    char *path = NULL;
    ig_code code = ig_path_join(&path, dir, name, err);
    if (code == IG_ERR_OK)
        code = ig_json_write(j, path, digits, err);
    else
        json_decref(j);
    ig_free(path);
    return code;
}
