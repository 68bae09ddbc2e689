/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads, checks and writes manifests. A run is finished when DONE is there (lab/work/lab_child.c
 * writes it last); until then a manifest may be that of an earlier training.
 */
#include "apply/folder/manifest.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "apply/folder/run_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char weights[] = "model.safetensors";

ig_code ig_manifest_file(char **path, const char **sha256, const json_t *manifest, const char *kind,
                         ig_err *err)
{
    const json_t *member = json_object_get(manifest, kind);
    const char *name = json_string_value(json_object_get(member, "path"));
    *path = NULL;
    *sha256 = json_string_value(json_object_get(member, "sha256"));
    if (name == NULL || *sha256 == NULL)
        return IG_ERR_OK;
    const size_t room = strlen(name) + sizeof weights + 2;
    IG_TRY(ig_alloc(path, (int64_t)room, 1, "path", err));
    snprintf(*path, room, "%s%s%s", name, strcmp(kind, "model") == 0 ? "/" : "",
             strcmp(kind, "model") == 0 ? weights : "");
    return IG_ERR_OK;
}

ig_code ig_manifest_compare(const char *path, const char *sha256, ig_err *err)
{
    char hex[IG_SHA256_HEX];
    IG_TRY(ig_sha256_file(hex, path, err));
    if (strcmp(hex, sha256) == 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, path, 0,
            "SHA-256 is %s, expected %.64s: damaged or changed since the run finished", hex,
            sha256);
    return ig_hint(err, "isoglot status --verify lists all such files; without the run's folder "
                        "isoglot run repeats it");
}

/* In the run `dir`, whose manifest may speak of `name`, a path below it. */
static ig_code check_in(const char *dir, const char *name, const char *path, ig_err *err)
{
    static const char *const kinds[] = {"model", "vectors"};
    json_auto_t *m = NULL;
    if (!ig_folder_has(dir, "DONE") || !ig_folder_has(dir, "manifest.json"))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&m, dir, "manifest.json", err));
    ig_code code = IG_ERR_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && code == IG_ERR_OK; i++) {
        const char *sha256;
        char *file = NULL;
        if (json_object_get(m, "isoglot_manifest") != NULL)
            code = ig_manifest_file(&file, &sha256, m, kinds[i], err);
        if (code == IG_ERR_OK && file != NULL && strcmp(file, name) == 0)
            code = ig_manifest_compare(path, sha256, err);
        ig_free(file);
    }
    return code;
}

ig_code ig_manifest_check(const char *path, ig_err *err)
{
    enum { UP = 3 }; /* RUN/checkpoints/step-…/model.safetensors */
    char file[IG_PATH];
    if (ig_dir_exists(path)) {
        IG_TRY(ig_folder_path(file, path, err, "%s", weights));
        path = file;
    }
    IG_OWNED char *real = realpath(path, NULL);
    for (int up = 0; up < UP && real != NULL; up++) {
        /* Its last `up` slashes stay in the name. */
        char *slash = real + strlen(real);
        for (int k = 0; k <= up && slash != NULL; k++) {
            while (slash > real && *--slash != '/')
                ;
            slash = slash > real ? slash : NULL;
        }
        if (slash == NULL)
            break;
        *slash = '\0';
        IG_TRY(check_in(real, slash + 1, path, err));
        *slash = '/';
    }
    return IG_ERR_OK;
}

ig_code ig_manifest_vectors(ig_vectors *out, const char *path, ig_vec_how how, ig_team *team,
                            ig_err *err)
{
    *out = (ig_vectors){0};
    IG_TRY(ig_manifest_check(path, err));
    return ig_vectors_read(out, path, how, team, err);
}
