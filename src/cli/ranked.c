/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins the ranks of a command; see ranked.h. Signals are rank 0's to answer: one that a launcher
 * sends to all must not end those that rank 0 needs to save.
 */
#include "cli/ranked.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/ranks/ranks.h"
#include "base/settings/json_text.h"
#include "base/settings/named_files.h"
#include "base/sha256.h"
#include "cli/signals.h"
#include "train/rank_model.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "name\tvalue" of each setting but those that may differ. */
static ig_code put_settings(FILE *to, const ig_option_table *t, const void *config, ig_err *err)
{
    json_t *j = ig_options_json(t, config), *value;
    const char *name;
    json_object_foreach(j, name, value)
    {
        char *text = ig_json_text(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
        if (strcmp(name, "threads") != 0)
            fprintf(to, "%s\t%s\n", name, text != NULL ? text : "");
        free(text);
    }
    const bool all = j != NULL;
    json_decref(j);
    return all ? IG_ERR_OK : ig_fail(err, IG_ERR_MEMORY, "", 0, "not enough memory for settings");
}

/* A line of a file that this machine has: its size and the digest of its beginning. Ranks other
 * than 0 read no data, and need not have it; where they have it, it is the same. */
static ig_code put_file(FILE *to, const char *option, const char *path, ig_err *err)
{
    enum { BEGIN = 16 << 20 };
    char digest[IG_SHA256_HEX];
    IG_SCOPED(ig_map_close) ig_map map = {0};
    if (!ig_file_exists(path) || ig_map_open(&map, path, NULL) != IG_ERR_OK)
        return IG_ERR_OK;
    IG_TRY(ig_sha256_of(digest, map.data, map.size < BEGIN ? map.size : BEGIN, err));
    fprintf(to, "%s%s\t%lld (%.8s)\n", IG_RANKS_MAY_LACK, option, (long long)map.size, digest);
    return IG_ERR_OK;
}

static ig_code put_files(FILE *to, const ig_option_table *t, const void *config, ig_err *err)
{
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n && code == IG_ERR_OK; i++) {
        const ig_option *o = &t->row[i];
        const char *value;
        ig_named_files named;
        if (o->kind != IG_OPT_PATH && o->kind != IG_OPT_FILES)
            continue;
        memcpy(&value, (const char *)config + o->offset, sizeof value);
        if (value == NULL)
            continue;
        if (o->kind == IG_OPT_PATH)
            code = put_file(to, o->name, value, err);
        else if (ig_named_files_parse(&named, value, o->name, NULL) == IG_ERR_OK) {
            for (int k = 0; k < named.n && code == IG_ERR_OK; k++)
                code = put_file(to, named.file[k].name, named.file[k].path, err);
            ig_named_files_free(&named);
        }
    }
    return code;
}

static ig_code join(const ig_option_table *t, const void *config, ig_err *err)
{
    char kernels[100], *text;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    if (to == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "", 0, "not enough memory for settings");
    ig_code code = put_settings(to, t, config, err);
    IG_THEN(code, put_files(to, t, config, err));
    if (!ig_memstream_close(to) && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_MEMORY, "", 0, "not enough memory for settings");
    ig_rank_kernels(kernels, sizeof kernels);
    IG_THEN(code, ig_ranks_join(&(ig_ranks_same){kernels, text}, err));
    free(text);
    return code;
}

static bool
    meets_others; /* a rank that fails before it does has an error that others may not have */

/* Signals are rank 0's, and so is what there is to say. */
static void be_silent(void)
{
    ig_log_set_level(IG_LOG_QUIET);
    ig_log_set_progress(0);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN); /* as in ig_ranks_start */
}

ig_code ig_ranked(bool *served, const ig_option_table *t, const void *config, int64_t *threads,
                  int64_t wanted, ig_err *err)
{
    *served = false;
    meets_others = true;
    if (!ig_ranks_launched() && wanted > 1) {
        *threads = ig_rank_threads((int)wanted, (int)*threads);
        IG_TRY(ig_rank_start((int)wanted, (int)*threads, err));
    } else {
        *threads = ig_ranks_threads((int)*threads);
        if (ig_ranks_launched_as() > 0)
            be_silent();
        IG_TRY(join(t, config, err));
        if (wanted > 1 && ig_ranks_n() > 1 && ig_ranks_n() != wanted && ig_ranks_self() == 0)
            return ig_fail(err, IG_ERR_USAGE, "ranks", 0,
                           "found %lld, expected %d as the launcher has started", (long long)wanted,
                           ig_ranks_n());
    }
    if (ig_ranks_n() == 1)
        return IG_ERR_OK;
    if (ig_ranks_self() > 0) {
        *served = true;
        if (ig_rank_serve((int)*threads, err) != IG_ERR_OK)
            ig_ranks_fail(err);
        return IG_ERR_OK;
    }
    ig_signals_answer(NULL);
    ig_log(IG_LOG_NORMAL, "%d ranks (%s)", ig_ranks_n(), ig_ranks_library());
    return IG_ERR_OK;
}

ig_code ig_ranked_started(const char *threads, ig_err *err)
{
    be_silent();
    if (ig_rank_started((int)strtol(threads, NULL, 10), err) != IG_ERR_OK)
        ig_ranks_fail(err);
    return IG_ERR_OK;
}

void ig_ranked_end(ig_code code)
{
    ig_ranks_leave(code);
}

bool ig_ranked_silent(const ig_command *c)
{
    if (c == NULL || !c->ranks || ig_ranks_launched_as() <= 0)
        return false;
    if (meets_others)
        return true;
    /* The launcher ends all when one ends: rank 0, which fails alike, has to say why before that.
     */
    nanosleep(&(struct timespec){.tv_sec = 10}, NULL);
    return false;
}
