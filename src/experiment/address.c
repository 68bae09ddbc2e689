/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of runs and of their data: the SHA-256 of the settings that affect them, as JSON with
 * sorted keys (experiment.h). Files are represented by their bytes on disk. An option with its
 * default is left out, so a program that gains an option still finds earlier runs; a default that
 * changes its meaning needs another ADDRESS_VERSION.
 */
#include "experiment/experiment.h"

#include "apply/folder/run_dir.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/named_files.h"
#include "base/sha256.h"
#include "base/strings/append.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ADDRESS_VERSION = 1 };

/* A file that was hashed: found again while it is the same file of the same size and time. */
typedef struct {
    char *path;
    struct stat is;
    char hex[IG_SHA256_HEX];
} known_file;

/* Several threads may use it at once: runs of a laboratory. */
struct ig_hash_cache {
    pthread_mutex_t lock;
    bool by_name;  /* files count by their last names; nothing is opened */
    json_t *plain; /* the default configuration; NULL: not made yet */
    known_file *file;
    int64_t capacity;
    int n;
};

ig_code ig_hash_cache_new(ig_hash_cache **c, ig_err *err)
{
    IG_TRY(ig_alloc(c, 1, sizeof **c, "hashes", err));
    pthread_mutex_init(&(*c)->lock, NULL);
    return IG_ERR_OK;
}

ig_code ig_hash_cache_new_by_name(ig_hash_cache **c, ig_err *err)
{
    IG_TRY(ig_hash_cache_new(c, err));
    (*c)->by_name = true;
    return IG_ERR_OK;
}

void ig_hash_cache_free(ig_hash_cache *c)
{
    for (int i = 0; c != NULL && i < c->n; i++)
        ig_free(c->file[i].path);
    if (c != NULL) {
        ig_free(c->file);
        json_decref(c->plain);
        pthread_mutex_destroy(&c->lock);
    }
    ig_free(c);
}

static bool unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Under the cache's lock. */
static ig_code hash_known(char hex[IG_SHA256_HEX], const char *path, ig_hash_cache *cache,
                          ig_err *err)
{
    struct stat now;
    known_file *f = NULL;
    if (stat(path, &now) != 0)
        return ig_folder_sha256(hex, path, err);
    for (int i = 0; i < cache->n && f == NULL; i++)
        if (strcmp(cache->file[i].path, path) == 0)
            f = &cache->file[i];
    if (f != NULL && unchanged(&f->is, &now)) {
        memcpy(hex, f->hex, IG_SHA256_HEX);
        return IG_ERR_OK;
    }
    IG_TRY(ig_folder_sha256(hex, path, err));
    if (f == NULL) {
        IG_TRY(ig_grow(&cache->file, &cache->capacity, cache->n + 1, sizeof *cache->file, "hashes",
                       err));
        f = &cache->file[cache->n];
        IG_TRY(ig_copy_text(&f->path, path, "hashes", err));
        cache->n++;
    }
    f->is = now;
    memcpy(f->hex, hex, IG_SHA256_HEX);
    return IG_ERR_OK;
}

ig_code ig_hash_cache_file(char hex[IG_SHA256_HEX], const char *path, ig_hash_cache *cache,
                           ig_err *err)
{
    if (cache == NULL)
        return ig_folder_sha256(hex, path, err);
    if (cache->by_name) {
        const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
        return ig_sha256_of(hex, name, (int64_t)strlen(name), err);
    }
    pthread_mutex_lock(&cache->lock);
    const ig_code code = hash_known(hex, path, cache, err);
    pthread_mutex_unlock(&cache->lock);
    return code;
}

/* {"NAME": hash, …} */
static ig_code hash_files(json_t **out, const ig_named_files *files, ig_hash_cache *cache,
                          ig_err *err)
{
    char hex[IG_SHA256_HEX];
    ig_code code = IG_ERR_OK;
    *out = json_object();
    for (int i = 0; i < files->n && code == IG_ERR_OK; i++) {
        code = ig_hash_cache_file(hex, files->file[i].path, cache, err);
        if (code == IG_ERR_OK)
            json_object_set_new(*out, files->file[i].name, json_string(hex));
    }
    if (code != IG_ERR_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}

/* Vocabulary and shards. */
static bool decides_data(int option, const ig_run_config *c)
{
    (void)c;
    return ig_run_options.row[option].part == IG_PART_DATA;
}

/* The default configuration, made once for a cache, the caller's; NULL: no memory. */
static json_t *plain_json(ig_hash_cache *cache, ig_err *err)
{
    ig_run_config plain = {0};
    json_t *j = NULL;
    if (cache != NULL)
        pthread_mutex_lock(&cache->lock);
    if (cache != NULL && cache->plain != NULL)
        j = json_deep_copy(cache->plain); /* counts of references are one thread's */
    else if (ig_options_default(&ig_run_options, &plain, err) == IG_ERR_OK)
        j = ig_options_json(&ig_run_options, &plain);
    ig_run_config_free(&plain);
    if (cache != NULL && cache->plain == NULL && j != NULL)
        cache->plain = json_deep_copy(j);
    if (cache != NULL)
        pthread_mutex_unlock(&cache->lock);
    return j;
}

/* Documents had 4096 sentences by default when addresses were first made. Pairs of documents whose
 * size follows the text are other runs; without pairs the default, whichever, changes nothing. */
static bool is_first_document(const ig_run_config *c)
{
    enum { first_default = 4096 };
    return c->objective.batching.document == first_default ||
           (c->objective.batching.document == 0 &&
            c->objective.batching.instances != IG_INSTANCES_PAIRS);
}

/* Accumulation took the mean of the micro-batches' means when addresses were first made. */
static bool is_first_accumulation(const ig_run_config *c)
{
    return c->optimisation.accum == 1 || c->accum_mean == IG_VARIANT_PAPER_CODE;
}

/* Returns whether the address leaves an option with this value out. */
static bool is_left_out(const char *key, const ig_run_config *c, const json_t *value,
                        const json_t *def)
{
    return strcmp(key, "document") == 0     ? is_first_document(c)
           : strcmp(key, "accum_mean") == 0 ? is_first_accumulation(c)
                                            : json_equal(value, def);
}

/* Returns whether a path stands for a run of the store, which its address says more of than its
 * bytes. */
static bool is_run(const char *path)
{
    char cell[IG_FROM_CELL];
    return strncmp(path, IG_FROM_RUN, sizeof IG_FROM_RUN - 1) == 0 || ig_run_from_cell(cell, path);
}

/* The options that `decides` names and that do not have their default. */
static ig_code canonical(json_t **out, const ig_run_config *c,
                         bool (*decides)(int, const ig_run_config *), ig_hash_cache *cache,
                         ig_err *err)
{
    char hex[IG_SHA256_HEX];
    ig_code code = IG_ERR_OK;
    json_t *all = ig_options_json(&ig_run_options, c);
    json_t *def = plain_json(cache, err);
    json_t *j = json_object();
    bool bad = all == NULL || def == NULL || j == NULL;
    for (int i = 0; i < ig_run_options.n && code == IG_ERR_OK && !bad; i++) {
        const ig_option *o = &ig_run_options.row[i];
        char key[64];
        if (!decides(i, c))
            continue;
        ig_option_key(key, sizeof key, o->name);
        json_t *v = json_object_get(all, key);
        if (is_left_out(key, c, v, json_object_get(def, key)))
            continue;
        /* The name of the model that it comes from stands for it. */
        if (cache != NULL && cache->by_name && c->model.parents_vocab && strcmp(key, "vocab") == 0)
            continue;
        if (cache != NULL && cache->by_name && c->model.parents_causal &&
            strcmp(key, "causal_share") == 0)
            continue;
        if (o->kind == IG_OPT_FILES && json_is_string(v)) {
            json_t *files;
            code = hash_files(&files, &c->data.named, cache, err);
            bad = code == IG_ERR_OK && json_object_set_new(j, key, files) != 0;
        } else if (o->kind == IG_OPT_PATH && json_is_string(v) && !is_run(json_string_value(v))) {
            code = ig_hash_cache_file(hex, json_string_value(v), cache, err);
            bad = code == IG_ERR_OK && json_object_set_new(j, key, json_string(hex)) != 0;
            /* Its bytes do not say how it cuts text. */
            if (code == IG_ERR_OK && c->tokens.vocab_folder && strcmp(key, "vocab") == 0)
                bad = json_object_set_new(j, key,
                                          json_sprintf("%s %016llx", hex,
                                                       (unsigned long long)c->tokens.rules)) != 0;
        } else
            bad = json_object_set(j, key, v) != 0;
    }
    /* Written out, as the BERT that it comes from does not count. */
    if (c->trainer != IG_TRAINER_BERT && decides == ig_run_option_counts && code == IG_ERR_OK)
        bad = json_object_set_new(j, "embed_dim", json_integer(ig_run_config_dim(c))) != 0 || bad;
    if (code == IG_ERR_OK && bad)
        code = ig_fail(err, IG_ERR_MEMORY, "", 0, "not enough memory for the address of a run");
    json_decref(all);
    json_decref(def);
    if (code != IG_ERR_OK) {
        json_decref(j);
        j = NULL;
    }
    *out = j;
    return code;
}

/* Computes the address of the JSON `j`, of that kind. */
static ig_code address_of(char out[IG_ADDRESS], const json_t *j, ig_err *err)
{
    char hex[IG_SHA256_HEX];
    char *text = ig_json_text(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "", 0, "not enough memory for the address of a run");
    ig_code code = ig_sha256_of(hex, text, (int64_t)strlen(text), err);
    free(text);
    if (code == IG_ERR_OK) {
        memcpy(out, hex, IG_ADDRESS - 1);
        out[IG_ADDRESS - 1] = '\0';
    }
    return code;
}

ig_code ig_run_address(char out[IG_ADDRESS], const ig_run_config *c, ig_hash_cache *cache,
                       ig_err *err)
{
    return ig_run_addresses((char(*)[IG_ADDRESS])out, c, &c->optimisation.seed, 1, cache, err);
}

ig_code ig_run_addresses(char (*out)[IG_ADDRESS], const ig_run_config *c, const int64_t *seed,
                         int n_seed, ig_hash_cache *cache, ig_err *err)
{
    json_auto_t *j = NULL;
    IG_TRY(canonical(&j, c, ig_run_option_counts, cache, err));
    json_object_set_new(j, "isoglot_run", json_integer(ADDRESS_VERSION));
    for (int i = 0; i < n_seed; i++) {
        /* 0 is the default, and a default is left out. */
        if (seed[i] == 0)
            json_object_del(j, "seed");
        else
            json_object_set_new(j, "seed", json_integer(seed[i]));
        IG_TRY(address_of(out[i], j, err));
    }
    return IG_ERR_OK;
}

ig_code ig_data_address(char out[IG_ADDRESS], const ig_run_config *c, ig_hash_cache *cache,
                        ig_err *err)
{
    json_auto_t *j = NULL;
    IG_TRY(canonical(&j, c, decides_data, cache, err));
    json_object_set_new(j, "isoglot_data", json_integer(ADDRESS_VERSION));
    /* One text for all languages does not depend on what they make of it. */
    if (ig_run_languages_have_texts(&c->languages)) {
        json_object_set_new(j, "languages", json_string(c->languages.spec));
        json_object_set_new(j, "transform_seed", json_integer(c->languages.transform_seed));
        /* Numbered otherwise: see number_records in language_text.c. */
        if (ig_run_objective_parallel(&c->objective))
            json_object_set_new(j, "parallel", json_true());
    }
    return address_of(out, j, err);
}
