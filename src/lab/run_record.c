/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a run (run.json): its resolved settings, written once, read by whoever goes on with
 * the run or measures it. Two runs are the same when every key that decides the result is.
 */
#include "lab/run_config.h"
#include "base/file.h"
#include "base/json_file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_VERSION = 1 };

ig_code ig_run_config_save(const ig_run_config *c, const char *path, ig_err *err)
{
    json_t *config = ig_options_json(ig_run_options, IG_RUN_N_OPTION, c);
    json_t *j = config != NULL
                    ? json_pack("{s:i, s:o}", "isoglot_run", RECORD_VERSION, "config", config)
                    : NULL;
    return ig_json_write(j, path, 17, err);
}

ig_code ig_run_config_load(ig_run_config *c, const char *path, ig_err *err)
{
    char *text;
    int64_t size;
    IG_TRY(ig_file_read(&text, &size, path, 1 << 24, err));
    json_error_t why;
    json_t *j = json_loadb(text, (size_t)size, JSON_REJECT_DUPLICATES, &why);
    ig_free(text);
    if (j == NULL)
        return ig_fail(err, IG_ERR_INPUT, path, (uint64_t)(why.line > 0 ? why.line : 0),
                       "not the record of a run: %s", why.text);
    const json_t *version = json_object_get(j, "isoglot_run"),
                 *config = json_object_get(j, "config");
    ig_code code;
    if (!json_is_integer(version) || !json_is_object(config))
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "not the record of a run: no \"isoglot_run\" and \"config\"");
    else if (json_integer_value(version) != RECORD_VERSION)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "record version %lld, expected %d",
                       (long long)json_integer_value(version), RECORD_VERSION);
    else {
        code = ig_options_default(ig_run_options, IG_RUN_N_OPTION, c, err);
        if (code == IG_ERR_OK)
            code = ig_options_from_json(ig_run_options, IG_RUN_N_OPTION, c, config, path, err);
        if (code != IG_ERR_OK)
            ig_run_config_free(c);
    }
    json_decref(j);
    return code;
}

ig_code ig_run_config_same(const ig_run_config *have, const ig_run_config *want, const char *path,
                           ig_err *err)
{
    json_t *a = ig_options_json(ig_run_options, IG_RUN_N_OPTION, have);
    json_t *b = ig_options_json(ig_run_options, IG_RUN_N_OPTION, want);
    ig_code code = IG_ERR_OK;
    if (a == NULL || b == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory to compare two runs");
    const char *key;
    json_t *x;
    json_object_foreach(a, key, x)
    {
        const json_t *y = json_object_get(b, key);
        char dashed[64];
        size_t n = strlen(key);
        if (n >= sizeof dashed)
            continue;
        for (size_t i = 0; i <= n; i++)
            dashed[i] = key[i] == '_' ? '-' : key[i];
        if (!ig_run_option_decides(dashed) || json_equal(x, y))
            continue;
        const size_t how = JSON_ENCODE_ANY | JSON_REAL_PRECISION(9);
        char *was = json_dumps(x, how), *now = json_dumps(y, how);
        code = ig_fail(err, IG_ERR_USAGE, path, 0,
                       "the folder holds another run: %s is %s there, %s here", dashed,
                       was != NULL ? was : "?", now != NULL ? now : "none");
        free(was);
        free(now);
        ig_hint(err, "choose another --out, or give the run's own settings to go on with it");
        break;
    }
    json_decref(a);
    json_decref(b);
    return code;
}
