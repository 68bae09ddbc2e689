/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the data of runs. The process that holds STORE/data/<address>.lock makes the data; each
 * file appears complete or not at all, so after a kill only missing files are made.
 */
#include "lab/work/lab_data.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/settings/json_file.h"
#include "base/strings/append.h"
#include "base/threads/wait_lock.h"
#include "lab/runs/run_files.h"
#include "run/data/data_files.h"
#include "run/data/setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char complete[] = "data.json";

static ig_code data_path(char path[IG_PATH], const char *store, const char *address,
                         const char *suffix, ig_err *err)
{
    return ig_folder_path(path, store, err, "data/%s%s", address, suffix);
}

ig_code ig_lab_data_find(char **dir, const char *store, const char *address, ig_err *err)
{
    char path[IG_PATH];
    *dir = NULL;
    IG_TRY(data_path(path, store, address, "", err));
    return ig_folder_has(path, complete) ? ig_copy_text(dir, path, "path", err) : IG_ERR_OK;
}

ig_code ig_lab_data_json(json_t **j, const char *store, const char *address, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(data_path(path, store, address, "/data.json", err));
    return ig_json_read(j, path, err);
}

static ig_code write_hashes(const ig_run_config *c, const char *dir, const char *address,
                            ig_err *err)
{
    json_t *files = json_object();
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < c->languages.n; k++)
        for (int i = 0; i < IG_DATA_FILES && code == IG_ERR_OK; i++) {
            char name[IG_DATA_NAME];
            if (ig_data_file_name(name, &c->languages, k, (ig_data_file)i) &&
                json_object_get(files, name) == NULL)
                code = ig_lab_hash(files, dir, name, err);
        }
    if (code != IG_ERR_OK) {
        json_decref(files);
        return code;
    }
    return ig_folder_json_write(
        json_pack("{s:i, s:s, s:o}", "isoglot_data", 1, "address", address, "files", files), dir,
        complete, 17, err);
}

static ig_code make(const ig_run_config *c, const char *dir, const char *address, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(c);
    ig_setup s;
    IG_TRY(ig_dir_make(dir, err));
    IG_TRY(ig_run_dir_clean(dir, err));
    IG_TRY(ig_setup_open(&s, &settings, dir, err));
    ig_setup_close(&s);
    return write_hashes(c, dir, address, err);
}

ig_code ig_lab_data_make(char address[IG_ADDRESS], const ig_run_config *c, const char *store,
                         ig_hash_cache *cache, const volatile sig_atomic_t *stop, ig_err *err)
{
    char dir[IG_PATH], path[IG_PATH];
    int fd;
    IG_TRY(ig_data_address(address, c, cache, err));
    IG_TRY(data_path(dir, store, address, "", err));
    if (ig_folder_has(dir, complete))
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(path, store, err, "data"));
    IG_TRY(ig_dir_make(path, err));
    IG_TRY(data_path(path, store, address, ".lock", err));
    IG_TRY(ig_wait_lock(&fd, path, stop, "prepares the data", err));
    const ig_code code = ig_folder_has(dir, complete) ? IG_ERR_OK : make(c, dir, address, err);
    close(fd);
    return code;
}

ig_code ig_lab_data_link(const char *run_dir, const char *address, ig_err *err)
{
    char target[IG_ADDRESS + 32], have[IG_ADDRESS + 32], path[IG_PATH];
    snprintf(target, sizeof target, "../../data/%s", address);
    IG_TRY(ig_folder_path(path, run_dir, err, "data"));
    ssize_t n = readlink(path, have, sizeof have - 1);
    if (n >= 0) {
        have[n] = '\0';
        if (strcmp(have, target) == 0)
            return IG_ERR_OK;
        unlink(path);
    }
    return symlink(target, path) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, path, 0, "cannot link: %s", strerror(errno));
}
