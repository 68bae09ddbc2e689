/* SPDX-License-Identifier: Apache-2.0
 *
 * See run_log.h.
 */
#include "run/train/run_log.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ig_code ig_run_log_open(ig_run_log *log, const char *dir, int64_t *bytes, ig_err *err)
{
    log->bytes = bytes;
    IG_TRY(ig_path_join(&log->path, dir, "log.jsonl", err));
    log->file = fopen(log->path, "ab");
    if (log->file == NULL)
        return ig_fail(err, IG_ERR_IO, log->path, 0, "cannot open: %s", strerror(errno));
    if (fseek(log->file, 0, SEEK_END) != 0 || ftell(log->file) < *bytes)
        return ig_fail(err, IG_ERR_INPUT, log->path, 0,
                       "shorter than the %lld bytes that the checkpoint knows of",
                       (long long)*bytes);
    if (ftruncate(fileno(log->file), (off_t)*bytes) != 0)
        return ig_fail(err, IG_ERR_IO, log->path, 0, "cannot cut: %s", strerror(errno));
    return IG_ERR_OK;
}

ig_code ig_run_log_line(ig_run_log *log, json_t *j, ig_err *err)
{
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, log->path, 0, "not enough memory for a line");
    const int n = fprintf(log->file, "%s\n", text);
    free(text);
    if (n < 0 || fflush(log->file) != 0)
        return ig_fail(err, IG_ERR_IO, log->path, 0, "cannot write: %s", strerror(errno));
    *log->bytes += n;
    return IG_ERR_OK;
}

ig_code ig_run_log_sync(const ig_run_log *log, ig_err *err)
{
    if (fsync(fileno(log->file)) != 0)
        return ig_fail(err, IG_ERR_IO, log->path, 0, "cannot write: %s", strerror(errno));
    return IG_ERR_OK;
}

void ig_run_log_close(ig_run_log *log)
{
    if (log->file != NULL)
        fclose(log->file);
    ig_free(log->path);
    *log = (ig_run_log){0};
}
