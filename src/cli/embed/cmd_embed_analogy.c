/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed analogy: "a is to b as c is to ?" answered by word vectors.
 */
#include "base/numeric/unit_rows.h"
#include "base/settings/json_text.h"
#include "cli/commands.h"
#include "cli/print/json_print.h"
#include "cli/print/table_print.h"
#include "embed/search/analogy.h"
#include "apply/folder/manifest.h"

#include <math.h>

typedef struct {
    int64_t first, threads;
    int format;
    bool lowercase, json, skip_bad;
} config;

static const ig_option options[] = {
    {IG_FLAG(config, "lowercase", lowercase, NULL, "make the words of QUESTIONS lower case")},
    {IG_INT(config, "first", first, "0", 0, 2e9,
            "read only the first N words of the vectors (word2vec's script: 30000); 0: all")},
    {IG_FLAG(config, "skip-bad", skip_bad, NULL,
             "leave out damaged rows of vectors (another number of values, values that are not "
             "finite), count and name them; bad words are left out in any case")},
    {IG_ENUM(config, "format", format, "auto", ig_vec_format_names,
             "format of the vectors; auto: by their first bytes")},
    {IG_FLAG(config, "json", json, NULL, "print a JSON object")},
    {IG_INT(config, "threads", threads, "0", 0, 1024,
            "threads; 0: all processors; the result is the same")},
};

static double share(int64_t right, int64_t of)
{
    return of > 0 ? (double)right / (double)of : (double)NAN;
}

static json_t *as_json(const ig_analogy_section *s)
{
    return json_pack("{s:o, s:o, s:I, s:I}", "3cosadd",
                     ig_json_number(share(s->n_add, s->n_covered)), "3cosmul",
                     ig_json_number(share(s->n_mul, s->n_covered)), "covered_questions",
                     (json_int_t)s->n_covered, "questions", (json_int_t)s->n);
}

static ig_code print_json(const ig_analogy_result *r, ig_err *err)
{
    json_t *all = as_json(&r->all), *list = json_array();
    for (int64_t i = 0; i < r->n_section; i++) {
        json_t *s = as_json(&r->section[i]);
        json_object_set_new(s, "name", json_string(r->section[i].name));
        json_array_append_new(list, s);
    }
    json_object_set_new(all, "sections", list);
    return ig_json_print(all, err);
}

static void add_row(ig_table *t, const char *name, const ig_analogy_section *s)
{
    int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, row, 0, name);
    ig_table_number(t, row, 1, 100 * share(s->n_add, s->n_covered), 2);
    ig_table_number(t, row, 2, 100 * share(s->n_mul, s->n_covered), 2);
    ig_table_number(t, row, 3, (double)s->n_covered, 0);
    ig_table_number(t, row, 4, (double)s->n, 0);
}

static ig_code print_table(const ig_analogy_result *r, ig_err *err)
{
    ig_table *t;
    IG_TRY(ig_table_new(&t, "analogy", NULL, NULL, err));
    ig_table_add_row_head(t, "section", "section");
    ig_table_add_column(t, "3cosadd", "3CosAdd", "right, %", IG_TABLE_NUMBER);
    ig_table_add_column(t, "3cosmul", "3CosMul", "right, %", IG_TABLE_NUMBER);
    ig_table_add_column(t, "covered_questions", "covered", "questions", IG_TABLE_NUMBER);
    ig_table_add_column(t, "questions", "all", "questions", IG_TABLE_NUMBER);
    for (int64_t i = 0; i < r->n_section; i++)
        add_row(t, ig_table_keep(t, "%s", r->section[i].name), &r->section[i]);
    if (r->n_section != 1)
        add_row(t, "all", &r->all);
    return ig_table_print(t, err);
}

static ig_code run_embed_analogy(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_team *team = NULL;
    ig_vectors v = {0};
    ig_analogy_result r = {0};
    (void)n_arg;
    ig_code code = ig_team_new(&team, (int)c->threads, err);
    IG_THEN(code, ig_manifest_vectors(&v, arg[0],
                                      (ig_vec_how){(ig_vec_format)c->format, c->first, c->skip_bad},
                                      team, err));
    IG_THEN(code, ig_unit_rows(v.x, v.n, v.d, arg[0], err));
    IG_THEN(code, ig_analogy(&r, &v, arg[1], c->lowercase, team, err));
    IG_THEN(code, c->json ? print_json(&r, err) : print_table(&r, err));
    ig_analogy_free(&r);
    ig_vectors_free(&v);
    ig_team_free(team);
    return code;
}

const ig_command ig_cmd_embed_analogy = {
    .name = "embed analogy",
    .summary = "answer \"a is to b as c is to ?\" by word vectors: 3CosAdd, 3CosMul, coverage",
    .args = "FILE QUESTIONS",
    .min_arg = 2,
    .max_arg = 2,
    .details = "FILE holds word vectors, QUESTIONS four words a line and ': name' before each "
               "section\n"
               "(questions-words.txt). Questions with a word that has no vector are left out and "
               "counted; the\n"
               "three words of a question are no answers to it.\n"
               "  isoglot embed analogy en.vec questions-words.txt --lowercase --first 30000",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_analogy,
};
