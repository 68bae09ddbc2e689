/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot bli, embed neighbours: word translation by two mapped spaces against a dictionary; the
 * nearest words of words.
 */
#include "apply/folder/manifest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/settings/json_text.h"
#include "cli/align/vector_options.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "corpus/read/whole_file.h"
#include "embed/search/bli.h"
#include "embed/search/neighbours.h"
#include "embed/vectors/fasttext_model.h"

#include <stdio.h>
#include <string.h>

/* --- bli -------------------------------------------------------------------------------------- */

enum { RETRIEVAL_ALL = IG_RETRIEVE_N };

typedef struct {
    char *dictionary, *answers;
    ig_bli_options o;
    int retrieval, candidates, top, threads;
    ig_vec_how how;
    bool lowercase, json;
} bli_config;

static const char *const retrieval_names[] = {"nn", "softmax", "csls", "all", NULL};
static const char *const candidate_names[] = {"all", "dictionary", NULL};
static const char *const titles[] = {"nearest neighbour", "inverted softmax", "CSLS"};

static const ig_option bli_options[] = {
    {IG_PATH(bli_config, "dictionary", dictionary, "FILE",
             "pairs of words, source first, a pair a line (as MUSE's)")},
    {IG_ENUM(bli_config, "retrieval", retrieval, "all", retrieval_names,
             "criterion: cosine, inverted softmax, CSLS, or all three")},
    {IG_INT_AS(bli_config, "csls-k", o.csls_k, "10", "K", 1, 1000, "neighbours of CSLS")},
    {IG_REAL(bli_config, "beta", o.beta, "30", 1e-3, 1e4,
             "inverse temperature of the inverted softmax")},
    {IG_ENUM(bli_config, "candidates", candidates, "all", candidate_names,
             "answers: all words of TARGET, or those in the dictionary (Liu et al. 2020)")},
    {IG_FLAG(bli_config, "lowercase", lowercase, NULL, "make the dictionary's words lower case")},
    IG_VECTOR_OPTIONS(bli_config, how, "200000", NULL),
    {IG_PATH(bli_config, "answers", answers, "FILE",
             "write a line for each word there: criterion, word, rank, right answers, answers, "
             "with tabs between; a blank between several answers of a column")},
    {IG_INT(bli_config, "top", top, "5", 1, 1000, "how many answers to write")},
    {IG_FLAG(bli_config, "json", json, NULL, "print a JSON object")},
    {IG_INT(bli_config, "threads", threads, "0", 0, 1024,
            "threads; 0: all processors; the result is the same")},
};

typedef struct {
    const bli_config *c;
    ig_team *team;
    ig_vectors v[2];
    ig_dictionary d;
    ig_dictionary_rows rows;
    ig_bli_result result;
} job;

static void job_free(job *j)
{
    ig_bli_free(&j->result);
    ig_dictionary_rows_free(&j->rows);
    ig_dictionary_free(&j->d);
    ig_vectors_free(&j->v[0]);
    ig_vectors_free(&j->v[1]);
    ig_team_free(j->team);
}

static ig_code check_space(const ig_vectors *v, const char *path, const ig_vectors *first,
                           const char *first_path, ig_err *err)
{
    if (v->d == first->d)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, path, 0, "found vectors of %d dimensions, expected %d as in %.120s",
            v->d, first->d, first_path);
    return ig_hint(err, "both files must be in one space: 'isoglot map' puts them there");
}

static ig_code compute(job *j, char *const *arg, ig_err *err)
{
    const bli_config *c = j->c;
    ig_bli_options o = c->o;
    o.dictionary_candidates = c->candidates == 1;
    o.n_answer = c->answers != NULL ? c->top : 0;
    for (int m = 0; m < IG_RETRIEVE_N; m++)
        o.method[m] = c->retrieval == RETRIEVAL_ALL || c->retrieval == m;
    if (c->dictionary == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--dictionary", 0,
                       "not given, expected a file of word pairs");
    IG_TRY(ig_out_try(c->answers, err));
    IG_TRY(ig_dictionary_read(&j->d, c->dictionary, c->lowercase, err));
    IG_TRY(ig_team_new(&j->team, c->threads, err));
    for (int s = 0; s < 2; s++) {
        IG_TRY(ig_manifest_vectors(&j->v[s], arg[s], c->how, j->team, err));
        IG_TRY(ig_unit_rows(j->v[s].x, j->v[s].n, j->v[s].d, arg[s], err));
    }
    IG_TRY(check_space(&j->v[1], arg[1], &j->v[0], arg[0], err));
    IG_TRY(ig_dictionary_find(&j->rows, &j->d, &j->v[0].words, &j->v[1].words, err));
    const ig_vector_work with = {j->v[0].d, ig_ops_best(), j->team};
    ig_code code = ig_bli(&j->result, j->v, &j->rows, &o, with, err);
    ig_err_at(err, c->dictionary);
    if (code == IG_ERR_INPUT && j->rows.n_pair == 0)
        ig_hint(err, "is it the other way round, or in another case (--lowercase)?");
    return code;
}

static ig_code print_json(const job *j, char *const *arg, ig_err *err)
{
    const ig_dictionary_rows *r = &j->rows;
    const ig_bli_result *b = &j->result;
    json_t *scores = json_object();
    for (int m = 0; m < IG_RETRIEVE_N; m++)
        if (b->of[m].rank != NULL)
            json_object_set_new(
                scores, ig_retrieve_method_names[m],
                json_pack("{s:o, s:o, s:o, s:o}", "p@1", ig_json_number(b->of[m].p[0]), "p@5",
                          ig_json_number(b->of[m].p[1]), "p@10", ig_json_number(b->of[m].p[2]),
                          "mrr", ig_json_number(b->of[m].mrr)));
    return ig_json_print(
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:{s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I}, "
                  "s:s, s:I, s:I, s:f, s:o}",
                  "source", arg[0], "target", arg[1], "dictionary", j->c->dictionary, "n_source",
                  j->v[0].n, "n_target", j->v[1].n, "dim", j->v[0].d, "coverage", "pairs",
                  (json_int_t)r->n_pair, "all_pairs", (json_int_t)r->all_pair, "source_words",
                  (json_int_t)r->n_query, "all_source_words", (json_int_t)r->all_query, "share",
                  (double)r->n_query / (double)r->all_query, "without_source_vector",
                  (json_int_t)r->unknown_source, "without_target_vector",
                  (json_int_t)r->unknown_target, "repeated_lines", (json_int_t)j->d.n_repeated,
                  "candidates", candidate_names[j->c->candidates], "n_candidates",
                  (json_int_t)b->n_candidate, "csls_k", (json_int_t)j->c->o.csls_k, "beta",
                  j->c->o.beta, "retrieval", scores),
        err);
}

static ig_code print_table(const job *j, ig_err *err)
{
    const ig_dictionary_rows *r = &j->rows;
    const ig_bli_result *b = &j->result;
    ig_table *t;
    IG_TRY(ig_table_new(&t, "bli", NULL, NULL, err));
    ig_table_add_row_head(t, "retrieval", "retrieval");
    ig_table_add_column(t, "p@1", "P@1", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "p@5", "P@5", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "p@10", "P@10", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(t, "mrr", "MRR", NULL, IG_TABLE_NUMBER);
    for (int m = 0; m < IG_RETRIEVE_N; m++) {
        if (b->of[m].rank == NULL)
            continue;
        int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
        ig_table_text(t, row, 0, titles[m]);
        for (int k = 0; k < IG_BLI_N_K; k++)
            ig_table_number(t, row, 1 + k, 100 * b->of[m].p[k], 2);
        ig_table_number(t, row, 4, b->of[m].mrr, 4);
    }
    ig_table_add_note(t, "%lld of %lld source words (%.1f %%), %lld of %lld pairs; %lld candidates",
                      (long long)r->n_query, (long long)r->all_query,
                      100 * (double)r->n_query / (double)r->all_query, (long long)r->n_pair,
                      (long long)r->all_pair, (long long)b->n_candidate);
    if (r->unknown_source + r->unknown_target > 0)
        ig_table_add_note(t,
                          "left out: %lld source words without a vector, %lld none of whose "
                          "translations has one",
                          (long long)r->unknown_source, (long long)r->unknown_target);
    return ig_table_print(t, err);
}

/* criterion, source word, rank of the first right answer (from 1), right answers, answers. */
static ig_code write_answers(const job *j, ig_err *err)
{
    const ig_dictionary_rows *r = &j->rows;
    ig_out f;
    IG_TRY(ig_out_open(&f, j->c->answers, err));
    for (int m = 0; m < IG_RETRIEVE_N; m++) {
        const ig_bli_score *s = &j->result.of[m];
        for (int64_t i = 0; s->rank != NULL && i < r->n_query; i++) {
            fprintf(f.fp, "%s\t%s\t%lld\t", ig_retrieve_method_names[m],
                    ig_lexicon_get(&j->v[0].words, r->query[i]), (long long)s->rank[i] + 1);
            for (int64_t k = r->start[i]; k < r->start[i + 1]; k++)
                fprintf(f.fp, "%s%s", k > r->start[i] ? " " : "",
                        ig_lexicon_get(&j->v[1].words, r->answer[k]));
            for (int64_t k = 0; k < j->c->top && s->answer[i * j->c->top + k] >= 0; k++)
                fprintf(f.fp, "%c%s", k > 0 ? ' ' : '\t',
                        ig_lexicon_get(&j->v[1].words, s->answer[i * j->c->top + k]));
            fputc('\n', f.fp);
        }
    }
    return ig_out_close(&f, IG_ERR_OK, err);
}

static ig_code run_bli(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    IG_SCOPED(job_free) job j = {.c = settings};
    (void)n_arg;
    IG_TRY(compute(&j, arg, err));
    if (j.c->answers != NULL)
        IG_TRY(write_answers(&j, err));
    return j.c->json ? print_json(&j, arg, err) : print_table(&j, err);
}

const ig_command ig_cmd_bli = {
    .name = "bli",
    .summary = "word translation by two vector spaces against a dictionary: P@1/5/10, MRR",
    .args = "SOURCE TARGET",
    .details =
        "SOURCE and TARGET are files of word vectors in one space (as 'isoglot map' writes "
        "them). For each source word of the dictionary that has a vector, and of which a "
        "translation has one, the words of TARGET are ordered by similarity; a word with several "
        "translations is right with any of them.\n"
        "  isoglot bli en.mapped.vec es.mapped.vec --dictionary en-es.5000-6500.txt\n"
        "  isoglot bli en.vec es.vec --dictionary en-es.txt --candidates dictionary --retrieval "
        "nn --json",
    IG_COMMAND_OPTIONS(bli_options, bli_config),
    .run = run_bli,
};

/* --- neighbours ------------------------------------------------------------------------------- */

enum { TOP_MAX = 1000 };

typedef struct {
    ig_vec_how how;
    int top, threads;
    bool json;
    char *second;
} neighbours_config;

static const ig_option neighbours_options[] = {
    {IG_INT_AS(neighbours_config, "top", top, "10", "K", 1, TOP_MAX, "neighbours of each word")},
    {IG_PATH(neighbours_config, "second", second, "FILE",
             "neighbours from this file, of a language mapped into the same space")},
    IG_VECTOR_OPTIONS(neighbours_config, how, "0", NULL),
    {IG_FLAG(neighbours_config, "json", json, NULL,
             "print one JSON object: word to list of [neighbour, cosine]")},
    {IG_INT(neighbours_config, "threads", threads, "0", 0, 1024, "threads; 0: all processors")},
};

/* The vectors of a file, and the whole model where it is one of fastText (else empty). */
static ig_code read_vectors(ig_vectors *v, ig_fasttext *m, const char *path,
                            const neighbours_config *c, ig_team *team, ig_err *err)
{
    ig_whole file;
    *m = (ig_fasttext){0};
    *v = (ig_vectors){0};
    IG_TRY(ig_manifest_check(path, err));
    IG_TRY(ig_whole_open(&file, path, err));
    bool model = c->how.format == IG_VEC_FASTTEXT ||
                 (c->how.format == IG_VEC_AUTO && ig_fasttext_is_model(file.data, file.size));
    ig_code code;
    if (model) {
        code = ig_fasttext_parse(m, file.data, file.size, path, err);
        IG_THEN(code, ig_fasttext_vectors(v, m, c->how.max_word, err));
    } else {
        code = ig_vectors_parse(v, &(ig_vec_memory){file.data, file.size, path}, c->how, team, err);
    }
    ig_whole_close(&file);
    return code;
}

/* The known word that differs least, for the hint. */
static ig_code unknown(const ig_vectors *v, const char *word, const char *path, ig_err *err)
{
    IG_OWNED const char **all = NULL;
    IG_TRY(ig_alloc(&all, v->n, sizeof *all, "words", err));
    for (int32_t i = 0; i < v->n; i++)
        all[i] = ig_lexicon_get(&v->words, i);
    ig_fail(err, IG_ERR_INPUT, path, 0, "has no vector for '%.60s'", word);
    const char *near = ig_nearest(word, all, v->n);
    if (near != NULL)
        ig_hint(err, "did you mean '%.60s'?", near);
    return IG_ERR_INPUT;
}

typedef struct {
    const neighbours_config *c;
    const char *path;
    ig_team *team;
    ig_vectors v, second; /* second: another language's, if it was given */
    ig_fasttext m;
    json_t *all;
} work;

/* Neighbours of a word of v, from v itself or from the second. */
static ig_code one_word(const work *w, const char *word, ig_err *err)
{
    const neighbours_config *c = w->c;
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
    IG_THEN(code, ig_neighbours(found, &n, among,
                                &(ig_neighbour_query){query, c->top, among == v ? id : -1}, err));
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
    const neighbours_config *c = settings;
    work w = {.c = c, .path = arg[0], .all = json_object()};
    ig_code code = ig_team_new(&w.team, c->threads, err);
    IG_THEN(code, read_vectors(&w.v, &w.m, arg[0], c, w.team, err));
    if (code == IG_ERR_OK && c->second != NULL)
        code = ig_manifest_vectors(&w.second, c->second, c->how, w.team, err);
    if (code == IG_ERR_OK && c->second != NULL)
        code = check_space(&w.second, c->second, &w.v, arg[0], err);
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
    .details = "By cosine, from a file of vectors in any format (text with or without a header, "
               "word2vec's binary, a fastText model, which has vectors of unknown words, too). "
               "Example:\n"
               "  isoglot embed neighbours --top 5 eng.vec king water\n"
               "  isoglot embed neighbours eng.map.vec --second spa.map.vec king",
    IG_COMMAND_OPTIONS(neighbours_options, neighbours_config),
    .run = run_embed_neighbours,
};
