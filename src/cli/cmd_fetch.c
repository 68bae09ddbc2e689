/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot fetch: public texts into the data root.
 */
#include "base/log.h"

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "cli/signals.h"
#include "fetch/data_root.h"
#include "fetch/fetch.h"

#include <stdio.h>

typedef struct {
    bool list, json;
    char *data, *catalogue;
    ig_fetch_options o;
} config;

static const ig_option options[] = {
    {IG_FLAG(config, "list", list, NULL,
             "list the catalogue (or the named entries), and what is already downloaded")},
    {IG_PATH(config, "data", data, "DIR",
             "data root; default: ISOGLOT_DATA, else isoglot in the user's data folder")},
    {IG_PATH(config, "catalogue", catalogue, "FILE",
             "further entries, which override built-in ones (docs/fetch.md)")},
    {IG_FLAG(config, "force", o.force, NULL,
             "download again, and overwrite files that fetch did not write")},
    {IG_FLAG(config, "keep", o.keep, NULL, "leave the downloads in DATA/fetched")},
    {IG_INT(config, "retries", o.retries, "4", 0, 20,
            "retries after an attempt that received nothing, 1, 2, 4, … seconds apart")},
    {IG_REAL_AS(config, "timeout", o.timeout, "30", "SECONDS", 1, 3600,
                "longest wait for a connection or the next byte")},
    {IG_INT_AS(config, "limit", o.limit, "4G", "BYTES", 1, 1e15,
               "most bytes of a download, and of what an archive unpacks to")},
    {IG_FLAG(config, "json", json, NULL, "print JSON")},
};

/* Returns the size of the downloads: "17.9 MB", "~227 MB" if the catalogue has only an approximate
 * one. */
static const char *size_text(char *out, size_t size, const ig_catalogue_entry *e)
{
    double bytes = 0;
    for (int i = 0; i < e->n_file; i++) {
        if (e->file[i].size < 0) {
            snprintf(out, size, "%s%s", e->approximate_size != NULL ? "~" : "",
                     e->approximate_size != NULL ? e->approximate_size : "not known");
            return out;
        }
        bytes += (double)e->file[i].size;
    }
    snprintf(out, size, "%.1f MB", bytes / 1e6);
    return out;
}

static ig_code list(const config *c, const ig_catalogue *all, const bool *chosen, const char *root,
                    ig_err *err)
{
    json_t *array = json_array();
    for (int i = 0; i < all->n; i++) {
        const ig_catalogue_entry *e = &all->entry[i];
        if (!chosen[i])
            continue;
        bool there = ig_fetch_is_there(e, root);
        if (c->json) {
            json_t *j = ig_catalogue_entry_json(e);
            json_object_set_new(j, "there", json_boolean(there));
            json_array_append_new(array, j);
        } else {
            char size[32];
            printf("%c %-26s %9s  %s (%s)\n", there ? '*' : ' ', e->name,
                   size_text(size, sizeof size, e), e->about, e->licence);
        }
    }
    if (c->json)
        return ig_json_print(json_pack("{s:s?, s:o}", "data",
                                       ig_data_root_is_none(root) ? NULL : root, "entries", array),
                             err);
    json_decref(array);
    if (!ig_data_root_is_none(root))
        printf("\n* is there, in %s. Sizes are of the downloads\n", root);
    return IG_ERR_OK;
}

static void print_results(const ig_fetch_result *r, const char *root)
{
    size_t i;
    const json_t *item;
    const json_t *results = json_object_get(r->record, "results");
    json_array_foreach(results, i, item)
    {
        const json_t *lines = json_object_get(item, "lines");
        const long long n = (long long)json_integer_value(lines);
        printf("%s/%s", root, json_string_value(json_object_get(item, "path")));
        if (lines != NULL)
            printf("  %lld line%s", n, ig_s(n));
        puts(r->already ? "  (was there)" : "");
    }
    fflush(stdout);
}

static ig_code fetch(const config *c, const ig_catalogue *all, const bool *chosen, const char *root,
                     ig_err *err)
{
    ig_signals_answer("\nstopping\n");
    ig_fetch_options o = c->o;
    o.wait = 1;
    o.stop = ig_signals_catch();
    json_t *array = json_array();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < all->n && code == IG_ERR_OK; i++) {
        const ig_catalogue_entry *e = &all->entry[i];
        ig_fetch_result r;
        if (!chosen[i])
            continue;
        code = ig_fetch(&r, e, root, &o, err);
        if (code != IG_ERR_OK)
            break;
        if (r.n_trusted > 0)
            ig_log(
                IG_LOG_NORMAL,
                "%s: the SHA-256 of %d file%s is not in the catalogue; taken as it came, recorded "
                "in %s/fetched/%s.json and expected from now on",
                e->name, r.n_trusted, ig_s(r.n_trusted), root, e->name);
        if (c->json) {
            json_t *j = json_copy(r.record);
            json_object_set_new(j, "already", json_boolean(r.already));
            json_array_append_new(array, j);
        } else {
            print_results(&r, root);
        }
        json_decref(r.record);
    }
    ig_signals_release();
    if (c->json && code == IG_ERR_OK)
        return ig_json_print(json_pack("{s:s, s:o}", "data", root, "entries", array), err);
    json_decref(array);
    return code;
}

static ig_code run_fetch(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    IG_SCOPED(ig_catalogue_free) ig_catalogue all = {0};
    IG_OWNED bool *chosen = NULL;
    IG_OWNED char *root = NULL;
    if (n_arg == 0 && !c->list) {
        ig_fail(err, IG_ERR_USAGE, "", 0, "found no name, expected at least one");
        return ig_hint(err, "isoglot fetch --list shows what there is");
    }
    IG_TRY(ig_catalogue_new(&all, err));
    if (c->catalogue != NULL)
        IG_TRY(ig_catalogue_read(&all, c->catalogue, err));
    IG_TRY((c->list ? ig_data_root_if_any : ig_data_root)(&root, c->data, err));
    IG_TRY(ig_alloc(&chosen, all.n, sizeof *chosen, "entries", err));
    for (int i = 0; i < n_arg; i++)
        IG_TRY(ig_catalogue_choose(chosen, &all, arg[i], err));
    for (int i = 0; i < all.n && n_arg == 0; i++)
        chosen[i] = true;
    return c->list ? list(c, &all, chosen, root, err) : fetch(c, &all, chosen, root, err);
}

const ig_command ig_cmd_fetch = {
    .name = "fetch",
    .summary = "download public texts that experiments use",
    .args = "NAME…",
    .max_arg = -1,
    .details =
        "Downloads the entries NAME (or a pattern: 'muse-*') of the catalogue, checks their "
        "SHA-256, unpacks them, converts them into isoglot's formats and stores them below the "
        "data root, where experiment files look for them. If stopped, the same command resumes. "
        "Proxies: https_proxy, no_proxy.\n"
        "  isoglot fetch --list\n"
        "  isoglot fetch bible-eng-bbe bible-eng-kjv --data ~/isoglot-data",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_fetch,
};
