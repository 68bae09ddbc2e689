/* SPDX-License-Identifier: Apache-2.0
 *
 * Neighbours of a run's pieces, made once: see knn.h.
 */
#include "run/data/knn.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_dir.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/threads/wait_lock.h"
#include "embed/search/cross_neighbours.h"
#include "run/data/knn_space.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 64, TARGET = NAME + 16 };

typedef struct {
    const ig_knn_job *job;
    char folder[IG_PATH]; /* RUN/data/embed */
} maker;

static ig_code add_number(ig_sha256 *h, int64_t number, ig_err *err)
{
    return ig_sha256_add(h, &number, sizeof number, err);
}

/* The blocks of the languages and the pieces in them: what the ids of a table mean. */
static ig_code add_blocks(ig_sha256 *h, const maker *m, ig_err *err)
{
    IG_TRY(add_number(h, ig_corpus_n_language(m->job->corpus), err));
    for (int k = 0; k < ig_corpus_n_language(m->job->corpus); k++) {
        IG_TRY(add_number(h, ig_corpus_language(m->job->corpus, k)->first_id, err));
        IG_TRY(add_number(h, ig_corpus_language(m->job->corpus, k)->n_id, err));
    }
    for (int32_t i = 0; i < ig_corpus_vocab_size(m->job->corpus); i++)
        IG_TRY(ig_knn_hash_text(h, m->job->pieces[i], err));
    return IG_ERR_OK;
}

/* `space`: what stands for the vectors. */
static ig_code table_address(char address[IG_KNN_ADDRESS], const maker *m, const char *space,
                             ig_err *err)
{
    ig_sha256 *h;
    IG_TRY(ig_sha256_new(&h, err));
    ig_code code = ig_knn_hash_text(h, "isoglot neighbours 1", err);
    IG_THEN(code, ig_knn_hash_text(h, space, err));
    IG_THEN(code, add_number(h, m->job->objective->knn_replace, err));
    IG_THEN(code, add_number(h, m->job->objective->knn_candidates, err));
    IG_THEN(code, add_blocks(h, m, err));
    return ig_knn_hash_end(h, address, code, err);
}

/* Returns how often the nearest word is the right one, where the languages have a gold dictionary;
 * null. */
static json_t *gold(const maker *m, const ig_neighbour_table *t, int a, int b)
{
    int32_t *pairs;
    int64_t n, right = 0, n_query = 0;
    if (ig_corpus_gold_dictionary(m->job->corpus, a, b, &pairs, &n, NULL) != IG_ERR_OK)
        return json_null();
    const ig_language *from = ig_corpus_language(m->job->corpus, a),
                      *to = ig_corpus_language(m->job->corpus, b);
    /* A word with several translations is right when the nearest is any of them. */
    for (int64_t i = 0, end; i < n; i = end) {
        const int64_t row = t->first[a] + pairs[2 * i] - from->first_id;
        const bool known = row >= t->first[a] && row < t->first[a + 1];
        int64_t at = known ? t->start[row] : 0;
        const int64_t last = known ? t->start[row + 1] : 0;
        while (at < last && (t->id[at] < to->first_id || t->id[at] >= to->first_id + to->n_id))
            at++;
        bool found = false;
        for (end = i; end < n && pairs[2 * end] == pairs[2 * i]; end++)
            found = found || (at < last && t->id[at] == pairs[2 * end + 1]);
        n_query += at < last;
        right += found;
    }
    ig_free(pairs);
    return n_query > 0 ? json_real((double)right / (double)n_query) : json_null();
}

static json_t *about(const maker *m, const ig_neighbour_table *t, double covered, const char *space)
{
    json_t *p1 = json_array();
    for (int a = 0; a < t->n_language; a++)
        for (int b = 0; b < t->n_language; b++)
            if (a != b)
                json_array_append_new(p1,
                                      json_pack("{s:s, s:s, s:o}", "from",
                                                ig_corpus_language(m->job->corpus, a)->name, "to",
                                                ig_corpus_language(m->job->corpus, b)->name, "p1",
                                                gold(m, t, a, b)));
    return json_pack("{s:i, s:s, s:I, s:f, s:o}", "isoglot_neighbours", 1, "space", space, "k",
                     (json_int_t)m->job->objective->knn_replace, "covered", covered, "gold", p1);
}

/* The identity of the vectors in the table's address, and, in `make`, the vectors themselves. */
typedef struct {
    ig_knn_space of;
    char mapped[IG_SHA256_HEX]; /* address of the space, or hash of the file */
    char vectors[IG_RUN_MAX_LANGUAGE][IG_KNN_ADDRESS];
} space;

static ig_code name_space(space *s, const maker *m, ig_err *err)
{
    const ig_run_objective *o = m->job->objective;
    *s = (space){.of = {.corpus = m->job->corpus,
                        .pieces = m->job->pieces,
                        .folder = m->folder,
                        .team = m->job->team,
                        .dim = (int)o->knn_dim,
                        .epochs = (int)o->knn_epochs,
                        .min_count = o->knn_min_count}};
    return o->knn_vectors != NULL ? ig_sha256_file(s->mapped, o->knn_vectors, err)
                                  : ig_knn_space_address(s->mapped, s->vectors, &s->of, err);
}

static ig_code make_table(const maker *m, space *s, const char *path, const char *json_name,
                          ig_err *err)
{
    const ig_vectors *of[IG_RUN_MAX_LANGUAGE];
    ig_vectors v[IG_RUN_MAX_LANGUAGE] = {{{0}, 0, 0, NULL}};
    const ig_run_objective *o = m->job->objective;
    const bool given = o->knn_vectors != NULL;
    const int n_language = ig_corpus_n_language(m->job->corpus);
    ig_neighbour_table t = {0};
    double covered;
    ig_code code =
        given ? ig_manifest_vectors(&v[0], o->knn_vectors, (ig_vec_how){0}, m->job->team, err)
              : ig_knn_space_make(v, &s->of, s->mapped, s->vectors, err);
    for (int k = 0; k < n_language; k++)
        of[k] = &v[given ? 0 : k];
    const ig_cross_search search = {.corpus = m->job->corpus,
                                    .pieces = m->job->pieces,
                                    .space = of,
                                    .k = (int)o->knn_replace,
                                    .pooled = o->knn_candidates == IG_KNN_POOLED};
    IG_THEN(code, ig_cross_neighbours(&t, &covered, &search, m->job->team, err));
    if (code == IG_ERR_OK) {
        ig_log(IG_LOG_NORMAL, "neighbours: at least %.0f %% of a language's pieces have some",
               100 * covered);
        code = ig_folder_json_write(about(m, &t, covered, s->mapped), m->folder, json_name, 9, err);
    }
    IG_THEN(code, ig_neighbour_table_write(&t, path, err));
    ig_neighbour_table_free(&t);
    for (int k = 0; k < n_language; k++)
        ig_vectors_free(&v[k]);
    return code;
}

/* Makes the table of that name in the folder unless it is there. */
static ig_code provide(const maker *m, space *s, const char *name, ig_err *err)
{
    char path[IG_PATH], lock[IG_PATH], json_name[NAME];
    int fd;
    snprintf(json_name, sizeof json_name, "%.*sjson", (int)strlen(name) - 4, name);
    IG_TRY(ig_folder_path(path, m->folder, err, "%s", name));
    if (ig_file_exists(path))
        return IG_ERR_OK;
    IG_TRY(ig_dir_make(m->folder, err));
    IG_TRY(ig_folder_path(lock, m->folder, err, "lock"));
    IG_TRY(ig_wait_lock(&fd, lock, m->job->stop, "looks for neighbours", err));
    ig_code code = ig_run_dir_clean(m->folder, err);
    if (code == IG_ERR_OK && !ig_file_exists(path))
        code = make_table(m, s, path, json_name, err);
    close(fd);
    return code;
}

/* Links RUN/neighbours to the table, for resuming the run. */
static ig_code link_table(const maker *m, const char *link, ig_err *err)
{
    char address[IG_KNN_ADDRESS], name[NAME], target[NAME + 16];
    space s;
    IG_TRY(name_space(&s, m, err));
    IG_TRY(table_address(address, m, s.mapped, err));
    snprintf(name, sizeof name, "neighbours-%s.near", address);
    IG_TRY(provide(m, &s, name, err));
    snprintf(target, sizeof target, "data/embed/%s", name);
    if (symlink(target, link) != 0)
        return ig_fail(err, IG_ERR_IO, link, 0, "cannot link: %s", strerror(errno));
    return IG_ERR_OK;
}

ig_code ig_knn_table(ig_neighbour_table *out, const ig_knn_job *job, ig_err *err)
{
    maker m = {.job = job};
    char link[IG_PATH];
    *out = (ig_neighbour_table){0};
    IG_TRY(ig_folder_path(m.folder, job->run, err, "data/embed"));
    IG_TRY(ig_folder_path(link, job->run, err, "neighbours"));
    if (!ig_file_exists(link)) {
        unlink(link); /* a link whose table is gone */
        IG_TRY(link_table(&m, link, err));
    }
    IG_TRY(ig_neighbour_table_read(out, link, err));
    return ig_neighbour_table_check(out, job->corpus, link, err);
}

/* Adds the hash of RUN/data/embed/NAME, if that is there. */
static ig_code add_hash(json_t *to, const char *run, const char *name, ig_err *err)
{
    char path[IG_PATH], hex[IG_SHA256_HEX];
    IG_TRY(ig_folder_path(path, run, err, "data/embed/%s", name));
    if (!ig_file_exists(path))
        return IG_ERR_OK;
    IG_TRY(ig_sha256_file(hex, path, err));
    json_object_set_new(to, name, json_string(hex));
    return IG_ERR_OK;
}

/* RUN/data/embed/NAME.json; NULL: it cannot be read, which says nothing of the run. */
static json_t *read_about(const char *run, const char *name, int n)
{
    char path[IG_PATH];
    return ig_folder_path(path, run, NULL, "data/embed/%.*s.json", n, name) == IG_ERR_OK
               ? json_load_file(path, 0, NULL)
               : NULL;
}

/* Reads the properties of the mapped space of the table NAME.near, and its address; NULL: it is
 * from a file in the settings, or cannot be read. */
static json_t *read_mapping(char address[IG_KNN_ADDRESS], const char *run, const char *name)
{
    char file[NAME];
    json_t *about = read_about(run, name, (int)strlen(name) - 5), *mapping = NULL;
    const char *mapped = json_string_value(json_object_get(about, "space"));
    if (mapped != NULL && strlen(mapped) == IG_KNN_ADDRESS - 1) {
        memcpy(address, mapped, IG_KNN_ADDRESS);
        const int n = snprintf(file, sizeof file, "mapped-%s", mapped);
        mapping = read_about(run, file, n);
    }
    json_decref(about);
    return mapping;
}

/* Adds the sources of the table `name`, from the files beside it. */
static ig_code add_made_of(json_t *to, const char *run, const char *name, ig_err *err)
{
    char file[2 * NAME], mapped[IG_KNN_ADDRESS];
    json_auto_t *mapping = read_mapping(mapped, run, name);
    const json_t *vectors = json_object_get(mapping, "vectors"), *v;
    size_t k;
    json_array_foreach(vectors, k, v)
    {
        const char *address = json_string_value(v);
        snprintf(file, sizeof file, "vectors-%.40s.bin", address != NULL ? address : "");
        IG_TRY(add_hash(to, run, file, err));
    }
    for (int i = 0; i < IG_RUN_MAX_LANGUAGE && mapping != NULL; i++) {
        snprintf(file, sizeof file, "mapped-%s-%d.bin", mapped, i);
        IG_TRY(add_hash(to, run, file, err));
    }
    return IG_ERR_OK;
}

/* Where RUN/neighbours points; the name in it, below data/embed. NULL: the run has none. */
static const char *table_name(char target[TARGET], const char *run)
{
    char link[IG_PATH];
    if (ig_folder_path(link, run, NULL, "neighbours") != IG_ERR_OK)
        return NULL;
    const ssize_t n = readlink(link, target, TARGET - 1);
    if (n <= 0)
        return NULL;
    target[n] = '\0';
    const char *slash = strrchr(target, '/'), *name = slash != NULL ? slash + 1 : target;
    return strlen(name) > 5 ? name : NULL;
}

void ig_knn_warning(char *text, size_t size, const char *run)
{
    char target[TARGET], mapped[IG_KNN_ADDRESS];
    const json_t *map;
    size_t k;
    text[0] = '\0';
    const char *name = table_name(target, run);
    json_auto_t *mapping = name != NULL ? read_mapping(mapped, run, name) : NULL;
    json_array_foreach(json_object_get(mapping, "maps"), k, map)
    {
        const char *verdict = json_string_value(json_object_get(map, "verdict"));
        if (json_is_true(json_object_get(map, "degenerate")) && verdict != NULL && text[0] == '\0')
            snprintf(text, size, "neighbours: %s", verdict);
    }
}

ig_code ig_knn_json(json_t **out, const char *run, ig_err *err)
{
    char link[IG_PATH], target[TARGET], hex[IG_SHA256_HEX];
    *out = NULL;
    const char *name = table_name(target, run);
    if (name == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(link, run, err, "neighbours"));
    IG_TRY(ig_sha256_file(hex, link, err));
    json_t *made_of = json_object();
    const ig_code code = add_made_of(made_of, run, name, err);
    if (code != IG_ERR_OK)
        json_decref(made_of);
    else
        *out = json_pack("{s:s, s:s, s:o}", "path", target, "sha256", hex, "made_of", made_of);
    return code;
}
