/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of worlds: see task_world.h. They go through files, so that what a model is fine-tuned on
 * can be looked at and is read as any other task.
 */
#include "task/language/task_world.h"

#include "base/file.h"
#include "base/memory.h"

ig_code ig_task_from_world(ig_task **out, const ig_task_world *spec, const char *dir, ig_err *err)
{
    ig_world_options o;
    ig_world_language language[IG_WORLD_LANGUAGES];
    int n;
    ig_world *w;
    char *path = NULL;
    *out = NULL;
    if (!ig_world_preset(&o, spec->preset))
        return ig_fail(err, IG_ERR_USAGE, "world", 0, "no such world: '%.40s'", spec->preset);
    o.seed = (uint64_t)spec->seed;
    IG_TRY(ig_world_languages_parse(language, &n, spec->languages, err));
    IG_TRY(ig_world_new(&w, &o, language, n, err));
    ig_code code = ig_world_task_write(w, dir, &spec->task, err);
    ig_world_free(w);
    IG_THEN(code, ig_path_join(&path, dir, "TASK.yaml", err));
    IG_THEN(code, ig_task_read(path, NULL, out, err));
    ig_free(path);
    return code;
}
