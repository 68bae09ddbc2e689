/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot bli: word translation by two mapped spaces against a dictionary.
 */
#include "base/file.h"

#include "apply/folder/manifest.h"
#include "base/numeric/unit_rows.h"
#include "base/settings/json_text.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "embed/search/bli.h"

#include <stdio.h>

enum { RETRIEVAL_ALL = IG_RETRIEVE_N };

typedef struct {
    char *dictionary, *answers;
    ig_bli_options o;
    int retrieval, candidates, top, threads;
    ig_vec_format format;
    int64_t first;
    bool lowercase, json, skip_bad;
} config;

static const char *const retrieval_names[] = {"nn", "softmax", "csls", "all", NULL};
static const char *const candidate_names[] = {"all", "dictionary", NULL};
static const char *const titles[] = {"nearest neighbour", "inverted softmax", "CSLS"};

static const ig_option options[] = {
    {IG_PATH(config, "dictionary", dictionary, "FILE",
             "pairs of words, source first, a pair a line (as MUSE's)")},
    {IG_ENUM(config, "retrieval", retrieval, "all", retrieval_names,
             "criterion: cosine, inverted softmax, CSLS, or all three")},
    {IG_INT_AS(config, "csls-k", o.csls_k, "10", "K", 1, 1000, "neighbours of CSLS")},
    {IG_REAL(config, "beta", o.beta, "30", 1e-3, 1e4,
             "inverse temperature of the inverted softmax")},
    {IG_ENUM(config, "candidates", candidates, "all", candidate_names,
             "answers: all words of TARGET, or those in the dictionary (Liu et al. 2020)")},
    {IG_FLAG(config, "lowercase", lowercase, NULL, "make the dictionary's words lower case")},
    {IG_INT(config, "first", first, "200000", 0, 2e9,
            "read only the first N words of each file; 0: all")},
    {IG_FLAG(config, "skip-bad", skip_bad, NULL,
             "leave out damaged rows of vectors (another number of values, values that are not "
             "finite), count and name them; bad words are left out in any case")},
    {IG_ENUM(config, "format", format, "auto", ig_vec_format_names,
             "format of both files; auto: by their first bytes")},
    {IG_PATH(config, "answers", answers, "FILE", "write each word's answers there, tab separated")},
    {IG_INT(config, "top", top, "5", 1, 1000, "how many answers to write")},
    {IG_FLAG(config, "json", json, NULL, "print a JSON object")},
    {IG_INT(config, "threads", threads, "0", 0, 1024,
            "threads; 0: all processors; the result is the same")},
};

typedef struct {
    const config *c;
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

static ig_code compute(job *j, char *const *arg, ig_err *err)
{
    const config *c = j->c;
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
        IG_TRY(ig_manifest_vectors(&j->v[s], arg[s], (ig_vec_how){c->format, c->first, c->skip_bad},
                                   j->team, err));
        IG_TRY(ig_unit_rows(j->v[s].x, j->v[s].n, j->v[s].d, arg[s], err));
    }
    if (j->v[0].d != j->v[1].d) {
        ig_fail(err, IG_ERR_INPUT, arg[1], 0,
                "found vectors of %d dimensions, expected %d as in "
                "%.120s",
                j->v[1].d, j->v[0].d, arg[0]);
        return ig_hint(err, "both files must be in one space: 'isoglot map' puts them there");
    }
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
    job j = {.c = settings};
    (void)n_arg;
    ig_code code = compute(&j, arg, err);
    if (code == IG_ERR_OK && j.c->answers != NULL)
        code = write_answers(&j, err);
    IG_THEN(code, j.c->json ? print_json(&j, arg, err) : print_table(&j, err));
    job_free(&j);
    return code;
}

const ig_command ig_cmd_bli = {
    .name = "bli",
    .summary = "word translation by two vector spaces against a dictionary: P@1/5/10, MRR",
    .args = "SOURCE TARGET",
    .min_arg = 2,
    .max_arg = 2,
    .details =
        "SOURCE and TARGET are files of word vectors in one space (as 'isoglot map' writes "
        "them). For each source word of the dictionary that has a vector, and of which a "
        "translation has one, the words of TARGET are ordered by similarity; a word with several "
        "translations is right with any of them.\n"
        "  isoglot bli en.mapped.vec es.mapped.vec --dictionary en-es.5000-6500.txt\n"
        "  isoglot bli en.vec es.vec --dictionary en-es.txt --candidates dictionary --retrieval "
        "nn --json",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_bli,
};
