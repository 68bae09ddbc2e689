/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot map: two files of word vectors into one space.
 */
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/align/map_options.h"
#include "embed/map/map_seed.h"
#include "run/manifest.h"

static void work_free(ig_map_work *w)
{
    for (int i = 0; i < 2; i++) {
        ig_vectors_free(&w->side[i]);
        ig_steps_done_free(&w->done[i]);
    }
    ig_map_pairs_free(&w->pairs);
    ig_dictionary_rows_free(&w->rows);
    ig_dictionary_free(&w->dictionary);
    ig_ladder_free(&w->ladder);
    ig_team_free(w->team);
}

static ig_code check(const ig_map_config *c, ig_err *err)
{
    const char *const mode = ig_map_mode_names[c->mode];
    if (ig_map_reads_dictionary(c) && c->dictionary == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--dictionary", 0, "not given, but --mode is %s", mode);
    if (!ig_map_reads_dictionary(c) && c->dictionary != NULL) {
        ig_fail(err, IG_ERR_USAGE, "--dictionary", 0, "given, but --mode %s reads none", mode);
        return ig_hint(err, "--mode supervised or semi-supervised does");
    }
    if (c->o.map.steps.dim > 0 && c->o.map.method != IG_MAP_MULTI_STEP) {
        ig_fail(err, IG_ERR_USAGE, "--dim", 0, "given, but --method %s keeps all dimensions",
                ig_map_method_names[c->o.map.method]);
        return ig_hint(err, "--method vecmap takes the first of its common directions");
    }
    if (c->o.anneal.to > c->o.anneal.from)
        return ig_fail(err, IG_ERR_USAGE, "--temperature-end", 0,
                       "found %g, expected at most --temperature, %g", c->o.anneal.to,
                       c->o.anneal.from);
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

static ig_code read_side(ig_map_work *w, int i, const char *path, ig_err *err)
{
    const ig_map_config *c = w->c;
    IG_TRY(ig_manifest_vectors(&w->side[i], path, c->format, c->first, w->team, err));
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

static ig_code from_dictionary(ig_map_work *w, ig_err *err)
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
static ig_code given_pairs(ig_map_work *w, ig_err *err)
{
    const ig_lexicon *source = &w->side[0].words, *target = &w->side[1].words;
    ig_code code = IG_ERR_OK;
    if (ig_map_reads_dictionary(w->c))
        return from_dictionary(w, err);
    if (w->c->mode == IG_MAP_UNSUPERVISED)
        return IG_ERR_OK;
    code = w->c->mode == IG_MAP_NUMERALS ? ig_map_seed_numerals(&w->pairs, source, target, err)
                                         : ig_map_seed_identical(&w->pairs, source, target, err);
    if (code == IG_ERR_OK && w->pairs.n == 0)
        return ig_fail(err, IG_ERR_INPUT, "--mode", 0, "the two vocabularies share no %s",
                       w->c->mode == IG_MAP_NUMERALS ? "numeral" : "word");
    return code;
}

static ig_code climb(ig_map_work *w, ig_err *err)
{
    const ig_map_config *c = w->c;
    const bool unsupervised = c->mode == IG_MAP_UNSUPERVISED;
    const ig_map_spaces spaces = {.x = w->side[0].x,
                                  .z = w->side[1].x,
                                  .n_x = w->side[0].n,
                                  .n_z = w->side[1].n,
                                  .d = w->side[0].d,
                                  .ops = ig_ops_best(),
                                  .team = w->team};
    ig_ladder_options o = ig_map_config_resolve(c);
    /* Twice as fast: the best of several has to be good, not each. */
    ig_anneal_options chance = o.anneal;
    chance.factor = o.anneal.factor * o.anneal.factor;
    o.given = unsupervised ? NULL : &w->pairs;
    o.steps = &w->steps;
    o.chance.anneal = unsupervised ? &chance : NULL;
    o.diagnose.source = &w->side[0].words;
    o.diagnose.target = &w->side[1].words;
    o.diagnose.given = ig_map_reads_dictionary(c) ? &w->pairs : NULL;
    IG_TRY(ig_ladder_run(&w->ladder, &spaces, &o, err));
    for (int i = 0; i < 2; i++)
        ig_ladder_take(&w->ladder, i, &w->side[i]);
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
static ig_code write_all(ig_map_work *w, ig_err *err)
{
    enum { MAP, SOURCE, TARGET, N_OUT };
    const ig_map_config *c = w->c;
    const ig_map_result *r = &w->ladder.result;
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

static ig_code map_it(ig_map_work *w, char *const *arg, ig_err *err)
{
    const ig_map_config *c = w->c;
    const double start = ig_clock();
    IG_TRY(check(c, err));
    IG_TRY(ig_steps_parse(&w->steps, c->normalise, "--normalise", err));
    IG_TRY(ig_team_new(&w->team, c->threads, err));
    for (int i = 0; i < 2; i++)
        IG_TRY(read_side(w, i, arg[i], err));
    w->seconds[0] = ig_clock() - start;
    IG_TRY(given_pairs(w, err));
    w->seconds[1] = ig_clock() - start - w->seconds[0];
    IG_TRY(climb(w, err));
    return write_all(w, err);
}

static ig_code run_map(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    ig_map_work w = {.c = settings};
    (void)n_arg;
    ig_code code = map_it(&w, arg, err);
    if (code == IG_ERR_OK) {
        json_t *set = ig_options_json(ig_cmd_map.options, ig_cmd_map.n_option, settings);
        if (w.c->json)
            code = ig_map_print_json(&w, set, err);
        else
            ig_map_print_text(&w, set);
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
        "first. --start similarity is VecMap's --unsupervised, --mode supervised its --supervised, "
        "and so\n"
        "on. Says at the end whether the mapping is degenerate. Examples:\n"
        "  isoglot map eng.vec spa.vec --out-source eng.map.vec --out-target spa.map.vec\n"
        "  isoglot map eng.vec spa.vec --mode supervised --dictionary en-es.0-5000.txt\n"
        "  isoglot map eng.vec spa.vec --mode supervised --dictionary en-es.0-5000.txt\n"
        "    --method procrustes --refine 5 --cutoff 10000",
    .options = ig_map_option_table,
    .n_option = IG_MAP_N_OPTION,
    .config_size = sizeof(ig_map_config),
    .run = run_map,
};
