/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps estimates of dry runs. The file's name is a hash of the store and the runs, so that an
 * estimate is found only by the run of exactly that work.
 */
#include "lab/estimate/lab_foretold.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/sha256.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The cache's folder; NULL: nothing says where. */
static char *folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *out = NULL;
    if (cache != NULL && cache[0] == '/')
        (void)ig_path_join(&out, cache, "isoglot/estimates", NULL);
    else if (home != NULL && home[0] == '/')
        (void)ig_path_join(&out, home, ".cache/isoglot/estimates", NULL);
    return out;
}

static ig_code add_text(ig_sha256 *s, const char *text)
{
    return ig_sha256_add(s, text, (int64_t)strlen(text) + 1, NULL);
}

/* The store by its full name: a dry run may come before there is one. */
static ig_code add_store(ig_sha256 *s, const char *store)
{
    char *full = realpath(store, NULL), *here = full == NULL ? getcwd(NULL, 0) : NULL;
    if (full == NULL && here != NULL && store[0] != '/')
        (void)ig_path_join(&full, here, store, NULL);
    ig_code code = add_text(s, full != NULL ? full : store);
    if (here != NULL)
        ig_free(full);
    else
        free(full);
    free(here);
    return code;
}

/* Returns FOLDER/<hash>.json; NULL: no memory, or no folder. */
static char *path_of(const ig_lab_foretold *f, const char *in)
{
    ig_sha256 *s;
    char hex[IG_SHA256_HEX], name[64], *path = NULL;
    if (ig_sha256_new(&s, NULL) != IG_ERR_OK)
        return NULL;
    snprintf(name, sizeof name, "%d jobs of %d", f->jobs, f->threads);
    ig_code code = add_store(s, f->store);
    IG_THEN(code, add_text(s, name));
    for (int i = 0; i < f->plan->n_task && code == IG_ERR_OK; i++)
        code = add_text(s, f->plan->task[i].key);
    for (int i = 0; i < f->list->n && code == IG_ERR_OK; i++)
        if (f->missing[i])
            code = add_text(s, f->list->item[i].address);
    if (ig_sha256_end(s, code == IG_ERR_OK ? hex : NULL, NULL) != IG_ERR_OK || code != IG_ERR_OK)
        return NULL;
    snprintf(name, sizeof name, "%.32s.json", hex);
    (void)ig_path_join(&path, in, name, NULL);
    return path;
}

void ig_lab_foretold_keep(const ig_lab_foretold *f, double seconds)
{
    char *in = folder(), *path = in != NULL ? path_of(f, in) : NULL;
    if (path != NULL && ig_dir_make(in, NULL) == IG_ERR_OK)
        (void)ig_json_write(json_pack("{s:i, s:f}", "isoglot_estimate", 1, "seconds", seconds),
                            path, 17, NULL);
    IG_FREE(path, in);
}

double ig_lab_foretold_find(const ig_lab_foretold *f)
{
    char *in = folder(), *path = in != NULL ? path_of(f, in) : NULL;
    json_t *j = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    const json_t *seconds = json_object_get(j, "seconds");
    const double found = json_is_number(seconds) && json_number_value(seconds) > 0
                             ? json_number_value(seconds)
                             : (double)NAN;
    json_decref(j);
    IG_FREE(path, in);
    return found;
}
