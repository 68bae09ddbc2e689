/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot map: two files of word vectors into one space.
 */
#include "apply/folder/manifest.h"
#include "base/log.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "cli/align/vector_options.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "embed/judge/map_judged.h"
#include "embed/map/map_seed.h"
#include "embed/search/dictionary.h"

#include <stdio.h>
#include <string.h>

/* Source of the initial map. */
enum { UNSUPERVISED, SUPERVISED, SEMI_SUPERVISED, IDENTICAL, NUMERALS };

typedef struct {
    ig_judged_options o; /* what the user says of it; the rest follows (resolve) */
    char *normalise, *dictionary, *out_source, *out_target, *save_map;
    int mode;
    ig_vec_format as;
    ig_vec_how how;
    int threads;
    bool json;
} config;

static const char *const modes[] = {"unsupervised", "supervised", "semi-supervised",
                                    "identical",    "numerals",   NULL};

/* Why options have no effect beside the others. */
static const char *no_similarities(const void *settings)
{
    const config *c = settings;
    return c->mode != UNSUPERVISED ? "the initial pairs are not from similarities (--mode)" : NULL;
}

static const char *no_learning(const void *settings)
{
    const config *c = settings;
    return c->mode == SUPERVISED ? "--mode supervised learns no pairs by itself"
           : c->o.map.refine > 0 ? "--refine is in place of self-learning"
                                 : NULL;
}

static const char *one_step(const void *settings)
{
    const config *c = settings;
    return c->o.map.method != IG_MAP_MULTI_STEP ? "--method procrustes is an orthogonal map alone"
                                                : NULL;
}

static const ig_option options[] = {
    {.group = "Mapping",
     IG_ENUM(config, "mode", mode, "unsupervised", modes,
             "initial pairs from: similarities within each language, the dictionary (once, or with "
             "self-learning), identically spelled words, numerals")},
    {IG_ENUM(
        config, "method", o.map.method, "vecmap", ig_map_method_names,
        "the map: whitening, orthogonal map, re-weighting, de-whitening; or an orthogonal map")},
    {IG_PATH(config, "dictionary", dictionary, "FILE",
             "pairs of words, source first, a pair a line")},
    {IG_TEXT(
        config, "normalise", normalise, "unit,center,unit", "LIST",
        "steps in this order: unit, center, unit-dimensions, center-dimensions, iterative (unit "
        "and center until both hold), or none")},
    {IG_INT(config, "refine", o.map.refine, "0", 0, 1e6,
            "in place of self-learning N rounds of mutual best pairs among the --cutoff words, as "
            "MUSE does")},
    {IG_INT(config, "init-words", o.init_words, "4000", 2, 100000,
            "number of most frequent words of each side compared by --mode unsupervised, whose "
            "initial pairs are those of similar similarities within each language"),
     .no_effect = no_similarities},
    {.group = "Self-learning",
     IG_INT(config, "cutoff", o.map.cutoff, "20000", 0, 2e9,
            "number of most frequent words of each side used to induce pairs; 0: all")},
    {IG_INT_AS(config, "neighbours", o.map.k, "10", "K", 0, 64,
               "neighbours of CSLS; 0: pairs by cosine")},
    {IG_ENUM(
         config, "direction", o.map.direction, "union", ig_map_direction_names,
         "pairs: the best target of each source, the best source of each target, both, or those "
         "that are both"),
     .no_effect = no_learning},
    {IG_REAL_AS(config, "keep", o.map.keep, "0.1", "P", 1e-6, 1,
                "initial probability that a pair is available; 1: always"),
     .no_effect = no_learning},
    {IG_REAL_AS(config, "keep-factor", o.map.keep_factor, "2", "F", 1.001, 1e9,
                "factor on it after --patience rounds without improvement"),
     .no_effect = no_learning},
    {IG_INT(config, "patience", o.map.patience, "50", 1, 1e9, "rounds without a better objective"),
     .no_effect = no_learning},
    {IG_REAL(config, "threshold", o.map.threshold, "1e-6", 0, 1,
             "minimum improvement of the objective"),
     .no_effect = no_learning},
    {IG_INT(config, "max-rounds", o.map.max_round, "0", 0, 1e9,
            "maximum number of rounds; 0: no limit"),
     .no_effect = no_learning},
    {.group = "Last map of --method vecmap",
     IG_FLAG(config, "whiten", o.map.steps.whiten, "true",
             "whitening, and de-whitening after the map"),
     .no_effect = one_step},
    {IG_REAL_AS(config, "reweight-source", o.map.steps.reweight_x, "0.5", "P", 0, 10,
                "dimensions times the singular values to the power P; 0: none"),
     .no_effect = one_step},
    {IG_REAL_AS(config, "reweight-target", o.map.steps.reweight_z, "0.5", "P", 0, 10,
                "the same for the target"),
     .no_effect = one_step},
    {IG_ENUM(config, "dewhiten-source", o.map.steps.dewhiten_x, "source", ig_dewhiten_names,
             "whose whitening is undone in the source"),
     .no_effect = one_step},
    {IG_ENUM(config, "dewhiten-target", o.map.steps.dewhiten_z, "target", ig_dewhiten_names,
             "whose whitening is undone in the target"),
     .no_effect = one_step},
    {IG_INT_AS(config, "dim", o.map.steps.dim, "0", "D", 0, IG_VECTORS_DIM_MAX,
               "first dimensions kept; 0: all")},
    {.group = "Result",
     IG_PATH(config, "out-source", out_source, "FILE", "write the mapped source there")},
    {IG_PATH(config, "out-target", out_target, "FILE", "write the mapped target there")},
    {IG_ENUM(config, "as", as, "auto", ig_vec_format_names,
             "format of both; auto: by the name, .bin binary, .txt plain, else text")},
    {IG_FLAG(config, "json", json, NULL,
             "print the summary as one JSON object, with the objective of every round")},
    {IG_PATH(config, "save-map", save_map, "FILE",
             "write the matrices and the steps before them there, as JSON")},
    {.group = "Diagnosis",
     IG_FLAG(config, "diagnose", o.judge, "true",
             "examine the mapped spaces, and report whether the mapping is degenerate")},
    {IG_INT(config, "diagnose-words", o.diagnose.most, "20000", 1, 2e9,
            "number of most frequent words of each side used for the diagnosis")},
    {IG_INT(config, "chance-words", o.chance.most, "2000", 0, 2e9,
            "number of most frequent words of each side for maps from random starts, for "
            "comparison; 0: none")},
    IG_VECTOR_OPTIONS(config, how, "0", "Input"),
    {IG_INT(config, "seed", o.map.seed, "0", 0, 9e15,
            "the same seed gives the same bits on any number of threads")},
    {IG_INT(config, "threads", threads, "0", 0, 1024, "threads; 0: all processors")},
};

/* Without what points elsewhere: first pairs, steps, words. */
static ig_judged_options resolve(const config *c)
{
    ig_judged_options o = c->o;
    o.map.learn = c->mode != SUPERVISED && o.map.refine == 0;
    o.map.refine_direction = IG_MAP_MUTUAL;
    o.chance.k = o.diagnose.k = o.map.k > 3 ? o.map.k : 10;
    o.chance_patience = 10; /* self-learning among few words finds its end sooner */
    o.diagnose.blind = c->mode == UNSUPERVISED;
    o.chance.seed = o.diagnose.seed = o.map.seed;
    return o;
}

typedef struct {
    const config *c;
    ig_team *team;
    ig_vectors side[2]; /* source, target; normalised, at the end mapped */
    ig_steps steps;
    ig_steps_done done[2];
    ig_map_pairs pairs; /* of a dictionary, or of spelling */
    ig_dictionary dictionary;
    ig_dictionary_rows rows;
    ig_judged_map map;
    double seconds[2]; /* reading, first pairs that are read */
} work;

/* Returns whether the mode begins with a dictionary. */
static bool reads_dictionary(const config *c)
{
    return c->mode == SUPERVISED || c->mode == SEMI_SUPERVISED;
}

static void work_free(work *w)
{
    for (int i = 0; i < 2; i++) {
        ig_vectors_free(&w->side[i]);
        ig_steps_done_free(&w->done[i]);
    }
    ig_map_pairs_free(&w->pairs);
    ig_dictionary_rows_free(&w->rows);
    ig_dictionary_free(&w->dictionary);
    ig_judged_map_free(&w->map);
    ig_team_free(w->team);
}

static ig_code check(const config *c, ig_err *err)
{
    const char *const mode = modes[c->mode];
    if (reads_dictionary(c) && c->dictionary == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--dictionary", 0, "not given, but --mode is %s", mode);
    if (!reads_dictionary(c) && c->dictionary != NULL) {
        ig_fail(err, IG_ERR_USAGE, "--dictionary", 0, "given, but --mode %s reads none", mode);
        return ig_hint(err, "--mode supervised or semi-supervised does");
    }
    if (c->o.map.steps.dim > 0 && c->o.map.method != IG_MAP_MULTI_STEP) {
        ig_fail(err, IG_ERR_USAGE, "--dim", 0, "given, but --method %s keeps all dimensions",
                ig_map_method_names[c->o.map.method]);
        return ig_hint(err, "--method vecmap takes the first of its common directions");
    }
    if (c->as == IG_VEC_FASTTEXT)
        return ig_fail(err, IG_ERR_USAGE, "--as", 0,
                       "found fasttext, expected text, plain or binary");
    if (ig_out_same(c->out_source, c->out_target))
        return ig_fail(err, IG_ERR_USAGE, "--out-target", 0, "is the same file as --out-source");
    if (ig_out_same(c->save_map, c->out_source) || ig_out_same(c->save_map, c->out_target))
        return ig_fail(err, IG_ERR_USAGE, "--save-map", 0, "is the same file as --out-%s",
                       ig_out_same(c->save_map, c->out_source) ? "source" : "target");
    IG_TRY(ig_out_try(c->out_source, err));
    IG_TRY(ig_out_try(c->out_target, err));
    return ig_out_try(c->save_map, err);
}

static ig_code read_side(work *w, int i, const char *path, ig_err *err)
{
    const config *c = w->c;
    const char *const to = i == 0 ? c->out_source : c->out_target;
    IG_TRY(ig_manifest_vectors(&w->side[i], path, c->how, w->team, err));
    if (to != NULL)
        IG_TRY(ig_vectors_fit(&w->side[i], to, c->as, err));
    if (i == 1 && w->side[1].d != w->side[0].d)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found vectors of %d dimensions, expected %d as in the source", w->side[1].d,
                       w->side[0].d);
    if (c->o.map.steps.dim > w->side[i].d)
        return ig_fail(err, IG_ERR_USAGE, "--dim", 0,
                       "found %d, expected at most the %d dimensions of %s", c->o.map.steps.dim,
                       w->side[i].d, path);
    return ig_steps_apply(&w->steps, (ig_map_side){w->side[i].x, w->side[i].n, w->side[i].d},
                          &w->done[i], w->team, err);
}

static ig_code from_dictionary(work *w, ig_err *err)
{
    IG_TRY(ig_dictionary_read(&w->dictionary, w->c->dictionary, false, err));
    IG_TRY(ig_dictionary_find(&w->rows, &w->dictionary, &w->side[0].words, &w->side[1].words, err));
    if (w->rows.n_pair == 0) {
        ig_fail(err, IG_ERR_INPUT, w->c->dictionary, 0, "of %lld pairs the vectors know none",
                (long long)w->dictionary.n_pair);
        return ig_hint(err, "is it the other way round, or in another case?");
    }
    for (int64_t i = 0; i < w->rows.n_pair; i++)
        IG_TRY(ig_map_pairs_add(&w->pairs, w->rows.pair[2 * i], w->rows.pair[2 * i + 1], err));
    return IG_ERR_OK;
}

/* Unsupervised: none. */
static ig_code given_pairs(work *w, ig_err *err)
{
    const ig_lexicon *source = &w->side[0].words, *target = &w->side[1].words;
    ig_code code = IG_ERR_OK;
    if (reads_dictionary(w->c))
        return from_dictionary(w, err);
    if (w->c->mode == UNSUPERVISED)
        return IG_ERR_OK;
    code = w->c->mode == NUMERALS ? ig_map_seed_numerals(&w->pairs, source, target, err)
                                  : ig_map_seed_identical(&w->pairs, source, target, err);
    if (code == IG_ERR_OK && w->pairs.n == 0)
        return ig_fail(err, IG_ERR_INPUT, "--mode", 0, "the two vocabularies share no %s",
                       w->c->mode == NUMERALS ? "numeral" : "word");
    return code;
}

static ig_code make_map(work *w, ig_err *err)
{
    const config *c = w->c;
    const ig_map_spaces spaces = {.x = w->side[0].x,
                                  .z = w->side[1].x,
                                  .n_x = w->side[0].n,
                                  .n_z = w->side[1].n,
                                  .d = w->side[0].d,
                                  .ops = ig_ops_best(),
                                  .team = w->team};
    ig_judged_options o = resolve(c);
    o.given = c->mode == UNSUPERVISED ? NULL : &w->pairs;
    o.steps = &w->steps;
    o.diagnose.source = &w->side[0].words;
    o.diagnose.target = &w->side[1].words;
    o.diagnose.given = reads_dictionary(c) ? &w->pairs : NULL;
    IG_TRY(ig_judged_map_make(&w->map, &spaces, &o, err));
    for (int i = 0; i < 2; i++)
        ig_judged_map_take(&w->map, i, &w->side[i]);
    return IG_ERR_OK;
}

static json_t *matrix(const double *a, int rows, int columns)
{
    json_t *all = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(all, ig_json_numbers(a + (int64_t)i * columns, columns));
    return all;
}

/* {"steps": […], "matrix": […]}: a vector goes through the steps, then times the matrix. */
static json_t *side_json(const ig_steps_done *done, const double *a, int d, int d_out)
{
    json_t *steps = json_array();
    for (int i = 0; i < done->n; i++) {
        json_t *step = json_pack("{s:s}", "step", ig_step_names[done->step[i]]);
        if (done->step[i] == IG_STEP_CENTER || done->step[i] == IG_STEP_UNIT_DIMENSIONS)
            json_object_set_new(step, done->step[i] == IG_STEP_CENTER ? "mean" : "factor",
                                ig_json_numbers(done->value + (int64_t)i * d, d));
        json_array_append_new(steps, step);
    }
    return json_pack("{s:o, s:o}", "steps", steps, "matrix", matrix(a, d, d_out));
}

/* All or none: a mapped source beside a target of another map would be a pair that fits nowhere. */
static ig_code write_all(work *w, ig_err *err)
{
    enum { MAP, SOURCE, TARGET, N_OUT };
    const config *c = w->c;
    const ig_map_result *r = &w->map.result;
    const char *const path[N_OUT] = {c->save_map, c->out_source, c->out_target};
    ig_out out[N_OUT] = {{0}};
    ig_code code = IG_ERR_OK;
    for (int i = SOURCE; i <= TARGET && code == IG_ERR_OK; i++)
        if (path[i] != NULL)
            code = ig_vectors_check(&w->side[i - SOURCE], path[i], err);
    for (int i = 0; i < N_OUT && code == IG_ERR_OK; i++) {
        if (path[i] == NULL)
            continue;
        code = ig_out_open(&out[i], path[i], err);
        if (code == IG_ERR_OK && i == MAP)
            code = ig_json_put(json_pack("{s:o, s:o}", "source",
                                         side_json(&w->done[0], r->a_x, r->d, r->d_out), "target",
                                         side_json(&w->done[1], r->a_z, r->d, r->d_out)),
                               &out[i], 17, err);
        else if (code == IG_ERR_OK)
            code = ig_vectors_put(&w->side[i - SOURCE], &out[i], c->as, err);
        IG_THEN(code, ig_out_flush(&out[i], err));
    }
    for (int i = 0; i < N_OUT; i++)
        if (path[i] != NULL && out[i].fp != NULL)
            code = ig_out_close(&out[i], code, err);
    return code;
}

/* --- the summary, as JSON and as lines of the same keys (docs/mapping.md lists them) ---------- */

static json_t *two(const double v[2])
{
    return json_pack("[o, o]", ig_json_number(v[0]), ig_json_number(v[1]));
}

static json_t *diagnosis_json(const work *w)
{
    const ig_judged_map *l = &w->map;
    const ig_map_health *h = &l->health;
    json_t *j = json_pack("{s:b, s:s, s:[I, I], s:o, s:o, s:I, s:o}", "degenerate", l->degenerate,
                          "verdict", l->verdict, "words", (json_int_t)h->n, (json_int_t)h->m,
                          "nearest_cosine", two(h->objective), "mutual", ig_json_number(h->mutual),
                          "mutual_pairs", (json_int_t)h->n_mutual, "relational",
                          ig_json_number(h->relational));
    json_object_set_new(j, "same_spelling_words", json_integer(h->n_same));
    json_object_set_new(j, "same_spelling", ig_json_number(h->same));
    json_object_set_new(j, "dictionary_refit", ig_json_number(h->given));
    json_object_set_new(j, "outside_dictionary", json_integer(h->n_outside));
    if (l->chance.n > 0)
        json_object_set_new(
            j, "chance",
            json_pack("{s:[I, I], s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "chance_words",
                      (json_int_t)l->chance.n, (json_int_t)l->chance.m, "chance_starts",
                      l->chance.starts, "chance_same", l->chance.same, "objective_of_pairs",
                      ig_json_number(l->chance.objective[0]), "objective_of_chance",
                      ig_json_number(l->chance.objective[1]), "relational_of_pairs",
                      ig_json_number(l->chance.relational[0]), "relational_of_chance",
                      ig_json_number(l->chance.relational[1]), "chance_agrees",
                      ig_json_number(l->chance.agree), "directions", two(l->chance.directions)));
    return j;
}

static json_t *facts_json(const work *w)
{
    const ig_judged_map *l = &w->map;
    const ig_map_result *r = &l->result;
    json_t *j = json_pack("{s:I, s:I, s:i, s:i, s:I, s:I, s:b, s:I}", "source_words",
                          (json_int_t)w->side[0].n, "target_words", (json_int_t)w->side[1].n, "dim",
                          r->d, "dim_mapped", r->d_out, "first_pairs", (json_int_t)l->pairs.n,
                          "rounds", (json_int_t)r->n_round, "converged", r->converged, "last_pairs",
                          (json_int_t)r->pairs.n);
    if (reads_dictionary(w->c)) {
        json_object_set_new(j, "dictionary_pairs", json_integer(w->dictionary.n_pair));
        json_object_set_new(j, "dictionary_coverage",
                            json_real((double)w->rows.n_query / (double)w->rows.all_query));
    }
    json_object_set_new(j, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f}", "reading", w->seconds[0], "first_pairs",
                                  w->seconds[1] + l->seconds[0], "mapping", l->seconds[1],
                                  "diagnosis", l->seconds[2]));
    return j;
}

static ig_code print_json(const work *w, json_t *set, ig_err *err)
{
    const ig_map_result *r = &w->map.result;
    json_t *j = facts_json(w), *objective = json_array(), *keep = json_array(),
           *pairs = json_array();
    for (int64_t i = 0; i < r->n_round; i++) {
        json_array_append_new(objective, json_real(r->round[i].objective));
        json_array_append_new(keep, json_real(r->round[i].keep));
        json_array_append_new(pairs, json_integer(r->round[i].n_pair));
    }
    json_object_set(j, "settings", set);
    json_object_set_new(j, "objective", objective);
    json_object_set_new(j, "keep", keep);
    json_object_set_new(j, "pairs", pairs);
    json_object_set_new(
        j, "singular_values",
        ig_json_numbers(r->singular, w->c->o.map.method == IG_MAP_MULTI_STEP ? r->d : 0));
    if (w->c->o.judge)
        json_object_set_new(j, "diagnosis", diagnosis_json(w));
    return ig_json_print(j, err);
}

static void print_object(const json_t *j)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)j, key, value)
    {
        if (json_is_object(value)) {
            printf("\n%s:\n", key);
            print_object(value);
        } else if (strcmp(key, "verdict") != 0 && strcmp(key, "degenerate") != 0)
            ig_json_print_value(key, 26, value);
    }
}

static void print_text(const work *w, const json_t *set)
{
    json_auto_t *facts = facts_json(w), *health = w->c->o.judge ? diagnosis_json(w) : NULL;
    const ig_judged_map *l = &w->map;
    const ig_map_result *r = &l->result;
    print_object(set);
    printf("\n");
    print_object(facts);
    if (r->n_round > 0) {
        /* At most ten of the rounds; --json has all. */
        printf("\n%-8s %-10s %-8s %s\n", "round", "objective", "keep", "pairs");
        for (int64_t i = 0; i < r->n_round; i++)
            if (r->n_round <= 10 || i + 1 == r->n_round ||
                i * 9 / r->n_round != (i - 1) * 9 / r->n_round || i == 0)
                printf("%-8lld %-10.6f %-8.4g %lld\n", (long long)i + 1, r->round[i].objective,
                       r->round[i].keep, (long long)r->round[i].n_pair);
    }
    if (health != NULL) {
        printf("\n");
        print_object(health);
        printf("\n%s\n", l->verdict);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

static ig_code map_it(work *w, char *const *arg, ig_err *err)
{
    const config *c = w->c;
    const double start = ig_clock();
    IG_TRY(check(c, err));
    IG_TRY(ig_steps_parse(&w->steps, c->normalise, "--normalise", err));
    IG_TRY(ig_team_new(&w->team, c->threads, err));
    for (int i = 0; i < 2; i++)
        IG_TRY(read_side(w, i, arg[i], err));
    w->seconds[0] = ig_clock() - start;
    IG_TRY(given_pairs(w, err));
    w->seconds[1] = ig_clock() - start - w->seconds[0];
    IG_TRY(make_map(w, err));
    return write_all(w, err);
}

static ig_code run_map(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    work w = {.c = settings};
    (void)n_arg;
    ig_code code = map_it(&w, arg, err);
    if (code == IG_ERR_OK) {
        json_t *set = ig_options_json(ig_cmd_map.options, settings);
        if (w.c->json)
            code = print_json(&w, set, err);
        else
            print_text(&w, set);
        json_decref(set);
    }
    work_free(&w);
    return code;
}

static const char *no_effect(const ig_option *o, const void *settings)
{
    return o->no_effect != NULL ? o->no_effect(settings) : NULL;
}

static ig_code check_effects(void *settings, const unsigned char *given, ig_err *err)
{
    return ig_options_check_effects(ig_cmd_map.options, settings, no_effect, given, err);
}

const ig_command ig_cmd_map = {
    .name = "map",
    .summary = "map two spaces of word vectors into one",
    .args = "SOURCE TARGET",
    .details =
        "Files as isoglot embed writes and other programs exchange them, the most frequent words "
        "first. The modes are VecMap's. Says at the end whether the mapping is degenerate.\n"
        "Examples:\n"
        "  isoglot map eng.vec spa.vec --out-source eng.map.vec --out-target spa.map.vec\n"
        "  isoglot map eng.vec spa.vec --mode supervised --dictionary en-es.0-5000.txt\n"
        "  isoglot map eng.vec spa.vec --mode supervised --dictionary en-es.0-5000.txt\n"
        "    --method procrustes --refine 5 --cutoff 10000",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_map,
    .check = check_effects,
};
