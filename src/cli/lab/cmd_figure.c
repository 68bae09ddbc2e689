/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot figure: a picture of what runs have learned.
 */
#include "base/file.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_dir.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/settings/options.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "lab/report/run_figure.h"
#include "lab/report/run_results.h"
#include "report/figure/figure.h"
#include "report/shown/results_figure.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    char *out, *values, *reference, *title, *dictionary;
    ig_run_figure_options o; /* layers apart */
    ig_int_list layers;
    int64_t first;
    int columns;
    double width, dpi;
    bool log_x, onset, json, skip_bad;
} figure_config;

static const ig_option options[] = {
    {IG_PATH(figure_config, "out", out, "FILE",
             "the figure's file; its suffix is the format: .svg, .pdf or .png")},
    {IG_INTS(figure_config, "layers", layers, "L,L", 0, 1000,
             "states: a panel for each layer; none: two thirds up (8 of 12)")},
    {IG_INT(figure_config, "step", o.step, "-1", -1, 1e15,
            "the checkpoint of that update; -1: the newest")},
    {IG_TEXT(figure_config, "pair", o.pair, NULL, "A,B",
             "the two languages, by their names or numbers; none: the first two")},
    {.old = "count",
     IG_INT(
         figure_config, "take", o.count, "0", 0, 100000,
         "the first N positions of a language, words with names, or sentences; 0: all, 16, 100")},
    {IG_PATH(figure_config, "dictionary", dictionary, "FILE",
             "vectors: pairs of words that are linked, source first, a pair a line")},
    {.old = "first",
     IG_INT(figure_config, "points", first, "1000", 2, 100000,
            "vectors: points of each space in the first panel, from the front of its file")},
    {IG_FLAG(figure_config, "skip-bad", skip_bad, NULL,
             "vectors: leave out and name rows that are damaged, and take a header's wrong count")},
    {IG_TEXT(figure_config, "values", values, NULL, "Q,Q",
             "curves, layers, bars: a panel for each quantity, as mu, rho[8], perplexity[train]")},
    {IG_FLAG(figure_config, "log-x", log_x, "true", "curves: updates on a logarithmic axis")},
    {IG_FLAG(figure_config, "onset", onset, NULL, "curves: mark where each sets in")},
    {IG_PATH(figure_config, "reference", reference, "FILE",
             "bars: a paper's numbers to compare with")},
    {IG_TEXT(figure_config, "title", title, NULL, "TEXT",
             "what the figure shows, for those who cannot see it")},
    {IG_REAL_AS(figure_config, "width", width, "0", "MM", 0, 1000,
                "width in millimetres; 0: 85, or 175 for panels side by side")},
    {IG_INT(figure_config, "columns", columns, "0", 0, 64, "panels side by side; 0: as fits")},
    {IG_REAL_AS(figure_config, "dpi", dpi, "300", "N", 20, 2400, "pixels an inch of a .png")},
    {IG_INT(figure_config, "threads", o.n_thread, "0", 0, 1024,
            "threads; 0: all processors; the figure does not depend on it")},
    {IG_FLAG(figure_config, "json", json, NULL,
             "print a JSON object with the numbers that the figure shows")},
};

static ig_code find_kind(ig_figure_kind *kind, const char *word, ig_err *err)
{
    for (int i = 0; i < IG_N_FIG; i++)
        if (strcmp(word, ig_figure_kind_names[i]) == 0) {
            *kind = (ig_figure_kind)i;
            return IG_ERR_OK;
        }
    const char *names[IG_N_FIG + 1];
    memcpy(names, ig_figure_kind_names, IG_N_FIG * sizeof *names);
    names[IG_N_FIG] = "vectors";
    ig_fail(err, IG_ERR_USAGE, word, 0,
            "not a kind of figure, expected curves, layers, bars, "
            "positions, tokens, states or vectors");
    return ig_hint_nearest(err, word, names, IG_N_FIG + 1);
}

/* NAME=PATH, or PATH, which is then its own name: a folder's last one, a file's without suffix.
 * An argument that is a path with its '=' is one. */
static ig_code split_name(ig_named_run *run, ig_pool *pool, char *arg, bool folder, ig_err *err)
{
    const char *equals = strchr(arg, '='), *name = arg + strlen(arg);
    const bool is_path = folder ? ig_run_dir_check(arg, NULL) == IG_ERR_OK : ig_file_exists(arg);
    run->dir = arg;
    if (equals != NULL && equals > arg && equals[1] != '\0' && !is_path) {
        run->dir = equals + 1;
        return ig_pool_print(pool, &run->name, err, "%.*s", (int)(equals - arg), arg);
    }
    while (name > arg + 1 && name[-1] == '/')
        name--;
    const char *end = name;
    while (name > arg && name[-1] != '/')
        name--;
    const size_t stem = folder ? 0 : strcspn(name, ".");
    return ig_pool_print(pool, &run->name, err, "%.*s",
                         (int)(stem > 0 ? stem : (size_t)(end - name)), name);
}

/* Quantities between commas that are in no brackets. */
static ig_code read_values(ig_quantity **q, int *n, const char *text, ig_err *err)
{
    int64_t have = 0;
    while (*text != '\0') {
        char one[160];
        size_t size = 0;
        for (int depth = 0; *text != '\0' && (*text != ',' || depth > 0); text++) {
            depth += (*text == '[') - (*text == ']');
            if (*text != ' ' && size + 1 < sizeof one)
                one[size++] = *text;
        }
        one[size] = '\0';
        text += *text == ',';
        IG_TRY(ig_grow(q, &have, *n + 1, sizeof **q, "values", err));
        IG_TRY(ig_quantity_parse(&(*q)[*n], one, "--values", 0, err));
        (*n)++;
    }
    return IG_ERR_OK;
}

/* Curves of μ where it was measured on the way, else of the loss. */
static const char *default_values(ig_figure_kind kind, const ig_store_result *r)
{
    int64_t steps = 0;
    for (int64_t i = 0; i < r->n_metric; i++)
        steps += strcmp(r->metric[i].task, "mu") == 0;
    return kind == IG_FIG_LAYERS                       ? "rho,tau"
           : kind == IG_FIG_BARS || steps > r->n_entry ? "mu"
                                                       : "loss";
}

typedef struct {
    ig_named_run *at;
    int n;
} named_runs;

static ig_code from_results(ig_figure *f, ig_figure_kind kind, const figure_config *c,
                            const named_runs *runs, ig_err *err)
{
    ig_store_result stored = {0};
    ig_results results = {0};
    ig_reference reference = {0};
    char what[] = "figure";
    ig_figure_spec spec = {
        .name = what, .kind = kind, .step = c->o.step, .log_x = c->log_x, .onset = c->onset};
    ig_code code = ig_run_results(&stored, runs->at, runs->n, err);
    IG_THEN(code, ig_results_make(&results, &stored, false, err));
    IG_THEN(code, read_values(&spec.quantity, &spec.n_quantity,
                              c->values != NULL ? c->values : default_values(kind, &stored), err));
    if (code == IG_ERR_OK && c->reference != NULL)
        code = ig_reference_read(&reference, c->reference, err);
    IG_THEN(code,
            ig_result_figure(f, &results, &spec, c->reference != NULL ? &reference : NULL, err));
    ig_free(spec.quantity);
    ig_reference_free(&reference);
    ig_results_free(&results);
    ig_store_result_free(&stored);
    return code;
}

static ig_code from_models(ig_figure *f, ig_figure_kind kind, const figure_config *c,
                           const named_runs *runs, json_t *numbers, ig_err *err)
{
    ig_run_figure_options o = c->o;
    if (c->layers.n > IG_RUN_FIGURE_MAX_LAYER)
        return ig_fail(err, IG_ERR_USAGE, "--layers", 0, "found %d, expected at most %d",
                       c->layers.n, IG_RUN_FIGURE_MAX_LAYER);
    o.b = 1; /* unless --pair names others */
    o.n_layer = c->layers.n;
    for (int i = 0; i < c->layers.n; i++)
        o.layer[i] = (int)c->layers.v[i];
    o.numbers = numbers;
    ig_progress_begin("figure", runs->n);
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < runs->n && code == IG_ERR_OK; i++) {
        ig_progress(i, runs->at[i].name);
        o.name = runs->at[i].name;
        code = ig_run_figure_add(f, kind, runs->at[i].dir, &o, err);
    }
    ig_progress_end();
    return code;
}

static ig_code from_vectors(ig_figure *f, const figure_config *c, const named_runs *files,
                            json_t *numbers, ig_err *err)
{
    ig_vector_figure_options o = {.first = c->first, .count = c->o.count};
    ig_vectors v[2] = {{.n = 0}, {.n = 0}};
    ig_dictionary d = {0};
    ig_team *team = NULL;
    if (files->n != 2)
        return ig_fail(err, IG_ERR_USAGE, "vectors", 0,
                       "found %d files of vectors, expected SOURCE and TARGET", files->n);
    if (c->dictionary == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--dictionary", 0,
                       "not given, expected a file of word pairs");
    ig_code code = ig_dictionary_read(&d, c->dictionary, false, err);
    IG_THEN(code, ig_team_new(&team, c->o.n_thread, err));
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        const char *path = files->at[s].dir;
        o.name[s] = files->at[s].name;
        code = ig_manifest_vectors(
            &v[s], path, (ig_vec_how){.max_word = 200000, .skip_bad = c->skip_bad}, team, err);
        IG_THEN(code, ig_unit_rows(v[s].x, v[s].n, v[s].d, path, err));
    }
    if (code == IG_ERR_OK) {
        code = ig_vector_figure_add(f, v, &d, &o, numbers, err);
        ig_err_at(err, c->dictionary);
    }
    ig_dictionary_free(&d);
    ig_vectors_free(&v[0]);
    ig_vectors_free(&v[1]);
    ig_team_free(team);
    return code;
}

/* Writes the picture and prints what is in it. */
static ig_code finish(ig_figure *f, const figure_config *c, const char *kind, json_t *numbers,
                      ig_err *err)
{
    f->width = c->width;
    f->columns = c->columns;
    IG_TRY(ig_pool_print(&f->pool, &f->title, err, "%s", c->title != NULL ? c->title : kind));
    IG_TRY(ig_figure_write(f, c->out, c->dpi, err));
    if (!c->json) {
        printf("%s: %s, %d panel%s\n", c->out, kind, f->n_panel, ig_s(f->n_panel));
        return IG_ERR_OK;
    }
    json_t *shown = numbers != NULL ? json_incref(numbers) : ig_figure_json(f);
    return ig_json_print(json_pack("{s:s, s:s, s:i, s:o}", "file", c->out, "kind", kind, "panels",
                                   f->n_panel, "numbers", shown),
                         err);
}

static ig_code draw_figure(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const figure_config *c = config;
    ig_figure f = {0};
    ig_figure_kind kind = IG_FIG_CURVES;
    ig_figure_format format;
    const bool vectors = strcmp(arg[0], "vectors") == 0;
    named_runs runs = {NULL, n_arg - 1};
    json_auto_t *numbers = NULL;
    if (!vectors)
        IG_TRY(find_kind(&kind, arg[0], err));
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "is missing, expected the figure's file");
    IG_TRY(ig_figure_format_of(&format, c->out, err));
    IG_TRY(ig_out_try(c->out, err));
    const bool model = kind == IG_FIG_POSITIONS || kind == IG_FIG_TOKENS || kind == IG_FIG_STATES;
    ig_code code = ig_alloc(&runs.at, runs.n, sizeof *runs.at, "runs", err);
    for (int i = 0; i < runs.n && code == IG_ERR_OK; i++)
        code = split_name(&runs.at[i], &f.pool, arg[i + 1], !vectors, err);
    if (vectors || model)
        numbers = json_array();
    IG_THEN(code, vectors ? from_vectors(&f, c, &runs, numbers, err)
                  : model ? from_models(&f, kind, c, &runs, numbers, err)
                          : from_results(&f, kind, c, &runs, err));
    IG_THEN(code, finish(&f, c, arg[0], numbers, err));
    ig_figure_free(&f);
    ig_free(runs.at);
    return code;
}

const ig_command ig_cmd_figure = {
    .name = "figure",
    .summary = "plot what runs have learned: curves, matrices, principal components",
    .args = "KIND [NAME=]DIR…|FILE FILE",
    .min_arg = 2,
    .max_arg = -1,
    .details =
        "KIND is one of\n"
        "  curves      quantities over updates; runs of one NAME are its seeds, with a band\n"
        "  layers      quantities by layer, as a heat map of runs by layers\n"
        "  bars        quantities by run, with intervals over the seeds and a paper's numbers\n"
        "  positions   cosines of the position embeddings of two languages\n"
        "  tokens      principal components of the word embeddings, translations linked\n"
        "  states      principal components of a layer's hidden states, by language\n"
        "  vectors     principal components of two files of word vectors, translations linked\n"
        "DIR is the folder of a run (isoglot train --out DIR) or, from positions to states, "
        "one of its checkpoints. Everything about languages and texts comes from the run's own "
        "record.\nExamples:\n"
        "  isoglot figure curves original=runs/id0 inverted=runs/id3 --values mu --out mu.svg\n"
        "  isoglot figure positions runs/id0 runs/id8 --out positions.pdf\n"
        "  isoglot figure states runs/id0 --layers 0,4,8,12 --out states.png --json\n"
        "  isoglot figure vectors English=en.vec Spanish=es.vec --dictionary en-es.txt --out "
        "map.svg",
    IG_COMMAND_OPTIONS(options, figure_config),
    .run = draw_figure,
};
