/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetching one entry. Its record is written last, so an entry that was interrupted is fetched again
 * from where it was: complete downloads are checked and kept, a part is continued. A SHA-256 that
 * the catalogue does not know is taken from the first download and expected of every later one
 * (trust on first use); the record says which it was.
 */
#include "fetch/fetch.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "fetch/convert.h"
#include "fetch/unpack.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    const ig_catalogue_entry *e;
    const char *root;
    const ig_fetch_options *o;
    ig_pool pool;
    char *record_path, *pending_path, *work; /* pending: until the results are in place */
    json_t *old, *pending; /* the record of an earlier fetch, and of one that was cut off; NULL */
    char **download, **unpacked;
    ig_download_result *got;
    int n_trusted;          /* files whose SHA-256 was not known before */
    char **result, **final; /* [e->n_to] a file in work, and in its place */
    int64_t *n_line;
    json_t *record;
} job;

static int64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

/* A file of fetch's own. */
static ig_code format_path(char **out, job *j, const char *suffix, ig_err *err)
{
    size_t n = strlen(j->root) + strlen(j->e->name) + strlen(suffix) + sizeof "/fetched/";
    IG_TRY(ig_pool_alloc(&j->pool, out, (int64_t)n, 1, err));
    snprintf(*out, n, "%s/fetched/%s%s", j->root, j->e->name, suffix);
    return IG_ERR_OK;
}

/* Makes the folder that a file is in. */
static ig_code make_folder_of(char *path, ig_err *err)
{
    char *slash = strrchr(path, '/');
    *slash = '\0';
    ig_code code = ig_dir_make(path, err);
    *slash = '/';
    return code;
}

/* Returns whether each file of the record has an address and a SHA-256. */
static bool has_pins(const json_t *record)
{
    size_t i;
    const json_t *item;
    const json_t *files = json_object_get(record, "files");
    json_array_foreach(files, i, item)
    {
        const char *sum = json_string_value(json_object_get(item, "sha256"));
        if (sum == NULL || strlen(sum) != IG_SHA256_HEX - 1 ||
            strspn(sum, "0123456789abcdef") != IG_SHA256_HEX - 1 ||
            !json_is_string(json_object_get(item, "url")))
            return false;
    }
    return json_is_array(files);
}

/* The record of an earlier fetch, *record NULL where there was none. A damaged one is an error
 * where the first fetch's SHA-256 is known from nowhere else: without it any file would be taken.
 */
static ig_code read_old(json_t **record, const ig_catalogue_entry *e, const char *path, ig_err *err)
{
    bool pinned = true;
    *record = NULL;
    for (int i = 0; i < e->n_file; i++)
        pinned = pinned && e->file[i].sha256[0] != '\0';
    if (!ig_file_exists(path))
        return IG_ERR_OK;
    ig_code code = ig_json_read(record, path, err);
    if (code == IG_ERR_OK && !has_pins(*record))
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "no address and SHA-256 of each file, expected those of the first fetch");
    if (code == IG_ERR_OK || (pinned && code == IG_ERR_INPUT))
        return IG_ERR_OK;
    json_decref(*record);
    *record = NULL;
    if (code == IG_ERR_INPUT)
        ig_hint(err, "put it back from a copy; without it the next download is trusted unseen");
    return code;
}

/* Returns the entry of the record with this `key` in `files` or `results`; NULL: none. */
static const json_t *recorded(const json_t *record, const char *list, const char *key,
                              const char *is)
{
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(record, list), i, item)
    {
        const char *text = json_string_value(json_object_get(item, key));
        if (text != NULL && strcmp(text, is) == 0)
            return item;
    }
    return NULL;
}

static const char *sha256_of(const json_t *file)
{
    return json_string_value(json_object_get(file, "sha256"));
}

/* Returns the recorded SHA-256 of a result; NULL: none, or the file has another size. */
static const char *result_sha256(const json_t *record, const char *to, const char *path)
{
    const json_t *r = recorded(record, "results", "path", to);
    const int64_t size = size_of(path);
    return size >= 0 && json_integer_value(json_object_get(r, "size")) == size ? sha256_of(r)
                                                                               : NULL;
}

bool ig_fetch_is_there(const ig_catalogue_entry *e, const char *root)
{
    job j = {.e = e, .root = root};
    json_auto_t *record = NULL;
    bool there = format_path(&j.record_path, &j, ".json", NULL) == IG_ERR_OK &&
                 ig_json_read(&record, j.record_path, NULL) == IG_ERR_OK;
    for (int i = 0; i < e->n_to && there; i++) {
        char *path = NULL;
        there = ig_path_join(&path, root, e->to[i], NULL) == IG_ERR_OK &&
                result_sha256(record, e->to[i], path) != NULL;
        ig_free(path);
    }
    ig_pool_free(&j.pool);
    return there;
}

/* --- what is there already
 * --------------------------------------------------------------------------- */

/* *all: every result is as recorded, to the byte. Any other file is the user's, or was changed, and
 * is overwritten only with --force. */
static ig_code look(const job *j, bool *all, ig_err *err)
{
    *all = true;
    for (int i = 0; i < j->e->n_to; i++) {
        const char *want = result_sha256(j->old, j->e->to[i], j->final[i]),
                   *pending = result_sha256(j->pending, j->e->to[i], j->final[i]);
        char got[IG_SHA256_HEX] = "";
        if (want != NULL || pending != NULL)
            IG_TRY(ig_sha256_file(got, j->final[i], err));
        const bool same = want != NULL && strcmp(want, got) == 0,
                   ours = same || (pending != NULL && strcmp(pending, got) == 0);
        *all = *all && same;
        if (!ours && ig_file_exists(j->final[i]) && !j->o->force) {
            ig_fail(err, IG_ERR_USAGE, j->final[i], 0,
                    "is there, and is not as 'isoglot fetch %s' wrote it", j->e->name);
            return ig_hint(err, "--force overwrites it");
        }
    }
    *all = *all && !j->o->force;
    return IG_ERR_OK;
}

/* --- downloads
 * ---------------------------------------------------------------------------------------- */

/* Not encrypted, from elsewhere, and nothing to hold it to: whoever is on the way could change it.
 */
static ig_code check_address(const ig_catalogue_file *f, ig_err *err)
{
    if (f->sha256[0] != '\0' || ig_address_is_safe(f->url))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_USAGE, f->url, 0, "is not encrypted and has no SHA-256 to hold it to");
    return ig_hint(err, "give it a sha256 in the catalogue, or an https:// address");
}

static ig_code get_file(job *j, int i, ig_err *err)
{
    const ig_catalogue_file *f = &j->e->file[i];
    const json_t *known = j->old != NULL ? j->old : j->pending;
    const char *first = sha256_of(recorded(known, "files", "url", f->url));
    ig_download_options d = {.size = f->size,
                             .sha256 = f->sha256[0] != '\0' ? f->sha256 : first,
                             .open = f->sha256[0] != '\0',
                             .limit = j->o->limit,
                             .retries = j->o->retries,
                             .timeout = j->o->timeout,
                             .wait = j->o->wait,
                             .stop = j->o->stop};
    j->n_trusted += d.sha256 == NULL;
    IG_TRY(check_address(f, err));
    /* Complete since an interrupted fetch, if that can be checked. */
    if (d.sha256 != NULL && size_of(j->download[i]) >= 0) {
        IG_TRY(ig_sha256_file(j->got[i].sha256, j->download[i], err));
        j->got[i].size = size_of(j->download[i]);
        if (strcmp(j->got[i].sha256, d.sha256) == 0)
            return IG_ERR_OK;
    }
    ig_log(IG_LOG_VERBOSE, "getting %s", f->url);
    ig_code code = ig_download(&j->got[i], f->url, j->download[i], &d, err);
    if (code == IG_ERR_INPUT && f->sha256[0] == '\0' && first != NULL)
        ig_hint(err, "it is not the file of the first fetch; if that is right, remove %.150s",
                j->record_path);
    return code;
}

/* --- from downloads to results
 * ------------------------------------------------------------------------ */

static ig_code convert(job *j, ig_err *err)
{
    const ig_catalogue_entry *e = j->e;
    char *const *in = j->download;
    int n_in = e->n_file;
    IG_TRY(ig_dir_remove(j->work, err));
    IG_TRY(ig_dir_make(j->work, err));
    if (e->n_member > 0) {
        /* Text compresses to a tenth or so; a hundredth is no text. */
        int64_t limit =
            j->got[0].size > INT64_MAX / 200 ? INT64_MAX : 100 * j->got[0].size + (64 << 20);
        IG_TRY(ig_unpack(j->download[0], e->member, j->unpacked, e->n_member,
                         limit < j->o->limit ? limit : j->o->limit, err));
        in = j->unpacked;
        n_in = e->n_member;
    }
    return ig_convert(
        j->n_line,
        &(ig_conversion){e->convert, in, n_in, e->language, e->n_language, j->result, j->e->n_to},
        err);
}

static json_t *make_record(job *j, ig_err *err)
{
    json_t *files = json_array(), *results = json_array();
    char date[32] = "";
    time_t now = time(NULL);
    struct tm t;
    if (gmtime_r(&now, &t) != NULL)
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &t);
    for (int i = 0; i < j->e->n_file; i++)
        json_array_append_new(
            files, json_pack("{s:s, s:I, s:s, s:s, s:s}", "url", j->e->file[i].url, "size",
                             (json_int_t)j->got[i].size, "sha256", j->got[i].sha256, "sha256_from",
                             j->e->file[i].sha256[0] != '\0' ? "catalogue" : "first fetch", "etag",
                             j->got[i].etag));
    for (int i = 0; i < j->e->n_to; i++) {
        char sum[IG_SHA256_HEX];
        if (ig_sha256_file(sum, j->result[i], err) != IG_ERR_OK)
            break;
        json_t *lines = j->n_line[i] >= 0 ? json_integer((json_int_t)j->n_line[i]) : NULL;
        json_array_append_new(results, json_pack("{s:s, s:I, s:s, s:o*}", "path", j->e->to[i],
                                                 "size", (json_int_t)size_of(j->result[i]),
                                                 "sha256", sum, "lines", lines));
    }
    if (json_array_size(results) != (size_t)j->e->n_to) {
        json_decref(files);
        json_decref(results);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "name", j->e->name, "about",
                     j->e->about, "licence", j->e->licence, "fetched", date, "convert",
                     ig_convert_names[j->e->convert], "files", files, "results", results);
}

/* The record is written before the results get their names, so that a full disk or a kill between
 * them leaves files that the next fetch knows for its own. */
static ig_code put_in_place(job *j, ig_err *err)
{
    IG_TRY(ig_json_write(json_incref(j->record), j->pending_path, 17, err));
    for (int i = 0; i < j->e->n_to; i++) {
        IG_TRY(make_folder_of(j->final[i], err));
        IG_TRY(ig_rename(j->result[i], j->final[i], err));
    }
    return ig_rename(j->pending_path, j->record_path, err);
}

/* --- the whole
 * -------------------------------------------------------------------------------------------- */

static ig_code make_paths(job *j, ig_err *err)
{
    const ig_catalogue_entry *e = j->e;
    char suffix[64];
    IG_TRY(format_path(&j->record_path, j, ".json", err));
    IG_TRY(format_path(&j->pending_path, j, ".json.new", err));
    IG_TRY(format_path(&j->work, j, ".work", err));
    IG_TRY(ig_pool_alloc(&j->pool, &j->download, e->n_file, sizeof(char *), err));
    IG_TRY(ig_pool_alloc(&j->pool, &j->got, e->n_file, sizeof *j->got, err));
    IG_TRY(ig_pool_alloc(&j->pool, &j->unpacked, e->n_member, sizeof(char *), err));
    IG_TRY(ig_pool_alloc(&j->pool, &j->result, j->e->n_to, sizeof(char *), err));
    IG_TRY(ig_pool_alloc(&j->pool, &j->final, j->e->n_to, sizeof(char *), err));
    IG_TRY(ig_pool_alloc(&j->pool, &j->n_line, j->e->n_to, sizeof *j->n_line, err));
    for (int i = 0; i < e->n_file; i++) {
        snprintf(suffix, sizeof suffix, ".%d", i);
        IG_TRY(format_path(&j->download[i], j, suffix, err));
    }
    for (int i = 0; i < e->n_member; i++) {
        snprintf(suffix, sizeof suffix, ".work/in-%d", i);
        IG_TRY(format_path(&j->unpacked[i], j, suffix, err));
    }
    for (int i = 0; i < j->e->n_to; i++) {
        IG_TRY(ig_path_join(&j->final[i], j->root, j->e->to[i], err));
        const char *dot = strrchr(j->e->to[i], '.'); /* its suffix says how it is compressed */
        bool suffixed = dot != NULL && strchr(dot, '/') == NULL && strlen(dot) < 20;
        snprintf(suffix, sizeof suffix, ".work/out-%d%s", i, suffixed ? dot : "");
        IG_TRY(format_path(&j->result[i], j, suffix, err));
    }
    return IG_ERR_OK;
}

static void free_job(job *j)
{
    for (int i = 0; j->final != NULL && i < j->e->n_to; i++)
        ig_free(j->final[i]);
    ig_pool_free(&j->pool);
    json_decref(j->old);
    json_decref(j->pending);
    json_decref(j->record);
}

static ig_code fetch(job *j, ig_fetch_result *r, ig_err *err)
{
    IG_TRY(make_folder_of(j->record_path, err));
    for (int i = 0; i < j->e->n_file; i++)
        IG_TRY(get_file(j, i, err));
    ig_code code = convert(j, err);
    if (code == IG_ERR_OK && (j->record = make_record(j, err)) == NULL)
        code =
            ig_fail(err, IG_ERR_IO, j->record_path, 0, "cannot make the record of what is there");
    IG_THEN(code, put_in_place(j, err));
    ig_err ignored;
    ig_dir_remove(j->work, &ignored);
    /* A file that cannot be read would be found again the next time. */
    for (int i = 0; i < j->e->n_file && (!j->o->keep || code == IG_ERR_INPUT); i++)
        if (code == IG_ERR_OK || code == IG_ERR_INPUT)
            unlink(j->download[i]);
    r->n_trusted = j->n_trusted;
    return code;
}

ig_code ig_fetch(ig_fetch_result *r, const ig_catalogue_entry *e, const char *root,
                 const ig_fetch_options *o, ig_err *err)
{
    IG_SCOPED(free_job) job j = {.e = e, .root = root, .o = o};
    *r = (ig_fetch_result){0};
    IG_TRY(make_paths(&j, err));
    IG_TRY(read_old(&j.old, e, j.record_path, err));
    if (ig_json_read(&j.pending, j.pending_path, NULL) != IG_ERR_OK)
        j.pending = NULL;
    IG_TRY(look(&j, &r->already, err));
    if (!r->already)
        IG_TRY(fetch(&j, r, err));
    r->record = json_incref(r->already ? j.old : j.record);
    return IG_ERR_OK;
}
