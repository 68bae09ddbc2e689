/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot map: two files of word vectors into one space.
 */
#include "base/json_file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/json_print.h"
#include "cli/map_options.h"
#include "embed/dictionary.h"
#include "embed/map_diagnose.h"
#include "embed/map_isometry.h"
#include "embed/map_seed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const ig_map_config *c;
    ig_team *team;
    ig_vectors side[2]; /* source, target; normalised, later mapped */
    ig_steps steps;
    ig_steps_done done[2];
    ig_map_spaces spaces;
    ig_map_pairs pairs;
    ig_dictionary dictionary;
    ig_dictionary_rows rows;
    ig_map_result result;
    ig_isometry isometry;
    ig_map_health health;
    ig_map_chance chance;
    bool degenerate;
    char verdict[IG_VERDICT_SIZE];
    double seconds[4]; /* reading, first pairs, mapping, diagnosis */
} work;

static void work_free(work *w)
{
    for (int i = 0; i < 2; i++) {
        ig_vectors_free(&w->side[i]);
        ig_steps_done_free(&w->done[i]);
    }
    ig_map_pairs_free(&w->pairs);
    ig_dictionary_rows_free(&w->rows);
    ig_dictionary_free(&w->dictionary);
    ig_map_result_free(&w->result);
    ig_team_free(w->team);
}

static bool needs_dictionary(const ig_map_config *c)
{
    return c->mode == IG_MAP_SUPERVISED || c->mode == IG_MAP_SEMI_SUPERVISED;
}

static ig_code check(const ig_map_config *c, ig_err *err)
{
    const char *const mode = ig_map_mode_names[c->mode];
    if (needs_dictionary(c) && c->dictionary == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--dictionary", 0, "not given, but --mode is %s", mode);
    if (!needs_dictionary(c) && c->dictionary != NULL) {
        ig_fail(err, IG_ERR_USAGE, "--dictionary", 0, "given, but --mode %s reads none", mode);
        return ig_hint(err, "--mode supervised or semi-supervised does");
    }
    if (c->dim > 0 && c->method != IG_MAP_MULTI_STEP) {
        ig_fail(err, IG_ERR_USAGE, "--dim", 0, "given, but --method %s keeps all dimensions",
                ig_map_method_names[c->method]);
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
    const ig_map_config *c = w->c;
    IG_TRY(ig_vectors_read(&w->side[i], path, (ig_vec_format)c->format, c->first, w->team, err));
    if (i == 1 && w->side[1].d != w->side[0].d)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found vectors of %d dimensions, expected %d as in the source", w->side[1].d,
                       w->side[0].d);
    if (c->dim > w->side[i].d)
        return ig_fail(err, IG_ERR_USAGE, "--dim", 0,
                       "found %lld, expected at most the %d dimensions of %s", (long long)c->dim,
                       w->side[i].d, path);
    return ig_steps_apply(&w->steps, w->side[i].x, w->side[i].n, w->side[i].d, &w->done[i], w->team,
                          err);
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

static ig_code first_pairs(work *w, ig_err *err)
{
    const ig_map_config *c = w->c;
    const ig_lexicon *source = &w->side[0].words, *target = &w->side[1].words;
    ig_code code = IG_ERR_OK;
    switch ((ig_map_mode)c->mode) {
    case IG_MAP_UNSUPERVISED:
        code =
            ig_map_seed_similarity(&w->pairs, &w->spaces, c->init_words, (int)c->k, &w->steps, err);
        break;
    case IG_MAP_IDENTICAL:
        code = ig_map_seed_identical(&w->pairs, source, target, err);
        break;
    case IG_MAP_NUMERALS:
        code = ig_map_seed_numerals(&w->pairs, source, target, err);
        break;
    default:
        code = from_dictionary(w, err);
        break;
    }
    if (code == IG_ERR_OK && w->pairs.n == 0)
        return ig_fail(err, IG_ERR_INPUT, "--mode", 0, "the two vocabularies share no %s",
                       c->mode == IG_MAP_NUMERALS ? "numeral" : "word");
    return code;
}

static ig_code apply(work *w, ig_err *err)
{
    for (int i = 0; i < 2; i++) {
        ig_vectors *v = &w->side[i];
        float *y;
        IG_TRY(ig_alloc(&y, (int64_t)v->n * w->result.d_out, sizeof *y, "mapped vectors", err));
        ig_code code = ig_map_apply(y, v->x, v->n, v->d, i == 0 ? w->result.a_x : w->result.a_z,
                                    w->result.d_out, w->spaces.ops, w->team, err);
        ig_free(v->x);
        v->x = y;
        v->d = w->result.d_out;
        IG_TRY(code);
    }
    w->spaces.x = w->side[0].x;
    w->spaces.z = w->side[1].x;
    w->spaces.d = w->result.d_out;
    return IG_ERR_OK;
}

static json_t *matrix(const double *a, int rows, int columns)
{
    json_t *all = json_array();
    for (int i = 0; i < rows; i++) {
        json_t *row = json_array();
        for (int k = 0; k < columns; k++)
            json_array_append_new(row, json_real(a[(int64_t)i * columns + k]));
        json_array_append_new(all, row);
    }
    return all;
}

/* {"steps": […], "matrix": […]}: a vector goes through the steps, then times the matrix. */
static json_t *side_json(const ig_steps_done *done, const double *a, int d, int d_out)
{
    json_t *steps = json_array();
    for (int i = 0; i < done->n; i++) {
        json_t *step = json_pack("{s:s}", "step", ig_step_names[done->step[i]]);
        if (done->step[i] == IG_STEP_CENTER || done->step[i] == IG_STEP_UNIT_DIMENSIONS) {
            json_t *value = json_array();
            for (int k = 0; k < d; k++)
                json_array_append_new(value, json_real(done->value[(int64_t)i * d + k]));
            json_object_set_new(step, done->step[i] == IG_STEP_CENTER ? "mean" : "factor", value);
        }
        json_array_append_new(steps, step);
    }
    return json_pack("{s:o, s:o}", "steps", steps, "matrix", matrix(a, d, d_out));
}

/* All or none: a mapped source beside a target of another map would be a pair that fits nowhere. */
static ig_code write_all(work *w, ig_err *err)
{
    enum { MAP, SOURCE, TARGET, N_OUT };
    const ig_map_config *c = w->c;
    const ig_map_result *r = &w->result;
    const char *const path[N_OUT] = {c->save_map, c->out_source, c->out_target};
    ig_out out[N_OUT] = {{0}};
    ig_code code = IG_ERR_OK;
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
            code = ig_vectors_put(&w->side[i - SOURCE], &out[i], (ig_vec_format)c->as, err);
        if (code == IG_ERR_OK)
            code = ig_out_flush(&out[i], err);
    }
    for (int i = 0; i < N_OUT; i++)
        if (path[i] != NULL && out[i].fp != NULL)
            code = ig_out_close(&out[i], code, err);
    return code;
}

/* null for a figure that there is none of. */
static json_t *figure(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *two(const double v[2])
{
    return json_pack("[o, o]", figure(v[0]), figure(v[1]));
}

static json_t *diagnosis_json(const work *w)
{
    const ig_map_health *h = &w->health;
    json_t *j =
        json_pack("{s:b, s:s, s:[I, I], s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "degenerate",
                  w->degenerate, "verdict", w->verdict, "words", (json_int_t)h->n, (json_int_t)h->m,
                  "nearest_cosine", two(h->objective), "mutual", figure(h->mutual), "mutual_pairs",
                  (json_int_t)h->n_mutual, "gap", two(h->gap), "refit", figure(h->refit),
                  "relational", figure(h->relational), "hub_skewness", two(h->hub_skewness),
                  "hub_largest", two(h->hub_largest), "hub_never", two(h->hub_never));
    json_object_set_new(j, "same_spelling_words", json_integer(h->n_same));
    json_object_set_new(j, "same_spelling", figure(h->same));
    json_object_set_new(j, "dictionary_refit", figure(h->given));
    if (w->chance.n > 0)
        json_object_set_new(
            j, "chance",
            json_pack("{s:[I, I], s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "chance_words",
                      (json_int_t)w->chance.n, (json_int_t)w->chance.m, "chance_starts",
                      w->chance.starts, "objective_of_pairs", figure(w->chance.objective[0]),
                      "objective_of_chance", figure(w->chance.objective[1]), "relational_of_pairs",
                      figure(w->chance.relational[0]), "relational_of_chance",
                      figure(w->chance.relational[1]), "chance_agrees", figure(w->chance.agree),
                      "directions", two(w->chance.directions)));
    if (w->isometry.n > 2)
        json_object_set_new(
            j, "isometry",
            json_pack("{s:I, s:f, s:I, s:f, s:f}", "words", (json_int_t)w->isometry.n,
                      "eigen_difference", w->isometry.eigen, "eigenvalues",
                      (json_int_t)w->isometry.n_value, "bottleneck", w->isometry.bottleneck,
                      "gromov_hausdorff_at_least", w->isometry.bottleneck / 2));
    return j;
}

static json_t *facts_json(const work *w)
{
    const ig_map_result *r = &w->result;
    json_t *j = json_pack("{s:I, s:I, s:i, s:i, s:I, s:I, s:b, s:I}", "source_words",
                          (json_int_t)w->side[0].n, "target_words", (json_int_t)w->side[1].n, "dim",
                          r->d, "dim_mapped", r->d_out, "first_pairs", (json_int_t)w->pairs.n,
                          "rounds", (json_int_t)r->n_round, "converged", r->converged, "last_pairs",
                          (json_int_t)r->pairs.n);
    if (needs_dictionary(w->c)) {
        json_object_set_new(j, "dictionary_pairs", json_integer(w->dictionary.n_pair));
        json_object_set_new(j, "dictionary_coverage",
                            json_real((double)w->rows.n_query / (double)w->rows.all_query));
    }
    json_object_set_new(j, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f}", "reading", w->seconds[0], "first_pairs",
                                  w->seconds[1], "mapping", w->seconds[2], "diagnosis",
                                  w->seconds[3]));
    return j;
}

static ig_code print_json(const work *w, json_t *set, ig_err *err)
{
    json_t *j = facts_json(w), *objective = json_array(), *keep = json_array(),
           *pairs = json_array(), *singular = json_array();
    for (int64_t i = 0; i < w->result.n_round; i++) {
        json_array_append_new(objective, json_real(w->result.round[i].objective));
        json_array_append_new(keep, json_real(w->result.round[i].keep));
        json_array_append_new(pairs, json_integer(w->result.round[i].n_pair));
    }
    for (int i = 0; i < w->result.d && w->c->method == IG_MAP_MULTI_STEP; i++)
        json_array_append_new(singular, json_real(w->result.singular[i]));
    json_object_set(j, "settings", set);
    json_object_set_new(j, "objective", objective);
    json_object_set_new(j, "keep", keep);
    json_object_set_new(j, "pairs", pairs);
    json_object_set_new(j, "singular_values", singular);
    if (w->c->diagnose)
        json_object_set_new(j, "diagnosis", diagnosis_json(w));
    return ig_json_print(j, err);
}

static void print_value(const char *key, const json_t *v)
{
    const json_t *a = json_array_get(v, 0), *b = json_array_get(v, 1);
    if (json_is_string(v))
        printf("%-26s %s\n", key, json_string_value(v));
    else if (json_is_integer(v))
        printf("%-26s %lld\n", key, (long long)json_integer_value(v));
    else if (json_is_real(v))
        printf("%-26s %.6g\n", key, json_real_value(v));
    else if (json_is_boolean(v))
        printf("%-26s %s\n", key, json_is_true(v) ? "yes" : "no");
    else if (json_is_array(v) && json_array_size(v) == 2)
        printf("%-26s %.6g / %.6g\n", key, json_number_value(a), json_number_value(b));
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
            print_value(key, value);
    }
}

static void print_text(const work *w, const json_t *set)
{
    json_t *facts = facts_json(w), *health = w->c->diagnose ? diagnosis_json(w) : NULL;
    const ig_map_result *r = &w->result;
    print_object(set);
    printf("\n");
    print_object(facts);
    if (r->n_round > 0) {
        /* At most ten of the rounds; --json has all. */
        printf("\n%-8s %-10s %-8s %s\n", "round",
               w->c->method == IG_MAP_RCSLS ? "loss" : "objective", "keep", "pairs");
        for (int64_t i = 0; i < r->n_round; i++)
            if (r->n_round <= 10 || i + 1 == r->n_round ||
                i * 9 / r->n_round != (i - 1) * 9 / r->n_round || i == 0)
                printf("%-8lld %-10.6f %-8.4g %lld\n", (long long)i + 1, r->round[i].objective,
                       r->round[i].keep, (long long)r->round[i].n_pair);
    }
    if (health != NULL) {
        printf("\n");
        print_object(health);
        printf("\n%s\n", w->verdict);
    }
    json_decref(facts);
    json_decref(health);
}

/* Of the spaces before the map. */
static ig_code diagnose_before(work *w, const ig_map_options *o, ig_err *err)
{
    const ig_map_config *c = w->c;
    /* Self-learning among few words finds its end sooner. */
    ig_map_options learn = *o;
    learn.patience = learn.patience < 10 ? learn.patience : 10;
    if (c->isometry_words > 2)
        IG_TRY(ig_isometry_measure(&w->isometry, &w->spaces, c->isometry_words, 10, err));
    if (c->chance_words > 0)
        IG_TRY(ig_map_chance_measure(&w->chance, &w->spaces, &w->result.pairs, c->chance_words,
                                     o->learn ? &learn : NULL, c->k > 3 ? (int)c->k : 10,
                                     (uint64_t)c->seed, err));
    return IG_ERR_OK;
}

static ig_code diagnose(work *w, ig_err *err)
{
    const ig_map_config *c = w->c;
    const ig_diagnose_options o = {.source = &w->side[0].words,
                                   .target = &w->side[1].words,
                                   .given = needs_dictionary(c) ? &w->pairs : NULL,
                                   .blind = c->mode == IG_MAP_UNSUPERVISED,
                                   .most = c->diagnose_words,
                                   .k = c->k > 3 ? (int)c->k : 10,
                                   .seed = (uint64_t)c->seed};
    IG_TRY(ig_map_diagnose(&w->health, &w->spaces, &o, err));
    w->degenerate = ig_map_verdict(w->verdict, &w->health, w->chance.n > 0 ? &w->chance : NULL);
    return IG_ERR_OK;
}

static ig_code map_it(work *w, char *const *arg, ig_err *err)
{
    const ig_map_config *c = w->c;
    const ig_map_options o = ig_map_config_resolve(c);
    double start = ig_clock();
    IG_TRY(check(c, err));
    IG_TRY(ig_steps_parse(&w->steps, c->normalise, "--normalise", err));
    IG_TRY(ig_team_new(&w->team, (int)c->threads, err));
    for (int i = 0; i < 2; i++)
        IG_TRY(read_side(w, i, arg[i], err));
    w->spaces = (ig_map_spaces){.x = w->side[0].x,
                                .z = w->side[1].x,
                                .n_x = w->side[0].n,
                                .n_z = w->side[1].n,
                                .d = w->side[0].d,
                                .ops = ig_ops_best(),
                                .team = w->team};
    w->seconds[0] = ig_clock() - start;
    IG_TRY(first_pairs(w, err));
    w->seconds[1] = ig_clock() - start - w->seconds[0];
    IG_TRY(ig_map_run(&w->result, &w->spaces, &w->pairs, &o, err));
    w->seconds[2] = ig_clock() - start - w->seconds[0] - w->seconds[1];
    double mapped = ig_clock();
    if (c->diagnose)
        IG_TRY(diagnose_before(w, &o, err));
    IG_TRY(apply(w, err));
    if (c->diagnose)
        IG_TRY(diagnose(w, err));
    w->seconds[3] = ig_clock() - mapped;
    return write_all(w, err);
}

static ig_code run(const ig_command *self, void *settings, int n_arg, char *const *arg, ig_err *err)
{
    work w = {.c = settings};
    (void)n_arg;
    ig_code code = map_it(&w, arg, err);
    if (code == IG_ERR_OK) {
        json_t *set = ig_options_json(self->options, self->n_option, settings);
        if (w.c->json)
            code = print_json(&w, set, err);
        else
            print_text(&w, set);
        json_decref(set);
    }
    work_free(&w);
    return code;
}

const ig_command ig_cmd_map = {
    .name = "map",
    .summary = "map two spaces of word vectors into one",
    .args = "SOURCE TARGET",
    .min_arg = 2,
    .max_arg = 2,
    .details =
        "Files as isoglot embed writes and other programs exchange them, the most frequent words\n"
        "first. The defaults are VecMap's --unsupervised; --mode supervised is its --supervised, "
        "and so\n"
        "on. Says at the end whether the mapping is degenerate. Examples:\n"
        "  isoglot map eng.vec spa.vec --out-source eng.map.vec --out-target spa.map.vec\n"
        "  isoglot map eng.vec spa.vec --mode supervised --dictionary en-es.0-5000.txt\n"
        "  isoglot map eng.vec spa.vec --mode supervised --dictionary en-es.0-5000.txt\n"
        "    --method procrustes --refine 5 --cutoff 10000",
    .options = ig_map_option_table,
    .n_option = IG_MAP_N_OPTION,
    .config_size = sizeof(ig_map_config),
    .run = run,
};
