/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares two runs, which must be the same but for the seed. Every key of their configurations and
 * manifests must be the same, with these exceptions (docs/report.md gives the reasons):
 *   - keys that differ with the seed, or say how, where and when a run was made;
 *   - paths of texts, whose bytes the manifest's data speaks for;
 *   - the build, compiler, processor and kernels of the program: the same computation but for
 *     rounding. These are reported in a note.
 * A key that this program does not know is not an exception.
 */
#include "base/file.h"
#include "base/settings/json_text.h"
#include "report/results/results_internal.h"

#include <stdio.h>
#include <string.h>

/* Keys of the configuration that may differ: the seed, and what only says how a run is run, kept
 * and shown. */
static const char *const config_exceptions[] = {
    "seed",       "out",        "config",          "threads",   "max_time",
    "save_every", "keep",       "save_log_spaced", "log_every", "eval_layers",
    "eval",       "eval_every", "dry_run",         "json",      NULL};
/* Files whose contents are in the manifest's data. */
static const char *const config_paths[] = {"text", "dev_text", "vocab", NULL};

/* Keys of the manifest that may differ, with all keys below them. `program` is compared separately,
 * as is `config`. In `measure`, further measurements are no difference; another text, or an edit,
 * under the name of one that both were measured on is: `text` has a digest of each. */
static const char *const manifest_exceptions[] = {"address",       "seed",
                                                  "config",        "files",
                                                  "host",          "threads",
                                                  "time",          "peak_memory",
                                                  "model",         "training",
                                                  "tokens",        "sequences",
                                                  "went_on_from",  "program",
                                                  "measure.what",  "measure.layers",
                                                  "measure.steps", "measure.kept",
                                                  "measure.pairs", "measure.missing",
                                                  "measure.edits", "measure.curve",
                                                  "vectors",       "words",
                                                  "neighbours",    NULL};

static bool listed(const char *const *list, const char *key)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, key) == 0)
            return true;
    return false;
}

ig_code ig_result_origin_read(ig_result_origin *o, const ig_store_run *r, ig_err *err)
{
    const char *const text[] = {r->config, r->manifest}, *const what[] = {"config", "manifest"};
    json_t **const to[] = {&o->config, &o->manifest};
    *o = (ig_result_origin){0};
    for (int i = 0; i < 2; i++) {
        json_error_t why;
        if (text[i] == NULL)
            continue;
        const ig_code code = ig_json_load(to[i], text[i], (int64_t)strlen(text[i]),
                                          JSON_REJECT_DUPLICATES, &why, "store", err);
        if (code != IG_ERR_OK && code != IG_ERR_INPUT) {
            ig_result_origin_free(o);
            return code;
        }
        if (!json_is_object(*to[i])) {
            const char *said = *to[i] == NULL ? why.text : "found no object";
            ig_result_origin_free(o);
            return ig_fail(err, IG_ERR_INPUT, "store", 0, "the %s of run %.16s is not JSON: %s",
                           what[i], r->address, said);
        }
    }
    return IG_ERR_OK;
}

void ig_result_origin_free(ig_result_origin *o)
{
    json_decref(o->config);
    json_decref(o->manifest);
    *o = (ig_result_origin){0};
}

/* --- a quick look ------------------------------------------------------------------------------
 */

/* Skips the string that begins at p; NULL: it has no end. */
static const char *skip_string(const char *p)
{
    for (p++; *p != '\0' && *p != '"'; p++)
        if (*p == '\\' && *++p == '\0')
            return NULL;
    return *p == '"' ? p + 1 : NULL;
}

/* Skips the value that begins at p up to the comma or bracket that follows it outside its own
 * brackets. */
static const char *skip_value(const char *p)
{
    for (int depth = 0; p != NULL && *p != '\0';) {
        if (depth == 0 && (*p == ',' || *p == '}' || *p == ']'))
            return p;
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += *p == '{' || *p == '[';
        depth -= *p == '}' || *p == ']';
        p++;
    }
    return NULL;
}

/* Hashes the members of an object whose keys are listed, or are not (wanted), as they are written.
 * The text of the member "program" goes to *program instead, where that is requested. */
static bool print_members(uint64_t *same, uint64_t *program, const char *text,
                          const char *const *list, bool wanted)
{
    const char *p = text;
    if (p == NULL || *p != '{')
        return p == NULL;
    for (p++; *p != '}'; p += *p == ',') {
        char key[40];
        p += strspn(p, " \n");
        const char *end = *p == '"' ? skip_string(p) : NULL;
        if (end == NULL || *end != ':' || end - p > (ptrdiff_t)sizeof key)
            return false;
        const size_t n = (size_t)(end - p) - 2;
        memcpy(key, p + 1, n);
        key[n] = '\0';
        const char *after = skip_value(end + 1);
        if (after == NULL || *after == ']')
            return false;
        if (program != NULL && strcmp(key, "program") == 0)
            *program = ig_hash(end, after - end, *program);
        else if (listed(list, key) == wanted)
            *same = ig_hash(p, after - p, *same);
        p = after;
    }
    return p[1] == '\0';
}

bool ig_result_print_of(ig_result_print *p, const ig_store_run *r)
{
    *p = (ig_result_print){1, 1, 1};
    if (!print_members(&p->same, NULL, r->config, config_exceptions, false) ||
        !print_members(&p->manifest, &p->program, r->manifest, manifest_exceptions, false))
        return false;
    p->same = ig_hash(&p->manifest, sizeof p->manifest, p->same);
    return true;
}

bool ig_result_print_keys(uint64_t *print, const char *text, const char *const *keys)
{
    *print = 1;
    return text != NULL && print_members(print, NULL, text, keys, true);
}

/* --- in full ---------------------------------------------------------------------------------- */

typedef struct {
    ig_result_differs *report;
    void *arg;
    const char *name; /* put before a key */
    const char *const *exceptions, *const *more;
    const char *without_effect; /* a key without effect in these runs; NULL: none */
} comparison;

static void compare(const comparison *c, const char *prefix, const json_t *a, const json_t *b);

/* One key; x or y NULL: not there. */
static void compare_key(const comparison *c, const char *prefix, const char *key, const json_t *x,
                        const json_t *y)
{
    char path[160];
    snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", key);
    if (listed(c->exceptions, path) || (c->more != NULL && listed(c->more, path)) ||
        (c->without_effect != NULL && strcmp(c->without_effect, path) == 0))
        return;
    /* Earlier records do not tell how many examples were read. */
    if ((strncmp(path, "measure.text", 12) == 0 || strncmp(path, "measure.tasks", 13) == 0 ||
         strncmp(path, "examples", 8) == 0) &&
        (x == NULL || y == NULL))
        return;
    if (json_is_object(x) && json_is_object(y))
        compare(c, path, x, y);
    else if (x == NULL || y == NULL || !json_equal(x, y)) {
        char whole[180];
        snprintf(whole, sizeof whole, "%s%s", c->name, path);
        c->report(c->arg, whole, x, y);
    }
}

static void compare(const comparison *c, const char *prefix, const json_t *a, const json_t *b)
{
    const char *key;
    json_t *x;
    /* The macro wants objects it could change; it only reads. */
    json_object_foreach((json_t *)(uintptr_t)a, key, x)
        compare_key(c, prefix, key, x, json_object_get(b, key));
    json_object_foreach((json_t *)(uintptr_t)b, key, x)
    {
        if (json_object_get(a, key) == NULL)
            compare_key(c, prefix, key, NULL, x);
    }
}

/* Returns whether a run's sequences are pairs; only then its documents count, whose default was
 * another. */
static bool has_pairs(const json_t *config)
{
    const char *instances = json_string_value(json_object_get(config, "instances"));
    return instances != NULL && strcmp(instances, "pairs") == 0;
}

void ig_result_origin_differ(const ig_result_origin *a, const ig_result_origin *b,
                             ig_result_differs *report, void *arg)
{
    const json_t *da = json_object_get(a->manifest, "data"),
                 *db = json_object_get(b->manifest, "data");
    const json_t *ca = a->config != NULL ? a->config : json_object_get(a->manifest, "config"),
                 *cb = b->config != NULL ? b->config : json_object_get(b->manifest, "config");
    const comparison config = {report,
                               arg,
                               "config.",
                               config_exceptions,
                               json_is_object(da) && json_is_object(db) ? config_paths : NULL,
                               has_pairs(ca) || has_pairs(cb) ? NULL : "document"};
    const comparison manifest = {report, arg, "", manifest_exceptions, NULL, NULL};
    if (ca != NULL && cb != NULL)
        compare(&config, "", ca, cb);
    if (a->manifest == NULL || b->manifest == NULL) {
        if (a->manifest != b->manifest)
            report(arg, "manifest", NULL, NULL);
        return;
    }
    compare(&manifest, "", a->manifest, b->manifest);
    if (strcmp(ig_result_origin_program(a, "version"), ig_result_origin_program(b, "version")) != 0)
        report(arg, "program.version",
               json_object_get(json_object_get(a->manifest, "program"), "version"),
               json_object_get(json_object_get(b->manifest, "program"), "version"));
}

int ig_result_origin_layers(const ig_result_origin *o)
{
    const json_t *from_model = json_object_get(o->manifest, "layers"),
                 *recorded = json_object_get(o->config, "layers");
    if (json_integer_value(from_model) > 0 && json_integer_value(from_model) < 1000)
        return (int)json_integer_value(from_model);
    if (json_integer_value(recorded) > 0 && json_integer_value(recorded) < 1000)
        return (int)json_integer_value(recorded);
    return -1;
}

const char *ig_result_origin_program(const ig_result_origin *o, const char *path)
{
    char key[64];
    const int n = (int)strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", n, path);
    const json_t *at = json_object_get(json_object_get(o->manifest, "program"), key);
    if (path[n] == '.')
        at = json_object_get(at, path + n + 1);
    return json_is_string(at) ? json_string_value(at) : "";
}
