/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed similarity: word vectors against people's judgements of similarity.
 */
#include "base/numeric/unit_rows.h"
#include "base/settings/json_text.h"
#include "cli/commands.h"
#include "cli/print/json_print.h"
#include "cli/print/table_print.h"
#include "embed/search/word_similarity.h"
#include "apply/folder/manifest.h"

typedef struct {
    char *second;
    int64_t column, first, threads;
    int format;
    bool lowercase, json, skip_bad;
} config;

static const ig_option options[] = {
    {IG_PATH(config, "second", second, "FILE",
             "vectors of the second words, for pairs across languages")},
    {IG_INT(config, "column", column, "3", 3, 64,
            "the score's field in a line (SimLex-999 as published: 4)")},
    {IG_FLAG(config, "lowercase", lowercase, NULL, "make the words of SET lower case")},
    {IG_INT(config, "first", first, "0", 0, 2e9,
            "read only the first N words of the vectors; 0: all")},
    {IG_FLAG(config, "skip-bad", skip_bad, NULL,
             "leave out damaged rows of vectors (another number of values, values that are not "
             "finite), count and name them; bad words are left out in any case")},
    {IG_ENUM(config, "format", format, "auto", ig_vec_format_names,
             "format of the vectors; auto: by their first bytes")},
    {IG_FLAG(config, "json", json, NULL, "print a JSON object: an object for each SET")},
    {IG_INT(config, "threads", threads, "0", 0, 1024, "threads; 0: all processors")},
};

static void add(ig_table *t, json_t *all, const char *set, const ig_similarity *s)
{
    int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, row, 0, ig_table_keep(t, "%s", set));
    ig_table_number(t, row, 1, s->spearman, 4);
    ig_table_number(t, row, 2, s->pearson, 4);
    ig_table_number(t, row, 3, (double)s->n_covered, 0);
    ig_table_number(t, row, 4, (double)s->n, 0);
    json_object_set_new(all, set,
                        json_pack("{s:o, s:o, s:I, s:I}", "spearman", ig_json_number(s->spearman),
                                  "pearson", ig_json_number(s->pearson), "covered_pairs",
                                  (json_int_t)s->n_covered, "pairs", (json_int_t)s->n));
}

static ig_code read_unit(ig_vectors *v, const char *path, const config *c, ig_team *team,
                         ig_err *err)
{
    IG_TRY(ig_manifest_vectors(
        v, path, (ig_vec_how){(ig_vec_format)c->format, c->first, c->skip_bad}, team, err));
    return ig_unit_rows(v->x, v->n, v->d, path, err);
}

static ig_code run_embed_similarity(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_team *team = NULL;
    ig_vectors v[2] = {{.n = 0}, {.n = 0}};
    ig_table *t = NULL;
    json_t *all = json_object();
    ig_code code = ig_team_new(&team, (int)c->threads, err);
    IG_THEN(code, read_unit(&v[0], arg[0], c, team, err));
    if (code == IG_ERR_OK && c->second != NULL)
        code = read_unit(&v[1], c->second, c, team, err);
    IG_THEN(code, ig_table_new(&t, "similarity", NULL, NULL, err));
    if (code == IG_ERR_OK) {
        ig_table_add_row_head(t, "set", "set");
        ig_table_add_column(t, "spearman", "Spearman ρ", NULL, IG_TABLE_NUMBER);
        ig_table_add_column(t, "pearson", "Pearson r", NULL, IG_TABLE_NUMBER);
        ig_table_add_column(t, "covered_pairs", "covered", "pairs", IG_TABLE_NUMBER);
        ig_table_add_column(t, "pairs", "all", "pairs", IG_TABLE_NUMBER);
    }
    for (int i = 1; i < n_arg && code == IG_ERR_OK; i++) {
        ig_similarity s;
        code = ig_similarity_file(&s, &v[0], c->second != NULL ? &v[1] : &v[0],
                                  &(ig_similarity_set){arg[i], (int)c->column, c->lowercase}, err);
        ig_err_at(err, arg[0]);
        if (code == IG_ERR_OK)
            add(t, all, arg[i], &s);
    }
    if (code == IG_ERR_OK && c->json) {
        code = ig_json_print(json_incref(all), err);
    } else if (code == IG_ERR_OK) {
        code = ig_table_print(t, err);
        t = NULL;
    }
    ig_table_free(t);
    json_decref(all);
    ig_vectors_free(&v[0]);
    ig_vectors_free(&v[1]);
    ig_team_free(team);
    return code;
}

const ig_command ig_cmd_embed_similarity = {
    .name = "embed similarity",
    .summary = "evaluate word vectors on similarity judgements: Spearman, Pearson, coverage",
    .args = "FILE SET…",
    .min_arg = 2,
    .max_arg = -1,
    .details =
        "FILE holds word vectors, SET two words and a score a line (WordSim-353, SimLex-999, "
        "MUSE's sets).\n"
        "Pairs with a word that has no vector are left out and counted.\n"
        "  isoglot embed similarity en.vec EN_WS-353-ALL.txt EN_SIMLEX-999.txt --lowercase\n"
        "  isoglot embed similarity en.vec --second es.vec EN-ES-SEMEVAL17.txt",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_similarity,
};
