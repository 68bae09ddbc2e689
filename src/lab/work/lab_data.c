/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_data.h. Who holds STORE/data/<address>.lock makes the data; each file appears complete or
 * not at all, so a preparation that is killed goes on with what is there.
 */
#include "lab/work/lab_data.h"
#include "base/file.h"
#include "base/settings/json_file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "run/data/data_files.h"
#include "run/data/setup.h"
#include "base/threads/wait_lock.h"
#include "run/run_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ig_code data_path(char **out, const char *store, const char *address, const char *suffix,
                         ig_err *err)
{
    char name[IG_ADDRESS + 32];
    snprintf(name, sizeof name, "data/%s%s", address, suffix);
    return ig_path_join(out, store, name, err);
}

ig_code ig_lab_data_find(char **dir, const char *store, const char *address, ig_err *err)
{
    char *ready;
    *dir = NULL;
    IG_TRY(data_path(&ready, store, address, "/data.json", err));
    bool there = ig_file_exists(ready);
    ig_free(ready);
    return there ? data_path(dir, store, address, "", err) : IG_ERR_OK;
}

ig_code ig_lab_data_json(json_t **j, const char *store, const char *address, ig_err *err)
{
    char *path;
    IG_TRY(data_path(&path, store, address, "/data.json", err));
    ig_code code = ig_json_read(j, path, err);
    ig_free(path);
    return code;
}

static ig_code hash_one(json_t *files, const char *dir, const char *name, ig_err *err)
{
    char *path, hex[IG_SHA256_HEX];
    IG_TRY(ig_path_join(&path, dir, name, err));
    ig_code code = IG_ERR_OK;
    if (ig_file_exists(path)) {
        code = ig_sha256_file(hex, path, err);
        if (code == IG_ERR_OK)
            json_object_set_new(files, name, json_string(hex));
    }
    ig_free(path);
    return code;
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
                code = hash_one(files, dir, name, err);
        }
    if (code != IG_ERR_OK) {
        json_decref(files);
        return code;
    }
    return ig_folder_json_write(
        json_pack("{s:i, s:s, s:o}", "isoglot_data", 1, "address", address, "files", files), dir,
        "data.json", 17, err);
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
    char *dir = NULL, *lock = NULL, *parent = NULL;
    int fd = -1;
    IG_TRY(ig_data_address(address, c, cache, err));
    ig_code code = ig_lab_data_find(&dir, store, address, err);
    if (code != IG_ERR_OK || dir != NULL) {
        ig_free(dir);
        return code;
    }
    code = ig_path_join(&parent, store, "data", err);
    IG_THEN(code, ig_dir_make(parent, err));
    IG_THEN(code, data_path(&lock, store, address, ".lock", err));
    IG_THEN(code, ig_wait_lock(&fd, lock, stop, "prepares the data", err));
    IG_THEN(code, ig_lab_data_find(&dir, store, address, err));
    if (code == IG_ERR_OK && dir == NULL) {
        code = data_path(&dir, store, address, "", err);
        IG_THEN(code, make(c, dir, address, err));
    }
    if (fd >= 0)
        close(fd);
    IG_FREE(dir, lock, parent);
    return code;
}

ig_code ig_lab_data_link(const char *run_dir, const char *address, ig_err *err)
{
    char target[IG_ADDRESS + 32], have[IG_ADDRESS + 32], *path;
    snprintf(target, sizeof target, "../../data/%s", address);
    IG_TRY(ig_path_join(&path, run_dir, "data", err));
    ig_code code = IG_ERR_OK;
    ssize_t n = readlink(path, have, sizeof have - 1);
    if (n >= 0)
        have[n] = '\0';
    if (n < 0 || strcmp(have, target) != 0) {
        if (n >= 0)
            unlink(path);
        if (symlink(target, path) != 0)
            code = ig_fail(err, IG_ERR_IO, path, 0, "cannot link: %s", strerror(errno));
    }
    ig_free(path);
    return code;
}
