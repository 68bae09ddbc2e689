/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed neighbours: the nearest words of words.
 */
#include "base/memory.h"

#include "apply/folder/manifest.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "corpus/read/whole_file.h"
#include "embed/search/neighbours.h"
#include "embed/vectors/fasttext_model.h"

#include <stdio.h>
#include <string.h>

enum { TOP_MAX = 1000 };

typedef struct {
    int64_t top, first, threads;
    int format;
    bool json, skip_bad;
    char *second;
} config;

static const ig_option options[] = {
    {IG_INT_AS(config, "top", top, "10", "K", 1, TOP_MAX, "neighbours of each word")},
    {IG_PATH(config, "second", second, "FILE",
             "neighbours from this file, of a language mapped into the same space")},
    {IG_INT(config, "first", first, "0", 0, 2e9,
            "read only the first N words of each file; 0: all")},
    {IG_FLAG(config, "skip-bad", skip_bad, NULL,
             "leave out damaged rows of vectors (another number of values, values that are not "
             "finite), count and name them; bad words are left out in any case")},
    {IG_ENUM(config, "format", format, "auto", ig_vec_format_names,
             "format of the file; auto: by its first bytes")},
    {IG_FLAG(config, "json", json, NULL,
             "print one JSON object: word to list of [neighbour, cosine]")},
    {IG_INT(config, "threads", threads, "0", 0, 1024, "threads; 0: all processors")},
};

/* The vectors of a file, and the whole model where it is one of fastText (else empty). */
static ig_code read_vectors(ig_vectors *v, ig_fasttext *m, const char *path, const config *c,
                            ig_team *team, ig_err *err)
{
    ig_whole file;
    *m = (ig_fasttext){0};
    *v = (ig_vectors){0};
    IG_TRY(ig_manifest_check(path, err));
    IG_TRY(ig_whole_open(&file, path, err));
    bool model = c->format == IG_VEC_FASTTEXT ||
                 (c->format == IG_VEC_AUTO && ig_fasttext_is_model(file.data, file.size));
    ig_code code;
    if (model) {
        code = ig_fasttext_parse(m, file.data, file.size, path, err);
        IG_THEN(code, ig_fasttext_vectors(v, m, c->first, err));
    } else {
        code = ig_vectors_parse(v, &(ig_vec_memory){file.data, file.size, path},
                                (ig_vec_how){(ig_vec_format)c->format, c->first, c->skip_bad}, team,
                                err);
    }
    ig_whole_close(&file);
    return code;
}

static ig_code read_second(ig_vectors *out, const config *c, int d, const char *first,
                           ig_team *team, ig_err *err)
{
    IG_TRY(ig_manifest_vectors(
        out, c->second, (ig_vec_how){(ig_vec_format)c->format, c->first, c->skip_bad}, team, err));
    if (out->d == d)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, c->second, 0,
            "found vectors of %d dimensions, expected %d as in %.120s", out->d, d, first);
    return ig_hint(err, "both files must be in one space: 'isoglot map' puts them there");
}

/* The known word that differs least, for the hint. */
static ig_code unknown(const ig_vectors *v, const char *word, const char *path, ig_err *err)
{
    const char **all;
    IG_TRY(ig_alloc(&all, v->n, sizeof *all, "words", err));
    for (int32_t i = 0; i < v->n; i++)
        all[i] = ig_lexicon_get(&v->words, i);
    ig_fail(err, IG_ERR_INPUT, path, 0, "has no vector for '%.60s'", word);
    const char *near = ig_nearest(word, all, v->n);
    if (near != NULL)
        ig_hint(err, "did you mean '%.60s'?", near);
    ig_free(all);
    return IG_ERR_INPUT;
}

typedef struct {
    const config *c;
    const char *path;
    ig_team *team;
    ig_vectors v, second; /* second: another language's, if it was given */
    ig_fasttext m;
    json_t *all;
} work;

/* Neighbours of a word of v, from v itself or from the second. */
static ig_code one_word(const work *w, const char *word, ig_err *err)
{
    const config *c = w->c;
    const ig_vectors *v = &w->v, *among = c->second != NULL ? &w->second : v;
    static ig_neighbour found[TOP_MAX];
    const int64_t size = (int64_t)strlen(word);
    const int32_t id = ig_lexicon_find(&v->words, word, size);
    int n;
    float *query = NULL;
    if (id < 0 && w->m.n_word == 0)
        return unknown(v, word, w->path, err);
    IG_TRY(ig_alloc(&query, v->d, sizeof *query, "vector", err));
    ig_code code = IG_ERR_OK;
    if (id >= 0)
        memcpy(query, ig_vectors_row(v, id), (size_t)v->d * sizeof *query);
    else
        code = ig_fasttext_vector(&w->m, word, size, query, err);
    IG_THEN(code,
            ig_neighbours(found, &n, among,
                          &(ig_neighbour_query){query, (int)c->top, among == v ? id : -1}, err));
    ig_err_at(err, word);
    ig_free(query);
    if (code != IG_ERR_OK)
        return code;
    json_t *list = json_array();
    if (!c->json)
        printf("%s\n", word);
    for (int i = 0; i < n; i++) {
        const char *text = ig_lexicon_get(&among->words, found[i].word);
        if (c->json)
            json_array_append_new(list, json_pack("[s, f]", text, found[i].cosine));
        else
            printf("  %.4f  %s\n", found[i].cosine, text);
    }
    json_object_set_new(w->all, word, list);
    return IG_ERR_OK;
}

static ig_code run_embed_neighbours(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    work w = {.c = c, .path = arg[0], .all = json_object()};
    ig_code code = ig_team_new(&w.team, (int)c->threads, err);
    IG_THEN(code, read_vectors(&w.v, &w.m, arg[0], c, w.team, err));
    if (code == IG_ERR_OK && c->second != NULL)
        code = read_second(&w.second, c, w.v.d, arg[0], w.team, err);
    for (int i = 1; i < n_arg && code == IG_ERR_OK; i++)
        code = one_word(&w, arg[i], err);
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(json_incref(w.all), err);
    json_decref(w.all);
    ig_fasttext_free(&w.m);
    ig_vectors_free(&w.second);
    ig_vectors_free(&w.v);
    ig_team_free(w.team);
    return code;
}

const ig_command ig_cmd_embed_neighbours = {
    .name = "embed neighbours",
    .summary = "print the nearest words of words",
    .args = "VECTORS WORD…",
    .min_arg = 2,
    .max_arg = -1,
    .details = "By cosine, from a file of vectors in any format (text with or without a header, "
               "word2vec's binary, a fastText model, which has vectors of unknown words, too). "
               "Example:\n"
               "  isoglot embed neighbours --top 5 eng.vec king water\n"
               "  isoglot embed neighbours eng.map.vec --second spa.map.vec king",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_neighbours,
};
